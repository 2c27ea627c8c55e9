"""initial_conditions(model, positions, velocities): a state from which a motion can start.

    Phi(q, t0) = 0,  Phi^I(q) = 0         Phi_q v = nu,  B^I v = nu^I            (Haug 6.3.25 to 6.3.27, 7.2.4, 7.2.5)

There must be as many conditions of each kind as degrees of freedom, and both [Phi_q; Phi^I_q] and [Phi_q; B^I] must
have full rank in the position found: then exactly one state satisfies them. Redundant joints are allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from cardan.analysis.assembly.assemble import CLOSED, assembled, quantity
from cardan.analysis.assembly.mobility import Mobility, mobility_at
from cardan.analysis.assembly.nearest import LAST_REGULARIZATION
from cardan.counts import counted
from cardan.elements.constraints.driver import Hold
from cardan.errors import AssemblyError, ModelError, warn
from cardan.model import check
from cardan.model.measure import Readable, readable
from cardan.model.model import Model
from cardan.numerics.linalg.ldlt import solve
from cardan.numerics.linalg.rank import SINE
from cardan.numerics.linalg.rank_report import RankReport, Redundancy, rank_report
from cardan.results.measure_series import measure_series
from cardan.results.snapshot import Snapshot
from cardan.system.balance import balance
from cardan.system.compile import compile
from cardan.system.evaluate import evaluate_position, factorize_soft
from cardan.system.initial_configuration import Start
from cardan.system.system import System
from cardan.system.turns import values_of

AGREED = 1e-8  # relative to the largest speed: allowed contradiction of dependent drivers
SPEED_ROUNDING = 1e-13  # relative to the largest speed: rounding
FREE_WEIGHT = 1e-10  # weight of a velocity left at zero, relative to a given one
LARGE_CHANGE = 1e-3  # relative to the largest speed: larger changes of given velocities are reported


@dataclass(frozen=True, eq=False)
class _Condition(Hold):
    """A condition on the initial state, considered after joints and drivers, in the order given."""

    drives: ClassVar[bool] = True
    of_body: bool = field(default=False, kw_only=True)  # omitted if the joints determine it


def initial_conditions(
    model: Model,
    positions: Mapping[Any, float | None] | None = None,
    velocities: Mapping[Any, float | None] | None = None,
    *,
    time: float = 0.0,
    tolerance: float = CLOSED,
) -> Snapshot:
    """Compute an initial state in which measures have given values and rates.

    `positions={hinge.angle: 0.3, x(tip): 1.2}` and `velocities={hinge.angle: 2.0}` contain one value for each
    undriven degree of freedom, of any measures, not necessarily the same ones. A body instead of a measure,
    `{crank: None}`, keeps its given position or velocity as far as the joints allow. Without `positions` the assembled
    position nearest to the given one is used; without `velocities` the measures of `positions` have zero rates. Without
    both, the given velocities are changed by the least amount that satisfies the joints.

    >>> from cardan import initial_conditions
    >>> from cardan.planar import Body, Model, Revolute, x
    >>> model = Model("pendulum")
    >>> rod = model.add(Body(mass=1.0, inertia=0.1, angle=-1.0), name="rod")
    >>> hinge = model.add(Revolute(model.ground.at(), rod.at()), name="hinge")
    >>> start = initial_conditions(model, {x(rod.at(2, 0)): 1.0}, {hinge.angle: 3.0})
    >>> round(start[rod].angle, 6), round(start[rod].angular_velocity, 9)
    (-1.047198, 3.0)
    """
    check.instance(model, Model, "the model of initial_conditions()")
    time = check.number(time, "the time of initial_conditions()")
    tolerance = check.positive(tolerance, "the tolerance of initial_conditions()")
    places, rates = _stated(model, positions, "positions"), _stated(model, velocities, "velocities")
    system = compile(model, time=time)
    q, reference = assembled(system, time, tolerance=tolerance)
    found_mobility = mobility_at(system, q, time, reference, np.zeros(system.row_count))
    if positions is not None:
        q, reference = _placed(system, q, reference, places, found_mobility, time, tolerance)
    if velocities is not None or positions is not None:
        still: list[tuple[Any, float | None]] = [(key, 0.0) for key, _ in places]
        v = _moving(system, q, reference, rates if velocities is not None else still, found_mobility, time)
    else:
        v = consistent_velocities(system, q, system.stated_speeds(), time, reference)
    return Snapshot(system, time, q, v, turns=reference[system.winding])


def consistent_velocities(
    system: System, q: np.ndarray, v: np.ndarray, time: float, reference: np.ndarray
) -> np.ndarray:
    """The velocities nearest to v, in the metric of the system, that joints and drivers allow: Phi_q v = nu.

    Velocities left at zero follow the others. Warns if given velocities change noticeably.
    """
    weights = _stated_first(system, v)
    gap, found = _projected(system, q, v, time, reference, weights)
    size = np.sqrt(system.weights) / system.length
    change = np.abs(found - v)[system.width :] * size
    change[weights < system.weights] = 0.0
    fastest = max(float(np.abs(u[system.width :] * size).max()) for u in (v, found))
    if np.any(v) and change.max() > LARGE_CHANGE * fastest:
        worst, row = int(np.argmax(change)), int(np.argmax(np.abs(gap) / system.rows.scale))
        before, after = (round(float(u[system.width + worst]), 12) + 0.0 for u in (v, found))  # no -0
        warn(
            f"the given velocities of '{system.model.name}' violate its joints: {system.row_name(row)} would separate "
            f"at {quantity(abs(float(gap[row])), system.equations[row].unit)}/s; they are changed as little as "
            f"possible, most of all that of {system.coordinate_name(worst)}, from {before:.6g} to {after:.6g}; use "
            "initial_conditions() for consistent velocities"
        )
    return found


def _stated_first(system: System, v: np.ndarray) -> np.ndarray:
    """Weights that keep given velocities, or angular velocities, and let those left at zero follow."""
    if not np.any(v):
        return system.weights
    width, angular = system.width, np.array(system.space.angular)
    moves = np.zeros(system.coordinates, bool)
    for k in range(len(system.bodies)):
        twist = v[width * (k + 1) : width * (k + 2)]
        moves[width * k : width * (k + 1)] = np.where(angular, np.any(twist[angular]), np.any(twist[~angular]))
    return np.where(moves, 1.0, FREE_WEIGHT) * system.weights


def _projected(
    system: System,
    q: np.ndarray,
    v: np.ndarray,
    time: float,
    reference: np.ndarray,
    weights: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """nu - Phi_q v, and v + dv with [[W, J^T], [J, 0]] [dv; .] = [0; nu - J v]: O(n), redundant rows included."""
    work, active = system.work(), np.ones(system.row_count, np.uint8)
    status = int(evaluate_position(system.geometry, system.rows, q, time, reference, work))
    if status:
        raise system.failure(status, time, work=work)
    rows, columns, values, _ = system.jacobian(work)
    nu, found, nc, place = work.nu.copy(), v.copy(), system.coordinates, system.solver.place
    gaps = []
    factorize_soft(
        system.rows, system.solver, system.weights if weights is None else weights, active, LAST_REGULARIZATION, work
    )
    for _ in range(4):  # refined three times
        gaps.append(nu - np.bincount(rows, values * found[system.width + columns], nu.size))
        work.x[:] = 0.0
        work.x[place[nc:]] = gaps[-1]
        solve(system.solver.pattern, work.lower, work.pivots, work.x)
        found[system.width :] += work.x[place[:nc]]
    left = np.abs(gaps[-1])
    asked = max(np.abs(nu).max(initial=0.0), np.abs(gaps[0]).max(initial=0.0))
    rounding = SPEED_ROUNDING * float(np.max(np.abs(found[system.width :]) * np.sqrt(system.weights)))
    if left.max(initial=0.0) > AGREED * asked + rounding:
        row = int(np.argmax(left))
        raise ModelError(
            f"{system.row_name(row)} contradicts the other drivers and joints of '{system.model.name}' at "
            f"t = {time:g} s: it prescribes a velocity that differs by "
            f"{quantity(float(left[row]), system.equations[row].unit)}/s from the one they imply; remove or change it",
            elements=(system.elements[system.owner[row]].name,),
            time=time,
        )
    return gaps[0], found


def _placed(
    system: System,
    q: np.ndarray,
    reference: np.ndarray,
    stated: list[tuple[Any, float | None]],
    found_mobility: Mobility,
    time: float,
    tolerance: float,
) -> tuple[np.ndarray, np.ndarray]:
    """The position that satisfies joints and conditions, with the values of the system's measures there."""
    model = system.model
    conditions = _conditions(system, stated)
    near = compile(model, extra=conditions, time=time, start=start_of(system, q, reference))
    J = _equations(near, q, time, near.reference)[0]
    dependent = {near.elements[near.owner[r.row]]: r for r in _rank(near, J, _later(near)).redundant}
    conditions = [c for c in conditions if not (c.of_body and c in dependent)]
    if len(conditions) > found_mobility.undriven:
        culprit = next((c for c in conditions if c in dependent), conditions[-1])
        raise _dependent(near, "positions", culprit, dependent.get(culprit), found_mobility)
    held = compile(model, extra=conditions, time=time)
    try:
        q, reference = assembled(held, time, tolerance=tolerance)
    except AssemblyError as failure:
        raise _unmet_conditions(model, conditions, failure) from None
    report = mobility_at(held, q, time, reference, np.zeros(held.row_count))
    J = _equations(held, q, time, reference)[0]
    for redundancy in _rank(held, J, _later(held)).redundant:
        if held.elements[held.owner[redundancy.row]] in conditions:
            raise _dependent(held, "positions", held.elements[held.owner[redundancy.row]], redundancy, found_mobility)
    if len(conditions) < found_mobility.undriven:
        raise _too_few(
            model, "positions", len(conditions), found_mobility.undriven, report.independent, report.free_coordinates
        )
    again = compile(model, time=time, start=start_of(held, q, reference))
    work = again.work()
    evaluate_position(again.geometry, again.rows, q, time, again.reference, work)
    system.rows.offset[:] = again.rows.offset
    return q, work.z[:, 0].copy()


