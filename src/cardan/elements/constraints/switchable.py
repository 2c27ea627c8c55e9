"""Equations that their element engages and releases: closed contacts, sticking friction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cardan.model.element import Constraint, Equation
from cardan.model.measure import Readable


@dataclass(frozen=True, eq=False)
class SwitchedConstraint(Constraint):
    """z = value, or z' = 0, while it is engaged; used in simulations only."""

    measure: Readable
    label: str
    value: float = 0.0
    velocity: bool = False

    switched: ClassVar[bool] = True

    def equations(self) -> tuple[Equation, ...]:
        return (Equation(self.label, self.measure.parts(), offset=self.value, velocity=self.velocity),)
