"""Exact derivatives at an equilibrium: its stiffness, and the growth or decay of deviations.

    H = (Phi_q^T lambda)_q - Q_q          K of `linear.equations`, scaled as `statics` is
    x' = A x                              positions, speeds and states of devices

Searches need H at every step and only approximately: they use differences of compiled loops, with errors of 1e-10 of
the largest stiffness. If that does not decide stability, the interpreter runs the kernels on dual numbers here: this
compiles nothing, but takes about as long as the search itself.

The differences move a body by 1e-5 of the size of the model. Forces between near neighbors, such as the n elements of a
rod of length L, change direction over L / n: the error is (1e-5 n)^2, while the lowest stiffness of the rod is 1 / n^2
of that against stretching, times the square of its slenderness. With beams the descent uses exact derivatives, with
which much softer directions count as stiff.
"""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.sparse as sp

from cardan.analysis.equilibria.place import Place
from cardan.analysis.equilibria.statics import Statics
from cardan.analysis.linear.equations import Equations
from cardan.analysis.linear.free import Free
from cardan.analysis.linear.pattern import MatrixPattern
from cardan.analysis.linear.point import LinearizationPoint
from cardan.analysis.steady.balance import Balance
from cardan.system.forces import force_table

FLAT, EXACTLY_FLAT = 1e-9, 1e-15  # curvature relative to the largest that counts as zero


def needs_exact(statics: Statics) -> bool:
    """Whether differences are too inaccurate for searches: there are beams, and no devices or load factor."""
    if statics.exact is None:
        beams = any(measure.kind == "helix" for law in statics.system.laws for _, measure in law.terms)
        statics.exact = beams and not (statics.varies or statics.system.devices or statics.system.samplers)
    return statics.exact


def search_stiffness(statics: Statics, place: Place, multipliers: np.ndarray) -> tuple[Any, float]:
    """H for a search, with the curvature, relative to its largest entry, that counts as zero."""
    if not needs_exact(statics):
        return statics.stiffness(place.q, place.reference, multipliers, place.point), FLAT
    loaded = Place(place.q, place.reference, replace(place.point, multipliers=multipliers))
    H = exact_stiffness(statics, loaded)
    if place.point.chart is not None:
        H = place.point.chart[1].T @ (H @ place.point.chart[1])
    return H, EXACTLY_FLAT


def exact_stiffness(statics: Statics, place: Place) -> Any:
    """H at an equilibrium without a load factor, an array or, if large, a sparse matrix."""
    unit = sp.diags_array(statics.unit)
    found = sp.csr_array(unit @ equations_at(statics, place).K @ unit)
    return statics.fitting(found)


def exact_rates(statics: Statics, place: Place) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A, the scaled displacements of its states, and the indices of the devices' states, which come last.

    Raises ModelError if there is a motion without mass.
    """
    equations = equations_at(statics, place)
    system, point = statics.system, equations.point
    point.free = Free(system, equations.J, statics.unit)
    rates = equations.state_matrix(equations.response())
    shown = np.zeros((statics.unit.size, rates.shape[1]))
    shown[:, : equations.Z.count] = equations.Z.scaled
    return rates, shown, equations.states


def exact_balance(
    statics: Statics, reference: np.ndarray, balance: Balance, point: Any, multipliers: np.ndarray
) -> np.ndarray:
    """The exact version of `balance.matrix`, for a mechanism at rest whose devices read no reactions or samples."""
    system, unit, moving = statics.system, balance.unit, balance.moving
    statics.states[moving] = point.p
    place = Place(point.q, reference, statics.at(point.q, reference.copy()))
    place.point.multipliers = multipliers
    equations = equations_at(statics, place)
    parts, steps = equations.reading.columns.parts, balance.steps[balance.unknowns - moving.size :]
    rates = equations.reading.state_rates()[moving]
    by_q = sp.csr_array(rates[:, parts["value"]] @ equations.value + rates[:, parts["rate"]] @ equations.rate)
    by_x = rates[:, parts["state"]].toarray()[:, moving]
    push = sp.csr_array(equations.push @ equations.laws[:, parts["state"]]).toarray()[:, moving]
    n, x, m = unit.size, moving.size, multipliers.size
    matrix = np.zeros((n + int(balance.closed.sum()) + system.row_count + x, n + x + m))
    matrix[:n, :n] = unit[:, None] * equations.K.toarray() * unit / balance.size
    matrix[:n, n : n + x] = unit[:, None] * push * steps / balance.size
    matrix[:n, n + x :] = point.J.T
    matrix[n : n + int(balance.closed.sum()), :n] = point.J[balance.closed]
    changing = np.concatenate([by_q.toarray() * unit, by_x * steps], axis=1)
    matrix[matrix.shape[0] - x :, : n + x] = changing / (balance.pace * system.states.scale[moving])[:, None]
    return matrix


def equations_at(statics: Statics, place: Place) -> Equations:
    """The linearized equations at a position, evaluated by the loops of `statics`."""
    system, work = statics.system, statics.work
    statics.at(place.q, place.reference)
    if statics.exact_tables is None:
        made = SimpleNamespace(work=work, forces=force_table(system), matter=statics.matter)
        statics.exact_tables = made, MatrixPattern(system, made, compiled=False)
    made, pattern = statics.exact_tables
    still, multipliers = system.speeds(), place.point.multipliers / system.rows.scale
    point = LinearizationPoint(
        *(system, made, statics.time, place.q, still, still, place.reference, statics.states, multipliers),
        *(place.point.strengths, "rest", np.zeros(3), 0.0, 0.0, ""),
        free=None,  # type: ignore[arg-type]  # found where it is asked for
    )
    return Equations(point, (), pattern)
