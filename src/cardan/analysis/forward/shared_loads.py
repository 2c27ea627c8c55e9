"""Forces that depend on reactions which rigid bodies leave open.

Where joints are redundant, as two hinges on one axis, the motion does not tell how they share their load. Usually the
motion does not depend on it either. It does if friction or a controller reads one of these reactions: then the result
holds only for one way of sharing, that in which the equations set aside carry nothing.
"""

from __future__ import annotations

import warnings

import numpy as np

from cardan.errors import CardanWarning
from cardan.model.device import Multiplier
from cardan.results.simulation import Simulation
from cardan.system.system import System


def warn_of_shared_loads(run: Simulation) -> None:
    """Warn if forces read reactions that are not unique."""
    system = run.system
    if not (len(run) and len(run.set_aside)):
        return
    read = _read(system)
    if not read:
        return
    touched = np.flatnonzero(run.loads.touched).tolist()
    open_ones = dict.fromkeys(system.elements[system.owner[r]].name for r in touched if r in read)
    if not open_ones:
        return
    others = dict.fromkeys(system.elements[system.owner[r]].name for r in touched)
    names = ", ".join(f"'{name}'" for name in open_ones)
    sharing = ", ".join(f"'{name}'" for name in list(others)[:6])
    warnings.warn(
        f"forces in '{system.model.name}' depend on what {names} carries, but rigid bodies leave open how {sharing} "
        "share their load: this motion holds for one way of sharing it, and other coordinates may choose another. "
        "Remove redundant joints, or state the normal force of friction, normal=...",
        CardanWarning,
        stacklevel=4,
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
