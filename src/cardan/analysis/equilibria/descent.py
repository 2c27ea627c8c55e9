"""The minimum of the potential energy over all positions that close the joints.

    minimize V(q)  subject to  Phi(q, t) = 0                                               (Haug 6.5.3, 7.5.3, 7.5.4)

Haug eliminates dependent coordinates and descends by Fletcher and Powell's method (7.5.15 to 7.5.24). Here Newton's
method works in all coordinates: a step s solves

    [[H + mu, J^T], [J, 0]] [s; d lambda] = [-(J^T lambda - Q); -phi]

with the least mu for which the energy is convex along the joints, is limited to a trusted length, and is followed by
closing the joints. It is accepted if V decreases as the quadratic model predicts. The search leaves a saddle along its
steepest descent.

Forces are balanced if what remains is small compared with the largest, including those that cancel inside of springs.
Where stiff springs are among them, such as the axial stiffness of slender beams, further steps balance the others.

Fine chains of such springs, slender rods, need few steps if forces are unknowns of their own: `mixed_newton`. It does
not follow the energy downhill: `by_mixed` checks that what it finds is stable and lower than the start.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from cardan.analysis.equilibria.mixed_newton import mixed_newton, takes_rods
from cardan.analysis.equilibria.place import ALMOST, Place, Ways
from cardan.analysis.equilibria.potential import Potential
from cardan.analysis.equilibria.statics import Statics
from cardan.analysis.equilibria.stiffness import search_stiffness
from cardan.analysis.progress import Progress
from cardan.errors import SimulationError
from cardan.numerics.linalg.bordered import Bordered

DESCENT_ITERATIONS = 1000
UNBOUNDED_DISTANCE, ON_AND_ON = 200.0, 400.0  # model lengths, and rad: farther away the energy is considered unbounded
LONGEST_TURN = 1.0  # largest step, in rad
MAX_SHIFT = 1e6  # relative to the largest curvature: with more the step is along the gradient
LEAST_SHIFT = 1e3  # times the curvature that counts as zero: the least shift of an energy that is not convex
REFINED = 6  # refinements that remove the least shift from a step, except along directions without stiffness
POLISHED = 5  # steps at most in the end
MIXED = 20  # steps between two attempts of `mixed_newton`


WORSE, LOWER, NEARER = range(3)  # outcomes of a step: less energy, or as much and nearer to balance
MIN_DESCENT_STEP = 1e-12  # step


# --- the rules of the search, which that of studies shares: `cardan.study.batch.static_search` ------------------------


def first_shift(mu: float, flat: float) -> float:
    """The shift to try first, after `mu` in the last step; `flat` is the curvature that counts as zero."""
    return 0.01 * mu if mu > LEAST_SHIFT * flat else flat


def next_shift(mu: float, flat: float) -> float:
    """The shift to try after one with which the energy is not convex."""
    return max(10.0 * mu, LEAST_SHIFT * flat)


def share_trusted(size: float, turn: float, trusted: float) -> float:
    """The share of a step, with this size and largest rotation, that is trusted."""
    return min(1.0, min(trusted / max(size, 1e-300), LONGEST_TURN / max(turn, 1e-300)))


def judged(
    change: float, noise: float, predicted: float, nearer: bool, length: float, radius: float
) -> tuple[int, float]:
    """The outcome of a step of some length by the change of the energy, and the length to trust from now on."""
    if abs(predicted) <= noise and nearer:
        return NEARER, radius
    if not change <= 1e-4 * predicted:
        return WORSE, 0.25 * length
    if change < 0.75 * predicted:
        return LOWER, max(radius, 2.0 * length)
    return LOWER, 0.5 * length if change > 0.25 * predicted else radius


def falls_away(drift: float, angular: float) -> bool:
    """Whether a coordinate has moved so far that the energy has no minimum."""
    return abs(drift) > (ON_AND_ON if angular else UNBOUNDED_DISTANCE)


def descend(
    statics: Statics, place: Place, ways: Ways, tolerance: float, bar: Progress, longest: float = np.inf
) -> Place:
    """The place of least energy downhill of `place`; steps are at most `longest`, in model lengths and rad."""
    return _Descent(statics, place, ways, tolerance, longest).run(place, bar)


class _Descent:
    def __init__(self, statics: Statics, stated: Place, ways: Ways, tolerance: float, longest: float) -> None:
        self.statics, self.ways, self.tolerance, self.longest = statics, ways, tolerance, longest
        self.potential = Potential(statics, stated.reference)
        self.random = np.random.default_rng(0)
        self.radius, self.mu = 0.25, 0.0
        self.drift = np.zeros(statics.size)
        self.angular = statics.angular

    def run(self, place: Place, bar: Progress) -> Place:
        mixes = self.longest == np.inf and takes_rods(self.statics, place)
        for k in range(DESCENT_ITERATIONS):
            if mixes and k % MIXED == 0:
                found = self.by_mixed(place, bar)
                if found is not None:
                    return found
            model = _Model(self.statics, place)
            if place.imbalance <= self.tolerance:
                downhill = None if model.convex() else model.steepest_fall(self.random)
                step = None if downhill is None else self._slip(place, downhill)
                if step is None:
                    return self._polished(place, model)
                place = step
                continue
            following = self._step(place, model)
            bar.show(int(np.clip(-8.0 * np.log10(place.imbalance), 0.0, 99.0)))
            if following is None:
                if place.imbalance > ALMOST:
                    raise self._stuck(place)
                return place
            place = following
            self._require_bounded()
        raise self._stuck(place)

    def by_mixed(self, start: Place, bar: Progress) -> Place | None:
        """The equilibrium that `mixed_newton` finds, if it is stable and lower than the start."""
        found = mixed_newton(self.statics, start, self.ways, self.tolerance, bar)
        if found is None or not _Model(self.statics, found).convex():
            return None
        change, noise = self._change(start, found)
        return found if change <= noise else None

    def _step(self, place: Place, model: _Model) -> Place | None:
        """The next position; None if none is better."""
        step, self.mu = model.step(self.mu)
        while True:
            step = step * self._share(step)
            predicted, trial = model.change(step), self.ways.moved(place, step)
            length = float(np.abs(step).max(initial=0.0))
            outcome, radius = WORSE, 0.25 * length
            if trial is not None:
                nearer = trial.imbalance < place.imbalance
                outcome, radius = judged(*self._change(place, trial), predicted, nearer, length, self.radius)
            self.radius = radius
            self.drift += step if outcome == LOWER else 0.0
            if outcome != WORSE:
                return trial
            if self.radius < MIN_DESCENT_STEP:
                return None

    def _polished(self, place: Place, model: _Model) -> Place:
        """The position after further steps, as long as they balance forces that are small against those in springs."""
        for _ in range(POLISHED):
            point = place.point
            if float(np.abs(point.residual).max(initial=0.0)) <= self.tolerance * point.acting:
                break
            step = model.refined()
            trial = self.ways.moved(place, step * self._share(step))
            if trial is None or not trial.imbalance < 0.5 * place.imbalance:
                break
            place, model = trial, _Model(self.statics, trial)
        return place

    def _share(self, step: np.ndarray) -> float:
        """The factor that limits a step to the trusted length and to small rotations."""
        size = np.abs(step)
        turn = float((size * self.angular).max(initial=0.0))
        return share_trusted(float(size.max(initial=0.0)), turn, min(self.radius, self.longest))

    def _slip(self, place: Place, downhill: np.ndarray) -> Place | None:
        """A position next to a saddle with less energy."""
        for size in (0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5):
            trials = [self.ways.moved(place, sign * size * downhill) for sign in (1.0, -1.0)]
            found = [(*self._change(place, t), k) for k, t in enumerate(trials) if t is not None]
            if found and min(found)[0] < -min(found)[1]:
                self.radius = 0.25
                return trials[min(found)[2]]
        return None

    def _change(self, place: Place, trial: Place) -> tuple[float, float]:
        return self.potential.change((place.q, trial.q), (place.point, trial.point))

    def _require_bounded(self) -> None:
        system = self.statics.system
        gone = np.abs(self.drift) / np.where(self.angular, ON_AND_ON, UNBOUNDED_DISTANCE)
        worst = int(np.argmax(gone))
        if falls_away(self.drift[worst], self.angular[worst]):
            body = worst // system.width if self.statics.size == system.coordinates else len(system.bodies)
            name = system.bodies[body].title if body < len(system.bodies) else self.statics.name_of(worst)
            word = "rotates without end" if self.angular[worst] else "falls away"
            raise SimulationError(
                f"'{system.model.name}' has no equilibrium downhill of its initial position: {name} {word}, and the "
                "energy has no minimum; add a joint or a spring that holds it",
                time=self.statics.time,
                elements=(system.bodies[body].name,) if body < len(system.bodies) else (),
            )

    def _stuck(self, place: Place) -> SimulationError:
        system = self.statics.system
        worst = int(np.argmax(np.abs(place.point.residual)))
        return SimulationError(
            f"the search for the equilibrium of '{system.model.name}' stopped with {place.imbalance:.1e} of the "
            f"forces out of balance, most of all along the {self.statics.name_of(worst)}: a force jumps there, or a "
            "joint locks",
            time=self.statics.time,
        )


def shifted(H: Any, mu: float) -> Any:
    """H + mu, an array or a sparse matrix."""
    diagonal = np.full(H.shape[0], mu)
    return H + np.diag(diagonal) if isinstance(H, np.ndarray) else sp.csr_array(H + sp.diags_array(diagonal))


class _Model:
    """The energy near a position as a quadratic function of scaled steps."""

    def __init__(self, statics: Statics, place: Place) -> None:
        H, self.flat = search_stiffness(statics, place, place.point.multipliers)
        self.H = 0.5 * (H + H.T)
        largest = float(abs(self.H).max()) if self.H.shape[0] else 0.0
        self.scale = max(largest, place.point.size) or 1.0
        self.J = statics.jacobian(place.point)
        self.gradient, self.phi = place.point.residual, place.point.phi

    def bordered(self, mu: float) -> Bordered:
        return Bordered(shifted(self.H / self.scale, mu), self.J)

    def step(self, mu: float) -> tuple[np.ndarray, float]:
        """The step to the minimum of the model, made convex by as little as it takes."""
        mu = first_shift(mu, self.flat)
        while True:
            factors = self.bordered(mu)
            if factors.definite:
                step = factors.solve(-self.gradient / self.scale, -self.phi)[0]
                if self.gradient @ step < 0.0:  # with vanishing curvatures, rounding may spoil a step
                    return step, mu
            if mu > MAX_SHIFT:
                return -self.gradient / np.abs(self.gradient).max(), mu
            mu = next_shift(mu, self.flat)

    def refined(self) -> np.ndarray:
        """The step to the minimum of a convex model, without the effect of the shift on soft directions."""
        factors, step, phi = self.bordered(self.flat), np.zeros(self.gradient.size), self.phi
        for _ in range(REFINED):
            step = step + factors.solve(-(self.gradient + self.H @ step) / self.scale, -phi)[0]
            phi = np.zeros(phi.size)
        return step

    def change(self, step: np.ndarray) -> float:
        """The change of the energy that the model predicts."""
        return float(self.gradient @ step + 0.5 * step @ (self.H @ step))

    def convex(self) -> bool:
        return self.bordered(10.0 * self.flat).definite

    def steepest_fall(self, random: np.random.Generator) -> np.ndarray:
        """The direction along the joints with the most negative curvature of the energy, by inverse iteration."""
        mu = LEAST_SHIFT * self.flat
        while not (factors := self.bordered(mu)).definite and mu < MAX_SHIFT:
            mu *= 4.0
        direction = random.standard_normal(self.gradient.size)
        for _ in range(30):
            direction = factors.solve(direction, np.zeros(self.phi.size))[0]
            direction /= np.abs(direction).max()
        return direction
