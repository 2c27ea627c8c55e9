"""Elements: anything a user adds to a model under a name, and the equations that constraints state.

A constraint states scalar equations on measures z,

    phi = sum_i c_i z_i - offset - f(t) = 0        or        phi = F(z_1, ..., z_n, t) = 0

or, of rolling and blades, equations on velocities, which say nothing about positions,

    sum_i c_i z_i' = offset + f(t)                 or        F(z, z', t) = 0, linear in the rates z'

and nothing else: numbering, Jacobians and solving belong to other packages.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from cardan.model.curves.motion import Motion
from cardan.model.measure import Combination, Measure, Readable
from cardan.model.stated import Stated
from cardan.model.steps import Step

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.numerics.functions.function import UserFunction

VALUE, RATE, TIME = 0, 1, 2  # what an argument of a user's function is


@dataclass(frozen=True, eq=False)
class Element(metaclass=Stated):
    """Frozen data with a name; `Model.add` gives the name."""

    name: str = field(default="", init=False)

    def check(self) -> None:
        """Reject wrong data with a message that names the element. Called by `Model.add`."""

    @abstractmethod
    def bodies(self) -> tuple[RigidBody, ...]:
        """The bodies that the element touches."""

    def reserve(self) -> tuple[Constraint, ...]:
        """Constraints that the element itself engages and releases during a simulation; others do not see them."""
        return ()

    @property
    def title(self) -> str:
        """How messages call the element: its class and its name."""
        kind = type(self).__name__
        return f"{kind} '{self.name}'" if self.name else kind

    def __str__(self) -> str:
        return self.title


@dataclass(frozen=True)
class Equation:
    """One scalar equation of a constraint. `label` is its name within the element."""

    label: str
    terms: tuple[tuple[float, Measure], ...]
    offset: float = 0.0
    motion: Motion | None = None
    function: UserFunction | None = None  # F; the coefficients in `terms` are then unused
    arguments: tuple[tuple[int, int], ...] = ()  # what F takes: a term, and VALUE or RATE of its measure; or TIME
    period: float = 0.0  # the offset counts modulo this: the turn nearest the estimate is taken,
    turn: float = 0.0  # and modulo this for whole turns in the angle that is the last term
    floating: bool = False  # the offset is whatever the assembled position gives (gears without reference angles)
    velocity: bool = False  # an equation on velocities: it has no phi

    @property
    def timed(self) -> bool:
        """Whether the equation depends on time."""
        return self.motion is not None or any(level == TIME for _, level in self.arguments)

    @property
    def words(self) -> str:
        """What the equation is about, for messages."""
        return ", ".join(str(m) for _, m in self.terms) if self.function else str(Combination(self.terms))

    @property
    def unit(self) -> str:
        """'m' if the equation measures a length, 'rad' for angles, '' for what has no unit."""
        units = {measure.unit for _, measure in self.terms}
        return units.pop() if len(units) == 1 and self.function is None else ("m" if "m" in units else "")


@dataclass(frozen=True)
class Limit:
    """A range that a measure should stay in; leaving it is reported with the time, `what` says what it means."""

    measure: Measure
    low: float
    high: float
    what: str
    less: Measure | None = None  # a part of a length that does not count: sqrt(measure^2 - less^2) is looked at


@dataclass(frozen=True, eq=False)
class Constraint(Element):
    """An element that holds equations."""

    # True if the equations, as a block, have full rank in the columns of either body alone in every position:
    # such a block can be eliminated together with that body.
    carries: ClassVar[bool] = False
    drives: ClassVar[bool] = False  # a driver: checked for redundancy after all joints
    switched: ClassVar[bool] = False  # in the reserve of another element: it takes part in simulations alone

    @abstractmethod
    def equations(self) -> tuple[Equation, ...]:
        """The equations that the element holds at zero."""

    def own(self) -> tuple[Any, ...]:
        """Coordinates of the element's own, such as the place of contact on a cam."""
        return ()

    def own_start(self, pose: Callable[[Any], Any]) -> tuple[float, ...]:
        """Their start values, found from the positions of the bodies: `pose(body)` is what is stated of it."""
        return ()

    def coordinates(self) -> dict[str, Readable]:
        """The coordinates that the element offers, by name: its properties that are measures."""
        kind = type(self)
        names = (name for name in dir(kind) if not name.startswith("_") and isinstance(getattr(kind, name), property))
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if isinstance(value, Readable)}

    def steps(self) -> tuple[Step, ...] | None:
        """The motions that lead from marker a to marker b, if the element is a joint that can carry coordinates."""
        return None

    def presses(self) -> tuple[tuple[str, float | Measure], ...]:
        """Equations by label whose contact can only press: the force along their measure must have the sign of the
        number, or of the measure, that follows."""
        return ()

    def limits(self) -> tuple[Limit, ...]:
        """Ranges that measures of the element should not leave, such as the length of a follower's face."""
        return ()

    def bodies(self) -> tuple[RigidBody, ...]:
        found: dict[int, RigidBody] = {}
        for equation in self.equations():
            for _, measure in equation.terms:
                for marker in measure.markers():
                    found.setdefault(id(marker.body), marker.body)
        return tuple(found.values())
