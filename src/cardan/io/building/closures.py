"""Loop closures: joints between links, and coordinates tied to each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cardan.elements.constraints.driver import Coupler, Hold
from cardan.elements.constraints.user_constraint import constraint
from cardan.io.imported import FileModel
from cardan.io.parts import Closure, Machine
from cardan.io.pose import Pose, pose
from cardan.spatial.joints.cylindrical import Translational
from cardan.spatial.joints.fixed import Fixed
from cardan.spatial.joints.revolute import Revolute
from cardan.spatial.joints.spherical import Spherical

CLOSING: dict[str, Any] = {"ball": Spherical, "weld": Fixed, "hinge": Revolute, "slide": Translational}
Carriers = Mapping[str | None, tuple[Any, Pose]]


def add_closures(
    model: FileModel, machine: Machine, carriers: Carriers, start: Mapping[str, list[Pose]], named: Callable[..., str]
) -> None:
    """Add joints that close loops; `start` are the frames of links as the file places them."""
    for closure in machine.closures:
        frame_a = closure.a[1]
        frame_b = closure.b[1] if closure.b[1] is not None else _seen_from_b(closure, start)
        ends = []
        for link, frame in ((closure.a[0], frame_a), (closure.b[0], frame_b)):
            body, offset = carriers[link]
            there = offset.then(frame)
            ends.append(body.at(there.point, orientation=there.turn))
        joint = CLOSING[closure.kind](*ends)
        model.closures[closure.name] = model.add(joint, name=named(closure.name, closure.kind))


def _seen_from_b(closure: Closure, start: Mapping[str, list[Pose]]) -> Pose:
    """The frame on a in the frame of b, as the file places them."""
    a, b = ((start[link][-1] if link is not None else pose()) for link in (closure.a[0], closure.b[0]))
    return b.inverse().then(a.then(closure.a[1]))


def add_ties(model: FileModel, machine: Machine, named: Callable[..., str]) -> None:
    """Add ties of coordinates: couplers for linear relations, user constraints for polynomials."""
    for tie in machine.ties:
        y = model.coordinate(tie.joint)
        c = (*tie.coefficients, *(0.0,) * (5 - len(tie.coefficients)))
        element: Any
        if tie.other is None or not any(c[1:]):
            element = Hold(y, c[0])
        elif not any(c[2:]):
            element = Coupler(y - c[1] * model.coordinate(tie.other), value=c[0])
        else:
            numbers = dict(zip(("c0", "c1", "c2", "c3", "c4"), c, strict=True))
            element = polynomial(y, model.coordinate(tie.other), **numbers)
        model.closures[tie.name] = model.add(element, name=named(tie.name, "tie"))


@constraint
def polynomial(
    y: float, x: float, c0: float = 0.0, c1: float = 0.0, c2: float = 0.0, c3: float = 0.0, c4: float = 0.0
) -> float:
    """y is a polynomial in x."""
    return y - (c0 + x * (c1 + x * (c2 + x * (c3 + x * c4))))
