"""Inertia stated in files, judged."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from cardan.errors import CardanWarning, ModelError
from cardan.io.document import Node
from cardan.io.pose import Pose
from cardan.spatial.matter import SpatialMatter


def judged_matter(link: Node, mass: float, inertia: NDArray, place: Pose) -> SpatialMatter | None:
    """The matter of a link, from a tensor about the mass centre in the axes of `place`, in the frame of the link.

    No mass at all counts as none stated, with a warning; mass without inertia is a point, with a warning. What no body
    can have is refused, or warned of, by the name of the link.
    """
    if mass < 0.0:
        raise link.refuse(f"its mass must not be negative, got {mass:g}")
    if not mass and not inertia.any():
        _warn(link, "its mass and inertia are zero; it counts as a frame without matter")
        return None
    if not inertia.any():
        _warn(link, f"its inertia is zero: its {mass:g} kg are taken as a point")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            own = SpatialMatter(mass, (0.0, 0.0, 0.0), (inertia + inertia.T) / 2.0)
        except ModelError as error:
            raise link.refuse(_its(error)) from None
    for warning in caught:
        _warn(link, _its(warning.message))
    if np.trace(inertia) > 0.0 and not mass:
        _warn(link, "it has inertia but no mass")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is wrong with it has been said
        return own.turned(tuple(place.turn)).moved(tuple(place.point))


def _its(message: object) -> str:
    return str(message).replace("the inertia of a SpatialMatter", "its inertia")


def _warn(link: Node, sentence: str) -> None:
    warnings.warn(f"{link.title}: {sentence}", CardanWarning, stacklevel=2)
