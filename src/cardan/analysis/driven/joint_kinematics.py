"""A driven motion in joint coordinates; results are those of bodies, as in Cartesian coordinates."""

from __future__ import annotations

import time as clock
from collections.abc import Collection
from typing import Any

import numpy as np

from cardan.analysis.assembly.closing import Tolerances
from cardan.analysis.coordinates import Driven
from cardan.analysis.driven.joint_march import BEGIN, LOOK, joint_march, joint_record, march_tree
from cardan.analysis.driven.march import OTHERS, RUNNING
from cardan.analysis.driven.smoothness import jumps_passed
from cardan.analysis.progress import Progress
from cardan.analysis.work_limit import Patience
from cardan.errors import Interrupted
from cardan.model.element import Constraint
from cardan.numerics.linalg.rank import independent_rows
from cardan.results.special_points import Jump
from cardan.results.trajectory import Trajectory
from cardan.system.system import System
from cardan.system.tree.tables import JointTables

SLICE = 0.05  # s of computing between two updates of the progress bar and checks of the keyboard


def joint_driven_motion(
    system: System,
    q: np.ndarray,
    times: np.ndarray,
    tolerances: Tolerances,
    redundant: tuple[int, ...],
    bar: Progress,
    tree: Collection[Constraint] = (),
) -> Driven | None:
    """The motion of an assembled mechanism, with the joints in `tree` as part of the tree; None if it cannot continue,
    for Cartesian coordinates to report why."""
    tables = JointTables(system, q, system.reference, float(times[0]), tree=tree)
    record = joint_record(tables.joint, times.size, system)
    jumps: list[Jump] = []
    span = float(times[-1] - times[0]) or 1.0
    rest = tolerances, times, record
    march = _begun(tables, tables.spanning.q, float(times[0]), span, rest)
    done, budget = 0, 256
    patience = Patience(f"the motion of '{system.model.name}'", float(times[0]), float(times[-1]))
    while march is not None and done < times.size:
        begun = clock.perf_counter()
        try:
            status, done = march_tree(march, tolerances, times, done, budget, record)
            jumps += jumps_passed(system, record.junctions)
            bar.show(done)
        except KeyboardInterrupt:
            now, partial = float(march.state.clock.now), _motion(tables, times, record, done, redundant)
            partial.jumps = jumps
            message = f"interrupted at t = {now:.6g} s; .partial has the results so far"
            partial.stopped = Interrupted(message, time=now, partial=partial)
            raise partial.stopped from None
        if status != RUNNING:
            now = float(march.state.clock.now)
            march = _other(march, status, _begun(tables, march.state.q, now, span, rest))
        if march is not None:
            patience.check(float(march.state.clock.now))
        elapsed = clock.perf_counter() - begun
        budget = int(max(4, min(4 * budget, budget * SLICE / max(elapsed, 1e-6))))
    if march is None:
        return None
    run = _motion(tables, times, record, times.size, redundant)
    run.jumps = jumps
    return Driven(run, (tables, record.q))


def _motion(tables: JointTables, times: np.ndarray, record: Any, count: int, redundant: tuple[int, ...]) -> Trajectory:
    """The first `count` output times of the record."""
    motion = tables.bodies(record.q[:count], record.v[:count], record.a[:count])
    turns = tables.turns(record.q[:count], record.turns[:count])
    counts = record.iterations[:count], record.steps[:count]
    return Trajectory(tables.system, times[:count], *motion, *counts, set_aside=redundant, turns=turns)


def _begun(tables: JointTables, q: np.ndarray, time: float, span: float, rest: tuple[Any, ...]) -> Any | None:
    """A march that starts at q with the best-conditioned rows; None if there are none. If there are more cut rows than
    unknowns, the selected rows may become singular before all rows do."""
    joint, (tolerances, times, record) = tables.joint, rest
    march = joint_march(joint, q, time, span, np.zeros(0, int))
    if march_tree(march, tolerances, times, LOOK, 1, record)[0] != RUNNING:
        return None
    chosen = _independent_rows(tables)
    if chosen is None:
        return None
    march = joint_march(joint, q, time, span, chosen)
    return march if march_tree(march, tolerances, times, BEGIN, 1, record)[0] == RUNNING else None


def _other(march: Any, status: int, found: Any | None) -> Any | None:
    """The march `found`, if it has other rows; None if it is the mechanism that cannot continue."""
    if found is not None and not np.array_equal(found.chosen, march.chosen):
        return found
    march.worn_share[0] = 0.0
    return march if status == OTHERS else None


def _independent_rows(tables: JointTables) -> np.ndarray | None:
    """As many independent cut rows as there are unknowns; None if there are fewer."""
    joint = tables.joint
    unknowns = joint.unknown.astype(int)
    if unknowns.size == 0:
        return np.zeros(0, int)
    kept = independent_rows(joint.Phi[:, unknowns], joint.column_scale[unknowns], tables.row_sizes(joint.row))
    return np.sort(kept) if kept.size == unknowns.size else None
