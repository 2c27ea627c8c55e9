"""Equilibrium in joint coordinates: the searches of Cartesian coordinates with fewer unknowns.

    B^T (Q - J^T lambda) = 0,    phi(q) = 0        of what is cut;  q: coordinates of the spanning tree's joints

With B, which maps joint speeds to body speeds, gradients are B^T g and Hessians B^T H B: H contains the curvature of
the tree's joints, loaded by their multipliers, which is that of B itself in equilibrium.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from cardan.analysis.assembly.closing import Tolerances
from cardan.analysis.driven.joint_kinematics import TRY_STEP, joint_march, joint_record, march_tree
from cardan.analysis.driven.march import RUNNING
from cardan.analysis.equilibria.descent import descend
from cardan.analysis.equilibria.newton import newton
from cardan.analysis.equilibria.place import Place, Ways
from cardan.analysis.equilibria.states import has_devices, rest
from cardan.analysis.equilibria.statics import StaticPoint, Statics
from cardan.analysis.progress import Progress
from cardan.errors import SimulationError
from cardan.model.element import Constraint
from cardan.numerics.linalg.rank import ROW_NOISE, SINE, truncated
from cardan.numerics.linalg.rank_report import RankReport, rank_report
from cardan.system.tree.tables import JointTables

CORRECTIONS = 50  # iterations to close cut joints

Search = Callable[[Statics, Place, Ways, float, Progress], Place]


def joint_searches(tree: Collection[Constraint] = ()) -> dict[str, Search]:
    """Searches by name, in coordinates of the joints of a tree that contains those in `tree`."""
    by_newton = _in_joints(newton, tree)

    def to_rest(statics: Statics, place: Place, ways: Ways, tolerance: float, bar: Progress) -> Place:
        """Like `rest`: states of devices, if any, are found last."""
        if not has_devices(statics):
            return by_newton(statics, place, ways, tolerance, bar)
        try:
            place = by_newton(statics, place, ways, tolerance, bar)
        except SimulationError:
            pass
        return rest(statics, place, ways, tolerance, bar)

    return {"energy": _in_joints(descend, tree), "newton": to_rest}


def _in_joints(search: Search, tree: Collection[Constraint]) -> Search:
    """The same search, `descend` or `newton`, in joint coordinates."""

    def searched(statics: Statics, place: Place, ways: Ways, tolerance: float, bar: Progress) -> Place:
        joints = JointStatics(statics, place, tree)
        found = search(joints, joints.begin, JointWays(joints, ways), tolerance, bar)
        return Place(found.q, found.reference, statics.at(found.q, found.reference))

    return searched


class JointStatics(Statics):
    """Equations of equilibrium in joint coordinates, scaled: 1 is one radian or the model's length.

    Unknowns are the joints without drivers or holds; `point.chart` holds coordinates and B of a position.
    """

    def __init__(self, whole: Statics, place: Place, tree: Collection[Constraint] = ()) -> None:
        super().__init__(whole.system, whole.time, whole.varied, whole.factor)
        self.usual, self.states[:], self.multipliers[:] = whole.usual, whole.states, whole.multipliers
        self.tables = JointTables(whole.system, place.q, place.reference, whole.time, tree=tree)
        joint = self.tables.joint
        self.unknown = np.sort(joint.order.astype(int))
        self.joint_unit = 1.0 / joint.size[self.unknown]
        self.cut = joint.row.astype(int)
        self.march = joint_march(joint, self.tables.spanning.q, whole.time, 1.0, np.zeros(0, int))
        self.record = joint_record(joint, 1, self.system)
        self.whole = whole
        self.begin = self.place(self.tables.spanning.q.copy(), place.reference)

    @property
    def size(self) -> int:
        return self.unknown.size

    @property
    def angular(self) -> np.ndarray:
        turns: np.ndarray = self.tables.joint.size[self.unknown] == 1.0
        return turns

    def name_of(self, number: int) -> str:
        return f"coordinate {self.tables.spanning.speeds[self.unknown[number]]}"

    def place(self, joint_q: np.ndarray, reference: np.ndarray) -> Place:
        """The evaluated position of bodies at joint coordinates."""
        q, turns = self._bodies(joint_q), self.tables.reference_at(joint_q, reference)
        point = super().at(q, turns)
        B = self.tables.transformation(joint_q)[:, self.unknown] * self.joint_unit / self.unit[:, None]
        point.chart = joint_q, B
        gradient, J = B.T @ point.residual, self.jacobian(point)
        carried = np.zeros(self.size)
        if J.size:
            unit, _ = truncated(J, *self.measured(self.work))
            carried = unit.T @ np.linalg.lstsq(unit.T, gradient, rcond=ROW_NOISE)[0]
        point.phi, point.residual, point.varied = point.phi[self.cut], gradient - carried, B.T @ point.varied
        turns[:] = point.z
        return Place(q, turns, point)

    def _bodies(self, joint_q: np.ndarray) -> np.ndarray:
        still = np.zeros((1, len(self.tables.spanning.speeds)))
        found: np.ndarray = self.tables.bodies(joint_q[None], still, still)[0][0]
        return found

    def residual(self, point: StaticPoint, multipliers: np.ndarray) -> np.ndarray:
        found = super().residual(point, multipliers)
        return found if point.chart is None else point.chart[1].T @ found

    def jacobian(self, point: StaticPoint) -> Any:
        J = super().jacobian(point)
        found: np.ndarray = np.asarray(J[self.cut] @ point.chart[1])
        return found

    def stiffness(
        self, q: np.ndarray, reference: np.ndarray, multipliers: np.ndarray, point: StaticPoint | None = None
    ) -> Any:
        assert point is not None
        B = point.chart[1]
        return B.T @ (super().stiffness(q, reference, multipliers) @ B)

    def driven_multipliers(self, point: StaticPoint) -> np.ndarray:
        return self.whole.driven_multipliers(self.whole.at(self._bodies(point.chart[0]), point.z.copy()))

    def rank(self, point: StaticPoint, independent: bool = False) -> RankReport:
        driving = self.system.driving[self.cut].astype(int)
        J, (scale, size) = self.jacobian(point), self.measured(self.work)
        return rank_report(J, driving, weights=scale, sizes=size, tolerance=SINE, dense=True, independent=independent)

    def measured(self, work: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Factors that balance the columns of cut rows, and lengths of these rows before cancellation."""
        scale = self.tables.joint.column_scale[self.unknown] / self.joint_unit
        return scale, self.tables.row_sizes(self.cut, work) / self.system.rows.scale[self.cut]

    def look(self, joint_q: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """phi and Phi of cut rows, scaled; None if a function fails."""
        joint = self.tables.joint
        self.march.state.q[:] = joint_q
        if march_tree(self.march, Tolerances(), np.zeros(1), TRY_STEP, 1, self.record)[0] != RUNNING:
            return None
        scale = self.system.rows.scale[self.cut]
        phi = np.where(joint.velocity.astype(bool), 0.0, joint.cartesian.work.phi[self.cut])
        return phi / scale, joint.Phi[:, self.unknown] * self.joint_unit / scale[:, None]


class JointWays(Ways):
    """Moves positions in joint coordinates with cut joints closed; gaps as in Cartesian coordinates."""

    def __init__(self, statics: JointStatics, ways: Ways) -> None:
        super().__init__(statics, ways.tolerance, ways.gaps)
        self.tolerance, self.joints = ways.tolerance, statics

    def _reached(self, place: Place, step: np.ndarray) -> Place | None:
        joints = self.joints
        joint_q = joints.tables.moved(place.point.chart[0], self._full(step))
        for _ in range(CORRECTIONS):
            found = joints.look(joint_q)
            if found is None:
                return None
            phi, Phi = found
            error = float(np.abs(phi).max(initial=0.0))
            if error <= 0.01 * self.tolerance:
                break
            unit, lengths = truncated(Phi, *joints.measured())
            correction = np.linalg.lstsq(unit, -phi / lengths, rcond=ROW_NOISE)[0]
            size = float(np.abs(correction).max(initial=0.0))
            joint_q = joints.tables.moved(joint_q, self._full(correction * min(1.0, 0.5 / max(size, 1e-300))))
        if not error <= self.tolerance:
            return None
        try:
            return joints.place(joint_q, place.reference)
        except SimulationError:
            return None

    def _full(self, step: np.ndarray) -> np.ndarray:
        """A scaled step of the unknowns as one of all speeds."""
        full = np.zeros(len(self.joints.tables.spanning.speeds))
        full[self.joints.unknown] = step * self.joints.joint_unit
        return full
