"""Which bodies are flexible, which markers move with their modes, and which measures have such ends: in both spaces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.model.flexible.modal_coordinate import deformed_bodies
from cardan.model.measure import Measure


class ScratchMemory(NamedTuple):
    """Numbers of scratch memory: per mode and in any case for a body, per mode and in any case for a marker."""

    modes: int
    body: int
    marker_modes: int
    marker: int


class FlexibleLists(NamedTuple):
    """The first fields of the tables of flexible bodies in both spaces."""

    bodies: np.ndarray  # uint32[nf, 7]: body, modes n, first eta in q and in v, place in `numbers` and in the table of
    # masses, and whether it is stiffened
    markers: np.ndarray  # uint32[nm, 6]: marker, flexible body, place in `shapes` and in `scratch`, whether it turns,
    # and whether it moves to second order in eta
    ends: np.ndarray  # uint32[ne, 4]: measure, end (0 or 1), row of `markers`, whether its rate is jac v
    readings: np.ndarray  # uint32[nr, 3]: measure that reads a modal coordinate, the latter's place in q and in v
    numbers: np.ndarray  # float64: the integrals of all parts
    shapes: np.ndarray  # float64: psi and rho of all markers, component by component, and Gamma of those that have it
    scratch: np.ndarray  # float64; like all scratch memory, one per thread


def flexible_lists(
    number: dict[int, int],
    measures: Sequence[Measure],
    contacts: Sequence[Any],
    first_own: tuple[int, int],
    place: dict[Any, int],
    width: int,
    numbers_of: Callable[[Any], np.ndarray],
    memory: ScratchMemory,
) -> FlexibleLists:
    """The lists of the flexible bodies among the owners of internal coordinates.

    `first_own` is the place of the first internal coordinate in q and in v, `place` that of each marker, `width` the
    number of speeds of a body.
    """
    found = deformed_bodies(contacts)
    order = {key: k for k, key in enumerate(found)}
    bodies, numbers, first, extra = [], [np.zeros(0)], 0, width * (width + 1) // 2 * len(number)
    for body, eta in found.values():
        n, values = body.part.modes, numbers_of(body.part)
        stiffened = body.part.stiffening is not None
        bodies.append((number[id(body)], n, first_own[0] + eta, first_own[1] + eta, first, extra, stiffened))
        numbers.append(values)
        first, extra = first + values.size, extra + width * n + n * (n + 1) // 2
    kept = memory.modes * max((line[1] for line in bodies), default=0) + memory.body
    markers: list[tuple[int, ...]] = []
    lines: dict[Any, int] = {}
    shapes, at = [np.zeros(0)], 0
    for marker in (marker for marker in place if marker.modes):
        (psi, rho), curved = marker.shapes(), marker.curvature()
        lines[marker] = len(markers)
        markers.append((place[marker], order[id(marker.body)], at, kept, bool(rho.any()), curved is not None))
        new = [psi.reshape(-1), rho.reshape(-1)]
        if curved is not None:
            new.append(curved.transpose(0, 2, 1).reshape(-1))  # [l]: component by component
        shapes += new
        at += sum(shape.size for shape in new)
        kept += memory.marker_modes * marker.modes + memory.marker
    ends = [
        (m, side, lines[marker], measure.touch is not None)
        for m, measure in enumerate(measures)
        for side, marker in enumerate((measure.a, measure.b))
        if marker in lines
    ]
    where = {id(coordinate): k for k, coordinate in enumerate(contacts)}
    read = [(m, where[id(z.b.contact_coordinate)]) for m, z in enumerate(measures) if z.kind == "modal"]
    return FlexibleLists(
        bodies=np.array(bodies, np.uint32).reshape(-1, 7),
        markers=np.array(markers, np.uint32).reshape(-1, 6),
        ends=np.array(ends, np.uint32).reshape(-1, 4),
        readings=np.array([(m, first_own[0] + k, first_own[1] + k) for m, k in read], np.uint32).reshape(-1, 3),
        numbers=np.concatenate(numbers),
        shapes=np.concatenate(shapes),
        scratch=np.zeros(kept if bodies else 0),
    )
