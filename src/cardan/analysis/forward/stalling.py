"""Stalled runs: step sizes have collapsed without failing, or the run would take too long at its pace.

f  ----+               friction as the sign of a speed: whenever the speed approaches zero, the force
       |               reverses it, and the step size is limited by the tolerance for the jump
       +----           makes of the jump
"""

from __future__ import annotations

import time as stopwatch

import numpy as np

from cardan.analysis.forward.checkpoint import copied, put_back
from cardan.analysis.forward.checks.function_errors import fastest
from cardan.analysis.forward.recording import stopped
from cardan.analysis.forward.state import Run
from cardan.errors import CardanError, warn
from cardan.integrators.stepping import settle
from cardan.model.force import Force

MANY = 2000  # steps between two checks
# The smallest progress of these steps, relative to the time left: if a force jumps, for a warning only because
# forces may be as stiff as that, and in any case.
JUMPING, CRAWLING, STANDING = 2e-4, 1e-5, 1e-9
JUMP = 0.1  # of a force
HALVINGS = 30  # after which the rest of a steep rise is negligible
REACH, LOOKS = 1e3, 20  # steps ahead and back in which a jump is searched for, and how often

WHILE = 20.0  # s of processor time between two checks of the pace
LONG, HOPELESS = 600.0, 1e6  # s of processor time to the end at that pace: limits for a warning and for an error

State = tuple[float, np.ndarray, np.ndarray]  # time, y and y'


def check_pace(run: Run) -> None:
    """Stop a stalled run; warn if it will take long."""
    _look_at_pace(run)
    steps, now, end = int(run.stepper.counters.steps), run.now, float(run.stepper.clock.end)
    before, then = run.pace.steps, run.pace.time
    if steps - before < MANY:
        return
    run.pace.steps, run.pace.time = steps, now
    led = (now - then) / (end - then) * MANY / (steps - before)
    if led >= JUMPING:
        return
    found = jumping_force(run)
    if found is not None:
        raise _jumps(run, found, f"{steps - before} steps advanced by {now - then:.2g} s")
    if led < STANDING:
        raise stopped(
            run,
            f"at t = {now:.9g} s the step collapsed: {steps - before} steps advanced by {now - then:.2g} s; look for a "
            "function that jumps or grows without bound",
        )
    if led < CRAWLING:
        _warn(run, f"the run has taken {steps - before} steps for {now - then:.2g} s")


def _look_at_pace(run: Run) -> None:
    """The same by the remaining processor time at the current pace."""
    spent, now, end = stopwatch.process_time(), run.now, float(run.stepper.clock.end)
    before, then = run.pace.processor, run.pace.processor_time
    if spent - before < WHILE or not end < np.inf:
        return
    run.pace.processor, run.pace.processor_time = spent, now
    left = (spent - before) * (end - now) / (now - then) if now > then else np.inf
    if left < LONG:
        return
    pace = f"{spent - before:.0f} s of processor time advanced by {now - then:.2g} s"
    found = jumping_force(run)
    if found is not None and left > HOPELESS:
        raise _jumps(run, found, pace)
    if left > HOPELESS:
        body, acceleration = fastest(run)
        raise stopped(
            run,
            f"at t = {now:.9g} s the run cannot finish: {pace}, in steps of {run.stepper.clock.step_taken:.2g} s; "
            f"body '{body}' has the greatest acceleration, {acceleration}: look for stiff forces or tiny masses there, "
            "use method 'radau' or a larger rtol, or end the run before by an event",
            (body,),
        )
    _warn(run, f"{pace}; at this pace the run takes {left / 3600.0:.1f} h more")


def _jumps(run: Run, found: tuple[Force, float, float], pace: str) -> CardanError:
    force, low, high = found
    return stopped(
        run,
        f"at t = {run.now:.9g} s the step collapsed: {force.title} jumps back and forth between "
        f"{low:.4g} and {high:.4g}, and {pace}; make it smooth, as friction near zero speed, or end the run there by "
        "an event",
        (force.name,),
    )


def _warn(run: Run, pace: str) -> None:
    """Warn once per run."""
    if run.pace.warned:
        return
    run.pace.warned, (body, acceleration) = True, fastest(run)
    warn(
        f"at t = {run.now:.9g} s {pace}: the run will take long; body '{body}' has the greatest "
        f"acceleration, {acceleration}; Ctrl-C keeps the results so far"
    )


def jumping_force(run: Run) -> tuple[Force, float, float] | None:
    """The force that jumps near the current state, and its values on both sides; None if there is none."""
    if not run.system.laws:
        return None
    kept, clock = copied(run), run.stepper.clock
    state = float(clock.now), run.stepper.y.copy(), run.stepper.dy.copy()
    farthest = REACH * max(float(clock.step), float(clock.step_taken))
    ahead = np.geomspace(max(100.0 * float(clock.shortest), 1e-15 * farthest), farthest, LOOKS)
    try:
        for reach in np.stack([ahead, -ahead], axis=1).ravel().tolist():
            found = _jump(run, state, reach)
            if found is not None:
                return found
    finally:
        put_back(kept)
    return None


def _jump(run: Run, state: State, reach: float) -> tuple[Force, float, float] | None:
    """The force that jumps within an interval: its change remains while the interval is halved repeatedly."""
    here, there = _forces(run, state, 0.0), _forces(run, state, reach)
    change, size = np.abs(there - here), np.maximum(np.abs(here), np.abs(there))
    shares = np.divide(change, size, out=np.zeros_like(size), where=size > 0.0)
    law = int(np.argmax(np.nan_to_num(shares)))
    if not shares[law] > JUMP:
        return None
    near, far, low, high = 0.0, reach, float(here[law]), float(there[law])
    for _ in range(HALVINGS):
        middle = 0.5 * (near + far)
        value = float(_forces(run, state, middle)[law])
        if abs(value - low) > abs(high - value):
            far, high = middle, value
        else:
            near, low = middle, value
    if not abs(high - low) > 0.5 * change[law]:
        return None
    return run.system.forces[law], min(low, high), max(low, high)


def _forces(run: Run, state: State, ahead: float) -> np.ndarray:
    """The values of all laws slightly ahead or back; NaN if they cannot be evaluated."""
    now, y, dy = state
    run.stepper.clock.now, run.stepper.y[:] = now + ahead, y + ahead * dy
    if settle(run.operations, run.stepper):
        return np.full(run.machine.strength.size, np.nan)
    return run.machine.strength.copy()
