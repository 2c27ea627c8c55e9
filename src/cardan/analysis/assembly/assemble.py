"""assemble(model): the position nearest to the given one in which every joint closes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from cardan.analysis.assembly.misfit import MAX_MISFIT, absorb_misfits
from cardan.analysis.assembly.nearest import Closing
from cardan.elements.constraints.driver import Hold
from cardan.errors import AssemblyError, ModelError, warn
from cardan.model import check
from cardan.model.element import Element
from cardan.model.measure import Readable, readable
from cardan.model.model import Model
from cardan.model.space import advance, displacement
from cardan.results.measure_series import measure_series
from cardan.results.snapshot import Displacement, Snapshot
from cardan.system.compile import MAX_MODEL_LENGTH, MIN_MODEL_LENGTH, compile, metric
from cardan.system.evaluate import evaluate_position
from cardan.system.system import System
from cardan.system.tables import Work

CLOSED = 1e-11  # relative to the model's length, angles in rad
ASSEMBLY_RESTARTS = 12
RANDOM_DISTANCE, RANDOM_TURN = (
    0.5,
    0.75 * np.pi,
)  # relative to the model's length, and rad: bodies moved farther by assemble() are named in a warning
FOLLOWS = 1e-10  # weight of a coordinate that follows from others, relative to theirs
NAMED = 4  # number of bodies or equations named in a warning


def assemble(
    model: Model,
    *,
    time: float = 0.0,
    drivers: bool = True,
    hold: Sequence[Readable | Element] = (),
    weights: Mapping[Any, float | Sequence[float]] | None = None,
    length: float | None = None,
    tolerance: float = CLOSED,
) -> Snapshot:
    """Close all joints, moving every body as little as possible from its given position.

    The change is measured by |dr|^2 + length^2 dphi^2 summed over the bodies; `length` is the size of the model by
    default (Haug's metric is 1.0 in the plane, 0.5 in space, where he measures the change of Euler parameters).
    `weights={body: 100.0}` makes a body move less, `weights={body: (1, 1, 100)}` its individual coordinates. With
    `drivers=False` only joints are closed. Measures in `hold` keep their values in the given position, bodies in `hold`
    stay in their given positions:

    >>> from cardan import assemble
    >>> from cardan.planar import Body, Distance, Model, Revolute
    >>> model = Model("four-bar")
    >>> crank = model.add(Body(angle=0.5), name="crank")
    >>> rocker = model.add(Body(position=(2.0, 0.0), angle=1.2), name="rocker")
    >>> pivot = model.add(Revolute(model.ground.at(0, 0), crank.at(0, 0)), name="pivot")
    >>> other = model.add(Revolute(model.ground.at(2, 0), rocker.at(0, 0)), name="other")
    >>> rod = model.add(Distance(crank.at(1, 0), rocker.at(1.5, 0), 2.0), name="rod")
    >>> start = assemble(model, hold=[pivot.angle])  # only the rocker moves; the same with hold=[crank]
    >>> round(start[crank].angle, 9), round(start[rod.distance].value, 9)
    (0.5, 2.0)

    `start.displacements` contains the displacement of each body; a warning names bodies that were moved by more than
    half the size of the model, or rotated by more than 135 degrees. If redundant joints contradict each other within
    the precision of their data (up to 1e-4 of the size, and rad), the offsets of the redundant equations absorb the
    misfit: a warning and `start.misfits` report which ones, and by how much. Every analysis does the same.

    Raises `AssemblyError` with the joints that stay open, and by how much, if they cannot be closed.
    """
    check.instance(model, Model, "the model of assemble()")
    time = check.number(time, "the time of assemble()")
    tolerance = check.positive(tolerance, "the tolerance of assemble()")
    locks = _locks(model, hold)
    system = compile(model, extra=locks, drivers=check.flag(drivers, "drivers"), time=time)
    q, reference = assembled(system, time, _metric(system, weights, length), tolerance)
    found = Snapshot(system, time, q, turns=reference[system.winding])
    found.displacements = _moved_far(system, q)
    return found


def following(system: System, weights: np.ndarray) -> np.ndarray:
    """Weights with which points whose position follows from those of others move, and the others stay."""
    follows = np.repeat([body.follows for body in system.bodies], system.width)
    light = np.concatenate([follows, np.zeros(len(system.contact_coordinates), bool)])
    return np.where(light, FOLLOWS, 1.0) * weights if light.any() else weights


def assembled(
    system: System, time: float, weights: np.ndarray | None = None, tolerance: float = CLOSED
) -> tuple[np.ndarray, np.ndarray]:
    """The assembled position of a system and the turns of its angles; sets floating offsets."""
    tolerance = max(tolerance, system.rounding)
    closable = ~system.on_velocities
    active = (closable & ~system.floating).astype(np.uint8)
    closing = Closing(system, time, following(system, system.weights if weights is None else weights), active)
    known = bool(system.misfits)
    q, reference, error = _nearest_of_several(closing, tolerance)
    exact = max(CLOSED, system.rounding)
    if exact < error <= max(tolerance, MAX_MISFIT):
        error = min(error, absorb_misfits(closing, q, reference, exact))
    if error > tolerance:
        q, reference, error = _nearest_of_several(closing, tolerance, ASSEMBLY_RESTARTS)
    if system.misfits and not known:
        warn_of_misfits(system)
    if error > tolerance:
        failure = _drivers_disagree(closing, tolerance) or _does_not_close(closing, q, reference)
        failure.partial.open = str(failure)
        raise failure
    _settle_offsets(system, q, time, reference, closing.work)
    if not active[closable].all():
        active[closable] = 1
        closing.close(q, reference, tolerance)
    evaluate_position(system.geometry, system.rows, q, time, reference, closing.work)
    reference[:] = closing.work.z[:, 0]
    return q, reference


def warn_of_misfits(system: System) -> None:
    """Name the equations that absorb a misfit, and its size."""
    size = {r: abs(missed) / system.rows.scale[r] for r, missed in system.misfits.items()}
    order = sorted((r for r in size if size[r] >= 0.01 * max(size.values())), key=lambda r: -size[r])
    sizes = {r: quantity(abs(system.misfits[r]), system.equations[r].unit) for r in order[:NAMED]}
    named = [f"{system.row_name(r)} by {missed}" for r, missed in sizes.items()]
    more = f" and {len(order) - NAMED} more equations by less" if len(order) > NAMED else ""
    warn(
        f"the parts of '{system.model.name}' do not fit exactly: redundant joints differ from what the other joints "
        f"imply, {', '.join(named)}{more}. The offsets of these equations absorb the misfit; more exact data, or "
        "joints that are not redundant, avoid this"
    )


def _moved_far(system: System, q: np.ndarray) -> dict[str, Displacement]:
    """The displacement of each body from its given position; warns about large ones."""
    step, width, axes = system.speeds(), system.width, system.space.dimensions
    displacement(system.geometry, system.start, q, step)
    moved = {}
    for k, body in enumerate(system.bodies, 1):
        part = step[width * k : width * (k + 1)]
        moved[body.name] = Displacement(float(np.linalg.norm(part[:axes])), float(np.linalg.norm(part[axes:])))
    far = [n for n, d in moved.items() if d.distance > RANDOM_DISTANCE * system.length or d.angle > RANDOM_TURN]
    if far:
        worst = sorted(far, key=lambda n: -max(moved[n].distance / system.length, moved[n].angle / np.pi))[:NAMED]
        tidy = {n: round(moved[n].distance / system.length, 6) * system.length for n in worst}
        listed = ", ".join(f"'{n}' by {quantity(tidy[n], 'm')} and {moved[n].angle:.3g} rad" for n in worst)
        degrees = " (angles are in radians)" if max(moved[n].angle for n in worst) > 2.0 * np.pi else ""
        warn(
            f"assemble() moved bodies of '{system.model.name}' far from their given positions: {listed}"
            f"{f', and {len(far) - NAMED} more' if len(far) > NAMED else ''}{degrees}; for another assembly mode, give "
            "better positions, or pass hold=[...]"
        )
    return moved


def _nearest_of_several(closing: Closing, tolerance: float, restarts: int = 0) -> tuple[np.ndarray, np.ndarray, float]:
    """Assemble from the estimate; if that fails, from estimates scattered around it, and keep the nearest result.

    Returns the position, the turns of its angles, and the largest error.
    """
    system = closing.system
    random = np.random.default_rng(0)
    best, turns, least, distance = system.start.copy(), system.reference.copy(), np.inf, np.inf
    for attempt in range(restarts + 1):
        start = system.start.copy()
        if attempt:
            advance(system.geometry, start, _scatter(system, random, 0.1 * attempt))
        reference = system.reference.copy()
        q, error, status = closing.nearest(start, reference, tolerance)
        if status:
            raise system.failure(status, closing.time, work=closing.work)
        away = closing.distance(system.start, q)
        closed = error <= tolerance
        if (closed and (least > tolerance or away < distance)) or (not closed and error < least):
            best, turns, least, distance = q, reference, error, away
        if closed and attempt == 0:
            break
    return best, turns, least


def _scatter(system: System, random: np.random.Generator, size: float) -> np.ndarray:
    """A random displacement of all bodies by about `size`, relative to the model's length, and rad."""
    step = system.speeds()
    step[system.width :] = size * system.length / np.sqrt(system.weights) * random.standard_normal(system.coordinates)
    return step


def _settle_offsets(system: System, q: np.ndarray, time: float, reference: np.ndarray, work: Work) -> None:
    """Set the offsets of floating rows to those of the assembled position."""
    evaluate_position(system.geometry, system.rows, q, time, reference, work)
    floating = system.floating
    system.rows.offset[floating] += work.phi[floating]


def _drivers_disagree(closing: Closing, tolerance: float) -> AssemblyError | None:
    """The message if the joints close without the drivers, but not with them; None if they do not close either."""
    system = closing.system
    if not system.driving.any():
        return None
    active = closing.active * ~system.driving
    alone = Closing(system, closing.time, closing.weights, active.astype(np.uint8))
    q, reference, error = _nearest_of_several(alone, tolerance, ASSEMBLY_RESTARTS)
    if error > tolerance:
        return None
    drivers = dict.fromkeys(system.elements[k].name for k in system.owner[system.driving])
    position = Snapshot(system, closing.time, q, turns=reference[system.winding])
    gaps = _driver_gaps(alone, q, reference)
    asked = ", ".join(f"'{name}' is off by {gap}" for name, gap in gaps.items())
    return AssemblyError(
        f"the joints of '{system.model.name}' close at t = {closing.time:g} s, but not together with its drivers: from "
        f"the nearest position {asked}; the drivers contradict each other, or exceed what the joints allow",
        time=closing.time,
        elements=tuple(drivers),
        partial=position,
    )


def _driver_gaps(closing: Closing, q: np.ndarray, reference: np.ndarray) -> dict[str, str]:
    """The deviation of each driver from its prescribed value, with its unit."""
    system = closing.system
    evaluate_position(system.geometry, system.rows, q, closing.time, reference, closing.work)
    off = np.abs(closing.work.phi) > 1e-9 * system.rows.scale
    rows = np.flatnonzero(system.driving & off)
    return {
        system.elements[system.owner[r]].name: quantity(abs(float(closing.work.phi[r])), system.equations[r].unit)
        for r in rows
    }


def _does_not_close(closing: Closing, q: np.ndarray, reference: np.ndarray) -> AssemblyError:
    """The message about a failed assembly: which elements stay open, and by how much."""
    system = closing.system
    closing.least_open(q, reference)
    gaps: dict[int, dict[str, float]] = {}
    for row, k in enumerate(system.owner.tolist()):
        if closing.active[row]:
            unit, of_element, gap = system.equations[row].unit, gaps.setdefault(k, {}), closing.work.phi[row]
            if all(measure.kind == "dot" for _, measure in system.equations[row].terms):  # the sine of an angle
                unit, gap = "rad", np.arcsin(np.clip(gap, -1.0, 1.0))
            of_element[unit] = float(np.hypot(of_element.get(unit, 0.0), gap))
    scaled = {k: max(gap / (system.length if unit == "m" else 1.0) for unit, gap in g.items()) for k, g in gaps.items()}
    worst = sorted(scaled, key=lambda k: -scaled[k])[:4]
    worst = [k for k in worst if scaled[k] > 0.05 * scaled[worst[0]]]
    open_ones = ", ".join(
        f"'{system.elements[k].name}' by {_gap(gaps[k], system.length)}{_direction(closing, q, k)}" for k in worst
    )
    bodies = dict.fromkeys(b.name for k in worst for b in system.elements[k].bodies() if b is not system.model.ground)
    of_bodies = f" of {', '.join(repr(name) for name in bodies)}" if bodies else ""
    return AssemblyError(
        f"the mechanism '{system.model.name}' does not close at t = {closing.time:g} s: at best {open_ones} stay open; "
        f"check the dimensions{of_bodies}, or give better positions",
        time=closing.time,
        elements=tuple(system.elements[k].name for k in worst),
        partial=Snapshot(system, closing.time, q, turns=reference[system.winding]),
    )


def _gap(gaps: dict[str, float], length: float) -> str:
    """The larger of an element's gaps, a length or an angle."""
    unit = max(gaps, key=lambda u: gaps[u] / (length if u == "m" else 1.0))
    return quantity(gaps[unit], unit)


def _direction(closing: Closing, q: np.ndarray, element: int) -> str:
    """The direction of the gap of an element: from a to b in global axes, or the axis about which b is rotated."""
    system, work = closing.system, closing.work
    width, axes, stored = system.width, system.space.dimensions, system.space.stored
    force, torque = np.zeros(axes), np.zeros(width - axes)
    pose = q[:stored]
    for row in np.flatnonzero((system.owner == element) & closing.active.astype(bool)):
        for e in range(system.rows.start[row], system.rows.start[row + 1]):
            measure = system.rows.measure[e]
            wrench = work.phi[row] * work.coefficient[e] * work.jac[measure, width : 2 * width]
            force += wrench[:axes] if system.equations[row].unit == "m" else 0.0
            torque += wrench[axes:] if system.equations[row].unit != "m" else 0.0
            number = system.number[id(system.measures[measure].b.body)]
            pose = q[stored * number : stored * (number + 1)]
    if np.linalg.norm(force) >= system.length * np.linalg.norm(torque):
        return f" along {_unit(force)}" if np.any(force) else ""
    axis = system.space.turning_axis(pose, torque)
    return "" if axis is None else f" about {_unit(axis)}"


def _unit(vector: np.ndarray) -> str:
    rounded = np.round(vector / np.linalg.norm(vector), 3) + 0.0  # no -0
    return f"({', '.join(f'{part:.3g}' for part in rounded)})"


def quantity(value: float, unit: str) -> str:
    """A number with its unit, in mm where that reads better."""
    if unit == "m" and 1e-7 < abs(value) < 0.0995:
        return f"{1e3 * value:.4g} mm"
    return f"{value:.4g} {unit}".strip()


def _locks(model: Model, hold: Any) -> list[Hold]:
    """Holds that keep measures, and all coordinates of bodies, at their given values."""
    if isinstance(hold, str) or not isinstance(hold, Sequence):
        raise ModelError(f"hold must be a list of measures and bodies, got {hold!r}; write hold=[...]")
    measures: list[Readable] = []
    for item in hold:
        if isinstance(item, model.body_type):
            if item not in model:
                raise ModelError(f"{item.title} in hold is not part of model '{model.name}'")
            measures += model.space.fixing(item, model.ground)
        else:
            measures.append(readable(item, "an item of hold in assemble(), unless it is a body,"))
    if not measures:
        return []
    system = compile(model)
    values = measure_series(
        system, measures, np.zeros(1), system.start[None], system.speeds()[None], system.speeds()[None]
    )
    locks = [Hold(measure, float(value[0, 0])) for measure, value in zip(measures, values, strict=True)]
    for lock in locks:
        object.__setattr__(lock, "name", f"hold {lock.measure}")
        lock.check()
    return locks


def _metric(system: System, weights: Mapping[Any, float | Sequence[float]] | None, length: float | None) -> np.ndarray:
    scale = system.length if length is None else check.positive(length, "the length that counts as much as 1 rad")
    if not MIN_MODEL_LENGTH < scale < MAX_MODEL_LENGTH:
        raise ModelError(
            f"the length that counts as much as 1 rad is {scale:g} m, which is outside the range that can be computed"
        )
    result = metric(system.space, len(system.bodies), system.contact_coordinates, scale)
    if not isinstance(weights, Mapping | None):
        raise ModelError(f"weights must be a dictionary of bodies and numbers, got {weights!r}")
    for key, weight in (weights or {}).items():
        body = system.model[key] if isinstance(key, str) else key
        check.instance(body, system.model.body_type, "a key of weights in assemble()")
        first = system.width * (system.body_number(body) - 1)
        if first < 0:
            raise ModelError(f"ground has no weight, got {weight!r}: it does not move")
        result[first : first + system.width] *= _factors(weight, system.width, f"the weight of '{body.name}'")
    return result


def _factors(weight: Any, width: int, what: str) -> tuple[float, ...]:
    """One positive number for all coordinates of a body, or one for each."""
    if isinstance(weight, Real):
        return (check.positive(weight, what),) * width
    factors = check.vector(weight, width, f"{what}, unless it is one number,")
    return tuple(check.positive(factor, what) for factor in factors)
