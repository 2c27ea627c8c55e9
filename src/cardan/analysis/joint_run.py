"""A run of forward dynamics in joint coordinates.

The integrator sees joint coordinates and speeds; results are those of bodies, as in Cartesian coordinates.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.analysis.forward import ForwardRun, Sizes
from cardan.analysis.joint_space import JointSpace
from cardan.errors import CardanError, ModelError
from cardan.integrators.course import REASON, T
from cardan.integrators.scheme import Scheme
from cardan.results.simulation import Simulation
from cardan.system.matrix import BROKEN, OPEN, SINGULAR
from cardan.system.spanning import spanning_tree_of
from cardan.system.tree_leap import UNSOLVED
from cardan.system.tree_machine import joint_machine
from cardan.system.tree_motion import act_tree

WAY_OUT = "use coordinates='cartesian'"
REASONS = {
    BROKEN: "a force or a motion gave no finite value",
    SINGULAR: "a joint of the tree moves nothing that has mass",
    OPEN: "what was cut cannot be closed any more",
    UNSOLVED: "the equations of a step are not solved by iterating",
}


class JointRun(ForwardRun):
    """As `ForwardRun`, explicit and symplectic methods alone; what switches joints or reads reactions is refused."""

    def lay_out(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        system = self.system
        _refuse(self)
        spanning = spanning_tree_of(system, q)
        self.space = JointSpace(system, spanning, q, self.machine.reference)
        self.mechanism = joint_machine(system, self.machine, spanning, q)
        self.size = self.mechanism.size
        speeds = self.space.from_bodies(spanning.q, v)
        rest = np.concatenate([np.zeros(len(system.laws) + 2), system.states.start])
        self.sizes = Sizes(spanning.q.size + speeds.size + rest.size, spanning.q.size, speeds.size)
        self.account.notes.append(
            f"joint coordinates: {speeds.size} speeds, {self.mechanism.row.size} equations of what is cut"
        )
        return np.concatenate([spanning.q, speeds, rest])

    def act_of(self, scheme: Scheme) -> Any:
        return act_tree

    def in_bodies(self, y: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        nq, nv = self.sizes.positions, self.sizes.speeds
        return self.space.bodies(y[:, :nq], y[:, nq : nq + nv], a)

    def check_masses(self) -> None:
        """Nodes without inertia are found when they are to be accelerated."""

    def result(self) -> Simulation:
        found = super().result()
        found.checkpoint = None  # of another run than one in joint coordinates it would be none
        return found

    def failure(self) -> CardanError:
        reason, now = int(self.course.count[REASON]), float(self.course.clock[T])
        words = REASONS.get(reason, "the step became too small, because its error cannot be kept")
        way_out = "state a shorter step" if reason == UNSOLVED else f"{WAY_OUT}, which tells more"
        return self.stopped(
            f"at t = {now:.6g} s '{self.system.model.name}' in joint coordinates cannot go on: {words}; {way_out}"
        )


def _refuse(run: ForwardRun) -> None:
    """What joint coordinates do not know yet."""
    system, what = run.system, ""
    if run.machine.forces.circuit.row.size or run.machine.events.circuit.row.size:
        what = "forces or events that depend on reactions"
    elif system.samplers:
        what = "sampled controllers"
    elif any(element.switched for element in system.elements):
        what = "impacts and friction that sticks"
    elif run.settings.method == "symplectic" and system.rows.velocity.any():
        owner = system.elements[system.owner[int(np.argmax(system.rows.velocity))]]
        raise ModelError(
            f"{owner.title} is an equation on velocities, which has no symplectic form: use another method than "
            "'symplectic'"
        )
    elif any(getattr(event, "action", None) is not None for event in run.events):
        what = "events with an action"
    if what:
        raise ModelError(f"joint coordinates do not know {what} yet, which '{system.model.name}' has: {WAY_OUT}")
