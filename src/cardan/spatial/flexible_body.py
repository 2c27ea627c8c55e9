r"""Flexible spatial bodies: a floating frame with component modes, and markers that move with the modes.

    z'  y'      deformed        r^P = r + A (x + psi eta)           axes A exp(~theta) L',   theta = rho eta
     | /    .--""--.
z    |/ .-"         \ marker    psi, rho: the modes of the point and of its axes; eta: modal coordinates
|    o------ x'                 The frame (r, A) is not fixed to a point of the material.
| r /
O------ y
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cardan.model import check
from cardan.model.body import OutlineLike, Vector as VectorLike
from cardan.model.dimensions import Position, Velocity
from cardan.model.flexible.choice import Damping, Modes, chosen_part
from cardan.model.flexible.deformable import DeformableBody, DeformableMarker, StatedPart
from cardan.model.flexible.interfaces import interface_at, interface_called
from cardan.model.flexible_part import FlexiblePart
from cardan.spatial import rotation
from cardan.spatial.body import IDENTITY, Body, Marker
from cardan.spatial.rotation.stated import OrientationLike


@dataclass(frozen=True, eq=False, init=False)
class FlexibleBody(DeformableBody, Body):
    """A flexible spatial body: large motion of its frame, small deformation in the modes of a `part`.

        r^P = r + A (x + psi eta)        M(eta) a + h + K eta + B eta' + Phi_q^T lambda = Q

    `part` holds masses, modes and interfaces; `cardan.flexible` makes parts from finite element models. `modes` is how
    many of its modes the body has, or a list of their numbers from 1. `damping` is a damping ratio, one for each mode,
    "graded" (1 % below 100 Hz, 10 % up to 1 kHz, critical above) or {"mass": alpha, "stiffness": beta} for
    alpha M + beta K; by default that of the part. `position` and `orientation` place the frame of the part,
    `deformation` and `deformation_rate` are initial modal coordinates and their rates. With stiffening=False geometric
    stiffening is ignored, if the part has it.

    `body.at("tip")` is a marker on an interface. It can be used wherever a marker of a rigid body can.

    >>> from cardan.model.flexible_part import Interface
    >>> part = FlexiblePart(
    ...     "rod", mass=2.0, first_moment=[[1.0, 0, 0], [0, 0, 0]], second_moment=np.zeros((2, 2, 3, 3)),
    ...     modal_mass=[[1.0]], coupling=[[0], [0], [0]], rotation_coupling=[[0], [0], [0]],
    ...     inertia=np.diag([0.01, 0.7, 0.7]), stiffness=[[400.0]], damping=[[0.0]],
    ...     interfaces={"tip": Interface([1, 0, 0], [[0], [1.5], [0]], [[0], [0], [2.0]])}, frequencies=[3.18],
    ... )
    >>> rod = FlexibleBody(part, position=(0.1, 0, 0), damping=0.02)
    >>> rod.at("tip").place
    (1.0, 0.0, 0.0)
    """

    part: FlexiblePart = field(init=False)
    deformation: tuple[float, ...] = field(init=False)
    deformation_rate: tuple[float, ...] = field(init=False)

    def __init__(
        self,
        part: FlexiblePart,
        *,
        modes: Modes = None,
        position: Position = (0.0, 0.0, 0.0),
        orientation: OrientationLike | None = None,
        velocity: Velocity = (0.0, 0.0, 0.0),
        angular_velocity: VectorLike | None = None,
        angular_velocity_b: VectorLike | None = None,
        damping: Damping = None,
        deformation: Sequence[float] | None = None,
        deformation_rate: Sequence[float] | None = None,
        stiffening: bool = True,
        outline: OutlineLike | None = None,
        color: str = "",
    ) -> None:
        chosen = chosen_part(part, modes, damping, stiffening, "a FlexibleBody")
        center = chosen.center
        about = chosen.mass * (center @ center * np.eye(3) - np.outer(center, center))
        Body.__init__(
            self,
            chosen.mass,
            _rounded(chosen.inertia - about, chosen.inertia),
            position,
            orientation,
            velocity,
            angular_velocity,
            angular_velocity_b,
            outline,
            tuple(center.tolist()),
            color=color,
        )
        self.take_modes(chosen, StatedPart(part, modes, damping, stiffening), deformation, deformation_rate)

    def at(self, *point: Any, **axes: Any) -> Marker:
        """A marker on an interface, by name, or by its point in the undeformed part.

        Axes and orientation are stated as for a rigid body; by default they are those of the interface. Without a point
        it is the frame of the body, which is not fixed to the material.
        """
        if not point:
            return super().at(**axes)
        if isinstance(point[0], str):
            return self._on(interface_called(self, point[0]), **axes)
        there = super().at(*point, **axes)
        return FlexibleMarker(self, there.place, there.orientation, interface_at(self, there.place))

    def world(self, *point: Any, **axes: Any) -> Marker:
        """A marker on the interface at a global position, if the undeformed part is where it was stated."""
        there = Body.world(_rigid(self), *point, **axes)
        return FlexibleMarker(self, there.place, there.orientation, interface_at(self, there.place))

    def marker(self, *points: Any, **axes: Any) -> Marker:
        """The marker of a rigid body with these definition points, on the interface there."""
        there = super().marker(*points, **axes)
        return FlexibleMarker(self, there.place, there.orientation, interface_at(self, there.place))

    def center_marker(self) -> Marker:
        """The mass center, which moves with the modes."""
        x, y, z = (float(c) for c in self.center)
        return FlexibleMarker(self, (x, y, z), IDENTITY, "")

    def outlines(self) -> list[Any]:
        """The lines to draw: as stated, or those between the interfaces."""
        return super().outlines() or self.lines_between_interfaces(3)

    def _on(self, name: str, **axes: Any) -> Marker:
        at = self.part.interfaces[name]
        there = super().at(*at.position.tolist(), **axes)
        orientation = there.orientation if axes else rotation.from_matrix(at.orientation)
        return FlexibleMarker(self, there.place, orientation, name)

    def __repr__(self) -> str:
        return f"<flexible spatial body '{self.name}', {self.part.modes} modes>"


@dataclass(frozen=True)
class FlexibleMarker(DeformableMarker, Marker):
    """A marker that moves with the modes of its body: on an interface, or at the mass center if it has no name.

    Its point and orientation are those in the undeformed part.
    """

    POINT = slice(0, 3)
    TURN = slice(0, 3)
    interface: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        check.instance(self.body, FlexibleBody, "the body of a FlexibleMarker", hint="write body.at('tip')")


def _rigid(body: FlexibleBody) -> Body:
    """A rigid body in the same place."""
    twin = Body(position=body.position, orientation=body.orientation)
    object.__setattr__(twin, "name", body.name)
    return twin


def _rounded(about_center: np.ndarray, about_origin: np.ndarray) -> list[list[float]]:
    """The inertia about the mass center, without what rounding leaves of a vanishing one."""
    least = 1e-12 * float(np.abs(about_origin).max())
    found = 0.5 * (about_center + about_center.T)
    return np.where(np.abs(found) > least, found, 0.0).tolist()
