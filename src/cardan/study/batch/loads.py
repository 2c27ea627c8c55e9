"""Forces in the compiled loop of a study: after the motion of each sample, the multipliers and forces behind it.

Outputs that are forces of drivers, springs and other elements, and reactions of joints, are read in the loop; powers
are read from the result of each sample.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.closing import vectors
from cardan.analysis.loads.cartesian import find_loads, spare_rows
from cardan.analysis.loads.known_motion import motion_tables
from cardan.numerics.compiled.block import block, replaced
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.small_lu import forget_pivots
from cardan.results.columns import Columns
from cardan.results.compiled_reading import FORCE, Part, parts_of, reaction_parts, read_parts
from cardan.results.loads import Loads
from cardan.study.batch.kernels import OTHER, PLAIN, move_sample
from cardan.system.cartesian.numbers import floats
from cardan.system.forces import force_table
from cardan.system.system import System


class LoadTables(NamedTuple):
    """Masses and forces of a design."""

    forces: Any
    matter: np.ndarray
    gravity: np.ndarray
    states: np.ndarray  # of devices

    def arrays(self) -> list[np.ndarray]:
        """All arrays with numbers that parameters may change, in the order in which `rehoused` takes them."""
        return [*floats(self.forces), self.matter, self.gravity, self.states]


class LoadBench(NamedTuple):
    """What a thread needs beside the tables of the motion."""

    bench: Any  # `kernels.Bench`
    motion: Any  # `KnownMotion`: the record of the bench, and forces
    bodies: Any  # those of the bench, with memory of their own
    spare: Any  # redundant rows
    loads: np.ndarray  # [times, laws and rows]


def load_tables(system: System) -> LoadTables:
    """The tables of a model as it is stated now."""
    forces = force_table(system, None, system.devices)
    return LoadTables(forces, system.matter(), np.array(system.model.gravity, float), system.states.start.copy())


def load_parts(system: System, source: Any, columns: Columns) -> list[Part] | None:
    """The parts of an output, forces included; None if it needs the whole result."""
    column = columns[source] if isinstance(source, str) and source in columns else None
    if column is not None and column.law is not None:
        return [Part(FORCE, column.law)]
    if column is not None and column.constraint_force is not None:
        rows = system.rows_of(column.constraint_force)
        return [Part(FORCE, len(system.laws) + int(rows[0]), factor=-1.0)] if rows.size == 1 else None
    if column is not None and column.reaction is not None:
        return reaction_parts(system, *column.reaction, lambda row: len(system.laws) + row)
    return parts_of(system, source, columns)


def load_bench(system: System, bench: Any, tables: LoadTables, unit: np.ndarray, factor: np.ndarray) -> Any:
    """The bench of one thread, whose tables are housed in the numbers of its samples."""
    record, active, count = bench.record, bench.bodies.active, bench.times.size
    states = np.zeros((count, tables.states.size))
    motion = bench.times, record.q, record.v, record.a, record.turns, states
    work = replaced(system.work(active), unit=unit, factor=factor)
    return block(
        LoadBench(
            bench=bench,
            motion=motion_tables(system, motion, tables.matter, tables.gravity, tables.forces),
            bodies=replaced(bench.bodies, work=work, vectors=vectors(system)),
            spare=spare_rows(system, np.flatnonzero(active == 0)),
            loads=np.zeros((count, len(system.laws) + system.row_count)),
        )
    )


def loads_on(system: System, bench: Any) -> Loads:
    """The forces of the sample on a bench."""
    motion = bench.motion
    tables = motion.multipliers.copy(), motion.strengths.copy(), motion.touched.astype(bool), motion.signals.copy()
    return Loads(system, *tables)


@kernel
def run_loaded_samples(loaded, states, tolerances, closed, numbers, curves, status):
    """As `run_samples`, with forces; `states` are those of devices, which stay as they are."""
    bench = loaded.bench
    for s in range(numbers.shape[0]):
        for j in range(bench.place.shape[0]):
            bench.flat[bench.place[j]] = numbers[s, j]
        status[s] = move_sample(bench, tolerances, closed)
        if status[s] == PLAIN:
            status[s] = _find_loads(loaded, states)
        if status[s] == PLAIN:
            record, loads = bench.record, loaded.loads
            read_parts(
                bench.reading, bench.times, record.q, record.v, record.a, record.turns, record.q, loads, curves[s]
            )


@kernel(internal=True)
def _find_loads(loaded, states):
    """Multipliers and forces of the motion in the record. Returns PLAIN or OTHER."""
    b, motion = loaded.bench, loaded.motion
    count = b.times.shape[0]
    for i in range(count):
        for k in range(states.shape[0]):
            motion.states[i, k] = states[k]
    forget_pivots(loaded.bodies.work.square)
    for r in range(motion.touched.shape[0]):
        motion.touched[r] = 0
    for m in range(b.reference.shape[0]):
        motion.reference[m] = b.reference[m]
    reached, status = find_loads(motion, 0, count, loaded.bodies, loaded.spare)
    if status or reached < count:
        return OTHER
    laws = motion.strengths.shape[1]
    for i in range(count):
        for k in range(laws):
            loaded.loads[i, k] = motion.strengths[i, k]
        for k in range(motion.multipliers.shape[1]):
            loaded.loads[i, laws + k] = motion.multipliers[i, k]
    return PLAIN
