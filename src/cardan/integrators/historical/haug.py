"""Haug's four methods for equations of motion, with Adams' formulas of variable order and step (7.3.2 to 7.3.5).

    direct      all of y is integrated; nothing holds the constraints                                            7.3.3
    baumgarte   the same, but J a = gamma - 2 alpha (J v - nu) - beta^2 phi: violations die out           7.3.4 (7.3.8)
    partition   independent coordinates are integrated under control of the error; the others are predicted by the same
                formula nearly without it, and corrected in every evaluation                                     7.3.2
    hybrid      as baumgarte while violations are small, as partition where they are not                 7.3.5 (Park)

An evaluation may correct the state that it is given: after a step, what Adams keeps lies on the constraints. If the
dependent coordinates begin to move much faster than the independent ones, others are chosen, and only the control of
the error changes. Anything else that moves the state makes Adams start again with order 1: an event, which also closes
the joints, does so each time.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from cardan.integrators.historical import adams
from cardan.integrators.historical.adams import adams_interpolate, adams_restart, adams_step, adams_tables
from cardan.integrators.stepper import COLLAPSED, DRIFTED
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.vector import copy
from cardan.system.mechanism import (
    begin_step,
    choose_coordinates,
    constraint_drift,
    error_tolerances,
    partition_quality,
)

TOO_FAR = 1e-3  # a violation of constraints, relative to the model's length or in rad, that ends a run
RESTLESS = 2.0  # dependent coordinates that move so much faster than independent ones call for another choice,
MORE = 2.0  # if it is more than so many times what it was when they were chosen
LESS = 0.01  # what an error of a dependent coordinate counts: it is corrected, but outputs between steps rely on it


class HaugNotes(Record):
    """What a method has done."""

    started: int
    partitioned: int  # whether it chooses independent coordinates
    choices: int  # how often


class Drift(Record):
    """The largest drift off the constraints."""

    position: float
    time: float  # of that
    velocity: float
    growth: float  # how fast dependent coordinates moved when they were chosen; -1: not known yet


# Adams' memory, tolerances and weights of errors, notes and drift.
HaugMemory = namedtuple(
    "HaugMemory", (*adams.AdamsMemory._fields, "rtol", "atol", "control", "slope", "notes", "drift")
)


def haug_memory(method: str, n: int, order: int = adams.HIGHEST_ORDER, *, fixed: bool = False) -> Any:
    """Memory of one of the methods for y of n numbers; `order` is the highest one, or with fixed steps the only one."""
    tables = adams_tables(n, adams.FIXED if fixed else adams.VARIABLE, order)
    notes = HaugNotes(partitioned=method in ("partition", "hybrid"))
    return block(HaugMemory(*tables, *(np.zeros(n) for _ in range(4)), notes, Drift(growth=-1.0)))


@kernel(internal=True)
def haug_step(mechanism, stepper, memory):
    """Take one step of a length and an order that the error allows."""
    clock, own = stepper.clock, memory.clock
    own.longest = min(clock.longest, stepper.limit[0])
    if memory.notes.started == 0 or _elsewhere(stepper, memory):
        if _start(mechanism, stepper, memory):
            return stepper.outcome.failure
    before, rejected = own.now, memory.counters.rejected
    while True:
        status = adams_step(mechanism, memory, memory.rtol, memory.atol, memory.control, clock.stop)
        if status == adams.ACCEPTED:
            break
        if status == adams.TOO_SMALL or memory.counters.rule != adams.VARIABLE:
            stepper.outcome.failure = memory.counters.status or COLLAPSED
            return COLLAPSED
        stepper.counters.rejected += 1
    stepper.counters.rejected += memory.counters.rejected - rejected
    copy(memory.y, stepper.y)
    clock.now, clock.step_taken, clock.error = own.now, own.now - before, own.error
    clock.step = 2.0 * own.step  # the end is met in two equal steps: it makes itself felt that early
    return _settle(mechanism, stepper, memory)


@kernel(internal=True)
def haug_interpolate(mechanism, stepper, memory, t, out):
    """y at t within the last step, by the polynomial of the corrector."""
    adams_interpolate(memory, t, out, memory.slope)
    return 0


@kernel(once=True)
def _elsewhere(stepper, memory):
    """Whether the state is not where Adams left it."""
    y, own = stepper.y, memory.y
    if stepper.clock.now != memory.clock.now:
        return True
    for j in range(y.shape[0]):
        if y[j] != own[j]:
            return True
    return False


@kernel(once=True)
def _start(mechanism, stepper, memory):
    """Begin at the present state with order 1."""
    clock, atol, control, notes = stepper.clock, memory.atol, memory.control, memory.notes
    error_tolerances(mechanism, clock.now, atol, memory.rtol)
    for j in range(atol.shape[0]):
        control[j] = 1.0 if atol[j] > 0.0 else 0.0
    _sharpen(control)
    if notes.partitioned and _choose(mechanism, stepper, memory):
        return stepper.outcome.failure
    step = clock.longest if memory.counters.rule == adams.FIXED else 0.0
    tolerances = memory.rtol, atol, control
    if adams_restart(mechanism, memory, clock.now, stepper.y, *tolerances, step, clock.stop):
        stepper.outcome.failure = memory.counters.status
        return stepper.outcome.failure
    notes.started = 1
    return 0


@kernel(internal=True)
def _choose(mechanism, stepper, memory):
    """Choose independent coordinates at the present state."""
    control, atol = memory.control, memory.atol
    status = choose_coordinates(mechanism, stepper.clock.now, stepper.y, control)
    for j in range(control.shape[0]):
        if control[j] == 0.0 and atol[j] > 0.0:
            control[j] = LESS
    _sharpen(control)
    memory.notes.choices += 1
    memory.drift.growth = -1.0
    stepper.outcome.failure = status
    return status


@kernel(internal=True)
def _sharpen(control):
    """Make each controlled error count alone, as in the book, instead of the mean of all."""
    controlled = 0
    for j in range(control.shape[0]):
        controlled += control[j] > 0.0
    for j in range(control.shape[0]):
        control[j] *= controlled**0.5


@kernel(once=True)
def _settle(mechanism, stepper, memory):
    """After a step: measure the drift, get ready for the next one, and look whether the partition is still good."""
    clock, drift, look = stepper.clock, memory.drift, stepper.look
    constraint_drift(mechanism, clock.now, stepper.y, look)
    violation = look[0]
    if violation > drift.position:
        drift.position, drift.time = violation, clock.now
    drift.velocity = max(drift.velocity, look[1])
    if not violation <= TOO_FAR:
        stepper.outcome.failure = DRIFTED
        return DRIFTED
    if memory.notes.partitioned == 0:
        return _ready(mechanism, stepper)
    partition_quality(mechanism, clock.now, stepper.y, look)
    growth = look[0]
    if _ready(mechanism, stepper):
        return stepper.outcome.failure
    if drift.growth < 0.0 and 0.0 < growth < np.inf:
        drift.growth = growth
    if growth > max(RESTLESS, MORE * drift.growth):
        return _choose(mechanism, stepper, memory)
    return 0


@kernel(internal=True)
def _ready(mechanism, stepper):
    """The rank, the turns of angles and y' where the next step starts."""
    stepper.outcome.failure = begin_step(mechanism, stepper.clock.now, stepper.y, stepper.dy)
    return stepper.outcome.failure
