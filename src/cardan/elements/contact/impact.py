"""Impacts: contacts of rigid bodies, in which velocities jump."""

from __future__ import annotations

from dataclasses import dataclass, field

from cardan.deprecation import renamed_arguments
from cardan.elements.constraints.switchable import SwitchedConstraint
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.device import Device, Multiplier, Signal
from cardan.model.dimensions import MeasureRate, MeasureValue, Ratio
from cardan.model.element import Constraint, Element
from cardan.model.measure import Readable, readable, require_terms, require_value

REST_SPEED = 1e-4  # m/s


@renamed_arguments(rest="rest_speed")
@dataclass(frozen=True, eq=False)
class Impact(Element):
    r"""A gap that must not fall below a value: Newton's impact law, and persistent contact (Haug 8.4).

             o  |
             |  v  z'                  when z falls to `below`:   z'+ = -restitution z'-
        =====================          M dv = g^T p,  p >= 0,  all joints kept

    The gap is any measure, positive while the bodies are apart. All simultaneous contacts are solved together: none
    pulls, none continues to close. A rebound slower than `rest_speed` (m/s or rad/s) closes the contact: it holds the
    gap with the force `run[impact].force` and opens when this force would pull. The kinetic energy lost in impacts
    counts as dissipated.

    `friction` is the Coulomb coefficient of the impulse along the measure `along`, whose rate is the sliding speed; a
    closed contact gets its friction from `Friction(along, mu, normal=impact.push)`. `equilibrium` and `steady_motion`
    find the closed gaps, without friction; `simulate` and `periodic_motion` include impacts; `kinematics` and
    `inverse_dynamics` do not support them.

    >>> from cardan import simulate
    >>> from cardan.planar import Body, Impact, Model, y
    >>> model = Model("drop", gravity=(0, -9.81))
    >>> ball = model.add(Body(mass=1.0, inertia=1.0, position=(0, 4.905)), name="ball")
    >>> floor = model.add(Impact(y(ball.at()), restitution=0.5), name="floor")
    >>> run = simulate(model, 5.0, output=1.0)
    >>> [round(event.time, 9) for event in run.events[:3]]
    [1.0, 2.0, 2.5]
    >>> round(float(run[floor].force[-1]), 9)
    9.81
    """

    measure: Readable
    restitution: Ratio
    below: MeasureValue = 0.0
    rest_speed: MeasureRate = REST_SPEED
    friction: Ratio = 0.0
    along: Readable | None = None
    allow_negative: bool = False
    closed: SwitchedConstraint = field(init=False, repr=False)  # holds the gap
    sliding: SwitchedConstraint | None = field(init=False, repr=False)  # friction acts against its rate
    push: Signal = field(init=False, repr=False)  # the force of the closed contact

    def __post_init__(self) -> None:
        readable(self.measure, "the gap of an Impact")
        if self.along is not None:
            readable(self.along, "the sliding measure of an Impact")
        closed = SwitchedConstraint(self.measure, "gap", self.below)
        push = Device(_push, (Multiplier(closed, "gap"),), ("push",), name="push")
        object.__setattr__(self, "closed", closed)
        object.__setattr__(self, "push", push["push"])
        object.__setattr__(
            self, "sliding", None if self.along is None else SwitchedConstraint(self.along, "sliding", velocity=True)
        )

    def check(self) -> None:
        require_terms(self.title, self.measure)
        require_value(self.title, self.measure)
        check.number(self.below, f"below of {self.title}")
        if not 0.0 <= check.number(self.restitution, f"the restitution of {self.title}") <= 1.0:
            raise ModelError(
                f"the restitution of {self.title} must be between 0 and 1, got {self.restitution:g}: it is the "
                "ratio of the speeds after and before"
            )
        if check.number(self.rest_speed, f"rest_speed of {self.title}") < 0.0:
            raise ModelError(f"rest_speed of {self.title} must not be negative, got {self.rest_speed:g}")
        if check.number(self.friction, f"the friction of {self.title}") < 0.0 and not self.allow_negative:
            raise ModelError(
                f"the friction of {self.title} must not be negative, got {self.friction:g}; pass allow_negative=True "
                "if it drives"
            )
        if (self.friction != 0.0) != (self.along is not None):
            raise ModelError(f"{self.title} needs both friction= and along=, the measure of sliding, or neither")

    def bodies(self) -> tuple[RigidBody, ...]:
        measures = [self.measure] if self.along is None else [self.measure, self.along]
        found = {id(k.body): k.body for measure in measures for _, m in measure.parts() for k in m.markers()}
        return tuple(found.values())

    def reserve(self) -> tuple[Constraint, ...]:
        object.__setattr__(self.closed, "name", self.name)
        if self.sliding is None:
            return (self.closed,)
        object.__setattr__(self.sliding, "name", f"{self.name} sliding")
        return self.closed, self.sliding


def _push(multiplier: float) -> float:
    return -multiplier
