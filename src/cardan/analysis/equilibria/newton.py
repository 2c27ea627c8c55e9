"""Newton's method on the equations of equilibrium, stable or not.

    [[H, J^T], [J, 0]] [dq; lambda] = [Q; -Phi],   H = (Phi_q^T lambda)_q - Q_q          (Haug 7.5.1, 7.5.2; DADS-2D)

Initial multipliers are found as in the DADS-2D report: one coordinate for each degree of freedom is held at its
estimate, the system is solved for its multipliers, and those of the joints are kept. Steps are halved until the
imbalance decreases.

A step has no component along neutral directions, which no force resists: with J Z = 0 it is s = Z w, Z^T H Z w = -Z^T
r. Coordinates are scaled by D^-1/2, D = |H_ii| + force, as in `numerics.curvature`, to compare stiff and soft ones.
Away from balance H contains the unbalanced forces: a direction in which the scaled matrix is smaller than their
fraction, or than the error of differences, counts as neutral, and the step has no component along it. If forces act
along such directions, exact derivatives replace differences, and directions are added, those with the largest forces
first, until little force remains. `trust` lowers the bound if steps without them fail. Systems with too many degrees of
freedom for a basis Z are solved by a sparse factorization with a small shift, whose effect two refinements remove
except along neutral directions.

Searches without a potential may drift along neutral directions: a settling mechanism keeps rolling, and states of
devices move it. `brought_back` returns to the equilibrium nearest to the start, with d the displacement from it:

    q <- q - N N^T d,    then the forces are balanced again                                    N: neutral directions
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from cardan.analysis.equilibria.mixed_newton import mixed_newton, takes_rods
from cardan.analysis.equilibria.place import ALMOST, Place, Ways
from cardan.analysis.equilibria.potential import Potential
from cardan.analysis.equilibria.statics import StaticPoint, Statics
from cardan.analysis.equilibria.stiffness import exact_stiffness
from cardan.analysis.progress import Progress
from cardan.errors import ModelError, SimulationError
from cardan.model.space import displacement

NEWTON_ITERATIONS = 100
MAX_NEWTON_STEP = 0.5  # largest step, in model lengths or rad
NEWTON_HALVINGS = 25
MIN_TRUST = 1e-6  # smallest trust in apparently neutral directions
DIFFERENCES, EXACT = 1e-8, 1e-12  # singular value of the scaled matrix that counts as zero
CERTAIN_SINGULAR_VALUE = 1e-4  # and one that never does
SHIFT = 1e-9
PUSHED = 0.3  # fraction of the imbalance that may act along omitted directions
RESIDUAL_SHARE = 1e-7  # fraction of the residual forces that may remain
FAR_DISPLACEMENT = 0.01  # model lengths, or rad: if only displacements larger than this would balance it
RETURN_ROUNDS = 12  # rounds of returning along neutral directions
ZERO_DISPLACEMENT = 1e-7  # model lengths, or rad: a displacement that counts as zero
MAX_RETURN = 0.25  # largest displacement in one round
ASIDE = (0.5, 1.0, 2.0)  # model lengths, or rad: displacements from a minimum of the imbalance
HELD = 0.5  # imbalance at such a minimum; where more is unbalanced, nothing holds a body


def newton(statics: Statics, place: Place, ways: Ways, tolerance: float, bar: Progress, neutral: bool = True) -> Place:
    """A position near `place` at which all forces balance; without `neutral`, soft directions are not treated as
    neutral, for starts close to balance. Rods: by `mixed_newton`, if that finds one."""
    if takes_rods(statics, place):
        mixed = mixed_newton(statics, place, ways, tolerance, bar)
        if mixed is not None:
            return mixed
    found, tangent = _descended(statics, place, ways, tolerance, bar, float(neutral))
    if tangent is None:
        return found
    if neutral and found.imbalance < HELD:
        beyond = _beyond(statics, found, tangent, ways, tolerance, bar)
        if beyond is not None:
            return beyond
    worst = int(np.argmax(np.abs(found.point.residual)))
    raise SimulationError(
        f"Newton's method found no equilibrium of '{statics.system.model.name}' near its start: {found.imbalance:.1e} "
        f"of the forces remain unbalanced, most of all along the {statics.name_of(worst)}; start "
        f"nearer to it, or use method='{_other_method(statics, found)}'",
        time=statics.time,
    )


def _descended(
    statics: Statics, place: Place, ways: Ways, tolerance: float, bar: Progress, most: float
) -> tuple[Place, EquilibriumTangent | None]:
    """The position where Newton's method ends and, if forces do not balance there, its last tangent."""
    multipliers, trust, tangent = statics.driven_multipliers(place.point), most, None
    for k in range(NEWTON_ITERATIONS):
        bar.show(k)
        if place.imbalance <= tolerance:
            return (_polished(statics, place, ways, tolerance, most) if k else place), None
        tangent = EquilibriumTangent(statics, place, multipliers, trust)
        if tangent.ended:
            return place, None
        following = _better(place, tangent, ways)
        slow = following is None or following.imbalance > 0.9 * place.imbalance
        if following is None and (tangent.share <= RESIDUAL_SHARE or trust < MIN_TRUST):
            break
        trust = 0.01 * trust if slow and tangent.share > RESIDUAL_SHARE else most
        place = following or place
        multipliers = place.point.multipliers
    return place, None if place.imbalance <= ALMOST else tangent


