"""The state of a run of forward dynamics, as data. Functions of this package take a `Run` and change it.

run.system, run.settings, run.events    what is integrated, and how: method, tolerances, coordinates
run.formulation                         the equations of motion, in Cartesian or joint coordinates
run.stepper, run.memory, run.kernels    the compiled loop: state, memory and machine code of the integrator
run.record, run.segments, run.stats     the output
"""

from __future__ import annotations

import time as stopwatch
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from cardan.errors import CardanError
from cardan.integrators.scheme import Scheme
from cardan.methods import Method
from cardan.model.element import Constraint
from cardan.numerics.linalg.rank import SQUARE
from cardan.results.engagement_history import Shift
from cardan.results.simulation import Checkpoint, EventRecord, Simulation, Stats
from cardan.results.snapshot import Snapshot
from cardan.system.system import System


class Settings(NamedTuple):
    """Method, tolerances and coordinates of a run."""

    method: Method
    rtol: float
    atol: float | None = None
    rank_tolerance: float = SQUARE
    tree: tuple[Constraint, ...] = ()  # joints that are always part of the tree


def settings_of(run: Simulation, method: Method) -> Settings:
    """The tolerances of a result, with a method."""
    stats = run.stats
    return Settings(method, stats.rtol, stats.atol, stats.rank_tolerance)


class Sizes(NamedTuple):
    """The sizes of y and of its positions and speeds."""

    y: int
    positions: int
    speeds: int


class Formulation(Protocol):
    """The equations of motion in some coordinates: the layout of y, and what depends on it."""

    machine: Any  # tables of the mechanism in Cartesian coordinates
    mechanism: Any  # tables for integrators
    sizes: Sizes
    speed_scale: np.ndarray  # scales of speeds
    start: np.ndarray  # y at the start
    notes: tuple[str, ...]  # for the statistics of a run

    def operations(self, scheme: Scheme) -> Any:
        """The compiled equations of motion, in the form that a scheme needs."""

    def bodies(self, y: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions, velocities and accelerations of all bodies, from rows of y and of accelerations."""

    def turns(self, y: np.ndarray, turns: np.ndarray) -> np.ndarray:
        """The multi-turn angles at rows of y; those tracked by the stepper are given."""

    def speeds(self, y: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The speeds at y that are nearest to the body velocities v."""

    def origin(self) -> dict[str, np.ndarray]:
        """Numbers of a checkpoint that determine the same coordinates."""

    def update_markers(self) -> None:
        """Update markers and offsets from the system after a change."""

    def make_releasable(self, run: Run, joints: Sequence[Constraint]) -> None:
        """Keep joints as constraints that can be engaged and released."""

    def check_masses(self, run: Run) -> None:
        """Raise an error if a free motion moves no mass."""

    def evidence(self, run: Run) -> Evidence:
        """The data for the check of the initial accelerations."""

    def failure(self, run: Run) -> CardanError:
        """The error of a failed step."""


class Evidence(NamedTuple):
    """Quantities of a run at its start, for an independent check."""

    work: Any  # measures and rows of the whole system, evaluated at the start
    multipliers: np.ndarray  # of all equations; those of joints that do no work along `motions` may be missing
    degrees_of_freedom: int  # degrees of freedom of the run
    way_out: str  # a remedy
    added: np.ndarray  # forces of masses added to massless bodies, in coordinates of bodies
    aside: np.ndarray  # rows set aside because others imply them
    motions: np.ndarray | None = None  # columns along which forces must balance; None for every coordinate
    names: tuple[str, ...] = ()  # of these motions


class ModeSwitching(Protocol):
    """Elements that switch: contacts that close and open, friction that sticks and slides."""

    tables: Any  # for kernels

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
    steps: np.ndarray  # steps taken up to then


TRIAL_INTERVAL = 300  # initial number of steps between trials of another method


@dataclass
class Trials:
    """Trials of the other method if forces may be stiff; numbers only, for checkpoints."""

    waiting: float = TRIAL_INTERVAL  # steps between trials,
    next_trial: float = TRIAL_INTERVAL  # and the step of the next one
    marked: float = 0.0  # the time from which the pace is measured,
    work: float = 0.0  # and the work done up to then
    left: float = 0.0  # remaining steps of the current trial; 0 without a trial
    begun: float = 0.0  # when it began,
    step: float = 0.0  # step size and pace of the previous method,
    pace: float = 0.0
    found: float = 0.0  # and the pace of the method on trial

    @property
    def trying(self) -> bool:
        return self.left > 0


CHECK_INTERVAL = 20  # initial number of steps between two checks of sampled runs
PATIENCE = 4  # number of checks before a method is tried again, doubled each time


@dataclass
class SampledSteps:
    """Comparison of steps with the period of samplers; numbers only, for checkpoints."""

    period: float  # the shortest
    next_look: float = CHECK_INTERVAL  # the step of the next check,
    every: float = CHECK_INTERVAL  # and the interval
    last: float = 0.0  # the time of the last one,
    steps: float = 0.0  # and the steps up to then
    patience: float = PATIENCE
    waiting: float = 0.0


@dataclass
class Pace:
    """The last observations of the check for stalled runs."""

    steps: int
    time: float
    processor: float = field(default_factory=stopwatch.process_time)  # processor time, in s,
    processor_time: float = 0.0  # and the time reached then
    warned: bool = False


@dataclass
class Run:
    """A run of forward dynamics."""

    system: System
    settings: Settings
    events: tuple[Any, ...]  # of the user and of elements that switch
    released: tuple[Constraint, ...]
    formulation: Formulation
    stepper: Any
    stats: Stats
    scheme: Scheme
    move_on: Callable[[Simulation, int, float], Snapshot]  # computes states of a result between its output times
    memory: Any = field(init=False)  # of the integrator
    operations: Any = field(init=False)  # the equations of motion, as machine code
    integrator: Any = field(init=False)  # machine code and memory of the scheme
    switching: ModeSwitching = field(init=False)
    record: Any = None
    segments: list[Segment] = field(default_factory=list)  # records from before a change of the layout of y
    shifts: list[Shift] = field(default_factory=list)  # engaged joints, unless all were
    happened: list[EventRecord] = field(default_factory=list)
    trials: Trials = field(default_factory=Trials)
    sampled_steps: SampledSteps | None = None  # of method "auto" with samplers
    stated_markers: tuple[np.ndarray, ...] = ()  # markers in their bodies and offsets of rows at the start
    pace: Pace = field(default_factory=lambda: Pace(0, 0.0))
    fingerprint: np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint64))
    begun: bool = False  # whether there is a record
    resumed: bool = False  # whether it continues from a checkpoint,
    since: float = -np.inf  # with output times before this
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
    """The current state of the mechanism."""
    y, dy = run.stepper.y, run.stepper.dy
    nq, nv = run.sizes.positions, run.sizes.speeds
    q, v, a = (part[0] for part in run.formulation.bodies(y[None], dy[None, nq : nq + nv]))
    states = y[y.size - run.system.states.start.size :].copy()
    turns = run.formulation.turns(y[None], run.stepper.turns_end[None])[0]
    return Snapshot(run.system, run.now, q, v, a, turns, states)
