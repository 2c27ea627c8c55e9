"""Exact derivatives of all measures, and of inertia forces, at one state: the kernels themselves on dual numbers.

Of a measure with columns c of its jac (two bodies, two own coordinates), where D_c is the derivative along the
displacement of column c (in space a turn about a body's own axis),

    value_q = D_c z      jac_q = D_c jac      rate_q = D_c (jac v)      bias_q, bias_v = D_c, d/dv_c of (jac)' v

Bodies that no measure has in common move together, so that a chain of any length costs as many directions as two of its
links.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from cardan.model.space import functions_of, mass_blocks, position_rates
from cardan.numerics.block import Block
from cardan.numerics.dual import Dual, on_duals, split
from cardan.system.machine import mass_matrices
from cardan.system.system import System

POSITIONS, VELOCITIES, INERTIA = 0, 1, 5  # places in `functions_of`
TABLES_OF_OBJECTS = ("scratch", "local")


@dataclass
class Slopes:
    """Derivatives by the columns of each measure; L = 2 width + 2 columns."""

    system: System
    z: np.ndarray  # [nz, 3]: value, rate, bias
    jac: np.ndarray  # [nz, L]
    value_q: np.ndarray  # [nz, L]
    jac_q: np.ndarray  # [nz, L, L]: the last axis is that of the displacement
    rate_q: np.ndarray  # [nz, L]
    bias_q: np.ndarray  # [nz, L]
    bias_v: np.ndarray  # [nz, L]
    ground: np.ndarray  # bool[nz, L]: columns of ends that are fixed in ground

    def matrix(self, local: np.ndarray) -> sp.csr_array:
        """A table [nz, L] as a matrix over the coordinates."""
        system = self.system
        columns = system.columns
        measure, part = np.nonzero((columns >= system.width) & (local != 0.0))
        place = columns[measure, part] - system.width
        return sp.csr_array((local[measure, part], (measure, place)), shape=(len(columns), system.coordinates))

    @cached_property
    def gradients(self) -> sp.csr_array:
        """jac of all measures."""
        return self.matrix(self.jac)

    def curvature(self, weights: np.ndarray) -> sp.csr_array:
        """sum_m w_m D jac_m^T: the stiffness of forces w along all measures."""
        system, columns = self.system, self.system.columns
        blocks = weights[:, None, None] * self.jac_q
        felt = columns >= system.width
        measure, row, column = np.nonzero((blocks != 0.0) & felt[:, :, None] & felt[:, None, :])
        places = (columns[measure, row] - system.width, columns[measure, column] - system.width)
        size = system.coordinates
        return sp.csr_array((blocks[measure, row, column], places), shape=(size, size))

    def turned(self, vector: np.ndarray) -> sp.csr_array:
        """(D jac) times a vector numbered as v, as a matrix over displacements."""
        along = np.where(self.system.columns >= self.system.width, vector[self.system.columns], 0.0)
        return self.matrix(np.einsum("mcd,mc->md", self.jac_q, along))


def slopes_at(system: System, q: np.ndarray, v: np.ndarray, reference: np.ndarray, ground: bool = False) -> Slopes:
    """Differentiate all measures at a state; along displacements of ground as well, if these are asked for."""
    units, colour = _coloured(system, ground)
    width, count, nz = system.width, 1 + max(colour.values(), default=-1), len(system.measures)
    moves = bool(np.any(v))
    directions = width * count
    total = 2 * directions if moves else directions
    place, motion = q.astype(object), v.astype(object)
    _seed(system, q, colour, total, place, motion if moves else None, directions)
    geometry = _open(system.geometry)
    frames = np.full((system.geometry.body.size, system.space.marker_columns), 0.0, object)
    z, jac = np.full((nz, 3), 0.0, object), np.full((nz, 2 * width + 2), 0.0, object)
    functions = functions_of(system.geometry)
    on_duals(functions[POSITIONS])(geometry, place, reference, frames, z, jac)
    if moves:
        on_duals(functions[VELOCITIES])(geometry, motion, frames, z, jac)
    values, slopes = split(z, total)
    J, J_slopes = split(jac, total)
    which, known = _directions(system, units, colour, width)

    def along(table: np.ndarray, shift: int = 0) -> np.ndarray:
        """Of each measure the derivatives along its own columns, as a last axis."""
        index = which + shift
        if table.ndim == 3:
            return np.where(known[:, None, :], np.take_along_axis(table, index[:, None, :], 2), 0.0)
        return np.where(known, np.take_along_axis(table, index, 1), 0.0)

    return Slopes(
        *(system, values, J, along(slopes[:, 0]), along(J_slopes), along(slopes[:, 1]), along(slopes[:, 2])),
        along(slopes[:, 2], directions) if moves else np.zeros_like(J),
        np.array([[unit == 0 for unit in line] for line in units], bool).reshape(J.shape),
    )


def inertia_slopes(system: System, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[sp.csr_array, ...]:
    """M, and the derivatives of M a + h less weight by displacements and speeds."""
    width, n = system.width, system.coordinates
    count = 1 + len(system.bodies)
    place, motion = q.astype(object), v.astype(object)
    together = dict.fromkeys(range(count), 0)
    _seed(system, q, together, 2 * width, place, motion, width)
    matter = system.space.matter((system.model.ground, *system.bodies))
    matter[0] = 0.0
    out = np.full(v.size, 0.0, object)
    gravity = np.array(system.model.gravity, float)
    inertia = on_duals(functions_of(system.geometry)[INERTIA])
    inertia(_open(system.geometry), matter.astype(object), gravity, place, motion, a.astype(object), out)
    _, slopes = split(out[width : width * count], 2 * width)
    blocks = -slopes.reshape(count - 1, width, 2 * width)
    mass = np.zeros((count, width * (width + 1) // 2))
    mass_blocks(system.geometry, matter, q, mass)
    found = (mass_matrices(system, mass), blocks[:, :, :width], blocks[:, :, width:])
    return tuple(_diagonal(part, n) for part in found)


def _diagonal(blocks: np.ndarray, size: int) -> sp.csr_array:
    """Blocks along the diagonal of a matrix; own coordinates, which come last, have none."""
    count, width, _ = blocks.shape
    k, i, j = np.nonzero(blocks)
    return sp.csr_array((blocks[k, i, j], (width * k + i, width * k + j)), shape=(size, size))


def _units(system: System) -> list[list[int | None]]:
    """For each measure and column of its jac: the body, or an own coordinate counted behind all bodies, or None."""
    first, width = 1 + len(system.bodies), system.width
    own = {id(c): first + k for k, c in enumerate(system.own)}
    found = []
    for measure in system.measures:
        ends: list[int | None] = [None if m is None else system.body_number(m.body) for m in (measure.a, measure.b)]
        runs = [None if m is None else own.get(id(m.own)) for m in (measure.a, measure.b)]
        if ends[0] == ends[1]:  # what moves both ends is counted once
            ends[0] = None
        if runs[0] == runs[1]:
            runs[0] = None
        found.append([ends[0]] * width + [ends[1]] * width + runs)
    return found


def _coloured(system: System, ground: bool) -> tuple[list[list[int | None]], dict[int, int]]:
    """The units of all measures, and for each unit a number that none with which it shares a measure has."""
    units = _units(system)
    near: dict[int, set[int]] = {}
    for line in units:
        members = {unit for unit in line if unit is not None and (ground or unit != 0)}
        for unit in members:
            near.setdefault(unit, set()).update(members - {unit})
    colour: dict[int, int] = {}
    for unit in sorted(near, key=lambda u: -len(near[u])):
        taken = {colour[other] for other in near[unit] if other in colour}
        colour[unit] = next(k for k in range(len(taken) + 1) if k not in taken)
    return units, colour


def _seed(
    system: System,
    q: np.ndarray,
    colour: dict[int, int],
    total: int,
    place: np.ndarray,
    motion: np.ndarray | None,
    shift: int,
) -> None:
    """Make dual numbers of positions, and of speeds, whose directions begin at `shift`."""
    width, stored, bodies = system.width, system.space.stored, 1 + len(system.bodies)
    rates = np.zeros((width, q.size))
    for i, rate in enumerate(rates):
        along = np.zeros(system.speeds().size)
        along[i : width * bodies : width] = 1.0
        position_rates(system.geometry, q, along, rate)
    for unit, k in colour.items():
        if unit < bodies:
            for c in range(stored * unit, stored * (unit + 1)):
                d = np.zeros(total)
                d[width * k : width * (k + 1)] = rates[:, c]
                place[c] = Dual(float(q[c]), d)
            speeds = range(width * unit, width * (unit + 1))
        else:
            c = stored * bodies + unit - bodies
            place[c] = Dual(float(q[c]), _one(total, width * k))
            speeds = range(width * bodies + unit - bodies, width * bodies + unit - bodies + 1)
        if motion is not None:
            for i, c in enumerate(speeds):
                motion[c] = Dual(float(motion[c]), _one(total, shift + width * k + i))


def _one(size: int, place: int) -> np.ndarray:
    line = np.zeros(size)
    line[place] = 1.0
    return line


def _directions(
    system: System, units: list[list[int | None]], colour: dict[int, int], width: int
) -> tuple[np.ndarray, np.ndarray]:
    """For each measure and column: its direction, and whether it has one."""
    within = [*range(width), *range(width), 0, 0]
    shape = (len(system.measures), 2 * width + 2)
    which, known = np.zeros(shape, np.int64), np.zeros(shape, bool)
    for m, line in enumerate(units):
        for c, unit in enumerate(line):
            if unit is not None and unit in colour:
                which[m, c], known[m, c] = width * colour[unit] + within[c], True
    return which, known


def _open(tables: Any) -> Any:
    """The tables of a geometry as plain Python reads them, with scratch memory that takes any number."""
    tables = tables.tables if isinstance(tables, Block) else tables
    changed = {}
    for name, value in zip(tables._fields, tables, strict=True):
        if not isinstance(value, np.ndarray):
            changed[name] = _open(value)
        elif name in TABLES_OF_OBJECTS:
            changed[name] = value.astype(object)
    return tables._replace(**changed)
