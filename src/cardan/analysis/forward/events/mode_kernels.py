"""Switching of contacts and friction in machine code: what `mode_switching` describes.

A `Switches` block has all that is needed, so runs, C libraries and FMUs switch alike.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.forward.events.impulse import find_impulses
from cardan.elements.contact.friction import STICKING
from cardan.integrators.events import OFF, TINY
from cardan.integrators.stepping import begin_run, prepare_impulse
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.vector import dot
from cardan.system.mechanism import impulse, row_gradient

INSIDE = 100.0  # times the gap that counts as zero: bodies are inside each other
STILL = 0.01  # relative to a negligible rebound: speeds that impulses need not stop
PULL = 1e-10  # relative to the largest reaction
ROUNDS = 200  # largest number of changes until contacts and friction are consistent
FALLING = -1
# `settle_modes` returns 0, or why not: the mechanism cannot be evaluated, bodies are inside each other, no impulses
# separate them, no modes are consistent.
BROKEN_STATE, TOO_DEEP, NO_IMPULSES, NO_MODES = 31, 32, 33, 34


class Found(Record):
    """Results of the last call."""

    contact: int  # the one that is inside,
    gap: float  # and by how much
    touching: int  # number of contacts that took part in an impact
    lenient: int  # 1: another program locates events, only to its own tolerance


class Switches(NamedTuple):
    """Contacts and friction elements of a run, and the parts of its tables that they read and change."""

    found: Any
    contact_row: np.ndarray  # int64[contacts]: the constraint that holds the gap,
    contact_along: np.ndarray  # int64: that of sliding, or -1,
    gap: np.ndarray  # int64: the event of the gap,
    lift: np.ndarray  # int64: and that of the push
    touch: np.ndarray  # float64: a gap that counts as zero,
    moving: np.ndarray  # a speed that does not,
    slow: np.ndarray  # and a rebound that is negligible
    restitution: np.ndarray
    friction: np.ndarray
    stick_row: np.ndarray  # int64[sticks]
    sliding: np.ndarray  # int64: events
    margin: np.ndarray
    place: np.ndarray  # int64: the direction of sliding in y
    still: np.ndarray  # float64: a speed that counts as zero
    engaged: np.ndarray  # uint8[rows], of the mechanism
    active: np.ndarray
    phi: np.ndarray
    rate: np.ndarray
    nu: np.ndarray
    multipliers: np.ndarray
    settings: Any
    occurred: np.ndarray  # uint8[events]: events to be handled
    kept: np.ndarray  # uint8[rows]: must not be engaged again at this time
    touching: np.ndarray  # int64[contacts]
    rows: np.ndarray  # int64[contacts and their sliding]
    gradients: np.ndarray  # float64[the same, speeds]
    changes: np.ndarray  # the effect of unit impulses
    problem: Any  # `ImpulseTables`


@kernel
def settle_modes(mechanism, stepper, switches, jams):
    """Make the mechanism consistent after a change or events; see `ModeSwitches.settle`. Returns a status."""
    occurred, kept = switches.occurred, switches.kept
    for r in range(kept.shape[0]):
        kept[r] = 0
    status = 0
    if jams:
        status = _evaluate(mechanism, stepper)
    if status == 0 and jams and _barely_moves(switches):
        status = _stop(mechanism, stepper, switches)
    elif status == 0:
        _follow(stepper, switches)
    if status == 0 and switches.contact_row.shape[0] > 0:
        status = _strike(mechanism, stepper, switches)
    if status == 0 and switches.stick_row.shape[0] > 0:
        status = _choose_sliding(mechanism, stepper, switches)
    if status == 0:
        status = NO_MODES
        for _ in range(ROUNDS):
            failure = begin_run(mechanism, stepper)
            if failure:
                stepper.outcome.failure = failure
                status = BROKEN_STATE
                break
            if not _relax(stepper, switches):
                status = 0
                break
    if status == 0:
        _arm(stepper, switches)
    for k in range(occurred.shape[0]):
        occurred[k] = 0
    return status


@kernel(internal=True)
def _evaluate(mechanism, stepper):
    """Evaluate and factorize the mechanism in its current state."""
    failure = prepare_impulse(mechanism, stepper)
    if failure:
        stepper.outcome.failure = failure
    return BROKEN_STATE if failure else 0


@kernel(internal=True, inline=True)
def _engage(switches, row, on):
    switches.engaged[row] = switches.active[row] = on


@kernel(internal=True)
def _follow(stepper, switches):
    """Apply events: contacts open, friction breaks away."""
    for c in range(switches.contact_row.shape[0]):
        row = switches.contact_row[c]
        if switches.occurred[switches.lift[c]] and switches.active[row]:  # not where others carry the load
            _engage(switches, row, 0)
            switches.kept[row] = 1
    for s in range(switches.stick_row.shape[0]):
        row = switches.stick_row[s]
        if switches.occurred[switches.margin[s]]:
            _let_slide(stepper, switches, s, switches.multipliers[row])
            switches.kept[row] = 1


@kernel(internal=True)
def _barely_moves(switches):
    """Whether all touching contacts are slow enough to be closed."""
    for c in range(switches.contact_row.shape[0]):
        row = switches.contact_row[c]
        if switches.phi[row] <= switches.touch[c] and abs(switches.rate[row]) > switches.slow[c]:
            return False
    return True


@kernel(internal=True)
def _stop(mechanism, stepper, switches):
    """Close touching contacts, and remove the speeds that violate them.

    Where a linkage between two contacts folds or stretches, one of them implies the other to first order: no impulse
    keeps them from approaching, and they strike repeatedly, each time a little later.
    """
    for c in range(switches.contact_row.shape[0]):
        if switches.phi[switches.contact_row[c]] <= switches.touch[c]:
            _engage(switches, switches.contact_row[c], 1)
    usual = switches.settings.rank_tolerance
    switches.settings.rank_tolerance = 0.0
    failure = begin_run(mechanism, stepper)
    switches.settings.rank_tolerance = usual
    if failure:  # exactly dependent: one implies the other
        failure = begin_run(mechanism, stepper)
    if failure:
        stepper.outcome.failure = failure
    return BROKEN_STATE if failure else 0


@kernel(internal=True)
def _let_slide(stepper, switches, s, toward):
    _engage(switches, switches.stick_row[s], 0)
    stepper.y[switches.place[s]] = 1.0 if toward >= 0.0 else -1.0


@kernel(internal=True)
def _strike(mechanism, stepper, switches):
    """Apply velocity jumps at approaching contacts; those that rebound too slowly close. Returns a status."""
    status = _evaluate(mechanism, stepper)
    count = 0 if status else _find_touching(switches)
    if status or count <= 0:
        return TOO_DEEP if count < 0 else status
    touching, problem = switches.touching, switches.problem
    for k in range(count):
        _engage(switches, switches.contact_row[touching[k]], 0)
    for s in range(switches.stick_row.shape[0]):
        _engage(switches, switches.stick_row[s], 0)
    status = _evaluate(mechanism, stepper)
    if status:
        return status
    _state_problem(mechanism, stepper, switches, count)
    slow = np.inf
    for k in range(count):
        rebound = -switches.restitution[touching[k]] * problem.b[k]
        problem.wanted[k] = rebound if rebound > switches.slow[touching[k]] else 0.0
        slow = min(slow, switches.slow[touching[k]])
    if not find_impulses(problem, STILL * slow):
        return NO_IMPULSES
    first = stepper.sizes.positions
    for i in range(switches.changes.shape[1]):
        for k in range(problem.count.speeds):
            stepper.y[first + i] += switches.changes[k, i] * problem.p[k]
    for k in range(count):
        if problem.wanted[k] == 0.0 and problem.u[k] <= switches.slow[touching[k]]:
            _engage(switches, switches.contact_row[touching[k]], 1)
    return 0


@kernel(internal=True)
def _find_touching(switches):
    """List the contacts that touch. Returns how many, 0 if nothing strikes, -1 if bodies are inside each other."""
    engaged, phi, rate, found = switches.engaged, switches.phi, switches.rate, switches.found
    count, strikes = 0, False
    for c in range(switches.contact_row.shape[0]):
        row, touch = switches.contact_row[c], switches.touch[c]
        if not engaged[row] and phi[row] < -INSIDE * touch and not found.lenient:
            found.contact, found.gap = c, phi[row]
            return -1
        struck = found.lenient and switches.occurred[switches.gap[c]]
        if not (phi[row] <= touch or engaged[row] or struck) or switches.kept[row]:
            continue
        switches.touching[count] = c
        count += 1
        strikes |= abs(rate[row]) > switches.moving[c] if engaged[row] else rate[row] <= switches.slow[c]
    found.touching = count
    return count if strikes else 0


@kernel(internal=True)
def _state_problem(mechanism, stepper, switches, count):
    """The speeds along the touching contacts, and the effect of unit impulses on them and on all speeds."""
    problem, rows, touching, first = switches.problem, switches.rows, switches.touching, stepper.sizes.positions
    n = count
    for k in range(count):
        c = touching[k]
        rows[k], problem.friction[k], problem.slides[k] = switches.contact_row[c], switches.friction[c], -1
        if switches.contact_along[c] >= 0:
            rows[n], problem.slides[k] = switches.contact_along[c], n
            n += 1
    problem.count.contacts, problem.count.speeds = count, n
    nv, G, X = stepper.sizes.speeds, switches.gradients, switches.changes
    v, part = stepper.y[first : first + nv], stepper.look[first : first + nv]
    for k in range(n):
        row_gradient(mechanism, rows[k], stepper.y, G[k])
    for k in range(n):
        for i in range(nv):
            part[i] = G[k, i]
        impulse(mechanism, stepper.clock.now, stepper.y, stepper.look)
        for i in range(nv):
            X[k, i] = part[i]
    for k in range(n):
        problem.b[k] = dot(G[k], v) - switches.nu[rows[k]]
        for j in range(n):
            problem.A[k, j] = dot(G[k], X[j])


@kernel(internal=True)
def _choose_sliding(mechanism, stepper, switches):
    """Friction slides where there is speed, and sticks where there is none. Returns a status."""
    status = _evaluate(mechanism, stepper)
    for s in range(switches.stick_row.shape[0] if status == 0 else 0):
        row = switches.stick_row[s]
        if switches.kept[row]:
            continue
        rests = switches.found.lenient and switches.occurred[switches.sliding[s]]
        if abs(switches.rate[row]) > switches.still[s] and not rests:
            _let_slide(stepper, switches, s, switches.rate[row])
        elif stepper.y[switches.place[s]] != STICKING or not switches.engaged[row]:
            _engage(switches, row, 1)
            stepper.y[switches.place[s]] = STICKING
    return status


@kernel(internal=True)
def _relax(stepper, switches):
    """Open the contact that pulls most, or release the friction with the largest overload. Returns whether there is
    one."""
    g, active, multipliers = stepper.g[0], switches.active, switches.multipliers
    largest = 0.0
    for r in range(multipliers.shape[0]):
        largest = max(largest, abs(multipliers[r]))
    weakest, least = -1, -PULL * largest
    for c in range(switches.contact_row.shape[0]):
        if active[switches.contact_row[c]] and g[switches.lift[c]] < least:
            weakest, least = c, g[switches.lift[c]]
    if weakest >= 0:
        _engage(switches, switches.contact_row[weakest], 0)
        return True
    for s in range(switches.stick_row.shape[0]):
        if active[switches.stick_row[s]] and g[switches.margin[s]] < least:
            weakest, least = s, g[switches.margin[s]]
    if weakest >= 0:
        _let_slide(stepper, switches, weakest, multipliers[switches.stick_row[weakest]])
        return True
    return False


@kernel(internal=True)
def _arm(stepper, switches):
    """Set the events that can occur next, without those that have just occurred."""
    g, direction, engaged = stepper.g[0], stepper.direction, switches.engaged
    for c in range(switches.contact_row.shape[0]):
        row, gap, lift = switches.contact_row[c], switches.gap[c], switches.lift[c]
        closed = engaged[row] != 0
        direction[gap] = OFF if closed else FALLING
        direction[lift] = FALLING if closed and switches.active[row] else OFF
        if not closed and g[gap] <= switches.touch[c]:  # rounding must not make it approach
            g[gap + direction.shape[0]] = max(g[gap + direction.shape[0]], 0.0)
        watched = lift if closed else gap
        g[watched] = max(g[watched], TINY)
    for s in range(switches.stick_row.shape[0]):
        sliding, margin = switches.sliding[s], switches.margin[s]
        held = engaged[switches.stick_row[s]] != 0
        direction[sliding], direction[margin] = (OFF, FALLING) if held else (FALLING, OFF)
        watched = margin if held else sliding
        g[watched] = max(g[watched], TINY)
