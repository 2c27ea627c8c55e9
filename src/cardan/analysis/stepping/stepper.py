"""stepper(model, inputs, outputs): a model that a program advances step by step.

    u --> [ M a + J^T lambda = Q(q, v, t, u),  Phi(q, t, u) = 0 ] --> y           u is constant during a step

For control loops, co-simulation, games and learning: the same integrators, events and tolerances as `simulate`.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cardan.analysis.forward.advance import advance_in_slices, begin
from cardan.analysis.forward.auto import allowed_steps
from cardan.analysis.forward.events.change import note_shift
from cardan.analysis.forward.events.event import Event
from cardan.analysis.forward.recording import fresh_record, part_of
from cardan.analysis.forward.simulate import prepared_run
from cardan.analysis.forward.state import Run, snapshot
from cardan.analysis.stepping.derivatives import linearized
from cardan.analysis.stepping.inputs import Input, adapted, entries_of, inputs_of, system_now
from cardan.analysis.stepping.joint_moves import move_joints
from cardan.analysis.stepping.kernels import BAD_DURATION, BAD_INPUT, BROKEN_INPUT, prepare_step, read_now, take_step
from cardan.analysis.stepping.outputs import laws_to_read, outputs_of, stated_outputs
from cardan.analysis.stepping.saved_state import SavedState, memory_of, put_back, return_to, saved_state
from cardan.analysis.stepping.station import OutputPlan, station_of
from cardan.analysis.unsupported import repeats
from cardan.errors import ModelError
from cardan.integrators.stepper import FINISHED
from cardan.integrators.stepping import write_now
from cardan.methods import Bdf, Method
from cardan.model import check
from cardan.model.element import Constraint
from cardan.model.model import Model
from cardan.model.parameter import changed, parameters_of
from cardan.results.columns import Columns
from cardan.results.linear.linearization import Linearization
from cardan.results.simulation import Checkpoint, EventRecord
from cardan.results.snapshot import Snapshot
from cardan.system.system import System

RECORD_ROWS = 4  # rows of the record: the end of the step, and events that end it
KEPT_EVENTS, KEPT_NOTES = 4096, 100  # events and notes that are remembered
ENDLESS = 2**62  # steps of the integrator
FIRST_SPAN = 1.0  # s: the first step of the integrator is a hundredth of it at most
CHANGES = threading.RLock()  # held while a model has other numbers: steppers in several threads may share it


def stepper(
    model: Model,
    inputs: Any = (),
    outputs: Any = (),
    *,
    method: Method | str = "auto",
    rtol: float = 1e-8,
    atol: float | None = None,
    coordinates: str = "auto",
    tree: Sequence[Constraint] = (),
    events: Sequence[Event] = (),
    released: Sequence[Constraint] = (),
    start: Snapshot | Checkpoint | None = None,
) -> Stepper:
    """Prepare a model for stepping: set inputs, call `step(dt)`, read outputs.

    Inputs are forces and drivers, by element or name, and parameters: `"drive"` is the constant part of the force of
    'drive', `"motor"` the value that a driver reaches at the end of each step (`"motor.rate"` its rate,
    `"motor.acceleration"` an acceleration that it keeps), `"pid.setpoint"` or `"spring.stiffness"` a number. Outputs
    are columns of results (`"pin.angle.rate"`, `"motor.force"`), measures, `(measure, "rate")`, blocks and signals.

    Each step is integrated with error control, as in `simulate`, which describes the other arguments. Inputs are
    constant during a step. Steppers, also of one model, can run in parallel threads.

    >>> from cardan import stepper
    >>> from cardan.planar import Actuator, Body, Model, Translational
    >>> model = Model("cart")
    >>> cart = model.add(Body(mass=2.0, inertia=1.0), name="cart")
    >>> guide = model.add(Translational(model.ground.at(), cart.at()), name="guide")
    >>> drive = model.add(Actuator(guide.travel, 0.0), name="drive")
    >>> sim = stepper(model, inputs=["drive"], outputs=["guide.travel", "guide.travel.rate"])
    >>> sim["drive"] = 6.0
    >>> sim.step(1.0).round(9).tolist()                # x = F t^2 / (2 m), v = F t / m
    [1.5, 3.0]
    >>> kept = sim.save()
    >>> sim["drive"] = -6.0
    >>> sim.step(1.0).round(9).tolist(), sim.time
    ([3.0, 0.0], 2.0)
    >>> sim.restore(kept)
    >>> sim.time, sim["drive"]
    (1.0, 6.0)
    """
    options = {
        "method": method, "rtol": rtol, "atol": atol, "coordinates": coordinates, "tree": tree, "events": events,
        "released": released,
    }  # fmt: skip
    check.instance(model, Model, "the model of stepper()")
    return Stepper(model, inputs, stated_outputs(model, outputs), options, start)


class Stepper:
    """A model at a time, with inputs and outputs; `stepper` makes one."""

    def __init__(
        self, model: Model, inputs: Any, outputs: Sequence[Any], options: dict[str, Any], start: Any = None
    ) -> None:
        self.model = model
        self._stated, self._options, self._start = (inputs, outputs), options, start
        self._parameters: dict[Any, float] = {}
        self.station: Any = None
        self._stopped = False
        self._open(start)

    # --- stepping ---

    @property
    def time(self) -> float:
        """The time reached."""
        return self._run.now

    def step(self, duration: float) -> np.ndarray:
        """Advance by a duration with constant inputs; returns the outputs at its end.

        An event that ends a run ends the step: `time` is then that of the event, and `stopped` is true.
        """
        if self.undecided:
            status, taken = prepare_step(self.station, float(duration)), False
        else:
            status, taken = take_step(self.station, float(duration)), True
        self.complete(status, taken, duration)
        return self._outputs.copy()

    def complete(self, status: int, taken: bool, duration: float) -> None:
        """Complete a step that machine code has taken, or only begun."""
        if status != FINISHED or not taken:
            self._finish(int(status), taken, duration)
        elif self._stopped:
            self._stopped = False
        if self._plan.interpreted:
            self._read_columns()

    def set(self, **inputs: float) -> None:
        """Set inputs by name; those whose name is not an identifier are set by `sim["pid.setpoint"] = 1.0`."""
        for name, value in inputs.items():
            self[name] = value

    def __setitem__(self, name: str, value: float) -> None:
        try:
            self.inputs[self._input_place[name]] = value
        except KeyError:
            raise ModelError(
                f"'{name}' is not an input of this stepper; its inputs: {', '.join(self.input_names) or 'none'}"
            ) from None

    def __getitem__(self, name: str) -> float:
        """The value of an input or output."""
        if name in self._input_place:
            return float(self.inputs[self._input_place[name]])
        if name in self._output_place:
            return float(self.outputs[self._output_place[name]])
        known = ", ".join([*self.input_names, *self.output_names]) or "none"
        raise ModelError(f"'{name}' is neither an input nor an output of this stepper; these are: {known}")

    @property
    def outputs(self) -> np.ndarray:
        """The outputs at the present time, in the order stated."""
        return self._outputs.copy()

    @property
    def input_names(self) -> tuple[str, ...]:
        return tuple(self._input_place)

    @property
    def output_names(self) -> tuple[str, ...]:
        return tuple(self._output_place)

    @property
    def units(self) -> dict[str, str]:
        """The units of inputs and outputs; "" where one is unknown."""
        inputs, outputs = ({one.name: one.unit for one in part} for part in (self._listed, self._listed_outputs))
        return inputs | outputs

    @property
    def stopped(self) -> bool:
        """Whether an event ended the last step before its time."""
        return self._stopped

    @property
    def run(self) -> Run:
        """The run that the steps advance, for programs that export it."""
        return self._run

    @property
    def listed_inputs(self) -> list[Input]:
        """The inputs: names, units, and what they change."""
        return list(self._listed)

    @property
    def interpreted_outputs(self) -> list[str]:
        """Outputs that Python computes after each step, such as reactions and powers."""
        return [self.output_names[k] for k in self._plan.interpreted]

    @property
    def events(self) -> list[EventRecord]:
        """The latest events."""
        return list(self._run.happened)

    def snapshot(self) -> Snapshot:
        """The mechanism as it is: positions, velocities and accelerations of all bodies."""
        return snapshot(self._run)

    # --- derivatives ---

    def linearize(self) -> Linearization:
        """The exact linear equations about the present state: x' = A x + B u, y = C x + D u.

        A driver has three columns: its motion, its rate and its acceleration. Inputs that are numbers of the model have
        no column: a stepper with such inputs raises an error.
        """
        with CHANGES, changed(self.model, self._values):
            return linearized(self._run, self._listed, self.inputs, self._listed_outputs, self._columns)

    def directional_derivative(self, inputs: Mapping[str, float]) -> np.ndarray:
        """The change of the outputs per change of inputs in a direction, at the present state and time: D du.

        Accelerations and forces change at once; positions and velocities do not.
        """
        found = self.linearize()
        direction = np.zeros(found.D.shape[1])
        for name, change in inputs.items():
            if name not in self._input_place:
                raise ModelError(f"'{name}' is not an input of this stepper; its inputs: {', '.join(self.input_names)}")
            one = self._listed[self._input_place[name]]
            first = found.inputs.index(name if one.driver is None else one.driver.name)
            direction[first + one.order] = check.number(change, f"the change of '{name}'")
        return np.asarray(found.D @ direction)

    # --- state ---

    def save(self) -> SavedState:
        """Everything from which the stepper continues, inputs included; `restore` returns to it exactly."""
        return saved_state(self, self._run, self._memory, self.inputs, self.station.applied, self._stopped)

    def restore(self, state: SavedState) -> None:
        """Return to a saved state: the same steps with the same inputs give the same bits."""
        check.instance(state, SavedState, "the state of restore()", hint="save() returns one")
        if state.inputs.shape != self.inputs.shape:
            raise ModelError(f"{state!r} has {state.inputs.size} inputs, this stepper has {self.inputs.size}")
        if return_to(self, self._run, state):
            self._lay_out()
        put_back(self._memory, state, self.model)
        self.inputs[:], self.station.applied[:], self._stopped = state.inputs, state.applied, state.stopped
        self._plan_decisions()
        self._read()

    def reset(
        self,
        parameters: Mapping[Any, float] | None = None,
        start: Snapshot | None = None,
        coordinates: Mapping[str, float] | None = None,
    ) -> np.ndarray:
        """Return to the start, or begin at another one; returns the outputs there. Inputs have their first values.

        `parameters={"rod.mass": 2.0}` gives numbers of the model other values, also dimensions, until the next reset
        that states some. `start` is a snapshot, such as `initial_conditions` returns. In joint coordinates,
        `coordinates={"pin.angle": 0.1, "pin.angle.rate": 0.5}` moves joints of the tree from there, and closes loops.
        """
        if parameters is None and start is None and self._first is not None:
            self.restore(self._first)
        else:
            if parameters is not None:
                self._parameters = dict(parameters)
            self._open(self._start if start is None else start)
        if coordinates:
            move_joints(self._run, coordinates)
            self._read()
        return self.outputs

    # --- what it is made of ---

    def _open(self, start: Snapshot | Checkpoint | None) -> None:
        """Prepare the run at its start."""
        model, (inputs, outputs) = self.model, self._stated
        keys = [*self._parameters]
        found = parameters_of(model, keys, "reset()") if keys else []
        values = {one: check.number(self._parameters[key], f"'{key}'") for one, key in zip(found, keys, strict=True)}
        self._values = values
        with CHANGES, changed(model, values):
            self._listed: list[Input] = []

            def adapt(system: System, time: float) -> System:
                self._listed = inputs_of(model, system, inputs, time)
                return adapted(system, self._listed, time)

            self._run = run = prepared_run(
                model, "stepper", start=start, read=laws_to_read(outputs), adapt=adapt, **self._options
            )
            if isinstance(run.settings.method, Bdf):
                raise ModelError("method 'bdf' is a cross-check and cannot be used by stepper(): use another method")
            before, joint = run.sizes.y - run.system.states.start.size, run.mechanism is not run.machine
            self._entries = entries_of(model, self._listed, run.system, run.machine, before, joint)
        self._columns = Columns(run.system, forces=True)
        self._listed_outputs = outputs_of(run.system, outputs, self._columns)
        self._input_place = {one.name: k for k, one in enumerate(self._listed)}
        self._output_place = {one.name: k for k, one in enumerate(self._listed_outputs)}
        self.inputs = np.array([one.start for one in self._listed], float)
        self._stopped = False
        fresh_record(run, np.array([np.inf]), RECORD_ROWS)
        run.begun = True
        run.stepper.clock.longest = run.settings.method.longest_step
        if not run.resumed:
            begin(run, FIRST_SPAN)
        note_shift(run)
        self.station = None
        self._lay_out()
        self._plan_decisions()
        self._read()
        self._first = self.save() if all(map(repeats, run.system.samplers)) else None

    def _lay_out(self) -> None:
        """Make the tables of the run as it is now."""
        run = self._run
        applied = self.inputs if self.station is None else self.station.applied
        self._plan = OutputPlan(run, self._listed_outputs, self._columns)
        self.station = station_of(run, self._listed, self.inputs, applied, self._entries, self._plan)
        self._memory = memory_of(run)
        compiled = self.station.outputs[0]
        self._outputs = np.zeros(len(self._listed_outputs)) if self._plan.interpreted else compiled

    def _finish(self, status: int, taken: bool, duration: float) -> None:
        """Complete a step that needs decisions: events, other methods, errors."""
        run = self._run
        if status == BAD_DURATION:
            raise ModelError(f"step() needs a positive duration in s, got {duration!r}")
        if status == BAD_INPUT:
            name = self.input_names[int(self.station.control.failed)]
            raise ModelError(f"input '{name}' must be a finite number, got {self[name]!r}")
        if status == BROKEN_INPUT:
            raise run.formulation.failure(run)
        run.pace.steps, run.pace.time = int(run.stepper.counters.steps), run.now
        laid_out = run.integrator, run.stepper
        for _ in advance_in_slices(run, status if taken else None, to_the_end=True):
            pass
        self._stopped = run.now < float(run.stepper.clock.end)
        if (run.integrator, run.stepper) != laid_out:
            self._lay_out()
        self._plan_decisions()
        self._read(run.stepper.counters.written == 0)

    def _plan_decisions(self) -> None:
        """Up to which step of the integrator no decision is needed; forget what a long run need not remember."""
        run = self._run
        self.undecided = run.trials.trying
        self.station.control.last_step = int(run.stepper.counters.steps) + allowed_steps(run, ENDLESS)
        run.segments.clear()
        run.stats.notes[KEPT_NOTES:] = []
        run.happened[: len(run.happened) - KEPT_EVENTS] = []
        run.shifts[:] = [shift._replace(first=0) for shift in run.shifts[-1:]]

    def _read(self, write: bool = True) -> None:
        """Read the outputs where the run stands."""
        run = self._run
        if write:
            run.stepper.counters.written = 0
            write_now(run.stepper, run.record)
        read_now(self.station)
        if self._plan.interpreted:
            self._read_columns()

    def _read_columns(self) -> None:
        """Outputs that need the whole result: reactions, powers, violations."""
        run, plan = self._run, self._plan
        self._outputs[plan.compiled] = self.station.outputs[0]
        names = [self._listed_outputs[k].column for k in plan.interpreted]
        parameters = {one.parameter: self[one.name] for one in self._listed if one.parameter is not None}
        with CHANGES, changed(self.model, self._values | parameters):
            result = part_of(run, int(run.stepper.counters.written) - 1)
            result.system = system_now(run, self._listed, self.inputs)
            found = self._columns.read(result, names)
        self._outputs[plan.interpreted] = [found[name][0] for name in names]
