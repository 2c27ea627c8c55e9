"""The integrator of a run: its stepper, its scheme, the first step, and times at which steps end.

Steps end where inputs, the motions of drivers and forces and motions of time that devices read, are not smooth:

       f |      _______
         |     /                 A step that passed both ends of a short pulse would not notice it, and one that passes
         |____/                  a jump of the acceleration is not accurate.
         +----x--x---------- t

They also end at samples:

|--offset--|--period--|--period--|          a sampler is called at offset + k period; k is part of y, for
           k = 0      k = 1      k = 2      checkpoints, snapshots and run.at(t)
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from cardan.analysis.forward.events.event import DIRECTIONS
from cardan.analysis.forward.state import Formulation, Run
from cardan.errors import warn
from cardan.integrators.dense_output import inside
from cardan.integrators.scheme import SCHEMES, Setup, method_table
from cardan.integrators.stepper import stepper_state
from cardan.integrators.stepping import begin_run
from cardan.methods import Auto
from cardan.model.curves.motion import Motion
from cardan.model.device import Clock, CurveSignal, Device, Sampler
from cardan.results.snapshot import Snapshot
from cardan.system.circuit import SLACK
from cardan.system.system import System

ONE_CORRECTION = 1e-8  # gaps whose square is below rounding


def fresh_stepper(system: System, formulation: Formulation, events: Sequence[Any], time: float, y: np.ndarray) -> Any:
    """A stepper that starts at y."""
    directions, sizes = [DIRECTIONS[event.direction] for event in events], formulation.sizes
    machine, before = formulation.machine, y.size - system.states.start.size
    circuit = machine.forces.circuit
    tables = machine.limit, machine.turns, directions, circuit.sample, before + circuit.sampled, breakpoints_of(system)
    return stepper_state(time, y, sizes.positions, sizes.speeds, *tables, inside(machine, y.size, sizes.speeds))


def use_scheme(run: Run, name: str) -> None:
    """Continue with the scheme of that name."""
    run.scheme = scheme = SCHEMES[name]
    run.operations = run.formulation.operations(scheme)
    reset_memory(run)
    run.machine.settings.project_stages = float(scheme.projects_stages)
    run.machine.settings.one_correction = min(scheme.near * run.settings.rtol, ONE_CORRECTION)
    flags = run.stepper.flags
    flags.speeds_unprojected, flags.outputs_unprojected = int(scheme.rough), int(scheme.drifts)
    flags.explicit = int(scheme.explicit)
    flags.ignores_breakpoints = int(scheme.book or run.settings.method.fixed_step is not None)


def reset_memory(run: Run) -> None:
    """Give the integrator an empty memory."""
    settings = run.settings
    run.memory = run.scheme.memory(
        Setup(
            run.system,
            run.machine,
            run.mechanism,
            y=run.stepper.y,
            speeds=run.sizes.speeds,
            method=settings.method,
            rtol=settings.rtol,
            tolerance=float(run.machine.settings.atol),
            watch=isinstance(settings.method, Auto),
        )
    )
    run.integrator = method_table(run.scheme, run.operations, run.stepper, run.memory)


def first_step(run: Run, span: float) -> float:
    """An initial step size in which the motion changes little."""
    method, first, scale = run.settings.method, run.sizes.positions, run.formulation.speed_scale
    if run.scheme.rough and method.fixed_step is not None:
        return float(method.fixed_step)
    v, a = (part[first : first + scale.size] for part in (run.stepper.y, run.stepper.dy))
    pace = max(float((np.abs(v) * scale).max(initial=0.0)), float(np.sqrt((np.abs(a) * scale).max(initial=0.0))))
    step = 0.3 * run.settings.rtol ** (1.0 / run.scheme.order) / pace if pace > 0.0 else np.inf
    return min(step, 0.01 * span)


def make_consistent(run: Run) -> None:
    """Close joints, make velocities consistent and find accelerations."""
    raise_failure(run, begin_run(run.operations, run.stepper))


def raise_failure(run: Run, status: int) -> None:
    """Raise the error for a status of the mechanism, unless it is a success."""
    if status:
        run.stepper.outcome.failure = status
        raise run.formulation.failure(run)


def breakpoints_of(system: System) -> np.ndarray:
    """float64[n, 2]: times, and the periods after which they repeat, or infinity."""
    found = {one for motion in _motions(system) for one in motion.breakpoints()}
    return np.array(sorted(found), float).reshape(-1, 2)


def _motions(system: System) -> Iterator[Motion]:
    stated = [equation.motion for equation in system.equations] + [law.motion for law in system.laws]
    yield from (motion for motion in stated if motion is not None)
    signals = [law.signal for law in system.laws] + [signal for reader in system.readers for signal in reader.inputs]
    for signal in signals:
        if isinstance(signal, CurveSignal) and isinstance(signal.at, Clock):
            yield signal.motion


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
