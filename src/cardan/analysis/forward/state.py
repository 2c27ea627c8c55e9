"""The state of a run of forward dynamics, as data. Functions of this package take a `Run` and change it.

run.system, run.settings, run.events    what is integrated, and how
run.formulation                         the equations of motion, in Cartesian or joint coordinates
run.stepper, run.memory, run.kernels    the compiled loop: state, memory and machine code of the integrator
run.record, run.segments, run.stats     what was written
"""

from __future__ import annotations

import time as stopwatch
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from cardan.analysis.forward.settings import Settings, Sizes
from cardan.errors import CardanError
from cardan.integrators.scheme import Scheme
from cardan.model.element import Constraint
from cardan.results.engagement_history import Shift
from cardan.results.simulation import Checkpoint, Happening, Simulation, Stats
from cardan.results.snapshot import Snapshot
from cardan.system.system import System


class Formulation(Protocol):
    """The equations of motion in some coordinates: the layout of y, and what depends on it."""

    machine: Any  # tables of the mechanism in Cartesian coordinates
    mechanism: Any  # tables that integrators see
    sizes: Sizes
    speed_scale: np.ndarray  # by which speeds become comparable
    start: np.ndarray  # y at the start
    notes: tuple[str, ...]  # for the statistics of a run

    def operations(self, scheme: Scheme) -> Any:
        """The compiled equations of motion, as a scheme needs them."""

    def bodies(self, y: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions, velocities and accelerations of all bodies, from rows of y and of accelerations."""

    def turns(self, y: np.ndarray, turns: np.ndarray) -> np.ndarray:
        """The multi-turn angles at rows of y, of which those that the stepper tracks are given."""

    def speeds(self, y: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The speeds at y with which bodies come nearest to the velocities v."""

    def gradients(self, rows: np.ndarray) -> np.ndarray:
        """Rows of the Jacobian with respect to the speeds, where the mechanism was evaluated last."""

    def origin(self) -> dict[str, np.ndarray]:
        """Numbers of a checkpoint from which the same coordinates are found."""

    def update_markers(self) -> None:
        """Take over markers and offsets of the system after a change."""

    def make_releasable(self, run: Run, joints: Sequence[Constraint]) -> None:
        """Keep joints as constraints that can be engaged and released."""

    def check_masses(self, run: Run) -> None:
        """Raise an error if a free motion moves nothing that has mass."""

    def evidence(self, run: Run) -> Evidence:
        """What the check of the initial accelerations compares."""

    def failure(self, run: Run) -> CardanError:
        """The error behind a step that failed."""


class Evidence(NamedTuple):
    """Quantities of a run at its start, for an independent check."""

    work: Any  # measures and rows of the whole system, evaluated there
    multipliers: np.ndarray  # of all its equations; those of joints that do no work along `motions` may be missing
    freedoms: int  # degrees of freedom, as the run counts them
    way_out: str  # a remedy
    added: np.ndarray  # forces of masses added to massless bodies, by the coordinates of bodies
    aside: np.ndarray  # rows set aside because others imply them
    motions: np.ndarray | None = None  # as columns, along which forces must balance; None: every coordinate
    names: tuple[str, ...] = ()  # of these motions


class ModeSwitching(Protocol):
    """Elements that switch: contacts that close and open, friction that sticks and slides."""

    @property
    def empty(self) -> bool: ...

    def due(self, run: Run) -> bool: ...

    def settle(self, run: Run, occurred: Any = None, *, jams: bool = False) -> None: ...


class Segment(NamedTuple):
    """Output times of a run with motions of bodies and the part of y after the speeds."""

    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    rest: np.ndarray
    turns: np.ndarray
    steps: np.ndarray  # taken up to then


TRIAL_INTERVAL = 300  # steps from a trial of another method to the next


@dataclass
class Trials:
    """Trials of the other of two methods where forces may be stiff; numbers only, for checkpoints."""

    waiting: float = TRIAL_INTERVAL  # steps from a trial to the next one,
    next_trial: float = TRIAL_INTERVAL  # and the step at which that is
    marked: float = 0.0  # the time from which the pace is measured,
    work: float = 0.0  # and the work done up to then
    left: float = 0.0  # steps that the current trial still takes; 0: there is none
    begun: float = 0.0  # when it began,
    step: float = 0.0  # with which step and pace of the method before,
    pace: float = 0.0
    found: float = 0.0  # and the pace of the method that is tried

    @property
    def trying(self) -> bool:
        return self.left > 0


CHECK_INTERVAL = 20  # steps between two checks of sampled runs, at first
PATIENCE = 4  # checks before a method is tried again, doubled each time


@dataclass
class SampledSteps:
    """How steps compare with the period of samplers; numbers only, for checkpoints."""

    period: float  # the shortest
    next_look: float = CHECK_INTERVAL  # the step of the next check,
    every: float = CHECK_INTERVAL  # and the interval
    last: float = 0.0  # the time of the last one,
    steps: float = 0.0  # and the steps up to then
    patience: float = PATIENCE
    waiting: float = 0.0


@dataclass
class Pace:
    """What the check for stalled runs has seen last."""

    steps: int
    time: float
    processor: float = field(default_factory=stopwatch.process_time)  # processor time, in s,
    processor_time: float = 0.0  # and the time reached then
    warned: bool = False


@dataclass
class Run:
    """A mechanism in motion."""

    system: System
    settings: Settings
    events: tuple[Any, ...]  # of the user and of elements that switch
    released: tuple[Constraint, ...]
    formulation: Formulation
    stepper: Any
    stats: Stats
    scheme: Scheme
    move_on: Callable[[Simulation, int, float], Snapshot]  # how a result finds states between its output times
    memory: Any = field(init=False)  # of the integrator
    operations: Any = field(init=False)  # the equations of motion, as machine code
    integrator: Any = field(init=False)  # machine code and memory of the scheme
    switching: ModeSwitching = field(init=False)
    record: Any = None
    segments: list[Segment] = field(default_factory=list)  # written while y had another layout
    shifts: list[Shift] = field(default_factory=list)  # which joints were engaged, unless all were
    happened: list[Happening] = field(default_factory=list)
    trials: Trials = field(default_factory=Trials)
    sampled_steps: SampledSteps | None = None  # of method "auto" with samplers
    stated_markers: tuple[np.ndarray, ...] = ()  # markers in their bodies and offsets of rows at the start
    pace: Pace = field(default_factory=lambda: Pace(0, 0.0))
    fingerprint: np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint64))
    begun: bool = False  # whether there is a record
    resumed: bool = False  # whether it continues from a checkpoint,
    since: float = -np.inf  # whose output times lie before this
    checkpoint: Checkpoint | None = None

    @property
    def machine(self) -> Any:
        return self.formulation.machine

    @property
    def mechanism(self) -> Any:
        return self.formulation.mechanism

    @property
    def sizes(self) -> Sizes:
        return self.formulation.sizes

    @property
    def now(self) -> float:
        return float(self.stepper.clock.now)


def snapshot(run: Run) -> Snapshot:
    """The mechanism as it is now."""
    y, dy = run.stepper.y, run.stepper.dy
    nq, nv = run.sizes.positions, run.sizes.speeds
    q, v, a = (part[0] for part in run.formulation.bodies(y[None], dy[None, nq : nq + nv]))
    states = y[y.size - run.system.states.start.size :].copy()
    turns = run.formulation.turns(y[None], run.stepper.turns_end[None])[0]
    return Snapshot(run.system, run.now, q, v, a, turns, states)
