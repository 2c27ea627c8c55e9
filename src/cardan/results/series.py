"""One thing over time: what indexing a result returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.constraints.driver import Driver
from cardan.elements.control.source import Block, Source
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Clock, CurveSignal, Device, Held, Output, Rate, Signal, Value
from cardan.model.element import Constraint
from cardan.model.measure import Combination, Measure, Readable
from cardan.results.reaction import Reaction, forces_of

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory


class Series:
    """A view of one thing in a result; `first()` gives the same names for the first instant alone."""

    _single = False

    def __init__(self, run: Trajectory, key: Any) -> None:
        self.run, self.key = run, key

    @property
    def times(self) -> np.ndarray:
        return self.run.times

    def first(self) -> Series:
        single = type(self)(self.run, self.key)
        single._single = True
        return single

    def __repr__(self) -> str:
        offered = ", ".join(f".{word}" for word in self._words())
        return f"<{getattr(self.key, 'name', None) or self.key} in '{self.run.model.name}': {offered}>"

    def _words(self) -> list[str]:
        """What can be read."""
        kind = type(self)
        return [n for n in dir(kind) if not n.startswith("_") and isinstance(getattr(kind, n), property)]

    def _give(self, values: np.ndarray) -> Any:
        if not self._single:
            return values
        return float(values[0]) if values.ndim == 1 else values[0]


class BodySeries(Series):
    """A body: `.position .velocity .acceleration` in global axes, and how it is turned, as its space states it.

    In the plane `.angle .angular_velocity .angular_acceleration`; in space `.orientation` (Euler parameters),
    `.matrix`, `.angular_velocity` and `.angular_acceleration` in global axes, the same with `_b` in the body's own.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        space = self.run.system.space
        for quantity in space.quantities:
            if quantity.name == name:
                return self._give(quantity.read(*self.arrays))
        words = ", ".join(f".{quantity.name}" for quantity in space.quantities)
        raise ModelError(f"{self.key.title} has no '{name}' in a result; it has: {words}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._words()]

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The body's columns of q, v and a."""
        run, space, k = self.run, self.run.system.space, self.run.system.body_number(self.key)
        poses, speeds = slice(space.stored * k, space.stored * (k + 1)), slice(space.width * k, space.width * (k + 1))
        return run.q[:, poses], run.v[:, speeds], run.a[:, speeds]

    def _words(self) -> list[str]:
        return [quantity.name for quantity in self.run.system.space.quantities]


class PointSeries(Series):
    """A point of a body: `.position .velocity .acceleration`."""

    def _sampled(self, level: int) -> Any:
        run = self.run
        axes = "xyz"[: run.system.space.dimensions]
        measures = [Measure("coordinate", None, self.key, axis) for axis in axes]
        found = run.sample(measures)
        return self._give(np.stack([values[:, level] for values in found], axis=1))

    @property
    def position(self) -> Any:
        return self._sampled(0)

    @property
    def velocity(self) -> Any:
        return self._sampled(1)

    @property
    def acceleration(self) -> Any:
        return self._sampled(2)


class MeasureSeries(Series):
    """A measure or a combination of measures: `.value .rate .acceleration`; it is also an array of its values."""

    def _sampled(self, level: int) -> Any:
        return self._give(self.run.sample([self.key])[0][:, level])

    @property
    def value(self) -> Any:
        return self._sampled(0)

    @property
    def rate(self) -> Any:
        return self._sampled(1)

    @property
    def acceleration(self) -> Any:
        return self._sampled(2)

    @property
    def unit(self) -> str:
        return self.key.unit

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.value, dtype=dtype)


class ElementSeries(Series):
    """A constraint: `.violation` is how far it is open; its coordinates are read by name, for example `.angle`."""

    @property
    def violation(self) -> Any:
        rows = self.run.system.rows_of(self.key)
        return self._give(np.sqrt(np.sum(self.run.violations()[:, rows] ** 2, axis=1)))

    @property
    def force(self) -> Any:
        """Of a joint on body b in the joint frame; of a driver, hold or coupler along its measure."""
        measure = getattr(self.key, "measure", None)
        if not isinstance(measure, Readable):
            return self._give(Reaction(self.run, self.key).force)
        loads = forces_of(self.run)
        return self._give(-loads.multipliers[:, self.run.system.rows_of(self.key)[0]])

    @property
    def torque(self) -> Any:
        """The torque of a joint on body b, about its marker, in the joint frame."""
        return self._give(Reaction(self.run, self.key).torque)

    @property
    def power(self) -> Any:
        """What a driver puts into the mechanism; constraints that do not depend on time do no work."""
        run = self.run
        return self._give(np.sum(forces_of(run).on_bodies(self.key, run.times, run.q, run.turns) * run.v, axis=1))

    def on(self, body: Any) -> Reaction:
        """The reaction on another body."""
        return Reaction(self.run, self.key).on(body)

    def in_frame(self, frame: Any) -> Reaction:
        """The reaction in other axes."""
        return Reaction(self.run, self.key).in_frame(frame)

    def at(self, point: Any) -> Reaction:
        """The reaction about another point."""
        return Reaction(self.run, self.key).at(point)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        measure = _measure_of(self.key, name)
        series = MeasureSeries(self.run, measure)
        return series.first() if self._single else series


