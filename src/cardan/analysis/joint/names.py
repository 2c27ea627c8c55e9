"""Components of q and v by the names of joints.

The order of joint coordinates is that of the spanning tree: joints with few coordinates come first, among them those
that were added first. Names identify the coordinates of a joint: 'elbow.angle', 'neck.e0', 'trunk.x'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check


def places_of(wanted: Sequence[str], names: Sequence[str], owner: str) -> np.ndarray:
    """The indices of all numbers of a joint or floating body, or of the one that is fully named."""
    found: list[int] = []
    for word in wanted:
        own = [k for k, name in enumerate(names) if word == name or word == name.rpartition(".")[0]]
        if not own:
            near = get_close_matches(str(word), [*names, *(name.rpartition(".")[0] for name in names)], 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise ModelError(f"no coordinate of '{owner}' belongs to {check.short_repr(word)}{hint}")
        found += own
    return np.array(found, int)


def changed(q: np.ndarray, values: Mapping[str, Any], names: Sequence[str], owner: str) -> np.ndarray:
    """A copy of q with the numbers of some joints replaced."""
    if not isinstance(values, Mapping):
        raise ModelError(f"values of joints must be a dictionary, got {check.describe(values)}")
    found = q.copy()
    for word, value in values.items():
        places = places_of((word,), names, owner)
        what = f"the value of '{word}'"
        found[places] = check.number(value, what) if places.size == 1 else check.vector(value, places.size, what)
    return found
