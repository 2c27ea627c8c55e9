"""Derivatives of machine code: each rule against complex steps, and the code that moves numbers."""

from __future__ import annotations

import cmath
import ctypes
import math
from collections.abc import Callable

import numpy as np
import pytest

from cardan.export.tangents.functions import tangents_of
from cardan.export.tangents.text import TangentError
from cardan.numerics.compiled.settings import COMPILED

llvm = pytest.importorskip("llvmlite.binding")
pytestmark = pytest.mark.skipif(not COMPILED, reason="derivatives are those of machine code")

UNUSED, SIZE, STEP = 64, 128, 1e-20  # bytes of the tables: as in an image, the first of them are unused
F = """
define i64 @f(i64 %place) #0 {
  %p = inttoptr i64 %place to ptr
  %x = load double, ptr %p, align 8, !tbaa !0
  %q = getelementptr inbounds i8, ptr %p, i64 8
  %y = load double, ptr %q, align 8
  %o = getelementptr inbounds i8, ptr %p, i64 16
CODE
  store double %r, ptr %o, align 8
  ret i64 0
}
!0 = !{}
"""


def slopes(code: str, x: float, y: float, dx: float, dy: float) -> tuple[float, float]:
    """The result and its derivative of code that computes %r from %x and %y."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    text = code if "define" in code else F.replace("CODE", code)
    found = tangents_of(text, "@f", [], SIZE)
    module = llvm.parse_assembly(found.text.replace("define internal i64", "define i64"))
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    memory, first = np.zeros(found.span // 4), UNUSED // 8
    behind = first + found.span // 8
    memory[first : first + 2], memory[behind : behind + 2] = (x, y), (dx, dy)
    base = memory.ctypes.data
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
    kind(engine.get_function_address(found.names["@f"][1:]))(base + UNUSED, 0, base)
    return memory[first + 2], memory[behind + 2]


def of(name: str) -> str:
    return f"  %r = call double @llvm.{name}.f64(double %x)"


def named(name: str, *more: str) -> str:
    return f"  %r = call nsz contract double @{name}({', '.join(f'double {one}' for one in ('%x', *more))})"


RULES: dict[str, tuple[str, Callable[..., complex]]] = {
    "fadd": ("  %r = fadd contract double %x, %y", lambda x, y: x + y),
    "fsub": ("  %r = fsub double %x, %y", lambda x, y: x - y),
    "fmul": ("  %r = fmul nsz contract double %x, %y", lambda x, y: x * y),
    "fdiv": ("  %r = fdiv double %x, %y", lambda x, y: x / y),
    "a constant": ("  %r = fsub double 3.0, %x", lambda x, y: 3.0 - x),
    "fneg": ("  %r = fneg double %x", lambda x, y: -x),
    "frem": ("  %r = frem double %y, %x", lambda x, y: y - math.trunc(y.real / x.real) * x),
    "sqrt": (of("sqrt"), lambda x, y: cmath.sqrt(x)),
    "sin": (of("sin"), lambda x, y: cmath.sin(x)),
    "cos": (of("cos"), lambda x, y: cmath.cos(x)),
    "exp": (of("exp"), lambda x, y: cmath.exp(x)),
    "log": (of("log"), lambda x, y: cmath.log(x)),
    "fabs": (of("fabs"), lambda x, y: x if x.real > 0 else -x),
    "floor": (of("floor"), lambda x, y: complex(math.floor(x.real))),
    "pow": ("  %r = call double @llvm.pow.f64(double %x, double %y)", lambda x, y: cmath.exp(y * cmath.log(x))),
    "powi": ("  %r = call double @llvm.powi.f64.i32(double %x, i32 3)", lambda x, y: x**3),
    "fma": ("  %r = call double @llvm.fma.f64(double %x, double %y, double %x)", lambda x, y: x * y + x),
    "maxnum": ("  %r = call double @llvm.maxnum.f64(double %x, double %y)", lambda x, y: max(x, y, key=np.real)),
    "minnum": ("  %r = call double @llvm.minnum.f64(double %x, double %y)", lambda x, y: min(x, y, key=np.real)),
    "copysign": ("  %n = fneg double %y\n  %r = call double @llvm.copysign.f64(double %x, double %n)", lambda x, y: -x),
    "tan": (named("tan"), lambda x, y: cmath.tan(x)),
    "asin": (named("asin"), lambda x, y: cmath.asin(x)),
    "acos": (named("acos"), lambda x, y: cmath.acos(x)),
    "atan": (named("atan"), lambda x, y: cmath.atan(x)),
    "sinh": (named("sinh"), lambda x, y: cmath.sinh(x)),
    "cosh": (named("cosh"), lambda x, y: cmath.cosh(x)),
    "tanh": (named("tanh"), lambda x, y: cmath.tanh(x)),
    "asinh": (named("asinh"), lambda x, y: cmath.asinh(x)),
    "atanh": (named("atanh"), lambda x, y: cmath.atanh(x)),
    "acosh": ("  %z = fadd double %x, 1.0\n  %r = call double @acosh(double %z)", lambda x, y: cmath.acosh(x + 1.0)),
    "atan2": (named("atan2", "%y"), lambda x, y: cmath.atan(x / y)),
    "hypot": (named("hypot", "%y"), lambda x, y: cmath.sqrt(x * x + y * y)),
    "cbrt": (named("cbrt"), lambda x, y: cmath.exp(cmath.log(x) / 3.0)),
    "expm1": (named("expm1"), lambda x, y: complex(math.expm1(x.real), x.imag * math.exp(x.real))),
    "log1p": (named("log1p"), lambda x, y: complex(math.log1p(x.real), x.imag / (1.0 + x.real))),
    "exp2": (named("exp2"), lambda x, y: cmath.exp(x * math.log(2.0))),
    "log2": (named("log2"), lambda x, y: cmath.log(x) / math.log(2.0)),
    "log10": (named("log10"), lambda x, y: cmath.log(x) / math.log(10.0)),
    "erf": (
        named("erf"),
        lambda x, y: complex(math.erf(x.real), 2 / math.sqrt(math.pi) * math.exp(-(x.real**2)) * x.imag),
    ),
    "erfc": (
        named("erfc"),
        lambda x, y: complex(math.erfc(x.real), -2 / math.sqrt(math.pi) * math.exp(-(x.real**2)) * x.imag),
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_a_rule_equals_a_complex_step(name: str) -> None:
    code, function = RULES[name]
    for x, y, dx, dy in ((0.37, 1.9, 1.0, 0.0), (0.62, 0.45, 0.0, 1.0), (0.37, 1.9, -0.7, 2.3)):
        value = complex(function(complex(x, STEP * dx), complex(y, STEP * dy)))
        found = slopes(code, x, y, dx, dy)
        assert found == pytest.approx((value.real, value.imag / STEP), rel=4e-15, abs=1e-15)


MOVES = {
    "words": """  %w = load i64, ptr %p, align 8
  %c = fcmp olt double %x, %y
  %v = bitcast double %y to i64
  %s = select i1 %c, i64 %w, i64 %v
  %r = bitcast i64 %s to double""",
    "a stack": """  %a = alloca [3 x double], align 8
  %b = getelementptr inbounds i8, ptr %a, i64 16
  call void @llvm.memset.p0.i64(ptr align 8 %a, i8 0, i64 24, i1 false)
  store double %x, ptr %b, align 8
  %c = getelementptr inbounds i8, ptr %a, i64 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %c, ptr align 8 %b, i64 8, i1 false)
  %r = load double, ptr %c, align 8""",
    "pairs": """  %a = insertvalue { i64, double } zeroinitializer, double %x, 1
  %r = extractvalue { i64, double } %a, 1""",
}


@pytest.mark.parametrize("name", MOVES)
def test_numbers_are_moved_with_their_derivatives(name: str) -> None:
    assert slopes(MOVES[name], 0.3, 0.8, 5.0, 7.0) == (0.3, 5.0)


def test_loops_calls_and_constants() -> None:
    """x^5 in a loop through a function, times an entry of a table of constants that is passed by address."""
    text = """
