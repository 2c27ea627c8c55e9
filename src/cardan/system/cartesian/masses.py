"""The table of the mass matrix: lower triangles of all bodies, ground's first, then the entries of modes and rotors.

    for each flexible body:    (2 or 3 + 1 or 3) n coupling its speeds with each mode, then n (n + 1) / 2 of its modes
    for each rotor:            (3 or 6)^2 coupling the speeds of body b, row by row, with those of body a

`cardan.model.space.mass_blocks` fills the table; here is where each number belongs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from cardan.model.flexible.elasticity import tidy
from cardan.model.flexible.modal_coordinate import deformed_bodies
from cardan.model.matter.added_inertia import AddedInertia, entries_of, own_entries, table_size
from cardan.model.space import Space, mass_blocks


def mass_entries(
    space: Space, number: dict[int, int], bodies: Sequence[Any], contacts: Sequence[Any], added: Sequence[AddedInertia]
) -> np.ndarray:
    """Row, column and place in the flat table of the entries on and below the diagonal that are not always zero."""
    entries = []
    width, size = space.width, _size(space)
    lower = [(i, j) for i in range(width) for j in range(i + 1)]
    turned: dict[int, set[tuple[int, int]]] = {}
    for rotor in added:
        for end in rotor.ends(number):
            turned.setdefault(end - 1, set()).update(own_entries(rotor, width, space.angular))
    for k, body in enumerate(bodies):
        coupled = space.coupled(body) | turned.get(k, set())
        for place, (i, j) in enumerate(lower):
            if i == j or (i, j) in coupled:
                entries.append((width * k + i, width * k + j, size * (k + 1) + place))
    at = size * (1 + len(bodies))
    for body, first in deformed_bodies(contacts).values():
        n, eta, own = body.part.modes, width * len(bodies) + first, width * (number[id(body)] - 1)
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
    entries += entries_of(added, number, width, space.angular, at)
    return np.array(entries, int).reshape(-1, 3)


def mass_table(system: Any) -> np.ndarray:
    """The table of a system, all zero."""
    width, bodies = system.width, len(system.bodies)
    _, end = table_size(width, bodies, system.contact_coordinates, len(system.added))
    return np.zeros((-(-end // _size(system.space)), _size(system.space)))


def mass_matrix(system: Any, matter: np.ndarray, q: np.ndarray) -> sp.csr_array:
    """M of a system at a position."""
    table = mass_table(system)
    mass_blocks(system.geometry, matter, q, table)
    return spread(system, table)


def spread(system: Any, table: np.ndarray) -> sp.csr_array:
    """The table as a matrix."""
    stated = system.space, system.number, system.bodies, system.contact_coordinates, system.added
    row, column, source = mass_entries(*stated).T
    values, off = table.reshape(-1)[source], row != column
    rows, columns = np.concatenate([row, column[off]]), np.concatenate([column, row[off]])
    size = system.coordinates
    return sp.csr_array((np.concatenate([values, values[off]]), (rows, columns)), shape=(size, size))


def _size(space: Space) -> int:
    return space.width * (space.width + 1) // 2
