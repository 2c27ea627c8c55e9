"""Sources: elements with output signals."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Device, Signal, State
from cardan.model.force import Force, Law

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, eq=False)
class Source(Force):
    """An element with outputs: `.output` is its first one, `element["name"]` any of them. It applies no force.

    It can be used in sums and products like its first output: `Actuator(guide.travel, -pid)`, `2.0 * pid`, `pid +
    other`.
    """

    @property
    @abstractmethod
    def output(self) -> Signal:
        """The first output."""

    @abstractmethod
    def __getitem__(self, name: str) -> Signal:
        """An output by name."""

    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of its series in a result: outputs, then states."""

    def __neg__(self) -> Signal:
        return -self.output

    def __mul__(self, factor: float) -> Signal:
        return self.output * factor

    __rmul__ = __mul__

    def __add__(self, other: object) -> Signal:
        return self.output + other

    __radd__ = __add__

    def __sub__(self, other: object) -> Signal:
        return self.output - other

    def __rsub__(self, other: object) -> Signal:
        return -self.output + other

    def __truediv__(self, divisor: float) -> Signal:
        return self.output / divisor

    def laws(self) -> tuple[Law, ...]:
        return ()


@dataclass(frozen=True, eq=False)
class Block(Source):
    """A source with one device, integrated together with the motion."""

    device: Device = field(init=False, repr=False)

    @property
    def output(self) -> Signal:
        return self.device[0]

    def __getitem__(self, name: str) -> Signal:
        return self.device[name]

    def names(self) -> tuple[str, ...]:
        return (*self.device.outputs, *(state.name for state in self.device.states))

    def devices(self) -> tuple[Device, ...]:
        return (self.device,)

    def _make(
        self,
        function: Callable[..., Any],
        inputs: tuple[Signal, ...],
        parameters: tuple[float, ...] = (),
        states: tuple[State, ...] = (),
        outputs: tuple[str, ...] = ("output",),
    ) -> None:
        device = Device(function, inputs, outputs, states, parameters, type(self).__name__)
        object.__setattr__(self, "device", device)


def limits_of(value: object, what: str) -> tuple[float, float]:
    """Two increasing numbers; infinite for None."""
    if value is None:
        return -NO_LIMIT, NO_LIMIT
    low, high = check.vector(value, 2, what)
    if not low < high:
        raise ModelError(f"{what} must increase, got {low:g} and {high:g}")
    return low, high


def not_negative(value: object, what: str) -> float:
    """A finite number, at least zero."""
    number = check.number(value, what)
    if number < 0.0:
        raise ModelError(f"{what} must not be negative, got {number:g}")
    return number


NO_LIMIT = 1e300