def _moving(
    system: System,
    q: np.ndarray,
    reference: np.ndarray,
    stated: list[tuple[Any, float | None]],
    found_mobility: Mobility,
    time: float,
) -> np.ndarray:
    """The velocities that satisfy joints and conditions."""
    measured = [(key, value) for key, value in stated if isinstance(key, Readable)]
    conditions = _conditions(system, measured)
    held = compile(system.model, extra=conditions, time=time, start=start_of(system, q, reference))
    J, nu = _equations(held, q, time, held.reference)
    first = system.row_count
    nu[first:] = [0.0 if value is None else value for _, value in measured]
    units, rates = _body_rates(system, [(key, value) for key, value in stated if not isinstance(key, Readable)])
    J, nu = sp.csr_array(sp.vstack([J, units])), np.concatenate([nu, rates])
    later = np.concatenate([_later(held), np.full(rates.size, 3)])
    report = _rank(system, J, later)
    kept = len(conditions) + rates.size
    for redundancy in report.redundant:
        row = redundancy.row
        if first <= row < held.row_count:
            raise _dependent(held, "velocities", held.elements[held.owner[row]], redundancy, found_mobility)
        kept -= row >= held.row_count
        gap = abs(float(nu[row] - redundancy.coefficients @ nu[redundancy.rows]))
        if row < first and gap > AGREED * float(np.abs(nu).max()):
            raise ModelError(
                f"{held.row_name(row)} contradicts the other drivers and joints of '{system.model.name}' at "
                f"t = {time:g} s: it prescribes a different velocity than they imply"
            )
    if kept < found_mobility.undriven:
        names = tuple(system.coordinate_name(int(c)) for c in report.independent)
        raise _too_few(
            system.model, "velocities", kept, found_mobility.undriven, names, found_mobility.free_coordinates
        )
    v = system.speeds()
    v[system.width :] = _least_change(system, J, nu, report)
    return v


