"""Newton's method on the equations of rest, stable or not.

    [[H, J^T], [J, 0]] [dq; lambda] = [Q; -Phi],   H = (Phi_q^T lambda)_q - Q_q          (Haug 7.5.1, 7.5.2; DADS-2D)

It is started as the DADS-2D report does: as many coordinates as there are freedoms are held at their estimates, the
system driven in this way is solved for its multipliers, and those of the joints are handed over. Where equations are
redundant a small softness makes the step the shortest one. Steps are halved until the imbalance falls.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from cardan.analysis.progress import Progress
from cardan.analysis.rest.descent import ALMOST
from cardan.analysis.rest.place import Place, Ways
from cardan.analysis.rest.potential import Potential
from cardan.analysis.rest.statics import SOFT, Statics
from cardan.errors import ModelError, SimulationError

ITERATIONS = 100
LONGEST = 0.5  # model lengths, or rad, in one step


def newton(statics: Statics, place: Place, ways: Ways, tolerance: float, bar: Progress) -> Place:
    """A place near `place` at which all forces balance."""
    multipliers = statics.driven_multipliers(place.point)
    for k in range(ITERATIONS):
        bar.show(k)
        if place.imbalance <= tolerance:
            return place
        step = _step(statics, place, multipliers)
        following = None if step is None else _better(place, step, ways)
        if following is None:
            if place.imbalance <= ALMOST:
                return place
            break
        place = following
        multipliers = place.point.multipliers
    worst = int(np.argmax(np.abs(place.point.residual)))
    raise SimulationError(
        f"Newton's method found no equilibrium of '{statics.system.model.name}' near its start: {place.imbalance:.1e} "
        f"of the forces stay out of balance, most of all along the {statics.name_of(worst)}; start "
        f"nearer to it, or use method='{_other_method(statics, place)}'",
        time=statics.time,
    )


def _other_method(statics: Statics, place: Place) -> str:
    """Another way to rest that the forces allow."""
    try:
        Potential(statics, place.reference)
    except ModelError:
        return "settle"
    return "energy"


def _step(statics: Statics, place: Place, multipliers: np.ndarray) -> np.ndarray | None:
    point, n = place.point, statics.size
    H = statics.stiffness(place.q, place.reference, multipliers, point)
    J = statics.jacobian(point)
    size = float(abs(H).max()) or 1.0
    matrix = sp.block_array([[H / size, J.T], [J, sp.diags_array(np.full(J.shape[0], -SOFT))]])
    right = np.concatenate([-statics.residual(point, multipliers) / size, -point.phi])
    try:
        step = splu(sp.csc_array(matrix)).solve(right)[:n]
    except RuntimeError:  # exactly singular: the energy is flat along some motion
        matrix = matrix + sp.diags_array(np.concatenate([np.full(n, 1e-9), np.zeros(J.shape[0])]))
        step = splu(sp.csc_array(matrix)).solve(right)[:n]
    if not np.isfinite(step).all():
        return None
    return np.asarray(step * min(1.0, LONGEST / max(float(np.abs(step).max(initial=0.0)), 1e-300)))


def _better(place: Place, step: np.ndarray, ways: Ways) -> Place | None:
    """The place after a step, or a part of it, with less imbalance."""
    for _ in range(25):
        trial = ways.moved(place, step)
        if trial is not None and trial.imbalance < place.imbalance:
            return trial
        step = 0.5 * step
    return None
