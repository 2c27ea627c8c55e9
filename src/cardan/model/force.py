"""Forces: elements that act along measures.

A law states a force f along z = sum_i c_i z_i, positive if it pulls, that is, if it works against growing z:

    f = stiffness (z - rest) + damping z' + curve(z) + rate_curve(z') + motion(t) + function(...) + signal
    Q = -f dz/dq

(Haug 6.2.10, 6.2.18),

so that springs, dampers, actuators, loads and torques are one thing, in the plane and in space.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from cardan.model.curves.motion import Motion
from cardan.model.device import Device, Sampler, Signal, upstream
from cardan.model.element import Element
from cardan.model.measure import Measure, Readable

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.numerics.functions.function import UserFunction

Argument = tuple[Measure, int]  # a measure and which of it: 0 its value, 1 its rate


@dataclass(frozen=True)
class Law:
    """One scalar force along a measure or a combination of measures."""

    terms: tuple[tuple[float, Measure], ...]
    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    curve: Motion | None = None  # a motion read at z in place of the time
    rate_curve: Motion | None = None  # and one read at z'
    motion: Motion | None = None
    function: UserFunction | None = None
    arguments: tuple[Argument, ...] = ()  # of the function; the time follows them if it is timed
    timed: bool = False
    signal: Signal | None = None  # an output of a device, or what is held
    label: str = ""  # its name among those of an element, for tables
    at_rest: bool = True  # whether the signal may act where nothing moves

    def measures(self) -> tuple[Measure, ...]:
        """All measures that must be evaluated for the law."""
        devices = upstream((self.signal,))
        read = (m for device in devices for signal in device.inputs for m in signal.measures())
        return (*(m for _, m in self.terms), *(m for m, _ in self.arguments), *read)


@dataclass(frozen=True)
class Guard:
    """A gap that a step must not jump over: it closes by no more than itself and `depth` in one step.

    A run rejects to start where it is negative, or only warns if that is `allowed`. Pressed in by `through`, a body
    comes out on the other side.
    """

    gap: Measure
    depth: float
    allowed: bool = False
    through: float = math.inf


@dataclass(frozen=True)
class Corner:
    """A value of a measure at which a force sets in: steps end there.

    `side` is 1 if the force sets in where the measure exceeds `at`, -1 if it does below.
    """

    measure: Readable
    at: float
    side: int


@dataclass(frozen=True)
class StartRange:
    """A range in which a measure must lie where a run begins.

    A run that begins outside is rejected, or only warns if that is `allowed`; `beyond(value)` says what is wrong there,
    `out` what to do.
    """

    measure: Readable
    low: float
    high: float
    beyond: Callable[[float], str]
    out: str
    allowed: bool = False


@dataclass(frozen=True, eq=False)
class Force(Element):
    """An element that applies forces."""

    signal_units: ClassVar[dict[str, str]] = {}  # of outputs and states of its device that have one, for tables

    @abstractmethod
    def laws(self) -> tuple[Law, ...]:
        """The forces along measures that the element applies."""

    def devices(self) -> tuple[Device, ...]:
        """Devices that belong to the element beside those behind its laws."""
        return ()

    def guards(self) -> tuple[Guard, ...]:
        """Gaps that bodies must not jump over, or start within."""
        return ()

    def corners(self) -> tuple[Corner, ...]:
        """Values of measures at which its forces set in."""
        return ()

    def begins(self) -> tuple[StartRange, ...]:
        """Ranges that measures must lie in where a run begins."""
        return ()

    def samplers(self) -> tuple[Sampler, ...]:
        """What the element computes at instants of its own alone."""
        return ()

    def bodies(self) -> tuple[RigidBody, ...]:
        found = {id(mk.body): mk.body for law in self.laws() for m in law.measures() for mk in m.markers()}
        readers: tuple[Device | Sampler, ...] = (*self.devices(), *self.samplers())
        read = (m for reader in readers for signal in reader.inputs for m in signal.measures())
        found |= {id(mk.body): mk.body for m in read for mk in m.markers()}
        return tuple(found.values())