def _stated(model: Model, given: Any, word: str) -> list[tuple[Any, float | None]]:
    """Measures with their values, and bodies of the model."""
    if not isinstance(given, Mapping | None):
        raise ModelError(
            f"{word} of initial_conditions() must be a dictionary of measures and values, got {check.describe(given)}"
        )
    found: list[tuple[Any, float | None]] = []
    for key, value in (given or {}).items():
        if isinstance(key, model.body_type):
            if key not in model or key is model.ground:
                raise ModelError(f"{key.title} in {word} is not a moving body of model '{model.name}'")
            if value is not None:
                raise ModelError(
                    f"{key.title} in {word} keeps its given state: its value must be None, got "
                    f"{check.short_repr(value)}, or use measures"
                )
            found.append((key, None))
        else:
            readable(key, f"a key of {word} in initial_conditions(), unless it is a body,")
            if any(marker.body not in model for _, m in key.parts() for marker in m.markers()):
                raise ModelError(f"{key} in {word} refers to a body that is not part of model '{model.name}'")
            found.append((key, check.number(value, f"the value of {key} in {word}")))
    return found


def _conditions(system: System, stated: list[tuple[Any, float | None]]) -> list[_Condition]:
    """Holds for the values; for bodies one per coordinate, angles first because they characterize a link best."""
    conditions = []
    for key, value in stated:
        if isinstance(key, Readable):
            conditions.append(_Condition(key, 0.0 if value is None else value))
        else:
            measures = sorted(system.space.fixing(key, system.model.ground), key=lambda m: m.unit != "rad")
            at_rest = system.speeds()[None]
            values = measure_series(system, measures, np.zeros(1), system.start[None], at_rest, at_rest)
            pairs = zip(measures, values, strict=True)
            conditions += [_Condition(m, float(found[0, 0]), of_body=True) for m, found in pairs]
    for condition in conditions:
        object.__setattr__(condition, "name", f"condition on {condition.measure}")
        condition.check()
    return conditions


