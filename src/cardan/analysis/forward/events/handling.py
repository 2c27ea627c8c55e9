"""Event handling: the user's action is called, and its return value decides how the run continues."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.analysis.forward.checkpoint import saved
from cardan.analysis.forward.events.change import Change, make_change, note_shift
from cardan.analysis.forward.events.event import Event
from cardan.analysis.forward.events.mode_switching import ModeEvent
from cardan.analysis.forward.recording import stopped
from cardan.analysis.forward.state import Run, snapshot
from cardan.analysis.forward.stepping import first_step, make_consistent, reset_memory
from cardan.errors import ModelError
from cardan.integrators.events import TINY
from cardan.integrators.stepping import write_now
from cardan.results.energy import kinetic_energy
from cardan.results.simulation import EventRecord

CHATTER = 200  # number of events at nearly the same time that counts as chatter,
JAM = 8  # and number of those of a contact after which it counts as jammed
NEARLY = 1e-6  # relative to the time left;
SOON = 1e-4  # the same if impacts do not weaken


def handle_event(run: Run) -> bool:
    """Handle an event: call the user's action, switch an element. Returns whether the run continues."""
    k = int(run.stepper.outcome.event)
    event = run.events[k]
    now = run.now
    before = snapshot(run)
    run.happened.append(EventRecord(event, now, before, before))
    _reject_chatter(run, event, now)
    if isinstance(event, ModeEvent):
        _carry_on(run, None, event)
    elif event.action is None:
        return _ended(run)
    else:
        change = _answer(run, event, before)
        if change == "stop":
            return _ended(run)
        if change is not None or run.switching.due(run):
            value = float(run.stepper.g[0, len(run.events) + k])
            _carry_on(run, change, event)
            _arm(run, k, value)
    run.happened[-1] = EventRecord(event, now, before, snapshot(run))
    return True


def _answer(run: Run, event: Event, snapshot: Any) -> Change | str | None:
    """The return value of the user's action."""
    now = run.now
    try:
        answer = event.action(snapshot) if event.action is not None else None
    except Exception as error:
        raise stopped(run, f"at t = {now:.9g} s the action of {event.title} raised {error!r}") from error
    if answer is None or isinstance(answer, Change) or (isinstance(answer, str) and answer == "stop"):
        return answer
    if not isinstance(answer, dict):
        raise ModelError(
            f"the action of {event.title} must return None, 'stop', a dictionary of bodies or a Change, got {answer!r}"
        )
    return Change(velocities=answer)


def _ended(run: Run) -> bool:
    """End the run here: this time becomes part of the result, and another run can continue from it."""
    written, now = int(run.stepper.counters.written), run.now
    before = run.record.times[:written] if written or not run.segments else run.segments[-1].times
    if not before.size or before[-1] < now:
        write_now(run.stepper, run.record)
    run.checkpoint = saved(run, now)
    return False


def _arm(run: Run, k: int, before: float) -> None:
    """An event whose value was reversed by the change, or has already reversed, can occur again immediately."""
    g, side = run.stepper.g, float(run.stepper.side[k])
    after = float(g[0, len(run.events) + k])
    returns = after * side < 0.0 or before * side <= 0.0
    g[0, k] = -TINY * side if returns else TINY * side


def _carry_on(run: Run, change: Change | str | None, event: Event | ModeEvent) -> None:
    """Apply a change and switch elements; the lost kinetic energy counts as dissipated."""
    system, clock, before = run.system, run.stepper.clock, _kinetic(run)
    if isinstance(change, Change):
        make_change(run, change, f"the action of {event.title}")
    if run.switching.empty:
        make_consistent(run)
    else:
        own = event if isinstance(event, ModeEvent) else None
        run.switching.settle(run, own, jams=own is not None and _recent(run, event, JAM))
    if isinstance(change, Change) and change.release:
        run.formulation.check_masses(run)
    lost = run.sizes.positions + run.sizes.speeds + len(system.laws)  # index of the dissipated energy
    run.stepper.y[lost] += before - _kinetic(run)
    note_shift(run)
    if run.scheme.recalls:
        reset_memory(run)
        # Independent of the end of the run: a checkpoint may have another one.
        clock.step = min(first_step(run, np.inf), float(clock.step))


def _kinetic(run: Run) -> float:
    nq, nv, y = run.sizes.positions, run.sizes.speeds, run.stepper.y[None]
    q, v, _ = run.formulation.bodies(y, y[:, nq : nq + nv])
    return float(kinetic_energy(run.system, q, v, run.machine.matter)[0])


def _reject_chatter(run: Run, event: Event | ModeEvent, now: float) -> None:
    if not _recent(run, event, CHATTER) and not (_recent(run, event, CHATTER, SOON) and _keeps_on(run, event)):
        return
    way_out = "let its action stop the run, or make a larger change"
    if isinstance(event, ModeEvent):
        way_out = "give a speed below which the contact closes, or end the run before with an event"
    first = [h.time for h in run.happened[-8 * CHATTER :] if h.event is event][-CHATTER:][0]
    raise stopped(
        run,
        f"{event.title} chatters: it occurred {CHATTER} times from t = {first:.9g} to {now:.9g} s; {way_out}",
        (event.name,) if event.name else (),
    )


def _recent(run: Run, event: Event | ModeEvent, count: int, share: float = NEARLY) -> bool:
    """Whether an event occurred `count` times, including now, within a fraction of the time left."""
    times = [h.time for h in run.happened[-2 * count :] if h.event is event][-count:]
    return len(times) == count and times[-1] - times[0] < share * (float(run.stepper.clock.end) - times[0])


def _keeps_on(run: Run, event: Event | ModeEvent) -> bool:
    """Whether impacts do not weaken, such as those of a ball between closing walls; a bouncing ball comes to rest."""
    if not isinstance(event, ModeEvent):
        return False
    recent = [h.snapshot for h in run.happened[-2 * CHATTER :] if h.event is event]
    q, v = (np.stack([getattr(snapshot, name) for snapshot in (recent[0], recent[-1])]) for name in "qv")
    first, last = kinetic_energy(run.system, q, v, run.machine.matter)
    return bool(last >= first)
