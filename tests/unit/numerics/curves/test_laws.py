"""Laws of motion: closed forms, and the coefficients of velocity, acceleration and jerk that handbooks print."""

import math

import numpy as np
import pytest

from cardan.numerics.curves.laws import LAWS, law_coefficients, rise
from cardan.numerics.curves.spline import evaluate
from folding import folded

PI = math.pi
# Closed forms; Norton, Cam Design and Manufacturing Handbook, table 3-2, and Rothbart, Cams, print them rounded:
# 3-4-5: 1.875, 5.77, 60; 4-5-6-7: 2.19, 7.51, 52.5; cycloidal: 2, 6.28, 39.5; modified sine: 1.76, 5.53, 69.5;
# modified trapezoid: 2, 4.89, 61.4; harmonic: 1.57, 4.93; double harmonic: 2.04, 9.87; parabolic: 2, 4.
COEFFICIENTS = {
    "3-4-5": (15 / 8, 10 / math.sqrt(3), 60.0),
    "4-5-6-7": (35 / 16, 84 * math.sqrt(5) / 25, 52.5),
    "cycloidal": (2.0, 2 * PI, 4 * PI**2),
    "harmonic": (PI / 2, PI**2 / 2, math.inf),
    "double-harmonic": (PI / 2 * math.sqrt(3) * 3 / 4, PI**2, math.inf),  # sin z - sin 2z / 2, largest at z = 2 pi / 3
    "parabolic": (2.0, 4.0, math.inf),
    "modified-trapezoid": (2.0, 8 * PI / (2 + PI), 32 * PI**2 / (2 + PI)),
    "modified-sine": (4 * PI / (4 + PI), 4 * PI**2 / (4 + PI), 16 * PI**3 / (4 + PI)),
}


@folded("law", LAWS)
def test_coefficients(law):
    # maxima are found on a grid and refined: 1e-9 of the value; those at ends are exact to rounding
    np.testing.assert_allclose(law_coefficients(law), COEFFICIENTS[law], rtol=1e-9)


@folded("law", LAWS)
def test_rises_from_0_to_1_at_zero_rate(law):
    value, rate, _, _ = evaluate(rise(law).pieces, np.array([0.0, 1.0]))[:, 0]
    np.testing.assert_allclose(value, [0.0, 1.0], atol=2e-15)
    np.testing.assert_allclose(rate, 0.0, atol=5e-15)


def test_closed_forms():
    """Cycloidal and harmonic laws and three derivatives, to rounding of 1e-16 times (2 pi)^3."""
    x = np.linspace(0.0, 1.0, 997)
    z = 2.0 * PI * x
    found = evaluate(rise("cycloidal").pieces, x)[:, 0]
    wanted = [x - np.sin(z) / (2 * PI), 1.0 - np.cos(z), 2 * PI * np.sin(z), 4 * PI**2 * np.cos(z)]
    np.testing.assert_allclose(found, wanted, atol=1e-13)
    found = evaluate(rise("harmonic").pieces, x)[:2, 0]
    np.testing.assert_allclose(found, [0.5 - 0.5 * np.cos(z / 2), PI / 2 * np.sin(z / 2)], atol=1e-14)
    found = evaluate(rise("double-harmonic").pieces, x)[0, 0]  # Rothbart: h/2 [(1 - cos) - (1 - cos 2) / 4]
    np.testing.assert_allclose(found, 0.5 * ((1 - np.cos(z / 2)) - 0.25 * (1 - np.cos(z))), atol=1e-14)


@folded("law", LAWS)
def test_value_rate_and_acceleration_are_continuous_inside(law):
    """At all breaks of the pieces but the ends and the middle of the parabolic law."""
    breaks = rise(law).pieces.breaks[1:-1]
    before, after = (evaluate(rise(law).pieces, breaks + shift)[:3, 0] for shift in (-1e-12, 1e-12))
    np.testing.assert_allclose(after[:2], before[:2], atol=1e-10)  # 2e-12 times the acceleration
    if law != "parabolic":
        np.testing.assert_allclose(after[2], before[2], atol=1e-9)


@folded("law", LAWS)
def test_backward_is_the_mirror_image(law):
    x = np.linspace(0.0, 1.0, 101)[1:-1]
    forward, backward = rise(law).pieces, rise(law, backward=True).pieces
    x = x[np.abs(x - 0.5) > 1e-6]  # where the parabolic law jumps
    value, rate, acceleration, _ = evaluate(backward, x)[:, 0]
    mirrored = evaluate(forward, 1.0 - x)[:, 0]
    np.testing.assert_allclose(value, 1.0 - mirrored[0], atol=1e-14)
    np.testing.assert_allclose(rate, mirrored[1], atol=1e-13)
    np.testing.assert_allclose(acceleration, -mirrored[2], atol=1e-12)


def test_parts_are_known():
    assert rise("modified-trapezoid").edges == (0.0, 0.125, 0.375, 0.625, 0.875, 1.0)
    assert rise("3-4-5").edges == (0.0, 1.0)
    assert pytest.approx(1.0) == rise("modified-sine").pieces.breaks[-1]
