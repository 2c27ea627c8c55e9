"""task_space(model, measures): the equations of motion of a mechanism, seen along a set of measures.

    M a + b + g + Phi^T lambda = tau + B^T f      Phi a = gamma          joint coordinates of a spanning tree
    x' = J v                                      x'' = J a + J' v       the measures

With a basis Z of the speeds that constraints allow, Phi Z = 0, and Y = Z (Z^T M Z)^-1 Z^T, which is M^-1 in a tree:

    Lambda = (J Y J^T)^-1        task-space inertia                       (Khatib 1987; De Sapio 5.6)
    Jbar   = Y J^T Lambda        dynamically consistent inverse, J Jbar = 1
    N      = (1 - Jbar J) Y M    null-space projector: J N = 0; N^T tau does not accelerate the task

    Lambda x'' + mu + p = F + Jbar^T B^T f,       tau = J^T F + N^T tau_0
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cardan.analysis.assembly.assemble import assembled
from cardan.analysis.assembly.initial_conditions import start_of
from cardan.analysis.coordinates import require_joints
from cardan.analysis.joint.equations import JointEquations
from cardan.analysis.task_space.task_inertia import TaskSpace
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.element import Constraint, Equation
from cardan.model.measure import Measure, Readable, readable, require_terms
from cardan.model.model import Model
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory
from cardan.system.compile import compile
from cardan.system.tree.tables import JointTables


def task_space(
    model: Model,
    measures: Sequence[Readable],
    *,
    at: Snapshot | tuple[Trajectory, float] | None = None,
    cut: Sequence[Constraint] = (),
    tree: Sequence[Constraint] = (),
) -> TaskSpace:
    """Inertia, Jacobian, consistent inverse, null-space projector, velocity terms and gravity along measures.

    Measures are of any kind, also rates such as `angular_velocity_about(ground, hand, "z")`. `at` is a snapshot or
    (run, time), by default the stated state. Drivers are released; closed loops stay closed, and the result is that of
    motions on which they are. Speeds and torques are those of `joint_space(model, cut=cut, tree=tree)`.

    Raises `ModelError` if the measures depend on each other at this position, as at the end of the workspace.

    >>> from cardan import task_space
    >>> from cardan.planar import Body, Model, Revolute, Translational, x
    >>> model = Model("crane", gravity=(0, -10))
    >>> trolley = model.add(Body(mass=3.0, inertia=1.0), name="trolley")
    >>> load = model.add(Body(mass=2.0, inertia=0.0, position=(0, -4), center=(0, 0)), name="load")
    >>> rail = model.add(Translational(model.ground.at(), trolley.at()), name="rail")
    >>> rope = model.add(Revolute(trolley.at(), load.at(0, 4)), name="rope")
    >>> task = task_space(model, [x(load.at())])
    >>> task.inertia.round(9).tolist()               # pushed at its end, a hanging rope does not move the trolley
    [[2.0]]
    >>> task.inverse.round(9).tolist(), task.speeds
    ([[0.0], [0.25]], ('rail.travel', 'rope.angle'))
    """
    check.instance(model, Model, "the model of task_space()")
    rows = [_TaskRow(measure) for measure in _measures(measures)]
    for row in rows:
        row.check()
    for name, joints in (("cut", cut), ("tree", tree)):
        require_joints(joints, name, f"a joint in {name} of task_space()")
    state = _state(at)
    time = 0.0 if state is None else state.time
    start = None if state is None else state.as_start(model)
    plain = compile(model, drivers=False, forces=True, time=time, start=start)
    for element in plain.elements:
        if element.contact_coordinates():
            raise ModelError(f"{element.title} has a contact coordinate, which task_space() does not support")
    for row in rows:
        for body in row.bodies():
            plain.body_number(body)  # raises for a body of another model
    q, reference = assembled(plain, time)
    begun = start_of(plain, q, reference)
    system = compile(model, rows, drivers=False, forces=True, time=time, start=begun)
    system.rows.offset[: plain.row_count] = plain.rows.offset
    every = range(system.row_count)
    tables = JointTables(system, q, system.reference, time, cut=cut, kept=every, tree=tree)
    equations = JointEquations(tables, time)
    names = tuple(str(row.measure) for row in rows)
    stated = plain.stated_speeds() if state is None else state.v
    return TaskSpace(equations, names, equations.q, equations.from_bodies(equations.q, stated))


@dataclass(frozen=True, eq=False)
class _TaskRow(Constraint):
    """A measure as a row of the Jacobian; it constrains nothing."""

    measure: Readable

    def check(self) -> None:
        require_terms(f"the task {self.measure}", self.measure)
        for _, part in self.measure.parts():
            if part.kind in Measure.TOUCHES:
                raise ModelError(f"{part} of contact surfaces cannot be a task: its second derivative is not available")

    def bodies(self) -> tuple[RigidBody, ...]:
        return tuple(marker.body for _, part in self.measure.parts() for marker in part.markers())

    def equations(self) -> tuple[Equation, ...]:
        rates = any(part.kind in Measure.RATES for _, part in self.measure.parts())
        return (Equation("task", self.measure.parts(), velocity=rates),)


def _measures(measures: object) -> list[Readable]:
    if isinstance(measures, Readable) or not isinstance(measures, Sequence):
        raise ModelError(f"task_space() needs a list of measures, got {check.describe(measures)}: [x(hand), y(hand)]")
    if not measures:
        raise ModelError("task_space() has no measures; pass those that describe the task, [x(hand), y(hand)]")
    return [readable(measure, "a measure of task_space()") for measure in measures]


def _state(at: object) -> Snapshot | None:
    if isinstance(at, tuple) and len(at) == 2 and isinstance(at[0], Trajectory):
        return at[0].at(check.number(at[1], "the time of task_space()"))
    if at is None:
        return None
    return check.instance(at, Snapshot, "at= of task_space()", hint="assemble() gives one; of a run (run, time)")
