"""Unknowns of a steady motion: the value of a hold or driver, the size of a force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.elements.constraints.driver import Coupler, Driver, Hold
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.element import Element
from cardan.model.force import Force
from cardan.model.model import Model
from cardan.system.system import System


@dataclass(frozen=True)
class FreeElement:
    """An element with an unknown value; `stated` is its initial value in the search."""

    element: Any
    stated: float
    row: int | None = None  # of a hold or driver
    less: float = 0.0  # value of its motion: the offset of the row is the unknown minus this
    laws: tuple[tuple[int, float], ...] = ()  # of a force: its laws and their factors

    @property
    def title(self) -> str:
        return f"'{self.element.name}'"

    def put(self, system: System, value: float) -> None:
        """Set the value of a hold or driver."""
        if self.row is not None:
            system.rows.offset[self.row] = value - self.less

    def push(self, system: System, jac: np.ndarray, columns: np.ndarray, place: dict[Any, int]) -> np.ndarray:
        """The generalized force of one unit, numbered as v."""
        out = system.speeds()
        for k, share in self.laws:
            for coefficient, measure in system.laws[k].terms:
                m = place[measure]
                np.add.at(out, columns[m], -share * coefficient * jac[m])
        out[: system.width] = 0.0
        return out


class FreeValues:
    """Values of free elements instead of the given ones, in evaluations of a system."""

    def __init__(self, system: System, values: Mapping[Any, float], time: float) -> None:
        self.system = system
        self.pairs = tuple(zip(free_quantities(system.model, list(values), system, time), values.values(), strict=True))
        for free, value in self.pairs:
            free.put(system, value)

    def push(self, made: Any) -> None:
        """Add the difference of free forces from their given values to the last evaluation."""
        place = {measure: k for k, measure in enumerate(self.system.measures)}
        for free, value in self.pairs:
            made.force[:] += (value - free.stated) * free.push(self.system, made.work.jac, self.system.columns, place)
            for k, share in free.laws:
                made.strength[k] += (value - free.stated) * share


def free_quantities(model: Model, elements: Any, system: System, time: float) -> tuple[FreeElement, ...]:
    """The elements of `free`, checked."""
    if isinstance(elements, Element) or not isinstance(elements, Sequence):
        raise ModelError(f"free must be a list of elements, got {check.describe(elements)}: put it in brackets")
    found: list[FreeElement] = []
    for element in elements:
        if not isinstance(element, Hold | Driver | Coupler | Force):
            raise ModelError(
                f"free takes holds, drivers, loads, torques, springs and actions of '{model.name}', got "
                f"{check.describe(element)}"
            )
        if element not in model:
            raise ModelError(f"{element.title} in free is not part of model '{model.name}'; add it, or omit it")
        if any(element is other.element for other in found):
            raise ModelError(f"{element.title} is listed twice in free; list it once")
        found.append(_of_force(element, system, time) if isinstance(element, Force) else _held(element, system, time))
    return tuple(found)


def _held(element: Any, system: System, time: float) -> FreeElement:
    row = int(system.rows_of(element)[0])
    motion = system.equations[row].motion
    value, rate, _ = (float(part) for part in motion.derivatives(time)) if motion is not None else (0.0, 0.0, 0.0)
    if rate != 0.0:
        raise ModelError(f"{element.title} in free moves at {rate:g} per s: only a constant value can be an unknown")
    return FreeElement(element, float(system.rows.offset[row]) + value, row, value)


def _of_force(element: Any, system: System, time: float) -> FreeElement:
    """A force with one law has its constant part as the unknown; one with several components their common factor."""
    numbers = [k for k, owner in enumerate(system.forces) if owner is element]
    motions = [system.laws[k].motion for k in numbers]
    stated = np.array([0.0 if motion is None else float(motion(time)) for motion in motions])
    if len(numbers) == 1:
        return FreeElement(element, float(stated[0]), laws=((numbers[0], 1.0),))
    size = float(np.linalg.norm(stated))
    if size == 0.0:
        raise ModelError(
            f"{element.title} in free has no direction: all its components are zero; give them in the right ratio, "
            "their size is the unknown"
        )
    return FreeElement(
        element, size, laws=tuple((k, float(share)) for k, share in zip(numbers, stated / size, strict=True))
    )
