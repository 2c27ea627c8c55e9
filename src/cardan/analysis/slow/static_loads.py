"""Forces of a sequence of equilibria."""

from __future__ import annotations

import numpy as np

from cardan.analysis.loads.cartesian import loads_of
from cardan.results.loads import Loads
from cardan.results.trajectory import Trajectory


def static_loads(run: Trajectory) -> Loads:
    """The forces of a sequence of positions without inertia, with all rates zero."""
    still = np.zeros_like(run.v)
    resting = Trajectory(run.system, run.times, run.q, still, still, set_aside=run.set_aside, turns=run.turns)
    resting.bifurcations = run.bifurcations
    return loads_of(resting)
