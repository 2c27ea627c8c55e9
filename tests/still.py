"""Accelerations and reactions of a mechanism at one instant, from the whole equations as a dense matrix.

[[M, J^T], [J, 0]] [a; lambda] = [Q - h; gamma]        at the stated position, with the stated velocities
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.model.space import inertia_forces
from cardan.results.loads import Loads
from cardan.results.trajectory import Trajectory
from cardan.system.compile import compile
from cardan.system.evaluate import evaluate
from cardan.system.system import System


def instant(model: Any, time: float = 0.0) -> Trajectory:
    """The model as it is stated, which must fulfil all equations, as a result of one instant with its forces."""
    system = compile(model, time=time)
    q, v, work = system.start, system.stated_speeds(), system.work()
    assert evaluate(system.geometry, system.rows, q, v, time, system.reference, work) == 0
    assert np.abs(work.phi).max(initial=0.0) < 1e-12 and np.abs(work.rate - work.nu).max(initial=0.0) < 1e-12
    J, n = jacobian(system, work), system.coordinates
    still = inertia(system, q, v, system.speeds())
    M = np.stack([still - inertia(system, q, v, e) for e in np.eye(n + system.width)[system.width :]], axis=1)
    nothing = np.zeros((system.row_count, system.row_count))
    found = np.linalg.solve(np.block([[M, J.T], [J, nothing]]), np.concatenate([still, work.gamma]))
    a = system.speeds()
    a[system.width :] = found[:n]
    run = Trajectory(system, np.array([time]), q[None], v[None], a[None], analysis="an instant")
    run.loads = Loads(system, found[None, n:], np.zeros((1, 0)), np.zeros(system.row_count, bool))
    return run


def jacobian(system: System, work: Any) -> np.ndarray:
    """J as evaluated last."""
    rows, columns, values, shape = system.jacobian(work)
    dense = np.zeros(shape)
    np.add.at(dense, (rows, columns), values)
    return dense


def inertia(system: System, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Weight less M a less h."""
    matter = system.space.matter((system.model.ground, *system.bodies))
    matter[0] = 0.0
    out = system.speeds()
    inertia_forces(system.geometry, matter, np.array(system.model.gravity, float), q, v, a, out)
    return out[system.width :]
