"""Derivatives of the arithmetic and the functions of machine code, as instructions of LLVM.

    instructions_for("fmul", "double", "%x", ["%a", "%b"], ["%d.a", "%d.b"], ...)        a' b + a b'

Where a derivative is infinite but its argument does not change, as that of a square root at 0, it is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log, pi, sqrt

MOVED = {"freeze", "bitcast", "inttoptr", "extractvalue", "insertvalue", "extractelement", "insertelement",
         "shufflevector"}  # fmt: skip
# Results without derivative: integers and comparisons, and functions that are constant between jumps.
WITHOUT = {
    "sitofp", "uitofp", "fptosi", "fptoui", "fcmp", "icmp", "br", "ret", "switch", "unreachable", "getelementptr",
    "@llvm.floor", "@llvm.ceil", "@llvm.trunc", "@llvm.rint", "@llvm.nearbyint", "@llvm.round", "@floor", "@ceil",
    "@trunc", "@round", "@rint",
}  # fmt: skip
COMPARED = {"@llvm.is.fpclass.f64"}  # tests of numbers
DROPPED = ("@llvm.lifetime", "@llvm.experimental.noalias", "@llvm.assume", "@llvm.dbg")

Make = Callable[[str], str]  # of an instruction, the name of its result


def instructions_for(
    operation: str,
    kind: str,
    name: str,
    values: Sequence[str],
    slopes: Sequence[str],
    new: Make,
    declare: Callable[[str], None],
) -> str | None:
    """The instruction of the derivative of `name = operation(values)`, others before it; None if it is not known."""
    write = _Writer(kind, new, declare)
    short = operation.removeprefix("@").removeprefix("llvm.").removesuffix(".f64")
    if operation == "@llvm.powi.f64.i32":
        return write.integer_power(values, slopes)
    if kind != "double" and operation[0] == "@":
        return None
    rule = _RULES.get(_SAME.get(short, short))
    return None if rule is None else write.last(rule(write, name, list(values), list(slopes)))


class _Writer:
    """Arithmetic as instructions."""

    def __init__(self, kind: str, new: Make, declare: Callable[[str], None]) -> None:
        self.kind, self.new, self.declare = kind, new, declare

    def of(self, operation: str, *values: str) -> str:
        return self.new(f"{operation} contract {self.kind} {', '.join(values)}")

    def add(self, a: str, b: str) -> str:
        return b if a == "0.0" else a if b == "0.0" else self.of("fadd", a, b)

    def sub(self, a: str, b: str) -> str:
        return a if b == "0.0" else self.of("fsub", a, b)

    def mul(self, a: str, b: str) -> str:
        return "0.0" if "0.0" in (a, b) else self.of("fmul", a, b)

    def div(self, a: str, b: str) -> str:
        return "0.0" if a == "0.0" else self.of("fdiv", a, b)

    def neg(self, a: str) -> str:
        return self.of("fneg", a)

    def call(self, function: str, *values: str) -> str:
        self.declare(f"declare double {function}({', '.join(['double'] * len(values))})\n")
        return self.new(f"call contract double {function}({', '.join(f'double {value}' for value in values)})")

    def choose(self, comparison: str, a: str, b: str, yes: str, no: str) -> str:
        holds = self.new(f"fcmp {comparison} double {a}, {b}")
        return self.new(f"select i1 {holds}, double {yes}, double {no}")

    def unless_constant(self, slope: str, found: str) -> str:
        """A derivative, or 0 where the argument does not change."""
        return "0.0" if slope == "0.0" else self.choose("une", slope, "0.0", found, "0.0")

    def last(self, value: str) -> str:
        """An instruction that has the value."""
        return f"freeze {self.kind} {'zeroinitializer' if value == '0.0' else value}"

    def integer_power(self, values: Sequence[str], slopes: Sequence[str]) -> str:
        x, n = values
        self.declare("declare double @llvm.powi.f64.i32(double, i32)\n")
        one_less = self.new(f"sub i32 {n}, 1")
        power = self.new(f"call double @llvm.powi.f64.i32(double {x}, i32 {one_less})")
        return self.last(self.mul(slopes[0], self.mul(self.new(f"sitofp i32 {n} to double"), power)))


Rule = Callable[[_Writer, str, list[str], list[str]], str]


def _divide(w: _Writer, y: str, x: list[str], d: list[str]) -> str:
    return w.div(w.sub(d[0], w.mul(y, d[1])), x[1])


def _remainder(w: _Writer, y: str, x: list[str], d: list[str]) -> str:
    return w.sub(d[0], w.mul(w.call("@llvm.trunc.f64", w.div(x[0], x[1])), d[1]))


def _power(w: _Writer, y: str, x: list[str], d: list[str]) -> str:
    base = w.mul(d[0], w.mul(x[1], w.call("@llvm.pow.f64", x[0], w.sub(x[1], "1.0")))) if d[0] != "0.0" else "0.0"
    exponent = w.mul(d[1], w.mul(y, w.call("@llvm.log.f64", x[0]))) if d[1] != "0.0" else "0.0"
    return w.add(w.unless_constant(d[0], base), w.unless_constant(d[1], exponent))


def _absolute(w: _Writer, y: str, x: list[str], d: list[str]) -> str:
    return w.choose("olt", x[0], "0.0", w.neg(d[0]), d[0])


def _with_sign(w: _Writer, y: str, x: list[str], d: list[str]) -> str:
    signs = [w.call("@llvm.copysign.f64", "1.0", one) for one in x]
    return w.mul(d[0], w.mul(signs[0], signs[1]))


def _larger(w: _Writer, y: str, x: list[str], d: list[str]) -> str:
    return w.choose("oeq", y, x[0], d[0], d[1])


def _fused(w: _Writer, y: str, x: list[str], d: list[str]) -> str:
    return w.add(w.add(w.mul(d[0], x[1]), w.mul(x[0], d[1])), d[2])


def _length(w: _Writer, y: str, x: list[str], d: list[str]) -> str:
    change = w.add(w.mul(x[0], d[0]), w.mul(x[1], d[1]))
    return w.unless_constant(change, w.div(change, y))


def _direction(w: _Writer, y: str, x: list[str], d: list[str]) -> str:
    change = w.sub(w.mul(x[1], d[0]), w.mul(x[0], d[1]))
    return w.unless_constant(change, w.div(change, w.add(w.mul(x[0], x[0]), w.mul(x[1], x[1]))))


def _root(w: _Writer, y: str, x: list[str], d: list[str]) -> str:
    return w.unless_constant(d[0], w.div(w.mul("0.5", d[0]), y))


def _cube_root(w: _Writer, y: str, x: list[str], d: list[str]) -> str:
    return w.unless_constant(d[0], w.div(w.mul(y, d[0]), w.mul("3.0", x[0])))


def _of_one(slope: Callable[[_Writer, str, str], str]) -> Rule:
    """A function of one argument, from its slope at x, where its value is y."""
    return lambda w, y, x, d: "0.0" if d[0] == "0.0" else w.mul(slope(w, x[0], y), d[0])


def _over_root(sign: float, x_factor: str, one: str) -> Rule:
    """sign / sqrt(one + x_factor x^2)."""

    def slope(w: _Writer, x: str, y: str) -> str:
        inside = w.add(one, w.mul(x_factor, w.mul(x, x)))
        return w.div(f"{sign}", w.call("@llvm.sqrt.f64", inside))

    return _of_one(slope)


def _number(x: float) -> str:
    return f"{x:.17e}"


_SAME = {
    "maxnum": "larger", "maximum": "larger", "fmax": "larger", "minnum": "larger", "minimum": "larger",
    "fmin": "larger", "fma": "fmuladd", "fmod": "frem",
}  # fmt: skip

_RULES: dict[str, Rule] = {
    "fadd": lambda w, y, x, d: w.add(d[0], d[1]),
    "fsub": lambda w, y, x, d: w.sub(d[0], d[1]),
    "fmul": lambda w, y, x, d: w.add(w.mul(d[0], x[1]), w.mul(x[0], d[1])),
    "fdiv": _divide,
    "frem": _remainder,
    "fneg": lambda w, y, x, d: w.neg(d[0]),
    "fabs": _absolute,
    "copysign": _with_sign,
    "larger": _larger,
    "fmuladd": _fused,
    "sqrt": _root,
    "cbrt": _cube_root,
    "hypot": _length,
    "atan2": _direction,
    "pow": _power,
    "sin": _of_one(lambda w, x, y: w.call("@llvm.cos.f64", x)),
    "cos": _of_one(lambda w, x, y: w.neg(w.call("@llvm.sin.f64", x))),
    "tan": _of_one(lambda w, x, y: w.add("1.0", w.mul(y, y))),
    "asin": _over_root(1.0, "-1.0", "1.0"),
    "acos": _over_root(-1.0, "-1.0", "1.0"),
    "asinh": _over_root(1.0, "1.0", "1.0"),
    "acosh": _over_root(1.0, "1.0", "-1.0"),
    "atan": _of_one(lambda w, x, y: w.div("1.0", w.add("1.0", w.mul(x, x)))),
    "atanh": _of_one(lambda w, x, y: w.div("1.0", w.sub("1.0", w.mul(x, x)))),
    "sinh": _of_one(lambda w, x, y: w.call("@cosh", x)),
    "cosh": _of_one(lambda w, x, y: w.call("@sinh", x)),
    "tanh": _of_one(lambda w, x, y: w.sub("1.0", w.mul(y, y))),
    "exp": _of_one(lambda w, x, y: y),
    "exp2": _of_one(lambda w, x, y: w.mul(_number(log(2.0)), y)),
    "expm1": _of_one(lambda w, x, y: w.add(y, "1.0")),
    "log": _of_one(lambda w, x, y: w.div("1.0", x)),
    "log2": _of_one(lambda w, x, y: w.div(_number(1.0 / log(2.0)), x)),
    "log10": _of_one(lambda w, x, y: w.div(_number(1.0 / log(10.0)), x)),
    "log1p": _of_one(lambda w, x, y: w.div("1.0", w.add("1.0", x))),
    "erf": _of_one(lambda w, x, y: w.mul(_number(2.0 / sqrt(pi)), w.call("@llvm.exp.f64", w.neg(w.mul(x, x))))),
    "erfc": _of_one(lambda w, x, y: w.mul(_number(-2.0 / sqrt(pi)), w.call("@llvm.exp.f64", w.neg(w.mul(x, x))))),
}
