"""Forces: elements that act along measures.

A law is a force f along z = sum_i c_i z_i, positive if it pulls, that is, if it acts against increasing z:

    f = stiffness (z - rest) + damping z' + curve(z) + rate_curve(z') + motion(t) + function(...) + signal
    Q = -f dz/dq

(Haug 6.2.10, 6.2.18),

which covers springs, dampers, actuators, loads and torques, in the plane and in space.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from cardan.model.curves.motion import Motion
from cardan.model.device import Device, Sampler, Signal, upstream
from cardan.model.element import Element
from cardan.model.measure import Measure, Readable

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.model.matter.added_inertia import AddedInertia
    from cardan.numerics.functions.function import UserFunction

Argument = tuple[Measure, int]  # a measure, and 0 for its value or 1 for its rate


@dataclass(frozen=True)
class Law:
    """One scalar force along a measure or a combination of measures."""

    terms: tuple[tuple[float, Measure], ...]
    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    curve: Motion | None = None  # a motion evaluated at z instead of the time
    rate_curve: Motion | None = None  # and one evaluated at z'
    motion: Motion | None = None
    function: UserFunction | None = None
    arguments: tuple[Argument, ...] = ()  # of the function, followed by the time if it is timed
    timed: bool = False
    signal: Signal | None = None  # an output of a device, or a held number
    label: str = ""  # its name within the element, for tables
    at_rest: bool = True  # whether the signal may act in equilibrium
    workless: bool = False  # whether joints prevent all motion along it: then it affects only their reactions

    def measures(self) -> tuple[Measure, ...]:
        """All measures that must be evaluated for the law."""
        devices = upstream((self.signal,))
        read = (m for device in devices for signal in device.inputs for m in signal.measures())
        return (*(m for _, m in self.terms), *(m for m, _ in self.arguments), *read)


@dataclass(frozen=True)
class Guard:
    """A gap that a step must not jump over: it closes by at most itself plus `depth` in one step.

    A run with a negative initial gap is rejected, or only raises a warning if `allowed`. A body that penetrates by
    `through` comes out on the other side.
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
class Repetition:
    """A measure over which a force repeats, such as that of teeth: it is the same a period later.

    Beyond half a period from `middle` others of the same kind act. A search for an equilibrium, unlike a motion, could
    end there without having passed what lies between.
    """

    measure: Readable
    middle: float
    period: float


@dataclass(frozen=True)
class StartRange:
    """A range in which a measure must be at the start of a run.

    A run that starts outside is rejected, or only raises a warning if `allowed`; `beyond(value)` describes the problem,
    `out` the remedy.
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

    signal_units: ClassVar[dict[str, str]] = {}  # units of outputs and states of its device, for tables

    @abstractmethod
    def laws(self) -> tuple[Law, ...]:
        """The forces along measures that the element applies."""

    def devices(self) -> tuple[Device, ...]:
        """Devices of the element besides those of its laws."""
        return ()

    def guards(self) -> tuple[Guard, ...]:
        """Gaps that bodies must not jump over, and that must not be negative at the start."""
        return ()

    def corners(self) -> tuple[Corner, ...]:
        """Values of measures at which its forces set in."""
        return ()

    def repetitions(self) -> tuple[Repetition, ...]:
        """Measures over which its forces repeat."""
        return ()

    def begins(self) -> tuple[StartRange, ...]:
        """Ranges in which measures must be at the start of a run."""
        return ()

    def added_inertia(self) -> tuple[AddedInertia, ...]:
        """Inertia of rotors along coordinates of joints."""
        return ()

    def check_gravity(self, gravity: Sequence[float]) -> None:
        """Warn if the force assumes another gravity than that of the model."""

    def samplers(self) -> tuple[Sampler, ...]:
        """The functions that the element calls at sampling times."""
        return ()

    def measured(self) -> tuple[Measure, ...]:
        readers: tuple[Device | Sampler, ...] = (*self.devices(), *self.samplers())
        read = (m for reader in readers for signal in reader.inputs for m in signal.measures())
        return (*(m for law in self.laws() for m in law.measures()), *read)

    def bodies(self) -> tuple[RigidBody, ...]:
        return tuple({id(mk.body): mk.body for m in self.measured() for mk in m.markers()}.values())
