"""What indexing a result returns: one body, point, measure, constraint, force or signal over time.

    run[body].position       run[hinge].force      run[motor].power       run[pid]["i"]

In a trajectory every quantity is an array with one row per output time; in a snapshot it is a number or a vector.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from cardan.elements.constraints.driver import Driver
from cardan.elements.control.source import Block, Source
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.device import Clock, CurveSignal, Device, Held, Output, Rate, Signal, Value
from cardan.model.element import Constraint
from cardan.model.force import Force
from cardan.model.marker import Marker
from cardan.model.measure import Measure, Readable
from cardan.results.columns import law_powers
from cardan.results.reaction import Frame, Reaction, forces_of

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory

S = TypeVar("S")  # np.ndarray in a trajectory; float or np.ndarray in a snapshot
F = TypeVar("F")  # the same, of a force


class Series(Generic[S]):
    """One thing in a result. `first()` reads the first output time only."""

    _single = False

    def __init__(self, run: Trajectory, key: Any) -> None:
        self.run, self.key = run, key

    @property
    def times(self) -> np.ndarray:
        return self.run.times

    def first(self) -> Self:
        single = type(self)(self.run, self.key)
        single._single = True
        return single

    def names(self) -> list[str]:
        """The quantities that can be read."""
        kind = type(self)
        return [n for n in dir(kind) if not n.startswith("_") and isinstance(getattr(kind, n), property)]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.names()]

    def __repr__(self) -> str:
        names = ", ".join(f".{name}" for name in self.names())
        return f"<{getattr(self.key, 'name', None) or self.key} in '{self.run.model.name}': {names}>"

    def _value(self, values: np.ndarray) -> Any:
        """The values, or in a snapshot the first one."""
        if not self._single:
            return values
        return float(values[0]) if values.ndim == 1 else values[0]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            names = ", ".join(f".{word}" for word in self.names())
            raise ModelError(f"{getattr(self.key, 'title', self.key)} has no '{name}' in a result; it has: {names}")


class BodySeries(Series[S]):
    """A body: position, velocity and acceleration of its origin in global axes, and its orientation.

    In the plane: `.angle .angular_velocity .angular_acceleration`. In space: `.orientation` (Euler parameters),
    `.matrix`, `.angular_velocity` and `.angular_acceleration` in global axes, and with `_b` in body-fixed axes.
    """

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The body's columns of q, v and a."""
        run, space, k = self.run, self.run.system.space, self.run.system.body_number(self.key)
        poses, speeds = slice(space.stored * k, space.stored * (k + 1)), slice(space.width * k, space.width * (k + 1))
        return run.q[:, poses], run.v[:, speeds], run.a[:, speeds]

    @property
    def position(self) -> np.ndarray:
        return self._read("position")

    @property
    def velocity(self) -> np.ndarray:
        return self._read("velocity")

    @property
    def acceleration(self) -> np.ndarray:
        return self._read("acceleration")

    @property
    def angle(self) -> S:
        """In the plane, with all turns counted."""
        return self._read("angle")

    @property
    def orientation(self) -> np.ndarray:
        """In space: Euler parameters."""
        return self._read("orientation")

    @property
    def matrix(self) -> np.ndarray:
        """In space: the rotation matrix from body-fixed to global axes."""
        return self._read("matrix")

    @property
    def angular_velocity(self) -> S:
        return self._read("angular_velocity")

    @property
    def angular_acceleration(self) -> S:
        return self._read("angular_acceleration")

    @property
    def angular_velocity_b(self) -> np.ndarray:
        """In space, in body-fixed axes."""
        return self._read("angular_velocity_b")

    @property
    def angular_acceleration_b(self) -> np.ndarray:
        """In space, in body-fixed axes."""
        return self._read("angular_acceleration_b")

    def turning(self, word: str) -> S:
        """Its angular velocity or acceleration, by `word`; zero for a point mass."""
        quantities = {quantity.name: quantity for quantity in self.run.system.space.quantities}
        return self._value(quantities[f"angular_{word}"].read(*self.arrays))

    def names(self) -> list[str]:
        return [quantity.name for quantity in self.run.system.space.quantities_of(self.key)]

    def _read(self, name: str) -> Any:
        for quantity in self.run.system.space.quantities_of(self.key):
            if quantity.name == name:
                return self._value(quantity.read(*self.arrays))
        names = ", ".join(f".{word}" for word in self.names())
        raise ModelError(f"{self.key.title} has no '{name}' in a result; it has: {names}")


