"""Exact derivatives of all measures at one state, and of rotors, by running the kernels on dual numbers.

For a measure with columns c of its jac (two bodies, two internal coordinates), where D_c is the derivative along the
displacement of column c (in space a rotation about a body axis),

    value_q = D_c z      jac_q = D_c jac      rate_q = D_c (jac v)      bias_q, bias_v = D_c, d/dv_c of (jac)' v

Many measures of common kinds run compiled, see `linear.common_measures`; here the interpreter runs the kernels of all
others. Measures that repeat between other markers run together (`repeated_measures`). Of the rest, bodies without a
common measure are displaced together: a chain of any length costs as many directions as two of its links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from cardan.analysis.linear.common_measures import Usual
from cardan.analysis.linear.repeated_measures import POSITIONS, VELOCITIES, MeasureGroups, unit_rates
from cardan.model.measure import Measure
from cardan.model.space import functions_of, position_pass, velocity_pass
from cardan.numerics.autodiff.dual import Dual, on_duals, split
from cardan.numerics.compiled.block import tables_of
from cardan.numerics.compiled.indirect import function_at
from cardan.system.system import System

TABLES_OF_OBJECTS = ("scratch", "local")
OF_ROTOR = ("body", "kind", "inertia", "axis", "point")  # tables of rotors with a line for each


@dataclass
class Interpreted:
    """Derivatives of some measures with respect to their L columns: see `Space.row_length`."""

    value_q: np.ndarray  # [nz, L]
    jac_q: np.ndarray  # [nz, L, L]: the last axis is the displacement
    rate_q: np.ndarray  # [nz, L]
    bias_q: np.ndarray  # [nz, L]
    bias_v: np.ndarray  # [nz, L]


class Slopes:
    """Derivatives of all measures with respect to their columns, with the shapes of `Interpreted`."""

    def __init__(self, system: System, usual: Usual, state: Sequence[np.ndarray], z: Any, jac: Any, ground: bool):
        """`state` is q, v and the turns of angles, where z and jac are known."""
        self.system, self.usual, self.z, self.jac = system, usual, z, jac
        self.q, self.v, self.reference = state
        self.rest = usual.rest
        self.interpreted = _interpreted(system, usual.alike, self.rest, (self.q, self.v, self.reference), ground)

    @cached_property
    def value_q(self) -> np.ndarray:
        found = self.jac.copy()  # equal to jac, except for measures without a value
        found[self.rest] = self.interpreted.value_q
        return found

    @cached_property
    def jac_q(self) -> np.ndarray:
        parts = [piece.slopes(piece.bent) for piece in self.usual.bent(self.q, self.reference)]
        return self._joined(parts, self.interpreted.jac_q)

    @cached_property
    def rate_q(self) -> np.ndarray:
        along = np.where(self.system.columns >= self.system.width, self.v[self.system.columns], 0.0)
        found = np.einsum("mcd,mc->md", self.jac_q, along)
        found[self.rest] = self.interpreted.rate_q
        return found

    @property
    def bias_q(self) -> np.ndarray:
        return self._biases[0]

    @property
    def bias_v(self) -> np.ndarray:
        return self._biases[1]

    @cached_property
    def _biases(self) -> tuple[np.ndarray, np.ndarray]:
        rest = self.interpreted.bias_q, self.interpreted.bias_v
        if not (self.usual.pieces and np.any(self.v)):
            return self._joined([], rest[0]), self._joined([], rest[1])
        by_place, by_speed = self.usual.biases(self.q, self.v, self.reference)
        return self._joined([by_place], rest[0]), self._joined([by_speed], rest[1])

    def _joined(self, usual: list[np.ndarray], rest: np.ndarray) -> np.ndarray:
        """A table of all measures, zero for common measures unless given."""
        found = np.zeros((len(self.system.measures), *rest.shape[1:]))
        if usual:
            found[self.usual.measures] = np.concatenate(usual)
        found[self.rest] = rest
        return found

    @cached_property
    def ground(self) -> np.ndarray:
        """bool[nz, L]: columns of ends on ground."""
        units = _units(self.system, self.system.measures)
        return np.array([[unit == 0 for unit in line] for line in units], bool).reshape(self.jac.shape)

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
        """sum_m w_m D jac_m^T of the interpreted measures: the stiffness of forces w along them."""
        system, columns = self.system, self.system.columns[self.rest]
        blocks = weights[self.rest, None, None] * self.interpreted.jac_q
        felt = columns >= system.width
        measure, row, column = np.nonzero((blocks != 0.0) & felt[:, :, None] & felt[:, None, :])
        places = (columns[measure, row] - system.width, columns[measure, column] - system.width)
        size = system.coordinates
        return sp.csr_array((blocks[measure, row, column], places), shape=(size, size))

    def turned(self, vector: np.ndarray) -> sp.csr_array:
        """(D jac) times a vector numbered as v, as a matrix over displacements."""
        along = np.where(self.system.columns >= self.system.width, vector[self.system.columns], 0.0)
        return self.matrix(np.einsum("mcd,mc->md", self.jac_q, along))


def slopes_at(
    system: System,
    q: np.ndarray,
    v: np.ndarray,
    reference: np.ndarray,
    ground: bool = False,
    usual: Usual | None = None,
    work: Any = None,
) -> Slopes:
    """Differentiate all measures at a state; optionally also along displacements of ground.

    `work`, if given, was last evaluated at this state.
    """
    if work is None:
        work = system.work()
        position_pass(system.geometry, q, reference, work.frames, work.z, work.jac)
        velocity_pass(system.geometry, v, work.frames, work.z, work.jac)
    state = q.copy(), v.copy(), reference.copy()
    return Slopes(system, usual or Usual(system), state, work.z.copy(), work.jac.copy(), ground)


def _interpreted(
    system: System, alike: MeasureGroups, rest: np.ndarray, state: Sequence[np.ndarray], ground: bool
) -> Interpreted:
    """The derivatives of the measures handled by the interpreter."""
    q, v, reference = state
    single = _one_by_one(system, [system.measures[m] for m in alike.rest], q, v, reference[alike.rest], ground)
    if not alike.groups:
        return single
    nz, size = rest.size, system.columns.shape[1]
    found = Interpreted(*(np.zeros((nz, size, size) if k == 1 else (nz, size)) for k in range(5)))
    tables = [getattr(found, field.name) for field in fields(Interpreted)]
    place = np.zeros(len(system.measures), int)
    place[rest] = np.arange(nz)
    for table, field in zip(tables, fields(Interpreted), strict=True):
        table[place[alike.rest]] = getattr(single, field.name)
    alike.fill(place, q, v, reference, ground, tables)
    return found


def _one_by_one(
    system: System, measures: Sequence[Measure], q: np.ndarray, v: np.ndarray, reference: np.ndarray, ground: bool
) -> Interpreted:
    """The derivatives of some measures by dual numbers."""
    nz, size = len(measures), system.columns.shape[1]
    if not nz:
        table = np.zeros((0, size))
        return Interpreted(table, np.zeros((0, size, size)), table, table, table)
    units, color = _colored(system, measures, ground)
    width = system.width
    moves = bool(np.any(v))
    first = _first_directions(system, color)
    directions = int(first[-1])
    total = 2 * directions if moves else directions
    place, motion = q.astype(object), v.astype(object)
    _seed(system, q, color, first, total, place, motion if moves else None, directions)
    tables = system.geometry
    if nz < len(system.measures):
        tables = system.space.geometry(
            system.number, measures, system.contact_coordinates, width * (1 + len(system.bodies))
        )
    geometry = _open(tables)
    frames = np.full((geometry.body.size, system.space.marker_columns), 0.0, object)
    z, jac = np.full((nz, 3), 0.0, object), np.full((nz, size), 0.0, object)
    functions = functions_of(system.geometry)
    on_duals(functions[POSITIONS])(geometry, place, reference, frames, z, jac)
    if moves:
        on_duals(functions[VELOCITIES])(geometry, motion, frames, z, jac)
    _, slopes = split(z, total)
    _, J_slopes = split(jac, total)
    which, known = _directions(units, color, first, width)

    def along(table: np.ndarray, shift: int = 0) -> np.ndarray:
        """The derivatives of each measure along its own columns, as a last axis."""
        index = which + shift
        if table.ndim == 3:
            return np.where(known[:, None, :], np.take_along_axis(table, index[:, None, :], 2), 0.0)
        return np.where(known, np.take_along_axis(table, index, 1), 0.0)

    by_speed = along(slopes[:, 2], directions) if moves else np.zeros((nz, size))
    return Interpreted(along(slopes[:, 0]), along(J_slopes), along(slopes[:, 1]), along(slopes[:, 2]), by_speed)


def rotor_slopes(system: System, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[sp.csr_array, sp.csr_array]:
    """The derivatives of the inertia forces of rotors, with opposite sign, as matrices over the coordinates."""
    width, size = system.width, system.coordinates
    rotors = _open(system.geometry).rotors
    force = on_duals(function_at(int(rotors.address[0])))
    entries: list[list[tuple[int, int, float]]] = [[], []]
    for n, ends in enumerate(rotors.body.tolist()):
        alone = rotors._replace(**{name: getattr(rotors, name)[n : n + 1] for name in OF_ROTOR})
        place, motion, out = q.astype(object), v.astype(object), np.full(v.size, 0.0, object)
        moving = [body for body in ends if body]
        color, total = {body: k for k, body in enumerate(moving)}, 2 * width * len(moving)
        first = width * np.arange(len(moving) + 1)
        _seed(system, q, color, first, total, place, motion, total // 2)
        force(alone, place, motion, a.astype(object), out)
        places = np.concatenate([width * (body - 1) + np.arange(width) for body in moving])
        _, slopes = split(out[width + places], total)
        for found, part in zip(entries, (slopes[:, : total // 2], slopes[:, total // 2 :]), strict=True):
            found += [(places[i], places[j], -part[i, j]) for i, j in np.argwhere(part)]
    rows = [np.array(found, float).reshape(-1, 3).T for found in entries]
    K, C = (sp.csr_array((x, (i.astype(int), j.astype(int))), shape=(size, size)) for i, j, x in rows)
    return K, C


def _units(system: System, measures: Sequence[Measure]) -> list[list[int | None]]:
    """For each measure and column of its jac: the body, an internal coordinate numbered after all bodies, or None."""
    first, width = 1 + len(system.bodies), system.width
    most = (system.columns.shape[1] - 2 * width - 2) // 2
    own = {id(c): first + k for k, c in enumerate(system.contact_coordinates)}
    found = []
    for measure in measures:
        sides = (measure.a, measure.b)
        placed = [None if measure.kind == "modal" else m for m in sides]  # modal coordinates have no body
        ends: list[int | None] = [None if m is None else system.body_number(m.body) for m in placed]
        runs = [None if m is None else own.get(id(m.contact_coordinate)) for m in sides]
        modes = [[own[id(c)] for c in m.body.modal_coordinates] if m is not None and m.modes else [] for m in sides]
        if ends[0] == ends[1]:  # a unit at both ends is counted once
            ends[0] = None
        if runs[0] == runs[1]:
            runs[0] = None
        if modes[0] == modes[1]:
            modes[0] = []
        bent = [mode for side in modes for mode in (*side, *([None] * (most - len(side))))]
        found.append([ends[0]] * width + [ends[1]] * width + runs + bent)
    return found


def _colored(
    system: System, measures: Sequence[Measure], ground: bool
) -> tuple[list[list[int | None]], dict[int, int]]:
    """The units of all measures, and a coloring in which units that share a measure differ."""
    units = _units(system, measures)
    near: dict[int, set[int]] = {}
    for line in units:
        members = {unit for unit in line if unit is not None and (ground or unit != 0)}
        for unit in members:
            near.setdefault(unit, set()).update(members - {unit})
    color: dict[int, int] = {}
    for unit in sorted(near, key=lambda u: -len(near[u])):
        taken = {color[other] for other in near[unit] if other in color}
        color[unit] = next(k for k in range(len(taken) + 1) if k not in taken)
    return units, color


def _first_directions(system: System, color: dict[int, int]) -> np.ndarray:
    """The first direction of each color, and their number: one for each speed of a body, one for other coordinates."""
    sizes = np.zeros(1 + max(color.values(), default=-1), int)
    for unit, k in color.items():
        sizes[k] = max(sizes[k], system.width if unit <= len(system.bodies) else 1)
    return np.concatenate([[0], np.cumsum(sizes)])


def _seed(
    system: System,
    q: np.ndarray,
    color: dict[int, int],
    first: np.ndarray,
    total: int,
    place: np.ndarray,
    motion: np.ndarray | None,
    shift: int,
) -> None:
    """Convert positions and speeds to dual numbers, whose directions start at `shift`."""
    width, stored, bodies = system.width, system.space.stored, 1 + len(system.bodies)
    rates = unit_rates(system, q)
    for unit, k in color.items():
        if unit < bodies:
            for c in range(stored * unit, stored * (unit + 1)):
                d = np.zeros(total)
                d[first[k] : first[k] + width] = rates[:, c]
                place[c] = Dual(float(q[c]), d)
            speeds = range(width * unit, width * (unit + 1))
        else:
            c = stored * bodies + unit - bodies
            place[c] = Dual(float(q[c]), _one(total, first[k]))
            speeds = range(width * bodies + unit - bodies, width * bodies + unit - bodies + 1)
        if motion is not None:
            for i, c in enumerate(speeds):
                motion[c] = Dual(float(motion[c]), _one(total, shift + first[k] + i))


def _one(size: int, place: int) -> np.ndarray:
    line = np.zeros(size)
    line[place] = 1.0
    return line


def _directions(
    units: list[list[int | None]], color: dict[int, int], first: np.ndarray, width: int
) -> tuple[np.ndarray, np.ndarray]:
    """The direction of each measure and column, and whether it has one."""
    shape = (len(units), len(units[0]))
    within = [*range(width), *range(width), *([0] * (shape[1] - 2 * width))]
    which, known = np.zeros(shape, np.int64), np.zeros(shape, bool)
    for m, line in enumerate(units):
        for c, unit in enumerate(line):
            if unit is not None and unit in color:
                which[m, c], known[m, c] = first[color[unit]] + within[c], True
    return which, known


def _open(tables: Any) -> Any:
    """The tables of a geometry for plain Python, with scratch memory for any type of number."""
    tables = tables_of(tables)
    changed = {}
    for name, value in zip(tables._fields, tables, strict=True):
        if not isinstance(value, np.ndarray):
            changed[name] = _open(value)
        elif name in TABLES_OF_OBJECTS:
            changed[name] = value.astype(object)
    return tables._replace(**changed)
