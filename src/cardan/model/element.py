"""Elements: anything added to a model under a name, and the equations of constraints.

A constraint consists of scalar equations on measures z,

    phi = sum_i c_i z_i - offset - f(t) = 0        or        phi = F(z_1, ..., z_n, t) = 0

or, for rolling and blades, velocity constraints, which do not restrict positions,

    sum_i c_i z_i' = offset + f(t)                 or        F(z, z', t) = 0, linear in the rates z'

and nothing else: numbering, Jacobians and solving are in other packages.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cardan.model.curves.motion import Motion
from cardan.model.measure import Combination, Measure, Readable
from cardan.model.stated import Stated
from cardan.model.steps import Step

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.model.force import Force
    from cardan.numerics.functions.function import UserFunction

VALUE, RATE, TIME = 0, 1, 2  # kinds of arguments of a user function


@dataclass(frozen=True, eq=False)
class Element(metaclass=Stated):
    """Frozen data with a name, assigned by `Model.add`."""

    name: str = field(default="", init=False)

    def check(self) -> None:
        """Reject invalid data with a message that names the element. Called by `Model.add`."""

    @abstractmethod
    def bodies(self) -> tuple[RigidBody, ...]:
        """The bodies that the element touches."""

    def measured(self) -> tuple[Measure, ...]:
        """The measures along which the element acts, and those that it reads."""
        return ()

    def reserve(self) -> tuple[Constraint, ...]:
        """Constraints that the element engages and releases during a simulation; ignored elsewhere."""
        return ()

    @property
    def title(self) -> str:
        """The element in messages: its class and its name."""
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
    function: UserFunction | None = None  # F; the coefficients in `terms` are then not used
    arguments: tuple[tuple[int, int], ...] = ()  # arguments of F: a term, and VALUE or RATE of its measure; or TIME
    period: float = 0.0  # the offset is modulo this: the turn nearest the estimate is used,
    turn: float = 0.0  # and modulo this for full turns of the angle in the last term
    floating: bool = False  # the offset is that of the assembled position (gears without reference angles)
    velocity: bool = False  # a velocity constraint, without phi

    @property
    def timed(self) -> bool:
        """Whether the equation depends on time."""
        return self.motion is not None or any(level == TIME for _, level in self.arguments)

    @property
    def words(self) -> str:
        """The measures of the equation, for messages."""
        return ", ".join(str(m) for _, m in self.terms) if self.function else str(Combination(self.terms))

    @property
    def unit(self) -> str:
        """'m' for a length, 'rad' for an angle, '' for a dimensionless equation."""
        units = {measure.unit for _, measure in self.terms}
        return units.pop() if len(units) == 1 and self.function is None else ("m" if "m" in units else "")


@dataclass(frozen=True)
class Limit:
    """A range that a measure should stay in; leaving it is reported with the time, as described by `what`."""

    measure: Measure
    low: float
    high: float
    what: str
    less: Measure | None = None  # component of a length to ignore: the limit applies to sqrt(measure^2 - less^2)


@dataclass(frozen=True, eq=False)
class Constraint(Element):
    """An element with constraint equations."""

    # True if the equations, as a block, always have full rank in the columns of either body alone:
    # such a block can be eliminated together with that body.
    carries: ClassVar[bool] = False
    drives: ClassVar[bool] = False  # a driver: checked for redundancy after all joints
    switched: ClassVar[bool] = False  # in the reserve of another element: used in simulations only
    listed: ClassVar[bool] = True  # False: part of a body, with which the model adds it; results do not show it

    @abstractmethod
    def equations(self) -> tuple[Equation, ...]:
        """The equations that the element keeps at zero."""

    def contact_coordinates(self) -> tuple[Any, ...]:
        """Internal coordinates of the element, such as the contact parameter on a cam."""
        return ()

    def contact_start(self, pose: Callable[[RigidBody], np.ndarray]) -> tuple[float, ...]:
        """Their initial values, computed from the given positions `pose(body)` of the bodies."""
        return ()

    def coordinates(self) -> dict[str, Readable]:
        """The coordinates that the element offers, by name: its properties that are measures, without orientations of
        point masses."""
        kind = type(self)
        names = (name for name in dir(kind) if not name.startswith("_") and isinstance(getattr(kind, name), property))
        values = {name: getattr(self, name) for name in names}
        found = {name: value for name, value in values.items() if isinstance(value, Readable)}
        return {n: value for n, value in found.items() if not any(m.points_turned() for _, m in value.parts())}

    def steps(self) -> tuple[Step, ...] | None:
        """The motions from marker a to marker b, if the element is a joint that can have joint coordinates."""
        return None

    def presses(self) -> tuple[tuple[str, float | Measure], ...]:
        """Equations by label whose contact can only push: the force along their measure must have the sign of the
        number, or of the measure, that follows."""
        return ()

    def forces(self) -> tuple[Force, ...]:
        """Forces that belong to the constraint, such as the one by which teeth push gears apart."""
        return ()

    def limits(self) -> tuple[Limit, ...]:
        """Ranges that measures of the element should stay in, such as the length of a follower's face."""
        return ()

    def measured(self) -> tuple[Measure, ...]:
        return tuple(measure for equation in self.equations() for _, measure in equation.terms)

    def bodies(self) -> tuple[RigidBody, ...]:
        found: dict[int, RigidBody] = {}
        for measure in self.measured():
            for marker in measure.markers():
                found.setdefault(id(marker.body), marker.body)
        return tuple(found.values())
