"""Search steps in joint coordinates of a spanning tree: displacements that keep its joints closed."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from cardan.model.element import Constraint
from cardan.system.system import System
from cardan.system.tree.tables import JointTables


class JointChart:
    """Joint coordinates about any position of a system; steps are scaled: 1 is one radian or the model's length.

    The tree is determined at each position, without history.
    """

    def __init__(
        self,
        system: System,
        time: float,
        reference: np.ndarray,
        unit: np.ndarray,
        tree: Collection[Constraint] = (),
    ) -> None:
        self.system, self.time, self.reference, self.unit, self.tree = system, time, reference, unit, tree

    def columns(self, q: np.ndarray) -> np.ndarray:
        """B(q), scaled: body displacements from joint displacements."""
        tables = self._tables(q)
        found: np.ndarray = tables.transformation(tables.spanning.q) / tables.joint.size / self.unit[:, None]
        return found

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """The position of all bodies after a step of the joints."""
        tables = self._tables(q)
        there = tables.moved(tables.spanning.q, step / tables.joint.size)
        still = np.zeros((1, step.size))
        found: np.ndarray = tables.bodies(there[None], still, still)[0][0]
        return found

    def _tables(self, q: np.ndarray) -> Any:
        every = range(self.system.row_count)  # drivers and holds stay equations, because their values may be unknowns
        return JointTables(self.system, q, self.reference, self.time, kept=every, tree=self.tree)
