"""kinematics(model, times): position, velocity and acceleration of a mechanism whose freedoms are all driven."""

from __future__ import annotations

import time as clock
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cardan.analysis.assemble import assembled, quantity
from cardan.analysis.coordinates import CARTESIAN, Coordinates, Driven, coordinates_of
from cardan.analysis.mobility import Mobility, judge
from cardan.analysis.positions.closing import FAILED, Tolerances, vectors
from cardan.analysis.positions.contradiction import refuse_contradictions
from cardan.analysis.positions.march import (
    BROKEN,
    NEXT,
    NOW,
    RUNNING,
    STATUS,
    STUCK,
    State,
    begin,
    fresh_record,
    fresh_state,
    fresh_trial,
    march,
    settle_borders,
)
from cardan.analysis.positions.singular import best_rows, locate
from cardan.analysis.positions.smooth import jumps_passed
from cardan.analysis.positions.stuck import stuck
from cardan.analysis.progress import Progress, Shown
from cardan.errors import CardanWarning, LockUp, ModelError, SimulationError
from cardan.model import check
from cardan.model.element import Constraint
from cardan.model.model import Model
from cardan.model.space import advance
from cardan.results.jump import Jump
from cardan.results.probe import sample
from cardan.results.recording import follow
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory
from cardan.system.compile import compile
from cardan.system.evaluate import evaluate_position
from cardan.system.system import System

LOOKS = 8  # looks at limits within each interval between instants
SLICE = 0.05  # s of computing between two looks at the clock, the progress bar and the keyboard


def kinematics(
    model: Model,
    times: ArrayLike,
    *,
    start: Snapshot | None = None,
    equation_tolerance: float = Tolerances._field_defaults["equation"],
    step_tolerance: float = Tolerances._field_defaults["step"],
    iterations: int = Tolerances._field_defaults["iterations"],
    coordinates: str = "auto",
    tree: Sequence[Constraint] = (),
    progress: Shown = None,
) -> Trajectory:
    """Move the mechanism through the instants `times` as its drivers say.

    The mechanism is assembled at times[0] from the stated positions, or from those of `start`. Between instants the
    analysis takes as many steps as it needs. An instant counts as closed when all equations hold to
    `equation_tolerance` and the last of Newton's corrections was below `step_tolerance` (lengths relative to the size
    of the model); each step is given `iterations` corrections before it is halved.

    With `coordinates="joint"` the joints of a spanning tree carry the coordinates, those in `tree` in any case, see
    `joint_space`; the result is the same. Where this cannot go on, Cartesian coordinates take over and tell why.

    Raises `LockUp` where the mechanism cannot go on, with the part computed in `.partial`.
    """
    tolerances = (equation_tolerance, step_tolerance, iterations)
    chosen = coordinates_of(coordinates, tree, "kinematics")
    return driven_motion(model, times, "kinematics", start, tolerances, progress, coordinates=chosen).run


def driven_motion(
    model: Model,
    times: ArrayLike,
    analysis: str,
    start: Snapshot | None = None,
    tolerances: tuple[float, float, int] = (*Tolerances(),),
    progress: Shown = None,
    *,
    forces: bool = False,
    coordinates: Coordinates = CARTESIAN,
) -> Driven:
    """The work behind `kinematics`; with `forces` the system has the measures along which they act."""
    check.instance(model, Model, f"the model of {analysis}()")
    if start is not None:
        check.instance(start, Snapshot, "start", hint="assemble() gives one")
    grid = checked_times(times)
    limits = Tolerances(
        check.positive(tolerances[0], "equation_tolerance"),
        check.positive(tolerances[1], "step_tolerance"),
        check.count(tolerances[2], "iterations"),
    )
    refuse_contradictions(model, grid)
    positions = None if start is None else start.as_start(model)
    system = compile(model, forces=forces, time=float(grid[0]), start=positions)
    q, active, redundant, freedoms = started(system, float(grid[0]))
    if system.on_velocities.any():
        from cardan.analysis.positions.rolled import (
            rolled_motion,  # which needs forward dynamics, and that the loads of this page
        )

        return Driven(rolled_motion(system, q, system.reference, grid, progress, coordinates))
    limits = limits._replace(equation=max(limits.equation, system.rounding))
    with Progress(analysis, grid.size, progress) as bar:
        found = None
        if coordinates.joint:
            from cardan.analysis.joint.kinematics import joint_driven_motion  # seldom needed, and long to load

            found = joint_driven_motion(system, q, grid, limits, redundant, bar, coordinates.tree)
        result = found or Driven(_Run(system, grid, active, limits, freedoms).go(q, redundant, bar))
    _check_set_aside(result.run)
    _check_limits(result.run)
    return result


