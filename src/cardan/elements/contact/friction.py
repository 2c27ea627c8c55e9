"""Dry friction in joints and contacts, from their normal forces."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from cardan.deprecation import renamed_arguments
from cardan.elements.constraints.switchable import SwitchedConstraint
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Device, Held, Multiplier, Output, Rate, Signal
from cardan.model.dimensions import Length, MeasureDamping, MeasureRate, Ratio
from cardan.model.element import Constraint
from cardan.model.force import Force, Law
from cardan.model.measure import Readable, require_terms

CREEP_SPEED = 1e-3  # m/s or rad/s
STICKING, UNKNOWN_DIRECTION = 0.0, 2.0  # values of `direction` besides 1 and -1: sticking; unknown, for smooth friction


@renamed_arguments(mu="friction", static="static_friction", stribeck="stribeck_speed", speed="creep_speed")
@dataclass(frozen=True, eq=False)
class Friction(Force):
    r"""Coulomb, Stribeck and viscous friction, smooth or with exact sticking.

        f = mu(v) N s(v) + viscous v
        mu(v) = friction + (static_friction - friction) exp(-(v / stribeck_speed)^2)

    It acts against the rate v of a joint's coordinate or of any measure.

    - `Friction(hinge, 0.1, radius=0.02)`: a pin. N is the magnitude of its force, f = mu r |F| the torque.
    - `Friction(guide, 0.1, lever=0.2)`: a slider on two edges, or in space a hinge on two bearings, `lever` apart, that
      carry a transverse force F and a moment T: N = max(|F|, 2 |T| / lever), the sum of both edge forces. Without
      lever= the moment has no effect.
    - `Friction(measure, 0.3, normal=20.0)`: a given force, or a signal such as `impact.push` or `reaction(...)`. The
    magnitude of a signal counts, since a joint can press on either side; with one_sided=True negative values mean no
    contact.

    Smooth friction has s(v) = tanh(v / creep_speed): under load it creeps at less than `creep_speed`. With sticks=True,
    `simulate` uses the sign of v; at v = 0 a constraint keeps the rate at zero while its force is at most
    static_friction N, and events report when it breaks away or stops. An impact releases it. `inverse_dynamics`
    uses the smooth law; `equilibrium` ignores friction. A joint with several coordinates needs along=, such as
    along=joint.travel.

    >>> from cardan import simulate
    >>> from cardan.planar import Body, Friction, Model, Translational
    >>> model = Model("block", gravity=(0.2 * 9.81, -9.81))
    >>> block = model.add(Body(mass=1.0, inertia=1.0), name="block")
    >>> slope = model.add(Translational(model.ground.at(), block.at()), name="slope")
    >>> dry = model.add(Friction(slope, 0.3, sticks=True), name="dry")
    >>> run = simulate(model, 1.0)
    >>> run[block].position[-1].tolist(), round(float(run[dry].force[-1]), 9)
    ([0.0, 0.0], 1.962)
    """

    of: Constraint | Readable
    friction: Ratio
    static_friction: Ratio | None = None
    stribeck_speed: MeasureRate | None = None
    viscous: MeasureDamping = 0.0
    radius: Length | None = None
    lever: Length | None = None
    normal: float | Signal | None = None
    creep_speed: MeasureRate = CREEP_SPEED
    sticks: bool = False
    along: Readable | None = None
    one_sided: bool = False
    allow_negative: bool = False
    direction: Held = field(init=False, repr=False)  # sign of sliding, STICKING or UNKNOWN_DIRECTION
    slip: Device = field(init=False, repr=False)
    stuck: SwitchedConstraint = field(init=False, repr=False)  # keeps the rate at zero
    margin: Output = field(init=False, repr=False)  # margin before it breaks away
    sliding: Output = field(init=False, repr=False)  # the speed in the direction of sliding

    def __post_init__(self) -> None:
        joint = self.of if isinstance(self.of, Constraint) else None
        if joint is None and not isinstance(self.of, Readable):
            raise ModelError(f"Friction takes a joint or a measure, got {check.describe(self.of)}")
        self._check_numbers()
        along = self._coordinate(joint)
        carried = self._carried(joint, along)
        arm = 1.0 if self.radius is None else self.radius
        static = self.friction if self.static_friction is None else self.static_friction
        direction = Held(UNKNOWN_DIRECTION, "direction")
        law = (arm * self.friction, arm * static, self.stribeck_speed or 0.0, self.viscous)
        if self.sticks:
            slip = Device(_dry, (Rate(along), carried, direction), ("force",), (), (*law, self.creep_speed), "friction")
        else:
            slip = Device(_smooth, (Rate(along), carried), ("force",), (), (*law, self.creep_speed), "friction")
        stuck = SwitchedConstraint(along, "slip", velocity=True)
        margin = Device(_margin, (Multiplier(stuck, "slip"), carried), ("margin",), (), (arm * static,), "margin")
        sliding = Device(_sliding, (Rate(along), direction), ("speed",), (), (), "sliding")
        for name, value in (
            ("along", along), ("direction", direction), ("slip", slip), ("stuck", stuck),
            ("margin", margin["margin"]), ("sliding", sliding["speed"]),
        ):  # fmt: skip
            object.__setattr__(self, name, value)

    def laws(self) -> tuple[Law, ...]:
        assert self.along is not None
        return (Law(self.along.parts(), signal=self.slip["force"], at_rest=False),)

    def reserve(self) -> tuple[Constraint, ...]:
        object.__setattr__(self.stuck, "name", f"{self.name} stuck")
        return (self.stuck,) if self.sticks else ()

    def _check_numbers(self) -> None:
        for name in ("friction", "static_friction", "viscous"):
            value = getattr(self, name)
            if value is not None and check.number(value, f"{name} of Friction") < 0.0 and not self.allow_negative:
                raise ModelError(
                    f"{name} of Friction must not be negative, got {value:g}; pass allow_negative=True if it drives"
                )
        for name in ("stribeck_speed", "radius", "lever"):
            if getattr(self, name) is not None:
                check.positive(getattr(self, name), f"{name} of Friction")
        check.positive(self.creep_speed, "creep_speed of Friction")
        check.flag(self.sticks, "sticks of Friction")
        if check.flag(self.one_sided, "one_sided of Friction") and not isinstance(self.normal, Signal):
            raise ModelError("one_sided of Friction needs a signal that may be negative: pass it as normal=")
        if self.static_friction is None:
            return
        if self.static_friction < self.friction:
            raise ModelError(
                f"static_friction of Friction must not be less than friction, got {self.static_friction:g} and "
                f"{self.friction:g}"
            )
        if self.static_friction > self.friction and self.stribeck_speed is None and not self.sticks:
            raise ModelError(
                "static_friction of smooth Friction needs stribeck_speed=, the speed over which it falls to friction"
            )

    def _coordinate(self, joint: Constraint | None) -> Readable:
        """The measure along which friction acts."""
        if self.along is not None:
            along = self.along
        elif isinstance(self.of, Readable):
            along = self.of
        else:
            assert joint is not None
            offered = joint.coordinates()
            if len(offered) != 1:
                words = ", ".join(offered) or "none"
                raise ModelError(f"Friction of {joint.title} needs along=: it has the coordinates {words}")
            along = next(iter(offered.values()))
        if not isinstance(along, Readable):
            raise ModelError(f"along of Friction must be a measure, got {check.describe(along)}")
        require_terms("Friction", along)
        if joint is not None and self.normal is None and along.unit == "rad" and self.radius is None:
            raise ModelError(f"Friction of {joint.title} acts against rotation: give the radius= of the pin")
        return along

    def _carried(self, joint: Constraint | None, along: Readable) -> Signal:
        """The normal force."""
        if self.normal is not None:
            if isinstance(self.normal, Signal):
                part = _pressing if self.one_sided else _size1
                return Device(part, (self.normal,), ("normal",), name="normal")["normal"]
            given = check.number(self.normal, "the normal force of Friction")
            if given < 0.0:
                raise ModelError(f"the normal force of Friction must not be negative, got {given:g}")
            return Device(_given, (), ("normal",), (), (given,), "normal")["normal"]
        if joint is None:
            raise ModelError(f"Friction along {along} needs normal=, a force or a signal: a measure has none")
        rows = [e for e in joint.equations() if not e.velocity]
        forces = [Multiplier(joint, e.label) for e in rows if e.unit == "m"]
        moments = [Multiplier(joint, e.label) for e in rows if e.unit != "m"]
        if not 1 <= len(forces) <= 3 or len(moments) > 3:
            raise ModelError(f"Friction cannot derive a normal force from the equations of {joint.title}: give normal=")
        load = _size(forces)
        if self.lever is None or not moments:
            return load
        return Device(_edges, (load, _size(moments)), ("normal",), (), (self.lever,), "normal")["normal"]


def _size(parts: list[Multiplier]) -> Output:
    """The norm of a vector of multipliers."""
    function = (_size1, _size2, _size3)[len(parts) - 1]
    return Device(function, tuple(parts), ("size",), name="size")["size"]


def _size1(a: float) -> float:
    return abs(a)


def _size2(a: float, b: float) -> float:
    return math.sqrt(a * a + b * b)


def _size3(a: float, b: float, c: float) -> float:
    return math.sqrt(a * a + b * b + c * c)


def _pressing(a: float) -> float:
    return max(0.0, a)


def _given(load: float) -> float:
    return load


def _edges(force: float, moment: float, lever: float) -> float:
    """|F/2 + T/lever| + |F/2 - T/lever|."""
    return max(force, 2.0 * moment / lever)


def _smooth(
    rate: float, normal: float, mu: float, static: float, stribeck: float, viscous: float, speed: float
) -> float:
    now = mu + (static - mu) * math.exp(-((rate / stribeck) ** 2)) if stribeck > 0.0 else mu
    return now * normal * math.tanh(rate / speed) + viscous * rate


def _dry(
    rate: float,
    normal: float,
    direction: float,
    mu: float,
    static: float,
    stribeck: float,
    viscous: float,
    speed: float,
) -> float:
    if direction == 0.0:
        return 0.0
    now = mu + (static - mu) * math.exp(-((rate / stribeck) ** 2)) if stribeck > 0.0 else mu
    sign = math.tanh(rate / speed) if direction == 2.0 else direction
    return now * normal * sign + viscous * rate


def _margin(multiplier: float, normal: float, static: float) -> float:
    return static * normal - abs(multiplier)


def _sliding(rate: float, direction: float) -> float:
    return rate * direction
