"""Elastic materials and cross sections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Area, Density, Length, Pressure, Ratio, SecondMoment

CORNERS = 24  # of the outline of a round section


@dataclass(frozen=True)
class Material:
    """A linear elastic, isotropic material: Young's modulus E in Pa, Poisson's ratio nu, density in kg/m^3.

    >>> round(Material(210e9, 0.3, 7850.0).shear_modulus / 1e9, 2)
    80.77
    """

    E: Pressure
    nu: Ratio
    density: Density

    def __post_init__(self) -> None:
        check.positive(self.E, "Young's modulus E of a material")
        check.positive(self.density, "the density of a material")
        if not -1.0 < check.number(self.nu, "Poisson's ratio nu of a material") < 0.5:
            raise ModelError(f"Poisson's ratio nu of a material must be above -1 and below 0.5, got {self.nu:g}")

    @property
    def shear_modulus(self) -> float:
        """Shear modulus, Pa."""
        return self.E / (2.0 * (1.0 + self.nu))

    @property
    def lame(self) -> tuple[float, float]:
        """Lame's parameters lambda and mu."""
        return self.E * self.nu / ((1.0 + self.nu) * (1.0 - 2.0 * self.nu)), self.shear_modulus


MATERIALS = {
    "steel": Material(210e9, 0.3, 7850.0),
    "aluminum": Material(70e9, 0.33, 2700.0),
    "titanium": Material(114e9, 0.34, 4430.0),
    "brass": Material(100e9, 0.34, 8500.0),
    "nylon": Material(2.8e9, 0.39, 1140.0),
    "spruce": Material(11e9, 0.37, 450.0),
}


def material(stated: Any) -> Material:
    """A Material, or one of the names in MATERIALS."""
    if isinstance(stated, str):
        check.choice(stated, tuple(MATERIALS), "material")
        return MATERIALS[stated]
    found: Material = check.instance(stated, Material, "material", f"or one of {', '.join(map(repr, MATERIALS))}")
    return found


@dataclass(frozen=True)
class Section:
    """A cross section across x: area, second moments Iy (bending in z) and Iz (bending in y), torsion constant J.

    `shear_y` and `shear_z` are the shear correction factors; `outline` are points (y, z) around it, for pictures and
    stresses. Use `rectangle`, `circle` or `tube`, or state the numbers.

    >>> circle(0.02).area
    0.000314...
    """

    area: Area
    Iy: SecondMoment
    Iz: SecondMoment
    J: SecondMoment
    shear_y: Ratio = 1.0
    shear_z: Ratio = 1.0
    outline: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        for name in ("area", "Iy", "Iz", "J", "shear_y", "shear_z"):
            check.positive(getattr(self, name), f"{name} of a section")


def rectangle(width: Length, height: Length | None = None, nu: Ratio = 0.3) -> Section:
    """`width` along y, `height` along z (a square without it).

    The torsion constant is Saint-Venant's series, the shear factor Cowper's.

    >>> round(rectangle(1.0).J, 6)        # Timoshenko: 0.1406 a^4
    0.140577
    """
    b = check.positive(width, "width of a rectangle")
    h = b if height is None else check.positive(height, "height of a rectangle")
    long, short = max(b, h), min(b, h)
    odd = np.arange(1, 60, 2)
    series = 1.0 - 192.0 / np.pi**5 * short / long * np.sum(np.tanh(odd * np.pi * long / (2.0 * short)) / odd**5)
    shear = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu)
    corners = ((-b / 2, -h / 2), (b / 2, -h / 2), (b / 2, h / 2), (-b / 2, h / 2))
    return Section(b * h, b * h**3 / 12, h * b**3 / 12, float(long * short**3 / 3 * series), shear, shear, corners)


def circle(diameter: Length, nu: Ratio = 0.3) -> Section:
    """A solid round section."""
    return tube(diameter, 0.0, nu)


def tube(outer: Length, inner: Length, nu: Ratio = 0.3) -> Section:
    """A round tube by its diameters; Cowper's shear factor."""
    r = 0.5 * check.positive(outer, "outer diameter")
    hollow = 0.5 * check.number(inner, "inner diameter") / r
    if not 0.0 <= hollow < 1.0:
        raise ModelError(f"the inner diameter must be from 0 to below the outer, {outer:g}, got {inner:g}")
    second = 0.25 * np.pi * r**4 * (1.0 - hollow**4)
    m2 = (1.0 + hollow**2) ** 2
    shear = 6.0 * (1.0 + nu) * m2 / ((7.0 + 6.0 * nu) * m2 + (20.0 + 12.0 * nu) * hollow**2)
    angles = 2.0 * np.pi * np.arange(CORNERS) / CORNERS
    circle_points = np.round(np.column_stack([np.cos(angles), np.sin(angles)]), 15) + 0.0  # exact zeros
    outline = tuple((float(r * y), float(r * z)) for y, z in circle_points)
    return Section(
        float(np.pi * r**2 * (1.0 - hollow**2)),
        float(second),
        float(second),
        float(2.0 * second),
        shear,
        shear,
        outline,
    )