def _beyond(
    statics: Statics, stuck: Place, tangent: EquilibriumTangent, ways: Ways, tolerance: float, bar: Progress
) -> Place | None:
    """An equilibrium found from both sides of a position where the imbalance has a minimum that is not zero.

    Between two equilibria, forces pass through a minimum: a body turned by springs with a moment c + m sin(angle), for
    instance, has one in each turn. There the stiffness along one direction, that of Newton's steps, vanishes; smaller
    displacements than the distance to the next maximum lead back.
    """
    step, states = tangent.step(), statics.states.copy()
    largest = float(np.abs(step).max(initial=0.0))
    if not 0.0 < largest < np.inf:
        return None
    for size in ASIDE:
        for part in (size / largest, -size / largest):
            statics.states[:] = states
            start = ways.moved(stuck, part * step)
            if start is not None:
                found, missed = _descended(statics, start, ways, tolerance, bar, 1.0)
                if missed is None:
                    return found
    statics.states[:] = states
    return None


def _polished(statics: Statics, place: Place, ways: Ways, tolerance: float, trust: float) -> Place:
    """The position after one more step: with stiff forces, the imbalance of soft ones is below the tolerance."""
    trial = ways.moved(place, EquilibriumTangent(statics, place, place.point.multipliers, trust).step())
    return place if trial is None or trial.imbalance > tolerance else trial


def _other_method(statics: Statics, place: Place) -> str:
    """Another method that the forces allow."""
    try:
        Potential(statics, place.reference)
    except ModelError:
        return "settle"
    return "energy"


def _better(place: Place, tangent: EquilibriumTangent, ways: Ways) -> Place | None:
    """The position after a step, or a part of it, that is closer to balance; None if there is none.

    Closer means less imbalance or, as long as the imbalance is large, a shorter next step with the same matrix: with
    stiff springs the imbalance may rise although the position error decreases (Deuflhard, Newton Methods for Nonlinear
    Problems, 2004, 3.3).
    """
    step = tangent.step()
    whole = float(np.linalg.norm(step))
    if not np.isfinite(whole):
        return None
    part = min(1.0, MAX_NEWTON_STEP / max(float(np.abs(step).max(initial=0.0)), 1e-300))
    for _ in range(NEWTON_HALVINGS):
        trial = ways.moved(place, part * step)
        if trial is not None and trial.imbalance < place.imbalance:
            return trial
        if trial is not None and (place.imbalance > ALMOST or tangent.share > RESIDUAL_SHARE):
            missing = float(np.linalg.norm(tangent.step(trial.point)))
            if missing < (1.0 - 0.5 * part) * whole:
                return trial
        part *= 0.5
    return None


def displaced(statics: Statics, start: Place, end: Place) -> np.ndarray:
    """The scaled displacement of all coordinates of bodies from one position to another."""
    step = statics.system.speeds()
    displacement(statics.system.geometry, start.q, end.q, step)
    return np.asarray(step[statics.system.width :] / statics.unit)


def brought_back(statics: Statics, start: Place, rest: Place, ways: Ways, balanced: Callable[[Place], Place]) -> Place:
    """The equilibrium nearest to `start` along neutral motions from `rest`; `balanced` finds the one near a
    position."""
    away = float("inf")
    for _ in range(RETURN_ROUNDS):
        neutral = EquilibriumTangent(statics, rest, rest.point.multipliers, certain=True).neutral
        gone = displaced(statics, start, rest)
        along = neutral @ (neutral.T @ gone)
        size = float(np.abs(along).max(initial=0.0))
        if size <= ZERO_DISPLACEMENT or float(np.linalg.norm(along)) >= away:
            break
        states, away = statics.states.copy(), float(np.linalg.norm(along))
        nearer = ways.moved(rest, -along * min(1.0, MAX_RETURN / size))
        try:
            found = None if nearer is None else balanced(nearer)
        except SimulationError:
            found = None
        if found is None or np.linalg.norm(displaced(statics, start, found)) >= np.linalg.norm(gone):
            statics.states[:] = states
            break
        rest = found
    return rest


