"""Whether a rest is stable, which motions are neutral, and why that cannot be said where it cannot.

Without devices the curvatures of the energy along the joints decide, see `numerics.curvature`; with devices the
eigenvalues of mechanism and devices together, see `rest.states`. Differences of the forces come first. Where they leave
a sign open, exact derivatives decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.analysis.rest.place import Place
from cardan.analysis.rest.states import has_devices, steadiness
from cardan.analysis.rest.statics import Statics
from cardan.analysis.rest.stiffness import exact_stiffness
from cardan.numerics.curvature import Curvature, curvature_of
from cardan.numerics.rank import RankReport

DIFFERENCES = 1e-8  # of each term: how well central differences know a stiffness
CLOSE = 1e-5  # of the largest stiffness: one of which differences, which err by 1e-10, tell less than five digits
NAMED = 0.9  # of the largest part in a neutral motion, from which on a coordinate may name it


@dataclass
class Verdict:
    """`stable` is None where motions are neutral or the sign of a stiffness is unknown; `reason` then says why."""

    stable: bool | None
    stiffnesses: np.ndarray  # scaled, least first; empty where there are too many
    neutral: np.ndarray  # displacements that no force resists, orthonormal columns
    names: tuple[str, ...]  # of coordinates along which these lead
    reason: str


def verdict_of(statics: Statics, place: Place, report: RankReport) -> Verdict:
    """Judge a place of rest; `report` is about its joints."""
    H = statics.stiffness(place.q, place.reference, place.point.multipliers)
    found, stiffnesses = _judged(statics, place, report, H, DIFFERENCES), _stiffnesses(H, report)
    least = float(np.abs(stiffnesses).min(initial=np.inf)) / max(float(abs(H).max()), place.point.size, 1e-300)
    exact = not statics.varies and (found.neutral.size > 0 or not found.decided or least <= CLOSE)
    if exact:
        H = exact_stiffness(statics, place)
        found, stiffnesses = _judged(statics, place, report, H, statics.system.rounding), _stiffnesses(H, report)
    names = neutral_names(statics, found.neutral)
    stable, reason = _of_energy(statics, found, names, exact)
    if has_devices(statics):
        stable, reason = steadiness(statics, place)
    return Verdict(stable, stiffnesses, found.neutral, names, "" if stable is not None else reason)


def neutral_names(statics: Statics, neutral: np.ndarray) -> tuple[str, ...]:
    """A coordinate for each neutral motion: the first that takes nearly as large a part as any."""
    names, left = [], neutral.copy()
    for _ in range(neutral.shape[1]):
        sizes = np.linalg.norm(left, axis=1)
        k = int(np.argmax(sizes >= NAMED * sizes.max()))
        names.append(statics.system.coordinate_name(k))
        line = left[k] / sizes[k]
        left -= np.outer(left @ line, line)
    return tuple(names)


def _judged(statics: Statics, place: Place, report: RankReport, H: Any, precision: float) -> Curvature:
    basis = report.null_space
    if basis is not None and basis.shape[1]:
        basis = np.linalg.qr(basis)[0]
    point, rounding = place.point, statics.system.rounding
    J = None if basis is not None else statics.jacobian(point)
    force = max(point.acting, float(np.abs(point.multipliers).max(initial=0.0)))
    left_over = float(np.abs(point.residual).max(initial=0.0)) + rounding * max(point.size, force)
    return curvature_of(H, J, basis, force, precision=precision, left_over=left_over)


def _of_energy(
    statics: Statics, found: Curvature, names: tuple[str, ...], exact: bool
) -> tuple[bool | None, str]:
    if not found.decided:
        return None, "the iteration for the lowest stiffness did not converge"
    if found.negative:
        return False, ""
    if names:
        if exact:
            return None, "no force resists " + ", ".join(f"the {name}" for name in names)
        return None, f"differences of the forces do not tell the sign of the stiffness along the {names[0]}"
    return True, ""


def _stiffnesses(H: Any, report: RankReport) -> np.ndarray:
    if report.null_space is None:
        return np.zeros(0)
    reduced = report.null_space.T @ (H @ report.null_space)
    return np.linalg.eigvalsh(0.5 * (reduced + reduced.T))
