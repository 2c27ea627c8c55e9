"""Plans of experiments: Latin hypercubes, Morris's trajectories, Saltelli's samples for Sobol's indices.

latin_hypercube({"rod.mass": (1, 2), "spring.stiffness": normal(100, 5)}, 50)     one sample in each of 50 slices
morris_plan({"rod.mass": (1, 2), ...}, trajectories=20)                           one parameter changes at a time
sobol_plan({"rod.mass": (1, 2), ...}, 1024)                                       1024 (parameters + 2) samples
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.study.sampling import Normal, Table, checked_seed, distributions_of, spread_over

MAX_PLAN_NUMBERS = 10_000_000  # numbers of a plan that is kept in memory
MORRIS, SOBOL = "morris", "sobol"  # kinds


@dataclass(frozen=True)
class MorrisPlan(Table):
    """Trajectories through a grid of levels; `ranges` are those of the parameters."""

    ranges: tuple[tuple[float, float], ...] = ()


def latin_hypercube(parameters: Mapping[Any, Any], count: int, *, seed: int = 0) -> Table:
    """`count` samples, one in each of `count` equally likely slices of every parameter (McKay, Beckman, Conover 1979).

    Each parameter is (low, high), or normal(mean, deviation). Few samples cover each range evenly.

    >>> from cardan.study import latin_hypercube
    >>> plan = latin_hypercube({"rod.mass": (0.0, 4.0), "rod.inertia": (0.0, 4.0)}, 4)
    >>> [sorted(int(x) for x in column) for column in plan.values(0, 4).T]
    [[0, 1, 2, 3], [0, 1, 2, 3]]
    """
    from scipy.stats import qmc

    keys, spreads = distributions_of(parameters, "latin_hypercube()")
    size = _size(count, len(keys), "latin_hypercube()")
    seed = checked_seed(seed, "latin_hypercube()")
    u = qmc.LatinHypercube(len(keys), seed=np.random.default_rng(seed)).random(size)
    return Table(keys, spread_over(spreads, u), "latin hypercube")


def morris_plan(parameters: Mapping[Any, Any], trajectories: int = 20, *, levels: int = 4, seed: int = 0) -> MorrisPlan:
    """Trajectories in which one parameter changes at a time, for `morris_effects` (Morris 1991).

    Each parameter is (low, high), divided into an even number of `levels`; a step is levels / (2 (levels - 1)) of the
    range. A plan has `trajectories` times (parameters + 1) samples.
    """
    keys, spreads = distributions_of(parameters, "morris_plan()")
    for key, spread in zip(keys, spreads, strict=True):
        if isinstance(spread, Normal):
            raise ModelError(f"morris_plan() needs a range of '{key}', (low, high), got a normal distribution")
    count = check.count(trajectories, "the trajectories of morris_plan()")
    levels = check.count(levels, "the levels of morris_plan()")
    if levels % 2:
        raise ModelError(f"the levels of morris_plan() must be an even number, got {levels}")
    width = len(keys)
    _size(count * (width + 1), width, "morris_plan()")
    random = np.random.default_rng(checked_seed(seed, "morris_plan()"))
    step = levels / (2.0 * (levels - 1.0))
    lower = np.arange(levels // 2) / (levels - 1.0)  # levels from which a step upward stays within the range
    rows = np.zeros((count, width + 1, width))
    for path in rows:
        base, upward = random.choice(lower, width), random.random(width) < 0.5
        path[0] = np.where(upward, base, base + step)
        for k, one in enumerate(random.permutation(width), 1):
            path[k] = path[k - 1]
            path[k, one] += step if upward[one] else -step
    u = np.clip(rows.reshape(-1, width), 0.0, 1.0)
    return MorrisPlan(keys, spread_over(spreads, u), MORRIS, spreads)


def sobol_plan(parameters: Mapping[Any, Any], count: int = 1024, *, seed: int = 0) -> Table:
    """Samples for `sobol_indices`: `count` pairs (A, B), a power of two, and A with each column from B (Saltelli 2010).

    Each parameter is (low, high), or normal(mean, deviation); they are independent. A plan has count (parameters + 2)
    samples: all A, all B, then A with the first column from B, and so on.
    """
    from scipy.stats import qmc

    keys, spreads = distributions_of(parameters, "sobol_plan()")
    count, width = check.count(count, "the count of sobol_plan()"), len(keys)
    if count & (count - 1) or count < 2:
        raise ModelError(
            f"the count of sobol_plan() must be a power of two, such as {2 ** max(1, count.bit_length())}, got {count}"
        )
    _size(count * (width + 2), width, "sobol_plan()")
    seed = checked_seed(seed, "sobol_plan()")
    both = qmc.Sobol(2 * width, scramble=True, seed=np.random.default_rng(seed)).random(count)
    a, b = both[:, :width], both[:, width:]
    mixed = [np.where(np.arange(width) == k, b, a) for k in range(width)]
    return Table(keys, spread_over(spreads, np.concatenate([a, b, *mixed])), SOBOL)


def _size(count: Any, width: int, what: str) -> int:
    size = check.count(count, f"the count of {what}")
    if size * width > MAX_PLAN_NUMBERS:
        raise ModelError(f"{what} of {size} samples of {width} parameters is too large; quasi_random() has no limit")
    return size
