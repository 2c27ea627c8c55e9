"""Many simulations in one compiled loop: fill the tables, close the mechanism, integrate, read the outputs.

    for each sample:   memory <- image    tables <- numbers    q <- nearest closed position    run    curves <- outputs

A sample that is not plain (it does not close at once, bodies overlap at the start, its velocities do not fit, many
steps seem stiff, one fails, a body may have passed through a sheet) is left to the ordinary analysis. Nothing is
carried from one sample to the next.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.integrators.stepper import FINISHED, STIFF
from cardan.integrators.stepping import begin_run, run_steps, write_now
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.vector import copy
from cardan.numerics.memory import restore_memory, store_number
from cardan.results.compiled_reading import read_parts
from cardan.study.batch.kernels import OTHER, PLAIN, close_start
from cardan.system.evaluate import evaluate_velocity

SAME = 1e-9  # of the largest speed: gap of velocities that fit
ENDLESS = 2**62


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


class SimulationBench(NamedTuple):
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
    v: np.ndarray  # [times, speeds]
    reading: Any


@kernel
def run_simulations(bench, numbers, curves, status):
    """Simulate one sample for each line of `numbers`; curves[s, i, o] is output o at output time i."""
    for s in range(numbers.shape[0]):
        restore_memory(bench.image)
        for j in range(bench.place.shape[0]):
            store_number(bench.place[j], numbers[s, j])
        status[s] = simulate_sample(bench)
        if status[s] == PLAIN:
            read_sample(bench, curves[s])


@kernel(internal=True)
def simulate_sample(b):
    """One run: the record gets y and accelerations at all output times. Returns PLAIN or OTHER."""
    plan, stepper, record = b.plan, b.stepper, b.record
    clock, counters = stepper.clock, stepper.counters
    stated = b.stated
    if not close_start(b.bodies, b.floating, stated.start, stated.turns, b.q, b.reference, plan.begin, plan.closed):
        return OTHER
    if not _begins_in_range(b):
        return OTHER
    gap = _velocity_gap(b)
    _set_start(b)
    clock.now = clock.step_end = plan.begin
    if begin_run(b.mechanism, stepper):
        return OTHER
    if gap > SAME and not _all_driven(b):
        return OTHER
    clock.end, clock.longest = plan.end, plan.longest
    clock.shortest = 1e-14 * max(plan.end - plan.begin, abs(plan.end))
    clock.step = _first_step(b)
    counters.next_output = counters.written = 0
    if record.wanted[0] <= plan.begin:
        counters.next_output = 1
        if record.wanted[0] == plan.begin:
            write_now(stepper, record)
    status, suspicions = run_steps(b.mechanism, b.method, stepper, record, ENDLESS, True), 0
    while status == STIFF and suspicions < plan.suspicions:
        status = run_steps(b.mechanism, b.method, stepper, record, ENDLESS, True)
        suspicions += 1
    if status != FINISHED or counters.written != record.wanted.shape[0]:
        return OTHER
    for k in range(b.deepest.shape[0]):
        if b.deepest[k] > b.stated.sheet[k]:
            return OTHER
    return PLAIN


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
def _all_driven(b):
    """Whether drivers leave no degree of freedom: velocities then follow from them alone."""
    count = 0
    for r in range(b.active.shape[0]):
        count += b.active[r]
    return count == b.bodies.weights.shape[0]


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
def read_sample(b, curves):
    """Read the outputs of a run at all output times."""
    record, first, v = b.record, b.stepper.sizes.positions, b.v
    n = v.shape[0]
    for i in range(n):
        for k in range(v.shape[1]):
            v[i, k] = record.y[i, first + k]
    y = record.y[:n]
    read_parts(b.reading, record.times[:n], y, v, record.a[:n], record.turns[:n], y, y, curves)
