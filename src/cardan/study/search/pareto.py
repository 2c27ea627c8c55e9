"""pareto_front(): designs of which none is better in all of several numbers at once.

    second |  x   x
           |   o    x          o  the front: less of one costs more of the other
           |    o  x  x
           |      o o    x
           +----------------- first

Deb's NSGA-II: each generation is ranked by who dominates whom, ties go to those with the most room around them, and the
best half breeds the next by simulated binary crossover and polynomial mutation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.analysis.progress import Progress
from cardan.errors import Interrupted, ModelError, SimulationError
from cardan.model import check
from cardan.shortcuts import FrontShortcuts
from cardan.study.monitor import StudyMonitor, Watched
from cardan.study.sampling import checked_seed
from cardan.study.search.evaluator import Evaluator

if TYPE_CHECKING:
    from cardan.model.model import Model

CROSSING, MUTATION = 15.0, 20.0  # the larger, the nearer children are to their parents


@dataclass(frozen=True)
class Front(FrontShortcuts):
    """Designs on the front, by rising first objective."""

    parameters: tuple[str, ...]
    objectives: tuple[str, ...]
    designs: np.ndarray  # [designs, parameters]
    numbers: np.ndarray  # [designs, objectives]
    analyses: int
    failed: int
    complete: bool = True  # or what was found so far
    largest: tuple[str, ...] = ()  # objectives that are the better the larger they are

    def __len__(self) -> int:
        return len(self.designs)

    def knee(self) -> dict[str, float]:
        """The design farthest below the line, or plane, through the ends: where giving up more begins to cost more."""
        numbers = self.numbers * [-1.0 if name in self.largest else 1.0 for name in self.objectives]
        low, high = numbers.min(axis=0), numbers.max(axis=0)
        scaled = (numbers - low) / np.where(high > low, high - low, 1.0)
        return dict(zip(self.parameters, self.designs[int(scaled.sum(axis=1).argmin())].tolist(), strict=True))

    def __repr__(self) -> str:
        first, last = self.numbers[[0, -1]]
        if len(self.objectives) > 2:
            first, last = self.numbers.min(axis=0), self.numbers.max(axis=0)
        ends = [f"{name} {a:.4g} to {b:.4g}" for name, a, b in zip(self.objectives, first, last, strict=True)]
        return (
            f"front of {len(self)} designs: {', '.join(ends)}; {self.analyses} designs, {self.failed} without a result"
        )


def pareto_front(
    model: Model,
    parameters: Mapping[Any, Any],
    objectives: Any,
    analysis: str = "kinematics",
    *,
    population: int = 60,
    generations: int = 60,
    seed: int = 0,
    progress: bool | None = None,
    watch: Watched = None,
    **options: Any,
) -> Front:
    """The front of two or more outputs, all the less the better, over parameters within (low, high).

    `watch=True` draws the front as it grows; a function is given what was found so far, now and then.
    """
    evaluator = Evaluator(model, parameters, analysis, objectives, options, "pareto_front()")
    if len(evaluator.shapes) < 2 or any(shape != () for shape in evaluator.shapes):
        raise ModelError(f"pareto_front() weighs two or more numbers against each other, got shapes {evaluator.shapes}")
    size = check.count(population, "the population of pareto_front()")
    count = check.count(generations, "the generations of pareto_front()")
    size = max(4, size + size % 2)
    watching = StudyMonitor(watch, "pareto_front()")
    breed = _Population(evaluator, np.random.default_rng(checked_seed(seed, "pareto_front()")))
    x = breed.random.random((size, evaluator.low.size))
    f = breed.objectives(x)
    with Progress("front", count, progress) as bar:
        for k in range(count):
            try:
                bar.show(k)
                children = breed.children(x, f)
                grown = np.concatenate([f, breed.objectives(children)])
            except KeyboardInterrupt:
                if not np.isfinite(f).all(axis=1).any():
                    raise
                partial = breed.front(x, f, complete=False)
                raise Interrupted(
                    f"interrupted after {k} generations: .partial is the front", partial=partial
                ) from None
            x, f = breed.survivors(np.concatenate([x, children]), grown, size)
            if np.isfinite(f).any():
                watching.look(lambda x=x, f=f: breed.front(x, f, complete=False))  # type: ignore[misc]
    found = breed.front(x, f, complete=True)
    watching.last(found)
    return found


class _Population:
    def __init__(self, evaluator: Evaluator, random: np.random.Generator) -> None:
        self.evaluator, self.random, self.failed, self.reason = evaluator, random, 0, ""

    def objectives(self, x: np.ndarray) -> np.ndarray:
        low, high = self.evaluator.low, self.evaluator.high
        chunk = self.evaluator(low + (high - low) * x)
        bad = np.array([bool(reason) for reason in chunk.reasons])
        self.failed += int(bad.sum())
        self.reason = next((reason for reason in chunk.reasons if reason), self.reason)
        numbers = np.column_stack(chunk.outputs)
        return np.where(bad[:, None] | ~np.isfinite(numbers), np.inf, numbers)

    def front(self, x: np.ndarray, f: np.ndarray, complete: bool) -> Front:
        """The designs that no other one dominates."""
        evaluator = self.evaluator
        fine = np.flatnonzero(np.isfinite(f).all(axis=1))
        best = fine[not_dominated(f[fine])]
        if not best.size:
            raise SimulationError(f"none of {evaluator.count} designs has a result: {self.reason}")
        best = best[np.argsort(f[best, 0], kind="stable")]
        names = tuple(output.name for output in evaluator.job.outputs)
        designs = evaluator.low + (evaluator.high - evaluator.low) * x[best]
        return Front(tuple(evaluator.names), names, designs, f[best], evaluator.count, self.failed, complete)

    def children(self, x: np.ndarray, f: np.ndarray) -> np.ndarray:
        """As many as there are parents, from winners of pairs."""
        rank, room = ranks(f), crowding_distances(f)
        pairs = self.random.integers(0, len(x), (len(x), 2))
        a, b = pairs.T
        first = (rank[a] < rank[b]) | ((rank[a] == rank[b]) & (room[a] > room[b]))
        parents = x[np.where(first, a, b)]
        one, two = parents[::2], parents[1::2]
        u = self.random.random(one.shape)
        spread = np.where(u < 0.5, 2.0 * u, 1.0 / (2.0 * (1.0 - u))) ** (1.0 / (CROSSING + 1.0))
        spread = np.where(self.random.random(one.shape) < 0.5, spread, 1.0)
        both = [0.5 * ((1.0 + s) * one + (1.0 - s) * two) for s in (spread, -spread)]
        return self._mutated(np.clip(np.concatenate(both), 0.0, 1.0))

    def survivors(self, x: np.ndarray, f: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
        order = np.lexsort((-crowding_distances(f), ranks(f)))[:size]
        return x[order], f[order]

    def _mutated(self, x: np.ndarray) -> np.ndarray:
        u = self.random.random(x.shape)
        step = np.where(
            u < 0.5, (2.0 * u) ** (1.0 / (MUTATION + 1.0)) - 1.0, 1.0 - (2.0 * (1.0 - u)) ** (1.0 / (MUTATION + 1.0))
        )
        chosen = self.random.random(x.shape) < 1.0 / x.shape[1]
        return np.clip(np.where(chosen, x + step, x), 0.0, 1.0)


def not_dominated(f: np.ndarray) -> np.ndarray:
    """The numbers of the rows that no other row beats: nowhere larger and somewhere smaller."""
    kept: list[int] = []
    for k in np.lexsort(f.T[::-1]).tolist():  # a row is beaten by rows before it in this order only
        front = f[kept]
        if not np.any((front <= f[k]).all(axis=1) & (front < f[k]).any(axis=1)):
            kept.append(k)
    return np.array(sorted(kept), int)


def ranks(f: np.ndarray) -> np.ndarray:
    """0 for designs that none dominates, 1 for those that only these do, and so on."""
    better = (f[:, None] <= f[None]).all(axis=2) & (f[:, None] < f[None]).any(axis=2)
    rank, left, level = np.zeros(len(f), int), np.ones(len(f), bool), 0
    while left.any():
        front = left & ~(better & left[:, None]).any(axis=0)
        rank[front] = level
        left &= ~front
        level += 1
    return rank


def crowding_distances(f: np.ndarray) -> np.ndarray:
    """The crowding distance of each design within its rank: the sides of the box to its neighbors."""
    rank, room = ranks(f), np.zeros(len(f))
    for level in np.unique(rank):
        members = np.flatnonzero((rank == level) & np.isfinite(f).all(axis=1))
        for column in f[members].T if members.size else ():
            order = members[np.argsort(column, kind="stable")]
            values = np.sort(column, kind="stable")
            span = float(values[-1] - values[0]) or 1.0
            room[order[[0, -1]]] = np.inf
            room[order[1:-1]] += (values[2:] - values[:-2]) / span
    return room
