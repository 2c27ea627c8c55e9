"""A pair of gears, in the plane or on parallel shafts in space."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.elements.gears.teeth import attach_teeth, radial_device, radial_laws, teeth_of, tooth_angle
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Device
from cardan.model.dimensions import Angle, Length
from cardan.model.element import Equation, Limit
from cardan.model.force import Force, Law
from cardan.model.marker import Marker
from cardan.model.measure import Combination, Measure

MAX_PITCH_GAP = 1e-3  # relative to the center distance: larger gaps between pitch circles are reported


@dataclass(frozen=True, eq=False)
class Gear(TwoMarkerJoint[Marker]):
    """Two pitch circles that roll on each other without slip, centered at the points of a and b (Haug 3.4.1 to 3.4.7).

              .--.     .-.         (R_a + R_b) beta - R_b phi = R_a theta_a + R_b (theta_b - pi)    external
             ( a  )---( b )        (R_a - R_b) beta + R_b phi = R_a theta_a - R_b theta_b           internal, a the ring
              '--'     '-'

    In space the shafts are the z axes of the markers. beta is the bearing of b in the axes of a, phi the angle from a's
    axes to b's, full turns included: the arcs over which the two circles roll are equal. theta_a and theta_b
    (`angle_a`, `angle_b`) define which teeth mesh, as angles in the axes of a and of b; by default those of the
    assembled position.

    The center distance is not constrained: pivots, a carrier or a `Distance` must do that. The analysis reports pitch
    circles that do not touch.

    With a `pressure_angle` alpha, in the normal section, the teeth also push the gears apart, on either flank; with a
    `helix_angle` beta, positive if the teeth of a are right-handed, they push along the shafts, in space:

        F_r = |F_t| tan(alpha) / cos(beta),    F_a = F_t tan(beta)

    Their components are columns: `run["mesh teeth.tangential"]`, positive if F_t turns b counterclockwise, `.radial`,
    and `.axial`, the force on b along the z axis of a. The markers stand in the middle of the face width.

    >>> import math
    >>> from cardan import inverse_dynamics
    >>> from cardan.planar import Body, Driver, Gear, Model, Ramp, Revolute, Torque
    >>> model = Model("spur gears")
    >>> one, two = model.add(Body(), name="one"), model.add(Body(position=(0.15, 0.0)), name="two")
    >>> drive = model.add(Revolute(model.ground.at(), one.at()), name="drive")
    >>> bearing = model.add(Revolute(model.ground.at(0.15, 0.0), two.at()), name="bearing")
    >>> mesh = model.add(Gear(one.at(), two.at(), 0.05, 0.1, pressure_angle=math.radians(20.0)), name="mesh")
    >>> motor = model.add(Driver(drive.angle, Ramp(10.0)), name="motor")
    >>> brake = model.add(Torque(two.at(), 30.0), name="brake")
    >>> run = inverse_dynamics(model, [0.0])
    >>> float(run["mesh teeth.tangential"][0].round(9)), float(run["mesh teeth.radial"][0].round(3))
    (-300.0, 109.191)
    >>> run[bearing].force[0].round(3).tolist()  # on gear two, against both components
    [-109.191, -300.0]
    """

    radius_a: Length
    radius_b: Length
    internal: bool = False
    angle_a: Angle | None = None
    angle_b: Angle | None = None
    pressure_angle: Angle | None = None
    helix_angle: Angle = 0.0
    device: Device | None = field(init=False, repr=False, default=None)
    teeth: Force | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        super().__post_init__()
        helix = tooth_angle(self.helix_angle, "helix_angle of a Gear", sign=True)
        if helix and len(self.a.place) == 2:
            raise ModelError("a planar Gear has no axial force: omit helix_angle=, or use cardan.spatial")
        if self.pressure_angle is not None:
            alpha = tooth_angle(self.pressure_angle, "pressure_angle of a Gear")
            sense = -1.0 if check.flag(self.internal, "internal of a Gear") else 1.0
            attach_teeth(self, radial_device(self, sense, math.tan(alpha) / math.cos(helix), helix))

    def check(self) -> None:
        super().check()
        check.positive(self.radius_a, f"radius_a of {self.title}")
        check.positive(self.radius_b, f"radius_b of {self.title}")
        if check.flag(self.internal, f"internal of {self.title}") and self.radius_a <= self.radius_b:
            raise ModelError(
                f"{self.title} is internal: the ring a must be larger than b, got radii {self.radius_a:g} and "
                f"{self.radius_b:g}"
            )
        if (self.angle_a is None) != (self.angle_b is None):
            raise ModelError(f"{self.title} needs both reference angles, angle_a and angle_b, or neither")
        if self.angle_a is not None and self.angle_b is not None:
            check.number(self.angle_a, f"angle_a of {self.title}")
            check.number(self.angle_b, f"angle_b of {self.title}")

    def equations(self) -> tuple[Equation, ...]:
        reach = self.radius_a - self.radius_b if self.internal else self.radius_a + self.radius_b
        turned = self.radius_b if self.internal else -self.radius_b
        rolled = reach * Measure("bearing", self.a, self.b) + turned * Measure("angle", self.a, self.b)
        if self.helix_angle:
            rolled = -math.tan(self.helix_angle) * self._shift(reach) + rolled
        if self.angle_a is None or self.angle_b is None:
            return (Equation("rolling", rolled.parts(), floating=True),)
        facing = 0.0 if self.internal else math.pi
        offset = self.radius_a * self.angle_a - turned * (self.angle_b - facing)
        # Teeth that mesh also mesh after full turns of either gear.
        turn = 2.0 * math.pi
        return (Equation("rolling", rolled.parts(), offset=offset, period=turn * reach, turn=turn * turned),)

    def _shift(self, reach: float) -> Combination:
        """How far b is shifted along the shafts, at the pitch point, where the axial force acts.

        The z components act through the centers of b and of a: their weights place the force between them.
        """
        inner = self.radius_b if not self.internal else -self.radius_b
        there, back = Measure("component", self.a, self.b, "z"), Measure("component", self.b, self.a, "z")
        return (self.radius_a / reach) * there - (inner / reach) * back

    def forces(self) -> tuple[Force, ...]:
        return teeth_of(self)

    def tooth_laws(self) -> tuple[Law, ...]:
        """The laws of `teeth`."""
        return radial_laws(self)

    def limits(self) -> tuple[Limit, ...]:
        reach = self.radius_a - self.radius_b if self.internal else self.radius_a + self.radius_b
        what = f"the pitch circles of {self.title} do not touch, by the distance of their centers"
        touching = Limit(
            Measure("length", self.a, self.b), reach * (1.0 - MAX_PITCH_GAP), reach * (1.0 + MAX_PITCH_GAP), what
        )
        if len(self.a.place) == 2:
            return (touching,)
        touching = replace(touching, less=Measure("component", self.a, self.b, "z"))  # perpendicular to the shafts
        if not self.helix_angle:
            return touching, *parallel_shafts(self)
        what = f"the shafts of {self.title}, which is helical, must point the same way; the cosine of their angle"
        return touching, *parallel_shafts(self), Limit(Measure("dot", self.a, self.b, "zz"), 0.0, 1.1, what)


def parallel_shafts(pair: TwoMarkerJoint) -> tuple[Limit, ...]:
    """In space, the z axes of both markers must be parallel."""
    what = f"the shafts of {pair.title}, the z axes of its markers, are not parallel, by the sine of their angle"
    return tuple(
        Limit(Measure("dot", pair.a, pair.b, f"{k}z"), -10.0 * MAX_PITCH_GAP, 10.0 * MAX_PITCH_GAP, what) for k in "xy"
    )
