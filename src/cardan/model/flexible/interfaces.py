"""Interfaces of flexible bodies, by name or by their point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.errors import ModelError

CLOSE = 1e-9  # of the size of a part: points so near an interface are the interface


def interface_called(body: Any, name: str) -> str:
    """The name of an interface, which must exist."""
    if name in body.part.interfaces:
        return name
    raise ModelError(f"{_title(body)} has no interface '{name}'; {_listed(body)}")


def interface_at(body: Any, place: Sequence[float]) -> str:
    """The interface at a point of the undeformed part, which may be planar."""
    known = body.part.interfaces
    size = max((float(np.linalg.norm(at.position)) for at in known.values()), default=0.0)
    for name, at in known.items():
        if np.linalg.norm(at.position[: len(place)] - np.array(place, float)) <= CLOSE * size:
            return str(name)
    point = ", ".join(f"{c:g}" for c in place)
    raise ModelError(f"{_title(body)} is flexible and has no interface at ({point}); {_listed(body)}")


def _title(body: Any) -> str:
    return str(body.title if body.name else body.part.title)


def _listed(body: Any) -> str:
    names = ", ".join(repr(name) for name in body.part.interfaces)
    return f"it has: {names}" if names else "it has none: state interfaces= where the part is made"
