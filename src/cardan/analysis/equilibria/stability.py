"""Stability of an equilibrium, its neutral motions, and the reason if stability cannot be decided.

If forces have an energy, its curvatures along the joints decide, see `numerics.curves.curvature`; with devices or
forces without an energy (tires, loads that rotate with a body) the eigenvalues of the motion, see `states`, which also
reveal flutter. Differences of the forces are tried first. If they leave a sign undecided, exact derivatives decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from cardan.analysis.equilibria.place import Place
from cardan.analysis.equilibria.states import has_devices, steadiness
from cardan.analysis.equilibria.statics import Statics
from cardan.analysis.equilibria.stiffness import EXACTLY_FLAT, exact_stiffness
from cardan.numerics.curves.curvature import Curvature, curvature_of, leading_rows
from cardan.numerics.linalg.bordered import definite
from cardan.numerics.linalg.rank_report import RankReport

DIFFERENCES = 1e-8  # relative to each term: the error of a stiffness from central differences
CLOSE = (
    1e-5  # relative to the largest stiffness: below it differences, with errors of 1e-10, give less than five digits
)
SKEW = 1e-7  # relative to the largest stiffness: a larger difference is not symmetric


@dataclass
class Verdict:
    """`stable` is None if motions are neutral or the sign of a stiffness is unknown; `reason` then explains why."""

    stable: bool | None
    stiffnesses: np.ndarray  # scaled, smallest first; empty if there are too many
    neutral: tuple[str, ...]  # coordinates, and states of devices, of motions without resistance
    reason: str


def verdict_of(statics: Statics, place: Place, report: RankReport) -> Verdict:
    """The stability of an equilibrium; `report` is about its joints."""
    H = statics.stiffness(place.q, place.reference, place.point.multipliers)
    found, stiffnesses = _curvature(statics, place, report, H, DIFFERENCES), _stiffnesses(H, report)
    least = float(np.abs(stiffnesses).min(initial=np.inf)) / max(float(abs(H).max()), place.point.size, 1e-300)
    exact = not statics.varies and (found.neutral.size > 0 or not found.decided or least <= CLOSE)
    exact = exact or bool(statics.exact)
    if exact:
        H = exact_stiffness(statics, place)
        found, stiffnesses = _curvature(statics, place, report, H, statics.system.rounding), _stiffnesses(H, report)
    names = tuple(statics.system.coordinate_name(k) for k in leading_rows(found.neutral))
    stable, names, reason = _of_energy(found, names, exact)
    if stable is None and statics.exact and _convex(H, statics.jacobian(place.point)):
        stable, names, reason = True, (), ""
    if has_devices(statics) or (not statics.varies and _without_potential(H, report)):
        stable, names, reason = steadiness(statics, place)
    if names:
        reason = "no force resists " + ", ".join(f"the {name}" for name in names)
    return Verdict(stable, stiffnesses, names, "" if stable is not None else reason)


def _convex(H: Any, J: Any) -> bool:
    """Whether the energy is convex along the joints by more than the rounding of exact derivatives."""
    H = sp.csr_array(H)
    return definite(H / float(abs(H).max()) - EXACTLY_FLAT * sp.eye_array(H.shape[0]), J)


def _without_potential(H: Any, report: RankReport) -> bool:
    """Whether the stiffness along the joints is not symmetric, and therefore has no energy."""
    skew, basis = H - H.T, report.null_space
    along = skew if basis is None else basis.T @ (skew @ basis)
    return bool(along.size and abs(along).max() > SKEW * abs(H).max())


def _curvature(statics: Statics, place: Place, report: RankReport, H: Any, precision: float) -> Curvature:
    basis = report.null_space
    if basis is not None and basis.shape[1]:
        basis = np.linalg.qr(basis)[0]
    point, rounding = place.point, statics.system.rounding
    J = None if basis is not None else statics.jacobian(point)
    force = max(point.acting, float(np.abs(point.multipliers).max(initial=0.0)))
    left_over = float(np.abs(point.residual).max(initial=0.0)) + rounding * max(point.size, force)
    return curvature_of(H, J, basis, force, precision=precision, left_over=left_over)


def _of_energy(found: Curvature, names: tuple[str, ...], exact: bool) -> tuple[bool | None, tuple[str, ...], str]:
    """Whether it is stable, the neutral motions, and the reason if this cannot be decided."""
    if not found.decided:
        return None, (), "the iteration for the lowest stiffness did not converge"
    if found.negative:
        return False, names if exact else (), ""
    if names and not exact:
        return None, (), f"differences of the forces do not determine the sign of the stiffness along the {names[0]}"
    return (None if names else True), names, ""


def _stiffnesses(H: Any, report: RankReport) -> np.ndarray:
    if report.null_space is None:
        return np.zeros(0)
    reduced = report.null_space.T @ (H @ report.null_space)
    return np.linalg.eigvalsh(0.5 * (reduced + reduced.T))
