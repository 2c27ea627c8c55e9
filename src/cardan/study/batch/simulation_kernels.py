"""Many simulations in one compiled loop: fill the tables, close the mechanism, integrate, read the outputs.

    for each sample:   memory <- image    tables <- numbers    q <- nearest closed position    run    curves <- outputs

Contacts and friction switch, see `event_kernels`. A sample that is not plain (it does not close at once, bodies overlap
at the start, drivers contradict each other, many steps seem stiff, one fails, a body may have passed through a sheet,
an element finds no state) is left to the ordinary analysis. Nothing is carried from one sample to the next.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.initial_conditions import AGREED, FREE_WEIGHT, SPEED_ROUNDING
from cardan.analysis.assembly.nearest import LAST_REGULARIZATION
from cardan.integrators.stepper import EVENT, FINISHED, RUNNING, STIFF
from cardan.integrators.stepping import begin_run, run_steps, write_now
from cardan.numerics.compiled.indirect import call_pointer
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Address, Record
from cardan.numerics.linalg.ldlt import solve
from cardan.numerics.linalg.vector import copy
from cardan.numerics.memory import restore_memory, store_number
from cardan.results.compiled_reading import read_parts
from cardan.study.batch.kernels import DONE, ENDLESS, FALLBACK, UNFINISHED, close_start
from cardan.system.evaluate import evaluate_velocity, factorize_soft

CONSISTENT_VELOCITY = 1e-9  # of the largest speed: gap of velocities that fit


class Plan(Record):
    """Numbers of all runs."""

    begin: float
    end: float
    longest: float
    closed: float  # how exactly the start closes
    first_step: float  # times the pace: the first step
    fixed_step: float  # 0: none
    slack: float  # m, rad: rounding of measures that must be in a range at the start
    suspicions: int  # steps that seem stiff, after which the ordinary analysis may choose another method
    suspected: int  # steps of this run that seemed stiff
    settle: Address  # of `settle_start`, 0 if nothing switches,
    handle: Address  # and of `handle_event`


class Fit(NamedTuple):
    """How velocities at the start are made consistent."""

    every: np.ndarray  # uint8[rows]: rows that hold, all but those of elements that switch
    span: np.ndarray  # uint32[coordinates, 2]: the speeds, first and last + 1, of which one is stated if its own is
    weights: np.ndarray  # memory


class SimulationWorkspace(NamedTuple):
    """All tables and memory of one thread."""

    image: Any  # memory at the start of a run
    place: np.ndarray  # uint64: addresses of the numbers that vary
    plan: Any
    mechanism: Any
    method: Any
    stepper: Any
    record: Any
    bodies: Any  # `Bodies` with the rows that the first position must close
    floating: np.ndarray  # uint32: rows whose offset is what that position gives
    active: np.ndarray  # uint8, of the mechanism
    stated: Any  # `Stated`
    ranged: np.ndarray  # uint32[ranges]: the measures with limits at the start
    deepest: np.ndarray  # [guards], of the mechanism
    q: np.ndarray
    reference: np.ndarray
    mechanism_reference: np.ndarray
    size: np.ndarray  # by which speeds become comparable
    fit: Any
    handling: Any  # `EventTables`
    v: np.ndarray  # [times, speeds]
    reading: Any


@kernel
def run_simulations(workspace, numbers, curves, status):
    """Simulate one sample for each line of `numbers`; curves[s, i, o] is output o at output time i."""
    for s in range(numbers.shape[0]):
        restore_memory(workspace.image)
        for j in range(workspace.place.shape[0]):
            store_number(workspace.place[j], numbers[s, j])
        status[s] = continue_sample(workspace, ENDLESS) if begin_sample(workspace) else FALLBACK
        if status[s] == DONE:
            read_sample(workspace, curves[s], workspace.v.shape[0])


@kernel(internal=True)
def begin_sample(b):
    """Begin a run. Returns whether it can begin."""
    plan, stepper, record = b.plan, b.stepper, b.record
    clock, counters = stepper.clock, stepper.counters
    stated = b.stated
    plan.suspected = 0
    if not close_start(b.bodies, b.floating, stated.start, stated.turns, b.q, b.reference, plan.begin, plan.closed):
        return False
    if not _begins_in_range(b):
        return False
    gap = _velocity_gap(b)
    _set_start(b)
    if gap > CONSISTENT_VELOCITY and not _fit_velocities(b):
        return False
    clock.now = clock.step_end = plan.begin
    if begin_run(b.mechanism, stepper):
        return False
    if plan.settle and call_pointer(plan.settle, (b.mechanism, stepper, b.handling)):
        return False
    clock.end, clock.longest = plan.end, plan.longest
    clock.shortest = 1e-14 * max(plan.end - plan.begin, abs(plan.end))
    clock.step = _first_step(b)
    counters.next_output = counters.written = 0
    if record.wanted[0] <= plan.begin:
        counters.next_output = 1
        if record.wanted[0] == plan.begin:
            write_now(stepper, record)
    return True


@kernel(internal=True)
def continue_sample(b, budget):
    """Take steps, about `budget` of them: the record gets y and accelerations at the output times that are passed.
    Returns DONE at the end, UNFINISHED before it, or FALLBACK."""
    plan, stepper, record = b.plan, b.stepper, b.record
    status = run_steps(b.mechanism, b.method, stepper, record, budget, True)
    while (status == STIFF and plan.suspected < plan.suspicions) or status == EVENT:
        if status == STIFF:
            plan.suspected += 1
        elif call_pointer(plan.handle, (b.mechanism, stepper, b.handling)):
            return FALLBACK
        status = run_steps(b.mechanism, b.method, stepper, record, budget, True)
    if status == RUNNING:
        return UNFINISHED
    if status != FINISHED or stepper.counters.written != record.wanted.shape[0]:
        return FALLBACK
    for k in range(b.deepest.shape[0]):
        if b.deepest[k] > b.stated.sheet[k]:
            return FALLBACK
    return DONE


@kernel(internal=True)
def _begins_in_range(b):
    """Whether bodies do not overlap at the closed start, and wheels stand on their road."""
    slack, limits = b.plan.slack, b.stated.range
    for k in range(b.ranged.shape[0]):
        value = b.bodies.work.z[b.ranged[k], 0]
        if not (limits[k, 0] - slack <= value <= limits[k, 1] + slack):
            return False
    return True


@kernel(internal=True)
def _velocity_gap(b):
    """By how much the stated velocities miss what joints and drivers ask for, relative to the largest speed."""
    bodies, speeds, largest, gap = b.bodies, b.stated.speeds, 0.0, 0.0
    work, inverse = bodies.work, bodies.rows.inverse
    evaluate_velocity(bodies.geometry, bodies.rows, speeds, b.plan.begin, work)
    for i in range(speeds.shape[0]):
        largest = max(largest, abs(speeds[i]) * b.size[i])
    for r in range(work.nu.shape[0]):
        if b.fit.every[r] == 0:
            continue
        largest = max(largest, abs(work.nu[r]) * inverse[r])
        gap = max(gap, abs(work.rate[r] - work.nu[r]) * inverse[r])
    return gap / largest if largest > 0.0 else 0.0


@kernel(internal=True)
def _set_start(b):
    """The state of the stepper and of the mechanism."""
    y, stated, positions, winding = b.stepper.y, b.stated, b.q.shape[0], b.bodies.winding
    for i in range(y.shape[0]):
        y[i] = 0.0
    copy(b.q, y)
    for i in range(stated.speeds.shape[0]):
        y[positions + i] = stated.speeds[i]
    first = y.shape[0] - stated.states.shape[0]
    for i in range(stated.states.shape[0]):
        y[first + i] = stated.states[i]
    copy(b.reference, b.mechanism_reference)
    for k in range(winding.shape[0]):
        value = b.reference[winding[k]]
        b.stepper.turns[k] = b.stepper.turns_end[k] = b.stepper.turns_old[k] = value


@kernel(internal=True)
def _fit_velocities(b):
    """Change the velocities at the start as `consistent_velocities` does. Returns whether joints and drivers agree."""
    bodies, fit, first, count = b.bodies, b.fit, b.q.shape[0], b.stated.speeds.shape[0]
    work, solver, weights, v = bodies.work, bodies.solver, fit.weights, b.stepper.y[first : first + count]
    x, place, nc, width = work.x, solver.place, weights.shape[0], count - weights.shape[0]
    _weigh(bodies.weights, fit.span, v, weights)
    if factorize_soft(bodies.rows, solver, weights, fit.every, LAST_REGULARIZATION, work):
        return False
    asked, left, fastest = 0.0, 0.0, 0.0
    for turn in range(4):  # refined three times
        evaluate_velocity(bodies.geometry, bodies.rows, v, b.plan.begin, work)
        left = 0.0
        for i in range(nc):
            x[place[i]] = 0.0
        for r in range(work.nu.shape[0]):
            gap = work.nu[r] - work.rate[r] if fit.every[r] else 0.0
            x[place[nc + r]] = gap
            left = max(left, abs(gap))
            if turn == 0 and fit.every[r]:
                asked = max(asked, abs(work.nu[r]), abs(gap))
        solve(solver.pattern, work.lower, work.pivots, x)
        for i in range(nc):
            v[width + i] += x[place[i]]
    for i in range(nc):
        fastest = max(fastest, abs(v[width + i]) * np.sqrt(bodies.weights[i]))
    return left <= AGREED * asked + SPEED_ROUNDING * fastest


@kernel(internal=True)
def _weigh(given, span, v, weights):
    """Weights that keep stated velocities and let those left at zero follow; see `_stated_first`."""
    some = False
    for i in range(v.shape[0]):
        some = some or v[i] != 0.0
    for i in range(weights.shape[0]):
        moves = not some
        for k in range(span[i, 0], span[i, 1]):
            moves = moves or v[k] != 0.0
        weights[i] = given[i] if moves else FREE_WEIGHT * given[i]


@kernel(internal=True)
def _first_step(b):
    """A step in which the motion, as it begins, changes by little."""
    plan, y, dy, first, pace = b.plan, b.stepper.y, b.stepper.dy, b.stepper.sizes.positions, 0.0
    if plan.fixed_step > 0.0:
        return plan.fixed_step
    for i in range(b.size.shape[0]):
        pace = max(pace, abs(y[first + i]) * b.size[i])
        pace = max(pace, np.sqrt(abs(dy[first + i]) * b.size[i]))
    longest = 0.01 * (plan.end - plan.begin)
    return min(plan.first_step / pace, longest) if pace > 0.0 else longest


@kernel(internal=True)
def read_sample(b, curves, n):
    """Read the outputs of a run at its first `n` output times."""
    record, first, v = b.record, b.stepper.sizes.positions, b.v
    for i in range(n):
        for k in range(v.shape[1]):
            v[i, k] = record.y[i, first + k]
    y = record.y[:n]
    read_parts(b.reading, record.times[:n], y, v[:n], record.a[:n], record.turns[:n], y, y, curves[:n])
