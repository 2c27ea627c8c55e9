"""Neutral directions: of all equilibria that motions without resistance connect, choose the one nearest to the start.

    d = displacement from the start,    q <- q - N N^T d,    then the forces are balanced again        N: neutral ones

Searches without a potential may wander along directions that no force resists: a mechanism that settles rolls on, and
states of devices pull it along. This leads it back.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cardan.analysis.equilibria.place import Place, Ways
from cardan.analysis.equilibria.statics import Statics
from cardan.analysis.equilibria.tangent import Tangent
from cardan.errors import SimulationError
from cardan.model.space import displacement

ROUNDS = 12
NEAR = 1e-7  # model lengths, or rad: a displacement that counts as none
LONGEST = 0.25  # in one round


def displaced(statics: Statics, start: Place, end: Place) -> np.ndarray:
    """The scaled displacement of all coordinates of bodies from one place to another."""
    step = statics.system.speeds()
    displacement(statics.system.geometry, start.q, end.q, step)
    return np.asarray(step[statics.system.width :] / statics.unit)


def brought_back(statics: Statics, start: Place, rest: Place, ways: Ways, balanced: Callable[[Place], Place]) -> Place:
    """The rest nearest to `start` that neutral motions lead to from `rest`; `balanced` finds the one near a place."""
    away = float("inf")
    for _ in range(ROUNDS):
        neutral = Tangent(statics, rest, rest.point.multipliers).neutral
        gone = displaced(statics, start, rest)
        along = neutral @ (neutral.T @ gone)
        size = float(np.abs(along).max(initial=0.0))
        if size <= NEAR or float(np.linalg.norm(along)) >= away:
            break
        states, away = statics.states.copy(), float(np.linalg.norm(along))
        nearer = ways.moved(rest, -along * min(1.0, LONGEST / size))
        try:
            found = None if nearer is None else balanced(nearer)
        except SimulationError:
            found = None
        if found is None or np.linalg.norm(displaced(statics, start, found)) >= np.linalg.norm(gone):
            statics.states[:] = states
            break
        rest = found
    return rest
