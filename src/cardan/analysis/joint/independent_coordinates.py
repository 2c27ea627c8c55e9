"""Joint coordinates as independent displacements of small motions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr

from cardan.analysis.assembly.assemble import assemble
from cardan.analysis.joint.joint_space import joint_space
from cardan.model.element import Constraint
from cardan.model.measure import Measure, Readable
from cardan.model.model import Model
from cardan.results.snapshot import Snapshot


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
