"""The integrator of a run: its stepper, its scheme and the first step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.analysis.forward.breakpoints import breakpoints_of
from cardan.analysis.forward.events.event import DIRECTIONS
from cardan.analysis.forward.state import Formulation, Run
from cardan.integrators.dense_output import inside
from cardan.integrators.scheme import SCHEMES, Setup, method_table
from cardan.integrators.stepper import stepper_state
from cardan.integrators.stepping import begin_run
from cardan.methods import Auto
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