class PointSeries(Series[S]):
    """A point of a body: `.position .velocity .acceleration`."""

    key: Marker

    @property
    def position(self) -> np.ndarray:
        return self._sampled(0)

    @property
    def velocity(self) -> np.ndarray:
        return self._sampled(1)

    @property
    def acceleration(self) -> np.ndarray:
        return self._sampled(2)

    def _sampled(self, order: int) -> np.ndarray:
        axes = "xyz"[: self.run.system.space.dimensions]
        found = self.run.sample([Measure("coordinate", None, self.key, axis) for axis in axes])
        return np.asarray(self._value(np.stack([values[:, order] for values in found], axis=1)))


class MeasureSeries(NDArrayOperatorsMixin, Series[S]):
    """A measure or a combination of measures: `.value .rate .acceleration`. In arithmetic and NumPy functions it is the
    array of its values, in a snapshot the number: `run["hinge"].angle[-1]`, `np.degrees(run["hinge"].angle)`."""

    key: Readable
    __hash__ = Series.__hash__

    @property
    def value(self) -> S:
        return self._sampled(0)

    @property
    def rate(self) -> S:
        return self._sampled(1)

    @property
    def acceleration(self) -> S:
        return self._sampled(2)

    @property
    def unit(self) -> str:
        return self.key.unit

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.value, dtype=dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        values = (item.value if isinstance(item, MeasureSeries) else item for item in inputs)
        return getattr(ufunc, method)(*values, **options)

    def __getitem__(self, place: Any) -> Any:
        return np.asarray(self.value)[place]

    def __len__(self) -> int:
        return len(np.asarray(self.value))

    def __float__(self) -> float:
        return float(np.asarray(self.value))

    def _sampled(self, order: int) -> Any:
        return self._value(self.run.sample([self.key])[0][:, order])


class ConstraintSeries(Series[S], Generic[S, F]):
    """A joint, driver or other constraint: `.violation`, `.force`, `.torque`, `.power`, and its coordinates by name,
    such as `.angle`, as `MeasureSeries`."""

    key: Constraint

    @property
    def violation(self) -> S:
        """The norm of the residuals of its equations."""
        rows = self.run.system.rows_of(self.key)
        return self._value(np.sqrt(np.sum(self.run.violations()[:, rows] ** 2, axis=1)))

    @property
    def force(self) -> F:
        """For a joint, the vector on body b in the joint frame; for a driver, hold or coupler, the scalar along its
        measure."""
        if not isinstance(getattr(self.key, "measure", None), Readable):
            return self._value(Reaction(self.run, self.key).force)
        return self._value(-forces_of(self.run).multipliers[:, self.run.system.rows_of(self.key)[0]])

    @property
    def torque(self) -> S | np.ndarray:
        """The torque of a joint on body b about its marker, in the joint frame: a scalar in the plane."""
        return self._value(Reaction(self.run, self.key).torque)

    @property
    def power(self) -> S:
        """The power that a driver puts in; zero for constraints that do not depend on time."""
        run = self.run
        return self._value(np.sum(forces_of(run).on_bodies(self.key, run.times, run.q, run.turns) * run.v, axis=1))

    def on(self, body: RigidBody | str) -> Reaction:
        """The reaction on another body."""
        return Reaction(self.run, self.key).on(body)

    def in_frame(self, frame: Frame) -> Reaction:
        """The reaction in other axes."""
        return Reaction(self.run, self.key).in_frame(frame)

    def at(self, point: Marker) -> Reaction:
        """The reaction about another point."""
        return Reaction(self.run, self.key).at(point)

    def names(self) -> list[str]:
        return [*super().names(), *self.key.coordinates()]

    def __getattr__(self, name: str) -> MeasureSeries[S]:
        if name.startswith("_"):
            raise AttributeError(name)
        measure = getattr(self.key, name, None)
        if not isinstance(measure, Readable):
            driven = ["measure"] if isinstance(self.key, Driver) else []
            coordinates = ", ".join([*self.key.coordinates(), *driven]) or "none"
            raise ModelError(
                f"{self.key.title} has no coordinate '{name}'; its coordinates: {coordinates}; it also has .force, "
                ".torque, .power and .violation"
            )
        series = MeasureSeries[S](self.run, measure)
        return series.first() if self._single else series


