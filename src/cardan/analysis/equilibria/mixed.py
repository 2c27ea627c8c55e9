r"""Equilibria of fine chains of stiff elements, such as slender rods, in few steps: Newton's method with own forces.

A step that rotates the elements of a rod moves its nodes along straight lines and stretches it. The stretch vanishes in
the next step, but the tension that it causes is larger than all other forces by the slenderness squared, spoils the
geometric stiffness, and limits steps to small rotations. With the forces f of linear springs as unknowns of their own,

    z_q^T f = Q(q),   f = k (z(q) - z_0)          ->     (z_q^T k z_q + f . z_qq) s = Q - z_q^T k (z - z_0)

steps are those of Newton's method, except that the geometric stiffness f . z_qq has the forces that the last step
foretold, f + k z_q s, and not those at the position it reached (Magisano, Leonetti and Garcea, How to improve
efficiency and robustness of the Newton method in geometrically non-linear structural problem, CMAME 313, 2017).

The search does not follow the energy downhill: `descent` checks that what it finds is stable and lower than the start.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from cardan.analysis.equilibria.place import Place, Ways
from cardan.analysis.equilibria.statics import Statics
from cardan.analysis.equilibria.stiffness import EXACTLY_FLAT, equations_at
from cardan.analysis.progress import Progress
from cardan.numerics.linalg.bordered import Bordered

ITERATIONS = 60
LONGEST = 0.7  # largest step, in model lengths or rad
SETTLED = 1e-10  # a step so short ends the search, if forces balance
ROUNDED = 3  # steps in a row that do not improve the balance: it is rounding


def mixed_newton(statics: Statics, start: Place, ways: Ways, tolerance: float, bar: Progress) -> Place | None:
    """An equilibrium near `start`, stable or not; None if none is found."""
    laws = statics.system.laws
    linear = np.array([w.curve is w.function is w.signal is None and w.stiffness > 0.0 for w in laws], bool)
    stiffness = np.array([law.stiffness for law in laws])
    place, strengths, best, stale = start, start.point.strengths, start, 0
    for k in range(ITERATIONS):
        bar.show(k)
        pressed = replace(place.point, strengths=strengths)
        equations = equations_at(statics, Place(place.q, place.reference, pressed))
        factors, scale = _factors(statics, equations.K, place)
        step = factors.solve(-place.point.residual / scale, -place.point.phi)[0]
        size = float(np.abs(step).max(initial=0.0))
        if not np.isfinite(size):
            return None
        part = min(1.0, LONGEST / max(size, 1e-300))
        trial = ways.moved(place, part * step)
        if trial is None:
            return None
        strengths = trial.point.strengths.copy()
        foretold = stiffness * (equations.T @ (equations.slopes.gradients @ (part * step * statics.unit)))
        strengths[linear] = (place.point.strengths + foretold)[linear]
        place = trial
        stale = 0 if place.imbalance < 0.5 * best.imbalance else stale + 1
        best = place if place.imbalance <= best.imbalance else best
        if place.imbalance <= tolerance and (size <= SETTLED or stale >= ROUNDED):
            return best
    return None


def _factors(statics: Statics, K: sp.csr_array, place: Place) -> tuple[Bordered, float]:
    unit = sp.diags_array(statics.unit)
    H = sp.csr_array(unit @ K @ unit)
    H = sp.csr_array(0.5 * (H + H.T))
    scale = max(float(abs(H).max()), place.point.size) or 1.0
    shift = EXACTLY_FLAT * sp.eye_array(H.shape[0])
    return Bordered(statics.fitting(sp.csr_array(H / scale + shift)), statics.jacobian(place.point)), scale
