"""Holds, drivers and couplers: conditions on one measure or on a combination of measures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.degrees import warn_of_degrees, warn_of_degrees_in_motion
from cardan.model.curves.motion import MotionLike, as_motion
from cardan.model.dimensions import MeasureValue
from cardan.model.element import Constraint, Equation
from cardan.model.measure import Readable, readable, require_terms, require_value

DRIVER_ROUNDING = 1e-12
BOUNDED = {  # measures with an extreme value at which their gradient vanishes
    "dot": ("the dot product of two axes", 1.0, "where the axes are parallel (use Parallel, or hold an angle)"),
    "tilt": ("a tilt", 0.5 * math.pi, "where the axes are parallel (use Parallel)"),
    "rotation": ("a rotation component", math.pi, "half a turn (use Orientation with one marker rotated as far)"),
}


@dataclass(frozen=True, eq=False)
class Hold(Constraint):
    """A measure with a constant value: z = value.

    Haug's absolute and relative constraints (3.2.3 to 3.3.7) are holds: `Hold(x(point), 1.0)`,
    `Hold(angle(a, b), 0.5)`, `Hold(x(b) - x(a), 0.0)`.
    """

    measure: Readable
    value: MeasureValue = 0.0

    def __post_init__(self) -> None:
        readable(self.measure, "the measure of a Hold")

    def check(self) -> None:
        check.number(self.value, f"the value of {self.title}")
        require_terms(self.title, self.measure)
        require_value(self.title, self.measure)
        _require_regular(self.title, self.measure, self.value)
        if self.measure.unit == "rad":
            warn_of_degrees(self.value, f"the value of {self.title}")

    def equations(self) -> tuple[Equation, ...]:
        return (Equation(_label(self.measure), self.measure.parts(), offset=self.value),)


@dataclass(frozen=True, eq=False)
class Driver(Constraint):
    """A measure that follows a motion: z = f(t) (Haug 3.5.1 to 3.5.12).

    `motion` is a motion, a number or any Python function of time:

    >>> from cardan.planar import Body, Driver, Model, Ramp, Revolute
    >>> model = Model("fan")
    >>> rotor = model.add(Body(), name="rotor")
    >>> hinge = model.add(Revolute(model.ground.at(), rotor.at()), name="hinge")
    >>> motor = model.add(Driver(hinge.angle, Ramp(10.0)), name="motor")
    """

    measure: Readable
    motion: MotionLike

    drives: ClassVar[bool] = True

    def __post_init__(self) -> None:
        readable(self.measure, "the measure of a Driver")
        object.__setattr__(self, "motion", as_motion(self.motion, "the motion of a Driver"))

    def check(self) -> None:
        require_terms(self.title, self.measure)
        require_value(self.title, self.measure)
        if self.measure.unit == "rad":
            sketched = not any(body.matter.mass for body in self.bodies())
            warn_of_degrees_in_motion(as_motion(self.motion), f"the motion of {self.title}", sketched)

    def equations(self) -> tuple[Equation, ...]:
        return (Equation(_label(self.measure), self.measure.parts(), motion=as_motion(self.motion)),)


@dataclass(frozen=True, eq=False)
class Coupler(Constraint):
    """Coupled coordinates: sum c_i z_i = value.

    `Coupler(hinge1.angle + 3.0 * hinge2.angle)` keeps the value of the assembled position; with `value=` it keeps that.
    """

    measure: Readable
    value: MeasureValue | None = None

    def __post_init__(self) -> None:
        readable(self.measure, "the measure of a Coupler")

    def check(self) -> None:
        require_terms(self.title, self.measure)
        require_value(self.title, self.measure)
        if len(self.measure.parts()) < 2:
            raise ModelError(f"{self.title} couples a single measure, {self.measure}; use Hold for that")
        if self.value is not None:
            check.number(self.value, f"the value of {self.title}")

    def equations(self) -> tuple[Equation, ...]:
        floating = self.value is None
        offset = 0.0 if self.value is None else self.value
        return (Equation("tie", self.measure.parts(), offset=offset, floating=floating),)


def _label(measure: Readable) -> str:
    """The label of the equation in reports."""
    parts = measure.parts()
    return parts[0][1].axes or parts[0][1].kind if len(parts) == 1 else "tie"


def _require_regular(title: str, measure: Readable, value: float) -> None:
    """Reject a value that the measure cannot have, or has only where its gradient vanishes, which is singular."""
    if len(measure.parts()) != 1:
        return
    ((factor, single),) = measure.parts()
    held = value / factor
    if single.kind == "length" and held <= 0.0:
        raise ModelError(
            f"{title} holds a distance at {held:g} m; a distance must be positive (Revolute or Spherical make it zero)"
        )
    for kind, (what, end, hint) in BOUNDED.items():
        if single.kind == kind and abs(held) > end - DRIVER_ROUNDING:
            unit = f" {single.unit}".rstrip()
            raise ModelError(
                f"{title} holds {what} at {held:g}{unit}; it must stay inside -{end:.6g} and {end:.6g}{unit}, {hint}"
            )
