"""One run of a driven motion: the compiled loop of `march`, in slices, and its continuation after bifurcations.

These are passed by `at_bifurcation="stop"`, "smooth", a branch, or a list of these, one for each.

try:
    run = kinematics(model, times)
except LockUp as stop:                      # stop.is_bifurcation, stop.branches: the smooth branch first
    run = kinematics(model, times, at_bifurcation=stop.branches[1])
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from cardan.analysis.assembly.assemble import quantity
from cardan.analysis.assembly.closing import FAILED, Tolerances, bodies_of
from cardan.analysis.assembly.scaled_rows import MAX_DENSE_SIZE, best_rows
from cardan.analysis.driven.bifurcation import (
    Branches,
    anchor_of,
    branches_at,
    branches_at_start,
    chosen_branch,
    pass_bifurcation,
)
from cardan.analysis.driven.cartesian_march import begin, fresh_record, fresh_state, march, settle_borders
from cardan.analysis.driven.failure import stuck
from cardan.analysis.driven.march import BROKEN, STUCK, State, fresh_trial
from cardan.analysis.driven.singular import Singularity, Way, escaping, locate
from cardan.analysis.driven.smoothness import jumps_passed
from cardan.analysis.progress import SECONDS_BETWEEN_UPDATES, DurationCheck, Progress, follow
from cardan.errors import Interrupted, LockUp, ModelError, SimulationError
from cardan.model import check
from cardan.model.space import advance
from cardan.numerics.linalg.rank import SINGULAR_PIVOT
from cardan.results.snapshot import Snapshot
from cardan.results.special_points import Bifurcation, Jump
from cardan.results.trajectory import Trajectory
from cardan.system.evaluate import evaluate_position
from cardan.system.system import System

MIN_TIME_STEP = 1e-15  # of the time: shorter steps do not advance it


class DrivenRun:
    """One run of the compiled loop, in slices."""

    def __init__(
        self,
        system: System,
        times: np.ndarray,
        active: np.ndarray,
        tolerances: Tolerances,
        degrees_of_freedom: int,
        choice: BifurcationChoice | None = None,
        velocity: np.ndarray | None = None,
    ) -> None:
        self.system, self.times, self.active, self.degrees_of_freedom = system, times, active, degrees_of_freedom
        self.span = float(times[-1] - times[0]) or 1.0
        self.tolerances, self.bodies = tolerances, bodies_of(system, active)
        self.record = fresh_record(system, times.size)
        self.switched = -np.inf  # time of the last exchange of rows
        self.shortened = False  # whether steps may be as short as the speed of an escape requires
        self.jumps: list[Jump] = []
        self.choice = choice or BifurcationChoice("stop")
        self.velocity = velocity  # velocity on arrival, if the start is the end of another motion
        self.bifurcations: list[Bifurcation] = []
        self.since = 0  # the first output time after the last bifurcation

    def go(
        self, q: np.ndarray, redundant: tuple[int, ...], bar: Progress, singular: LockUp | None = None
    ) -> Trajectory:
        """The motion that starts at q; `singular` is the error to raise if q is singular and not a bifurcation."""
        state = fresh_state(self.system, q, float(self.times[0]), self.span)
        count, status = begin(self.bodies, self.tolerances, state)
        if status:
            raise self.system.failure(status, float(self.times[0]), work=self.bodies.work)
        self.record.iterations[:], self.record.steps[:] = 0, 0
        done, budget = 0, 256
        if singular is None and (count == FAILED or not np.isfinite(state.a).all()):
            singular = LockUp(
                f"'{self.system.model.name}' starts in a singular configuration at t = {self.times[0]:g} s: its "
                "drivers do not determine how it moves from there; start from another configuration",
                time=float(self.times[0]),
            )
        after = self.at_start(q, singular, redundant) if singular or state.clock.regularity < SINGULAR_PIVOT else None
        if after is not None:
            state, done = after
        else:
            self.reject_contradicting_rates(redundant)
        trial = fresh_trial(state)
        patience = DurationCheck(
            f"the motion of '{self.system.model.name}'", float(self.times[0]), float(self.times[-1])
        )
        while done < self.times.size:
            begun = clock.perf_counter()
            try:
                steps = state, trial, self.record
                status, done = march(self.bodies, self.tolerances, self.times, done, budget, *steps)
                self.jumps += jumps_passed(self.system, self.record.junctions)
                bar.show(done)
                follow(self, done, self.parts(done, redundant))
                bar.look(partial(self.shown, state))
            except KeyboardInterrupt:
                run = self.result(done, redundant)
                message = f"interrupted at t = {state.clock.now:.6g} s; .partial has the results so far"
                run.stopped = Interrupted(message, time=float(state.clock.now), partial=run)
                raise run.stopped from None
            if status == STUCK and self.other_rows(state):
                redundant = tuple(np.flatnonzero(self.active == 0).tolist())
                continue
            if status == STUCK and self.shorter_steps(state):
                continue
            if status == STUCK:
                state, done = self.behind_bifurcation(done, state, redundant)
                trial = fresh_trial(state)
                continue
            if status == BROKEN:
                raise self.stopped(int(state.clock.status), float(state.clock.now), self.result(done, redundant))
            self.go_on(patience, float(state.clock.now), done, redundant)
            elapsed = clock.perf_counter() - begun
            budget = int(max(4, min(4 * budget, budget * SECONDS_BETWEEN_UPDATES / max(elapsed, 1e-6))))
        return self.result(done, redundant)

    def shorter_steps(self, state: State) -> bool:
        """Allow steps as short as the present speed requires, and positions as close to singular ones, once, where a
        body is on its way to infinity: the time of its arrival is extrapolated from where the run ends."""
        if self.shortened or escaping(self.system, state)[1] < self.system.length:
            return False
        self.shortened, before = True, float(state.clock.shortest)
        count, status = begin(self.bodies, self.tolerances, state)
        state.clock.shortest = max(float(state.clock.shortest), MIN_TIME_STEP * abs(float(state.clock.now)))
        return count != FAILED and status == 0 and float(state.clock.shortest) < before

    def go_on(self, patience: DurationCheck, now: float, done: int, redundant: tuple[int, ...]) -> None:
        """Raise an error with the results so far if the run cannot continue."""
        try:
            patience.check(now)
        except SimulationError as error:
            error.partial = self.result(done, redundant)
            error.partial.stopped = error
            raise

    def shown(self, state: State) -> Snapshot:
        """The progress of a run."""
        return Snapshot(self.system, float(state.clock.now), state.q.copy())

    def reject_contradicting_rates(self, redundant: tuple[int, ...]) -> None:
        """Reject redundant rows whose prescribed velocities contradict the others."""
        system, work = self.system, self.bodies.work
        for row in redundant:
            gap = abs(float(work.rate[row] - work.nu[row]))
            if gap > 1e-6 * max(float(np.abs(work.nu).max()), 1e-300):
                element = system.elements[system.owner[row]]
                unit = system.equations[row].unit
                if self.degrees_of_freedom == 0:
                    raise ModelError(
                        f"the joints of '{system.model.name}' have no degree of freedom at t = {self.times[0]:g} s "
                        f"that {element.title} could drive; mobility(model) names the constraints",
                        elements=(element.name,),
                        time=float(self.times[0]),
                    )
                raise ModelError(
                    f"{element.title} contradicts the other drivers and joints at t = {self.times[0]:g} s: it "
                    f"prescribes a velocity that differs by {quantity(gap, unit)}/s from the one they imply; "
                    "remove or change it",
                    elements=(element.name,),
                    time=float(self.times[0]),
                )

    def other_rows(self, state: State) -> bool:
        """Exchange redundant rows for others if those in use become singular."""
        if self.active.all() or self.switched == state.clock.now:
            return False
        chosen = best_rows(self.system, state.q, float(state.clock.now), state.reference)
        if chosen is None:
            return False
        self.switched = float(state.clock.now)
        self.active[:] = 0
        self.active[chosen] = 1
        self.bodies = bodies_of(self.system, self.active)
        state.clock.step = np.inf
        count, status = begin(self.bodies, self.tolerances, state)
        return count != FAILED and status == 0

    def blocked_by_a_function(self, state: State) -> tuple[int, float] | None:
        """Status and time of the first evaluation that fails ahead: at the end of a function J seems singular."""
        if not self.system.rows.function.size:
            return None
        system, low, high = self.system, 0.0, 1e-3 * self.span

        def status(ahead: float) -> int:
            q = state.q.copy()
            advance(system.geometry, q, ahead * state.v)
            t = float(state.clock.now) + ahead
            return int(evaluate_position(system.geometry, system.rows, q, t, state.reference, self.bodies.work))

        if status(high) == 0:
            return None
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if status(middle) else (middle, high)
        return status(high), float(state.clock.now) + high

    def result(self, done: int, redundant: tuple[int, ...], first: int = 0) -> Trajectory:
        record, part = self.record, slice(first, done)
        parts = (record.q[part], record.v[part], record.a[part], record.iterations[part], record.steps[part])
        run = Trajectory(self.system, self.times[part], *parts, set_aside=redundant, turns=record.turns[part])
        run.jumps = [jump for jump in self.jumps if not run.times.size or jump.time >= run.times[0]]
        run.bifurcations = list(self.bifurcations)
        return run

    def parts(self, done: int, redundant: tuple[int, ...]) -> Callable[[int], Trajectory]:
        """The results from a given output time on."""
        return lambda first: self.result(done, redundant, first)

    def stopped(self, status: int, time: float, run: Trajectory) -> Exception:
        """The error of a failed evaluation, with the results so far."""
        run.stopped = self.system.failure(status, time, run, self.bodies.work)
        return run.stopped

    def behind_bifurcation(self, done: int, state: State, redundant: tuple[int, ...]) -> tuple[State, int]:
        """The state after the bifurcation at which the run stopped, and the number of output times computed."""
        system, run = self.system, self.result(done, redundant)
        failed = self.blocked_by_a_function(state)
        if failed is not None:
            raise self.stopped(*failed, run)
        settle_borders(self.bodies, state)
        found = locate(system, self.active, state, self.way(done), self.span)
        bifurcation = None
        if found is not None and found.kind == "bifurcation":
            room = float(self.times[-1]) - found.time
            bifurcation = branches_at(system, self.active, state, found, room, self.tolerances)
        return self.passed(found, bifurcation, done, state, run)

    def at_start(self, q: np.ndarray, singular: LockUp | None, redundant: tuple[int, ...]) -> tuple[State, int] | None:
        """The state after a bifurcation at which the motion starts, and the number of output times computed.

        If q is not a bifurcation, raises `singular` if given, otherwise returns None.
        """
        system, time = self.system, float(self.times[0])
        there, found = fresh_state(system, q, time, self.span), None
        if system.coordinates <= MAX_DENSE_SIZE:
            found = branches_at_start(system, self.active, there, self.span, self.tolerances, self.velocity)
        if found is None and singular is not None:
            raise singular
        return None if found is None else self.passed(*found, 0, there, self.result(0, redundant))

    def passed(
        self, found: Singularity | None, bifurcation: Branches | None, done: int, state: State, run: Trajectory
    ) -> tuple[State, int]:
        """The state after a bifurcation, along the branch chosen; raises an error with all branches if none is."""
        branches = tuple(branch.snapshot for branch in bifurcation.branches) if bifurcation else ()
        smooth = bifurcation is None or bifurcation.smooth is not None
        run.stopped = error = stuck(self.system, found, float(state.clock.now), run, branches, smooth)
        taken = self.choice.take(self.system, bifurcation) if bifurcation and branches else None
        if bifurcation is None or taken is None:
            raise error
        way, times = (self.active, self.tolerances, bifurcation, taken), (self.times, self.record, done)
        passed = pass_bifurcation(self.system, *way, *times, state.reference, self.span)
        if passed is None:
            raise error
        self.bifurcations.append(Bifurcation(bifurcation.time, error.elements, branches, taken))
        self.since = passed.done
        self.bodies = bodies_of(self.system, self.active)
        begin(self.bodies, self.tolerances, passed.state)
        return passed.state, passed.done

    def way(self, done: int) -> Way:
        """The output times since the last bifurcation and their indices in the record."""
        times, since = self.times[self.since : done], self.since
        if not self.bifurcations:
            return times, lambda k: (self.record, since + k)
        anchored, kept = anchor_of(self.bifurcations[-1].branches[self.bifurcations[-1].taken])
        return np.append(anchored, times), lambda k: (self.record, since + k - 1) if k else (kept, 0)


STOP, SMOOTH = "stop", "smooth"
AtBifurcation = str | Snapshot | Sequence[str | Snapshot]


class BifurcationChoice:
    """The given choices, one per bifurcation; the last one applies to all further ones if it is a string."""

    def __init__(self, stated: AtBifurcation) -> None:
        listed = [stated] if isinstance(stated, str | Snapshot) or not isinstance(stated, Sequence) else list(stated)
        for choice in listed:
            if isinstance(choice, str):
                check.choice(choice, (STOP, SMOOTH), "at_bifurcation, unless it is a branch,")
            else:
                check.instance(
                    choice, Snapshot, "at_bifurcation, unless it is a string,", hint="use one of LockUp.branches"
                )
        if not listed:
            raise ModelError(
                "at_bifurcation must be 'stop', 'smooth' or a branch, or a list of these; got an empty list"
            )
        self.listed: list[Any] = listed

    def take(self, system: System, bifurcation: Branches) -> int | None:
        """The number of the branch to continue along; None to stop."""
        choice = self.listed[0]
        if len(self.listed) > 1:
            del self.listed[0]
        elif not isinstance(choice, str):
            self.listed = [STOP]
        if isinstance(choice, str):
            return bifurcation.smooth if choice == SMOOTH else None
        taken = chosen_branch(system, bifurcation, choice)
        if taken is None:
            raise ModelError(
                f"at_bifurcation has a branch at t = {choice.time:.6g} s, but '{system.model.name}' bifurcates at "
                f"t = {bifurcation.time:.6g} s: use one of the branches of that bifurcation, or list one choice for "
                "each"
            )
        return taken