class _Run:
    """One run of the compiled loop, slice by slice."""

    def __init__(
        self, system: System, times: np.ndarray, active: np.ndarray, tolerances: Tolerances, freedoms: int
    ) -> None:
        self.system, self.times, self.active, self.freedoms = system, times, active, freedoms
        self.span = float(times[-1] - times[0]) or 1.0
        self.tables = (system.geometry, system.rows, system.solver, system.weights, active, tolerances)
        self.work, self.scratch = system.work(active), vectors(system)
        self.record = fresh_record(system, times.size)
        self.switched = -np.inf  # when rows were last exchanged
        self.jumps: list[Jump] = []

    def go(self, q: np.ndarray, redundant: tuple[int, ...], bar: Progress) -> Trajectory:
        state = fresh_state(self.system, q, float(self.times[0]), self.span)
        count, status = begin(*self.tables, state, self.work, self.scratch)
        if status:
            raise self.system.failure(status, float(self.times[0]), work=self.work)
        if count == FAILED or not np.isfinite(state.a).all():
            raise LockUp(
                f"'{self.system.model.name}' starts in a singular position at t = {self.times[0]:g} s: its drivers do "
                "not say how it moves from there; start beside it",
                time=float(self.times[0]),
            )
        self.refuse_contradicting_rates(redundant)
        self.record.iterations[:], self.record.steps[:] = 0, 0
        done, budget, trial = 0, 256, fresh_trial(state)
        while done < self.times.size:
            begun = clock.perf_counter()
            try:
                status, done = march(
                    *self.tables, self.times, done, budget, state, trial, self.record, self.work, self.scratch
                )
                self.jumps += jumps_passed(self.system, self.record.junctions)
                bar.show(done)
                follow(self, done, self.parts(done, redundant))
                bar.look(lambda: Snapshot(self.system, float(state.clock[NOW]), state.q.copy()))
            except KeyboardInterrupt:
                partial = self.result(done, redundant)
                message = f"interrupted at t = {state.clock[NOW]:.6g} s; what was computed is kept"
                partial.stopped = SimulationError(message, time=float(state.clock[NOW]), partial=partial)
                raise partial.stopped from None
            if status == STUCK and self.other_rows(state):
                redundant = tuple(np.flatnonzero(self.active == 0).tolist())
                continue
            if status != RUNNING:
                raise self.stopped(status, done, state, redundant)
            elapsed = clock.perf_counter() - begun
            budget = int(max(4, min(4 * budget, budget * SLICE / max(elapsed, 1e-6))))
        return self.result(done, redundant)

    def refuse_contradicting_rates(self, redundant: tuple[int, ...]) -> None:
        """Rows set aside must ask for the velocities that the others give, or the drivers contradict each other."""
        system, work = self.system, self.work
        for row in redundant:
            gap = abs(float(work.rate[row] - work.nu[row]))
            if gap > 1e-6 * max(float(np.abs(work.nu).max()), 1e-300):
                element = system.elements[system.owner[row]]
                unit = system.equations[row].unit
                if self.freedoms == 0:
                    raise ModelError(
                        f"the joints of '{system.model.name}' leave no freedom at t = {self.times[0]:g} s, so that "
                        f"{element.title} can move nothing; mobility(model) names what blocks it",
                        elements=(element.name,),
                        time=float(self.times[0]),
                    )
                raise ModelError(
                    f"{element.title} contradicts the other drivers and joints at t = {self.times[0]:g} s: it asks for "
                    f"a velocity that differs by {quantity(gap, unit)}/s from what they give; drop it or change it",
                    elements=(element.name,),
                    time=float(self.times[0]),
                )

    def other_rows(self, state: State) -> bool:
        """Where redundant rows are set aside and those kept become singular, others may still say how to move on."""
        if self.active.all() or self.switched == state.clock[NOW]:
            return False
        chosen = best_rows(self.system, state.q, float(state.clock[NOW]), state.reference)
        if chosen is None:
            return False
        self.switched = float(state.clock[NOW])
        self.active[:] = 0
        self.active[chosen] = 1
        self.work = self.system.work(self.active)
        state.clock[NEXT] = np.inf
        count, status = begin(*self.tables, state, self.work, self.scratch)
        return count != FAILED and status == 0

    def blocked_by_a_function(self, state: State) -> tuple[int, float] | None:
        """Status and time of the first evaluation that fails on the way ahead: functions end where J seems singular."""
        if not self.system.rows.function.size:
            return None
        system, low, high = self.system, 0.0, 1e-3 * self.span

        def status(ahead: float) -> int:
            q = state.q.copy()
            advance(system.geometry, q, ahead * state.v)
            t = float(state.clock[NOW]) + ahead
            return int(evaluate_position(system.geometry, system.rows, q, t, state.reference, self.work))

        if status(high) == 0:
            return None
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if status(middle) else (middle, high)
        return status(high), float(state.clock[NOW]) + high

    def result(self, done: int, redundant: tuple[int, ...], first: int = 0) -> Trajectory:
        record, part = self.record, slice(first, done)
        parts = (record.q[part], record.v[part], record.a[part], record.iterations[part], record.steps[part])
        run = Trajectory(self.system, self.times[part], *parts, set_aside=redundant, turns=record.turns[part])
        run.jumps = [jump for jump in self.jumps if not run.times.size or jump.time >= run.times[0]]
        return run

    def parts(self, done: int, redundant: tuple[int, ...]) -> Callable[[int], Trajectory]:
        """What was computed, from any instant on."""
        return lambda first: self.result(done, redundant, first)

    def stopped(self, status: int, done: int, state: State, redundant: tuple[int, ...]) -> Any:
        """The error that ends the analysis, with what was computed."""
        partial = self.result(done, redundant)
        if status == BROKEN:
            error = self.system.failure(int(state.clock[STATUS]), float(state.clock[NOW]), partial, self.work)
        else:
            failed = self.blocked_by_a_function(state)
            if failed is not None:
                partial.stopped = self.system.failure(failed[0], failed[1], partial, self.work)
                return partial.stopped
            settle_borders(self.tables, state, self.work, self.scratch)
            found = locate(self.system, self.active, state, (self.times[:done], self.record), self.span)
            error = stuck(self.system, found, float(state.clock[NOW]), partial)
        partial.stopped = error
        return error


