"""Equations of motion in joint coordinates of a spanning tree; joints that are cut remain constraints.

The integrator uses joint coordinates and speeds; results are those of bodies, as in Cartesian coordinates.
`joint_formulation` chooses the joints of the tree, `suitable` the method.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.analysis.forward.events.mode_switching import ModeSwitches
from cardan.analysis.forward.recording import close_segment, fresh_record, stopped
from cardan.analysis.forward.state import Evidence, Run, Settings, Sizes, snapshot
from cardan.analysis.forward.stepping import fresh_stepper, use_scheme
from cardan.errors import CardanError, ModelError
from cardan.integrators.scheme import Scheme
from cardan.methods import Auto, Dop853, Radau, Symplectic
from cardan.model.device import Multiplier
from cardan.model.element import Constraint
from cardan.model.force import Law
from cardan.numerics.compiled.block import replaced
from cardan.numerics.linalg.rank import null_space
from cardan.results.simulation import Checkpoint
from cardan.system.cartesian.matrix import BROKEN, OPEN, SINGULAR
from cardan.system.cartesian.softness import RESISTED, weakest
from cardan.system.evaluate import evaluate_position, evaluate_velocity
from cardan.system.mechanism import tree_mechanism
from cardan.system.system import System
from cardan.system.tree.tables import JointTables
from cardan.system.tree.variational_step import UNSOLVED

# In checkpoints: position and time at which the tree was chosen, joints required in it, and joints excluded from it.
ORIGIN, TURNS, FOUND, STATED, LOOSE = "tree.start", "tree.reference", "tree.time", "tree.stated", "tree.loose"
MIXTURES = 8  # number of combined motions for the force check of many joints
LARGEST = 300  # number of speeds and equations up to which a dense matrix pays off in an implicit method
DISTURBED = 1e-6  # relative to an acceleration: allowed effect of masses added to massless bodies
REMEDY = "use coordinates='cartesian'"
REASONS = {
    BROKEN: "a force or a motion returned no finite value",
    SINGULAR: "a joint of the tree moves no mass",
    OPEN: "the cut joints can no longer be closed",
    UNSOLVED: "the iteration for a step does not converge",
}


class JointFormulation:
    """Joint coordinates. Joints that are or were released, and those in `read`, are not part of the tree."""

    def __init__(
        self,
        system: System,
        state: tuple[np.ndarray, np.ndarray, np.ndarray, float],
        settings: Settings,
        laws: Sequence[Law],
        read: Sequence[Constraint],
        released: Sequence[Constraint],
    ) -> None:
        q, v, reference, self.found_at = state
        self.system, self.tree, self.laws, self.read, self.released = system, settings.tree, laws, read, released
        self.symplectic = isinstance(settings.method, Symplectic)
        loose = [*read, *released]
        numbers = {id(element) for element in loose}
        kept = [r for r, k in enumerate(system.owner) if self.symplectic or id(system.elements[k]) in numbers]
        tree = [joint for joint in settings.tree if id(joint) not in numbers]
        self.tables = JointTables(system, q, reference, self.found_at, list(laws), loose, kept, tree)
        self.machine, self.mechanism = self.tables.machine, self.tables.joint
        self.stated_inertia = None if self.symplectic else self.tables.soften()
        self.speed_scale = self.mechanism.size
        at = self.tables.spanning.q
        speeds = self.tables.speeds(at, v)
        rest = np.concatenate([np.zeros(len(system.laws) + 2), system.states.start])
        self.start = np.concatenate([at, speeds, rest])
        self.sizes = Sizes(self.start.size, at.size, speeds.size)
        rows = self.mechanism.row.size
        self.notes: tuple[str, ...] = (f"joint coordinates: {speeds.size} speeds, {rows} equations of cut joints",)

    @property
    def unknowns(self) -> int:
        """Speeds and equations of the dense matrix of an implicit method."""
        return int(self.mechanism.unknown.size + self.mechanism.row.size)

    def operations(self, scheme: Scheme) -> Any:
        return tree_mechanism(self.mechanism)

    def bodies(self, y: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        nq, nv = self.sizes.positions, self.sizes.speeds
        return self.tables.bodies(y[:, :nq], y[:, nq : nq + nv], a)

    def turns(self, y: np.ndarray, turns: np.ndarray) -> np.ndarray:
        return self.tables.turns(y[:, : self.sizes.positions], turns)

    def speeds(self, y: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self.tables.speeds(y[: self.sizes.positions].copy(), v)

    def origin(self) -> dict[str, np.ndarray]:
        numbers = {id(element): k for k, element in enumerate(self.system.elements)}
        found = {ORIGIN: self.tables.start, TURNS: self.tables.reference, FOUND: np.array([self.found_at])}
        for name, joints in ((STATED, self.tree), (LOOSE, self.released)):
            found[name] = np.array([numbers[id(joint)] for joint in joints], np.int64)
        return found

    def update_markers(self) -> None:
        self.tables.seat()

    def make_releasable(self, run: Run, joints: Sequence[Constraint]) -> None:
        """Remove joints from the tree; if they are part of it, find another tree at the current position."""
        known = {id(joint) for joint in self.released}
        fresh = [joint for joint in dict.fromkeys(joints) if id(joint) not in known]
        prescribed = {
            id(self.system.elements[self.system.owner[row]]) for row in self.mechanism.prescribed_row.tolist()
        }
        self.released = run.released = (*self.released, *fresh)
        if any(id(joint) in prescribed or any(joint is e for e in self.tables.spanning.carried) for joint in fresh):
            _change_tree(run, self)

    def check_masses(self, run: Run) -> None:
        """Check that the small masses added to massless bodies have no effect."""
        if self.stated_inertia is None:
            return
        joint, q = self.mechanism, run.stepper.y[: self.sizes.positions]
        unknown, tree = np.sort(joint.order.astype(int)), joint.tree
        whole = self.tables.masses(q)
        softly, tree.inertia[:] = tree.inertia.copy(), self.stated_inertia
        mass = self.tables.masses(q)
        tree.inertia[:] = softly
        scale = joint.column_scale[unknown]
        rows = joint.Phi[joint.dropped == 0][:, unknown]
        free = scale[:, None] * null_space(rows * scale)
        share, motion = weakest(mass, whole - mass, free)
        if 1.0 - share <= DISTURBED:
            return
        name = self.tables.spanning.speeds[unknown[int(np.argmax(np.abs(motion) / scale))]]
        if share <= RESISTED:
            raise stopped(
                run,
                f"at t = {run.now:.6g} s nothing resists '{name}': it can move freely there without mass or inertia; "
                "add some, or constrain it by a joint",
            )
        raise stopped(
            run,
            f"at t = {run.now:.6g} s massless bodies move with '{name}', and the other masses are so small that joint "
            f"coordinates are inaccurate; {REMEDY}, or give these bodies a mass",
        )

    def evidence(self, run: Run) -> Evidence:
        system, now, work = self.system, snapshot(run), self.system.work()
        evaluate_position(system.geometry, system.rows, now.q, run.now, system.reference, work)
        evaluate_velocity(system.geometry, system.rows, now.v, run.now, work)
        multipliers = np.zeros(system.row_count)
        for rows in (
            self.mechanism.row,
            self.mechanism.prescribed_row,
        ):  # the others do no work along the motions of the tree
            multipliers[rows] = self.machine.multipliers[rows]
        degrees_of_freedom = int(self.mechanism.unknown.size - np.sum(self.mechanism.dropped == 0))
        added = self.tables.added * (np.abs(now.a) + float(np.linalg.norm(system.model.gravity)))
        aside = self.mechanism.row[self.mechanism.dropped != 0]
        return Evidence(
            work, multipliers, degrees_of_freedom, REMEDY, added[system.width :], aside, *self._motions(run)
        )

    def _motions(self, run: Run) -> tuple[np.ndarray, tuple[str, ...]]:
        """Motions of all bodies, as columns, with their names: one for each joint of the tree or, for many joints, some
        combinations, to limit memory."""
        q, count = run.stepper.y[: self.sizes.positions], self.sizes.speeds
        if count <= LARGEST:
            return self.tables.transformation(q), tuple(f"'{name}'" for name in self.tables.spanning.speeds)
        mixtures = np.random.default_rng(0).standard_normal((MIXTURES, count)) * self.mechanism.column_scale
        found = self.tables.bodies(np.tile(q, (MIXTURES, 1)), mixtures, np.zeros_like(mixtures))[1]
        return found[:, self.system.width :].T, ("a motion of all joints",) * MIXTURES

    def failure(self, run: Run) -> CardanError:
        reason = int(run.stepper.outcome.failure)
        words = REASONS.get(reason, "the step became too small to meet the tolerance")
        remedy = "use a shorter step" if reason == UNSOLVED else f"{REMEDY}, which reports more"
        return stopped(
            run,
            f"at t = {run.now:.6g} s '{self.system.model.name}' in joint coordinates cannot continue: {words}; "
            f"{remedy}",
        )


def _change_tree(run: Run, old: JointFormulation) -> None:
    """Find another tree at the current position, and continue in its coordinates; the record is kept."""
    now, stepper, before = snapshot(run), run.stepper, run.machine
    reference = old.tables.reference_at(stepper.y[: run.sizes.positions])
    reference[run.system.winding] = now.turns
    rest = stepper.y[run.sizes.positions + run.sizes.speeds :].copy()
    close_segment(run)
    state = now.q, now.v, reference, now.time
    run.formulation = fresh = JointFormulation(run.system, state, run.settings, old.laws, old.read, run.released)
    run.stats.notes.extend(fresh.notes)
    for name in ("settings", "counters", "failure"):
        getattr(run.machine, name).assign(getattr(before, name))
    for name in ("engaged", "deepest"):
        getattr(run.machine, name)[:] = getattr(before, name)
    run.machine.active[:] = before.engaged  # dependent cut rows are determined again
    run.machine.forces.circuit.multipliers[:] = before.forces.circuit.multipliers
    for mine, numbers in zip(_input_tables(run.machine), _input_tables(before), strict=True):
        mine[...] = numbers
    y = fresh.start
    y[y.size - rest.size :] = rest
    made = fresh_stepper(run.system, fresh, run.events, now.time, y)
    kept = ("clock", "counters", "outcome", "flags", "g", "side", "direction")
    run.stepper = replaced(made, **{name: getattr(stepper, name) for name in kept})
    fresh_record(run, run.record.wanted, run.record.times.size)
    use_scheme(run, run.scheme.name)
    run.switching = ModeSwitches(run)


def _input_tables(machine: Any) -> tuple[np.ndarray, ...]:
    """Numbers that inputs of a stepper change."""
    forces, circuit = machine.forces, machine.forces.circuit
    motions = forces.motions, circuit.motions, machine.rows.motions
    return *(table.parameters for table in motions), forces.linear, circuit.parameter


def reject_in_tree(tree: Sequence[Constraint], loose: Sequence[Constraint], why: str) -> None:
    """Reject joints in `tree` that must remain equations."""
    for joint in tree:
        if any(joint is other for other in loose):
            raise ModelError(f"{joint.title} cannot be in tree: {why}; omit it")


NONE = np.zeros(0, np.int64)


def joint_formulation(
    system: System,
    state: tuple[np.ndarray, np.ndarray, np.ndarray, float],
    settings: Settings,
    events: Sequence[Any],
    released: Sequence[Constraint],
) -> JointFormulation:
    """Joint coordinates of a tree without the joints that must stay constraints."""
    laws = [event.law for event in events]
    read = _read(system, laws)
    if isinstance(settings.method, Symplectic):
        _require_symplectic_form(system, events, bool(read))
    reject_in_tree(settings.tree, read, "its reaction is read by a force or an event")
    return JointFormulation(system, state, settings, laws, read, released)


def suitable(settings: Settings, formulation: JointFormulation) -> Settings:
    """Settings that suit the number of joints: the dense matrix of many joints would dominate the cost."""
    size, method = formulation.unknowns, settings.method
    if isinstance(method, Auto) and size > LARGEST:
        return settings._replace(method=Dop853(max_step=method.max_step))
    if isinstance(method, Radau) and size > LARGEST:
        raise ModelError(
            f"'{formulation.system.model.name}' has {size} speeds and equations in joint coordinates, too many for the "
            "dense matrix of method 'radau': use coordinates='cartesian'"
        )
    return settings


def same_tree(settings: Settings, start: Checkpoint, system: System) -> tuple[Settings, tuple[Constraint, ...]]:
    """Settings with the tree of a checkpoint, and the joints that are not part of it."""
    places = range(len(system.elements))
    stated, loose = (
        tuple(system.elements[int(k)] for k in start.numbers.get(name, NONE).ravel().tolist() if k in places)
        for name in (STATED, LOOSE)
    )
    if settings.tree and {id(joint) for joint in settings.tree} != {id(joint) for joint in stated}:
        names = ", ".join(repr(joint.name) for joint in stated) or "no joints"
        raise ModelError(f"the checkpoint is of a run with {names} in tree: pass the same joints, or omit tree")
    return settings._replace(tree=stated), loose


def _read(system: System, laws: Sequence[Law]) -> list[Constraint]:
    """Constraints whose reactions are read by forces or events: the tree must not eliminate them."""
    signals = [signal for reader in system.readers for signal in reader.inputs]
    signals += [law.signal for law in (*system.laws, *laws) if law.signal is not None]
    return [signal.element for signal in signals if isinstance(signal, Multiplier)]


def _require_symplectic_form(system: System, events: Sequence[Any], read: bool) -> None:
    """Reject features that a symplectic method cannot integrate."""
    what = ""
    if system.rows.velocity.any():
        owner = system.elements[system.owner[int(np.argmax(system.rows.velocity))]]
        raise ModelError(
            f"{owner.title} is a velocity constraint, which method 'symplectic' cannot integrate: use another method"
        )
    if any(body.modal_coordinates for body in system.bodies):
        what = "flexible bodies"
    elif system.contact_coordinates:
        what = "contact coordinates, which have no momentum"
    elif read:
        what = "forces or events that depend on reactions"
    elif system.samplers:
        what = "sampled controllers"
    elif any(element.switched for element in system.elements):
        what = "impacts and friction that sticks"
    elif any(event.action is not None for event in events):
        what = "events with an action"
    if what:
        raise ModelError(
            f"method 'symplectic' cannot integrate {what}, which '{system.model.name}' has: use another method"
        )
