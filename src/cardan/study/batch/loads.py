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
from cardan.study.batch.kernels import DONE, FALLBACK, move_sample
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
        """All arrays with numbers that parameters may change, in the order in which `with_storage` takes them."""
        return [*floats(self.forces), self.matter, self.gravity, self.states]


class LoadWorkspace(NamedTuple):
    """What a thread needs beside the tables of the motion."""

    workspace: Any  # `kernels.Workspace`
    motion: Any  # `KnownMotion`: the record of the workspace, and forces
    bodies: Any  # those of the workspace, with memory of their own
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


def load_workspace(system: System, workspace: Any, tables: LoadTables, unit: np.ndarray, factor: np.ndarray) -> Any:
    """The workspace of one thread, whose tables are housed in the numbers of its samples."""
    record, active, count = workspace.record, workspace.bodies.active, workspace.times.size
    states = np.zeros((count, tables.states.size))
    motion = workspace.times, record.q, record.v, record.a, record.turns, states
    work = replaced(system.work(active), unit=unit, factor=factor)
    return block(
        LoadWorkspace(
            workspace=workspace,
            motion=motion_tables(system, motion, tables.matter, tables.gravity, tables.forces),
            bodies=replaced(workspace.bodies, work=work, vectors=vectors(system)),
            spare=spare_rows(system, np.flatnonzero(active == 0)),
            loads=np.zeros((count, len(system.laws) + system.row_count)),
        )
    )


def loads_on(system: System, workspace: Any) -> Loads:
    """The forces of the sample on a workspace."""
    motion = workspace.motion
    tables = motion.multipliers.copy(), motion.strengths.copy(), motion.touched.astype(bool), motion.signals.copy()
    return Loads(system, *tables)


@kernel
def run_loaded_samples(loaded, states, tolerances, closed, numbers, curves, status):
    """As `run_samples`, with forces; `states` are those of devices, which stay as they are."""
    workspace = loaded.workspace
    for s in range(numbers.shape[0]):
        for j in range(workspace.place.shape[0]):
            workspace.flat[workspace.place[j]] = numbers[s, j]
        status[s] = move_sample(workspace, tolerances, closed)
        if status[s] == DONE:
            status[s] = _find_loads(loaded, states)
        if status[s] == DONE:
            record, loads = workspace.record, loaded.loads
            read_parts(
                workspace.reading,
                workspace.times,
                record.q,
                record.v,
                record.a,
                record.turns,
                record.q,
                loads,
                curves[s],
            )


@kernel(internal=True)
def _find_loads(loaded, states):
    """Multipliers and forces of the motion in the record. Returns DONE or FALLBACK."""
    b, motion = loaded.workspace, loaded.motion
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
        return FALLBACK
    laws = motion.strengths.shape[1]
    for i in range(count):
        for k in range(laws):
            loaded.loads[i, k] = motion.strengths[i, k]
        for k in range(motion.multipliers.shape[1]):
            loaded.loads[i, laws + k] = motion.multipliers[i, k]
    return DONE
