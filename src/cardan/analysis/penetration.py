"""Bodies that begin inside each other: a run would begin with an explosion, and says so instead."""

from __future__ import annotations

import warnings

import numpy as np

from cardan.errors import CardanWarning, SimulationError
from cardan.system.evaluate import evaluate_position
from cardan.system.system import System

TOUCHING = 1e-9  # of the model's length: what rounding may leave of bodies that just touch


def refuse_penetration(system: System, q: np.ndarray, reference: np.ndarray, time: float) -> None:
    """Refuse stated positions in which a guarded gap is negative, or warn of them where the element allows it."""
    guards = system.guards()
    if not guards:
        return
    work = system.work()
    status = int(evaluate_position(system.geometry, system.rows, q, time, reference, work))
    if status:
        raise system.failure(status, time, work=work)
    for force, guard in guards:
        depth = -float(work.z[system.measures.index(guard.gap), 0])
        if depth <= TOUCHING * system.length:
            continue
        message = f"{force.title} starts with its bodies {depth:.4g} m inside each other at t = {time:g} s"
        if not guard.allowed:
            raise SimulationError(
                f"{message}: move them apart, start from equilibrium(), or state allow_penetration=True",
                time=time,
                elements=(force.name,),
            )
        warnings.warn(message, CardanWarning, stacklevel=4)
