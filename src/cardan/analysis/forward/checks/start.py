"""Checks of the start of a run. Initial accelerations must satisfy the equations of motion, evaluated independently:

    M a + h + J^T lambda - Q = 0        for each body or, in joint coordinates, along each motion of the spanning tree
        J a - gamma = 0                     for all engaged equations, including those set aside
    n - rank J                          degrees of freedom, as `mobility` counts them

This costs as much as a few evaluations, once. Errors are relative to the terms that must cancel. Bodies must not
overlap, and tolerances be neither below rounding nor too loose for the size of the bodies:

eps |r|        rounding of a position r, which is larger far from the origin
rtol L         default tolerance of positions: L is the size of the whole model
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from cardan.analysis.assembly.misfit import MAX_MISFIT
from cardan.analysis.forward.state import Evidence, Run, snapshot
from cardan.counts import counted
from cardan.errors import SimulationError, warn
from cardan.model.force import Force
from cardan.model.space import inertia_forces
from cardan.numerics.linalg.rank import independent_rows
from cardan.results.measure_series import measure_series
from cardan.system.balance import balance
from cardan.system.cartesian.masses import mass_matrix
from cardan.system.cartesian.softness import lengths_of
from cardan.system.evaluate import evaluate_position
from cardan.system.system import System

LARGEST_ERROR = 1e-6  # largest error, relative to the terms of an equation
IGNORED_ERROR = 1e-9  # relative to the largest terms of all equations, in balanced units: smaller errors are ignored
DOUBT = 10.0  # sines within this factor of the rank limit may count either way
SHARE_THAT_MATTERS = 1e-3  # share of an equation below which an element does not matter
MAX_ROWS_RANKED = 400  # largest number of rows for which the rank is computed again


Missed: TypeAlias = tuple[str, tuple[str, ...]]  # description of the error, and the elements concerned


def check_start(run: Run) -> None:
    """Raise an error that names the body or the equation if the accelerations at the start are wrong."""
    system, found = run.system, run.formulation.evidence(run)
    work = found.work
    rows, columns, values, _ = system.jacobian(work)
    J, scale = system.jacobian_matrix(work), balance(system, rows, columns, values)
    now = snapshot(run)
    engaged = run.machine.engaged.astype(bool)
    usual = max(float(np.max(np.abs(part) / scale, initial=0.0)) for part in (now.a[system.width :], _freely(run, now)))
    floor = np.full(system.row_count, IGNORED_ERROR)
    floor[found.aside[~system.driving[found.aside]]] = MAX_MISFIT  # tolerance of positions at the end
    missed = (
        _rows(system, J, work.gamma, now.a[system.width :], floor * (abs(J) @ (usual * scale)), np.flatnonzero(engaged))
        or _forces(run, found, J, now, scale)
        or _check_degrees_of_freedom(run, found.degrees_of_freedom, J[engaged], scale)
    )
    if missed is not None:
        what, elements = missed
        time, name = run.now, system.model.name
        way_out = f"{found.way_out}, or bring the masses and lengths of its bodies closer together"
        aside = {system.elements[system.owner[r]].name for r in found.aside}
        nearly = [element for element in elements if element in aside]
        if nearly:
            way_out = (
                f"other joints imply it nearly, but not exactly: make '{nearly[0]}' fit them exactly (aligned hinges "
                "need one axis), or replace it by a joint with fewer constraints"
            )
        raise SimulationError(
            f"at t = {time:.6g} s the accelerations of '{name}' are inaccurate: they violate {what}; {way_out}",
            time=time,
            elements=elements,
        )


def _rows(
    system: System, J: sp.csr_array, gamma: np.ndarray, a: np.ndarray, floor: np.ndarray, numbers: np.ndarray
) -> Missed | None:
    """Check J a = gamma for the given rows; errors below `floor` are ignored."""
    left, terms = np.abs(J @ a - gamma)[numbers], (abs(J) @ np.abs(a) + np.abs(gamma))[numbers]
    worst = _worst(left, terms, floor[numbers])
    if worst is None:
        return None
    row = int(numbers[worst])
    name = system.elements[system.owner[row]].name
    return f"equation {system.row_name(row)} by {left[worst] / terms[worst]:.2g} of its terms", (name,)


def _forces(run: Run, found: Evidence, J: sp.csr_array, now: Any, scale: np.ndarray) -> Missed | None:
    """Check M a + h + J^T lambda = Q, along all coordinates of bodies or along the motions of the run."""
    system, tables = run.system, run.machine
    whole, still = _inertia(run, now, now.a), _inertia(run, now, 0.0 * now.a)
    applied, sizes = _applied(system, tables)
    left = (whole + applied)[system.width :] - J.T @ found.multipliers
    terms = (np.abs(still) + np.abs(whole - still) + sizes)[system.width :] + abs(J).T @ np.abs(found.multipliers)
    added, allowed = found.added, LARGEST_ERROR * found.added  # removed by refinement
    usual = float(np.max((terms + added) * scale, initial=0.0))
    if found.motions is not None:
        allowed = 2.0 * found.added @ np.abs(found.motions)  # not removed in a tree
        left, terms, added = left @ found.motions, terms @ np.abs(found.motions), added @ np.abs(found.motions)
        scale = 1.0 / np.maximum(np.abs(found.motions / scale[:, None]).max(axis=0, initial=0.0), 1e-300)
    worst = _worst(np.abs(left), terms, IGNORED_ERROR * usual / scale + allowed)
    if worst is None:
        return None
    body, name = worst // system.width, system.coordinate_name(worst) if found.motions is None else found.names[worst]
    names = (system.bodies[body].name,) if found.motions is None and body < len(system.bodies) else ()
    return f"the balance of forces along {name} by {abs(left[worst]) / terms[worst]:.2g} of them", names


def _worst(left: np.ndarray, terms: np.ndarray, floor: np.ndarray) -> int | None:
    """The equation with the largest error relative to its terms; None if all are within the limit."""
    bad = ~(left <= LARGEST_ERROR * terms + floor)
    return int(np.argmax(np.where(bad, left / np.maximum(terms, 1e-300), -1.0))) if bad.any() else None


def _inertia(run: Run, now: Any, a: np.ndarray) -> np.ndarray:
    """Weight and inertia forces of all bodies with accelerations a; contact coordinates have none."""
    system, found = run.system, run.system.speeds()
    inertia_forces(system.geometry, run.machine.matter, run.machine.gravity, now.q, now.v, a, found)
    return found


def _freely(run: Run, now: Any) -> np.ndarray:
    """Approximate accelerations that the forces would cause without constraints."""
    system, tables = run.system, run.machine
    force = _inertia(run, now, 0.0 * now.a) + _applied(system, tables)[0]
    masses = mass_matrix(system, tables.matter, now.q).diagonal()
    heavy = np.flatnonzero(masses > 0.0)
    found = np.zeros(system.coordinates)
    found[heavy] = force[system.width + heavy] / masses[heavy]
    return found


def _applied(system: System, tables: Any) -> tuple[np.ndarray, np.ndarray]:
    """Generalized forces of all laws at their current values, and the sums of the magnitudes of their terms."""
    forces, total, sizes = tables.forces, system.speeds(), system.speeds()
    law = np.repeat(np.arange(tables.strength.size), np.diff(forces.start.astype(np.int64)))
    if law.size:
        parts = -(tables.strength[law] * forces.coefficient)[:, None] * tables.work.jac[forces.measure]
        places = forces.columns[forces.measure].astype(np.int64)
        np.add.at(total, places, parts)
        np.add.at(sizes, places, np.abs(parts))
    total[: system.width] = sizes[: system.width] = 0.0  # on ground
    return total, sizes


def _warn_of_doubtful_rows(run: Run, free: int, J: np.ndarray, limit: float) -> None:
    """Warn of equations whose sine to the span of others is near the limit: on which side of it they are may depend on
    the coordinates."""
    from cardan.numerics.linalg.rank_report import rank_report

    system, engaged = run.system, np.flatnonzero(run.machine.engaged)
    for row, others, coefficients in rank_report(J, tolerance=limit * DOUBT, independent=False).redundant:
        sine = float(np.linalg.norm(J[row] - coefficients @ J[others]) / np.linalg.norm(J[row]))
        if sine > limit / DOUBT:
            share = np.abs(coefficients) * np.linalg.norm(J[others], axis=1)
            owners = system.owner[engaged[others[share > SHARE_THAT_MATTERS * share.max()]]]
            names = ", ".join(dict.fromkeys(f"'{system.elements[k].name}'" for k in owners))
            warn(
                f"{system.row_name(int(engaged[row]))} nearly depends on {names}: the sine is {sine:.1e}, and below "
                f"{limit:.1e} it counts as dependent. Whether '{system.model.name}' can move hinges on it, in other "
                f"coordinates perhaps differently; this run begins with {counted(free, 'degree of freedom')}. Make the "
                f"dimensions exact, or state rank_tolerance={(sine / DOUBT) ** 2:.0e} to keep the equation"
            )


def _check_degrees_of_freedom(run: Run, free: int, J: sp.csr_array, scale: np.ndarray) -> Missed | None:
    """Check the number of degrees of freedom against the rank of all equations."""
    if not J.shape[0] or J.shape[0] > MAX_ROWS_RANKED or run.machine.settings.rank_tolerance <= 0.0:
        return None
    limit, dense = float(np.sqrt(run.machine.settings.rank_tolerance)), J.toarray()
    least, most = (
        J.shape[1] - independent_rows(dense, scale, tolerance=tolerance).size
        for tolerance in (limit / DOUBT, limit * DOUBT)
    )
    if least <= free <= most:
        if least < most:
            _warn_of_doubtful_rows(run, free, dense * scale, limit)
        return None
    return f"degrees of freedom, of which the equations leave {least} and the run has {free}", ()


TOUCHING = 1e-9  # relative to the model's length: rounding for bodies that just touch
PASSING = 0.5  # of the thickness of a sheet: steps close gaps by this much, a passing step begins or ends this deep


def reject_penetration(system: System, q: np.ndarray, reference: np.ndarray, time: float) -> None:
    """Reject initial positions in which a guarded gap is negative, or warn if the element allows it; the same for all
    other measures that must be in a range at the start of a run."""
    guards, slack = system.guards(), TOUCHING * system.length
    begins = [(force, begin) for force in dict.fromkeys(system.forces) for begin in force.begins()]
    if not guards and not begins:
        return
    work = system.work()
    status = int(evaluate_position(system.geometry, system.rows, q, time, reference, work))
    if status:
        raise system.failure(status, time, work=work)
    for force, guard in guards:
        depth = -float(work.z[system.measures.index(guard.gap), 0])
        if depth > slack:
            what = f"starts with its bodies {depth:.4g} m inside each other at t = {time:g} s"
            _report(force, what, "move them apart, start from equilibrium(),", guard.allowed, time)
    still, turns = system.speeds()[None], work.z[system.winding, 0][None]
    measures = [begin.measure for _, begin in begins]
    tables = measure_series(system, measures, np.array([time]), q[None], still, still, turns) if measures else []
    for (force, begin), table in zip(begins, tables, strict=True):
        value = float(table[0, 0])
        if not begin.low - slack <= value <= begin.high + slack:
            _report(force, f"{begin.beyond(value)} at t = {time:g} s", begin.out, begin.allowed, time)


def warn_of_passing(system: System, deepest: np.ndarray) -> None:
    """Warn about bodies that penetrated a sheet so deeply at the end of a step that they may have passed it."""
    for (force, guard), depth in zip(system.guards(), deepest, strict=True):
        if depth > PASSING * guard.through:
            warn(
                f"{force.title} had a penetration of {depth:.4g} m; at {guard.through:.4g} m a body passes through an "
                "open surface and is pushed out on the other side: increase the stiffness, give the surface a "
                "thickness, or close it"
            )


def _report(force: Force, what: str, out: str, allowed: bool, time: float) -> None:
    message = f"{force.title} {what}"
    if allowed:
        warn(message)
        return
    raise SimulationError(f"{message}: {out} or pass allow_penetration=True", time=time, elements=(force.name,))


MAX_SPREAD = 1e5  # times the size of its largest body: beyond this the tolerance is too loose for the bodies
VISIBLE_ROUNDING = 0.1  # relative to the tolerance: less rounding is not visible


def warn_of_lost_digits(system: System, rtol: float, atol: float | None) -> None:
    """Warn if rounding of positions exceeds their tolerance, or if the tolerance is a large part of a body's size."""
    name, length = system.model.name, system.length
    allowed = rtol * length if atol is None else atol
    rounded = system.rounding * length / 16.0
    if rounded > VISIBLE_ROUNDING * allowed:
        far = rounded / float(np.finfo(float).eps)
        warn(
            f"'{name}' is {far:.3g} m from the origin, where positions are rounded to {rounded:.1g} m, but a "
            f"tolerance of {allowed:.1g} m is requested: results cannot be more accurate; move the origin closer"
        )
    bodies = lengths_of(system)
    largest = float(bodies.max(initial=0.0))
    if atol is None and 0.0 < MAX_SPREAD * largest < length:
        warn(
            f"'{name}' reaches {length:.3g} m, its largest body {largest:.3g} m: the tolerance of positions is rtol "
            f"times the reach, {allowed:.1g} m; pass atol, in m, for a smaller one"
        )
