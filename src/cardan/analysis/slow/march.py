"""The compiled loop of a sequence of equilibria: predict by the tangent, correct by Newton's method, halve what fails.

    q(t + h) = q + h q' + h^2/2 q''  +  corrections with the matrix of the tangent

A step is halved if Newton's method does not converge, if the correction is large compared to the step, or if a stable
equilibrium would become unstable. The loop returns where an equilibrium ends, and at a trial position whose stability
differences of the forces do not decide; `follower` decides it and enters the loop again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.equilibria.imbalance import evaluate_place
from cardan.analysis.equilibria.place import ALMOST
from cardan.analysis.equilibria.statics import SETTLE, SETTLED
from cardan.analysis.slow.tangent import NO, UNDECIDED, YES, find_rates, find_tangent, go_to, move, solve_tangent
from cardan.model.space import displacement
from cardan.numerics.compiled.block import zeros
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.vector import all_finite, copy, copy_to_row
from cardan.system.turns import write_turns

MAX_CORRECTIONS = 12
SLOW_CORRECTION = 0.2  # reduction of a correction above which the matrix is updated
CONVERGED = 1e-8  # last correction, in rad or model lengths
MAX_PREDICTION = 0.3  # predicted displacement of a step, in rad or model lengths
CORRECTION_ALLOWED = 1e-3  # in rad or model lengths,
CORRECTION_SHARE = 0.3  # or as a part of the step
MIN_TIME_SHARE = 1e-9  # step, relative to the whole time, at which an equilibrium counts as ended
BALANCED = 1e-12  # imbalance that needs no further correction

BEGIN, DECIDED = -1, -2  # instead of an output time: evaluate the first position, or use the verdict on it
RUNNING, ENDED, DECIDE, FAILED = range(4)
ACCEPTED, REJECTED, ASKING = range(3)  # outcomes of a step


class SlowClock(Record):
    """Where the sequence is, and how it continues."""

    time: float  # at which forces are evaluated
    timed: int  # 0 if it stays while a parameter changes
    now: float
    last: float  # of the output times
    span: float
    spacing: float
    length: float  # of the next step
    trial_time: float
    trial_length: float
    usual: float  # size of forces
    closed: float  # tolerance of joints
    settles: int  # 1 if forces depend on reactions
    begins: int  # whether the trial is the first position
    asked: int  # whether the trial waits for a verdict
    stable: int  # of the present position
    verdict: int  # on the trial
    was_stable: int  # the last that was decided
    resting: int  # number of neutral motions found exactly, -1 before
    resting_reason: int  # number of the reason that names them,
    reason: int  # that of the trial,
    stated_reason: int  # and of the present position
    steps: int  # since the last output time
    iterations: int
    status: int  # of the evaluation that failed


class Follow(NamedTuple):
    """How numbers in the tables follow a parameter: along straight lines, or as a function writes them."""

    place: np.ndarray  # uint64: their addresses
    base: np.ndarray
    slope: np.ndarray
    address: np.ndarray  # uint64[1]: of the function, or 0
    argument: np.ndarray  # float64[1]
    out: np.ndarray


class SlowTables(NamedTuple):
    """A mechanism in equilibrium, its present position and a trial, each with its tangent and rates."""

    clock: Any
    follow: Any
    statics: Any  # `StaticTables`
    bodies: Any  # `Bodies` with all rows
    at: Any
    there: Any
    tangent: Any
    other: Any  # the tangent of the trial
    rates: Any
    ahead: Any  # the rates of the trial
    memory: Any
    unit: np.ndarray
    columns: np.ndarray
    known: np.ndarray  # multipliers that forces read
    moves: np.ndarray
    steps: np.ndarray
    found: np.ndarray
    entry: np.ndarray
    zero: np.ndarray = zeros("m")
    step: np.ndarray = zeros("speeds")
    way: np.ndarray = zeros("speeds")
    predicted: np.ndarray = zeros("n")
    correction: np.ndarray = zeros("n")
    none: np.ndarray = zeros("m")
    top: np.ndarray = zeros("n")
    low: np.ndarray = zeros("m")
    guess: np.ndarray = zeros("stored")
    beside: np.ndarray = zeros("stored")


class SlowRecord(NamedTuple):
    """What is stored for each output time; stiffnesses for as many as fit the memory, from `first[0]` on."""

    winding: np.ndarray  # uint32
    first: np.ndarray  # int64[1]
    stiffness: np.ndarray  # [some output times, free, free]
    q: np.ndarray = zeros("times", "stored")
    turns: np.ndarray = zeros("times", "winding")
    v: np.ndarray = zeros("times", "speeds")
    a: np.ndarray = zeros("times", "speeds")
    stable: np.ndarray = zeros("times", dtype=np.int64)
    reason: np.ndarray = zeros("times", dtype=np.int64)
    steps: np.ndarray = zeros("times", dtype=np.int64)
    iterations: np.ndarray = zeros("times", dtype=np.int64)


@kernel
def march_equilibria(b, record, times, first, budget):
    """Advance from output time to output time, `budget` steps at most. Returns (RUNNING, ENDED, DECIDE or FAILED,
    number of the next output time).

    With BEGIN the trial position becomes the first one; DECIDED continues there after a verdict.
    """
    clock = b.clock
    if first < 0:
        outcome = _conclude(b) if first == DECIDED else _begin(b)
        return (RUNNING, DECIDE, FAILED)[0 if outcome == ACCEPTED else 1 if outcome == ASKING else 2], 0
    for i in range(first, times.shape[0]):
        if i - record.first[0] >= record.stiffness.shape[0]:
            return RUNNING, i
        while clock.now < times[i]:
            if clock.asked:
                outcome = _conclude(b)
            else:
                if budget == 0:
                    return RUNNING, i
                budget -= 1
                outcome = _try_step(b, times[i])
            if outcome == ASKING:
                return DECIDE, i
            if outcome == REJECTED:
                clock.length = 0.5 * clock.trial_length
                if clock.length < MIN_TIME_SHARE * clock.span:
                    return ENDED, i
                continue
            clock.steps += 1
            clock.length = max(2.0 * clock.trial_length, clock.length)
        write_output(b, record, i)
    return RUNNING, times.shape[0]


@kernel(internal=True)
def write_output(b, record, i):
    """Store the present position as that of output time i."""
    clock, at, unit, width = b.clock, b.at, b.unit, b.step.shape[0] - b.unit.shape[0]
    copy_to_row(at.q, record.q, i)
    write_turns(at.reference, record.winding, record.turns[i])
    for k in range(unit.shape[0]):
        record.v[i, width + k] = b.rates.velocity[k] * unit[k]
        record.a[i, width + k] = b.rates.acceleration[k] * unit[k]
    place = record.stiffness[i - record.first[0]]
    for a in range(place.shape[0]):
        copy(b.tangent.plain[a], place[a])
    record.stable[i], record.reason[i] = clock.stable, clock.stated_reason
    record.steps[i], record.iterations[i] = clock.steps, clock.iterations
    clock.steps, clock.iterations = 0, 0


@kernel(internal=True)
def _begin(b):
    """Evaluate the first position, which is in the trial."""
    clock = b.clock
    clock.begins, clock.asked = 1, 0
    status = go_to(b, clock.trial_time)
    if status == 0:
        status = _evaluate(b, b.there)
    if status == 0:
        status = find_tangent(b, b.there, b.other)
    clock.status = status
    return REJECTED if status else _decide(b)


@kernel(internal=True)
def _try_step(b, until):
    """One step toward an output time."""
    clock, rates, predicted, there = b.clock, b.rates, b.predicted, b.there
    left = until - clock.now
    length = left if clock.length >= left * (1.0 - 1e-12) else min(clock.length, 0.5 * left)
    size = 0.0
    for i in range(predicted.shape[0]):
        bent = 0.5 * length * length * rates.acceleration[i]
        size = max(size, max(abs(length * rates.velocity[i]), abs(bent)))
    if size > MAX_PREDICTION:
        length *= max(0.5 * MAX_PREDICTION / size, 1e-3)
    time = until if length == left else clock.now + length
    clock.trial_time, clock.trial_length, clock.begins, clock.asked = time, length, 0, 0
    if not time > clock.now or go_to(b, time):
        return REJECTED
    h, farthest = time - clock.now, 0.0
    for i in range(predicted.shape[0]):
        predicted[i] = h * rates.velocity[i] + 0.5 * h * h * rates.acceleration[i]
        farthest = max(farthest, abs(predicted[i]))
    if not all_finite(predicted):
        return REJECTED
    copy(b.at.q, there.q)
    copy(b.at.reference, there.reference)
    move(b, there.q, predicted, 1.0)
    copy(there.q, b.guess)
    if _evaluate(b, there) or not _correct(b):
        return REJECTED
    if not _distance(b, b.guess, there.q) <= max(CORRECTION_ALLOWED, CORRECTION_SHARE * farthest):
        return REJECTED
    if find_tangent(b, there, b.other):
        return REJECTED
    return _decide(b)


@kernel(internal=True)
def _evaluate(b, at):
    """The forces at a position, and the turns of its angles. Returns a status."""
    clock, inverse, known = b.clock, b.statics.rows.inverse, b.known
    status = evaluate_place(b, at, clock.time, clock.usual)
    for _ in range(SETTLE if clock.settles else 0):
        if status:
            break
        change, largest = 0.0, 0.0
        for r in range(inverse.shape[0]):
            found = at.multipliers[r] * inverse[r]
            change, largest = max(change, abs(found - known[r])), max(largest, abs(found))
            known[r] = found
        if change <= SETTLED * largest:
            break
        status = evaluate_place(b, at, clock.time, clock.usual)
    copy(at.z, at.reference)
    return status


@kernel(internal=True)
def _correct(b):
    """Newton's method from the trial; the matrix is kept while corrections become small fast. Returns whether it
    converges."""
    clock, there, n = b.clock, b.there, b.unit.shape[0]
    before, updated = np.inf, False
    for _ in range(MAX_CORRECTIONS):
        clock.iterations += 1
        for i in range(n):
            b.top[i] = -there.residual[i]
        for r in range(b.low.shape[0]):
            b.low[r] = -there.phi[r]
        if updated:
            solve_tangent(b.other, b.memory, b.top, b.low, b.correction, b.none)
        else:
            solve_tangent(b.tangent, b.memory, b.top, b.low, b.correction, b.none)
        size, previous, error = 0.0, there.sizes.imbalance, 0.0
        for i in range(n):
            size = max(size, abs(b.correction[i]) if b.correction[i] == b.correction[i] else np.inf)
        if not size <= MAX_PREDICTION:
            return False
        move(b, there.q, b.correction, 1.0)
        if _evaluate(b, there):
            return False
        for r in range(there.phi.shape[0]):
            error = max(error, abs(there.phi[r]))
        left = there.sizes.imbalance
        balanced = left <= BALANCED or (left <= ALMOST and left >= previous)
        if error <= clock.closed and size <= CONVERGED and balanced:
            return True
        if size > SLOW_CORRECTION * before or (before == np.inf and size > CORRECTION_ALLOWED):
            if find_tangent(b, there, b.other):
                return False
            updated = True
        before = size
    return False


@kernel(internal=True)
def _distance(b, start, end):
    """The largest scaled displacement between two positions."""
    unit, width, found = b.unit, b.step.shape[0] - b.unit.shape[0], 0.0
    displacement(b.statics.geometry, start, end, b.way)
    for i in range(unit.shape[0]):
        found = max(found, abs(b.way[width + i] / unit[i]))
    return found


@kernel(internal=True)
def _decide(b):
    """Decide the stability of the trial, or ask for a verdict."""
    clock, state = b.clock, b.other.state
    clock.reason = 0
    if state.stable != UNDECIDED and state.neutral == 0:
        clock.verdict = state.stable
        return _conclude(b)
    if state.stable == YES and clock.resting == state.neutral:
        clock.verdict, clock.reason = UNDECIDED, clock.resting_reason
        return _conclude(b)
    clock.asked = 1
    return ASKING


@kernel(internal=True)
def _conclude(b):
    """Accept the trial with its verdict, unless a stable equilibrium would become unstable."""
    clock = b.clock
    clock.asked = 0
    clock.status = go_to(b, clock.trial_time)  # the verdict may have moved the tables
    if clock.status == 0:
        clock.status = find_rates(b, b.there, clock.trial_time, b.other, b.ahead)
    if clock.status or (clock.begins == 0 and clock.was_stable == YES and clock.verdict == NO):
        return REJECTED
    if clock.begins or clock.verdict != UNDECIDED:
        clock.was_stable = clock.verdict
    clock.now, clock.stable, clock.stated_reason = clock.trial_time, clock.verdict, clock.reason
    copy(b.there.q, b.at.q)
    copy(b.there.reference, b.at.reference)
    _keep_tangent(b.other, b.tangent)
    copy(b.ahead.velocity, b.rates.velocity)
    copy(b.ahead.acceleration, b.rates.acceleration)
    return ACCEPTED


@kernel(internal=True)
def _keep_tangent(source, target):
    kept, state = target.state, source.state
    kept.clear, kept.symmetric, kept.stable, kept.neutral = state.clear, state.symmetric, state.stable, state.neutral
    copy(source.order, target.order)
    copy(source.head, target.head)
    copy(source.beta, target.beta)
    for i in range(source.H.shape[0]):
        copy(source.H[i], target.H[i])
    for r in range(source.A.shape[0]):
        copy(source.A[r], target.A[r])
    for a in range(source.free.shape[0]):
        copy(source.free[a], target.free[a])
        copy(source.reduced[a], target.reduced[a])
        copy(source.plain[a], target.plain[a])
        copy(source.factor[a], target.factor[a])
