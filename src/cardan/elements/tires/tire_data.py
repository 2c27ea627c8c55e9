"""The data of a `Tire`.

    friction      mu = friction / (1 + decline (n - 1)),   n = Fz / load          peaks D = mu Fz in both directions
    Kx            = slip_stiffness Fz                                             dFx/dkappa at kappa = 0
    Ky            = 2 cornering_stiffness x / (1 + x^2),   x = n / cornering_load  dFy/dalpha at alpha = 0

The magic formula's B is K / (C D); C and E are given for each direction. The default values are plausible for a
passenger car tire of about 205/55 R16; they are not measured.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import ClassVar

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import CorneringStiffness, Damping, Duration, ForceMagnitude, Length, Ratio, Stiffness


@dataclass(frozen=True)
class TireData:
    """The data of a `Tire`, in N, m, s and rad. `x` is longitudinal, `y` lateral.

    >>> sport = TireData(radius=0.33).scaled(friction=1.2, cornering_stiffness=1.1)
    >>> sport.friction_y, round(sport.cornering(4000.0))
    (1.2, 62158)
    """

    radius: Length = 0.316
    stiffness: Stiffness = 200e3  # vertical
    damping: Damping = 400.0  # vertical, at the nominal load; proportional to the load
    load: ForceMagnitude = 4000.0  # nominal, for friction and damping
    friction_x: Ratio = 1.05
    friction_y: Ratio = 1.0
    decline: Ratio = 0.08  # of friction with load, at least 0 and less than 1
    slip_stiffness: Ratio = 22.0  # Kx / Fz
    cornering_stiffness: CorneringStiffness = 75e3  # maximum over all loads, N/rad
    cornering_load: Ratio = 2.2  # load of the maximum, in nominal loads
    shape_x: Ratio = 1.6  # C of the magic formula
    shape_y: Ratio = 1.4
    curvature_x: Ratio = 0.2  # E of the magic formula
    curvature_y: Ratio = -0.4
    relaxation_x: Length = 0.25
    relaxation_y: Length = 0.45
    camber: Ratio = 0.06  # slip angle equivalent to one unit of camber
    trail: Length = 0.03  # pneumatic, at nominal load and without slip
    rolling: Ratio = 0.012  # resistance per load
    settling: Duration = 0.02  # s, damps the tread deflections near standstill
    allow_negative: bool = False

    POSITIVE: ClassVar[tuple[str, ...]] = (
        "radius", "load", "cornering_load", "shape_x", "shape_y", "relaxation_x", "relaxation_y",
    )  # fmt: skip
    SCALABLE: ClassVar[tuple[str, ...]] = ("friction", "slip_stiffness", "cornering_stiffness", "stiffness", "damping")

    def __post_init__(self) -> None:
        check.flag(self.allow_negative, "allow_negative of a TireData")
        for entry in fields(self):
            name = entry.name
            if name == "allow_negative":
                continue
            what = f"{name} of a TireData"
            value = (check.positive if name in self.POSITIVE else check.number)(getattr(self, name), what)
            may = name.startswith("curvature") or name == "camber" or self.allow_negative
            if value < 0.0 and not may:
                raise ModelError(f"{what} must not be negative, got {value:g}; allow_negative=True allows it")
        for axis in "xy":
            shape, curvature = getattr(self, f"shape_{axis}"), getattr(self, f"curvature_{axis}")
            if shape > 2.0:
                raise ModelError(
                    f"shape_{axis} of a TireData must be at most 2, got {shape:g}: forces would change sign"
                )
            if curvature > 1.0:
                raise ModelError(
                    f"curvature_{axis} of a TireData must be at most 1, got {curvature:g}: forces would change sign"
                )
        if self.decline >= 1.0:
            raise ModelError(f"decline of a TireData must be less than 1, got {self.decline:g}")

    def scaled(self, **factors: float) -> TireData:
        """The same tire with some of friction, slip_stiffness, cornering_stiffness, stiffness, damping multiplied."""
        changes = {}
        for name, factor in factors.items():
            check.choice(name, self.SCALABLE, "an argument of TireData.scaled()")
            check.number(factor, f"the factor of {name}")
            for entry in (f"{name}_x", f"{name}_y") if name == "friction" else (name,):
                changes[entry] = factor * getattr(self, entry)
        return replace(self, **changes)

    def cornering(self, load: float) -> float:
        """Ky, the slope of the side force with respect to the slip angle, in N/rad, under a vertical load."""
        x = load / (self.load * self.cornering_load)
        return 2.0 * self.cornering_stiffness * x / (1.0 + x * x)

    def peak(self, load: float) -> tuple[float, float]:
        """The largest longitudinal and lateral forces under a vertical load."""
        mu = 1.0 / (1.0 + self.decline * (load / self.load - 1.0))
        return mu * self.friction_x * load, mu * self.friction_y * load

    def relaxation(self) -> tuple[float, float]:
        """The relaxation lengths along and across."""
        return self.relaxation_x, self.relaxation_y

    def deflection(self, load: float) -> float:
        """The radial deflection of the standing tire under a vertical load."""
        return load / self.stiffness
