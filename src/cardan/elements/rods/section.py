"""The cross section of a rod: its stiffness and its mass per length."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Area, Density, Length, Pressure, SecondMoment

TORSION_TERMS = 40  # of the series for the torsion of a rectangle: the first left out is below 1e-10 of the sum


@dataclass(frozen=True)
class Section:
    """Material and cross section of a rod; its y and z axes are principal axes of the section.

    `E` and `G` are the moduli, `A` the area, `Iz` and `Iy` the second moments about z and y, `J` the torsion constant.
    In the plane bending is about z, and `Iy`, `J` and `G` may be omitted. With a `shear_factor` (two numbers, along y
    and along z, if they differ) the rod is a Timoshenko beam. `Section.rectangle`, `Section.circle` and `Section.tube`
    compute these numbers, `Section.of_stiffness` takes the products E A, E I, G J and the mass per length.

    >>> from cardan.planar import Section
    >>> steel = Section.rectangle(0.02, 0.001, E=210e9, density=7850.0)
    >>> f"E I = {steel.E * steel.Iz:.3f} N m^2, {1000 * steel.mass_per_length:.0f} g/m"
    'E I = 0.350 N m^2, 157 g/m'
    """

    E: Pressure
    A: Area
    Iz: SecondMoment
    density: Density
    Iy: SecondMoment | None = None
    J: SecondMoment | None = None
    G: Pressure | None = None
    shear_factor: float | Sequence[float] | None = None

    def __post_init__(self) -> None:
        for name in ("E", "A", "Iz", "density"):
            check.positive(getattr(self, name), f"{name} of a Section")
        for name in ("Iy", "J", "G"):
            if getattr(self, name) is not None:
                check.positive(getattr(self, name), f"{name} of a Section")
        if self.shear_factor is not None and self.G is None:
            raise ModelError("a Section with a shear_factor needs G, the shear modulus")

    @classmethod
    def rectangle(
        cls, width: Length, height: Length, *, E: Pressure, density: Density, poisson: float = 0.3
    ) -> Section:
        """A rectangle, `width` along z and `height` along y, the direction in which a planar rod bends."""
        b, h = check.positive(width, "the width of a Section"), check.positive(height, "the height of a Section")
        factor = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson)  # Cowper 1966
        second = b * h**3 / 12.0, h * b**3 / 12.0, _torsion(max(b, h), min(b, h))
        return cls(E, b * h, second[0], density, second[1], second[2], _shear_modulus(E, poisson), factor)

    @classmethod
    def circle(cls, diameter: Length, *, E: Pressure, density: Density, poisson: float = 0.3) -> Section:
        """A solid circle."""
        return cls.tube(diameter, 0.0, E=E, density=density, poisson=poisson)

    @classmethod
    def tube(cls, outer: Length, inner: Length, *, E: Pressure, density: Density, poisson: float = 0.3) -> Section:
        """A circular tube with these diameters."""
        check.positive(outer, "the outer diameter of a Section")
        if not 0.0 <= check.number(inner, "the inner diameter of a Section") < outer:
            raise ModelError(
                f"the inner diameter of a Section must be from 0 to the outer one, {outer:g}, got {inner:g}"
            )
        A, second = 0.25 * math.pi * (outer**2 - inner**2), math.pi * (outer**4 - inner**4) / 64.0
        ratio = inner / outer  # Cowper 1966
        square = (1.0 + ratio**2) ** 2
        factor = 6.0 * (1.0 + poisson) * square / ((7.0 + 6.0 * poisson) * square + (20.0 + 12.0 * poisson) * ratio**2)
        return cls(E, A, second, density, second, 2.0 * second, _shear_modulus(E, poisson), factor)

    @classmethod
    def of_stiffness(
        cls,
        EA: float,
        EI: float | Sequence[float],
        mass_per_length: float,
        *,
        GJ: float | None = None,
        GA: float | None = None,
    ) -> Section:
        """From the stiffness itself: `EI` about every axis, or two numbers, about y and about z; `GA` of shear.

        Without `GJ` it is E I about z. The radii of gyration of the mass are those of the stiffness, sqrt(E I / E A).
        """
        both = EI if isinstance(EI, Sequence) else (EI, EI)
        if len(both) != 2:
            raise ModelError(f"EI of a Section must be one number or two, about y and about z, got {EI!r}")
        for name, value in (("EA", EA), ("EI", both[0]), ("EI", both[1]), ("mass_per_length", mass_per_length)):
            check.positive(value, f"{name} of a Section")
        factor = None if GA is None else check.positive(GA, "GA of a Section") / EA
        twist = both[1] if GJ is None else check.positive(GJ, "GJ of a Section")
        return cls(1.0, EA, both[1], mass_per_length / EA, both[0], twist, 1.0, factor)

    @property
    def mass_per_length(self) -> float:
        return self.density * self.A


def _shear_modulus(E: float, poisson: float) -> float:
    if not -1.0 < check.number(poisson, "poisson of a Section") <= 0.5:
        raise ModelError(f"poisson of a Section, Poisson's ratio, must be between -1 and 0.5, got {poisson:g}")
    return 0.5 * E / (1.0 + poisson)


def _torsion(long: float, short: float) -> float:
    """a b^3 [1/3 - 64 / pi^5 (b/a) sum over odd n of tanh(n pi a / 2 b) / n^5] (Timoshenko and Goodier, 109)."""
    odd = range(1, 2 * TORSION_TERMS, 2)
    total = sum(math.tanh(0.5 * n * math.pi * long / short) / n**5 for n in odd)
    return long * short**3 * (1.0 / 3.0 - 64.0 / math.pi**5 * short / long * total)
