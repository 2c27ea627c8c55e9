r"""Accelerations, reactions, forces and signals along a simulated motion, and how they follow parameters.

    y(q, v, s, p)  with  a, lambda  from   | M  J^T | |   a    |   | Q - h |
                                           | J   0  | | lambda | = | gamma |

At each instant they are explicit functions of the state and of the parameters: where deviations dq, dv, ds of the state
are known, dy/dp is the derivative along them, by differences of the sixth order (see `displaced`), one solution of the
linear system each. Where joints are redundant, reactions are those of one choice of independent equations.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardan.analysis.displaced import FORMULA, Known, Tables, Tangent, instant_of, outputs_at, step_of
from cardan.analysis.linear_point import point_in_motion
from cardan.analysis.linear_ports import Port
from cardan.model.parameter import Parameter, changed
from cardan.model.space import advance
from cardan.results.simulation import Simulation
from cardan.results.snapshot import Snapshot


def outputs_along(
    run: Simulation, parameters: Sequence[Parameter], ports: Sequence[Port], deviations: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Values [instants, outputs] and derivatives [instants, outputs, parameters]; of `deviations` [instants, x, p]."""
    count = len(run)
    snapshots = [instant_of(run, k) for k in range(count)]
    known = Known(snapshots[0], run.a[0], np.zeros(run.system.row_count), ports)
    nothing = np.zeros((count, deviations.shape[1]))
    values = _read(known, snapshots, nothing, 0.0)
    derivatives = np.zeros((count, len(ports), len(parameters)))
    n = run.system.coordinates
    for j, one in enumerate(parameters):
        largest = int(np.argmax(np.abs(deviations[:, :n, j]).max(axis=1, initial=0.0)))
        h = step_of(known, one, Tangent(dq=deviations[largest, :n, j]))
        for k, weight in FORMULA:
            for sign in (1.0, -1.0):
                step = sign * k * h
                with changed(run.model, {one: one.value + step}, judged=False):
                    beside = _read(known, snapshots, deviations[:, :, j], step)
                derivatives[:, :, j] += (sign * weight / h) * beside
    return values, derivatives


def _read(known: Known, snapshots: Sequence[Snapshot], deviations: np.ndarray, step: float) -> np.ndarray:
    """All outputs at all instants, of the model as it stands now, at states a step along their deviations."""
    read, tables = outputs_at(known.ports), Tables(known)
    system = tables.system
    n, width = system.coordinates, system.width
    found = []
    for at, x in zip(snapshots, deviations, strict=True):
        q, v, states = at.q.copy(), at.v.copy(), at.states + step * x[2 * n :]
        advance(system.geometry, q, np.concatenate([np.zeros(width), step * x[:n]]))
        v[width:] += step * x[n : 2 * n]
        found.append(read(point_in_motion(system, at.time, (q, v, states), tables.turned(at), tables.machine)))
    return np.array(found)
