"""The state of a stepper: where a run is in time, and what its steps and outputs are made from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.record import Address, Record

# `run_steps` returns: the budget of steps is used up, the end is reached, the output record is full, an event occurred,
# the next step would be shortened by the end, the integrator suspects stiffness, a step failed.
RUNNING, FINISHED, FULL, EVENT, LAST, STIFF, FAILED = range(7)
# Why a step fails, in addition to the statuses of a mechanism: it became too short, or drifted off the constraints.
COLLAPSED, DRIFTED = 10, 11
INACCURATE = 12  # an interpolation reports that its polynomial is less accurate than the step


class Clock(Record):
    """Times and step sizes."""

    now: float
    step: float  # size to try next
    end: float
    step_start: float  # of the last step
    longest: float  # step sizes allowed
    shortest: float
    step_taken: float  # size of the last step,
    error: float  # and its error divided by the tolerance
    stop: float  # where the next step must end at the latest
    sample_due: float
    step_end: float  # of the last step, before an event shortened it


class Counters(Record):
    """What a run counts."""

    steps: int
    rejected: int
    unclosed: int  # steps whose joints could not be closed to the tolerance
    next_output: int
    written: int
    output_work: int  # evaluations and factorizations made for outputs alone


class Outcome(Record):
    """Why the last call of `run_steps` returned."""

    failure: int
    event: int


class Sizes(Record):
    """Numbers of positions and speeds in y."""

    positions: int
    speeds: int


class Flags(Record):
    """Properties of the method and of the last step."""

    speeds_unprojected: int  # speeds after a step do not satisfy the velocity equations
    outputs_unprojected: int  # outputs stay as integrated, to show the drift
    forces_jumped: int  # since the last step: its history is invalid
    nearly_closed: int  # joints are closed only approximately after this step
    refined: int  # states inside the last step come from shorter steps
    explicit: int  # the method is explicit
    ignores_breakpoints: int  # steps do not end where motions are not smooth


class MethodKernels(Record):
    """Addresses of the kernels of a method."""

    step: Address  # (mechanism, stepper, memory): take one step
    interpolate: Address  # (mechanism, stepper, memory, t, out): y at t within the last step
    refine: Address  # (mechanism, stepper, t, out): the same by shorter steps, see `dense_output`


class Method(NamedTuple):
    """An integrator as the stepping loop sees it."""

    kernels: Any
    memory: Any  # opaque


class StepperState(NamedTuple):
    """The state of a run as the stepping loop sees it."""

    clock: Any
    counters: Any
    outcome: Any
    sizes: Any
    flags: Any
    limit: np.ndarray  # float64[1], of the mechanism: the longest step that loses no turn of an angle
    y: np.ndarray
    dy: np.ndarray  # y' at y
    y_old: np.ndarray  # the same at the start of the last step
    dy_old: np.ndarray
    y_end: np.ndarray  # and at its end, before events and samplers changed anything
    dy_end: np.ndarray
    turns: np.ndarray  # of the mechanism: angles with their turns at the last evaluation
    turns_end: np.ndarray  # the same at y,
    turns_old: np.ndarray  # and at the start of the last step
    look: np.ndarray  # where outputs and events are evaluated
    look_rate: np.ndarray
    g: np.ndarray  # [4, 2 events]: values and rates of events at the end and the start of a part of a step, elsewhere,
    # and where the part was cut
    side: np.ndarray  # float64[events]: the sign of each event after it occurred
    direction: np.ndarray  # int64[events]: -1 falling, 1 rising, 0 both, OFF neither
    sample: np.ndarray  # float64[samplers, 2]: offset and period,
    sampled: np.ndarray  # int64[samplers]: and the place in y of the number of calls
    breakpoints: np.ndarray  # float64[n, 2]: times at which motions are not smooth, and the period, or infinity
    inside: Any  # tables of `dense_output`


def stepper_state(
    t: float,
    y: np.ndarray,
    positions: int,
    speeds: int,
    limit: np.ndarray,
    turns: np.ndarray,
    directions: Sequence[int],
    sample: np.ndarray,
    sampled: np.ndarray,
    breakpoints: np.ndarray,
    inside: Any,
) -> Any:
    """The state of a run that starts at y, which begins with so many positions and speeds."""
    events = np.array(directions, np.int64)
    tables = StepperState(
        clock=Clock(now=t, step_end=t, longest=np.inf),
        counters=Counters(),
        outcome=Outcome(),
        sizes=Sizes(positions=positions, speeds=speeds),
        flags=Flags(),
        limit=limit,
        y=y.copy(),
        dy=np.zeros_like(y),
        y_old=y.copy(),
        dy_old=np.zeros_like(y),
        y_end=y.copy(),
        dy_end=np.zeros_like(y),
        turns=turns,
        turns_end=turns.copy(),
        turns_old=turns.copy(),
        look=np.zeros_like(y),
        look_rate=np.zeros_like(y),
        g=np.zeros((4, 2 * events.size)),
        side=np.zeros(events.size),
        direction=events,
        sample=sample,
        sampled=sampled,
        breakpoints=breakpoints,
        inside=inside,
    )
    return block(tables)
