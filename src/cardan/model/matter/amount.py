"""Mass from `mass=` or `density=`, exactly one of them; checks and messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cardan.errors import ModelError
from cardan.model import check

DIFFERENCE_ROUNDING = 1e-12  # rounding error of a difference, relative to the minuend

# ends of messages, in the plane and in space
INSIDE = "a void must be inside the body it is cut from and have its density"
NOT_THERE = "check that the inertia is about that point, the signs of products, and the units"


def mass_of(
    shape: str,
    size: float,
    mass: Any,
    density: Any,
    *,
    needs: Mapping[str, Any] | None = None,
    may: Mapping[str, Any] | None = None,
) -> float:
    """The mass of a shape of the given size: a volume, an area or a length.

    Density multiplies the size and the transverse dimensions: `needs` names those that a density requires (the area of
    a rod's section), `may` those that are optional (the thickness of a plate). With a mass they have no meaning.

    >>> mass_of("a plate", 0.5, None, 8000.0, may={"thickness": 0.01})
    40.0
    >>> mass_of("a plate", 0.5, 3.0, None, may={"thickness": None})
    3.0
    """
    across = {**(needs or {}), **(may or {})}
    if mass is None and density is None:
        raise ModelError(f"{shape} needs mass= or density=")
    if mass is not None and density is not None:
        raise ModelError(f"{shape} takes mass= or density=, not both, got {mass!r} and {density!r}")
    if mass is not None:
        for name, value in across.items():
            if value is not None:
                raise ModelError(f"the {name} of {shape} is only for density=; omit it with mass=, got {value!r}")
        return check.positive(mass, f"the mass of {shape}")
    result = check.positive(density, f"the density of {shape}") * size
    for name, value in across.items():
        if value is None and needs and name in needs:
            raise ModelError(f"{shape} with density= also needs {name}=; or give mass= instead")
        if value is not None:
            result *= check.positive(value, f"the {name} of {shape}")
    if result == 0.0:
        raise ModelError(f"{shape} of these dimensions has no volume; give mass= instead of density=")
    return result


def above(outer: Any, inner: Any, shape: str) -> tuple[float, float]:
    """The radii of a hollow shape; equal radii are the limit of a thin wall, which requires a mass.

    >>> above(0.2, 0.1, "a tube")
    (0.2, 0.1)
    """
    large = check.positive(outer, f"the outer radius of {shape}")
    small = check.positive(inner, f"the inner radius of {shape}")
    if small > large:
        raise ModelError(f"the inner radius of {shape}, {small:g}, must not exceed the outer one, {large:g}")
    return large, small


def mass_left(mass: float, void: float) -> float:
    """The mass left by a void, which must be positive.

    >>> mass_left(3.0, 1.0)
    2.0
    """
    left = mass - void
    if left <= 1e-12 * mass:
        raise ModelError(f"a void of the mass {void:.6g} cannot be cut from the mass {mass:.6g}; {INSIDE}")
    return left


def lost_by_place(mass: float, distance: float) -> float:
    """The error of the inertia about the center due to rounding of the center's coordinates.

    >>> lost_by_place(2.0, 1.0) < 1e-23
    True
    """
    return mass * (DIFFERENCE_ROUNDING * distance) * (DIFFERENCE_ROUNDING * distance)


def not_negative(value: object, what: str) -> float:
    """A finite number, at least zero.

    >>> not_negative(0, "the mass")
    0.0
    """
    result = check.number(value, what)
    if result < 0.0:
        raise ModelError(f"{what} must not be negative, got {result:g}")
    return result + 0.0


def tidy(values: Any, size: float = 0.0) -> list[str]:
    """Numbers with six digits for messages; rounding errors relative to the others, or to `size`, become 0.

    >>> tidy((0.5, 6e-17, -0.0))
    ['0.5', '0', '0']
    """
    numbers = [float(value) for value in values]
    least = DIFFERENCE_ROUNDING * max(size, *(abs(value) for value in numbers))
    return [f"{value if abs(value) > least else 0.0:.6g}" for value in numbers]
