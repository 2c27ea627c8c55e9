"""Flexible planar bodies: a floating frame with component modes, and markers that move with the modes.

r^P = r + A(phi) (x + psi eta)        angle of axes: phi + rho eta + phi'        eta: modal coordinates
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import OutlineLike, Vector
from cardan.model.flexible.choice import Damping, Modes, chosen_part, in_plane
from cardan.model.flexible.elasticity import Elasticity
from cardan.model.flexible.interfaces import interface_at, interface_called
from cardan.model.flexible.modal_coordinate import ModalCoordinate, modal_coordinates, modal_measure
from cardan.model.flexible_part import FlexiblePart
from cardan.model.measure import Measure
from cardan.planar.body import Body, Marker


@dataclass(frozen=True, eq=False, init=False)
class FlexibleBody(Body):
    """A flexible planar body: large motion of its frame, small deformation in the modes of a `part`.

        r^P = r + A (x + psi eta)        M(eta) a + h + K eta + B eta' + Phi_q^T lambda = Q

    Arguments are those of the spatial `FlexibleBody`, with an `angle` in place of an orientation. The part must move in
    its xy plane only.

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
        position: Vector = (0.0, 0.0),
        angle: float = 0.0,
        velocity: Vector = (0.0, 0.0),
        angular_velocity: float = 0.0,
        damping: Damping = None,
        deformation: Sequence[float] | None = None,
        deformation_rate: Sequence[float] | None = None,
        stiffening: bool = True,
        outline: OutlineLike | None = None,
    ) -> None:
        chosen = chosen_part(part, modes, damping, stiffening, "a FlexibleBody")
        in_plane(chosen)
        center = chosen.center[:2]
        inertia = float(chosen.inertia[2, 2] - chosen.mass * center @ center)
        inertia = inertia if inertia > 1e-12 * chosen.inertia[2, 2] else 0.0
        Body.__init__(
            self, chosen.mass, inertia, position, angle, velocity, angular_velocity, outline, tuple(center.tolist())
        )
        _set(self, "part", chosen)
        for name, stated in (("deformation", deformation), ("deformation_rate", deformation_rate)):
            what = f"{name} of a FlexibleBody, one number for each mode,"
            numbers = (0.0,) * chosen.modes if stated is None else check.vector(stated, chosen.modes, what)
            _set(self, name, tuple(numbers))
        _set(self, "_modal_coordinates", modal_coordinates(self))
        _set(self, "_elasticity", Elasticity(self))

    @property
    def modal_coordinates(self) -> tuple[ModalCoordinate, ...]:
        """The coordinates of its modes."""
        found: tuple[ModalCoordinate, ...] = vars(self)["_modal_coordinates"]
        return found

    @property
    def elasticity(self) -> Elasticity:
        """The forces by which it resists deformation."""
        found: Elasticity = vars(self)["_elasticity"]
        _set(found, "name", f"{self.name}.elasticity")
        return found

    def modal_coordinate(self, number: int) -> Measure:
        """The coordinate eta of a mode, numbered from 1, as a measure: it can be read, held and driven."""
        count = len(self.modal_coordinates)
        if check.count(number, f"the number of a mode of {self.title}") > count:
            raise ModelError(f"{self.title} has the modes 1 to {count}, got {number}")
        return modal_measure(self.modal_coordinates[number - 1])

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

    def profile(self, curve: Any, x: float = 0.0, y: float = 0.0, angle: float = 0.0) -> Any:
        raise ModelError(f"{self.title} is flexible and cannot have a profile; attach a rigid body that has it")

    def outlines(self) -> list[Any]:
        """The lines to draw: as stated, or those between the interfaces."""
        stated = super().outlines()
        places = [at.position[:2].tolist() for at in self.part.interfaces.values()]
        return stated if stated or len(places) < 2 else [places]

    def __repr__(self) -> str:
        return f"<flexible planar body '{self.name}', {self.part.modes} modes>"


@dataclass(frozen=True)
class FlexibleMarker(Marker):
    """A marker that moves with the modes of its body: on an interface, or at the mass center if it has no name.

    Its point and angle are those in the undeformed part.
    """

    interface: str = ""

    @property
    def modes(self) -> int:
        return int(self.body.part.modes)  # type: ignore[attr-defined]

    @property
    def is_aligned(self) -> bool:
        return False

    def shapes(self) -> tuple[np.ndarray, np.ndarray]:
        """The modes of the point, 2 x n, and of the angle, 1 x n."""
        part: FlexiblePart = self.body.part  # type: ignore[attr-defined]
        if not self.interface:
            return part.coupling[:2] / part.mass, np.zeros((1, part.modes))
        at = part.interfaces[self.interface]
        return at.translation[:2], at.rotation[2:]

    def curvature(self) -> np.ndarray | None:
        """Gamma (n, n, 2) of second-order displacements Gamma_kl eta_k eta_l / 2 of the point, if they are known."""
        part: FlexiblePart = self.body.part  # type: ignore[attr-defined]
        if self.interface or part.stiffening is None:
            return None
        return np.asarray(part.stiffening[0][:, :, :2] / part.mass)

    def __str__(self) -> str:
        return f"{self.body.name or 'body'}({self.interface or 'center'})"


def _set(owner: Any, name: str, value: Any) -> None:
    object.__setattr__(owner, name, value)
