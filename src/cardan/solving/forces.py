"""Forces of a page: their tables, and how they follow parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.closing import vectors
from cardan.analysis.forward.events.mode_switching import watches
from cardan.analysis.loads.cartesian import spare_rows
from cardan.analysis.loads.known_motion import motion_tables
from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.errors import CardanError, ModelError
from cardan.model.measure import Measure
from cardan.model.parameter import changed
from cardan.numerics.compiled.block import block, replaced
from cardan.results.columns import Columns
from cardan.results.engagement_history import pieces
from cardan.results.reaction import Reaction
from cardan.results.trajectory import Trajectory
from cardan.solving.force_kernels import LOCAL, MULTIPLIER, STRENGTH, Forces
from cardan.solving.parameter_kernels import follow_of
from cardan.solving.parameters import Range, beside
from cardan.study.batch.tables import gathered
from cardan.study.job import Job
from cardan.system.cartesian.numbers import Law, floats, law_of, probes, structure
from cardan.system.compile import compile
from cardan.system.forces import force_table
from cardan.system.system import System


class ForceNumbers(NamedTuple):
    """Everything about forces that parameters may change."""

    matter: np.ndarray
    gravity: np.ndarray
    table: Any
    point: np.ndarray
    axes: np.ndarray
    unit: np.ndarray
    factor: np.ndarray

    def arrays(self) -> list[np.ndarray]:
        return [self.matter, self.gravity, *floats(self.table), self.point, self.axes, self.unit, self.factor]


class ForcePlan:
    """Which forces a page computes: reactions of all joints and drivers, and curves."""

    def __init__(self, run: Trajectory, curves: Sequence[str]) -> None:
        if watches(run.model):
            raise ModelError("elements switch, at other times after a change")
        found = list(pieces(run))
        if len(found) != 1 or run.system.misfits:
            raise ModelError("joints switch, or redundant ones do not fit exactly")
        toothed = next((element for element in run.system.elements if element.forces()), None)
        if toothed is not None:
            raise ModelError(f"{toothed.title} has teeth")
        bent = next((e for e in run.system.listed if any(b.modal_coordinates for b in e.bodies())), None)
        if bent is not None:
            raise ModelError(f"{bent.title} is attached to a flexible body")
        self.run, self.active = run, found[0].active.copy()
        self.elements: list[Any] = list(run.system.listed)
        self.pushing = _pushing(run)
        columns = Columns(run.system, forces=True)
        self.curves: list[str] = []
        self.source: list[tuple[int, int, int]] = []
        for name in curves:
            line = self._line(columns, name)
            if line is not None:
                self.curves.append(name)
                self.source.append(line)

    def _line(self, columns: Columns, name: str) -> tuple[int, int, int] | None:
        column, axes = columns[name], self.run.system.space.dimensions
        if column.law is not None:
            return STRENGTH, column.law, 0
        if column.reaction is not None:
            element, k = column.reaction
            component = k if k < axes else 5 if axes == 2 else k
            return LOCAL, self.elements.index(element), component
        if column.constraint_force is not None:
            rows = self.run.system.rows_of(column.constraint_force)
            return (MULTIPLIER, int(rows[0]), 0) if rows.size == 1 else None
        return None

    def numbers(self, system: System) -> ForceNumbers:
        """The numbers of a system of the model as it is stated now."""
        space, count = system.space, len(self.elements)
        matter = system.matter()
        point, axes = np.zeros((count, 3)), np.zeros((count, 3, 3))
        for k, element in enumerate(self.elements):
            reaction, d = Reaction(self.run, element), space.dimensions
            point[k, :d] = _seen(space, reaction.marker)[0]
            axes[k] = np.eye(3)
            if reaction.frame == "joint":
                axes[k, :d, :d] = _seen(space, element.a)[1]
        unit, factor = system.unit, system.square(self.active)[3]
        table = force_table(system, None, system.devices)
        return ForceNumbers(matter, np.array(system.model.gravity, float), table, point, axes, unit, factor)

    def numbers_at(self, job: Job, values: np.ndarray) -> ForceNumbers:
        """The numbers with these values of the parameters of a job."""
        with job.stated(values) as model:
            return self.numbers(compile(model, forces=True, time=float(self.run.times[0])))

    def law(self, ranges: Sequence[Range]) -> Law | None:
        """How the numbers follow parameters; None if they do not, or a function runs in the interpreter."""
        model, time = self.run.model, float(self.run.times[0])
        low, high, first = beside(ranges)
        designs = probes(low, high, first)
        tables: list[np.ndarray | None] = []
        lengths: list[float] = []
        form = b""
        try:
            for design in designs:
                with changed(model, dict(zip([one.parameter for one in ranges], design.tolist(), strict=True))):
                    system = compile(model, forces=True, time=time)
                    numbers = self.numbers(system)
                form = form or structure(numbers.table)
                tables.append(gathered(numbers.arrays()) if structure(numbers.table) == form else None)
                lengths.append(system.length)
        except CardanError:
            return None
        known = np.array([length for length, table in zip(lengths, tables, strict=True) if table is not None])
        return law_of(designs, tables, lengths, lambda varied, base: lambda found: known)


def force_plan(run: Trajectory, curves: Sequence[str]) -> tuple[ForcePlan | None, str]:
    """The forces that a page computes again after a change; None if it cannot, and why."""
    try:
        return ForcePlan(run, curves), ""
    except ModelError as error:
        return None, str(error)


class ForceTables:
    """The block of forces on the tables of an analysis."""

    def __init__(
        self,
        plan: ForcePlan,
        law: Law,
        numbers: ForceNumbers,
        system: System,
        bodies: Any,
        poses: np.ndarray,
        motion: Sequence[np.ndarray],
    ) -> None:
        """On `bodies` and the stated poses of an analysis; `motion` has times, q, v, a, turns and states."""
        run, count, speeds, found = plan.run, motion[0].size, system.width, len(plan.elements)
        work = replaced(system.work(plan.active), unit=numbers.unit, factor=numbers.factor)
        reactions = [Reaction(run, element) for element in plan.elements]
        loaded = [system.body_number(reaction.body) for reaction in reactions]
        joints = [
            r.element if isinstance(r.element, TwoMarkerJoint) and r.frame == "joint" else None for r in reactions
        ]
        frames = [0 if joint is None else system.body_number(joint.a.body) for joint in joints]
        selected = [(row, k, speeds * loaded[k]) for k, e in enumerate(plan.elements) for row in system.rows_of(e)]
        place = np.concatenate(
            [array.ctypes.data + 8 * np.arange(array.size, dtype=np.uint64) for array in numbers.arrays()]
        )
        self.numbers, self.plan = numbers, plan
        self.block: Any = block(
            Forces(
                follow=follow_of(law, place[law.varied], system, poses),
                motion=motion_tables(system, motion, numbers.matter, numbers.gravity, numbers.table),
                bodies=replaced(bodies, active=plan.active, work=work, vectors=vectors(system)),
                spare=spare_rows(system, np.flatnonzero(plan.active == 0)),
                columns=system.columns.astype(np.uint32),
                selected=np.array(selected, np.int64).reshape(-1, 3),
                generalized=np.zeros((count, found, speeds)),
                body=np.array(loaded, np.uint32),
                point=numbers.point,
                frame=np.array(frames, np.uint32),
                axes=numbers.axes,
                world=np.zeros((count, found, 6)),
                local=np.zeros((count, found, 6)),
                source=np.array(plan.source, np.uint32).reshape(-1, 3),
                curves=np.zeros((count, len(plan.curves))),
                turn=np.zeros((3, 3)),
            )
        )


def _pushing(run: Trajectory) -> list[tuple[str, int, float]]:
    """Contacts that can only push: title, row, and the sign that their force must have."""
    found: list[tuple[str, int, float]] = []
    for element in run.system.elements:
        rows = {run.system.equations[r].label: int(r) for r in run.system.rows_of(element)}
        for label, sign in element.presses():
            side = np.sign(run[sign].value if isinstance(sign, Measure) else np.array([sign]))
            if (side != side[0]).any():
                raise ModelError(f"the side on which {element.title} pushes changes")
            found.append((element.title, rows[label], -float(side[0])))
    return found


def _seen(space: Any, marker: Any) -> tuple[np.ndarray, np.ndarray]:
    """Point and axes of a marker in the frame of its body."""
    here = np.zeros((1, space.stored))
    if space.dimensions == 3:
        here[0, 3] = 1.0
    points, axes = space.frame(marker, here)
    return points[0], axes[0]
