"""Modal coordinates: internal coordinates of flexible bodies, numbered after those of contacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.model.marker import Marker
from cardan.model.measure import Measure

STIFF = 100.0  # a closure that deforms a body by 1 mm counts as much as one that displaces it by 100 mm


@dataclass(frozen=True, eq=False)
class ModalCoordinate:
    """The coordinate eta of one mode of a flexible body.

    One unit of it displaces the points of the body by at most `reach`. `weight` is the square of the displacement that
    counts as much when joints are closed: bodies are displaced rather than deformed, and soft modes deform first.
    """

    body: Any
    index: int  # among the modes of the body, from 0
    reach: float
    weight: float

    @property
    def label(self) -> str:
        """Its name within the body, in tables."""
        return f"eta{self.index + 1}"

    @property
    def name(self) -> str:
        return f"{self.body.name}.{self.label}"


@dataclass(frozen=True)
class ModalMarker(Marker):
    """The end of a measure that reads a modal coordinate; it has no place."""

    coordinate: ModalCoordinate

    @property
    def body(self) -> Any:
        return self.coordinate.body

    @property
    def contact_coordinate(self) -> Any:
        return self.coordinate

    @property
    def place(self) -> tuple[float, ...]:
        return (0.0,) * len(self.body.position)

    @property
    def arm(self) -> float:
        return 0.0

    @property
    def is_aligned(self) -> bool:
        return True

    def __str__(self) -> str:
        return self.coordinate.name


def modal_measure(coordinate: ModalCoordinate) -> Measure:
    """The measure that reads a modal coordinate."""
    return Measure("modal", None, ModalMarker(coordinate))


def modal_coordinates(body: Any) -> tuple[ModalCoordinate, ...]:
    """The coordinates of all modes of a flexible body."""
    part = body.part
    reach = _largest_displacements(part)
    stiffness = np.diag(part.stiffness)
    softest = float(np.min(stiffness / reach**2))
    ratio = stiffness / reach**2 / softest if softest > 0.0 else np.ones(part.modes)
    weights = (STIFF * reach) ** 2 * np.maximum(ratio, 1.0)
    return tuple(ModalCoordinate(body, k, float(reach[k]), float(weights[k])) for k in range(part.modes))


def deformed_bodies(contacts: Sequence[Any]) -> dict[int, tuple[Any, int]]:
    """The flexible bodies among the owners of internal coordinates, by identity, with the place of their first one."""
    found: dict[int, tuple[Any, int]] = {}
    for place, coordinate in enumerate(contacts):
        if isinstance(coordinate, ModalCoordinate):
            found.setdefault(id(coordinate.body), (coordinate.body, place))
    return found


def _largest_displacements(part: Any) -> np.ndarray:
    """The largest displacement of an interface or of the skin in each mode, or the mean one, if it is larger."""
    found: np.ndarray = np.sqrt(np.diag(part.modal_mass) / part.mass)
    for at in part.interfaces.values():
        found = np.maximum(found, np.linalg.norm(at.translation, axis=0))
    if part.surface is not None:
        found = np.maximum(found, np.linalg.norm(part.surface.modes, axis=1).max(axis=0, initial=0.0))
    return found
