"""A gear that meshes with several equal gears, which share its load."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from cardan.elements.constraints.gear import MAX_PITCH_GAP, Gear
from cardan.elements.gears.teeth import attach_teeth, teeth_of, tooth_angle
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.device import Device, Multiplier
from cardan.model.dimensions import Angle, Length
from cardan.model.element import Constraint, Equation, Limit
from cardan.model.force import Force, Law
from cardan.model.marker import Marker
from cardan.model.measure import Combination, Measure


@dataclass(frozen=True, eq=False)
class SharedGear(Constraint):
    """A gear a, such as the sun of a planetary set, that meshes with several equal gears b and loads them equally.

             (b)
              |              1/n sum over b of the rolling of a `Gear` of a and b = constant
             (a)
            /   \\            Each mesh has the n-th part of the force.
         (b)     (b)

    With one `Gear` for each pair, all but one would be redundant if the gears b also mesh with a common ring, and their
    loads would be indeterminate. This is one equation: it assumes that deformation or a floating sun balance the loads.
    `add_planetary` uses it. `internal`, `pressure_angle` and `helix_angle` are those of `Gear`. `tangential`, `radial`
    and `axial` in `run["mesh teeth.radial"]` are forces of one mesh.
    """

    a: Marker
    gears: Sequence[Marker]
    radius_a: Length
    radius_b: Length
    internal: bool = False
    pressure_angle: Angle | None = None
    helix_angle: Angle = 0.0
    pairs: tuple[Gear, ...] = field(init=False, repr=False)
    device: Device | None = field(init=False, repr=False, default=None)
    teeth: Force | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        check.instance(self.a, Marker, "gear a of a SharedGear", hint="create one with body.at(...)")
        if not isinstance(self.gears, Sequence) or not self.gears:
            raise ModelError(
                f"gears of a SharedGear must be markers of the other gears, got {check.describe(self.gears)}"
            )
        for k, b in enumerate(self.gears):
            check.instance(b, Marker, f"gear {k + 1} of a SharedGear", hint="create one with body.at(...)")
        sizes = self.radius_a, self.radius_b, check.flag(self.internal, "internal of a SharedGear")
        helix = tooth_angle(self.helix_angle, "helix_angle of a SharedGear", sign=True)
        pairs = tuple(Gear(self.a, b, *sizes, helix_angle=helix) for b in self.gears)
        object.__setattr__(self, "pairs", pairs)
        if self.pressure_angle is None:
            return
        alpha = tooth_angle(self.pressure_angle, "pressure_angle of a SharedGear")
        numbers = (-1.0 if self.internal else 1.0, math.tan(alpha) / math.cos(helix), math.tan(helix), len(self.gears))
        outputs = ("tangential", "radial", "axial", "separating")
        attach_teeth(self, Device(_shares, (Multiplier(self, "rolling"),), outputs, (), numbers, "teeth"))

    def bodies(self) -> tuple[RigidBody, ...]:
        found = {id(marker.body): marker.body for marker in (self.a, *self.gears)}
        return tuple(found.values())

    def check(self) -> None:
        for name, pair in zip(self._names(), self.pairs, strict=True):
            object.__setattr__(pair, "name", name)
            pair.check()

    def equations(self) -> tuple[Equation, ...]:
        mean = Combination(()) + sum(
            (Combination(pair.equations()[0].terms) for pair in self.pairs[1:]),
            start=Combination(self.pairs[0].equations()[0].terms),
        )
        return (Equation("rolling", (mean / len(self.pairs)).parts(), floating=True),)

    def forces(self) -> tuple[Force, ...]:
        return teeth_of(self)

    def tooth_laws(self) -> tuple[Law, ...]:
        """The laws of `teeth`."""
        assert self.device is not None
        push = self.device["separating"]
        distances = (Measure("length", self.a, b) for b in self.gears)
        return tuple(
            Law(((-1.0, d),), signal=push, label=f"separating {k}", workless=True) for k, d in enumerate(distances, 1)
        )

    def limits(self) -> tuple[Limit, ...]:
        found: list[Limit] = []
        for name, pair in zip(self._names(), self.pairs, strict=True):
            object.__setattr__(pair, "name", name)
            found += pair.limits()
            if len(self.a.place) == 3:
                reach, axial = (
                    MAX_PITCH_GAP * (self.radius_a + self.radius_b),
                    Measure("component", pair.a, pair.b, "z"),
                )
                what = (
                    f"the markers of {pair.title} are not in one plane perpendicular to the shafts, by their distance"
                )
                found.append(Limit(axial, -reach, reach, what))
        return tuple(found)

    def _names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}, gear {k}" for k, _ in enumerate(self.gears, 1))


def _shares(rolling: float, sense: float, slope: float, lead: float, count: float) -> tuple[float, float, float, float]:
    """The components of one mesh, and its push along the distance of the gears."""
    one = rolling / count
    radial = abs(one) * slope
    return sense * one, radial, one * lead, sense * radial
