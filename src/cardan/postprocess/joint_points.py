"""The joints of a planar mechanism for graphical methods: pins, sliders, slots and rods, and their points.

pin      a common point of two bodies                         Revolute
weld     the same, without relative rotation                  Fixed
roll     two circles, or a circle and a line, on each other   Gear, RackPinion, RollingWheel
slider   b translates along a line of a                       Translational
slot     a point of b moves along a straight line of a        PinInSlot
rod      a massless link between a point of a and one of b    Distance
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.constraints.distance import Distance
from cardan.elements.constraints.gear import Gear
from cardan.elements.constraints.rack_pinion import RackPinion
from cardan.elements.constraints.rolling import Rolling
from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.errors import ModelError
from cardan.results.reaction import poses_of

if TYPE_CHECKING:
    from cardan.model.element import Element
    from cardan.results.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class Joined:
    """A joint at one time: its global `point`, the `other` end of a rod, and the direction of sliding, `along`."""

    name: str
    kind: str  # "pin", "weld", "roll", "slider", "slot" or "rod"
    bodies: tuple[Any, Any]
    point: np.ndarray
    other: np.ndarray | None = None
    along: np.ndarray | None = None


def joined_points(instant: Trajectory) -> list[Joined]:
    """All such joints, in the order of the model."""
    return [found for element in instant.system.listed if (found := _joined(instant, element)) is not None]


def not_joined(instant: Trajectory) -> list[Any]:
    """Other joints, such as cams."""
    return [e for e in instant.system.listed if not e.drives and len(e.bodies()) > 1 and _joined(instant, e) is None]


def require_plane(instant: Trajectory, what: str) -> None:
    """Reject spatial mechanisms, and snapshots without velocities."""
    if instant.system.space.dimensions != 2:
        raise ModelError(f"{what} are defined for planar mechanisms; '{instant.model.name}' is spatial")
    if not instant.moves:
        raise ModelError(
            f"{what} need velocities, which this snapshot of '{instant.model.name}' does not have: use a result"
        )


def _joined(instant: Trajectory, element: Element) -> Joined | None:
    if not isinstance(element, TwoMarkerJoint) or element.drives:
        return None
    bodies, frame = (element.a.body, element.b.body), instant.system.space.frame
    a, b = (frame(marker, poses_of(instant, marker.body))[0][0] for marker in (element.a, element.b))
    if isinstance(element, Distance):
        return Joined(element.name, "rod", bodies, a, b)
    steps, equations = element.steps(), element.equations()
    if steps is not None and [step.kind for step in steps] == ["turn"]:
        return Joined(element.name, "pin", bodies, b)
    if steps == ():
        return Joined(element.name, "weld", bodies, b)
    axes = frame(element.a, poses_of(instant, element.a.body))[1][0]
    if isinstance(element, Gear):
        return Joined(element.name, "roll", bodies, a + element.radius_a * (b - a) / float(np.hypot(*(b - a))))
    if isinstance(element, RackPinion | Rolling):
        return Joined(element.name, "roll", bodies, b - element.radius * axes[:, 1])
    if steps is not None and [step.kind for step in steps] == ["slide"]:
        return Joined(element.name, "slider", bodies, b, along=axes[:, 0])
    straight = [m.kind == "component" and m.axes == "y" for equation in equations for _, m in equation.terms]
    if straight == [True] and not equations[0].timed and equations[0].function is None:
        return Joined(element.name, "slot", bodies, b, along=axes[:, 0])
    return None
