"""Junctions of curves: found where s' or s'' jumps, and only there."""

import math

import numpy as np
import pytest

from arc_cams import belt, curve
from cardan.planar import Circle, Curve, CurveThrough, Polar, PolarTable

PLACE = 1e-12  # junctions are bracketed to 1e-14 of the largest u


def test_arcs_and_flanks_meet_at_the_ends_of_each():
    shape = belt(np.array([[0.0, 0.0, 1.0], [0.9, 0.2, 0.4], [0.2, 0.9, 0.5]]))
    ends = shape.ends[:-1]
    assert np.abs(curve(shape).junctions - np.append(0.0, ends)).max() < PLACE * shape.ends[-1]


def test_a_branch_of_a_polar_function_and_the_seam():
    rounded = Polar(lambda a: 1.25 - 0.25 * math.cos(3.0 * a) if a < 2.0 * math.pi / 3.0 else 1.0)
    assert rounded.junctions == pytest.approx([0.0, 2.0 * math.pi / 3.0], abs=PLACE)


def test_a_jump_of_the_parameter_speed_alone():
    line = Curve(lambda u: (u, 0.0) if u < 1.0 else (1.0 + 3.0 * (u - 1.0), 0.0), (0.0, 2.0), closed=False)
    assert line.junctions == pytest.approx([1.0], abs=PLACE)


def test_two_junctions_closer_than_any_grid():
    """A fillet of 1e-4 between two lines."""
    r, turn = 1e-4, 0.5

    def bent(u):
        if u < 1.0:
            return u, 0.0
        a = (u - 1.0) / r
        if a < turn:
            return 1.0 + r * math.sin(a), r * (1.0 - math.cos(a))
        s = u - 1.0 - r * turn
        return (
            1.0 + r * math.sin(turn) + s * math.cos(turn),
            r * (1.0 - math.cos(turn)) + s * math.sin(turn),
        )

    found = Curve(bent, (0.0, 2.0), closed=False).junctions
    assert found == pytest.approx([1.0, 1.0 + r * turn], abs=PLACE)


def test_smooth_curves_have_none():
    angles = np.linspace(0.0, 6.0, 25)
    narrow = Polar(lambda a: 1.0 + 1e-3 * math.exp(-((50.0 * (a - 3.0)) ** 2)))
    corners = [(1, 0), (0.5, 0.8), (-0.5, 0.9), (-1, 0), (0, -1)]
    for smooth in (Circle(1.0), PolarTable(angles, 1.0 + 0.1 * np.sin(angles)), narrow, CurveThrough(corners)):
        assert smooth.junctions.size == 0
