"""The symplectic method, for long runs without friction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cardan.errors import ModelError
from cardan.methods.method import Method
from cardan.model import check

ORDERS = (2, 4, 6, 8)


@dataclass(frozen=True, kw_only=True, repr=False)
class Symplectic(Method):
    """A variational integrator of `order` 2, 4, 6 or 8, with steps of one length, `step`, in s.

        D2 L(q_-1, q_0) + D1 L(q_0, q_1) + J^T lambda = 0,      Phi(q_1) = 0

    and compositions of it for orders above 2. The error of `energy.total` stays bounded however long the run is. It
    integrates joint coordinates, with loops closed in positions and velocities; tolerances have no effect.
    Constraints on velocities have no symplectic form.

    >>> from cardan import Symplectic, simulate
    >>> from cardan.examples import load
    >>> run = simulate(load("pendulum").build(), 10.0, method=Symplectic(step=0.02))
    >>> bool(abs(run.energy.total - run.energy.total[0]).max() < 1e-4)
    True
    """

    name: ClassVar[str] = "symplectic"
    coordinates: ClassVar[tuple[str, ...]] = ("joint",)

    step: float
    order: int = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("step", check.positive(self.step, self._option("step")))
        self._set("order", check.count(self.order, self._option("order")))
        if self.order not in ORDERS:
            raise ModelError(f"{self._option('order')} must be 2, 4, 6 or 8, got {self.order}")
        if self.max_step is not None:
            raise ModelError("Symplectic takes step, the length of all steps, and has no max_step")

    @property
    def fixed_step(self) -> float:
        return self.step
