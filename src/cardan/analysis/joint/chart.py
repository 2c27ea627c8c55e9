"""Joint coordinates of a spanning tree as displacements: search steps that keep its joints closed, and independent
displacements of small motions.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import qr

from cardan.analysis.assembly.assemble import assemble
from cardan.analysis.joint.joint_space import joint_space
from cardan.model.element import Constraint
from cardan.model.measure import Measure, Readable
from cardan.model.model import Model
from cardan.results.snapshot import Snapshot
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


@dataclass(frozen=True, eq=False)
class JointDisplacement:
    """A displacement along a speed of a joint, such as a rotation of a ball about one of its axes: row times dq."""

    name: str
    row: np.ndarray  # over the coordinates of all bodies

    def __str__(self) -> str:
        return self.name


def independent_joint_coordinates(
    model: Model, start: Snapshot | None, time: float, tree: Sequence[Constraint] = ()
) -> list[Readable | JointDisplacement]:
    """Independent joint coordinates of the spanning tree, one per degree of freedom."""
    begin = assemble(model, time=time) if start is None else start
    space = joint_space(model, start=begin, drivers=True, tree=tree)
    basis = space.position_null_space(space.q)
    order = qr(basis.T, pivoting=True, mode="economic")[2]
    known = {
        f"{joint.name}.{step.name}": getattr(joint, step.name, None)
        for joint in space.carried
        for step in joint.steps() or ()
    }
    back = np.linalg.pinv(space.transformation(space.q))
    found: list[Readable | JointDisplacement] = []
    for speed in np.sort(order[: basis.shape[1]]).tolist():
        name = space.speeds[speed]
        measure = known.get(name)
        found.append(measure if isinstance(measure, Measure) else JointDisplacement(name, back[speed]))
    return found
