"""Splines: what defines each of them, continuity at the breaks, and the kernel against its twin in NumPy."""

import math
import subprocess
import sys

import numpy as np
import pytest

from cardan.numerics.curves.spline import (
    ENDS,
    OUTSIDE,
    REFUSED,
    Pieces,
    evaluate,
    hermite,
    level_spline,
    pack,
    piecewise,
    spline,
    unpack,
)

X = np.array([0.0, 0.4, 1.1, 1.5, 2.3, 3.0, 3.2])
Y = np.array([0.2, 1.0, -0.3, 0.1, 0.9, 0.4, 0.2])  # first = last: also good for a periodic spline
CASES = [(3, end) for end in ENDS] + [(5, "periodic"), (5, "not-a-knot")]


def jumps(pieces: Pieces, order: int) -> np.ndarray:
    """Jumps of a derivative at the inner breaks, from the coefficients."""
    width = np.diff(pieces.breaks)
    powers = range(order, pieces.coefficients.shape[2])
    factor = np.array([math.perm(k, order) for k in powers])
    right_end = pieces.coefficients[:, 0, order:] @ factor / width**order
    left_end = pieces.coefficients[:, 0, order] * math.factorial(order) / width**order
    return left_end[1:] - right_end[:-1]


@pytest.mark.parametrize(("degree", "end"), CASES)
def test_passes_through_the_points_with_continuous_derivatives(degree, end):
    pieces = spline(X, Y, degree, end)
    np.testing.assert_allclose(evaluate(pieces, X)[0, 0], Y, atol=1e-14)
    for order in range(degree):  # a spline of degree n has n - 1 continuous derivatives; sizes grow to about 1e4
        np.testing.assert_allclose(jumps(pieces, order), 0.0, atol=1e-9)
    assert np.abs(jumps(pieces, degree)).max() > 1.0


def test_end_conditions():
    first, last = X[0], X[-1]
    natural = spline(X, Y)
    np.testing.assert_allclose(evaluate(natural, [first, last])[2, 0], 0.0, atol=1e-12)
    clamped = spline(X, Y, end="clamped", rates=(2.0, -3.0))
    np.testing.assert_allclose(evaluate(clamped, [first, last])[1, 0], (2.0, -3.0), atol=1e-13)
    not_a_knot = spline(X, Y, end="not-a-knot")
    np.testing.assert_allclose(jumps(not_a_knot, 3)[[0, -1]], 0.0, atol=1e-10)


@pytest.mark.parametrize("degree", [3, 5])
def test_polynomials_of_its_degree_are_reproduced(degree):
    coefficients = np.arange(1.0, degree + 2.0)
    exact = np.polynomial.Polynomial(coefficients)
    t = np.linspace(X[0], X[-1], 50)
    found = evaluate(spline(X, exact(X), degree, "not-a-knot"), t)[:, 0]
    for order in range(4):
        wanted = exact.deriv(order)(t)
        np.testing.assert_allclose(found[order], wanted, atol=1e-10 * np.abs(wanted).max())


@pytest.mark.parametrize("degree", [3, 5])
def test_periodic_spline_repeats_itself(degree):
    pieces = spline(X, Y, degree, "periodic")
    t = np.linspace(0.05, 3.15, 37)
    here = evaluate(pieces, t)
    for turns in (-3, 1, 1000):
        # t + 3200 keeps 4e-13 of t, and the third derivative is about 1e3 per unit of t
        np.testing.assert_allclose(evaluate(pieces, t + turns * 3.2)[:3], here[:3], atol=1e-8)
    low, high = evaluate(pieces, [1e-12, 3.2 - 1e-12])[:degree, 0].T
    np.testing.assert_allclose(low, high, atol=1e-8)


@pytest.mark.parametrize(("degree", "end"), CASES)
def test_kernel_equals_twin_inside_and_outside(degree, end):
    two = np.column_stack([Y, np.roll(Y[:-1], 2).tolist() + [Y[4]]])
    pieces = spline(X, two, degree, end)
    data = np.array([99.0, *pack(pieces)])
    times = np.concatenate([X, np.linspace(-4.0, 8.0, 101)])
    found = np.empty((len(times), 8))
    for i, t in enumerate(times):
        assert piecewise(data, 1, t, found[i], 0) == 0
    wanted = evaluate(pieces, times).transpose(2, 1, 0).reshape(-1, 8)
    np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-10)


def test_outside_goes_on_along_the_tangent():
    pieces = spline(X, Y, end="not-a-knot")
    end, beyond = evaluate(pieces, [X[-1], X[-1] + 2.0])[:, 0].T
    np.testing.assert_allclose(beyond, [end[0] + 2.0 * end[1], end[1], 0.0, 0.0], rtol=1e-14)


def test_rejected_outside_reports_a_status_but_forgives_rounding():
    data = np.array(pack(spline(X, Y)._replace(outside=REFUSED)))
    out = np.empty(4)
    assert piecewise(data, 0, X[-1] + 0.01, out, 0) == OUTSIDE
    assert piecewise(data, 0, -0.01, out, 0) == OUTSIDE
    assert piecewise(data, 0, np.nextafter(X[-1], 9.0), out, 0) == 0
    assert out[0] == pytest.approx(Y[-1], abs=1e-14)


def test_scipy_is_imported_only_when_a_spline_is_made():
    code = "import sys; from cardan.model.curves import motion, profile; sys.exit('scipy.interpolate' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_level_spline_never_leaves_the_range_of_its_points():
    """Between two points it lies between them, whatever their distances; two derivatives are continuous."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        x = np.cumsum(rng.uniform(0.01, 10.0, 12) ** 2)
        y = rng.integers(-3, 4, 12).astype(float) ** 3
        pieces = level_spline(x, y)
        assert evaluate(pieces, x)[0, 0] == pytest.approx(y, abs=1e-12)
        for k in range(len(x) - 1):
            inside = evaluate(pieces, np.linspace(x[k], x[k + 1], 200))[0, 0]
            low, high = sorted((y[k], y[k + 1]))
            assert low - 1e-12 <= inside.min() and inside.max() <= high + 1e-12
        scale = np.abs(np.diff(y)).max() / np.diff(x).min()
        assert np.abs(jumps(pieces, 1)).max() < 1e-12 * scale
        assert np.abs(jumps(pieces, 2)).max() < 1e-11 * scale / np.diff(x).min()


def test_hermite_has_the_stated_values_and_packs():
    """A polynomial of fifth degree is reproduced; a packed curve, with numbers behind it, is the same curve."""
    polynomial = np.polynomial.Polynomial([0.3, -1.0, 0.5, 2.0, -0.7, 0.2])
    jets = np.stack([polynomial(X), polynomial.deriv()(X), polynomial.deriv(2)(X)], axis=1)
    pieces = hermite(X, jets)
    places = np.linspace(X[0], X[-1], 50)
    assert evaluate(pieces, places)[0, 0] == pytest.approx(polynomial(places), abs=1e-12)
    back = unpack((*pack(pieces), 7.0, 8.0))
    assert np.array_equal(back.breaks, pieces.breaks) and np.array_equal(back.coefficients, pieces.coefficients)