class EquilibriumTangent:
    """The linearized equations at a position with given multipliers.

    `neutral` holds displacements without resistance, as orthonormal columns. `ended` is True if the residual is
    negligible and acts along directions with negligible stiffness: only a large displacement would balance it. With
    `certain`, exact derivatives decide which directions are neutral and not only soft, such as bending of slender rods.
    """

    def __init__(
        self, statics: Statics, place: Place, multipliers: np.ndarray, trust: float = 1.0, certain: bool = False
    ) -> None:
        self.statics, self.place, self.n, self.trust = statics, place, statics.size, trust
        point = place.point
        self.force = max(point.acting, float(np.abs(point.multipliers).max(initial=0.0)))
        left_over = float(np.abs(point.residual).max(initial=0.0))
        self.share = left_over / self.force if self.force else float(left_over > 0.0)
        self.neutral, self.ended = np.zeros((self.n, 0)), False
        H = statics.stiffness(place.q, place.reference, multipliers, point)
        basis = statics.rank(point).null_space
        if basis is None:
            self._factorize_sparse(sp.csr_array(H), sp.csr_array(statics.jacobian(point)))
        elif (self._factorize(H, basis, DIFFERENCES) or (certain and self.neutral.size)) and not statics.varies:
            exact = exact_stiffness(statics, place)
            if point.chart is not None:
                exact = point.chart[1].T @ (exact @ point.chart[1])
            self._factorize(exact, basis, EXACT)

    def step(self, point: StaticPoint | None = None) -> np.ndarray:
        """The displacement that balances the forces of a position, by default this one, to first order."""
        point = point or self.place.point
        found: np.ndarray = self._solve(-self.statics.residual(point, point.multipliers), -point.phi)
        found = found - self.neutral @ (self.neutral.T @ found)
        return found - self.neutral @ (self.neutral.T @ found)

    def _root(self, H: Any) -> np.ndarray:
        """D^1/2"""
        D = np.abs(H.diagonal()) + self.force
        return np.asarray(np.sqrt(np.where(D > 0.0, D, D.max(initial=0.0) or 1.0)))

    def _factorize(self, H: Any, basis: np.ndarray, precision: float) -> bool:
        """Find singular values and neutral directions. Returns whether forces act along apparently neutral ones."""
        root = self._root(H)[:, None]
        free = np.linalg.qr(root * basis)[0] / root
        left, sizes, lines = np.linalg.svd(free.T @ (H @ free))
        small = sizes <= max(precision, self.trust * min(self.share, CERTAIN_SINGULAR_VALUE))
        force = left.T @ (free.T @ self.place.point.residual)
        pushed = _pushed(force, small)
        usable = np.where(sizes > EXACT, sizes, DIFFERENCES)  # without stiffness: a step along the force
        inverse = np.where(small & ~pushed, 0.0, 1.0 / usable)
        far = free @ (lines[pushed].T @ (force[pushed] / np.maximum(sizes[pushed], EXACT**2)))
        # differences cannot distinguish a small stiffness from zero: only exact derivatives show that a step is long
        self.ended = (
            precision == EXACT
            and self.share <= RESIDUAL_SHARE
            and float(np.abs(far).max(initial=0.0)) > FAR_DISPLACEMENT
        )
        moves = free @ lines[small if self.ended else small & ~pushed].T
        self.neutral = np.linalg.qr(moves)[0] if moves.size else np.zeros((self.n, 0))
        self._solve = lambda top, low: free @ (lines.T @ (inverse * (left.T @ (free.T @ top))))
        return bool(pushed.any())

    def _factorize_sparse(self, H: sp.csr_array, J: sp.csr_array) -> None:
        root = self._root(H)
        squares = (J * J) @ (1.0 / root**2)
        scale = np.concatenate([1.0 / root, 1.0 / np.sqrt(np.where(squares > 0.0, squares, 1.0))])
        bordered = sp.block_array([[H, J.T], [J, None]] if J.shape[0] else [[H]])
        matrix = sp.csr_array(sp.diags_array(scale) @ bordered @ sp.diags_array(scale))
        moved = max(SHIFT, 0.01 * self.trust * min(self.share, CERTAIN_SINGULAR_VALUE))
        shift = np.concatenate([np.full(self.n, moved), np.full(J.shape[0], -SHIFT)])
        factors = splu(sp.csc_array(matrix + sp.diags_array(shift)))

        def solve(top: np.ndarray, low: np.ndarray) -> np.ndarray:
            right = scale * np.concatenate([top, low])
            found = factors.solve(right)
            for _ in range(2):
                found = found + factors.solve(right - matrix @ found)
            return np.asarray((scale * found)[: self.n])

        self._solve = solve


def _pushed(forces: np.ndarray, small: np.ndarray) -> np.ndarray:
    """The small directions that must be added, largest forces first, until little acts along the others."""
    chosen = np.zeros(small.size, bool)
    order = np.flatnonzero(small)[np.argsort(-np.abs(forces[small]), kind="stable")]
    behind = np.sqrt(np.cumsum(forces[order][::-1] ** 2)[::-1])  # forces along this one and the following
    chosen[order[behind > PUSHED * np.linalg.norm(forces)]] = True
    return chosen