class ForceSeries(Series):
    """A spring, load or other force: `.force` (of a spring positive if it pulls) and `.power`, what it puts in."""

    def _laws(self) -> list[int]:
        laws = [k for k, element in enumerate(self.run.system.forces) if element is self.key]
        if not laws:
            raise ModelError(f"{self.key.title} took no part in this analysis; inverse_dynamics() computes forces")
        return laws

    @property
    def force(self) -> Any:
        laws = self._laws()
        loads, system = forces_of(self.run), self.run.system
        found = loads.strengths[:, laws]
        held = [row for part in self.key.reserve() if part in system.elements for row in system.rows_of(part)]
        if held:  # what friction carries while it sticks
            found = found + loads.multipliers[:, held]
        return self._give(found[:, 0] if len(laws) == 1 else found)

    @property
    def power(self) -> Any:
        """The power that the force puts into the mechanism."""
        run, total = self.run, np.zeros(self.run.times.size)
        for k in self._laws():
            along = Combination(run.system.laws[k].terms)
            rate = run.sample([along])[0][:, 1]
            total -= forces_of(run).strengths[:, k] * rate
        return self._give(total)

    @property
    def length(self) -> Any:
        """The value of the measure along which it acts."""
        measure = getattr(self.key, "measure", None)
        if not isinstance(measure, Readable):
            raise ModelError(f"{self.key.title} acts on a point or a body, not along a length")
        return self._give(self.run[measure].value)

    def __getitem__(self, name: str) -> Any:
        """An output or a state of the device behind the force, by name: run[motor]["current"]."""
        signals = [law.signal for law in self.key.laws()]
        devices = [signal.device for signal in signals if isinstance(signal, Output)]
        if not devices:
            raise ModelError(f"{self.key.title} has no device whose {check.short_repr(name)} could be read")
        series = self.run[devices[0]]
        return (series.first() if self._single else series)[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        words = ", ".join(f".{word}" for word in self._words())
        raise ModelError(f"{self.key.title} has no '{name}' in a result; it has: {words}")


def _measure_of(element: Constraint, name: str) -> Readable:
    measure = getattr(element, name, None)
    if not isinstance(measure, Readable):
        words = ", ".join([*element.coordinates(), *(["measure"] if isinstance(element, Driver) else [])]) or "none"
        has = ".force, .torque, .power and .violation"
        raise ModelError(f"{element.title} has no coordinate called '{name}'; it offers: {words}; it has {has}")
    return measure


class SignalSeries(Series):
    """`run[pid].value`, the first output of a block, `run[pid]["i"]`, an output or state by name; also of signals."""

    def __init__(self, run: Any, key: Device | Signal | Source) -> None:
        super().__init__(run, key)
        signal = key.output if isinstance(key, Source) else key
        owner = signal.device if isinstance(signal, Output) else signal
        known = run.system.devices if isinstance(owner, Device) else run.system.states.owner
        if not isinstance(owner, Value | CurveSignal | Clock) and not any(owner is other for other in known):
            hint = "; inverse_dynamics() and simulate() know signals" if run.analysis == "kinematics" else ""
            raise ModelError(f"{getattr(key, 'title', key)} took no part in this analysis{hint}")

    @property
    def value(self) -> Any:
        """The signal at each instant; of a block its first output, of a device its only one."""
        key = self.key.output if isinstance(self.key, Source) else self.key
        if isinstance(key, Device):
            if len(key.outputs) != 1:
                raise ModelError(f"{key.title} has the outputs {', '.join(key.outputs)}: name one, run[device]['...']")
            key = key[0]
        return self._give(self._values(key))

    def __getitem__(self, name: str) -> Any:
        """An output or a state by name."""
        key = self.key
        if isinstance(key, Source) and not isinstance(key, Block):
            return self._give(self._values(key[name]))
        device = key.device if isinstance(key, Block) else key
        if not isinstance(device, Device):
            raise ModelError(f"{device} is no device: read its .value")
        names = [state.name for state in device.states]
        check.choice(name, (*device.outputs, *names), f"what is read of {getattr(key, 'title', device.title)}")
        if name in device.outputs:
            return self._give(self._values(device[name]))
        return self._give(self.run.states[:, self.run.system.states.first(device) + names.index(name)])

    def _values(self, key: Signal) -> np.ndarray:
        run = self.run
        if isinstance(key, Value):
            series = run[key.of]
            found: np.ndarray = series.rate if isinstance(key, Rate) else series.value
            return found
        if isinstance(key, Held):
            held: np.ndarray = run.states[:, run.system.states.first(key)]
            return held
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
                f"{device.title} is known where forces are: in inverse_dynamics(), simulate(), equilibrium() and "
                "steady_motion()"
            )
        for other in self.run.system.devices:
            if other is device:
                break
            before += len(other.outputs)
        return loads.signals[:, before + place]

    def __repr__(self) -> str:
        return f"<{self.key} along {self.run.analysis} of '{self.run.model.name}'>"
