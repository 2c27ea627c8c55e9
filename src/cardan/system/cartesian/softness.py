"""The mass matrix: its table, and masses that are absent, what stands in for them, and whether that matters.

    [ M + S  J^T ]          S: a little mass where a body has none. It is taken away again by refining the solution:
    [ J       0  ]          what is left of it shrinks by 1 - share in each refinement, where

    share = min over free motions z of (z^T M z) / (z^T (M + S) z)        1: S does not matter; 0: nothing else resists

Masses are compared body by body, in units of the body itself: light or small bodies are treated like any other. The
constants, each with its reason:

ABSENT  1e-12. Inertias below this part of m l^2, with l the size of the body, cost more digits in a
        factorization than refinements bring back: 1e-16 / 1e-12 is left of an error in each.
SOFT    1e-8. What is added, as part of the same m l^2: a factorization loses eight digits by it and a refinement brings
        them back, while a motion that other masses resist hardly feels it.

The table holds the lower triangles of all bodies, ground's first, then the entries of modes and rotors:

    for each flexible body:    (2 or 3 + 1 or 3) n coupling its speeds with each mode, then n (n + 1) / 2 of its modes
    for each rotor:            (3 or 6)^2 coupling the speeds of body b, row by row, with those of body a

`cardan.model.space.mass_blocks` fills it; `mass_entries` says where each number belongs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from cardan.model.added_inertia import AddedInertia, entries_of, own_entries, table_size
from cardan.model.flexible.elasticity import tidy
from cardan.model.flexible.modal_coordinate import ModalCoordinate, deformed_bodies
from cardan.model.space import Space, mass_blocks
from cardan.system.balance import arms_of
from cardan.system.system import System


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


ABSENT = 1e-12
SOFT = 1e-8
EVEN, UNEVEN = 1e3, 1e9  # spread of masses up to which no refinement is needed, and up to which one is enough
THIN = 1e-6  # smallest part of m l^2 up to which no refinement is needed
RESISTED = 0.5  # share of the stated masses below which a motion counts as resisted by nothing
EXACT = 1e-12  # of the accelerations: what refinements leave of the masses that were added


def softness(system: System, full: np.ndarray) -> tuple[np.ndarray, int]:
    """What to add to the diagonal of a singular mass matrix, of which these are the blocks of all bodies, and how often
    solutions must be refined."""
    width, soft = system.width, np.zeros(system.coordinates)
    units = _units(system, full)
    scaled = full * units[:, :, None] * units[:, None, :]
    spectra = np.linalg.eigvalsh(scaled) if full.size else np.zeros((0, width))
    heavy = spectra[:, -1][spectra[:, -1] > 0.0] if spectra.size else np.zeros(0)
    usual = float(np.exp(np.mean(np.log(heavy)))) if heavy.size else 1.0
    absent = spectra[:, 0] <= ABSENT * spectra[:, -1]
    for k in np.flatnonzero(absent):
        soft[width * k : width * (k + 1)] = SOFT * (spectra[k, -1] or usual) / units[k] ** 2
    first = width * len(system.bodies)
    contacts = [not isinstance(c, ModalCoordinate) for c in system.contact_coordinates]
    soft[first:] = np.where(contacts, SOFT * usual, 0.0)
    thin = float(np.min(spectra[~absent, 0] / spectra[~absent, -1], initial=1.0))
    spread = max(_spread(system, full, angular) for angular in (False, True))
    if soft.any() or spread > UNEVEN:
        return soft, 2
    return soft, int(spread > EVEN or thin < THIN)


def weakest(mass: Any, soft: np.ndarray, free: np.ndarray) -> tuple[float, np.ndarray]:
    """The least share of stated masses in what resists a free motion, and that motion.

    `mass` is the mass matrix as stated, `soft` what was added to it, `free` a basis of the motions, as columns.
    """
    if not free.shape[1]:
        return 1.0, np.zeros(free.shape[0])
    stated = free.T @ (mass @ free)
    whole = stated + free.T @ (soft[:, None] * free if soft.ndim == 1 else soft @ free)
    size = np.sqrt(np.diag(whole))
    if not np.all(size > 0.0):
        return 0.0, free[:, int(np.argmin(size))]
    scale = np.outer(size, size)
    try:
        shares, motions = scipy.linalg.eigh(stated / scale, whole / scale)
    except np.linalg.LinAlgError:  # not even what was added resists
        sizes, motions = np.linalg.eigh(whole / scale)
        return 0.0, free @ (motions[:, int(np.argmin(sizes))] / size)
    return float(np.clip(shares[0], 0.0, 1.0)), free @ (motions[:, 0] / size)


def refinements(share: float) -> int:
    """How often a solution must be refined until the masses that were added do not matter."""
    left = max(1.0 - share, 1e-300)
    return max(2, int(np.ceil(np.log(EXACT) / np.log(min(left, RESISTED)))) - 1)


def mass_matrices(system: System, mass: np.ndarray) -> np.ndarray:
    """The blocks of all moving bodies as full matrices."""
    width = system.width
    rows, columns = np.tril_indices(width)
    full = np.zeros((len(system.bodies), width, width))
    full[:, rows, columns] = full[:, columns, rows] = mass[1 : 1 + len(system.bodies)]
    return full


def lengths_of(system: System) -> np.ndarray:
    """How large bodies are: arms of markers and centers or, if larger, radii of gyration; 0 where neither is known."""
    matter = system.matter()
    mass = mass_table(system)
    mass_blocks(system.geometry, matter, system.start, mass)
    return _lengths(system, mass_matrices(system, mass))


def _units(system: System, full: np.ndarray) -> np.ndarray:
    """What counts as one in each coordinate of each body: 1 m, or an angle that moves its points by as much."""
    length = _lengths(system, full)
    length = np.where(length > 0.0, length, system.length)
    return np.where(np.array(system.space.angular), 1.0 / length[:, None], 1.0)


def _lengths(system: System, full: np.ndarray) -> np.ndarray:
    angular = np.array(system.space.angular)
    straight, turning = np.flatnonzero(~angular), np.flatnonzero(angular)
    mass = full[:, straight, straight].max(axis=1, initial=0.0)
    inertia = full[:, turning, turning].max(axis=1, initial=0.0)
    offset = np.abs(full[:, turning[:, None], straight]).max(axis=(1, 2), initial=0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        arm = np.maximum(arms_of(system), np.nan_to_num(offset / mass))
        gyration = np.nan_to_num(np.sqrt(inertia / mass), posinf=0.0)
    return np.asarray(np.maximum(arm, gyration))


def _spread(system: System, full: np.ndarray, angular: bool) -> float:
    """By how much the masses, or the inertias, of the bodies differ."""
    places = np.flatnonzero(np.array(system.space.angular) == angular)
    found = np.linalg.eigvalsh(full[:, places[:, None], places])
    positive = found[found > 0.0]
    return float(positive.max() / positive.min()) if positive.size else 1.0