def started(system: System, time: float) -> tuple[np.ndarray, np.ndarray, tuple[int, ...], int]:
    """The assembled position, which rows are active, which are set aside as redundant, and the joints' freedoms."""
    _require_held(system)
    q, reference = assembled(system, time)
    system.reference[:] = reference
    report = judge(system, q, time, reference, np.zeros(system.row_count))
    _require_driven(system, report, time)
    active = np.ones(system.row_count, np.uint8)
    active[list(report.rows)] = 0
    return q, active, report.rows, report.freedoms


def _require_held(system: System) -> None:
    touched = {int(c) // system.width for c in system.solver.column}
    for body in system.bodies:
        if system.number[id(body)] not in touched:
            raise ModelError(f"nothing holds body '{body.name}': give it a joint or drivers, or remove it")


def _require_driven(system: System, report: Mobility, time: float) -> None:
    if report.undriven > 0:
        plural, free = "s" if report.undriven > 1 else "", ", ".join(report.independent[:4])
        raise ModelError(
            f"'{system.model.name}' needs {report.undriven} more driver{plural}: nothing says how {free} moves"
            f"{_hint(report)}"
        )
    if report.singular:
        element, label = report.singular[0]
        raise LockUp(
            f"'{system.model.name}' starts in a singular position at t = {time:g} s, where '{element}' ({label}) "
            "depends on the other equations; start beside it",
            time=time,
            elements=tuple(dict.fromkeys(name for name, _ in report.singular)),
        )


def _hint(report: Mobility) -> str:
    """What may be the reason, or the way out, where drivers are missing."""
    if report.idle:
        element, label = report.idle[0]
        return f"; '{element}' ({label}) holds nothing in this position: check its axes"
    return f"; joints there offer {', '.join(report.offers[:4])}" if report.offers else ""


def checked_times(times: ArrayLike, what: str = "times") -> np.ndarray:
    try:
        stated = np.asarray(times)
    except ValueError:  # rows of different lengths
        raise ModelError(f"{what} must be a list of numbers, got {times!r}") from None
    if stated.dtype.kind not in "iuf":
        raise ModelError(f"{what} must be a list of numbers, got {times!r}")
    grid = np.ascontiguousarray(stated, dtype=float)
    if grid.ndim != 1 or grid.size == 0:
        raise ModelError(f"{what} must be a list of at least one instant, got an array of shape {grid.shape}")
    if not np.isfinite(grid).all():
        raise ModelError(f"{what} must be finite, got {grid[~np.isfinite(grid)][0]}")
    if np.any(np.diff(grid) <= 0.0):
        k = int(np.flatnonzero(np.diff(grid) <= 0.0)[0])
        raise ModelError(f"{what} must grow, but {grid[k + 1]:g} follows {grid[k]:g}")
    return grid


def _check_set_aside(result: Trajectory) -> None:
    """Rows that were set aside must hold all the same: otherwise the drivers contradict each other later on."""
    system = result.system
    for row in range(system.row_count) if result.set_aside else ():
        error = result.violations()[:, row]
        bad = np.flatnonzero(error > 1e-6 * system.rows.scale[row])
        if bad.size:
            k = int(bad[0])
            element = system.elements[system.owner[row]]
            raise SimulationError(
                f"at t = {result.times[k]:.6g} s {system.row_name(row)}, redundant at the start, contradicts the other "
                f"equations by {quantity(float(error[k]), system.equations[row].unit)}",
                time=float(result.times[k]),
                elements=(element.name,),
                partial=result,
            )


def _check_limits(result: Trajectory) -> None:
    """Report measures that left the range they should stay in, such as a contact beyond the end of a face."""
    limits = [limit for element in result.system.elements for limit in element.limits()]
    if not limits or not len(result):
        return
    times, *motion = result.between(LOOKS)
    values = sample(result.system, [limit.measure for limit in limits], times, *motion)
    others = iter(sample(result.system, [limit.less for limit in limits if limit.less], times, *motion))
    for limit, value in zip(limits, values, strict=True):
        if limit.less:
            value[:, 0] = np.sqrt(np.maximum(value[:, 0] ** 2 - next(others)[:, 0] ** 2, 0.0))
        out = np.flatnonzero((value[:, 0] < limit.low) | (value[:, 0] > limit.high))
        if out.size:
            k = int(out[0])
            warnings.warn(
                f"at t = {times[k]:.6g} s {limit.what}: {value[k, 0]:.4g} is not between {limit.low:.4g} and "
                f"{limit.high:.4g}",
                CardanWarning,
                stacklevel=3,
            )
