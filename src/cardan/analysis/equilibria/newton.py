"""Newton's method on the equations of equilibrium, stable or not.

    [[H, J^T], [J, 0]] [dq; lambda] = [Q; -Phi],   H = (Phi_q^T lambda)_q - Q_q          (Haug 7.5.1, 7.5.2; DADS-2D)

Initial multipliers are found as in the DADS-2D report: one coordinate for each degree of freedom is held at its
estimate, the system is solved for its multipliers, and those of the joints are kept. Steps have no part
along directions that no force resists, see `rest.tangent`, and are halved until they lead nearer to balance.
"""

from __future__ import annotations

import numpy as np

from cardan.analysis.equilibria.descent import ALMOST
from cardan.analysis.equilibria.place import Place, Ways
from cardan.analysis.equilibria.potential import Potential
from cardan.analysis.equilibria.statics import Statics
from cardan.analysis.equilibria.tangent import SETTLED, Tangent
from cardan.analysis.progress import Progress
from cardan.errors import ModelError, SimulationError

ITERATIONS = 100
LONGEST = 0.5  # model lengths, or rad, in one step
HALVINGS = 25
LEAST = 1e-6  # trust in what looks neutral, below which no step leads on


def newton(statics: Statics, place: Place, ways: Ways, tolerance: float, bar: Progress, neutral: bool = True) -> Place:
    """A place near `place` at which all forces balance; without `neutral`, soft directions are not taken for neutral
    ones: for starts next to balance."""
    multipliers, most = statics.driven_multipliers(place.point), float(neutral)
    trust = most
    for k in range(ITERATIONS):
        bar.show(k)
        if place.imbalance <= tolerance:
            return _polished(statics, place, ways, tolerance, most) if k else place
        tangent = Tangent(statics, place, multipliers, trust)
        if tangent.ended:
            return place
        following = _better(place, tangent, ways)
        slow = following is None or following.imbalance > 0.9 * place.imbalance
        if following is None and (tangent.share <= SETTLED or trust < LEAST):
            break
        trust = 0.01 * trust if slow and tangent.share > SETTLED else most
        place = following or place
        multipliers = place.point.multipliers
    if place.imbalance <= ALMOST:
        return place
    worst = int(np.argmax(np.abs(place.point.residual)))
    raise SimulationError(
        f"Newton's method found no equilibrium of '{statics.system.model.name}' near its start: {place.imbalance:.1e} "
        f"of the forces remain unbalanced, most of all along the {statics.name_of(worst)}; start "
        f"nearer to it, or use method='{_other_method(statics, place)}'",
        time=statics.time,
    )


def _polished(statics: Statics, place: Place, ways: Ways, tolerance: float, trust: float) -> Place:
    """The place after one more step: beside stiff forces, what soft ones miss is below the tolerance."""
    trial = ways.moved(place, Tangent(statics, place, place.point.multipliers, trust).step())
    return place if trial is None or trial.imbalance > tolerance else trial


def _other_method(statics: Statics, place: Place) -> str:
    """Another method that the forces allow."""
    try:
        Potential(statics, place.reference)
    except ModelError:
        return "settle"
    return "energy"


def _better(place: Place, tangent: Tangent, ways: Ways) -> Place | None:
    """The place after a step, or a part of it, that is nearer to balance; None if there is none.

    Nearer is less imbalance or, as long as much is out of balance, a shorter step from there by the same matrix: of
    stiff springs the imbalance may rise on the way, though what is missing in position becomes less (Deuflhard, Newton
    Methods for Nonlinear Problems, 2004, 3.3).
    """
    step = tangent.step()
    whole = float(np.linalg.norm(step))
    if not np.isfinite(whole):
        return None
    part = min(1.0, LONGEST / max(float(np.abs(step).max(initial=0.0)), 1e-300))
    for _ in range(HALVINGS):
        trial = ways.moved(place, part * step)
        if trial is not None and trial.imbalance < place.imbalance:
            return trial
        if trial is not None and (place.imbalance > ALMOST or tangent.share > SETTLED):
            missing = float(np.linalg.norm(tangent.step(trial.point)))
            if missing < (1.0 - 0.5 * part) * whole:
                return trial
        part *= 0.5
    return None
