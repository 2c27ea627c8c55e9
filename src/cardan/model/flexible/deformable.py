"""What flexible bodies and their markers have in common in the plane and in space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.flexible.choice import Damping, Modes
from cardan.model.flexible.elasticity import Elasticity
from cardan.model.flexible.modal_coordinate import ModalCoordinate, modal_coordinates, modal_measure
from cardan.model.flexible_part import FlexiblePart
from cardan.model.measure import Measure


class StatedPart(NamedTuple):
    """The arguments from which the part of a flexible body was made."""

    part: FlexiblePart
    modes: Modes
    damping: Damping
    stiffening: bool


class DeformableBody:
    """The modes of a flexible body: coordinates, elastic forces, and what pictures and messages say of it."""

    if TYPE_CHECKING:
        name: str
        part: FlexiblePart

        @property
        def title(self) -> str: ...

    def take_modes(
        self, chosen: FlexiblePart, stated: StatedPart, deformation: Any = None, deformation_rate: Any = None
    ) -> None:
        """Set the part, the initial modal coordinates and their rates; zero by default."""
        _set(self, "part", chosen)
        for name, numbers in (("deformation", deformation), ("deformation_rate", deformation_rate)):
            what = f"{name} of a FlexibleBody, one number for each mode,"
            found = (0.0,) * chosen.modes if numbers is None else check.vector(numbers, chosen.modes, what)
            _set(self, name, tuple(found))
        _set(self, "_stated", stated)
        _set(self, "_modal_coordinates", modal_coordinates(self))
        _set(self, "_elasticity", Elasticity(self))

    @property
    def stated(self) -> StatedPart:
        """The part, the modes, the damping and the stiffening as they were stated."""
        found: StatedPart = vars(self)["_stated"]
        return found

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

    def profile(self, *curve: Any, **axes: Any) -> NoReturn:
        raise ModelError(f"{self.title} is flexible and cannot have a profile; attach a rigid body that has it")

    def lines_between_interfaces(self, dimensions: int) -> list[Any]:
        """The line that pictures draw if no outline is stated."""
        places = [at.position[:dimensions].tolist() for at in self.part.interfaces.values()]
        return [places] if len(places) > 1 else []


class DeformableMarker:
    """A marker that moves with the modes of its body: on an interface, or at the mass center if it has no name."""

    POINT: ClassVar[slice]  # the axes along which a point moves, and those about which it turns
    TURN: ClassVar[slice]
    if TYPE_CHECKING:
        body: Any
        interface: str

    @property
    def modes(self) -> int:
        return int(self.body.part.modes)

    @property
    def is_aligned(self) -> bool:
        return False

    def shapes(self) -> tuple[np.ndarray, np.ndarray]:
        """The modes of the point and of the axes, a row for each direction."""
        part: FlexiblePart = self.body.part
        if not self.interface:
            return part.coupling[self.POINT] / part.mass, np.zeros((3, part.modes))[self.TURN]
        at = part.interfaces[self.interface]
        return at.translation[self.POINT], at.rotation[self.TURN]

    def curvature(self) -> np.ndarray | None:
        """Gamma (n, n, directions) of second-order displacements Gamma_kl eta_k eta_l / 2 of the point, if known."""
        part: FlexiblePart = self.body.part
        if self.interface or part.stiffening is None:
            return None
        return np.asarray(part.stiffening[0][:, :, self.POINT] / part.mass)

    def __str__(self) -> str:
        return f"{self.body.name or 'body'}({self.interface or 'center'})"


def _set(owner: Any, name: str, value: object) -> None:
    object.__setattr__(owner, name, value)
