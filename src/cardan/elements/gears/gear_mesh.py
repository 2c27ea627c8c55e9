r"""Elastic meshes of involute gears, with contact on both flanks.

With the base radii r_b = R cos(alpha_t), the sum or, in a ring, the difference r of them, and the distance d of the
shafts, involutes touch under the working pressure angle cos(alpha_w) = r / d. The rolling s of the pitch circles, as in
`Gear`, and the distance close the gap between two flanks by

    u = +-C (s + e) - C j / 2 -+ B r (inv(alpha_w) - inv(alpha_t)),     inv(alpha) = tan(alpha) - alpha

    C = cos(alpha) cos(beta),  B = cos(beta_b) = sqrt(1 - (sin(beta) cos(alpha))^2),  e: transmission error

As d(r inv(alpha_w)) / dd = sin(alpha_w), the gradient of u is the line of action at any distance: N acts along the
common normal, and the energy k u^2 / 2 is a function of the position.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from cardan.elements.constraints.gear import Gear
from cardan.elements.contact.contact import amount
from cardan.elements.forces.two_marker_force import TwoMarkerForce
from cardan.elements.gears.teeth import tooth_angle
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Device, Output, Rate, Value
from cardan.model.dimensions import Angle, Damping, Length, Ratio, Stiffness
from cardan.model.force import Law, Repetition
from cardan.model.marker import Marker
from cardan.model.measure import Combination, Measure

PRESSURE_ANGLE = math.radians(20.0)
HARMONICS = 4  # of a stiffness that follows the contact ratio
MIN_BACKLASH = 1e-9  # of the base radius: gaps so small are closed if there is no backlash


@dataclass(frozen=True, eq=False)
class GearMesh(TwoMarkerForce[Marker]):
    r"""Teeth of two involute gears that deform, with backlash.

              .--.     .-.          N = k u + c u' along the common normal of the teeth if u > 0, on either flank
             ( a  )~~~( b )         k = stiffness (1 + stiffness_variation cos(psi)),    psi = teeth_a * angle of a
              '--'     '-'          e = transmission_error sin(psi)                      to the line of centers

    In space the shafts are the z axes of the markers. Pitch radii are module * teeth / 2, `module` in the transverse
    section. `backlash` is measured along the pitch circles at their nominal distance; it grows as the shafts move
    apart. Teeth stand in the middle of their gaps where bodies are stated. `pressure_angle`, in the normal section, and
    `helix_angle`, positive if the teeth of a are right-handed, determine the direction of N: it has tangential, radial
    and axial components, which act on shafts and bearings. `internal` means that a is a ring.

    With backlash the teeth only push; without, the damper also acts where one flank takes over from the other.
    `stiffness_variation` is the amplitude of k relative to the mean stiffness. With a `contact_ratio` instead, one pair
    of teeth more is in contact over the fraction of a pitch beyond a whole number, centered at psi = 0; k is the
    Fourier series of this rectangle up to its 4th harmonic, smoothed by Lanczos factors. `standard_contact_ratio` is
    that of full teeth, with an addendum of one module in the normal section.

    `run[mesh.normal].value` is N, negative on the flank that turns b clockwise (in a ring, counterclockwise).

    >>> from cardan import equilibrium
    >>> from cardan.planar import Body, GearMesh, Model, Revolute, Torque
    >>> model = Model("locked gears")
    >>> wheel = model.add(Body(mass=1.0, inertia=0.01, position=(0.09, 0.0)), name="wheel")
    >>> bearing = model.add(Revolute(model.ground.at(0.09, 0.0), wheel.at()), name="bearing")
    >>> mesh = model.add(GearMesh(model.ground.at(), wheel.at(), 20, 40, 0.003, stiffness=2e8), name="mesh")
    >>> load = model.add(Torque(wheel.at(), 120.0), name="load")
    >>> rest = equilibrium(model)
    >>> round(float(rest[bearing.angle].value) * 1e6, 3)  # T / (k r_b^2), r_b = 60 mm cos(20 degrees), in microrad
    188.746
    """

    teeth_a: int
    teeth_b: int
    module: Length
    stiffness: Stiffness = field(kw_only=True)
    damping: Damping = 0.0
    backlash: Length = 0.0
    internal: bool = False
    pressure_angle: Angle = PRESSURE_ANGLE
    helix_angle: Angle = 0.0
    stiffness_variation: Ratio = 0.0
    transmission_error: Length = 0.0
    contact_ratio: Ratio | None = None
    device: Device = field(init=False, repr=False)
    signal_units: ClassVar[dict[str, str]] = {
        "normal": "N", "deflection": "m", "rolling": "N", "separating": "N", "leveling": "N", "phasing": "N m"
    }  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("teeth_a", "teeth_b"):
            check.count(getattr(self, name), f"{name} of a GearMesh")
        check.positive(self.module, "the module of a GearMesh")
        check.positive(self.stiffness, "the stiffness of a GearMesh")
        for name in ("damping", "backlash"):
            amount(getattr(self, name), f"the {name} of a GearMesh", False)
        check.number(self.transmission_error, "transmission_error of a GearMesh")
        if not 0.0 <= check.number(self.stiffness_variation, "stiffness_variation of a GearMesh") < 1.0:
            raise ModelError(
                f"stiffness_variation of a GearMesh must be at least 0 and below 1, got {self.stiffness_variation:g}: "
                "it is relative to the stiffness"
            )
        if self.contact_ratio is not None:
            if check.number(self.contact_ratio, "contact_ratio of a GearMesh") < 1.0:
                raise ModelError(
                    f"contact_ratio of a GearMesh must be at least 1, got {self.contact_ratio:g}: with less the teeth "
                    "lose contact"
                )
            if self.stiffness_variation:
                raise ModelError("a GearMesh takes stiffness_variation= or contact_ratio=, not both")
        if check.flag(self.internal, "internal of a GearMesh") and self.teeth_a <= self.teeth_b:
            raise ModelError(
                f"a GearMesh with internal=True has a ring a with more teeth than b, got {self.teeth_a} and "
                f"{self.teeth_b}"
            )
        alpha = tooth_angle(self.pressure_angle, "pressure_angle of a GearMesh")
        helix = tooth_angle(self.helix_angle, "helix_angle of a GearMesh", sign=True)
        if helix and len(self.a.place) == 2:
            raise ModelError("a planar GearMesh has no axial force: omit helix_angle=, or use cardan.spatial")
        object.__setattr__(self, "device", self._device(alpha, helix))

    @property
    def radius_a(self) -> float:
        """The pitch radius of a."""
        return 0.5 * self.module * self.teeth_a

    @property
    def radius_b(self) -> float:
        """The pitch radius of b."""
        return 0.5 * self.module * self.teeth_b

    @property
    def normal(self) -> Output:
        """N: `run[mesh.normal].value`."""
        return self.device["normal"]

    @property
    def deflection(self) -> Output:
        """C (s + e), the approach of the teeth along their normal from the middle of the gap."""
        return self.device["deflection"]

    @property
    def rolling(self) -> Combination:
        """s, the rolling of the pitch circles, up to a constant."""
        return Combination(self.pair.equations()[0].terms)

    @property
    def standard_contact_ratio(self) -> float:
        """The length of the path of contact by the base pitch, for teeth with an addendum of one normal module.

        (sqrt(r_ta^2 - r_a^2) +- sqrt(r_tb^2 - r_b^2) -+ d sin(alpha_t)) / (2 pi r_a / z_a), tip and base radii r_t, r;
        helical teeth overlap in addition.
        """
        transverse = math.atan(math.tan(self.pressure_angle) / math.cos(self.helix_angle))
        tip, inner = self.module * math.cos(self.helix_angle), -1.0 if self.internal else 1.0
        base_a, base_b = (radius * math.cos(transverse) for radius in (self.radius_a, self.radius_b))
        first = math.sqrt(max((self.radius_a + inner * tip) ** 2 - base_a**2, 0.0))
        second = math.sqrt((self.radius_b + tip) ** 2 - base_b**2)
        path = inner * first + second - inner * (self.radius_a + inner * self.radius_b) * math.sin(transverse)
        return path / (math.pi * self.module * math.cos(transverse))

    def harmonics(self) -> tuple[float, ...]:
        """The coefficients of cos(psi), cos(2 psi), .. of k, relative to its mean."""
        if self.contact_ratio is None:
            return (float(self.stiffness_variation), 0.0, 0.0, 0.0)
        turns = [math.pi * n for n in range(1, HARMONICS + 1)]
        smooth = [math.sin(x / (HARMONICS + 1)) / (x / (HARMONICS + 1)) for x in turns]
        part = self.contact_ratio % 1.0
        wave = [2.0 * math.sin(x * part) / (x * self.contact_ratio) for x in turns]
        return tuple(factor * amplitude for factor, amplitude in zip(smooth, wave, strict=True))

    @property
    def pair(self) -> Gear:
        """The ideal gears of the same size."""
        return Gear(self.a, self.b, self.radius_a, self.radius_b, self.internal, helix_angle=self.helix_angle)

    def check(self) -> None:
        super().check()
        reach = self.radius_a + (-self.radius_b if self.internal else self.radius_b)
        base = reach * math.cos(math.atan(math.tan(self.pressure_angle) / math.cos(self.helix_angle)))
        distance = self._stated()[2]
        if not base < distance < 2.0 * reach:
            raise ModelError(
                f"the shafts of {self.title} are stated at a distance of {distance:g} m, but its gears mesh at "
                f"{reach:g} m: move the bodies, or change module or teeth"
            )

    def repetitions(self) -> tuple[Repetition, ...]:
        return (Repetition(self.rolling, self._middle(), math.pi * self.module),)

    def laws(self) -> tuple[Law, ...]:
        distance = Measure("length", self.a, self.b)
        found = [
            Law(self.rolling.parts(), signal=self.device["rolling"], label="rolling"),
            Law(((1.0, distance),), signal=self.device["separating"], label="separating"),
        ]
        if len(self.a.place) == 3:
            offset = Measure("component", self.a, self.b, "z")
            found.append(Law(((1.0, offset),), signal=self.device["leveling"], label="leveling"))
        if any(self.harmonics()) or self.transmission_error:
            facing = Measure("bearing", self.a, self.b)
            found.append(Law(((1.0, facing),), signal=self.device["phasing"], label="phasing"))
        return tuple(found)

    def _device(self, alpha: float, helix: float) -> Device:
        inner = -1.0 if self.internal else 1.0
        transverse = math.atan(math.tan(alpha) / math.cos(helix))
        reach = self.radius_a + inner * self.radius_b
        base = reach * math.cos(transverse)
        facing = self._stated()[0]
        numbers = (
            float(self.stiffness), float(self.damping), 0.5 * self.backlash, math.pi * self.module, self._middle(),
            math.cos(alpha) * math.cos(helix), inner * math.sqrt(1.0 - (math.sin(helix) * math.cos(alpha)) ** 2), base,
            base * (math.tan(transverse) - transverse), *self.harmonics(),
            float(self.transmission_error), float(self.teeth_a), self.teeth_a * facing,
        )  # fmt: skip
        distance, bearing = Measure("length", self.a, self.b), Measure("bearing", self.a, self.b)
        inputs: tuple[Value, ...] = (Value(self.rolling), Rate(self.rolling), Value(distance), Rate(distance))
        inputs += (Value(bearing), Rate(bearing))
        if len(self.a.place) == 2:
            outputs: tuple[str, ...] = ("rolling", "separating", "phasing", "normal", "deflection")
            return Device(_meshed, inputs, outputs, (), numbers, "mesh")
        offset = Measure("component", self.a, self.b, "z")
        outputs = ("rolling", "separating", "leveling", "phasing", "normal", "deflection")
        return Device(_meshed_in_space, (*inputs, Value(offset), Rate(offset)), outputs, (), numbers, "mesh")

    def _middle(self) -> float:
        """s in the stated positions of the bodies, where teeth stand in the middle of their gaps."""
        facing, turned, _ = self._stated()
        inner = -1.0 if self.internal else 1.0
        return (self.radius_a + inner * self.radius_b) * facing - inner * self.radius_b * turned

    def _stated(self) -> tuple[float, float, float]:
        """Bearing of b, angle from a to b and distance of the shafts in the stated positions of the bodies."""
        (origin, axes), (other, turned) = self.a.frame(), self.b.frame()
        d = other - origin
        x, y = float(axes[:, 0] @ d), float(axes[:, 1] @ d)
        angle = math.atan2(float(axes[:, 1] @ turned[:, 0]), float(axes[:, 0] @ turned[:, 0]))
        return math.atan2(y, x), angle, math.hypot(x, y)


def _meshed(
    s, s_rate, d, d_rate, beta, beta_rate, k, c, half, pitch, start, C, B, base, nominal, k1, k2, k3, k4, err, z, phase
):  # fmt: skip
    """Forces along rolling, distance and bearing; N and the approach of the teeth. Teeth repeat after a pitch."""
    away = s - start
    away -= pitch * math.floor(away / pitch + 0.5)
    leg = math.sqrt(max(d * d - base * base, 1e-30))
    wider, slope = B * (leg - base * math.atan(leg / base) - nominal), B * leg / d
    psi = z * beta - phase
    stiff, stiff_slope = k * (1.0 + k1 * math.cos(psi)), -k * z * k1 * math.sin(psi)
    if k2 != 0.0 or k3 != 0.0 or k4 != 0.0:
        stiff += k * (k2 * math.cos(2.0 * psi) + k3 * math.cos(3.0 * psi) + k4 * math.cos(4.0 * psi))
        more = 2.0 * k2 * math.sin(2.0 * psi) + 3.0 * k3 * math.sin(3.0 * psi) + 4.0 * k4 * math.sin(4.0 * psi)
        stiff_slope -= k * z * more
    u, error_slope = C * (away + err * math.sin(psi)), err * z * math.cos(psi)
    rate, opening = C * (s_rate + error_slope * beta_rate), slope * d_rate
    ahead, behind, turning = 0.0, 0.0, 0.0
    onset, other = 0.0, 0.0
    if half == 0.0:  # one flank takes over from the other: exactly one of them has a slope where nothing is loaded
        onset, other = (
            (-MIN_BACKLASH * base, MIN_BACKLASH * base) if u >= 0.0 else (MIN_BACKLASH * base, -MIN_BACKLASH * base)
        )
    depth = u - C * half - wider
    if depth > onset:
        ahead = stiff * depth + c * (rate - opening)
        if half > 0.0:
            ahead = max(0.0, ahead)
        turning += 0.5 * stiff_slope * depth * depth
    depth = -u - C * half - wider
    if depth > other:
        behind = stiff * depth - c * (rate + opening)
        if half > 0.0:
            behind = max(0.0, behind)
        turning += 0.5 * stiff_slope * depth * depth
    along = C * (ahead - behind)
    return along, -slope * (ahead + behind), along * error_slope + turning, ahead - behind, u


def _meshed_in_space(
    s, s_rate, length, length_rate, beta, beta_rate, offset, offset_rate, k, c, half, pitch, start, C, B, base, nominal,
    k1, k2, k3, k4, err, z, phase,
):  # fmt: skip
    """The same with the distance perpendicular to the shafts, d^2 = length^2 - offset^2."""
    d = math.sqrt(length * length - offset * offset)
    d_rate = (length * length_rate - offset * offset_rate) / d
    along, apart, turning, normal, u = _meshed(
        s, s_rate, d, d_rate, beta, beta_rate, k, c, half, pitch, start, C, B, base, nominal, k1, k2, k3, k4, err, z,
        phase,
    )  # fmt: skip
    return along, apart * length / d, -apart * offset / d, turning, normal, u
