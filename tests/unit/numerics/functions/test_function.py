"""User functions at addresses: compiled, interpreted, cached, and rejected."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import textwrap
import warnings
from math import sin as bare_sine
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from cardan.errors import CardanWarning, ModelError
from cardan.numerics.compiled.jit import COMPILED, kernel
from cardan.numerics.functions.fingerprint import fingerprint
from cardan.numerics.functions.function import call_address, compile_function
from cardan.numerics.functions.interpreted import jet_runner
from folding import folded

only_compiled = pytest.mark.skipif(not COMPILED, reason="about compiled code")
SOURCES = str(Path(__file__).resolve().parents[4] / "src")


def parabola(x, y, c):
    return y - c * x * x


def helper(x):
    return FACTOR * bare_sine(x)


FACTOR = 3.0


def branching(x, y):
    if x > y:
        s = 0.0
    else:
        s = np.exp(-y) * x
    for k in range(4):
        s += x**k / (1 + k)
    s -= helper(y)
    return max(s, x, 1) / np.sqrt(abs(x) + 1) + np.arctan2(x, y) ** 3 + min(x, 2 * y) + float(y)


def many(x):
    u = 1 + x
    return (
        math.sin(x), math.cos(x), math.tan(x), math.asin(x), math.acos(x), math.atan(x), math.sinh(x), math.cosh(x),
        math.tanh(x), math.asinh(x), math.acosh(u), math.atanh(x), math.exp(x), np.exp2(x), math.expm1(x), math.log(x),
        math.log2(x), math.log10(x), math.log1p(x), math.sqrt(x), math.erf(x), math.radians(x), math.degrees(x), abs(x),
        np.sign(x), math.floor(x), math.ceil(x), math.atan2(x, u), math.hypot(x, u), math.pow(x, 1.5), x % 0.3, u // x,
        math.copysign(x, -1.0), np.maximum(x, 0.2), np.minimum(x, 0.2), math.fabs(x), np.square(x),
    )  # fmt: skip


def numpy_names(x):
    u = x + 1
    return (
        np.sin(x), np.cos(x), np.tan(x), np.arcsin(x), np.arccos(x), np.arctan(x), np.sinh(x), np.cosh(x), np.tanh(x),
        np.arcsinh(x), np.arccosh(u), np.arctanh(x), np.exp(x), np.expm1(x), np.log(x), np.log2(x), np.log10(x),
        np.log1p(x), np.sqrt(x), np.deg2rad(x), np.rad2deg(x), np.abs(x), np.fabs(x), np.floor(x), np.ceil(x),
        np.arctan2(x, u), np.hypot(x, u), np.power(x, 1.5), x**2, x**-2, x**2.5, u**x, 2.0**x, np.copysign(x, u),
        np.multiply(x, u), np.reciprocal(u), -x, +x, x - 1, 1 - x, 3 / x, x * (x > 0), np.remainder(x, 0.3),
    )  # fmt: skip


def agrees(function, arguments, parameters, outputs, at, rates, rel=1e-13, absolute=None):
    """Compiled results equal those of the interpreter up to rounding, which both do in their own order."""
    f = compile_function(function, arguments, parameters, outputs)
    assert f.compiled == COMPILED
    status, results = f.evaluate(at, rates)
    expected = np.zeros(outputs * f.block)
    run = jet_runner(function, arguments, len(parameters), outputs)
    assert run([*at, *parameters], list(rates), expected) == status
    np.testing.assert_allclose(results.ravel(), expected, rtol=rel, atol=rel if absolute is None else absolute)


@pytest.mark.parametrize(("function", "outputs"), [(many, 37), (numpy_names, 43)])
@pytest.mark.parametrize("at", [0.37, 0.81])
def test_compiled_jets_equal_python_jets(function, outputs, at):
    agrees(function, 1, (), outputs, (at,), (0.7,))


@settings(max_examples=60, deadline=None)
@given(*[st.floats(-3, 3).filter(lambda x: abs(x) > 1e-3)] * 4)
def test_branches_loops_and_helpers(x, y, u, w):
    """The third derivative of arctan2 is a sum of terms of the size (rate / argument)^3, which cancel: at small
    arguments both sums are exact to some fifty roundings of these."""
    largest = (max(abs(u), abs(w)) / min(abs(x), abs(y))) ** 3
    agrees(branching, 2, (), 1, (x, y), (u, w), rel=1e-10, absolute=1e-10 + 1e-14 * largest)


def test_value_derivatives_and_parameters():
    f = compile_function(parabola, 2, parameters=(1.5,))
    status, ((v, d, c, e, g_x, g_y),) = f.evaluate((2.0, 7.0), rates=(3.0, 5.0))
    assert status == 0
    assert (v, g_x, g_y) == (7 - 1.5 * 4, -2 * 1.5 * 2, 1.0)
    assert (d, c, e) == (-6 * 3 + 5, -2 * 1.5 * 9, 0.0)
    other = compile_function(parabola, 2, parameters=(4.0,))
    assert other.evaluate((2.0, 7.0))[1][0, 0] == 7 - 4 * 4
    assert f.evaluate((2.0, 7.0), parameters=(4.0,))[1][0, 0] == 7 - 4 * 4
    assert not COMPILED or other.address == f.address  # another parameter compiles nothing


def test_one_argument_gives_ordinary_derivatives():
    _, ((v, d, c, e, g),) = compile_function(math.sin, 1).evaluate((0.4,))
    s, k = math.sin(0.4), math.cos(0.4)
    assert [v, d, c, e, g] == pytest.approx([s, k, -s, -k, k], rel=1e-15)


def test_no_arguments_and_constant_results():
    assert compile_function(lambda: 4.0, 0).evaluate(())[1].tolist() == [[4.0, 0, 0, 0]]
    assert compile_function(lambda x: 3, 1).evaluate((1.0,))[1].tolist() == [[3.0, 0, 0, 0, 0]]


def test_twenty_arguments():
    def total(*x):
        return sum(x)

    def explicit(a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s, t, u):
        return a * u + b + c + d + e + f + g + h + i + j + k + m + n + o + p + q + r + s + t

    _, (row,) = compile_function(explicit, 20).evaluate(np.arange(20.0), np.ones(20))
    assert row[0] == sum(range(1, 19))
    assert row[4:].tolist() == [19.0] + [1.0] * 18 + [0.0]
    with pytest.raises(ModelError, match="21 arguments"):
        compile_function(total, 21)


def raising(x):
    if x > 0:
        raise ValueError("x must not be positive")
    return 1 / x


def test_status_tells_exceptions_and_numbers_that_are_not_finite():
    f = compile_function(raising, 1)
    assert [f.evaluate((x,))[0] for x in (-2.0, 0.0, 2.0)] == [0, 1, 2]
    assert "raises ValueError at (2): x must not be positive" in f.failure((2.0,))
    root = compile_function(math.sqrt, 1)
    assert root.evaluate((0.0,))[0] == 1 and root.evaluate((-1.0,))[0] == 1 and root.evaluate((1.0,))[0] == 0
    assert "no finite derivative at (0)" in root.failure((0.0,))
    smooth_enough = compile_function(lambda t: t**2.5, 1)  # only its third derivative is infinite
    assert smooth_enough.evaluate((0.0,))[0] == 0


@pytest.mark.parametrize("name", ["log", "sqrt", "asin", "acosh", "atanh"])
def test_outside_the_domain_compiled_and_interpreted_alike(name):
    function = getattr(math, name)
    assert compile_function(function, 1).evaluate((-3.0,))[0] == 1
    assert jet_runner(function, 1, 0, 1)([-3.0], [1.0], np.zeros(5)) == 1


def recursive(x, n):
    return x if n <= 1 else x * recursive(x, n - 1)


def test_a_function_that_calls_itself():
    _, (row,) = compile_function(recursive, 1, parameters=(3,)).evaluate((2.0,))
    assert row.tolist() == [8.0, 12.0, 12.0, 6.0, 12.0]


def test_closures_are_part_of_the_function():
    def scaled(k):
        def inner(x):
            return k * x

        return inner

    two, three = (compile_function(scaled(k), 1) for k in (2.0, 3.0))
    assert two.evaluate((1.0,))[1][0, 0] == 2 and three.evaluate((1.0,))[1][0, 0] == 3
    assert fingerprint(scaled(2.0)) == fingerprint(scaled(2.0)) != fingerprint(scaled(3.0))


class Opaque:
    """A callable of whose state nothing is known."""

    k = 2.0

    def __call__(self, x):
        return self.k * math.sin(x)


def test_what_cannot_be_fingerprinted_is_not_cached():
    table = {"a": 1.0}
    assert fingerprint(lambda x: x * table["a"]) is None
    assert fingerprint(Opaque()) is None


def uses_an_array(x, y):
    return np.dot(np.array([x, y]), np.array([x, 2.0]))


@only_compiled
def test_what_numba_rejects_is_interpreted_with_a_warning():
    with pytest.warns(CardanWarning, match="'uses_an_array' runs in the Python interpreter.*array"):
        f = compile_function(uses_an_array, 2)
    assert not f.compiled
    assert f.evaluate((3.0, 4.0), (1.0, 1.0)) == (0, pytest.approx(np.array([[17.0, 8.0, 2.0, 0.0, 6.0, 2.0]])))


def test_what_jets_cannot_follow_is_rejected():
    def rounds(x):
        return int(x) * x

    with pytest.raises(ModelError, match="'rounds' cannot be differentiated.*int"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile_function(rounds, 1)
    stepwise = compile_function(rounds, 1, derivatives="differences")
    _, (row,) = stepwise.evaluate((2.5,))
    assert row[:3] == pytest.approx([5.0, 2.0, 0.0], abs=1e-6)


def test_differences_are_close_and_say_no_more():
    f = compile_function(lambda x, y: math.exp(x) * math.sin(y), 2, derivatives="differences")
    exact = compile_function(lambda x, y: math.exp(x) * math.sin(y), 2)
    _, (row,) = f.evaluate((0.3, 0.8), (0.5, -2.0))
    _, (true,) = exact.evaluate((0.3, 0.8), (0.5, -2.0))
    error = np.abs(row - true)
    assert error[0] == 0
    assert error[1] < 1e-10 and error[4:].max() < 1e-10  # h^4 and eps / h at h = 8e-4
    assert error[2] < 1e-6 and error[3] < 1e-4  # eps / h^2 at 1.2e-4 and h^2, eps / h^3 at 7e-4


@folded(
    ("wrong", "says"),
    [
        ({"function": 3.0, "arguments": 1}, "not a function"),
        ({"function": parabola, "arguments": 1}, "cannot be called with 1 arguments"),
        ({"function": parabola, "arguments": 2, "parameters": (math.nan,)}, "Parameter 1 .* nan"),
        ({"function": parabola, "arguments": 3, "outputs": 0}, "0 outputs"),
        ({"function": parabola, "arguments": 3, "derivatives": "guessed"}, "guessed"),
        ({"function": lambda x: (x, x), "arguments": 1}, "2 results where 1"),
    ],
)
def test_wrong_input(wrong, says):
    with pytest.raises(ModelError, match=says):
        compile_function(**wrong)
    with pytest.raises(ModelError, match="takes 2 arguments"):
        compile_function(parabola, 2, (1.0,)).evaluate((1.0,))


@kernel
def evaluate_all(addresses, z, zdot, out):
    """Every function on its own slice of three arguments; the sum of the statuses."""
    failures = 0
    for i in range(addresses.size):
        failures += call_address(addresses[i], z[3 * i : 3 * i + 3], zdot[i], out[i])
    return failures


def test_a_table_of_mixed_functions():
    def interpreted(x, y, c):
        return np.array([x]).item() * y + c

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CardanWarning)
        functions = [compile_function(f, 2, (1.5,)) for f in (parabola, interpreted)]
    functions.append(compile_function(parabola, 2, (1.5,), derivatives="differences"))
    addresses = np.array([f.address for f in functions], dtype=np.uint64)
    z = np.array([2.0, 7.0, 1.5] * 3)
    zdot, out = np.ones((3, 2)), np.zeros((3, 6))
    assert evaluate_all(addresses, z, zdot, out) == 0
    assert out[0].tolist() == [1.0, -5.0, -3.0, 0.0, -6.0, 1.0]
    assert out[1].tolist() == [15.5, 9.0, 2.0, 0.0, 7.0, 2.0]
    assert out[2] == pytest.approx(out[0], abs=1e-4)
    assert [f.compiled for f in functions] == [COMPILED, False, False]


# Processes: what one has compiled the next one finds, and nothing that has changed.

SCRIPT = """
import math
import numpy as np
from cardan.numerics.functions.function import call_address, compile_function
from cardan.numerics.compiled.jit import kernel
{lines}

