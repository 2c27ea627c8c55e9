r"""Contact of two surfaces: Hunt and Crossley's law along the normal, Coulomb's with Stribeck's along the surface.

    b ( )   | v_in    ^ v_out      N = k d^n (1 + chi d'),  d = -gap > 0;   N >= 0, never pulls
   ----------------------  a
                                   F = mu(s) N / sqrt(s^2 + v0^2) rub,  s = |rub|
                                   mu(s) = mu + (mu_static - mu) exp(-(s / v_stribeck)^2)

The rebound speed follows from m d'' = -N without approximation (Hunt and Crossley 1975 give the first term): the
integral of u du / (1 + chi u) = -(k / m) d^n dd is the same at both ends of an impact, so with e = v_out / v_in

    (1 + e) x = log((1 + x) / (1 - e x)),       x = chi v_in

for any n, k and m. A restitution e therefore applies to one impact speed and decreases with speed, as for real
materials: 1 - e = 2/3 chi v_in for slow impacts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Device, Output, Rate, Value
from cardan.model.dimensions import ContactDamping, ContactStiffness, Length, Ratio, Speed
from cardan.model.force import Force, Guard, Law
from cardan.model.measure import Measure
from cardan.model.surfaces.surface_pair import Surface, SurfacePair, meet


@dataclass(frozen=True, eq=False)
class Contact(Force):
    """Contact of two surfaces, with friction.

    `a` and `b` are surfaces: Face, Disk and Rim in the plane, Face, Ball and Mesh in space. `stiffness` is in N/m^n, n
    the `exponent` (3/2 for round bodies, Hertz). `restitution` is that of an impact at `speed`; alternatively give
    `damping`, the factor chi in s/m. `friction` is the coefficient of sliding, `static_friction` that of sticking,
    which decreases to the former over `stribeck_speed`; a sticking body creeps at less than `creep_speed`. In a step of
    the integrator no gap closes by more than itself plus `depth`, by default half of the smaller radius.
    `.gap` is the distance, `.slip` the velocities along the surface, `.normal` the normal force.

    >>> from cardan import simulate
    >>> from cardan.planar import Body, Contact, Disk, Face, Model
    >>> model = Model("rebound")
    >>> ball = model.add(Body(mass=1.0, inertia=0.01, position=(0.0, 0.2), velocity=(0.0, -2.0)), name="ball")
    >>> floor, rim = Face(model.ground.at()), Disk(ball.at(), 0.1)
    >>> touch = model.add(Contact(floor, rim, stiffness=1e8, restitution=0.8, speed=2.0), name="floor")
    >>> run = simulate(model, 0.1)
    >>> round(float(run[ball].velocity[-1, 1]), 6), round(float(run.energy.work_of(touch)[-1]), 6)
    (1.6, -0.72)
    """

    a: Surface
    b: Surface
    stiffness: ContactStiffness
    exponent: Ratio = 1.5
    restitution: Ratio | None = None
    speed: Speed = 1.0
    damping: ContactDamping | None = None
    friction: Ratio = 0.0
    static_friction: Ratio | None = None
    stribeck_speed: Speed = 0.01
    creep_speed: Speed = 1e-3
    depth: Length | None = None
    allow_penetration: bool = False
    allow_negative: bool = False
    pair: SurfacePair = field(init=False, repr=False)
    device: Device = field(init=False, repr=False)

    def __post_init__(self) -> None:
        pair = meet(self.a, self.b, "a Contact")
        for name in ("stiffness", "friction"):
            amount(getattr(self, name), f"the {name} of a Contact", self.allow_negative)
        if self.stiffness == 0.0:
            raise ModelError("the stiffness of a Contact is 0: it would have no effect")
        for name in ("exponent", "speed", "stribeck_speed", "creep_speed"):
            check.positive(getattr(self, name), f"the {name} of a Contact")
        for name in ("damping", "static_friction"):
            if getattr(self, name) is not None:
                amount(getattr(self, name), f"the {name} of a Contact", self.allow_negative)
        if self.depth is not None:
            check.positive(self.depth, "the depth of a Contact")
        check.flag(self.allow_penetration, "allow_penetration of a Contact")
        if self.restitution is not None and self.damping is not None:
            raise ModelError("a Contact takes restitution or damping, not both")
        object.__setattr__(self, "pair", pair)
        object.__setattr__(self, "device", self._device(pair))

    def _device(self, pair: SurfacePair) -> Device:
        chi = self.damping or 0.0
        if self.restitution is not None:
            chi = damping_of(self.restitution, self.speed)
        press = (float(self.stiffness), float(self.exponent), chi)
        inputs = (Value(pair.gap), Rate(pair.gap))
        if not self.friction and not self.static_friction:
            return Device(pressed, inputs, ("normal",), parameters=press)
        still = self.friction if self.static_friction is None else self.static_friction
        rubs = pair.rubs
        return Device(
            rubbed_in_plane if len(rubs) == 1 else rubbed_in_space,
            (*inputs, *(Rate(rub) for rub in rubs)),
            ("normal", *(f"friction {rub.axes}" for rub in rubs)),
            parameters=(
                *press,
                float(self.friction),
                float(still - self.friction),
                self.stribeck_speed,
                self.creep_speed,
            ),
        )

    @property
    def gap(self) -> Measure:
        """The distance along the common normal, negative for penetration."""
        return self.pair.gap

    @property
    def slip(self) -> tuple[Measure, ...]:
        """The velocity of b relative to a along the surface: see `cardan.model.surfaces.surface_pair`."""
        return self.pair.rubs

    @property
    def normal(self) -> Output:
        """The normal force: `run[contact.normal].value`."""
        return self.device["normal"]

    def laws(self) -> tuple[Law, ...]:
        rubs = enumerate(self._rubbing())
        along = (Law(((1.0, rub),), signal=Output(self.device, 1 + k), at_rest=False) for k, rub in rubs)
        return (Law(((-1.0, self.gap),), signal=self.normal), *along)

    def guards(self) -> tuple[Guard, ...]:
        return (Guard(self.gap, self.depth or self.pair.depth, self.allow_penetration, self.pair.through),)

    def _rubbing(self) -> tuple[Measure, ...]:
        return self.slip if len(self.device.outputs) > 1 else ()


def damping_of(restitution: float, speed: float) -> float:
    """chi for a restitution at an impact speed: the equation above, solved for x."""
    e = check.number(restitution, "the restitution of a Contact")
    if not 0.0 < e <= 1.0:
        raise ModelError(f"the restitution of a Contact must be greater than 0 and at most 1, got {e:g}")
    if e == 1.0:
        return 0.0
    low, high = 1.5 * (1.0 - e) * 1e-3, 1.0 / e  # below the root the left side grows faster, above it the right side
    for _ in range(200):
        x = 0.5 * (low + high)
        if x in (low, high):
            break
        if math.log1p(x) - math.log1p(-e * x) > (1.0 + e) * x:
            high = x
        else:
            low = x
    return 0.5 * (low + high) / speed


def amount(value: object, what: str, allow_negative: bool) -> float:
    """A nonnegative number, unless negative ones are allowed."""
    result = check.number(value, what)
    if result < 0.0 and not check.flag(allow_negative, "allow_negative"):
        raise ModelError(f"{what} must not be negative, got {result:g}; pass allow_negative=True if it is intended")
    return result


def pressed(gap: float, rate: float, k: float, n: float, chi: float) -> float:
    """N; the depth is -gap and grows with -rate."""
    if gap >= 0.0:
        return 0.0
    force = k * (-gap) ** n
    damped = force * (1.0 - chi * rate)
    return damped if damped * force > 0.0 else 0.0


def rubbed_in_plane(gap, rate, rub, k, n, chi, mu, rise, fall, creep):
    """N and the friction force along the sliding velocity."""
    if gap >= 0.0:
        return 0.0, 0.0
    force = k * (-gap) ** n
    damped = force * (1.0 - chi * rate)
    if damped * force <= 0.0:
        return 0.0, 0.0
    square = rub * rub
    share = (mu + rise * math.exp(-square / (fall * fall))) * damped / math.sqrt(square + creep * creep)
    return damped, share * rub


def rubbed_in_space(gap, rate, x, y, z, k, n, chi, mu, rise, fall, creep):
    """N and the friction forces along the three components of the sliding velocity."""
    if gap >= 0.0:
        return 0.0, 0.0, 0.0, 0.0
    force = k * (-gap) ** n
    damped = force * (1.0 - chi * rate)
    if damped * force <= 0.0:
        return 0.0, 0.0, 0.0, 0.0
    square = x * x + y * y + z * z
    share = (mu + rise * math.exp(-square / (fall * fall))) * damped / math.sqrt(square + creep * creep)
    return damped, share * x, share * y, share * z
