"""Checks of inertia in files."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from cardan.errors import ModelError, warn
from cardan.io.document import Node
from cardan.io.pose import Pose
from cardan.spatial.matter import SpatialMatter
from cardan.spatial.matter.inertia import NEGATIVE_MOMENT

PRINTED = 1e-6  # relative to the largest moment: error of numbers printed with six digits
MICROMETER = 1e-12  # m2: squared radius of gyration without effect on any motion


def checked_matter(link: Node, mass: float, inertia: NDArray, place: Pose) -> SpatialMatter | None:
    """The mass properties of a link in its frame, from a tensor about the mass center in the axes of `place`.

    Zero mass and inertia, and mass without inertia, are warnings. Moments that are negative by
    rounding become zero, with a warning. Impossible values are errors or warnings that name the link.
    """
    if mass < 0.0:
        raise link.error(f"its mass must not be negative, got {mass:g}")
    if not mass and not inertia.any():
        _warn(link, "its mass and inertia are zero; it is imported as a frame without mass")
        return None
    if not inertia.any():
        _warn(link, f"its inertia is zero: its {mass:g} kg are a point mass")
    inertia = _without_rounding(link, mass, inertia)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            own = SpatialMatter(mass, (0.0, 0.0, 0.0), (inertia + inertia.T) / 2.0)
        except ModelError as error:
            raise link.error(_with_owner(error)) from None
    for warning in caught:
        _warn(link, _with_owner(warning.message))
    if np.trace(inertia) > 0.0 and not mass:
        _warn(link, "it has inertia but no mass")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warned above
        return own.turned(tuple(place.turn)).moved(tuple(place.point))


def _without_rounding(link: Node, mass: float, inertia: NDArray) -> NDArray:
    """The tensor with principal moments that are negative by rounding set to zero, with a warning."""
    moments, axes = np.linalg.eigh((inertia + inertia.T) / 2.0)
    limit = max(PRINTED * moments[2], MICROMETER * mass)
    if moments[0] >= -NEGATIVE_MOMENT * moments[2] or moments[0] < -limit:  # not negative, or not by rounding
        return inertia
    _warn(link, f"its least principal moment is {moments[0]:.3g}, negative by rounding; it is taken as zero")
    if moments[2] <= MICROMETER * mass:
        return np.zeros((3, 3))
    return np.asarray(axes @ np.diag(np.maximum(moments, 0.0)) @ axes.T)


def _with_owner(message: object) -> str:
    return str(message).replace("the inertia of a SpatialMatter", "its inertia")


def _warn(link: Node, message: str) -> None:
    warn(f"{link.title}: {message}")
