"""Motions: closed forms, exact derivatives, the kernel against the plain Python, and what is rejected."""

import math

import numpy as np
import pytest

from cardan.errors import ModelError, SimulationError
from cardan.model.curves.motion import (
    Constant,
    Function,
    Harmonic,
    Motion,
    MotionSum,
    Polynomial,
    Ramp,
    Spline,
    Step,
    as_motion,
)
from cardan.numerics.curves.motions import motion, motion_table
from cardan.numerics.curves.spline import NOT_FINITE, OUTSIDE
from folding import folded

pytestmark = pytest.mark.usefixtures("kernels_called_directly")


def damped(t):
    return math.exp(-t) * math.sin(3.0 * t)


TIMES, VALUES = (0.0, 0.5, 1.25, 2.0), (0.1, 0.7, -0.2, 0.1)
CATALOGUE = [
    Constant(2.5),
    Ramp(3.0, start=-1.0),
    Polynomial(1.0, -2.0, 0.5, 0.25),
    Harmonic(0.3, 5.0, phase=0.4, offset=1.0),
    Step(0.2, 1.7, from_value=-1.0, to_value=2.0),
    Step(0.2, 1.7, to_value=0.3, order=7),
    Spline(TIMES, VALUES),
    Spline(TIMES, VALUES, end="clamped", rates=(1.0, -1.0)),
    Spline(TIMES, VALUES, end="periodic"),
    Spline(TIMES, VALUES, end="not-a-knot"),
    Function(damped),
    0.5 + 2.0 * Harmonic(1.0, 2.0) - Step(0.0, 1.0),
]


def compiled(given: Motion, times) -> np.ndarray:
    """Value, rate and acceleration as the compiled loop finds them."""
    terms, out = given.terms(), np.empty(3)
    table = motion_table(terms)
    result = np.zeros((3, len(times)))
    for i, t in enumerate(times):
        for k in range(len(table.kind)):
            assert motion(table, k, t, out) == 0
            result[:, i] += out
    return result


@pytest.mark.parametrize("given", CATALOGUE, ids=repr)
def test_kernel_equals_plain_python(given):
    times = np.linspace(-1.0, 5.0, 61)
    # cancellation in a step of order 7 near its end: 1e-16 times the largest term of its acceleration, about 1e3
    np.testing.assert_allclose(compiled(given, times), given.derivatives(times), rtol=1e-12, atol=2e-12)


@pytest.mark.parametrize("given", CATALOGUE, ids=repr)
def test_rate_and_acceleration_are_derivatives(given):
    times = np.linspace(0.03, 1.93, 23)  # no knot within 2 h of these
    h = 1e-3
    _, rate, acceleration = given.derivatives(times)
    for level, wanted in ((0, rate), (1, acceleration)):
        f = [given.derivatives(times + i * h)[level] for i in (-2, -1, 1, 2)]
        difference = (f[0] - 8.0 * f[1] + 8.0 * f[2] - f[3]) / (12.0 * h)
        # fourth order: h^4 / 30 times the fifth derivative, at most 3e4 here, and rounding 1e-16 / h
        np.testing.assert_allclose(difference, wanted, atol=2e-9)


def test_closed_forms():
    assert Constant(2).derivatives(7.0) == (2.0, 0.0, 0.0)
    assert Ramp(10.0, start=1.0).derivatives(0.5) == (6.0, 10.0, 0.0)
    assert Polynomial(1, 2, 3, 4).derivatives(2.0) == (49.0, 62.0, 54.0)
    value, rate, acceleration = Harmonic(2.0, 3.0, phase=math.pi / 6, offset=1.0).derivatives(0.0)
    np.testing.assert_allclose((value, rate, acceleration), (2.0, 3.0 * math.sqrt(3.0), -9.0), rtol=1e-15)
    t = 0.7
    value, rate, acceleration = Function(damped).derivatives(t)
    e, s, c = math.exp(-t), math.sin(3 * t), math.cos(3 * t)
    np.testing.assert_allclose((value, rate, acceleration), (e * s, e * (3 * c - s), e * (-8 * s - 6 * c)), rtol=1e-14)


@pytest.mark.parametrize(("order", "steepest"), [(5, 15 / 8), (7, 35 / 16)])
def test_step_rests_rises_and_rests(order, steepest):
    step = Step(1.0, 3.0, from_value=0.1, to_value=0.7, order=order)
    value, rate, acceleration = step.derivatives([-5.0, 1.0, 2.0, 3.0, 50.0])
    np.testing.assert_allclose(value, [0.1, 0.1, 0.4, 0.7, 0.7], rtol=1e-15)
    np.testing.assert_array_equal(rate[[0, 1, 3, 4]], 0.0)  # exactly: a driver that rests does no power
    np.testing.assert_array_equal(acceleration[[0, 1, 3, 4]], 0.0)
    # the rate in the middle is that of the polynomial, d(rise)/ds at s = 1/2, over the duration
    np.testing.assert_allclose((rate[2], acceleration[2]), (steepest * 0.6 / 2.0, 0.0), atol=1e-14)


def test_spline_goes_on_at_the_rate_of_its_end():
    clamped = Spline(TIMES, VALUES, end="clamped")
    value, rate, acceleration = clamped.derivatives([-3.0, 9.0])
    np.testing.assert_allclose(value, [VALUES[0], VALUES[-1]], atol=1e-14)
    np.testing.assert_allclose(rate, 0.0, atol=1e-14)
    np.testing.assert_array_equal(acceleration, 0.0)
    natural = Spline(TIMES, VALUES)
    _, slope, _ = natural.derivatives(2.0)
    assert natural(3.0) == pytest.approx(VALUES[-1] + slope)


