"""Columns of results that compiled loops read without Python: bodies, points, joints, measures, forces and signals.

    value = sum_e c_e part_e        a part is a number of q, v, a or y, a measure at a level, a force, or a product

Studies and steppers use it; columns that need the whole result, such as powers, have no parts.

Reactions of joints are products of multipliers and direction cosines, the virtual work of a joint's rows when b is
moved along an axis of a, or turned about one at its marker:

    row along a global axis j       force along a_k:  -lambda (a_k . e_j)
    row along an axis i of a        force along a_k:  -lambda if i = k
    a_i . b_j                       torque about a_k: -lambda (a_i x a_k) . b_j
    planar angle                    torque:           -lambda
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.model.element import Constraint
from cardan.model.measure import Measure, Readable
from cardan.model.space import Quantity
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.results.columns import Columns
from cardan.results.motion_kernels import measures_along
from cardan.system.compile import columns_of, grouped
from cardan.system.system import System

if TYPE_CHECKING:
    from cardan.model.body import RigidBody

Q, V, A, MEASURE, Y, FORCE, TIME, PRODUCT = range(8)  # sources of a part
CYCLIC = ("xyz", "yzx", "zxy")


class Part(NamedTuple):
    """A number of q, v, a, y or of the forces, or a measure at a level, with its factor; PRODUCT: the value of a
    measure times the force in the column `level`."""

    source: int
    column: int = 0
    measure: Measure | None = None
    level: int = 0
    factor: float = 1.0


class Hint(NamedTuple):
    """The value of an angle, up to less than half a turn: constant + sum of factors times angles that are followed, or
    times numbers of y."""

    terms: tuple[tuple[float, int, bool], ...]  # factor, column of the turns or place in y, and whether it is of y
    constant: float = 0.0


class Reading(NamedTuple):
    """Output o adds up the parts start[o] .. start[o + 1]."""

    start: np.ndarray  # uint32
    source: np.ndarray  # uint32[parts, 3]: Q, V, A .., the column or measure, and the measure's level
    coefficient: np.ndarray
    geometry: Any  # tables of the measures alone
    columns: np.ndarray
    hint_start: np.ndarray  # uint32[measures + 1]: terms of the value near which an angle is; none: it is counted
    hint_term: np.ndarray  # uint32[terms, 2]: column of the turns, or place in y; 1 if it is of y
    hint_factor: np.ndarray  # float64[terms]
    hint_constant: np.ndarray  # float64[measures]
    hints: np.ndarray
    winding: np.ndarray
    reference: np.ndarray
    frames: np.ndarray
    jac: np.ndarray
    table: np.ndarray


def measures_of(system: System, parts: Sequence[Sequence[Part]]) -> tuple[Measure, ...]:
    """The measures that outputs read, in the order of their tables."""
    return grouped(system.space, (part.measure for output in parts for part in output if part.measure is not None))


def measure_geometry(system: System, measures: Sequence[Measure]) -> Any:
    """The tables of measures alone."""
    base = system.width * (1 + len(system.bodies))
    return system.space.geometry(system.number, measures, system.contact_coordinates, base)


def reading(
    system: System,
    parts: Sequence[Sequence[Part]],
    times: int,
    hint: Callable[[Measure], Hint | None] | None = None,
) -> Reading:
    """The tables that read so many output times; those of measures are of the system as it is stated now.

    `hint` returns the value near which an angle is; by default only angles that the system follows have one.
    """
    measures = measures_of(system, parts)
    place = {measure: k for k, measure in enumerate(measures)}
    flat = [part for output in parts for part in output]
    base = system.width * (1 + len(system.bodies))
    columns = columns_of(system.space, system.number, measures, system.contact_coordinates, base)
    known = {system.measures[k]: column for column, k in enumerate(system.winding)}
    geometry = measure_geometry(system, measures)
    winding = [k for k, m in enumerate(measures) if m.kind in system.space.winding]
    lines = [(p.source, p.column if p.measure is None else place[p.measure], p.level) for p in flat]
    if hint is None:
        hints = [Hint(((1.0, known[m], False),)) if m in known else None for m in measures]
    else:
        hints = [hint(m) if m.kind in system.space.winding else None for m in measures]
    terms = [term for one in hints if one is not None for term in one.terms]
    return Reading(
        start=_starts(len(output) for output in parts),
        source=np.array(lines, np.uint32).reshape(-1, 3),
        coefficient=np.array([part.factor for part in flat], float),
        geometry=geometry,
        columns=columns.astype(np.uint32),
        hint_start=_starts(0 if one is None else len(one.terms) for one in hints),
        hint_term=np.array([(column, of_y) for _, column, of_y in terms], np.uint32).reshape(-1, 2),
        hint_factor=np.array([factor for factor, _, _ in terms], float),
        hint_constant=np.array([0.0 if one is None else one.constant for one in hints], float),
        hints=np.full((times, len(measures)), np.nan),
        winding=np.array(winding, np.uint32),
        reference=np.full(len(measures), np.nan),
        frames=np.zeros((geometry.body.size, system.space.marker_columns)),
        jac=np.zeros(columns.shape),
        table=np.zeros((times, len(measures), 3)),
    )


def with_geometry(tables: Reading, geometry: Any) -> Any:
    """The same for another thread, with memory of its own."""
    scratch = {name: getattr(tables, name).copy() for name in ("hints", "reference", "frames", "jac", "table")}
    return block(tables._replace(geometry=geometry, **scratch))


def parts_of(system: System, source: Any, columns: Columns) -> list[Part] | None:
    """The parts of a measure, or of a column of bodies, points and joints; None of one that needs the whole result."""
    if isinstance(source, Readable):
        return _of_measure(source, 0)
    if not isinstance(source, str) or source not in columns:
        return None
    column = columns[source]
    if column.body is not None:
        return _of_body(system, *column.body)
    return None if column.measure is None else _of_measure(*column.measure)


def _of_measure(readable: Readable, level: int) -> list[Part] | None:
    parts = readable.parts()
    if any(measure.kind in Measure.TOUCHES for _, measure in parts):
        return None  # the second derivative of what surfaces do is not known
    return [Part(MEASURE, 0, measure, level, factor) for factor, measure in parts]


def _of_body(system: System, body: RigidBody, quantity: Quantity, k: int) -> list[Part] | None:
    """The place of a body's column in q, v or a, found by reading random numbers, which are all different.

    None if it combines several, as angular velocities in global axes do.
    """
    space = system.space
    sizes = (space.stored, space.width, space.width)
    random = np.random.default_rng(0)
    tables = [random.standard_normal((1, size)) for size in sizes]
    tables[0][:, space.dimensions :] /= np.linalg.norm(tables[0][:, space.dimensions :])  # Euler parameters are a unit
    value = float(quantity.read(*tables).reshape(-1)[k])
    for source, table in zip((Q, V, A), tables, strict=True):
        if value in table:
            return [Part(source, sizes[source] * system.body_number(body) + int(np.flatnonzero(table[0] == value)[0]))]
    level = {"angular_velocity": 1, "angular_acceleration": 2}.get(quantity.name)
    if level is None or space.dimensions == 2:
        return None
    return [Part(MEASURE, 0, Measure("turn", None, body.at(), "xyz"[k]), level)]


def reaction_parts(system: System, joint: Constraint, component: int, force: Callable[[int], int]) -> list[Part] | None:
    """The parts of a joint reaction, forces first; `force` returns the column of the multiplier of a row.

    None if the joint has rows along other measures, or ends that deform or move along curves.
    """
    if not isinstance(joint, TwoMarkerJoint) or any(m.modes or m.contact_coordinate for m in (joint.a, joint.b)):
        return None
    flat = system.space.dimensions
    axis, turning = "xyz"[component % flat] if component < flat else "z", component >= flat
    if turning and flat == 3:
        axis = "xyz"[component - 3]
    found: list[Part] = []
    for row, equation in zip(system.rows_of(joint).tolist(), joint.equations(), strict=True):
        if equation.function is not None:
            return None
        for factor, measure in equation.terms:
            if measure.a is not joint.a or measure.b is not joint.b:
                return None
            parts = _turning(measure, axis) if turning else _pushing(system, measure, axis)
            if parts is None:
                return None
            column = force(row)
            for share, cosine in parts:
                one = Part(FORCE, column) if cosine is None else Part(PRODUCT, 0, cosine, column)
                found.append(one._replace(factor=-factor * share))
    return found


def _pushing(system: System, measure: Measure, axis: str) -> list[tuple[float, Measure | None]] | None:
    """The rate of a measure as its b moves along an axis of a: factors, and direction cosines where they vary."""
    if measure.kind == "coordinate":
        assert measure.a is not None
        return [(1.0, Measure("dot", system.model.ground.at(), measure.a, measure.axes + axis))]
    if measure.kind == "component":
        return [(1.0, None)] if measure.axes == axis else []
    return [] if measure.kind in ("dot", "angle") else None


def _turning(measure: Measure, axis: str) -> list[tuple[float, Measure | None]] | None:
    """The same as b turns about an axis of a at its own marker."""
    if measure.kind in ("coordinate", "component"):
        return []
    if measure.kind == "dot":
        i, j = measure.axes[0], measure.axes[1]
        if i == axis:
            return []
        (third,) = set("xyz") - {i, axis}
        sign = 1.0 if i + axis + third in CYCLIC else -1.0
        return [(sign, Measure("dot", measure.a, measure.b, third + j))]
    return [(1.0, None)] if measure.kind == "angle" and not measure.axes else None


def _starts(counts: Any) -> np.ndarray:
    return np.cumsum([0, *counts]).astype(np.uint32)


@kernel(internal=True)
def read_parts(reading, times, q, v, a, turns, y, forces, curves):
    """curves[i, o] = output o at output time i, from rows of positions, velocities, accelerations, turns of angles, y
    and forces."""
    measures = reading.hint_constant.shape[0]
    if measures > 0:
        _find_hints(reading, turns, y)
        measures_along(
            reading.geometry, reading.columns, times, q, v, a, reading.hints, reading.winding, reading.reference,
            reading.frames, reading.jac, reading.table,
        )  # fmt: skip
    source = reading.source
    for o in range(reading.start.shape[0] - 1):
        for i in range(times.shape[0]):
            total = 0.0
            for e in range(reading.start[o], reading.start[o + 1]):
                kind, column = source[e, 0], source[e, 1]
                if kind == Q:
                    part = q[i, column]
                elif kind == V:
                    part = v[i, column]
                elif kind == A:
                    part = a[i, column]
                elif kind == MEASURE:
                    part = reading.table[i, column, source[e, 2]]
                elif kind == Y:
                    part = y[i, column]
                elif kind == FORCE:
                    part = forces[i, column]
                elif kind == PRODUCT:
                    part = reading.table[i, column, 0] * forces[i, source[e, 2]]
                else:
                    part = times[i]
                total += reading.coefficient[e] * part
            curves[i, o] = total


@kernel(internal=True)
def _find_hints(reading, turns, y):
    """Values near which angles are; the others are counted from one output time to the next."""
    start, term, factor = reading.hint_start, reading.hint_term, reading.hint_factor
    for m in range(reading.hint_constant.shape[0]):
        reading.reference[m] = np.nan
        if start[m] == start[m + 1]:
            continue
        for i in range(turns.shape[0]):
            value = reading.hint_constant[m]
            for k in range(start[m], start[m + 1]):
                value += factor[k] * (y[i, term[k, 0]] if term[k, 1] else turns[i, term[k, 0]])
            reading.hints[i, m] = value
