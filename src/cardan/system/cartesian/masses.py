"""The table of the mass matrix: lower triangles of all bodies, ground's first, then the entries of modes.

    for each flexible body:    (2 or 3 + 1 or 3) n coupling its speeds with each mode, then n (n + 1) / 2 of its modes

`cardan.model.space.mass_blocks` fills the table; here is where each number belongs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from cardan.model.flexible.elasticity import tidy
from cardan.model.flexible.modal_coordinate import deformed_bodies
from cardan.model.space import Space, mass_blocks


def mass_entries(space: Space, bodies: Sequence[Any], contacts: Sequence[Any]) -> np.ndarray:
    """Row, column and place in the flat table of the entries on and below the diagonal that are not always zero."""
    entries = []
    width, size = space.width, _size(space)
    lower = [(i, j) for i in range(width) for j in range(i + 1)]
    for k, body in enumerate(bodies):
        coupled = space.coupled(body)
        for place, (i, j) in enumerate(lower):
            if i == j or (i, j) in coupled:
                entries.append((width * k + i, width * k + j, size * (k + 1) + place))
    number = {id(body): k for k, body in enumerate(bodies)}
    at = size * (1 + len(bodies))
    for body, first in deformed_bodies(contacts).values():
        n, eta, own = body.part.modes, width * len(bodies) + first, width * number[id(body)]
        linked = space.modes_couple(body)
        entries += [
            (eta + k, own + i, at + width * k + i) for k in range(n) for i in range(width) if linked or space.angular[i]
        ]
        mass = tidy(body.part.modal_mass)
        place = at + width * n
        entries += [
            (eta + k, eta + j, place + k * (k + 1) // 2 + j)
            for k in range(n)
            for j in range(k + 1)
            if j == k or mass[k, j] != 0.0
        ]
        at = place + n * (n + 1) // 2
    return np.array(entries, int).reshape(-1, 3)


def mass_table(space: Space, bodies: Sequence[Any], contacts: Sequence[Any]) -> np.ndarray:
    """The table, all zero."""
    size = _size(space)
    modes = [body.part.modes for body, _ in deformed_bodies(contacts).values()]
    extra = sum(space.width * n + n * (n + 1) // 2 for n in modes)
    return np.zeros((1 + len(bodies) - (-extra // size), size))


def mass_matrix(system: Any, matter: np.ndarray, q: np.ndarray) -> sp.csr_array:
    """M of a system at a position."""
    table = mass_table(system.space, system.bodies, system.contact_coordinates)
    mass_blocks(system.geometry, matter, q, table)
    return spread(system, table)


def spread(system: Any, table: np.ndarray) -> sp.csr_array:
    """The table as a matrix."""
    row, column, source = mass_entries(system.space, system.bodies, system.contact_coordinates).T
    values, off = table.reshape(-1)[source], row != column
    rows, columns = np.concatenate([row, column[off]]), np.concatenate([column, row[off]])
    size = system.coordinates
    return sp.csr_array((np.concatenate([values, values[off]]), (rows, columns)), shape=(size, size))


def _size(space: Space) -> int:
    return space.width * (space.width + 1) // 2
