"""What is said of an equilibrium: whether it is stable, how far from its start, which devices are saturated.

Neutral motions are named, and the reason if stability cannot be decided.

If forces have an energy, its curvatures along the joints decide, see `numerics.curves.curvature`; with devices or
forces without an energy (tires, loads that rotate with a body) the eigenvalues of the motion, see `states`, which also
reveal flutter. Differences of the forces are tried first. If they leave a sign undecided, exact derivatives decide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from cardan.analysis.equilibria.descent import descend
from cardan.analysis.equilibria.newton import displaced
from cardan.analysis.equilibria.place import Place, Ways
from cardan.analysis.equilibria.potential import Potential
from cardan.analysis.equilibria.states import has_devices, steadiness
from cardan.analysis.equilibria.statics import Statics
from cardan.analysis.equilibria.stiffness import EXACTLY_FLAT, exact_stiffness
from cardan.analysis.linear.forces import ForceReading
from cardan.analysis.progress import Progress
from cardan.errors import SimulationError
from cardan.numerics.curves.curvature import Curvature, curvature_of, leading_rows
from cardan.numerics.linalg.bordered import definite
from cardan.numerics.linalg.rank_report import RankReport

DIFFERENCES = 1e-8  # relative to each term: the error of a stiffness from central differences
# relative to the largest stiffness: below it differences, with errors of 1e-10, give less than five digits
CLOSE_TO_NEUTRAL = 1e-5
SKEW = 1e-7  # relative to the stiffnesses of both motions: a larger difference is not symmetric
LEAST_STIFFNESS = 1e-6  # relative to the largest stiffness: rounding hides less
FAR_FROM_START, TURNED = 1.0, 1.0  # model lengths and rad: an equilibrium farther away is not near its start
DOWNHILL = 2.0, 0.75 * math.pi  # the same for a minimum of the energy, to which bodies fall and swing
SHORT_STEP = 0.1  # model lengths and rad: steps so short hardly jump over a minimum
SAME_ENERGY = 1e-6  # of the usual energy: minima of energies so near are one


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
    exact = not statics.varies and (found.neutral.size > 0 or not found.decided or least <= CLOSE_TO_NEUTRAL)
    exact = exact or bool(statics.exact)
    if exact:
        H = exact_stiffness(statics, place)
        found, stiffnesses = _curvature(statics, place, report, H, statics.system.rounding), _stiffnesses(H, report)
    names = tuple(statics.system.coordinate_name(k) for k in leading_rows(found.neutral))
    stable, names, reason = _of_energy(found, names, exact)
    if stable is None and statics.exact and _convex(H, statics.jacobian(place.point)):
        stable, names, reason = True, (), ""
    if has_devices(statics) or (not statics.varies and _without_potential(statics, place, H, report, exact)):
        stable, names, reason = steadiness(statics, place)
    if names:
        reason = "no force resists " + ", ".join(f"the {name}" for name in names)
    return Verdict(stable, stiffnesses, names, "" if stable is not None else reason)


def distance(statics: Statics, start: Place, rest: Place, downhill: bool = False) -> str:
    """The displacements of bodies that are far from the start; an empty string if none are."""
    far, turned_far = DOWNHILL if downhill else (FAR_FROM_START, TURNED)
    system, gone = statics.system, np.abs(displaced(statics, start, rest))
    angular, bodies = statics.angular, system.width * len(system.bodies)
    found = []
    for mask, limit in ((~angular, far), (angular, turned_far)):
        sizes = np.where(mask[:bodies], gone[:bodies], 0.0)
        k = int(np.argmax(sizes >= 0.999 * sizes.max())) if sizes.size else 0  # the first of equal ones
        if sizes.size and sizes[k] > limit:
            amount = f"{math.degrees(sizes[k]):.3g} deg" if mask is angular else f"{sizes[k] * statics.unit[k]:.3g} m"
            found.append(f"{amount} along the {system.coordinate_name(k)}")
    turned = np.abs(rest.reference - start.reference)[system.winding]  # orientations show at most half a turn
    if turned.size and turned.max() > math.pi:
        k = int(np.argmax(turned))
        found = [words for words in found if " deg " not in words]
        found.append(f"{math.degrees(turned[k]):.3g} deg of {system.measures[system.winding[k]]}")
    return " and ".join(found)


def falls_there(statics: Statics, start: Place, rest: Place, ways: Ways, tolerance: float, bar: Progress) -> bool:
    """Whether short steps downhill from the start lead to this minimum of the energy, and not to another one."""
    try:
        nearest = descend(statics, start, ways, tolerance, bar, SHORT_STEP)
    except SimulationError:
        return False
    places = (rest.q, nearest.q), (rest.point, nearest.point)
    return bool(abs(Potential(statics, start.reference).change(*places)[0]) <= SAME_ENERGY * statics.usual)


def saturated(statics: Statics, start: Place, rest: Place, states: np.ndarray) -> list[str]:
    """Elements whose signals are constant at the equilibrium but were not at the start, with these `states`."""
    system = statics.system
    if not system.devices:
        return []
    try:
        before, after = (_following(statics, *at) for at in ((start, states), (rest, statics.states)))
    except SimulationError:  # a device without slopes
        return []
    pairs = zip(system.devices, system.device_owners, strict=True)
    lost = [owner or device for device, owner in pairs if before[id(device)] > after[id(device)]]
    return sorted({element.title for element in lost})


def _convex(H: Any, J: Any) -> bool:
    """Whether the energy is convex along the joints by more than the rounding of exact derivatives."""
    H = sp.csr_array(H)
    return definite(H / float(abs(H).max()) - EXACTLY_FLAT * sp.eye_array(H.shape[0]), J)


def _without_potential(statics: Statics, place: Place, H: Any, report: RankReport, exact: bool) -> bool:
    """Whether the stiffness along the joints is not symmetric, and therefore has no energy."""
    if not _is_skewed(H, report):
        return False
    return exact or _is_skewed(exact_stiffness(statics, place), report)


def _is_skewed(H: Any, report: RankReport) -> bool:
    """Each entry is compared with the stiffnesses of its own two motions: a torque on a slender rod is small relative
    to the stiffness of its axis, but not to that of its bending."""
    basis = report.null_space
    along = sp.coo_array(H if basis is None else basis.T @ (H @ basis))
    if not along.nnz:
        return False
    stiffness = np.abs(along.diagonal())
    size = np.sqrt(stiffness + LEAST_STIFFNESS * float(abs(along).max()))
    skew = sp.coo_array(along - along.T)
    return bool((np.abs(skew.data) > SKEW * size[skew.row] * size[skew.col]).any())


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


def _following(statics: Statics, place: Place, states: np.ndarray) -> dict[int, int]:
    """The number of outputs of each device that are not constant."""
    system = statics.system
    statics.at(place.q, place.reference.copy())
    multipliers = place.point.multipliers / system.rows.scale
    reading = ForceReading(system, statics.time, statics.work.z, states, multipliers, quiet=True)
    found = {}
    for device in system.devices:
        outputs = [device[name] for name in device.outputs]
        found[id(device)] = sum(any(g != 0.0 for g in reading.signal(output)[1].values()) for output in outputs)
    return found
