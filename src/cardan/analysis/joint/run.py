"""A run of forward dynamics in joint coordinates.

The integrator sees joint coordinates and speeds; results are those of bodies, as in Cartesian coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.analysis.forward.checks.start import Evidence
from cardan.analysis.forward.mode_switching import Switchboard
from cardan.analysis.forward.recording import fresh_record, put_by
from cardan.analysis.forward.run import ForwardRun
from cardan.analysis.forward.settings import Settings, Sizes
from cardan.errors import CardanError, ModelError
from cardan.integrators.scheme import Scheme
from cardan.methods import Auto, Dop853, Radau, Symplectic
from cardan.model.device import Multiplier
from cardan.model.element import Constraint
from cardan.model.force import Law
from cardan.numerics.compiled.block import block
from cardan.numerics.linalg.rank import null_space
from cardan.results.simulation import Checkpoint
from cardan.system.cartesian.matrix import BROKEN, OPEN, SINGULAR
from cardan.system.cartesian.softness import RESISTED, weakest
from cardan.system.evaluate import evaluate_position, evaluate_velocity
from cardan.system.mechanism import tree_mechanism
from cardan.system.system import System
from cardan.system.tree.tables import JointTables
from cardan.system.tree.variational_step import UNSOLVED

# Of a checkpoint: where and when the tree was found, joints that were stated to be part of it, and that are not.
ORIGIN, TURNS, FOUND, STATED, LOOSE = "tree.start", "tree.reference", "tree.time", "tree.stated", "tree.loose"
NONE = np.zeros(0, np.int64)
MIXTURES = 8  # motions of many joints along which forces are balanced
LARGEST = 300  # speeds and equations up to which an implicit method is worth its dense matrix
DISTURBED = 1e-6  # of an acceleration: what masses may do to it that stand in for such that are absent
WAY_OUT = "use coordinates='cartesian'"
REASONS = {
    BROKEN: "a force or a motion gave no finite value",
    SINGULAR: "a joint of the tree moves nothing that has mass",
    OPEN: "what was cut cannot be closed any more",
    UNSOLVED: "the equations of a step are not solved by iterating",
}


class JointRun(ForwardRun):
    """As `ForwardRun`. Joints that are released, or were once, are no part of the tree: `released` are all of them."""

    def tables(self, q: np.ndarray, reference: np.ndarray, time: float, partitioned: bool) -> Any:
        system, symplectic = self.system, isinstance(self.settings.method, Symplectic)
        read = _read(system, self.laws)
        if symplectic:
            _refuse(self, bool(read))
        refuse_in_tree(self.settings.tree, read, "its reaction is read by a force or an event")
        loose = [*read, *self.released]
        numbers = {id(element) for element in loose}
        kept = [r for r, k in enumerate(system.owner) if symplectic or id(system.elements[k]) in numbers]
        tree = [joint for joint in self.settings.tree if id(joint) not in numbers]
        self.tree_time = time
        self.joint = JointTables(system, q, reference, time, self.laws, loose, kept, tree)
        self.settings = _suited(self.settings, self.joint)
        return self.joint.machine

    def lay_out(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        system, spanning = self.system, self.joint.spanning
        self.mechanism = self.joint.joint
        self.stated = None if isinstance(self.settings.method, Symplectic) else self.joint.soften()
        self.size = self.mechanism.size
        speeds = self.joint.speeds(spanning.q, v)
        rest = np.concatenate([np.zeros(len(system.laws) + 2), system.states.start])
        self.sizes = Sizes(spanning.q.size + speeds.size + rest.size, spanning.q.size, speeds.size)
        self.stats.notes.append(
            f"joint coordinates: {speeds.size} speeds, {self.mechanism.row.size} equations of what is cut"
        )
        return np.concatenate([spanning.q, speeds, rest])

    def loosen(self, joints: Sequence[Constraint]) -> None:
        """Take joints out of the tree, which is then found anew where the mechanism stands."""
        known = {id(joint) for joint in self.released}
        fresh = [joint for joint in dict.fromkeys(joints) if id(joint) not in known]
        told = {id(self.system.elements[self.system.owner[row]]) for row in self.mechanism.prescribed_row.tolist()}
        self.released = (*self.released, *fresh)
        if any(id(joint) in told or any(joint is e for e in self.joint.spanning.carried) for joint in fresh):
            rebuild(self)

    def seat(self) -> None:
        self.joint.seat()

    def operations_of(self, scheme: Scheme) -> Any:
        return tree_mechanism(self.mechanism)

    def gradients(self, rows: np.ndarray) -> np.ndarray:
        place = {row: k for k, row in enumerate(self.mechanism.row.tolist())}
        found: np.ndarray = self.mechanism.Phi[[place[row] for row in rows.tolist()]]
        return found

    def set_velocities(self, v: np.ndarray) -> None:
        nq, nv, y = self.sizes.positions, self.sizes.speeds, self.stepper.y
        y[nq : nq + nv] = self.joint.speeds(y[:nq].copy(), v)

    def in_bodies(self, y: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        nq, nv = self.sizes.positions, self.sizes.speeds
        return self.joint.bodies(y[:, :nq], y[:, nq : nq + nv], a)

    def all_turns(self, y: np.ndarray, turns: np.ndarray) -> np.ndarray:
        return self.joint.turns(y[:, : self.sizes.positions], turns)

    def check_masses(self) -> None:
        """Refuse a free motion that moves nothing with mass, where bodies without mass were given a little."""
        if self.stated is None:
            return
        joint, q = self.mechanism, self.stepper.y[: self.sizes.positions]
        unknown, tree = np.sort(joint.order.astype(int)), joint.tree
        whole = self.joint.masses(q)
        softly, tree.inertia[:] = tree.inertia.copy(), self.stated
        mass = self.joint.masses(q)
        tree.inertia[:] = softly
        scale = joint.column_scale[unknown]
        rows = joint.Phi[joint.dropped == 0][:, unknown]
        free = scale[:, None] * null_space(rows * scale)
        share, motion = weakest(mass, whole - mass, free)
        if 1.0 - share <= DISTURBED:
            return
        name = self.joint.spanning.speeds[unknown[int(np.argmax(np.abs(motion) / scale))]]
        now = float(self.stepper.clock.now)
        if share <= RESISTED:
            raise self.stopped(
                f"at t = {now:.6g} s nothing resists '{name}': it is free to move there, but what moves has no mass or "
                "inertia; give it some, or hold it by a joint"
            )
        raise self.stopped(
            f"at t = {now:.6g} s bodies without mass move with '{name}', of which other masses resist so little that "
            f"joint coordinates cannot tell; {WAY_OUT}, or give these bodies a mass"
        )

    def evidence(self) -> Evidence:
        now, work, time = self.snapshot(), self.system.work(), float(self.stepper.clock.now)
        evaluate_position(self.system.geometry, self.system.rows, now.q, time, self.system.reference, work)
        evaluate_velocity(self.system.geometry, self.system.rows, now.v, time, work)
        multipliers = np.zeros(self.system.row_count)
        for rows in (
            self.mechanism.row,
            self.mechanism.prescribed_row,
        ):  # others do no work along the motions of the tree
            multipliers[rows] = self.machine.multipliers[rows]
        freedoms = int(self.mechanism.unknown.size - np.sum(self.mechanism.dropped == 0))
        added = self.joint.added * (np.abs(now.a) + float(np.linalg.norm(self.system.model.gravity)))
        aside = self.mechanism.row[self.mechanism.dropped != 0]
        return Evidence(work, multipliers, freedoms, WAY_OUT, added[self.system.width :], aside, *self._motions())

    def _motions(self) -> tuple[np.ndarray, tuple[str, ...]]:
        """Motions of all bodies, as columns, with their names: of each joint of the tree, or of many joints some
        mixtures, as each has as many numbers as all bodies."""
        q, count = self.stepper.y[: self.sizes.positions], self.sizes.speeds
        if count <= LARGEST:
            return self.joint.transformation(q), tuple(f"'{name}'" for name in self.joint.spanning.speeds)
        mixtures = np.random.default_rng(0).standard_normal((MIXTURES, count)) * self.mechanism.column_scale
        found = self.joint.bodies(np.tile(q, (MIXTURES, 1)), mixtures, np.zeros_like(mixtures))[1]
        return found[:, self.system.width :].T, ("a motion of all joints",) * MIXTURES

    def origin(self) -> dict[str, np.ndarray]:
        numbers = {id(element): k for k, element in enumerate(self.system.elements)}
        found = {ORIGIN: self.joint.start, TURNS: self.joint.reference, FOUND: np.array([self.tree_time])}
        for name, joints in ((STATED, self.settings.tree), (LOOSE, self.released)):
            found[name] = np.array([numbers[id(joint)] for joint in joints], np.int64)
        return found

    def failure(self) -> CardanError:
        reason, now = int(self.stepper.outcome.failure), float(self.stepper.clock.now)
        words = REASONS.get(reason, "the step became too small, because its error cannot be kept")
        way_out = "state a shorter step" if reason == UNSOLVED else f"{WAY_OUT}, which tells more"
        return self.stopped(
            f"at t = {now:.6g} s '{self.system.model.name}' in joint coordinates cannot go on: {words}; {way_out}"
        )


def _suited(settings: Settings, joint: JointTables) -> Settings:
    """Settings that suit the number of joints: a dense matrix of many would cost more than all else."""
    size = joint.joint.unknown.size + joint.joint.row.size
    if isinstance(settings.method, Auto) and size > LARGEST:
        return settings._replace(method=Dop853(max_step=settings.method.max_step))
    if isinstance(settings.method, Radau) and size > LARGEST:
        raise ModelError(
            f"'{joint.system.model.name}' has {size} speeds and equations in joint coordinates, too many for the dense "
            "matrix of method 'radau': use coordinates='cartesian'"
        )
    return settings


def _read(system: System, laws: Sequence[Law]) -> list[Constraint]:
    """Constraints whose reactions forces or events depend on: the tree must not keep them by itself."""
    signals = [signal for reader in system.readers for signal in reader.inputs]
    signals += [law.signal for law in (*system.laws, *laws) if law.signal is not None]
    return [signal.element for signal in signals if isinstance(signal, Multiplier)]


def refuse_in_tree(tree: Sequence[Constraint], loose: Sequence[Constraint], why: str) -> None:
    """Joints that must stay equations carry no coordinates."""
    for joint in tree:
        if any(joint is other for other in loose):
            raise ModelError(f"{joint.title} cannot be in tree: {why}; leave it out")


def same_tree(settings: Settings, start: Checkpoint, system: System) -> tuple[Settings, tuple[Constraint, ...]]:
    """Settings with the tree of a checkpoint, and the joints that are not part of it."""
    places = range(len(system.elements))
    stated, loose = (
        tuple(system.elements[int(k)] for k in start.numbers.get(name, NONE).ravel().tolist() if k in places)
        for name in (STATED, LOOSE)
    )
    if settings.tree and {id(joint) for joint in settings.tree} != {id(joint) for joint in stated}:
        names = ", ".join(repr(joint.name) for joint in stated) or "no joints"
        raise ModelError(f"the checkpoint is of a run with {names} in tree: say the same, or leave tree out")
    return settings._replace(tree=stated), loose


def rebuild(run: JointRun) -> None:
    """Find the tree of a run anew where it stands, and go on in its coordinates; what was written is kept."""
    now, old, before = run.snapshot(), run.stepper, run.machine
    reference = run.joint.reference_at(old.y[: run.sizes.positions])
    reference[run.system.winding] = now.turns
    rest = old.y[run.sizes.positions + run.sizes.speeds :].copy()
    put_by(run)
    run.machine = run.tables(now.q, reference, now.time, False)
    for name in ("settings", "counters", "failure"):
        getattr(run.machine, name).assign(getattr(before, name))
    for name in ("engaged", "deepest"):
        getattr(run.machine, name)[:] = getattr(before, name)
    run.machine.active[:] = before.engaged  # which of the cut rows depend on others is decided anew
    run.machine.forces.circuit.multipliers[:] = before.forces.circuit.multipliers
    y = run.lay_out(now.q, now.v)
    y[y.size - rest.size :] = rest
    fresh, kept = run.fresh_stepper(now.time, y), ("clock", "counters", "outcome", "flags", "g", "side", "direction")
    run.stepper = block(getattr(fresh, "tables", fresh)._replace(**{name: getattr(old, name) for name in kept}))
    fresh_record(run, run.record.wanted, run.record.times.size)
    run.use(run.scheme.name)
    run.board = Switchboard(run)


def _refuse(run: ForwardRun, read: bool) -> None:
    """What a symplectic method does not know."""
    system, what = run.system, ""
    if system.rows.velocity.any():
        owner = system.elements[system.owner[int(np.argmax(system.rows.velocity))]]
        raise ModelError(
            f"{owner.title} is an equation on velocities, which has no symplectic form: use another method than "
            "'symplectic'"
        )
    if system.own:
        what = "places of contact, which have no momentum"
    elif read:
        what = "forces or events that depend on reactions"
    elif system.samplers:
        what = "sampled controllers"
    elif any(element.switched for element in system.elements):
        what = "impacts and friction that sticks"
    elif any(getattr(event, "action", None) is not None for event in run.events):
        what = "events with an action"
    if what:
        raise ModelError(
            f"method 'symplectic' does not know {what}, which '{system.model.name}' has: use another method"
        )
