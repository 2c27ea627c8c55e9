"""Comparison of a part with the solid that it was made from: units and forgotten parts show in the mass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.flexible_part import FlexiblePart

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def check_mass_properties(
    part: FlexiblePart,
    mass: float | None = None,
    center: Any = None,
    inertia: ArrayLike | None = None,
    tolerance: float = 0.01,
) -> None:
    """Reject a part whose mass, mass center or inertia differ from those of the solid, as a CAD program states them.

    `center` is in the axes of the part, `inertia` (3 x 3, or three principal moments) about the mass center. The mass
    may differ by `tolerance`, relative; the center by `tolerance` times the radius of gyration; the inertia by
    `tolerance` of its largest moment.

    >>> from cardan.flexible import beam, rectangle
    >>> rod = beam(1.0, rectangle(0.02, 0.01)).reduce(modes=2)
    >>> check_mass_properties(rod, mass=1.57, center=(0.5, 0.0, 0.0))
    >>> check_mass_properties(rod, mass=0.00157)
    Traceback (most recent call last):
    cardan.errors.ModelError: the flexible part 'beam' has the mass 1.57 kg, 1000 times that of the solid, ...
    """
    check.instance(part, FlexiblePart, "part")
    limit = check.positive(tolerance, "tolerance")
    own = part.center
    about = part.inertia - part.mass * (own @ own * np.eye(3) - np.outer(own, own))
    if mass is not None:
        ratio = part.mass / check.positive(mass, "mass of the solid")
        if abs(ratio - 1.0) > limit:
            raise ModelError(
                f"{part.title} has the mass {part.mass:.4g} kg, {ratio:.4g} times that of the solid, {mass:.4g} kg: "
                "check units, density and that all bodies are in the model"
            )
    if center is not None:
        stated = np.array(check.vector(center, 3, "center of the solid"))
        reach = float(np.sqrt(np.linalg.eigvalsh(about)[-1] / part.mass))
        if np.abs(own - stated).max() > limit * reach:
            raise ModelError(
                f"{part.title} has its mass center at {_place(own)} m, but the solid at {_place(stated)} m: check "
                "the units and the origin of the nodes"
            )
    if inertia is not None:
        _check_inertia(part, about, inertia, limit)


def _check_inertia(part: FlexiblePart, about: np.ndarray, stated: Any, limit: float) -> None:
    wanted = np.asarray(stated, dtype=float)
    if wanted.shape not in ((3,), (3, 3)):
        raise ModelError(f"inertia of the solid must be 3 x 3 or three principal moments, got the shape {wanted.shape}")
    found = np.linalg.eigvalsh(about) if wanted.shape == (3,) else about
    wanted = np.sort(wanted) if wanted.shape == (3,) else wanted
    apart = np.abs(found - wanted).max()
    if apart > limit * np.abs(about).max():
        raise ModelError(
            f"{part.title} has an inertia about its mass center that differs from that of the solid by {apart:.4g} "
            f"kg m^2 ({100 * apart / np.abs(about).max():.3g} % of its largest moment): check units and axes"
        )


def _place(point: np.ndarray) -> str:
    return f"({', '.join(f'{x:.4g}' for x in point)})"