@table = internal constant [2 x double] [double 2.0, double 4.0]
define internal noundef double @times(double %a, ptr nocapture readonly %b) unnamed_addr #1 {
  %v = load double, ptr %b, align 8
  %t = fmul double %a, %v
  ret double %t
}
define i64 @f(i64 %place) {
entry:
  %p = inttoptr i64 %place to ptr
  br label %loop
loop:                                             ; preds = %loop, %entry
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %power = phi double [ 1.0, %entry ], [ %more, %loop ]
  %more = tail call double @times(double %power, ptr nonnull %p)
  %next = add nuw i64 %k, 1
  %done = icmp eq i64 %next, 5
  br i1 %done, label %end, label %loop
end:
  %e = getelementptr inbounds i8, ptr @table, i64 8
  %r = call double @times(double %more, ptr nonnull %e)
  %o = getelementptr inbounds i8, ptr %p, i64 16
  store double %r, ptr %o, align 8
  ret i64 0
}
"""
    found = slopes(text, 1.5, 0.0, 1.0, 0.0)
    assert found == pytest.approx((4.0 * 1.5**5, 20.0 * 1.5**4), rel=1e-15)


def test_infinite_slopes_along_directions_that_do_not_change() -> None:
    for code in (of("sqrt"), named("hypot", "%x"), named("cbrt")):
        assert slopes(code, 0.0, 1.0, 0.0, 1.0)[1] == 0.0
    assert not math.isfinite(slopes(of("sqrt"), 0.0, 1.0, 1.0, 0.0)[1])


def test_code_without_a_derivative_is_rejected() -> None:
    with pytest.raises(TangentError, match="a derivative of the machine code is not known: @lgamma"):
        slopes(named("lgamma"), 0.5, 0.0, 1.0, 0.0)
    with pytest.raises(TangentError, match="@llvm.sincos"):
        slopes(
            "  %s = call { double, double } @llvm.sincos.f64(double %x)\n"
            "  %r = extractvalue { double, double } %s, 0", 0.5, 0.0, 1.0, 0.0
        )  # fmt: skip
    with pytest.raises(TangentError, match="@unknown"):
        slopes("  call void @unknown(ptr %o)\n  %r = fadd double %x, 1.0", 0.5, 0.0, 1.0, 0.0)
    moved = "  %w = bitcast double %x to i64\n  %v = xor i64 %w, 1\n  store i64 %v, ptr %o\n  %r = fneg double %x"
    with pytest.raises(TangentError, match="xor of the bits of a number"):
        slopes(moved, 0.5, 0.0, 1.0, 0.0)
    bits = "  %w = bitcast double %x to i64\n  %v = and i64 %w, 7\n  %r = bitcast i64 %v to double"
    with pytest.raises(TangentError, match="and of the bits of a number"):
        slopes(bits, 0.5, 0.0, 1.0, 0.0)
    with pytest.raises(TangentError, match="a function calls itself"):
        slopes("define i64 @f(i64 %p) {\n  %r = call i64 @f(i64 %p)\n  ret i64 %r\n}\n", 0.5, 0.0, 1.0, 0.0)
