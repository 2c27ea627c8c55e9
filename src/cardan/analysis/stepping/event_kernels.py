"""Events of elements that switch, handled in machine code as `forward.events.handling` does.

Exported models, batches and pages use it. Contacts and friction switch as in `simulate`, see `mode_kernels`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.forward.events.handling import CHATTER, JAM, NEARLY, SOON
from cardan.analysis.forward.events.mode_kernels import settle_modes
from cardan.analysis.forward.state import Run
from cardan.analysis.stepping.saved_state import memory_of_integrator
from cardan.integrators.stepping import prepare_impulse
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.memory import MemoryImage, restore_memory
from cardan.system.mechanism import kinetic_energy

CHATTERS = 35  # in addition to the statuses of `settle_modes`: an event occurs endlessly


class EventOptions(Record):
    """Numbers of the integrator."""

    recalls: int  # whether its steps depend on earlier ones
    order: float
    rtol: float
    fixed_step: float  # 0: steps vary
    dissipated: int  # the place of the dissipated energy in y


class EventTables(NamedTuple):
    """All that the handling of events needs besides mechanism and stepper."""

    switches: Any
    options: Any
    speed_scale: np.ndarray
    fresh: Any  # the empty memory of the integrator
    event_time: np.ndarray  # float64[events, CHATTER]: when events occurred last,
    event_energy: np.ndarray  # and the kinetic energy then
    event_count: np.ndarray  # int64[events]


def event_tables(run: Run) -> Any:
    """The tables of a run at its start."""
    events = len(run.events)
    fixed = run.settings.method.fixed_step if run.scheme.rough else None
    options = EventOptions(
        recalls=run.scheme.recalls,
        order=run.scheme.order,
        rtol=run.settings.rtol,
        fixed_step=fixed or 0.0,
        dissipated=run.sizes.positions + run.sizes.speeds + len(run.system.laws),
    )
    return block(
        EventTables(
            switches=run.switching.tables,
            options=options,
            speed_scale=run.formulation.speed_scale,
            fresh=MemoryImage(memory_of_integrator(run) if run.scheme.recalls else []).tables,
            event_time=np.zeros((events, CHATTER)),
            event_energy=np.zeros((events, CHATTER)),
            event_count=np.zeros(events, np.int64),
        )
    )


@kernel
def settle_start(mechanism, stepper, tables):
    """Find the modes of all elements at the start of a run. Returns a status."""
    return settle_modes(mechanism, stepper, tables.switches, False)


@kernel
def handle_event(mechanism, stepper, tables):
    """Switch an element; the lost kinetic energy counts as dissipated. Returns a status."""
    switches, k = tables.switches, stepper.outcome.event
    before = energy_of(mechanism, stepper)
    tables.event_time[k, tables.event_count[k] % CHATTER] = stepper.clock.now
    tables.event_energy[k, tables.event_count[k] % CHATTER] = before
    tables.event_count[k] += 1
    first = tables.event_energy[k, tables.event_count[k] % CHATTER]
    clock = stepper.clock
    if _recent(tables, clock, k, CHATTER, NEARLY) or (_recent(tables, clock, k, CHATTER, SOON) and before >= first):
        return CHATTERS
    switches.occurred[k] = 1
    status = settle_modes(mechanism, stepper, switches, _recent(tables, clock, k, JAM, NEARLY))
    if status:
        return status
    stepper.y[tables.options.dissipated] += before - energy_of(mechanism, stepper)
    if tables.options.recalls:
        restore_memory(tables.fresh)
        clock.step = min(_first_step(stepper, tables), clock.step)
    return 0


@kernel(internal=True)
def _recent(tables, clock, k, count, share):
    """Whether an event occurred `count` times, including now, within a fraction of the time left."""
    total, times = tables.event_count[k], tables.event_time
    if total < count:
        return False
    first = times[k, (total - count) % CHATTER]
    return clock.now - first < share * (clock.end - first)


@kernel(internal=True)
def energy_of(mechanism, stepper):
    """The kinetic energy of the present state."""
    if prepare_impulse(mechanism, stepper):
        return 0.0
    kinetic_energy(mechanism, stepper.clock.now, stepper.y, stepper.look)
    return stepper.look[0]


@kernel(internal=True)
def _first_step(stepper, tables):
    """An initial step size in which the motion changes little: see `forward.stepping`."""
    options, scale = tables.options, tables.speed_scale
    if options.fixed_step > 0.0:
        return options.fixed_step
    first, pace = stepper.sizes.positions, 0.0
    for i in range(scale.shape[0]):
        pace = max(pace, abs(stepper.y[first + i]) * scale[i], np.sqrt(abs(stepper.dy[first + i]) * scale[i]))
    return 0.3 * options.rtol ** (1.0 / options.order) / pace if pace > 0.0 else np.inf
