"""Changes that an action may make at an event: velocities, joints that engage or release, held numbers.

Change(release=[hook])                              the hook opens: its reaction is zero from then on
Change(engage=[latch])                              the latch catches: velocities jump as in a plastic impact
Change(engage=[grip], where="as it is")             the gripper holds the part where it is
Change(velocities={ball: {"velocity": (0, 1)}}, hold={throttle: 0.5})

`engage` and `note_shift` keep which joints are engaged, and since when.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cardan.analysis.assembly.assemble import quantity
from cardan.analysis.forward.recording import stopped, written_times
from cardan.analysis.forward.state import Run, snapshot
from cardan.analysis.forward.stepping import raise_failure
from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.errors import ModelError
from cardan.integrators.stepping import prepare_impulse
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.device import Held
from cardan.model.element import Constraint
from cardan.model.stated import Stated
from cardan.results.engagement_history import Shift
from cardan.results.simulation import Simulation

WHERE = ("stated", "as it is")
FIT = 1e-6  # relative to the model's length, or rad: allowed gap of a joint to engage


@dataclass(frozen=True)
class Change(metaclass=Stated):
    """New velocities of bodies, joints to `engage` and to `release`, numbers to `hold`; applied in this order: release,
    hold, velocities, engage.

    A joint to engage must be closed in the current configuration; with where="as it is" one of its markers is moved to
    the other one or, for holds and couplers, the current value is kept.
    """

    velocities: Mapping[RigidBody, Mapping[str, Any]] = field(default_factory=dict)
    engage: Sequence[Constraint] = ()
    release: Sequence[Constraint] = ()
    hold: Mapping[Held, float] = field(default_factory=dict)
    where: str = "stated"

    def __post_init__(self) -> None:
        check.choice(self.where, WHERE, "where of a Change")
        for name in ("engage", "release"):
            if isinstance(getattr(self, name), Constraint) or not isinstance(getattr(self, name), Sequence):
                raise ModelError(
                    f"{name} of a Change must be a list of joints, got {check.describe(getattr(self, name))}"
                )
            for joint in getattr(self, name):
                require_joint(joint, f"a joint to {name}")
        for name in ("velocities", "hold"):
            if not isinstance(getattr(self, name), Mapping):
                raise ModelError(f"{name} of a Change must be a dictionary, got {check.describe(getattr(self, name))}")
        for key, value in self.hold.items():
            check.instance(key, Held, "a key of hold of a Change")
            check.number(value, f"the value of '{key.name}' in a Change")


def require_joint(joint: Any, what: str) -> Any:
    """A constraint that can be engaged and released."""
    check.instance(joint, Constraint, what)
    if joint.contact_coordinates():
        raise ModelError(f"{joint.title} has a contact coordinate and can be neither engaged nor released")
    return joint


def make_change(run: Run, change: Change, what: str) -> None:
    """Apply a change to the state of a run, which must then be made consistent."""
    for joint in (*change.release, *change.engage):
        rows_of(run, joint, what)  # reject joints that are not part of the model
    run.formulation.make_releasable(run, (*change.release, *change.engage))
    system, machine, y = run.system, run.machine, run.stepper.y
    for joint in change.release:
        engage(run, rows_of(run, joint, what), False)
    for held, value in change.hold.items():
        if not any(held is owner for owner in system.states.owner):
            raise ModelError(f"{what} holds '{held.name}', which is not used in model '{system.model.name}'")
        y[y.size - system.states.start.size + system.states.first(held)] = float(value)
    if change.velocities:
        _set_velocities(run, change, what)
    for joint in change.engage:
        rows = rows_of(run, joint, what)
        if machine.engaged[rows].all():
            continue
        if change.where == "as it is":
            _seat(run, joint, rows, what)
            run.formulation.update_markers()
        _require_fit(run, joint, rows)
        engage(run, rows, True)


def _set_velocities(run: Run, change: Change, what: str) -> None:
    system, now = run.system, snapshot(run)
    v = now.v.copy()
    for body, changes in change.velocities.items():
        check.instance(body, system.model.body_type, f"a key of the velocities that {what} returned")
        number = system.body_number(body)
        pose = now.q[system.space.stored * number :][: system.space.stored]
        twist = v[system.width * number : system.width * (number + 1)]
        twist[:] = system.space.changed_twist(pose, twist, changes, what)
    first = run.sizes.positions
    run.stepper.y[first : first + run.sizes.speeds] = run.formulation.speeds(run.stepper.y, v)


def rows_of(run: Run, joint: Constraint, what: str) -> np.ndarray:
    rows = run.system.rows_of(joint)
    if not rows.size:
        raise ModelError(f"{what} switches {joint.title}, which is not part of model '{run.system.model.name}'")
    return rows


def _require_fit(run: Run, joint: Constraint, rows: np.ndarray) -> None:
    """Check that the joint is closed in the current position."""
    evaluate(run)
    work, system = run.machine.work, run.system
    for row in rows:
        if period := system.equations[row].period:  # whole turns do not matter
            turns = period * round(float(work.phi[row]) / period)
            system.rows.offset[row] += turns
            work.phi[row] -= turns
    run.formulation.update_markers()
    gaps = np.abs(work.phi[rows]) / system.rows.scale[rows]
    worst = int(np.argmax(gaps))
    if gaps[worst] > FIT:
        equation = system.equations[rows[worst]]
        now = run.now
        raise stopped(
            run,
            f"at t = {now:.6g} s {joint.title} cannot be engaged: it is open by "
            f"{quantity(abs(float(work.phi[rows[worst]])), equation.unit)} ({equation.label}); engage it where it "
            'closes, or pass where="as it is"',
            (joint.name,),
        )


def _seat(run: Run, joint: Constraint, rows: np.ndarray, what: str) -> None:
    """Make the joint closed in the current position."""
    system = run.system
    if not isinstance(joint, TwoMarkerJoint):
        evaluate(run)
        system.rows.offset[rows] += run.machine.work.phi[rows]
        return
    for end, other in ((joint.b, joint.a), (joint.a, joint.b)):
        place = _own_place(run, joint, end)
        if place is not None:
            point, axes = _frame(run, joint, other)
            pose = _pose(run, end.body)
            system.geometry.local[place] = system.space.seated(pose, point, axes)
            return
    raise ModelError(
        f"{what} engages {joint.title} as it is, but both its markers also belong to other elements: give it its own "
        "marker"
    )


def _own_place(run: Run, joint: TwoMarkerJoint, end: Any) -> int | None:
    """The row of a marker in the table of markers, unless another element also has the marker."""
    system = run.system
    mine = {m for equation in joint.equations() for _, m in equation.terms}
    places = set()
    for measure in system.measures:
        if end in measure.markers():
            if measure not in mine:
                return None
            k = system.measures.index(measure)
            places.add(int(system.geometry.ends[k, 0 if measure.a == end else 1]))
    shared = [e for e in system.elements if e is not joint for q in e.equations() for _, m in q.terms if m in mine]
    return None if shared or len(places) != 1 else places.pop()


def _frame(run: Run, joint: TwoMarkerJoint, end: Any) -> tuple[np.ndarray, np.ndarray]:
    """Point and axes of a marker as given in the model."""
    points, axes = run.system.space.frame(end, _pose(run, end.body)[None])
    return points[0], axes[0]


def _pose(run: Run, body: Any) -> np.ndarray:
    found: np.ndarray = snapshot(run).q[run.system.pose_columns(body)]
    return found


def engage(run: Run, rows: Any, on: bool) -> None:
    """Engage or release rows; the state must then be made consistent."""
    run.machine.engaged[rows] = run.machine.active[rows] = int(on)


def evaluate(run: Run) -> None:
    """Evaluate and factorize the mechanism in its current state."""
    raise_failure(run, prepare_impulse(run.operations, run.stepper))


def note_shift(run: Run) -> None:
    """Record which joints are engaged from here on, if they have changed."""
    machine, local, offset = run.machine, run.system.geometry.local, run.system.rows.offset
    first, now = written_times(run), run.now
    if not run.shifts:
        every = np.ones_like(machine.engaged)
        if np.array_equal(machine.engaged, every):
            return
        run.shifts.append(Shift(-np.inf, 0, every, every, *run.stated_markers))
    last = run.shifts[-1]
    if np.array_equal(last.engaged, machine.engaged) and np.array_equal(last.local, local):
        return
    held = machine.engaged.copy(), machine.active.copy(), local.copy(), offset.copy()
    run.shifts.append(Shift(now, first, *held))


def shift_at(run: Simulation, when: float | int) -> Shift | None:
    """The engagement at a time or output time; None if all joints were always engaged."""
    before = [s for s in run.shifts if (s.first <= when if isinstance(when, int) else s.time <= when)]
    return before[-1] if before else None
