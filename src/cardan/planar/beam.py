"""Planar beams."""

from __future__ import annotations

from dataclasses import dataclass

from cardan.elements.rods.beam import AnyBeam, axial, bending, shear_number
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Area, Curvature, Duration, Pressure, SecondMoment
from cardan.model.force import Law
from cardan.model.measure import Measure
from cardan.planar.body import Marker, require_marker
from cardan.planar.measures import angle, helix_component, helix_length


@dataclass(frozen=True, eq=False)
class Beam(AnyBeam[Marker]):
    """A massless elastic beam from marker a to marker b, along the x axes of both when undeformed.

          a o======================o b          deflections may be large: see `cardan.elements.rods.beam`
             -> x_a                 -> x_b

    `length` is L, `E` Young's modulus, `A` the area and `I` the second moment of the section. With `G` and a
    `shear_factor` (5/6 for a rectangle) it is a Timoshenko beam. `damping` is the material damping in seconds: damping
    forces are `damping` times the rate of the elastic forces. A beam with a `curvature` is an arc of that curvature
    when undeformed, counterclockwise if positive. A chain of beams between bodies, which `add_rod` builds, models
    flexible arms, springs and cables; one element turns by at most 150 degrees.

    `run[beam].force` has three columns: the axial force, the bending moment M in the middle, and S, so the moments
    at the ends are M - S at a and M + S at b, and the shear force is 2 S / L.

    >>> from cardan import equilibrium
    >>> from cardan.planar import Beam, Body, Load, Model
    >>> model = Model("cantilever")
    >>> tip = model.add(Body(mass=1.0, inertia=0.01, position=(2.0, 0.0)), name="tip")
    >>> beam = model.add(Beam(model.ground.at(), tip.at(), 2.0, E=210e9, A=1e-3, I=1e-7), name="beam")
    >>> weight = model.add(Load(tip.at(), (0.0, -10.0)), name="weight")
    >>> f"{equilibrium(model)[tip].position[1] * 1000:.3f} mm; F L^3 / 3 E I = {10 * 8 / 3 / 21000 * 1000:.3f} mm"
    '-1.270 mm; F L^3 / 3 E I = 1.270 mm'
    """

    E: Pressure
    A: Area
    I: SecondMoment  # noqa: E741  the book's symbol
    G: Pressure | None = None
    shear_factor: float | None = None
    damping: Duration = 0.0
    curvature: Curvature = 0.0

    def __post_init__(self) -> None:
        require_marker(self.a, "end a of a Beam")
        require_marker(self.b, "end b of a Beam")

    def check(self) -> None:
        super().check()
        for name in ("length", "E", "A", "I"):
            check.positive(getattr(self, name), f"{name} of {self.title}")
        self.not_negative("damping")
        check.number(self.curvature, f"the curvature of {self.title}")
        if (self.G is None) != (self.shear_factor is None):
            raise ModelError(f"{self.title} needs both G and shear_factor for shear deformation, or neither")
        if self.G is not None:
            check.positive(self.G, f"G of {self.title}")
            check.positive(self.shear_factor, f"shear_factor of {self.title}")

    def arc(self) -> tuple[Measure, Measure]:
        return helix_component(self.a, self.b, "x"), helix_length(self.a, self.b)

    def laws(self) -> tuple[Law, ...]:
        a, b, L = self.a, self.b, self.length
        shear = shear_number(self.E, self.I, self.G, self.A, self.shear_factor, L)
        wave, free = helix_component(a, b, "y") * (-2.0 / L), self.curvature * L
        return (
            axial(*self.arc(), self.E * self.A / L, L, self.damping, (shear,)),
            *bending(angle(a, b), wave, self.E * self.I / L, shear, self.damping, free),
        )