def _body_rates(system: System, stated: list[tuple[Any, float | None]]) -> tuple[sp.csr_array, np.ndarray]:
    """Rows for the velocities of bodies, and these velocities."""
    columns, values = [], []
    angular = np.array(system.space.angular)
    for body, value in stated:
        places = np.concatenate([np.flatnonzero(angular), np.flatnonzero(~angular)])
        columns += (system.width * (system.body_number(body) - 1) + places).tolist()
        values += (system.space.twist(body)[places] if value is None else 0.0 * places).tolist()
    shape = (len(columns), system.coordinates)
    ones = np.ones(len(columns))
    return sp.csr_array(sp.coo_array((ones, (np.arange(len(columns)), columns)), shape=shape)), np.array(values, float)


def _equations(system: System, q: np.ndarray, time: float, reference: np.ndarray) -> tuple[sp.csr_array, np.ndarray]:
    """Phi_q and nu."""
    work = system.work()
    status = int(evaluate_position(system.geometry, system.rows, q, time, reference, work))
    if status:
        raise system.failure(status, time, work=work)
    return system.jacobian_matrix(work), work.nu.copy()


def _later(system: System) -> np.ndarray:
    """The order in which rows are considered: joints, drivers, conditions on measures, conditions on bodies."""
    kinds = [system.elements[k] for k in system.owner]
    return np.array([2 + e.of_body if isinstance(e, _Condition) else int(e.drives) for e in kinds], int)


def _rank(system: System, J: sp.csr_array, order: np.ndarray | None = None) -> RankReport:
    key = system.driving.astype(int) if order is None else order
    entries = J.tocoo()
    weights = balance(system, entries.row, entries.col, entries.data)
    return rank_report(J, key, weights=weights, tolerance=SINE)


def _least_change(system: System, J: sp.csr_array, right: np.ndarray, report: RankReport) -> np.ndarray:
    """The smallest x, in the metric W, with J x = right: [[W, J^T], [J, 0]] [x; .] = [0; right] on independent rows."""
    kept = np.setdiff1d(np.arange(J.shape[0]), [r.row for r in report.redundant])
    rows, n = J[kept], system.coordinates
    unit = system.unit
    scaled = sp.csr_array(rows @ sp.diags_array(unit))
    factors = splu(sp.csc_array(sp.block_array([[sp.eye_array(n), scaled.T], [scaled, None]])))
    x = factors.solve(np.concatenate([np.zeros(n), right[kept]]))[:n]
    x += factors.solve(np.concatenate([np.zeros(n), right[kept] - scaled @ x]))[:n]
    return np.asarray(x * unit)


def start_of(system: System, q: np.ndarray, reference: np.ndarray) -> Start:
    rows = zip(system.equations, system.rows.offset.tolist(), strict=True)
    offsets = {equation: offset for equation, offset in rows if equation.period}
    return Start(q, values_of(system, reference[system.winding]), offsets, system.named_misfits)


def _too_few(
    model: Model, word: str, given: int, wanted: int, free: tuple[str, ...], offers: tuple[str, ...]
) -> ModelError:
    hint = f", or {', '.join(offers[:3])}" if offers else ""
    return ModelError(
        f"'{model.name}' has {counted(wanted, 'degree of freedom')}, but {word} give {given or 'none'}: still free "
        f"{'is' if len(free) == 1 else 'are'}, for instance, {', '.join(free[:3])}; give it{hint}"
    )


def _dependent(
    system: System, word: str, culprit: Any, redundancy: Redundancy | None, found_mobility: Mobility
) -> ModelError:
    """The error about a condition that is redundant or contradictory."""
    rows = () if redundancy is None else redundancy.rows
    others = [system.elements[system.owner[r]] for r in rows if r < system.row_count]
    words = [str(e.measure) if isinstance(e, _Condition) else f"'{e.name}'" for e in others if e is not culprit]
    given = f" depends on {', '.join(dict.fromkeys(words))}" if words else " does not depend on the configuration here"
    count = counted(found_mobility.undriven, "degree of freedom")
    return ModelError(
        f"{word} of '{system.model.name}', which has {count}, contain too many or dependent conditions: "
        f"{culprit.measure}{given}; omit it, or use another measure"
    )


def _unmet_conditions(model: Model, conditions: list[_Condition], failure: AssemblyError) -> AssemblyError:
    """The error of the assembly in terms of conditions instead of drivers."""
    own = [c for c in conditions if c.name in failure.elements]
    if not own:
        return failure
    asked = ", ".join(f"{c.measure} = {c.value:g}" for c in own)
    return AssemblyError(
        f"the initial positions of '{model.name}' contradict each other: with {asked} its joints do not close; change "
        "one of these values, or give better positions of the bodies",
        time=failure.time,
        elements=failure.elements,
        partial=failure.partial,
    )
