"""Equations of motion in Cartesian coordinates of all bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.analysis.forward.failure import failure_of, require_masses
from cardan.analysis.forward.state import Evidence, Run, Sizes, snapshot
from cardan.errors import CardanError
from cardan.integrators.scheme import Scheme
from cardan.model.element import Constraint
from cardan.model.force import Law
from cardan.system.cartesian.mechanism_tables import mechanism_tables
from cardan.system.mechanism import cartesian_mechanism
from cardan.system.system import System


class CartesianFormulation:
    """The coordinates of all bodies; every joint is a set of constraints."""

    def __init__(
        self,
        system: System,
        q: np.ndarray,
        v: np.ndarray,
        reference: np.ndarray,
        laws: Sequence[Law],
        partitioned: bool,
    ) -> None:
        self.system = system
        self.machine = self.mechanism = mechanism_tables(system, list(laws), partitioned=partitioned)
        self.machine.reference[:] = reference
        self.speed_scale = self.machine.size
        rest = np.concatenate([np.zeros(len(system.laws) + 2), system.states.start])
        self.start = np.concatenate([q, v, rest])
        self.sizes = Sizes(self.start.size, q.size, v.size)
        self.notes: tuple[str, ...] = ()

    def operations(self, scheme: Scheme) -> Any:
        return cartesian_mechanism(self.mechanism, partitioned=scheme.book)

    def bodies(self, y: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        nq, nv = self.sizes.positions, self.sizes.speeds
        return y[:, :nq].copy(), y[:, nq : nq + nv].copy(), a.copy()

    def turns(self, y: np.ndarray, turns: np.ndarray) -> np.ndarray:
        return turns.copy()

    def speeds(self, y: np.ndarray, v: np.ndarray) -> np.ndarray:
        return v

    def origin(self) -> dict[str, np.ndarray]:
        return {}

    def update_markers(self) -> None:
        """Nothing to do: the kernels read the tables of the system."""

    def make_releasable(self, run: Run, joints: Sequence[Constraint]) -> None:
        """Nothing to do: every joint is releasable."""

    def check_masses(self, run: Run) -> None:
        require_masses(run)

    def evidence(self, run: Run) -> Evidence:
        tables, degrees_of_freedom = self.machine, self.system.coordinates - int(self.machine.active.sum())
        added = tables.soft * np.abs(snapshot(run).a[self.system.width :])
        aside = np.flatnonzero(tables.engaged.astype(bool) & ~tables.active.astype(bool))
        return Evidence(tables.work, tables.multipliers, degrees_of_freedom, "use coordinates='joint'", added, aside)

    def failure(self, run: Run) -> CardanError:
        return failure_of(run)
