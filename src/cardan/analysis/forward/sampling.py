"""States and samplers at the start of a run, and the times of samples.

|--offset--|--period--|--period--|          a sampler is called at offset + k period; k is part of y, for
           k = 0      k = 1      k = 2      checkpoints, snapshots and run.at(t)
"""

from __future__ import annotations

import types
from weakref import WeakKeyDictionary

import numpy as np

from cardan.analysis.forward.state import Run
from cardan.errors import warn
from cardan.model.device import Device, Sampler
from cardan.results.snapshot import Snapshot
from cardan.system.circuit import SLACK
from cardan.system.system import System


def skip_missed_samples(run: Run) -> None:
    """Skip samples before the start of the run: the first one is at the start, or after it."""
    now, y = run.now, run.stepper.y
    for (offset, period), place in zip(run.stepper.sample, run.stepper.sampled, strict=True):
        y[place] = max(y[place], np.ceil((now - offset) / period - SLACK))


def carry_states(run: Run, start: Snapshot) -> None:
    """Continue with the states of a snapshot."""
    run.stepper.y[run.sizes.y - run.system.states.start.size :] = carried(run.system, start)


def carried(system: System, start: Snapshot) -> np.ndarray:
    """The states of a snapshot; devices not in it start from their initial values."""
    then, now = start.system.states, system.states
    places = {(id(owner), name): k for k, (owner, name) in enumerate(zip(then.owner, then.name, strict=True))}
    found = now.start.copy()
    for k, (owner, name) in enumerate(zip(now.owner, now.name, strict=True)):
        if (id(owner), name) in places:
            found[k] = start.states[places[id(owner), name]]
    return found


def start_afresh(system: System) -> None:
    """Reset controllers with internal state by calling their method `reset()`.

    Without that method, a warning reports that a second run continues with the state left by the first.
    """
    for reader, owner in zip(system.readers, (*system.device_owners, *system.sampler_owners), strict=True):
        holder = getattr(reader.function, "__self__", reader.function)  # the object of a method
        if isinstance(holder, types.FunctionType | types.BuiltinFunctionType | types.ModuleType):
            continue
        reset = getattr(holder, "reset", None)
        if callable(reset):
            reset()
            continue
        now = {name: repr(value) for name, value in getattr(holder, "__dict__", {}).items()}
        before = _REMEMBERED.setdefault(reader, now)
        changed = [name for name in now if now[name] != before.get(name)]
        if changed:
            title = reader.title if owner is None else owner.title
            warn(
                f"{title} keeps internal state of an earlier run, {', '.join(map(repr, changed[:4]))}: give it a "
                "method reset(), which every run calls first, or write its state as states="
            )
            _REMEMBERED[reader] = now


# Internal state of controllers without reset() at the start of their last run.
_REMEMBERED: WeakKeyDictionary[Device | Sampler, dict[str, str]] = WeakKeyDictionary()