class ForceSeries(Series[S]):
    """A spring, load or other force: `.force` (tension of a spring is positive), `.power` and `.length`; the outputs
    and states of its device by name: `run[motor]["current"]`."""

    key: Force

    @property
    def force(self) -> S | np.ndarray:
        """A scalar for an element with one law, otherwise one column per law."""
        laws, loads, system = self._laws(), forces_of(self.run), self.run.system
        found = loads.strengths[:, laws]
        held = [row for part in self.key.reserve() if part in system.elements for row in system.rows_of(part)]
        if held:  # friction while sticking
            found = found + loads.multipliers[:, held]
        return self._value(found[:, 0] if len(laws) == 1 else found)

    @property
    def power(self) -> S:
        """The power that the force puts into the mechanism."""
        return self._value(np.sum(law_powers(self.run, self._laws()), axis=0))

    @property
    def length(self) -> S:
        """The value of the measure along which the force acts."""
        measure = getattr(self.key, "measure", None)
        if not isinstance(measure, Readable):
            raise ModelError(f"{self.key.title} acts on a point or a body, not along a length")
        return self._value(self.run.sample([measure])[0][:, 0])

    def __getitem__(self, name: str) -> S:
        """An output or a state of the device."""
        signals = [law.signal for law in self.key.laws()]
        devices = [signal.device for signal in signals if isinstance(signal, Output)]
        if not devices:
            raise ModelError(f"{self.key.title} has no device with an output or state {check.short_repr(name)}")
        series = SignalSeries[S](self.run, devices[0])
        return (series.first() if self._single else series)[name]

    def _ipython_key_completions_(self) -> list[str]:
        return [name.removeprefix(f"{self.key.name}.") for name in self.run.columns.of(self.key.name)]

    def _laws(self) -> list[int]:
        laws = [k for k, element in enumerate(self.run.system.forces) if element is self.key]
        if not laws:
            raise ModelError(f"{self.key.title} is not part of this analysis; inverse_dynamics() computes forces")
        return laws


class SignalSeries(Series[S]):
    """A block, device or signal: `.value`, or the first output of a block; `run[pid]["i"]`, an output or state by
    name."""

    def __init__(self, run: Trajectory, key: Device | Signal | Source) -> None:
        super().__init__(run, key)
        signal = key.output if isinstance(key, Source) else key
        owner = signal.device if isinstance(signal, Output) else signal
        known = run.system.devices if isinstance(owner, Device) else run.system.states.owner
        if not isinstance(owner, Value | CurveSignal | Clock) and not any(owner is other for other in known):
            hint = "; inverse_dynamics() and simulate() compute signals" if run.analysis == "kinematics" else ""
            raise ModelError(f"{getattr(key, 'title', key)} is not part of this analysis{hint}")

    @property
    def value(self) -> S:
        """The signal; the first output of a block, or the only output of a device."""
        key = self.key.output if isinstance(self.key, Source) else self.key
        if isinstance(key, Device):
            if len(key.outputs) != 1:
                raise ModelError(f"{key.title} has the outputs {', '.join(key.outputs)}: name one, run[device]['...']")
            key = key[0]
        return self._value(self._signal(key))

    def __getitem__(self, name: str) -> S:
        """An output or a state by name."""
        key = self.key
        if isinstance(key, Source) and not isinstance(key, Block):
            return self._value(self._signal(key[name]))
        device = key.device if isinstance(key, Block) else key
        if not isinstance(device, Device):
            raise ModelError(f"{device} is not a device: read its .value")
        names = [state.name for state in device.states]
        check.choice(name, (*device.outputs, *names), f"the output or state of {getattr(key, 'title', device.title)}")
        if name in device.outputs:
            return self._value(self._signal(device[name]))
        return self._value(self.run.states[:, self.run.system.states.first(device) + names.index(name)])

    def _ipython_key_completions_(self) -> list[str]:
        device = self.key.device if isinstance(self.key, Block) else self.key
        return [*device.outputs, *(state.name for state in device.states)] if isinstance(device, Device) else []

    def _signal(self, key: Signal) -> np.ndarray:
        run = self.run
        if isinstance(key, Value):
            return run.sample([key.of])[0][:, 1 if isinstance(key, Rate) else 0]
        if isinstance(key, Held):
            return run.states[:, run.system.states.first(key)]
        if isinstance(key, Output):
            return self._output(key.device, key.place)
        if isinstance(key, CurveSignal):
            return np.asarray(key.motion(run[key.at].value if not isinstance(key.at, Clock) else run.times))
        if isinstance(key, Clock):
            return np.asarray(run.times)
        raise ModelError(f"{key} cannot be read along a run")

    def _output(self, device: Device, place: int) -> np.ndarray:
        loads, before = self.run.loads, 0
        if loads is None or not loads.signals.shape[1]:
            raise ModelError(
                f"{device.title} is computed with forces: by inverse_dynamics(), simulate(), equilibrium() and "
                "steady_motion()"
            )
        for other in self.run.system.devices:
            if other is device:
                break
            before += len(other.outputs)
        return loads.signals[:, before + place]

    def __repr__(self) -> str:
        return f"<{self.key} in {self.run.analysis} of '{self.run.model.name}'>"
