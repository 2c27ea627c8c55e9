"""Devices compute signals from signals and may have states: controllers, motors, contacts, tires.

        inputs u -->  +-----------+  --> outputs y           y, x' = f(u, x, p)
                      |  f, x, p  |
                      +-----------+                           states x are integrated together with the motion

A device is a plain function of numbers. Built-in and user-defined devices are alike: compiled Python functions. Laws
use outputs as forces along measures (`Law.signal`), so any output of a device can act on the mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.function_code import Code, function_name
from cardan.model.curves.motion import Motion
from cardan.model.measure import Measure, Readable
from cardan.model.stated import Stated
from cardan.numerics.functions.portable import portable


class Signal:
    """An input of a device or law. Signals can be added and scaled: `-pid.output`, `2.0 * rate(x) + other`."""

    def measures(self) -> tuple[Measure, ...]:
        return ()

    def sources(self) -> tuple[Device, ...]:
        """The devices that it depends on."""
        return ()

    def __mul__(self, factor: float) -> Output:
        scale = check.number(factor, "the factor of a signal")
        return Device(_scaled, (self,), ("output",), (), (scale,), "gain")["output"]

    __rmul__ = __mul__

    def __neg__(self) -> Output:
        return -1.0 * self

    def __add__(self, other: object) -> Output:
        if isinstance(other, int | float):
            shift = check.number(other, "what is added to a signal")
            return Device(_sum, (self,), ("output",), (), (shift,), "sum")["output"]
        return Device(_sum, (self, _signal(other)), ("output",), name="sum")["output"]

    __radd__ = __add__

    def __sub__(self, other: object) -> Output:
        return self + (-other if isinstance(other, int | float) else -_signal(other))

    def __rsub__(self, other: object) -> Output:
        return -self + other

    def __truediv__(self, divisor: float) -> Output:
        if check.number(divisor, "the divisor of a signal") == 0.0:
            raise ModelError("a signal cannot be divided by 0")
        return self * (1.0 / divisor)


@dataclass(frozen=True)
class Value(Signal):
    """The value of a measure or of a combination of measures."""

    of: Readable

    def measures(self) -> tuple[Measure, ...]:
        return tuple(measure for _, measure in self.of.parts())


@dataclass(frozen=True)
class Rate(Value):
    """The rate of a measure or of a combination of measures."""


@dataclass(frozen=True)
class Clock(Signal):
    """The time."""


@dataclass(frozen=True)
class Output(Signal):
    """An output of a device, by its index."""

    device: Device
    place: int = 0

    def sources(self) -> tuple[Device, ...]:
        return (self.device,)


@dataclass(frozen=True)
class Multiplier(Signal):
    """The multiplier of an equation, by its label: a joint reaction. Forces and multipliers are solved together."""

    element: Any
    label: str


@dataclass(frozen=True, eq=False)
class Held(Signal):
    """A number that is constant until an event or a sampler changes it."""

    start: float = 0.0
    name: str = ""


@dataclass(frozen=True, eq=False)
class CurveSignal(Signal):
    """A motion evaluated at a signal, by default the time."""

    motion: Motion
    at: Signal = field(default_factory=Clock)

    def __post_init__(self) -> None:
        if isinstance(self.at, CurveSignal):
            raise ModelError(
                "a curve must be evaluated at a measure, the time or the output of a device, not at a curve"
            )

    def measures(self) -> tuple[Measure, ...]:
        return self.at.measures()

    def sources(self) -> tuple[Device, ...]:
        return self.at.sources()


@dataclass(frozen=True)
class State:
    """A number with a rate. `scale` is its unit in error control."""

    name: str
    start: float = 0.0
    scale: float = 1.0


@dataclass(frozen=True, eq=False)
class Device(metaclass=Stated):
    """f(*inputs, *states, *parameters) -> outputs and rates of states, one after the other; or a single number."""

    function: Callable[..., Any]
    inputs: tuple[Signal, ...]
    outputs: tuple[str, ...]
    states: tuple[State, ...] = ()
    parameters: tuple[float, ...] = ()
    name: str = ""
    code: Code = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check.function(self.function, len(self.inputs) + len(self.states) + len(self.parameters), self.title)
        for signal in self.inputs:
            check.instance(signal, Signal, f"an input of {self.title}", hint="create one with Value(measure)")
        arguments, results = len(self.inputs) + len(self.states), len(self.outputs) + len(self.states)
        if results == 0:
            raise ModelError(f"{self.title} has neither outputs nor states: it would have no effect")
        object.__setattr__(self, "code", Code(self.function, arguments, results, "none"))

    def __getstate__(self) -> dict[str, Any]:
        """For copies: functions that the package makes have no names by which they could be found."""
        return self.__dict__ | {"function": portable(self.function)}

    @property
    def title(self) -> str:
        return f"device '{self.name or function_name(self.function)}'"

    def __getitem__(self, output: int | str) -> Output:
        """An output, by index or name."""
        if isinstance(output, str):
            check.choice(output, self.outputs, f"the output of {self.title}")
            output = self.outputs.index(output)
        return Output(self, output)


@dataclass(frozen=True, eq=False)
class Sampler(metaclass=Stated):
    """f(*inputs, *states, *parameters) -> outputs and next states, called only at the times offset + k period.

    Its results are held until the next call. Of several samplers due at the same time, each reads the new results of
    those before it. `count` is the number of calls, which determines the next sampling time.
    """

    function: Callable[..., Any]
    inputs: tuple[Signal, ...]
    outputs: tuple[Held, ...]
    period: float
    offset: float = 0.0
    states: tuple[Held, ...] = ()
    parameters: tuple[float, ...] = ()
    name: str = ""
    compiled: bool = True  # if possible
    count: Held = field(init=False, repr=False)
    code: Code = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check.function(self.function, len(self.inputs) + len(self.states) + len(self.parameters), self.title)
        arguments, results = len(self.inputs) + len(self.states), len(self.outputs) + len(self.states)
        if results == 0:
            raise ModelError(f"{self.title} has neither outputs nor states: it would have no effect")
        way = "sampled" if self.compiled else "interpreted"
        object.__setattr__(self, "code", Code(self.function, arguments, results, way))
        object.__setattr__(self, "count", Held(0.0, "samples"))

    @property
    def title(self) -> str:
        return f"function '{self.name or function_name(self.function)}'"

    @property
    def held(self) -> tuple[Held, ...]:
        return (*self.outputs, *self.states, self.count)

    def read(self) -> tuple[Held, ...]:
        """The held numbers that are its inputs."""
        return tuple(signal for signal in self.inputs if isinstance(signal, Held))


def _signal(value: object) -> Signal:
    """A signal, the first output of a block, or the value of a measure."""
    found = Value(value) if isinstance(value, Readable) else getattr(value, "output", value)
    if not isinstance(found, Signal):
        raise ModelError(
            f"a term added to a signal must be a signal, a measure or a number, got {check.describe(value)}"
        )
    return found


def _scaled(value: float, factor: float) -> float:
    return value * factor


def _sum(first: float, second: float) -> float:
    return first + second


def upstream(signals: Any) -> Iterator[Device]:
    """All devices that the signals depend on, each after its own inputs."""
    done: dict[int, Device] = {}
    open_: list[Device] = []

    def visit(device: Device) -> Iterator[Device]:
        if id(device) in done:
            return
        if any(device is other for other in open_):
            ring = [*open_[[other is device for other in open_].index(True) :], device]
            raise ModelError(
                "an algebraic loop: "
                + " reads ".join(d.title for d in ring)
                + "; add a state to one of them to break it"
            )
        open_.append(device)
        for signal in device.inputs:
            for source in signal.sources():
                yield from visit(source)
        open_.pop()
        done[id(device)] = device
        yield device

    for signal in signals:
        for source in signal.sources() if signal is not None else ():
            yield from visit(source)
