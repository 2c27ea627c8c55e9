"""Outputs that compiled loops read themselves: columns of bodies, points and joints, and measures.

Each is a sum of parts: a column of q, v or a, or the value, rate or acceleration of a measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.model.measure import Measure, Readable
from cardan.model.space import Quantity
from cardan.numerics.compiled.block import block
from cardan.results.columns import Columns
from cardan.study.batch.kernels import MEASURE, A, Q, Reading, V
from cardan.study.outputs import Output
from cardan.system.compile import columns_of, grouped
from cardan.system.system import System


class Part(NamedTuple):
    """A column of q, v or a, or a measure at a level, with its factor."""

    source: int
    column: int = 0
    measure: Measure | None = None
    level: int = 0
    factor: float = 1.0


def parts_of(system: System, outputs: Sequence[Output]) -> list[list[Part] | None]:
    """The parts of each output; None of one that needs the whole result."""
    columns = Columns(system, forces=False)
    return [_parts(system, output.source, columns) for output in outputs]


def measures_of(system: System, parts: Sequence[Sequence[Part]]) -> tuple[Measure, ...]:
    """The measures that outputs read, in the order of their tables."""
    return grouped(system.space, (part.measure for output in parts for part in output if part.measure is not None))


def measure_geometry(system: System, measures: Sequence[Measure]) -> Any:
    """The tables of measures alone."""
    base = system.width * (1 + len(system.bodies))
    return system.space.geometry(system.number, measures, system.own, base)


def reading(system: System, parts: Sequence[Sequence[Part]], measures: Sequence[Measure], instants: int) -> Reading:
    """What the compiled loop needs to read outputs; tables of measures are those of the system as it is stated now."""
    place = {measure: k for k, measure in enumerate(measures)}
    flat = [part for output in parts for part in output]
    base = system.width * (1 + len(system.bodies))
    columns = columns_of(system.space, system.number, measures, system.own, base)
    known = {system.measures[k]: column for column, k in enumerate(system.winding)}
    geometry = measure_geometry(system, measures)
    winding = [k for k, m in enumerate(measures) if m.kind in system.space.winding]
    lines = [(p.source, p.column if p.measure is None else place[p.measure], p.level) for p in flat]
    return Reading(
        start=np.cumsum([0, *(len(output) for output in parts)]).astype(np.uint32),
        source=np.array(lines, np.uint32).reshape(-1, 3),
        coefficient=np.array([part.factor for part in flat], float),
        geometry=geometry,
        columns=columns.astype(np.uint32),
        hint=np.array([known.get(measure, -1) for measure in measures], np.int64),
        hints=np.full((instants, len(measures)), np.nan),
        winding=np.array(winding, np.uint32),
        reference=np.full(len(measures), np.nan),
        frames=np.zeros((geometry.body.size, system.space.marker_columns)),
        jac=np.zeros(columns.shape),
        table=np.zeros((instants, len(measures), 3)),
    )


def with_geometry(tables: Reading, geometry: Any) -> Any:
    """The same for another thread, with memory of its own."""
    scratch = {name: getattr(tables, name).copy() for name in ("hints", "reference", "frames", "jac", "table")}
    return block(tables._replace(geometry=geometry, **scratch))


def _parts(system: System, source: Any, columns: Columns) -> list[Part] | None:
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


def _of_body(system: System, body: Any, quantity: Quantity, k: int) -> list[Part] | None:
    """The place of a body's column in q, v or a, found by reading random numbers, which are all different."""
    space = system.space
    sizes = (space.stored, space.width, space.width)
    random = np.random.default_rng(0)
    tables = [random.standard_normal((1, size)) for size in sizes]
    value = float(quantity.read(*tables).reshape(-1)[k])
    for source, table in zip((Q, V, A), tables, strict=True):
        if value in table:
            return [Part(source, sizes[source] * system.body_number(body) + int(np.flatnonzero(table[0] == value)[0]))]
    return None
