r"""Worm gears.

With the axes z_a of the worm and z_b of the wheel at right angles, e from a to b and kappa = (z_a x z_b) . e, the
thread, of hand h = 1 (right) or -1, advances by p = lead / (2 pi) per radian:

    kappa h p beta_a - R_b beta_b = constant,    F_ab = m = W cos(alpha) cos(gamma)            tan(gamma) = p / R_a

m, the multiplier by R_b, is the part of the force along z_a that the tooth carries by its normal force W. Friction
mu W s(v) acts along the thread, v = R_a omega_a / cos(gamma). Force on b at the pitch point, along z_a, z_b and e:

    kappa (m + h kappa mu W s sin(gamma)),    h m tan(gamma) - kappa mu W s cos(gamma),    W sin(alpha)

Both couples of the equation and of friction are the torques of these about the shafts. Teeth add the forces: along z_a
through the center of b, along z_b through the center of a, and along e.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from cardan.elements.constraints.gear import MAX_PITCH_GAP
from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.elements.contact.friction import CREEP_SPEED
from cardan.elements.gears.teeth import attach_teeth, teeth_of, tooth_angle
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Device, Multiplier, Rate
from cardan.model.dimensions import Angle, Length, Ratio, Speed
from cardan.model.element import Equation, Limit
from cardan.model.force import Force, Law
from cardan.model.measure import Combination, Measure
from cardan.spatial.body import Marker
from cardan.spatial.measures import angle

PRESSURE_ANGLE = math.radians(20.0)


@dataclass(frozen=True, eq=False)
class WormGear(TwoMarkerJoint[Marker]):
    """A worm a that turns a wheel b; the shafts are the z axes of a and b, at right angles and R_a + R_b apart.

          ____/_/_/_/____  a       omega_b = omega_a lead / (2 pi R_b)
              .-----.
             (   +   )  b          tan(gamma) = lead / (2 pi R_a)     gamma: lead angle
              '-----'

    `lead` is the advance of the thread per turn: number of starts times pi times the axial module. `radius_a` and
    `radius_b` are the pitch radii. A right-handed worm that turns counterclockwise pushes the teeth it touches toward
    its negative z axis; `left_handed=True` reverses this. The markers stand on the common perpendicular of the shafts,
    which need their own bearings; these carry all components of the force. `pressure_angle` is that of the section
    normal to the thread.

    `friction` mu acts along the thread, smooth below `creep_speed` as in `Friction`. `efficiency` holds while the worm
    drives, `back_efficiency` while the wheel does; if it is not positive, the gear is `self_locking`: a load on the
    wheel does not turn the worm, apart from creep.

    `run["mesh teeth.tangential_b"]` turns the wheel (counterclockwise), and with the opposite sign pushes the worm
    along its axis; `.tangential_a` turns the worm counterclockwise, `.separating` pushes the gears apart, and `.normal`
    is the force normal to the thread.

    >>> import math
    >>> from cardan.spatial import Body, Model, WormGear
    >>> model = Model("hoist")
    >>> worm = model.add(Body(), name="worm")
    >>> wheel = model.add(Body(position=(0, 0.12, 0)), name="wheel")
    >>> teeth = WormGear(worm.at(z=(1, 0, 0)), wheel.at(), lead=0.0157, radius_a=0.02, radius_b=0.1, friction=0.05)
    >>> mesh = model.add(teeth, name="mesh")
    >>> f"{math.degrees(mesh.lead_angle):.3f} {mesh.efficiency:.4f} {mesh.back_efficiency:.4f} {mesh.self_locking}"
    '7.121 0.6967 0.5703 False'
    """

    crossed: ClassVar[bool] = True

    lead: Length
    radius_a: Length
    radius_b: Length
    pressure_angle: Angle = PRESSURE_ANGLE
    left_handed: bool = False
    friction: Ratio = 0.0
    creep_speed: Speed = CREEP_SPEED
    device: Device = field(init=False, repr=False)
    teeth: Force | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("lead", "radius_a", "radius_b", "creep_speed"):
            check.positive(getattr(self, name), f"{name} of a WormGear")
        check.flag(self.left_handed, "left_handed of a WormGear")
        if check.number(self.friction, "friction of a WormGear") < 0.0:
            raise ModelError(f"friction of a WormGear must not be negative, got {self.friction:g}")
        alpha = tooth_angle(self.pressure_angle, "pressure_angle of a WormGear")
        numbers = (self._hand, self._side, self.radius_b, self.lead_angle, alpha, self.friction, self.creep_speed)
        inputs = (Multiplier(self, "rolling"), Rate(self._sliding))
        outputs = ("tangential_a", "tangential_b", "separating", "normal", "friction", "along a", "along b")
        attach_teeth(self, Device(_components, inputs, outputs, (), tuple(map(float, numbers)), "teeth"))

    @property
    def lead_angle(self) -> float:
        """gamma, the inclination of the thread at the pitch radius."""
        return math.atan(self.lead / (2.0 * math.pi * self.radius_a))

    @property
    def efficiency(self) -> float:
        """Output by input power while the worm drives: (cos alpha - mu tan gamma) / (cos alpha + mu cot gamma)."""
        slope, grip = math.tan(self.lead_angle), math.cos(self.pressure_angle)
        return (grip - self.friction * slope) / (grip + self.friction / slope)

    @property
    def back_efficiency(self) -> float:
        """Output by input power while the wheel drives; not positive if the gear locks."""
        slope, grip = math.tan(self.lead_angle), math.cos(self.pressure_angle)
        return (grip - self.friction / slope) / (grip + self.friction * slope)

    @property
    def self_locking(self) -> bool:
        """Whether friction holds any load on the wheel: mu >= cos(alpha) tan(gamma)."""
        return self.back_efficiency <= 0.0

    def equations(self) -> tuple[Equation, ...]:
        advance = self._hand * self._side * self.lead / (2.0 * math.pi * self.radius_b)
        rolled = advance * angle(self.a, self.b, of="z") - angle(self.b, self.a, of="z")
        return (Equation("rolling", rolled.parts(), floating=True),)

    def forces(self) -> tuple[Force, ...]:
        return teeth_of(self)

    def tooth_laws(self) -> tuple[Law, ...]:
        """The laws of `teeth`."""
        out = self.device
        laws = [
            Law(((-1.0, Measure("component", self.a, self.b, "z")),), signal=out["along a"], label="a", workless=True),
            Law(((1.0, Measure("component", self.b, self.a, "z")),), signal=out["along b"], label="b", workless=True),
            Law(
                ((-1.0, Measure("length", self.a, self.b)),),
                signal=out["separating"],
                label="separating",
                workless=True,
            ),
        ]
        if self.friction:
            laws.append(Law(self._sliding.parts(), signal=out["friction"], label="friction", at_rest=False))
        return tuple(laws)

    def limits(self) -> tuple[Limit, ...]:
        reach = self.radius_a + self.radius_b
        gap, tilt = MAX_PITCH_GAP * reach, 10.0 * MAX_PITCH_GAP
        far = f"the shafts of {self.title} are not at the sum of its pitch radii, by their distance"
        foot = f"the markers of {self.title} do not stand on the common perpendicular of its shafts, by their offset"
        square = f"the shafts of {self.title} are not at right angles, by the cosine of their angle"
        return (
            Limit(Measure("length", self.a, self.b), reach - gap, reach + gap, far),
            Limit(Measure("component", self.a, self.b, "z"), -gap, gap, foot),
            Limit(Measure("component", self.b, self.a, "z"), -gap, gap, foot),
            Limit(Measure("dot", self.a, self.b, "zz"), -tilt, tilt, square),
        )

    @property
    def _hand(self) -> float:
        return -1.0 if self.left_handed else 1.0

    @property
    def _side(self) -> float:
        """kappa, by the stated positions."""
        (origin, axes), (other, turned) = self.a.frame(), self.b.frame()
        if axes.shape[1] < 3 or turned.shape[1] < 3:
            return 1.0  # a marker of the plane, which `check` rejects
        u, v, e = axes[:, 2], turned[:, 2], other - origin
        triple = (
            (u[1] * v[2] - u[2] * v[1]) * e[0] + (u[2] * v[0] - u[0] * v[2]) * e[1] + (u[0] * v[1] - u[1] * v[0]) * e[2]
        )
        return -1.0 if triple < 0.0 else 1.0

    @property
    def _sliding(self) -> Combination:
        """The sliding of the thread over the teeth: cos(gamma) R_a theta_a + h kappa sin(gamma) R_b theta_b."""
        first = math.cos(self.lead_angle) * self.radius_a
        second = self._hand * self._side * math.sin(self.lead_angle) * self.radius_b
        return -first * angle(self.a, self.b, of="z") - second * angle(self.b, self.a, of="z")


def _components(rolling, sliding, hand, side, radius, gamma, alpha, friction, creep):
    """Tangential forces on worm and wheel, separating and normal force, friction, and force on b along z_a and z_b."""
    carried = rolling / radius
    normal = abs(carried) / (math.cos(alpha) * math.cos(gamma))
    rubbing = friction * normal * math.tanh(sliding / creep)
    along_a = side * carried + hand * math.sin(gamma) * rubbing
    along_b = hand * math.tan(gamma) * carried - side * math.cos(gamma) * rubbing
    return side * along_b, -side * along_a, normal * math.sin(alpha), normal, rubbing, along_a, along_b
