"""Spatial beams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cardan.elements.rods.beam import AnyBeam, axial, bending, shear_number
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Area, Curvature, Duration, Pressure, SecondMoment
from cardan.model.force import Law
from cardan.model.measure import Measure
from cardan.spatial.body import Marker, require_marker
from cardan.spatial.measures import helix_component, helix_length, rotation_component


@dataclass(frozen=True, eq=False)
class Beam(AnyBeam[Marker]):
    """A massless elastic beam from marker a to marker b, along the x axes of both when undeformed.

          a o======================o b          deflections may be large: see `cardan.elements.rods.beam`;
             -> x_a                 -> x_b      bending about z with Iz and about y with Iy

    The y and z axes of both markers are the principal axes of the section. `length` is L, `E` and `G` the moduli, `A`
    the area, `Iy` and `Iz` its second moments about y and z, `J` its torsion constant. With a `shear_factor` (5/6 for a
    rectangle; two numbers, along y and along z, if they differ) it is a Timoshenko beam. `damping` is that of the
    material in seconds: damping forces are `damping` times the rate of the elastic forces. With a
    `curvature` (twist, about y, about z), in rad per length along the axes of the section, the undeformed beam is a
    helix. A chain of beams between bodies, which `add_rod` builds, models flexible arms, springs and cables; one
    element turns by at most 150 degrees.

    `run[beam].force` has six columns: the axial force, the torque, and for bending about z and then about y the moment
    M in the middle and S, so the moments at the ends are M - S at a and M + S at b, the shear force 2 S / L.

    >>> from cardan import equilibrium
    >>> from cardan.spatial import Beam, Body, Load, Model
    >>> model = Model("cantilever")
    >>> tip = model.add(Body(mass=1.0, inertia=(0.01, 0.01, 0.01), position=(2.0, 0.0, 0.0)), name="tip")
    >>> beam = Beam(model.ground.at(), tip.at(), 2.0, E=210e9, G=81e9, A=1e-3, Iy=4e-7, Iz=1e-7, J=2e-7)
    >>> beam, weight = model.add(beam, name="beam"), model.add(Load(tip.at(), (0.0, 0.0, -10.0)), name="weight")
    >>> f"{equilibrium(model)[tip].position[2] * 1000:.4f} mm; F L^3 / 3 E Iy = {10 * 8 / 3 / 84000 * 1000:.4f} mm"
    '-0.3175 mm; F L^3 / 3 E Iy = 0.3175 mm'
    """

    E: Pressure
    G: Pressure
    A: Area
    Iy: SecondMoment
    Iz: SecondMoment
    J: SecondMoment
    shear_factor: float | Sequence[float] | None = None
    damping: Duration = 0.0
    curvature: Sequence[Curvature] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        require_marker(self.a, "end a of a Beam")
        require_marker(self.b, "end b of a Beam")

    def check(self) -> None:
        super().check()
        for name in ("length", "E", "G", "A", "Iy", "Iz", "J"):
            check.positive(getattr(self, name), f"{name} of {self.title}")
        self.not_negative("damping")
        check.vector(self.curvature, 3, f"the curvature of {self.title}")
        for factor in self._factors():
            if factor is not None:
                check.positive(factor, f"the shear_factor of {self.title}")

    def arc(self) -> tuple[Measure, Measure]:
        return helix_component(self.a, self.b, "x"), helix_length(self.a, self.b)

    def laws(self) -> tuple[Law, ...]:
        a, b, L, damping = self.a, self.b, self.length, self.damping
        twist, free = self.G * self.J / L, [L * value for value in self.curvature]
        turned = rotation_component(a, b, "x").parts()
        moments = zip((self.Iz, self.Iy), self._factors(), strict=True)
        shears = [shear_number(self.E, second, self.G, self.A, factor, L) for second, factor in moments]
        laws = [
            axial(*self.arc(), self.E * self.A / L, L, damping, shears),
            Law(turned, stiffness=twist, rest=free[0], damping=damping * twist, label="torque"),
        ]
        for axis, shear in zip("zy", shears, strict=True):
            second, across, sign = (self.Iz, "y", -1.0) if axis == "z" else (self.Iy, "z", 1.0)
            wave, rest = helix_component(a, b, across) * (sign * 2.0 / L), free["xyz".index(axis)]
            bent = rotation_component(a, b, axis)
            laws += bending(bent, wave, self.E * second / L, shear, damping, rest, f" {axis}")
        return tuple(laws)

    def _factors(self) -> tuple[float | None, float | None]:
        """The shear factors for bending about z (shear along y) and about y (shear along z)."""
        if not isinstance(self.shear_factor, Sequence | np.ndarray):
            return self.shear_factor, self.shear_factor
        if check.shape(self.shear_factor) != (2,):
            raise ModelError(f"the shear_factor of {self.title} must be one number or two, got {self.shear_factor!r}")
        along_y, along_z = self.shear_factor
        return along_y, along_z