def test_spline_may_reject_to_go_on():
    strict = Spline(TIMES, VALUES, outside="refuse")
    assert strict(2.0) == pytest.approx(VALUES[-1])
    with pytest.raises(SimulationError, match="from 0 s to 2 s cannot be evaluated at 2.5 s"):
        strict([1.0, 2.5])
    assert motion(motion_table(strict.terms()), 0, 2.5, np.empty(3)) == OUTSIDE


def test_arithmetic():
    a, b = Harmonic(1.0, 2.0), Ramp(3.0)
    t = np.linspace(0.0, 1.0, 5)
    np.testing.assert_allclose((a + b)(t), a(t) + b(t))
    np.testing.assert_allclose((1.5 - a)(t), 1.5 - a(t))
    np.testing.assert_allclose((np.float64(2.0) * -a + np.float64(1.0))(t), 1.0 - 2.0 * a(t))
    np.testing.assert_allclose((3.0 * (a + b) * -0.5).derivatives(t), -1.5 * np.array((a + b).derivatives(t)))
    assert len((a + b + 1.0).terms()) == 3
    assert a + b + 1.0 == MotionSum((a, b, Constant(1.0)))


def test_equal_by_value():
    assert Ramp(1) == Ramp(1.0, start=0) != Ramp(1.0, start=0.1)
    assert Polynomial(1, 2) == Polynomial(1.0, 2.0)
    assert eval(repr(Polynomial(1, 2))) == Polynomial(1, 2)
    assert Spline([0, 1], [0, 2]) == Spline(np.array([0.0, 1.0]), (0.0, 2.0))
    assert hash(2 * Ramp(1)) == hash(2.0 * Ramp(1))


def test_numbers_and_functions_become_motions():
    assert as_motion(3) == Constant(3.0)
    assert as_motion(np.float64(3.0)) == Constant(3.0)
    assert as_motion(damped) == Function(damped)
    ramp = Ramp(1.0)
    assert as_motion(ramp) is ramp


def test_shapes_follow_the_times():
    for given in CATALOGUE:
        assert np.ndim(given(0.3)) == 0
        assert all(part.shape == (2, 3) for part in given.derivatives(np.full((2, 3), 0.3)))


def test_no_silent_nan():
    with pytest.raises(ModelError, match="not finite: nan"):
        Ramp(1.0)(float("nan"))
    inverse = Function(lambda t: 1.0 / (t - 1.0))
    with pytest.raises(SimulationError, match="at .1.: "):
        inverse.derivatives([0.0, 1.0])
    assert motion(motion_table(Ramp(1.0).terms()), 0, math.nan, np.empty(3)) == NOT_FINITE


REFUSED_INPUT = [
    (lambda: Constant(math.nan), "value of a Constant must be finite, got nan"),
    (lambda: Constant("3"), "value of a Constant must be a number, got '3'"),
    (lambda: Ramp(math.inf), "rate of a Ramp must be finite, got inf"),
    (lambda: Polynomial(), "coefficients of a Polynomial must be at least 1 numbers, got 0"),
    (lambda: Polynomial([1, 2]), r"one by one, got \[1, 2\]"),
    (lambda: Harmonic(1.0, None), "frequency of a Harmonic must be a number, got None"),
    (lambda: Step(1.0, 1.0), "must end after it starts, got 1 s to 1 s"),
    (lambda: Step(0.0, 1.0, order=4), "order of a Step must be 5 or 7, got 4"),
    (lambda: Spline([], []), "times of a Spline must be at least 2 numbers, got 0"),
    (lambda: Spline([0, 1, 1], [0, 1, 2]), "must increase, got 1 s before 1 s"),
    (lambda: Spline([0, 1], [0, 1, 2]), "got 2 times and 3 values"),
    (lambda: Spline([0, 1], [0, math.nan]), "values of a Spline must be finite, got nan"),
    (lambda: Spline([0, 1, 2], [0, 1, 2], end="not-a-knot"), "needs at least 4 points, got 3"),
    (lambda: Spline([0, 1, 2, 3], [0, 1, 2, 3], end="periodic"), "differ by 3"),
    (lambda: Spline([0, 1], [0, 1], end="free"), "end of a Spline must be 'natural', .* got 'free'"),
    (lambda: Spline([0, 1], [0, 1], rates=(0, 0)), "end='clamped', not to end='natural'"),
    (lambda: Spline([0, 1], [0, 1], outside="zero"), "'extend' or 'refuse', got 'zero'"),
    (lambda: Spline("ab", [0, 1]), "sequence of numbers, got 'ab'"),
    (lambda: Function(3.0), "Python function of time, got float 3.0"),
    (lambda: Function(lambda t, x: t), "must take one argument, the time"),
    (lambda: as_motion("fast"), "must be a motion, a number or a function of time, got str 'fast'"),
    (lambda: as_motion(True), "got bool True"),
    (lambda: Ramp(1.0) * math.nan, "factor of a motion must be finite, got nan"),
    (lambda: Ramp(1.0) + None, "a term added to a motion must be a motion"),
]


@folded(("make", "sentence"), REFUSED_INPUT, ids=[sentence for _, sentence in REFUSED_INPUT])
def test_wrong_input_is_rejected_in_one_sentence(make, sentence):
    with pytest.raises(ModelError, match=sentence):
        make()
