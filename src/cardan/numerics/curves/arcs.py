"""Coefficients of the arc, in space the helix, through two poses: see `cardan.elements.rods.beam`.

    c(s) = (1 - (x/2) cot(x/2)) / s,    s = x^2,    x the rotation from one end to the other

c is analytic in s up to a full turn. With g = 1 - s c the cotangent satisfies g_s = (g - g^2) / 2 s - 1/8, hence

    s c_s  = 1/8 - 3/2 c + s c^2 / 2              s c_ss = c^2 / 2 - 5/2 c_s + s c c_s

For small s, where these differences cancel, the series has the coefficients |B_2k| / (2 k)!, B the Bernoulli numbers.
"""

from __future__ import annotations

import math

from cardan.numerics.compiled.jit import kernel

SERIES_LENGTH = 0.25  # s up to which the series are used: their error and that of the differences are below 1e-12 there
LARGEST_BEND = math.radians(150.0)  # largest rotation from one end to the other: see `bent_too_far`
BENT = 1_000_000  # status of the compiled pass: BENT + the measure whose ends are rotated farther


@kernel(internal=True)
def inverse_coefficient(s):
    """c."""
    if s < SERIES_LENGTH:
        series = 1.0 / 47900160.0 + s * (5.284190138687493e-10 + s * 1.3382536530684679e-11)
        return 1.0 / 12.0 + s * (1.0 / 720.0 + s * (1.0 / 30240.0 + s * (1.0 / 1209600.0 + s * series)))
    half = 0.5 * math.sqrt(s)
    return (1.0 - half / math.tan(half)) / s


@kernel(internal=True)
def arc_coefficients(s):
    """c, c_s and c_ss."""
    c = inverse_coefficient(s)
    if s < SERIES_LENGTH:
        high = 5.0 * 5.284190138687493e-10 + s * (6.0 * 1.3382536530684679e-11 + s * 7.0 * 3.3896802963225827e-13)
        first = 1.0 / 720.0 + s * (1.0 / 15120.0 + s * (1.0 / 403200.0 + s * (1.0 / 11975040.0 + s * high)))
        high = 30.0 * 1.3382536530684679e-11 + s * (42.0 * 3.3896802963225827e-13 + s * 56.0 * 8.586062056277845e-15)
        high = 20.0 * 5.284190138687493e-10 + s * high
        second = 1.0 / 15120.0 + s * (1.0 / 201600.0 + s * (1.0 / 3991680.0 + s * high))
        return c, first, second
    first = (0.125 - 1.5 * c) / s + 0.5 * c * c
    return c, first, (0.5 * c * c - 2.5 * first) / s + c * first


@kernel(internal=True, inline=True)
def bent_too_far(s):
    """Whether the ends are rotated farther relative to each other than an element can be: in space a rotation vector
    jumps at half a turn, and a coarse element is inaccurate long before."""
    return s > LARGEST_BEND * LARGEST_BEND


@kernel(internal=True)
def versine_coefficient(s):
    """b1 = (1 - cos theta) / theta^2 as a function of theta^2."""
    if s < SERIES_LENGTH:
        high = 1.0 / 3628800.0 - s * (1.0 / 479001600.0 - s / 87178291200.0)
        return 0.5 - s * (1.0 / 24.0 - s * (1.0 / 720.0 - s * (1.0 / 40320.0 - s * high)))
    return (1.0 - math.cos(math.sqrt(s))) / s


@kernel(internal=True)
def tangent_coefficients(s):
    """b2, and the derivatives of b1 and b2 with respect to theta, divided by theta."""
    if s < SERIES_LENGTH:
        high = 1.0 / 39916800.0 - s / 6227020800.0
        b2 = 1.0 / 6.0 - s * (1.0 / 120.0 - s * (1.0 / 5040.0 - s * (1.0 / 362880.0 - s * high)))
        high = 1.0 / 47900160.0 - s / 7264857600.0
        slope1 = -1.0 / 12.0 + s * (1.0 / 180.0 - s * (1.0 / 6720.0 - s * (1.0 / 453600.0 - s * high)))
        high = 1.0 / 622702080.0 - s / 108972864000.0
        slope2 = -1.0 / 60.0 + s * (1.0 / 1260.0 - s * (1.0 / 60480.0 - s * (1.0 / 4989600.0 - s * high)))
        return b2, slope1, slope2
    angle = math.sqrt(s)
    sine, cosine = math.sin(angle), math.cos(angle)
    return (
        (angle - sine) / (angle * s),
        (angle * sine - 2.0 * (1.0 - cosine)) / (s * s),
        (3.0 * sine - 2.0 * angle - angle * cosine) / (s * s * angle),
    )
