"""Events within a step: the first one is looked for in the state inside the step, and the step ends there.

g |      /          four looks at each step; where the value of an event changes its sign between two of them, or
  |-----o---- t     goes toward zero and away from it, the instant is found by false position
  |___/
"""

from __future__ import annotations

import numpy as np

from cardan.integrators.dense_output import state_inside
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy
from cardan.system.mechanism import begin_step, decide_rank, event_values, project

LOOKS = 4  # parts of a step in which events are looked for
TRIES = 100  # to find the instant of an event
TINY = 1e-150  # the value of an event that has just taken place
TURNS = 4  # looks for an extremum between two looks
OFF = 2  # the direction of an event that is not looked for at present


@kernel(internal=True)
def look_for_events(mechanism, method, stepper):
    """Find the first event within the last step and go back to it. Returns (status, the event or -1)."""
    clock, g, look = stepper.clock, stepper.g, stepper.look
    start, end = clock.step_start, clock.now
    low = start
    copy(g[0], g[1])
    for part in range(1, LOOKS + 1):
        high = start + (end - start) * part / LOOKS if part < LOOKS else end
        status = state_inside(mechanism, method, stepper, high, look)
        status = status or event_values(mechanism, high, look, g[0])
        if status:
            return status, -1
        event, instant = -1, high
        for k in range(stepper.direction.shape[0]):
            found = _first_crossing(mechanism, method, stepper, k, low, high)
            if found < instant or (event < 0 and found <= instant):
                event, instant = k, found
        if event >= 0:
            status = _stop_at(mechanism, method, stepper, instant)
            g[0, event] = TINY * stepper.side[event]  # which the projection may have changed by a hair
            return status, event
        copy(g[0], g[1])
        low = high
    return 0, -1


@kernel(once=True)
def _first_crossing(mechanism, method, stepper, k, low, high):
    """When event k takes place between two looks, the values of which are g[1] and g[0]; infinity if it does not."""
    g, look, events = stepper.g, stepper.look, stepper.direction.shape[0]
    if stepper.direction[k] == OFF:
        return np.inf
    before, after = g[1, k], g[0, k]
    if before * after < 0.0 or after == 0.0:
        if _crosses(before, after, stepper.direction[k]):
            return _instant(mechanism, method, stepper, k, low, high, before)
        return np.inf
    # Both have one sign: it may pass there and back, if it goes toward zero first and away from it in the end.
    slope, slope_after = g[1, events + k], g[0, events + k]
    for _ in range(TURNS):
        if not (slope * before < 0.0 and slope_after * after > 0.0):
            return np.inf
        middle = low + (high - low) * slope / (slope - slope_after)
        state_inside(mechanism, method, stepper, middle, look)
        event_values(mechanism, middle, look, g[3])
        value, rate = g[3, k], g[3, events + k]
        if value * before <= 0.0:
            if _crosses(before, value, stepper.direction[k]):
                return _instant(mechanism, method, stepper, k, low, middle, before)
            return _instant(mechanism, method, stepper, k, middle, high, value)
        if rate * before < 0.0:
            low, before, slope = middle, value, rate
        else:
            high, after, slope_after = middle, value, rate
    return np.inf


@kernel(internal=True)
def _crosses(before, after, direction):
    return (before < 0.0 <= after and direction >= 0) or (before > 0.0 >= after and direction <= 0)


@kernel(internal=True)
def _instant(mechanism, method, stepper, k, low, high, before):
    """The instant at which event k takes place, from the side behind it: false position, halved where it sticks."""
    g, look = stepper.g, stepper.look
    sign = 1.0 if before < 0.0 else -1.0
    stepper.side[k] = sign
    state_inside(mechanism, method, stepper, high, look)
    event_values(mechanism, high, look, g[2])
    after = g[2, k]
    if not sign * after >= 0.0:  # the polynomial misses the end of the step by a hair
        return high
    side = 0
    for _ in range(TRIES):
        if high - low <= 4e-16 * max(abs(high), abs(low)) or after == 0.0:
            break
        middle = high - after * (high - low) / (after - before)
        if abs(before) <= TINY or not low < middle < high:  # an event that starts at zero passes there and back
            middle = 0.5 * (low + high)
        state_inside(mechanism, method, stepper, middle, look)
        event_values(mechanism, middle, look, g[2])
        value = g[2, k]
        if sign * value >= 0.0:
            high, after, before = middle, value, before * (0.5 if side == 1 else 1.0)
            side = 1
        else:
            low, before, after = middle, value, after * (0.5 if side == -1 else 1.0)
            side = -1
    return high


@kernel(once=True)
def _stop_at(mechanism, method, stepper, t):
    """End the last step early."""
    y = stepper.y
    if t < stepper.clock.now:
        state_inside(mechanism, method, stepper, t, stepper.look)
        copy(stepper.look, y)
        stepper.clock.now = t
        decide_rank(mechanism, t, y, stepper.dy)  # other rows may depend on each other than at the end
    project(mechanism, t, y, stepper.dy)
    status = begin_step(mechanism, t, y, stepper.dy)
    copy(stepper.turns, stepper.turns_end)
    return status or event_values(mechanism, t, y, stepper.g[0])
