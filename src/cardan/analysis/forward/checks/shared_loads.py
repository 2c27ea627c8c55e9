"""Forces that depend on indeterminate reactions.

If joints are redundant, such as two hinges on one axis, the motion does not determine how they share their load.
Usually the motion does not depend on it either. It does if friction or a controller reads one of these reactions: then
the result holds only for one distribution, in which the redundant equations have no reactions.
"""

from __future__ import annotations

import numpy as np

from cardan.errors import warn
from cardan.model.device import Multiplier
from cardan.numerics.linalg.rank import independent_rows
from cardan.results.simulation import Simulation
from cardan.system.balance import balance
from cardan.system.evaluate import evaluate_position
from cardan.system.system import System

TOUCHED = 1e-9  # share of a null vector above which a reaction counts as indeterminate


def warn_of_shared_loads(run: Simulation) -> None:
    """Warn if forces of a run read reactions that are not unique."""
    if len(run) and len(run.set_aside) and (read := _read(run.system)):
        _warn(run.system, read, run.loads.touched)


def warn_of_shared_loads_at(system: System, q: np.ndarray, time: float, reference: np.ndarray) -> None:
    """The same for forces at a position, from the null vectors of J^T there."""
    read = _read(system)
    if not read:
        return
    work = system.work()
    evaluate_position(system.geometry, system.rows, q, time, reference, work)
    rows, columns, values, shape = system.jacobian(work)
    J = np.zeros(shape)
    unit = system.unit  # a displacement of one model length, in each coordinate
    np.add.at(J, (rows, columns), values * unit[columns] / system.rows.scale[rows])
    rank, left = independent_rows(J, balance(system, rows, columns, values) / unit).size, np.linalg.svd(J)[0]
    _warn(system, read, np.abs(left[:, rank:]).max(axis=1, initial=0.0) > TOUCHED)


def _warn(system: System, read: set[int], touched: np.ndarray) -> None:
    """Name the elements whose reactions are read, and those that share their load with them."""
    shared = np.flatnonzero(touched).tolist()
    open_ones = dict.fromkeys(system.elements[system.owner[r]].name for r in shared if r in read)
    if not open_ones:
        return
    others = dict.fromkeys(system.elements[system.owner[r]].name for r in shared)
    names = ", ".join(f"'{name}'" for name in open_ones)
    sharing = ", ".join(f"'{name}'" for name in list(others)[:6])
    warn(
        f"forces in '{system.model.name}' depend on reactions of {names}, but how {sharing} share their load is "
        "indeterminate: the result holds for one distribution of it, and other coordinates may choose another. "
        "Remove redundant joints, or give the normal force of friction, normal=..."
    )


def _read(system: System) -> set[int]:
    """Rows whose multipliers are inputs of forces and devices."""
    signals = [signal for reader in system.readers for signal in reader.inputs]
    signals += [law.signal for law in system.laws if law.signal is not None]
    wanted = {(id(signal.element), signal.label) for signal in signals if isinstance(signal, Multiplier)}
    if not wanted:
        return set()
    rows = enumerate(zip(system.owner.tolist(), system.equations, strict=True))
    return {r for r, (k, equation) in rows if (id(system.elements[k]), equation.label) in wanted}
