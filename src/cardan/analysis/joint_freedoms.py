"""Joint coordinates by which small motions can be counted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import qr

from cardan.analysis.joint_space import joint_space
from cardan.errors import ModelError
from cardan.model.element import Constraint
from cardan.model.measure import Measure, Readable
from cardan.model.model import Model
from cardan.results.snapshot import Snapshot


def joint_freedoms(model: Model, start: Snapshot | None, tree: Sequence[Constraint] = ()) -> list[Readable]:
    """Coordinates of joints of the spanning tree, as many as there are freedoms, each independent of the others."""
    space = joint_space(model, start=start, drivers=True, tree=tree)
    basis = space.null_space(space.q)
    order = qr(basis.T, pivoting=True, mode="economic")[2]
    known = {
        f"{joint.name}.{step.name}": getattr(joint, step.name, None)
        for joint in space.carried
        for step in joint.steps() or ()
    }
    found: list[Readable] = []
    for speed in np.sort(order[: basis.shape[1]]).tolist():
        name = space.speeds[speed]
        measure = known.get(name)
        if not isinstance(measure, Measure):
            raise ModelError(
                f"'{name}' of '{model.name}' is no measure by which linearize() could count: leave coordinates='joint' "
                "out, or state freedoms="
            )
        found.append(measure)
    return found
