"""The layout of markers and measures in tables, the same in every space.

    markers    body-fixed, body by body | moving along curves
    measures   kind by kind, in the order of the space

Few models have markers that move along curves, or the rare kinds of measures. Compiled loops call their kernels by
address; in other models the address is 0 and nothing is compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.model.measure import Measure
from cardan.model.surfaces.contact_coordinate import ContactMarker
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.indirect import pointer_to
from cardan.numerics.curves.profiles import profile_table


class Layout(NamedTuple):
    """The order of markers and measures."""

    fixed: list[Any]  # markers, body by body: kernels rotate each body once
    moving: list[ContactMarker]  # those that move along curves
    place: dict[Any, int]  # index of each marker in both lists, concatenated
    first: np.ndarray  # uint32[kinds + 1]: start of the measures of each kind


def laid_out(kinds: Sequence[str], number: dict[int, int], measures: Sequence[Measure]) -> Layout:
    """The layout of measures that come grouped in the order of `kinds`; `number` maps id(body) to its number."""
    markers = list(dict.fromkeys(m for z in measures if z.kind != "modal" for m in z.markers()))
    fixed: list[Any] = [marker for marker in markers if not isinstance(marker, ContactMarker)]
    fixed.sort(key=lambda marker: number[id(marker.body)])
    moving = [marker for marker in markers if isinstance(marker, ContactMarker)]
    place = {marker: k for k, marker in enumerate((*fixed, *moving))}
    counts = [sum(measure.kind == kind for measure in measures) for kind in kinds]
    return Layout(fixed, moving, place, np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32))


def curve_tables(kind: Any, runs: np.ndarray, shapes: Sequence[Any], functions: Sequence[Any]) -> Any:
    """The tables, of type `kind`, of markers that move along shapes, as listed in the rows of `runs`.

    `functions` place the markers and move them.
    """
    tables = kind(runs.astype(np.uint32), profile_table(shapes), np.zeros(8), np.zeros(2, np.uint64))
    found = block(tables)
    if runs.size:
        tables.address[:] = [pointer_to(function, found, np.zeros(1), np.zeros((1, 1))) for function in functions]
    return found


def rare_addresses(measures: Sequence[Measure], rare: Sequence[str], functions: Sequence[Any]) -> np.ndarray:
    """The addresses of the kernels of rare kinds of measures: `functions` compute their values and rates."""
    addresses = np.zeros(2, np.uint64)
    if any(measure.kind in rare for measure in measures):
        tables = np.zeros((1, 1), np.uint32), np.zeros(1, np.uint32), *(np.zeros((1, 1)) for _ in range(3))
        addresses[:] = [pointer_to(function, *tables) for function in functions]
    return addresses
