r"""Gears on intersecting shafts.

With the axes z_a and z_b, e = (z_b - cos(Sigma) z_a) / sin(Sigma) and t = z_a x e, the teeth touch at P = L u,

    u = cos(delta) z_a + sin(delta) e,    n = -sin(delta) z_a + cos(delta) e,    L = R_a / sin(delta)
    tan(delta) = R_a sin(Sigma) / (R_b + R_a cos(Sigma))                         delta: pitch angle of a

    force on b:   F = -F_t t + |F_t| tan(alpha) / cos(beta) n + F_t tan(beta) u

The equation of rolling is a couple with the components F_t R_a and F_t R_b about the shafts, which is the moment of F_t
about the apex. Teeth add the force F at the apex, and the moment L |F_t| tan(alpha) / cos(beta) about t.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from cardan.elements.constraints.gear import MAX_PITCH_GAP
from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.elements.gears.teeth import attach_teeth, teeth_of, tooth_angle
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Device, Multiplier, Value
from cardan.model.dimensions import Angle, Length
from cardan.model.element import Equation, Limit
from cardan.model.force import Force, Law
from cardan.model.measure import Measure
from cardan.spatial.body import Marker
from cardan.spatial.measures import angle

COMPONENTS = ("tangential", "radial_a", "axial_a", "radial_b", "axial_b")


@dataclass(frozen=True, eq=False)
class BevelGear(TwoMarkerJoint[Marker]):
    """Two pitch cones that roll on each other; the shafts are the z axes of a and b, which intersect.

            z_a  \\  a            R_a beta_a + R_b beta_b = constant
                  \\/
            z_b ---X  b           beta_a: the direction of z_b about z_a from a's x axis, beta_b: of z_a about z_b

    Seen from the plane of both shafts, a rotates by -beta_a and b by -beta_b, and the cones roll over equal arcs.
    `radius_a` and `radius_b` are the pitch radii, or the numbers of teeth: only their ratio matters. Both z axes point
    away from the intersection of the shafts, or both toward it; if one is reversed, the gears turn in the opposite
    sense. The assembled position determines which teeth mesh. The shafts need their own revolute joints, on a
    carrier or on ground.

    With a `pressure_angle`, in the section normal to the teeth, bearings carry the forces of the teeth. Then the radii
    are those of the pitch cones in the middle of the teeth, both markers stand at the apex, where the shafts
    intersect, and both z axes point away from it. `spiral_angle` is positive if the teeth of a are right-handed.
    `run["mesh teeth.tangential"]` is positive if it turns b counterclockwise; `.radial_a` and `.radial_b` press a gear
    toward its axis, `.axial_a` and `.axial_b` away from the apex.

    >>> import math
    >>> from cardan import inverse_dynamics
    >>> from cardan.spatial import BevelGear, Body, Driver, Model, Ramp, Revolute, Torque
    >>> model = Model("bevel gears")
    >>> pinion, gear = model.add(Body(), name="pinion"), model.add(Body(), name="gear")
    >>> drive = model.add(Revolute(model.ground.at(), pinion.at()), name="drive")
    >>> bearing = model.add(Revolute(model.ground.at(z=(1, 0, 0)), gear.at(z=(1, 0, 0))), name="bearing")
    >>> teeth = BevelGear(pinion.at(), gear.at(z=(1, 0, 0)), 0.04, 0.08, pressure_angle=math.radians(20.0))
    >>> mesh = model.add(teeth, name="mesh")
    >>> motor = model.add(Driver(drive.angle, Ramp(10.0)), name="motor")
    >>> load = model.add(Torque(gear.at(), (24.0, 0, 0)), name="load")
    >>> run = inverse_dynamics(model, [0.0])
    >>> [float(run[f"mesh teeth.{name}"][0].round(3)) for name in ("tangential", "radial_a", "axial_a")]
    [-300.0, 97.663, 48.832]
    """

    crossed: ClassVar[bool] = True

    radius_a: Length
    radius_b: Length
    pressure_angle: Angle | None = None
    spiral_angle: Angle = 0.0
    device: Device | None = field(init=False, repr=False, default=None)
    teeth: Force | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        super().__post_init__()
        spiral = tooth_angle(self.spiral_angle, "spiral_angle of a BevelGear", sign=True)
        if self.pressure_angle is None:
            if spiral:
                raise ModelError("spiral_angle of a BevelGear has no effect without pressure_angle=: give both")
            return
        alpha = tooth_angle(self.pressure_angle, "pressure_angle of a BevelGear")
        radii = (
            check.positive(self.radius_a, "radius_a of a BevelGear"),
            check.positive(self.radius_b, "radius_b of a BevelGear"),
        )
        numbers = (*radii, math.tan(alpha) / math.cos(spiral), math.tan(spiral))
        inputs = (
            Multiplier(self, "rolling"),
            Value(angle(self.a, self.b, of="z")),
            Value(Measure("dot", self.a, self.b, "zz")),
        )
        outputs = (*COMPONENTS, "x", "y", "z", "tilting")
        attach_teeth(self, Device(_components, inputs, outputs, (), numbers, "teeth"))

    def check(self) -> None:
        super().check()
        check.positive(self.radius_a, f"radius_a of {self.title}")
        check.positive(self.radius_b, f"radius_b of {self.title}")

    def equations(self) -> tuple[Equation, ...]:
        rolled = self.radius_a * angle(self.a, self.b, of="z") + self.radius_b * angle(self.b, self.a, of="z")
        return (Equation("rolling", (rolled / max(self.radius_a, self.radius_b)).parts(), floating=True),)

    def forces(self) -> tuple[Force, ...]:
        return teeth_of(self)

    def tooth_laws(self) -> tuple[Law, ...]:
        """The laws of `teeth`."""
        assert self.device is not None
        along = {axis: Measure("component", self.a, self.b, axis) for axis in "xyz"}
        along["tilting"] = Measure("dot", self.a, self.b, "zz")
        return tuple(
            Law(((-1.0, measure),), signal=self.device[name], label=f"at apex {name}", workless=True)
            for name, measure in along.items()
        )

    def limits(self) -> tuple[Limit, ...]:
        if not self.teeth:
            return ()
        reach = MAX_PITCH_GAP * (self.radius_a + self.radius_b)
        what = (
            f"the markers of {self.title}, which has a pressure angle, do not both stand at the apex, by their distance"
        )
        return tuple(Limit(Measure("component", self.a, self.b, axis), -reach, reach, what) for axis in "xyz")


def _components(rolling, beta, cosine, radius_a, radius_b, slope, spiral):
    """Components on both gears, then the force on b in the axes of a, and the moment about t by the cosine."""
    sine = math.sqrt(1.0 - cosine * cosine)
    tangential = rolling / max(radius_a, radius_b)
    apart, along = abs(tangential) * slope, tangential * spiral
    height, reach = radius_b + radius_a * cosine, radius_a * sine
    cone = math.sqrt(height * height + reach * reach)
    cos_a, sin_a = height / cone, reach / cone
    cos_b, sin_b = cosine * cos_a + sine * sin_a, sine * cos_a - cosine * sin_a
    axial, inward = along * cos_a - apart * sin_a, along * sin_a + apart * cos_a  # on b, along z_a and e
    ahead, away = math.cos(beta), math.sin(beta)
    fx, fy = inward * ahead + tangential * away, inward * away - tangential * ahead
    on_b = apart * cos_b - along * sin_b, apart * sin_b + along * cos_b  # toward the axis of b, along it
    tilting = -radius_a / sin_a * apart / sine
    return tangential, inward, -axial, on_b[0], on_b[1], fx, fy, axial, tilting
