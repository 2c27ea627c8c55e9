"""Space curves along which a point can move, s(u) = (x, y, z)(u) in the frame of their body.

           z'
           |  .--.
           | (    )  s(u)          Helix: s = (R cos u, R sin u, pitch u / 2 pi)
           |  `--.
           |  .--.)                A point on a curve needs s and three derivatives, all exact.
           | (____  x'

The compiled loop represents a curve by two plane shapes over the same u: its plan (x, y) and its rise (z, unused). A
closed curve is periodic: u may run over many turns. An open one ends at its span; beyond, it continues along its
tangent, and the analysis reports that the point left the curve.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.curve import Array, ParametricCurve
from cardan.model.curves.freeform import FunctionCurve, PointsCurve
from cardan.model.dimensions import Length, Ratio
from cardan.model.stated import set_fields
from cardan.numerics.curves.profiles import CIRCLE_PROFILE, CURVE_PIECEWISE_PROFILE, CURVE_PROFILE, Shape
from cardan.numerics.curves.spline import Pieces, pack

__all__ = ["Curve", "CurveThrough", "Helix", "SpaceCurve"]

TURN = 2.0 * math.pi


class SpaceCurve(ParametricCurve):
    """A curve in space: a bent wire, a rail, a thread."""

    dimension = 3

    @abstractmethod
    def shapes(self) -> tuple[Shape, Shape]:
        """The shapes for the compiled loop: the plan (x, y), then the rise, whose first coordinate is z."""


@dataclass(frozen=True)
class Curve(FunctionCurve, SpaceCurve):
    """s = f(u) = (x, y, z), a Python function of the parameter u over `span`; its derivatives are exact.

    A closed curve must end where it begins.
    """

    def shapes(self) -> tuple[Shape, Shape]:
        plan = Shape(CURVE_PROFILE, self.span, self.closed, parameters=(0, 1), function=self._code())
        return plan, plan._replace(parameters=(2, 2))


@dataclass(frozen=True, init=False)
class CurveThrough(PointsCurve, SpaceCurve):
    """The parametric spline through points (x, y, z), u the length along the chords between them.

    A closed curve may repeat its first point at the end, or end about one chord before it.
    """

    def shapes(self) -> tuple[Shape, Shape]:
        x, y, z = np.moveaxis(self._pieces.coefficients, 1, 0)
        plan, rise = (self._pieces._replace(coefficients=np.stack(pair, axis=1)) for pair in ((x, y), (z, z)))
        return _spline(plan, self.closed), _spline(rise, self.closed)


@dataclass(frozen=True)
class Helix(SpaceCurve):
    """s = (R cos u, R sin u, pitch u / 2 pi), u the angle from the x' axis: a thread, a coil, a spiral chute.

    It rises along z' by `pitch` with each of its `turns`; a left-handed helix has a negative pitch.
    """

    radius: Length
    pitch: Length
    turns: Ratio = 1.0

    span: tuple[float, float] = field(init=False, repr=False)
    closed: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        set_fields(self, radius=check.positive(self.radius, "the radius of a Helix"))
        set_fields(self, pitch=check.number(self.pitch, "the pitch of a Helix"))
        set_fields(self, turns=check.positive(self.turns, "the turns of a Helix"))
        if self.pitch == 0.0:
            raise ModelError(f"the pitch of a Helix must not be 0; a flat ring is a Circle({self.radius:g})")
        set_fields(self, span=(0.0, TURN * self.turns))

    def shapes(self) -> tuple[Shape, Shape]:
        plan = Shape(CIRCLE_PROFILE, self.span, False, parameters=(self.radius,))
        return plan, _spline(_straight(self.span, self.pitch * self.turns), False)

    def _inside(self, u: Array) -> Array:
        c, s = self.radius * np.cos(u), self.radius * np.sin(u)
        slope, zero = self.pitch / TURN, np.zeros_like(u)
        return np.array([[c, s, slope * u], [-s, c, slope + zero], [-c, -s, zero], [s, -c, zero]])

    def _grid_near(self, point: Array) -> Array:
        """The turns on either side of the point's height: on any other turn, every point is farther away."""
        height = float(np.clip(point[2] * TURN / self.pitch, *self.span))
        return np.linspace(max(height - TURN, self.span[0]), min(height + TURN, self.span[1]), 1025)


def _spline(pieces: Pieces, closed: bool) -> Shape:
    return Shape(CURVE_PIECEWISE_PROFILE, pieces.span, closed, parameters=pack(pieces))


def _straight(span: tuple[float, float], rise: float) -> Pieces:
    """A straight line from 0 to `rise` over the span, twice, because a shape has two coordinates."""
    return Pieces(np.array(span), np.array([[[0.0, rise], [0.0, rise]]]))
