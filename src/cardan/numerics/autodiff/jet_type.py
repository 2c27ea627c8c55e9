"""Jets in compiled code: one Numba type per number of arguments.

`JetType(n)` is a struct of the floats v, d, c, e, g_0 ... g_{n-1}. Its arithmetic is not written twice: to
compile an operation on jets, the operation of `PyJet` runs once on fields of class `Emitted`, numbers whose own
+ - * / append instructions to the code. The rules of elementary functions are compiled unchanged and called.

    x * y in a user's function  ->  PyJet * PyJet with Emitted fields  ->  a dozen multiplications and additions

Two kinds of zero differ: the integers 0 and 1 in a rule are structure and emit no instruction, a float 0.0 is a
value like any other.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.compiler import Flags
from numba.core.cpu_options import FastMathOptions
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, lower_cast, models, register_model

from cardan.numerics.autodiff.elementary import BINARY, UNARY, Rule
from cardan.numerics.autodiff.jet import PREDICATES, SCALAR, Emitting, PyJet, apply, raise_to, variable

FIELDS = ("v", "d", "c", "e")
FLAGS = ("contract", "nsz")  # as in every kernel: fused multiply-add, but standard NaN and infinity


class JetType(types.Type):
    """A jet of `count` arguments."""

    def __init__(self, count: int) -> None:
        self.count = count
        super().__init__(name=f"Jet({count})")

    def can_convert_from(self, typingctx, other):
        """If one branch yields a jet and the other a number, the number becomes a constant jet."""
        return Conversion.safe if isinstance(other, PLAIN) else None

    def unify(self, typingctx, other):
        return self if isinstance(other, PLAIN) else None


POWERS = (operator.pow, operator.ipow)
PLAIN = (types.Float, types.Integer, types.Boolean)


@register_model(JetType)
class JetModel(models.StructModel):
    def __init__(self, manager, jet):
        names = [*FIELDS, *(f"g{i}" for i in range(jet.count))]
        super().__init__(manager, jet, [(name, types.float64) for name in names])


class Emitted(Emitting):
    """A float (or a truth value) in the code being compiled."""

    __slots__ = ("context", "builder", "code")

    def __init__(self, context: Any, builder: Any, code: Any) -> None:
        self.context, self.builder, self.code = context, builder, code

    def __add__(x, y):
        return x if _is(y, 0) else x._float("fadd", x, y)

    def __sub__(x, y):
        return x if _is(y, 0) else x._float("fsub", x, y)

    def __mul__(x, y):
        if _is(y, 0):
            return 0
        return x if _is(y, 1) else -x if _is(y, -1) else x._float("fmul", x, y)

    def __rsub__(x, y):
        return -x if _is(y, 0) else x._float("fsub", y, x)

    def __truediv__(x, y):
        return x._float("fdiv", x, y)

    def __rtruediv__(x, y):
        return x._float("fdiv", y, x)

    def __neg__(x):
        return Emitted(x.context, x.builder, x.builder.fneg(x.code, flags=FLAGS))

    __radd__, __rmul__ = __add__, __mul__

    def __lt__(x, y):
        return x._truth("<", y)

    def __le__(x, y):
        return x._truth("<=", y)

    def __gt__(x, y):
        return x._truth(">", y)

    def __ge__(x, y):
        return x._truth(">=", y)

    def __eq__(x, y):
        return x._truth("==", y)

    def __ne__(x, y):
        return x._truth("!=", y)

    def _float(self, instruction: str, x: Any, y: Any) -> Emitted:
        if isinstance(x, PyJet) or isinstance(y, PyJet):
            return NotImplemented  # Python then tries the operator of the jet
        emit = getattr(self.builder, instruction)
        return Emitted(self.context, self.builder, emit(_code(x), _code(y), flags=FLAGS))

    def _truth(self, comparison: str, y: Any) -> Emitted:
        if isinstance(y, PyJet):
            return NotImplemented
        emit = self.builder.fcmp_unordered if comparison == "!=" else self.builder.fcmp_ordered
        return Emitted(self.context, self.builder, emit(comparison, self.code, _code(y)))

    def emit_rule(self, rule: Rule, numbers: list[Any]) -> tuple[Emitted, ...]:
        results = types.UniTuple(types.float64, 4 if len(numbers) == 1 else 10)
        call = signature(results, *[types.float64] * len(numbers))
        compiled = self.context.compile_subroutine(self.builder, rule, call, flags=_rule_flags())
        code = self.context.call_internal(self.builder, compiled.fndesc, call, [_code(x) for x in numbers])
        parts = cgutils.unpack_tuple(self.builder, code, results.count)
        return tuple(Emitted(self.context, self.builder, part) for part in parts)


def _rule_flags() -> Flags:
    """Division by zero in a rule yields infinity, as in hardware, not an exception."""
    flags = Flags()
    flags.error_model = "numpy"
    flags.fastmath = FastMathOptions(set(FLAGS))
    return flags


def _is(x: Any, structure: int) -> bool:
    return type(x) is int and x == structure


def _code(x: Any) -> Any:
    return x.code if isinstance(x, Emitted) else ir.Constant(ir.DoubleType(), float(x))


def _unpack(context: Any, builder: Any, kind: Any, code: Any) -> Any:
    """The operand of a rule: a jet, a whole constant, or a plain number."""
    if isinstance(kind, types.IntegerLiteral):
        return kind.literal_value
    if not isinstance(kind, JetType):
        return Emitted(context, builder, code)
    fields = [Emitted(context, builder, builder.extract_value(code, i)) for i in range(4 + kind.count)]
    return PyJet(*fields[:4], tuple(fields[4:]))


def _pack(context: Any, builder: Any, kind: Any, result: Any) -> Any:
    if not isinstance(kind, JetType):
        return _code(result)
    jet = result if isinstance(result, PyJet) else PyJet(result, 0, 0, 0, (0,) * kind.count)
    struct = ir.Constant(context.get_value_type(kind), ir.Undefined)
    for i, field in enumerate((jet.v, jet.d, jet.c, jet.e, *jet.g)):
        struct = builder.insert_value(struct, _code(field), i)
    return struct


# Registration: the type of each function's result, and the operation that emits its code.


def _declare(function: Any, operands: int | None, result: Any = None) -> None:
    """Register `function` with Numba for jet arguments mixed with plain numbers."""

    class Template(AbstractTemplate):
        key = function
        prefer_literal = True  # x**2 is a product

        def generic(self, args, kws):
            jets = [a for a in args if isinstance(a, JetType)]
            if kws or not jets or not all(isinstance(a, (JetType, *PLAIN)) for a in args):
                return None
            if operands not in (None, len(args)):
                return None
            whole = function in POWERS and isinstance(args[1], types.IntegerLiteral)
            plain = [a if isinstance(a, JetType) or (whole and a is args[1]) else types.float64 for a in args]
            return signature(result or jets[0], *plain)

    infer_global(function, types.Function(Template))  # explicit because ufuncs of NumPy 1.26 have no module


def _register(function: Any, operation: Any, operands: int, result: Any = None) -> None:
    _declare(function, operands, result)

    def emit(context, builder, sig, args):
        jets = [_unpack(context, builder, kind, code) for kind, code in zip(sig.args, args, strict=True)]
        return _pack(context, builder, sig.return_type, operation(*jets))

    kinds = {1: [(JetType,)], 2: [(JetType, JetType), (JetType, types.Float), (types.Float, JetType)]}[operands]
    for formal in kinds + ([(JetType, types.IntegerLiteral)] if function in POWERS else []):
        lower_builtin(function, *formal)(emit)


def _register_choice(function: Any, prefer: Any) -> None:
    """min and max of any number of jets and plain numbers; the first one wins ties."""
    _declare(function, None)

    def emit(context, builder, sig, args):
        jet = sig.return_type
        best, *others = (context.cast(builder, code, kind, jet) for kind, code in zip(sig.args, args, strict=True))
        for other in others:
            better = prefer(_unpack(context, builder, jet, other), _unpack(context, builder, jet, best))
            best = builder.select(better.code, other, best)
        return best

    lower_builtin(function, types.VarArg(types.Any))(emit)


for _name in ("add", "sub", "mul", "truediv", "mod", "floordiv", "pow"):
    _operation = raise_to if _name == "pow" else getattr(operator, _name)
    for _operator in (getattr(operator, _name), getattr(operator, f"i{_name}")):  # x + y and x += y
        _register(_operator, _operation, 2)
for _operator in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
    _register(_operator, _operator, 2, types.boolean)
for _operator in (operator.neg, operator.pos):
    _register(_operator, _operator, 1)
_register(bool, lambda x: x.v != 0, 1, types.boolean)
for _function, _predicate in PREDICATES.items():
    _register(_function, _predicate, 1, types.boolean)
_register(float, lambda x: x, 1)  # a float that keeps its derivatives
for _function, _operator in ((min, operator.lt), (max, operator.gt)):
    _register_choice(_function, _operator)
for _ufunc in (np.add, np.subtract, np.multiply, np.true_divide):
    _register(_ufunc, SCALAR[_ufunc], 2)
for _ufunc in (np.square, np.reciprocal, np.negative):
    _register(_ufunc, SCALAR[_ufunc], 1)
for _count, _table in ((1, UNARY), (2, BINARY)):
    for _name, (_, _functions) in _table.items():
        for _function in _functions:
            _register(_function, lambda *x, name=_name: apply(name, *x), _count)


@lower_cast(types.Float, JetType)
@lower_cast(types.Integer, JetType)
@lower_cast(types.Boolean, JetType)
def _constant(context, builder, fromty, toty, code):
    number = context.cast(builder, code, fromty, types.float64)
    return _pack(context, builder, toty, Emitted(context, builder, number))


# Interface of a compiled function: arguments arrive as pointers, results leave as blocks of numbers.


@intrinsic(prefer_literal=True)
def load_argument(typingctx, count, index, z, zdot):
    """Argument `index` of `count` as a jet, from the arrays of values and rates at two pointers."""
    n, i = count.literal_value, index.literal_value

    def emit(context, builder, sig, args):
        at = [builder.load(builder.gep(pointer, [ir.Constant(ir.IntType(32), i)])) for pointer in args[2:]]
        x = variable(*(Emitted(context, builder, code) for code in at), i, n)
        return _pack(context, builder, sig.return_type, x)

    return signature(JetType(n), count, index, z, zdot), emit


@intrinsic(prefer_literal=True)
def store_result(typingctx, count, index, result, out):
    """Write output `index` as v, d, c, e, g_0 ... g_{n-1}; true if it is finite (e is not checked)."""
    n, k = count.literal_value, index.literal_value
    if not isinstance(result, (JetType, *PLAIN)):
        return None

    def emit(context, builder, sig, args):
        jet = context.cast(builder, args[2], result, JetType(n))
        x = _unpack(context, builder, JetType(n), jet)
        for i, field in enumerate((x.v, x.d, x.c, x.e, *x.g)):
            place = builder.gep(args[3], [ir.Constant(ir.IntType(32), k * (4 + n) + i)])
            builder.store(field.code, place)
        total = x.v
        for field in (x.d, x.c, *x.g):
            total = total + field
        return (total - total == 0).code  # yields NaN for infinity and for NaN

    return signature(types.boolean, count, index, result, out), emit
