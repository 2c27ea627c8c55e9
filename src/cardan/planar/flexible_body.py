"""Flexible planar bodies: a floating frame with component modes, and markers that move with the modes.

r^P = r + A(phi) (x + psi eta)        angle of axes: phi + rho eta + phi'        eta: modal coordinates
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from cardan.model.body import OutlineLike, Vector
from cardan.model.dimensions import Angle, Position, Velocity
from cardan.model.flexible.choice import Damping, Modes, chosen_part, in_plane
from cardan.model.flexible.deformable import DeformableBody, DeformableMarker, StatedPart
from cardan.model.flexible.interfaces import interface_at, interface_called
from cardan.model.flexible_part import FlexiblePart
from cardan.planar.body import Body, Marker


@dataclass(frozen=True, eq=False, init=False)
class FlexibleBody(DeformableBody, Body):
    """A flexible planar body: large motion of its frame, small deformation in the modes of a `part`.

        r^P = r + A (x + psi eta)        M(eta) a + h + K eta + B eta' + Phi_q^T lambda = Q

    Arguments are those of the spatial `FlexibleBody`, with an `angle` in place of an orientation. The part must move in
    its xy plane only.

    >>> import numpy as np
    >>> from cardan.model.flexible_part import Interface
    >>> part = FlexiblePart(
    ...     "rod", mass=2.0, first_moment=[[1.0, 0, 0], [0, 0, 0]], second_moment=np.zeros((2, 2, 3, 3)),
    ...     modal_mass=[[1.0]], coupling=[[0], [0], [0]], rotation_coupling=[[0], [0], [0]],
    ...     inertia=np.diag([0.01, 0.7, 0.7]), stiffness=[[400.0]], damping=[[0.0]],
    ...     interfaces={"tip": Interface([1, 0, 0], [[0], [1.5], [0]], [[0], [0], [2.0]])}, frequencies=[3.18],
    ... )
    >>> rod = FlexibleBody(part, position=(0.1, 0), damping=0.02)
    >>> rod.at("tip").place
    (1.0, 0.0)
    """

    part: FlexiblePart = field(init=False)
    deformation: tuple[float, ...] = field(init=False)
    deformation_rate: tuple[float, ...] = field(init=False)

    def __init__(
        self,
        part: FlexiblePart,
        *,
        modes: Modes = None,
        position: Position = (0.0, 0.0),
        angle: Angle = 0.0,
        velocity: Velocity = (0.0, 0.0),
        angular_velocity: float = 0.0,
        damping: Damping = None,
        deformation: Sequence[float] | None = None,
        deformation_rate: Sequence[float] | None = None,
        stiffening: bool = True,
        outline: OutlineLike | None = None,
        color: str = "",
    ) -> None:
        chosen = chosen_part(part, modes, damping, stiffening, "a FlexibleBody")
        in_plane(chosen)
        center = chosen.center[:2]
        inertia = float(chosen.inertia[2, 2] - chosen.mass * center @ center)
        inertia = inertia if inertia > 1e-12 * chosen.inertia[2, 2] else 0.0
        middle = tuple(center.tolist())
        motion = position, angle, velocity, angular_velocity
        Body.__init__(self, chosen.mass, inertia, *motion, outline, middle, color=color)
        self.take_modes(chosen, StatedPart(part, modes, damping, stiffening), deformation, deformation_rate)

    def at(
        self, x: float | str | None = None, y: float = 0.0, angle: float | None = None, *, toward: Vector | None = None
    ) -> Marker:
        """A marker on an interface, by name, or by its point in the undeformed part.

        The angle is stated as for a rigid body; by default it is that of the interface. Without a point it is the frame
        of the body, which is not fixed to the material.
        """
        if x is None:
            return super().at(angle=angle, toward=toward)
        name = interface_called(self, x) if isinstance(x, str) else interface_at(self, (x, y))
        at = self.part.interfaces[name]
        place = float(at.position[0]), float(at.position[1])
        turned = math.atan2(at.orientation[1, 0], at.orientation[0, 0])
        there = super().at(*place, turned if angle is None and toward is None else angle, toward=toward)
        return FlexibleMarker(self, *place, there.angle, name)

    def world(self, *point: float | Vector, angle: float = 0.0) -> Marker:
        """A marker on the interface at a global position, if the undeformed part is where it was stated."""
        there = super().world(*point, angle=angle)
        return FlexibleMarker(self, there.x, there.y, there.angle, interface_at(self, there.place))

    def center_marker(self) -> Marker:
        """The mass center, which moves with the modes."""
        return FlexibleMarker(self, float(self.center[0]), float(self.center[1]), 0.0, "")

    def outlines(self) -> list[Any]:
        """The lines to draw: as stated, or those between the interfaces."""
        return super().outlines() or self.lines_between_interfaces(2)

    def __repr__(self) -> str:
        return f"<flexible planar body '{self.name}', {self.part.modes} modes>"


@dataclass(frozen=True)
class FlexibleMarker(DeformableMarker, Marker):
    """A marker that moves with the modes of its body: on an interface, or at the mass center if it has no name.

    Its point and angle are those in the undeformed part.
    """

    POINT = slice(0, 2)
    TURN = slice(2, 3)
    interface: str = ""
