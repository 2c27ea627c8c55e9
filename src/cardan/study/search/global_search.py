"""global_search(): the best design where no derivatives lead to it; synthesize_path(): a linkage for a coupler path.

Differential evolution (SciPy) tries whole generations of designs at a time, in the compiled loop where the analysis is
kinematics; the best one is then polished.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import differential_evolution, least_squares

from cardan.analysis.progress import Progress
from cardan.errors import Interrupted, ModelError, SimulationError
from cardan.model import check
from cardan.shortcuts import SearchShortcuts
from cardan.study.monitor import StudyMonitor, Watched
from cardan.study.sampling import checked_seed
from cardan.study.search.evaluator import Evaluator

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import ArrayLike

    from cardan.model.model import Model

WORST = 1e100  # of designs that fail
POLISH_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Found(SearchShortcuts):
    """The best design of a search."""

    values: dict[str, float]
    objective: float
    analyses: int
    failed: int  # designs that had no result
    message: str
    converged: bool
    history: tuple[float, ...] = field(repr=False, default=())  # the best objective of each generation

    @property
    def complete(self) -> bool:
        """Whether the search has ended."""
        return bool(self.message)

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {value:.6g}" for name, value in self.values.items())
        end = "" if self.converged else f"; not converged: {self.message or 'still searching'}"
        return f"found {values}: {self.objective:.6g}; {self.analyses} designs, {self.failed} without a result{end}"


def global_search(
    model: Model,
    parameters: Mapping[Any, Any],
    objective: Any,
    analysis: str = "kinematics",
    *,
    seed: int = 0,
    population: int = 15,
    generations: int = 100,
    tolerance: float = 1e-6,
    progress: bool | None = None,
    watch: Watched = None,
    **options: Any,
) -> Found:
    """The design within limits, {name: (low, high)}, for which the objective, one output, is least.

    Designs that cannot be assembled or analyzed are skipped. A generation has `population` designs for each parameter.
    `watch=True` draws the progress of the search; a function is called now and then with the results so far.
    """
    evaluator = Evaluator(model, parameters, analysis, objective, options, "global_search()")
    if evaluator.shapes != [()]:
        raise ModelError("the objective of global_search() must be one number; reduce a curve: 'slider.ax:peak'")
    search = _Evolution(evaluator, lambda outputs: outputs[0], StudyMonitor(watch, "global_search()"))
    found = search.run(seed, population, generations, tolerance, progress)
    search.watch.last(found)
    return found


def synthesize_path(
    model: Model,
    parameters: Mapping[Any, Any],
    point: str,
    path: str | Path,
    *,
    times: ArrayLike,
    timed: bool = False,
    seed: int = 0,
    population: int = 15,
    generations: int = 200,
    progress: bool | None = None,
    watch: Watched = None,
) -> Found:
    """Dimensions of a linkage whose `point` (a Point or body of the model) passes through the points of `path`.

    The mechanism moves through `times`; with `timed=True` it must be at point k of the path at times[k], otherwise
    somewhere on its way. The objective is the root mean square distance of the points from the way.
    """
    wanted = np.asarray(path, float)
    check.instance(point, str, "the point of synthesize_path()", hint="the name of a Point or body")
    if wanted.ndim != 2 or wanted.shape[1] not in (2, 3) or len(wanted) < 2 or not np.isfinite(wanted).all():
        raise ModelError(f"the path of synthesize_path() must be points (n, 2) or (n, 3), got the shape {wanted.shape}")
    if timed and len(wanted) != np.size(times):
        raise ModelError(f"{len(wanted)} points of the path need as many times, got {np.size(times)}")
    columns = [f"{point}.{axis}" for axis in "xyz"[: wanted.shape[1]]]
    evaluator = Evaluator(model, parameters, "kinematics", columns, {"times": times}, "synthesize_path()")

    def misses(outputs: list[np.ndarray]) -> np.ndarray:
        """Vectors from the points to the way, [designs, points, axes]."""
        way = np.stack(outputs, axis=2)
        return way - wanted if timed else _to_way(way, wanted)

    def apart(outputs: list[np.ndarray]) -> np.ndarray:
        return np.asarray(np.sqrt((misses(outputs) ** 2).sum(axis=2).mean(axis=1)))

    search = _Evolution(evaluator, apart, StudyMonitor(watch, "synthesize_path()"))
    found = search.polished(search.run(seed, population, generations, POLISH_TOLERANCE, progress), misses)
    search.watch.last(found)
    return found


class _Evolution:
    def __init__(
        self, evaluator: Evaluator, objectives: Callable[[list[np.ndarray]], np.ndarray], watch: StudyMonitor
    ) -> None:
        self.evaluator, self.objectives, self.watch, self.failed = evaluator, objectives, watch, 0
        self.history: list[float] = []
        self.best, self.least, self.reason = np.zeros(0), WORST, ""

    def run(self, seed: int, population: int, generations: int, tolerance: float, progress: bool | None) -> Found:
        count = check.count(generations, "the generations of a search")
        with Progress("search", count, progress) as bar:

            def follow(x: np.ndarray, convergence: float = 0.0) -> None:
                self.history.append(self.least)
                bar.show(len(self.history))
                self.watch.look(lambda: self._found(x, self.least, "", False))

            try:
                found = differential_evolution(
                    self,
                    [*zip(self.evaluator.low, self.evaluator.high, strict=True)],
                    seed=np.random.default_rng(checked_seed(seed, "a search")),
                    popsize=check.count(population, "the population of a search"),
                    maxiter=count,
                    tol=check.positive(tolerance, "the tolerance of a search"),
                    polish=False,
                    updating="deferred",
                    vectorized=True,
                    callback=follow,
                )
            except KeyboardInterrupt:
                if self.least >= WORST:
                    raise
                partial = self._found(self.best, self.least, "interrupted", False)
                words = f"interrupted after {len(self.history)} generations: .partial is the best design so far"
                raise Interrupted(words, partial=partial) from None
        if found.fun >= WORST:
            raise SimulationError(f"none of {self.evaluator.count} designs has a result: {self.reason}")
        return self._found(found.x, float(found.fun), str(found.message), bool(found.success))

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Objectives of designs, one column each."""
        chunk = self.evaluator(np.asarray(x.T).reshape(-1, self.evaluator.low.size))
        bad = np.array([bool(reason) for reason in chunk.reasons])
        self.failed += int(bad.sum())
        self.reason = next((reason for reason in chunk.reasons if reason), self.reason)
        with np.errstate(invalid="ignore"):
            values = self.objectives(chunk.outputs)
        values = np.where(bad | ~np.isfinite(values), WORST, values)
        if values.min() < self.least:
            self.best, self.least = np.array(x.reshape(x.shape[0], -1)[:, values.argmin()]), float(values.min())
        return values

    def polished(self, found: Found, misses: Callable[[list[np.ndarray]], np.ndarray]) -> Found:
        """The design after a last search by least squares, if that is better."""
        low, span = self.evaluator.low, self.evaluator.high - self.evaluator.low
        begin = np.clip((np.array([*found.values.values()]) - low) / span, 1e-9, 1.0 - 1e-9)

        def residuals(x: np.ndarray) -> np.ndarray:
            chunk = self.evaluator((low + span * x)[None])
            missed = misses(chunk.outputs).ravel()
            return np.where(np.isfinite(missed), missed, 1e3 * max(found.objective, 1e-9))

        tight = {"xtol": POLISH_TOLERANCE, "ftol": POLISH_TOLERANCE, "gtol": POLISH_TOLERANCE}
        better = least_squares(residuals, begin, bounds=(0.0, 1.0), **tight)
        design = low + span * better.x
        objective = float(self(design[:, None])[0])
        if objective >= found.objective:
            return found
        return self._found(design, objective, found.message, True)

    def _found(self, x: np.ndarray, objective: float, message: str, converged: bool) -> Found:
        evaluator = self.evaluator
        history = tuple(self.history)
        return Found(evaluator.named(x), objective, evaluator.count, self.failed, message, converged, history)


def _to_way(way: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Vectors from points to the nearest place on the straight pieces of each way: [ways, points, axes]."""
    start, along = way[:, None, :-1], np.diff(way, axis=1)[:, None]
    square = np.maximum((along**2).sum(axis=3), 1e-300)
    share = np.clip((((wanted[None, :, None] - start) * along).sum(axis=3)) / square, 0.0, 1.0)
    vectors = start + share[..., None] * along - wanted[None, :, None]
    nearest = (vectors**2).sum(axis=3)
    nearest = np.where(np.isfinite(nearest), nearest, np.inf).argmin(axis=2)
    return np.take_along_axis(vectors, nearest[:, :, None, None], axis=2)[:, :, 0]
