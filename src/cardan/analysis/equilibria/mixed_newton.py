"""Newton's method with the forces of springs as unknowns of their own, for slender rods, in steps of the load.

A step that rotates the elements of a rod moves its nodes along straight lines and stretches it. The stretch vanishes in
the next step, but the tension that it causes is larger than all other forces by the slenderness squared, spoils the
geometric stiffness, and limits steps to small rotations. With the forces f of linear springs as unknowns of their own,

    z_q^T f = Q(q),   f = k (z(q) - z_0)          ->     (z_q^T k z_q + f . z_qq) s = Q - z_q^T k (z - z_0)

steps are those of Newton's method, except that the geometric stiffness f . z_qq has the forces that the last step
predicted, f + k z_q s, and not those at the position it reached (Magisano, Leonetti and Garcea, How to improve
efficiency and robustness of the Newton method in geometrically non-linear structural problem, CMAME 313, 2017). A step
that is shortened is shortened in both unknowns: with forces of a whole step, or of the position that a part of it
reaches, the number of iterations would grow with the number of elements.

If that does not converge from the start, where the forces r_0 are out of balance, intermediate positions are sought in
which a part of them still is,

    z_q^T f - Q(q) = (1 - s) r_0,    s = 0 .. 1

those of an unstressed rod under a part of its load. Steps of s are halved where they fail, and grow where they do not.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from cardan.analysis.equilibria.place import ALMOST, Place, Ways
from cardan.analysis.equilibria.statics import Statics
from cardan.analysis.equilibria.stiffness import EXACTLY_FLAT, equations_at, needs_exact
from cardan.analysis.linear.equations import Equations
from cardan.analysis.progress import Progress
from cardan.numerics.linalg.bordered import Bordered

MAX_MIXED_STEP = 0.7  # largest step, in model lengths or rad
ITERATIONS_PER_LOAD = 12  # iterations in which a step of the load must converge
MIN_LOAD_STEP = 1.0 / 32.0  # smallest step of the load
MAX_ITERATIONS = 150  # iterations of all steps
FINAL_STEP = 1e-10  # a step so short ends the search, if forces balance,
INTERMEDIATE_STEP = 1e-3  # and this one ends the search for an intermediate position
STEPS_AT_ROUNDING = 3  # steps in a row that do not improve the balance: it is rounding


def takes_rods(statics: Statics, place: Place) -> bool:
    """Whether `mixed_newton` is the method of choice: there are rods, in Cartesian coordinates."""
    return place.point.chart is None and needs_exact(statics)


def mixed_newton(statics: Statics, start: Place, ways: Ways, tolerance: float, bar: Progress) -> Place | None:
    """An equilibrium near `start`, stable or not; None if none is found."""
    search = Search(statics, ways, tolerance)
    place, reached, step = start, 0.0, 1.0
    while step >= MIN_LOAD_STEP and search.count < MAX_ITERATIONS:
        bar.show(int(100.0 * reached))
        step = min(step, 1.0 - reached)
        goal = reached + step
        found = search.balanced(place, (1.0 - goal) * start.point.residual)
        if found is None:
            step *= 0.5
            continue
        place, reached, step = found, goal, 2.0 * step
        if reached == 1.0:
            return place
    return None


class Search:
    """The iterations, and what they need to know about the springs."""

    def __init__(self, statics: Statics, ways: Ways, tolerance: float) -> None:
        laws = statics.system.laws
        self.statics, self.ways, self.tolerance = statics, ways, tolerance
        self.count = 0  # of iterations
        self.linear = np.array([w.curve is w.function is w.signal is None and w.stiffness > 0.0 for w in laws], bool)
        self.stiffness = np.array([law.stiffness for law in laws])

    def balanced(self, place: Place, left: np.ndarray) -> Place | None:
        """The position near `place` with the forces `left` out of balance; None if the iteration does not converge."""
        strengths, best, stale, whole = place.point.strengths, place, 0, not left.any()
        for _ in range(ITERATIONS_PER_LOAD + 4 * whole):
            step, predicted = self.step(place, strengths, left)
            size = float(np.abs(step).max(initial=0.0))
            if not np.isfinite(size):
                return None
            trial = self.ways.moved(place, step)
            if trial is None:
                return None
            strengths = np.where(self.linear, predicted, trial.point.strengths)
            place = trial
            if not whole and size <= INTERMEDIATE_STEP:
                return place
            stale = 0 if place.imbalance < 0.5 * best.imbalance else stale + 1
            best = place if place.imbalance <= best.imbalance else best
            short, rounded, left_over = size <= FINAL_STEP, stale >= STEPS_AT_ROUNDING, best.imbalance
            enough = left_over <= self.tolerance and (short or rounded)
            if whole and (enough or (left_over <= ALMOST and short and rounded)):
                last = place.imbalance <= max(self.tolerance, 2.0 * left_over)  # rounding, and nearer by one step
                return place if last else best
        return None

    def step(self, place: Place, strengths: np.ndarray, left: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The next step, not longer than `MAX_MIXED_STEP`, and the forces of springs after it.

        If it is a share of Newton's step, the same share of the way to the forces that Newton's step predicts.
        """
        self.count += 1
        equations, factors, scale = self.tangent(place, strengths)
        step = factors.solve((left - place.point.residual) / scale, -place.point.phi)[0]
        predicted = place.point.strengths + self.stretched(equations, step)
        share = min(1.0, MAX_MIXED_STEP / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        return share * step, strengths + share * (predicted - strengths)

    def tangent(self, place: Place, strengths: np.ndarray) -> tuple[Equations, Bordered, float]:
        """The equations with these forces of springs, and the factors of the stiffness, which is not symmetric if loads
        rotate with a body, over its largest entry."""
        statics, point = self.statics, place.point
        equations = equations_at(statics, Place(place.q, place.reference, replace(point, strengths=strengths)))
        unit = sp.diags_array(statics.unit)
        H = sp.csr_array(unit @ equations.K @ unit)
        scale = max(float(abs(H).max()), point.size) or 1.0
        shifted = sp.csr_array(H / scale + EXACTLY_FLAT * sp.eye_array(H.shape[0]))
        return equations, Bordered(shifted, sp.csr_array(statics.jacobian(point))), scale

    def stretched(self, equations: Equations, step: np.ndarray) -> np.ndarray:
        """The change of the forces of springs by a step, to first order."""
        found: np.ndarray = self.stiffness * (equations.T @ (equations.slopes.gradients @ (step * self.statics.unit)))
        return found