def constraint(x, y):
    return helper(x) - y

if __name__ == "__main__":
    f = compile_function(constraint, 2)
    _, (row,) = f.evaluate((1.0, 0.0))
    print(f.cache_hit, row[0], row[4])
    from loops import walk
    g = compile_function(lambda x, y: x + y, 2)  # its address is valid as long as it lives
    addresses = np.array([f.address, g.address], dtype=np.uint64)
    out = np.zeros((2, 6))
    status = walk(addresses, np.ones((2, 2)), np.ones((2, 2)), out)
    print(status, sum(walk.dispatcher.stats.cache_hits.values()), out[1, 0])
"""

LOOP = """
from cardan.numerics.functions.function import call_address
from cardan.numerics.compiled.jit import kernel

@kernel
def walk(addresses, z, zdot, out):
    failures = 0
    for i in range(addresses.size):
        failures += call_address(addresses[i], z[i], zdot[i], out[i])
    return failures
"""


def run_script(folder: Path, lines: str, **variables: str) -> list[list[str]]:
    (folder / "loops.py").write_text(LOOP)
    script = folder / "script.py"
    script.write_text(SCRIPT.format(lines=textwrap.dedent(lines)))
    environment = {**os.environ, "CARDAN_CACHE": str(folder / "cache"), "PYTHONPATH": SOURCES, **variables}
    run = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return [line.split() for line in run.stdout.splitlines()]


@only_compiled
def test_the_cache_across_processes(tmp_path):
    first = "def helper(x):\n    return 2.0 * x"
    assert run_script(tmp_path, first) == [["False", "2.0", "2.0"], ["0", "0", "2.0"]]
    assert run_script(tmp_path, first) == [["True", "2.0", "2.0"], ["0", "1", "2.0"]]
    edited = "def helper(x):\n    return 3.0 * x"  # the helper, not the function itself: the loop still hits
    assert run_script(tmp_path, edited) == [["False", "3.0", "3.0"], ["0", "1", "2.0"]]
    deeper = "K = 3.0\ndef inner(x):\n    return K * x\ndef helper(x):\n    return inner(x)"
    assert run_script(tmp_path, deeper)[0] == ["False", "3.0", "3.0"]
    assert run_script(tmp_path, deeper.replace("K = 3.0", "K = 4.0"))[0] == ["False", "4.0", "4.0"]


def test_helpers_in_modules_of_the_user(tmp_path, monkeypatch):
    """A function reached through its module is followed as well."""
    (tmp_path / "cardan_test_helpers.py").write_text("import math\ndef wave(x):\n    return math.sin(2 * x)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import cardan_test_helpers as helpers

    def use(x):
        return helpers.wave(x) + x

    f = compile_function(use, 1)
    assert f.compiled == COMPILED
    assert f.evaluate((0.3,))[1][0, :2] == pytest.approx([math.sin(0.6) + 0.3, 2 * math.cos(0.6) + 1], rel=1e-15)
    before = fingerprint(use)
    helpers.wave = lambda x: x
    assert fingerprint(use) != before


def test_without_compilation(tmp_path):
    """The same script under the interpreter: the same numbers."""
    lines = "def helper(x):\n    return 2.0 * math.sin(x) / math.sin(1.0)"
    script = SCRIPT.replace("sum(walk.dispatcher.stats.cache_hits.values())", "0")
    (tmp_path / "loops.py").write_text(LOOP)
    (tmp_path / "script.py").write_text(script.format(lines=lines))
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "CARDAN_CACHE": str(tmp_path), "PYTHONPATH": SOURCES}
    run = subprocess.run(
        [sys.executable, str(tmp_path / "script.py")], env=environment, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    hit, value, slope = run.stdout.splitlines()[0].split()
    assert (hit, float(value)) == ("False", 2.0)
    assert float(slope) == pytest.approx(2.0 / math.tan(1.0), rel=1e-15)
    assert run.stdout.splitlines()[1] == "0 0 2.0"


@only_compiled
def test_a_damaged_cache_is_compiled_again(tmp_path):
    lines = "def helper(x):\n    return 2.0 * x"
    run_script(tmp_path, lines)
    damaged = list((tmp_path / "cache").glob("*/functions/*.nbc"))
    assert damaged
    for path in damaged:
        path.write_bytes(path.read_bytes()[:100])
    assert run_script(tmp_path, lines)[0] == ["False", "2.0", "2.0"]


def of_all_kinds(x):
    if math.isnan(x) or not np.isfinite(x):
        return 0.0
    return x


@only_compiled
def test_callables_that_are_not_functions():
    """Objects, methods and partial applications work, interpreted."""
    for callable_ in (Opaque(), Opaque().__call__):
        with pytest.warns(CardanWarning, match="interpreter"):
            f = compile_function(callable_, 1)
        assert f.evaluate((0.4,))[1][0, :2] == pytest.approx([2 * math.sin(0.4), 2 * math.cos(0.4)], rel=1e-15)


def test_questions_about_a_value():
    f = compile_function(of_all_kinds, 1)
    assert f.compiled == COMPILED
    assert f.evaluate((2.0,))[1].tolist() == [[2.0, 1.0, 0.0, 0.0, 1.0]]
    assert f.evaluate((math.nan,))[1].tolist() == [[0.0] * 5]
    assert f.evaluate((math.inf,))[1].tolist() == [[0.0] * 5]


def test_a_rule_that_is_missing_is_named():
    with pytest.raises(ModelError, match="'log' of 2 arguments"):
        compile_function(lambda x: math.log(x, 2.0), 1)
