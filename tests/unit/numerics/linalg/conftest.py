"""Planar bodies joined by pins: the sparse matrices on which ordering, factorization and rank are tried.

A pin at point P between bodies a and b has the rows  +-[1, 0, -(P - r).y]  and  +-[0, 1, (P - r).x]  in the columns
(x, y, phi) of each body with origin r; ground is -1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse as sp

from cardan.numerics.linalg.ordering import spanning_tree


class Pinned:
    def __init__(self) -> None:
        self.origins: list[np.ndarray] = []
        self.row_blocks: list[tuple[list[int], tuple[int, ...]]] = []
        self.edges: list[tuple[int, int, int]] = []
        self.entries: list[tuple[int, int, float]] = []

    def body(self, *origin: float) -> int:
        self.origins.append(np.array(origin))
        return len(self.origins) - 1

    def pin(self, a: int, b: int, point, carries: bool = True) -> None:
        row = 2 * len(self.row_blocks)
        if carries:
            self.edges.append((a, b, len(self.row_blocks)))
        self.row_blocks.append(([row, row + 1], (a, b)))
        for unit, sign in ((a, 1.0), (b, -1.0)):
            if unit >= 0:
                x, y = np.asarray(point) - self.origins[unit]
                self.entries += [(row, 3 * unit, sign), (row, 3 * unit + 2, -sign * y)]
                self.entries += [(row + 1, 3 * unit + 1, sign), (row + 1, 3 * unit + 2, sign * x)]

    @property
    def units(self) -> list[range]:
        return [range(3 * u, 3 * u + 3) for u in range(len(self.origins))]

    @property
    def tree(self) -> list[int]:
        return spanning_tree(len(self.origins), self.edges, n_blocks=len(self.row_blocks))

    @property
    def jacobian(self) -> sp.csr_array:
        rows, cols, values = zip(*self.entries, strict=True)
        shape = 2 * len(self.row_blocks), 3 * len(self.origins)
        return sp.csr_array(sp.coo_array((values, (rows, cols)), shape=shape))


def chain(links: int) -> Pinned:
    """ground--o--link--o--link--o-- ..."""
    system, point = Pinned(), np.zeros(2)
    for i in range(links):
        half = 0.5 * np.array([np.cos(np.sin(i)), np.sin(np.sin(i))])
        system.body(*(point + half))
        system.pin(i - 1, i, point)
        point = point + 2 * half
    return system


def star(arms: int) -> Pinned:
    """A hub on ground, arms on its rim."""
    system = Pinned()
    system.body(0, 0)
    system.pin(-1, 0, (0, 0))
    for a in np.linspace(0, 2 * np.pi, arms, endpoint=False):
        system.pin(0, system.body(1.5 * np.cos(a), 1.5 * np.sin(a)), (np.cos(a), np.sin(a)))
    return system


def ladder(cells: int, angle: float = 1.0, couplers: int = 1) -> Pinned:
    """Parallel cranks on ground at x = 0, 1, 2, ...; neighbors joined by one or more parallel couplers.

    Each coupler after the first adds 3 coordinates, 4 equations and no constraint but its own: one redundant row.
    """
    system = Pinned()
    crank = np.array([np.cos(angle), np.sin(angle)])
    for i in range(cells + 1):
        system.pin(-1, system.body(*(np.array([i, 0]) + crank / 2)), (i, 0))
    for i in range(cells):
        for height in 1.0 - np.arange(couplers) / 4:
            left = np.array([i, 0]) + height * crank
            coupler = system.body(*(left + (0.5, 0)))
            system.pin(i, coupler, left)
            system.pin(coupler, i + 1, left + (1, 0))
    return system


def mesh(side: int) -> Pinned:
    """A square net of bodies, each pinned to its neighbors: far too many pins, so that it only turns as a whole."""
    system = Pinned()
    for i, j in np.ndindex(side, side):
        system.body(i + 0.1 * np.sin(3 * j), j + 0.1 * np.cos(5 * i))
    system.pin(-1, 0, (0, 0))
    for i, j in np.ndindex(side, side):
        if i + 1 < side:
            system.pin(i * side + j, (i + 1) * side + j, (i + 0.5 + 0.1 * np.sin(i * j), j + 0.2 * np.cos(i + j)))
        if j + 1 < side:
            system.pin(i * side + j, i * side + j + 1, (i + 0.1 * np.sin(i - j), j + 0.5))
    return system


def cart(first: int, middle: int, last: int) -> Pinned:
    """Three bodies, so numbered, in a chain that hangs on nothing; pins of which no body hangs hold its ends."""
    system, place = Pinned(), np.zeros((3, 2))
    place[[first, middle, last]] = (0.0, 0.0), (1.0, 0.3), (2.0, 0.1)
    for origin in place:
        system.body(*origin)
    system.pin(first, middle, (0.6, 0.5))
    system.pin(middle, last, (1.6, 0.7))
    for end in (first, last):
        system.pin(-1, end, place[end] + (0.2, -0.5), carries=False)
    return system


@pytest.fixture
def pinned() -> dict[str, Callable[..., Pinned]]:
    return {"chain": chain, "star": star, "ladder": ladder, "mesh": mesh, "cart": cart}
