"""steady_motion(model): relative equilibria, in which a mechanism rotates as one rigid body while parts of it spin.

Examples are a governor, a car in a turn, a spinning top, a coin rolling in a circle: relative to axes that rotate with
it, nothing changes. The equations are those of `steady.balance`, solved by Newton's method.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cardan.analysis.assembly.assemble import assembled
from cardan.analysis.assembly.misfit import INDETERMINATE, share_loads
from cardan.analysis.coordinates import coordinates_of
from cardan.analysis.joint.chart import JointChart
from cardan.analysis.progress import Progress
from cardan.analysis.steady.balance import Asked, Balance, Condition
from cardan.analysis.steady.contacts import steady_on_contacts
from cardan.analysis.steady.free import free_quantities
from cardan.analysis.steady.messages import not_found, parts_with_joints, rotating_force_message, too_few
from cardan.analysis.steady.search import Ending, estimate, lasting, open_directions, search
from cardan.analysis.steady.twist import Twist, padded, parts_of
from cardan.analysis.unsupported import warn_of_memory
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.element import Constraint, Element
from cardan.model.force import Law
from cardan.model.marker import Marker
from cardan.model.measure import ByMeasure, Readable, readable, require_value
from cardan.model.model import Model
from cardan.postprocess.linear_range import warn_of_linear_range
from cardan.results.loads import Loads
from cardan.results.snapshot import Snapshot
from cardan.results.steady.steady_motion import SteadyMotion
from cardan.system.system import System

EXACT_BALANCE = 1e-12  # relative to the largest force, similarly for all other equations
LASTS = 1e-5  # relative to the forces, per radian: loss of balance that counts as zero


def steady_motion(
    model: Model,
    spin: float | None = None,
    *,
    axis: ArrayLike = (0.0, 0.0, 1.0),
    through: ArrayLike | None = None,
    travel: ArrayLike | None = None,
    body: RigidBody | Marker | None = None,
    speed: float | None = None,
    radius: float | None = None,
    spinning: Sequence[Constraint | Marker] | Mapping[Any, float | None] = (),
    given: ByMeasure[float] | None = None,
    free: Sequence[Element] = (),
    start: Snapshot | None = None,
    time: float = 0.0,
    tolerance: float = EXACT_BALANCE,
    coordinates: str = "auto",
    tree: Sequence[Constraint] = (),
    progress: bool | None = None,
) -> SteadyMotion:
    """Find the motion near the given position in which the mechanism rotates about an axis as one rigid body.

    `spin` is the constant angular velocity about `axis` through the point `through`, by default the origin; None makes
    it an unknown. `travel` is an additional constant velocity along the axis, or any velocity if spin=0. For a `body`,
    or the point of a marker, `radius` is the distance from the axis, negative if it moves the other way round, and
    `speed` its speed; with a radius the axis is to the left of its x axis, unless `through` is given.

    `spinning` lists hinges that also turn at constant rates, or markers about whose z axis their body spins: in a list
    the rates are unknowns, in a dictionary {hinge: rate} they are given, or unknown if None. `given={measure: value}`
    are conditions, `free` lists holds, drivers and forces whose constant value is unknown. There must be one condition
    for each unknown that neither balance nor joints determine. `simulate(model, ..., start=motion)` continues the
    motion; for a model with free elements, enter the values found first, which `linearize(model, motion)` uses
    automatically. An `Impact` that the motion would pass is closed and pushes, `motion[impact].force`.
    `coordinates="joint"` searches in joint coordinates of a spanning tree, which contains the joints in `tree`.

    >>> from cardan import steady_motion
    >>> from cardan.spatial import Body, Model, Spherical, z
    >>> model = Model("conical pendulum", gravity=(0, 0, -9.81))
    >>> bob = model.add(Body(mass=1.0, position=(0.6, 0, -0.8)), name="bob")
    >>> string = model.add(Spherical(model.ground.at(), bob.at(-0.6, 0, 0.8)), name="string")
    >>> motion = steady_motion(model, given={z(bob.at()): -0.5})
    >>> round(motion.spin, 6), motion[string].force.round(6).tolist()[2]
    (4.429447, 9.81)
    """
    check.instance(model, Model, "the model of steady_motion()")
    time, tolerance = (
        check.number(time, "the time of steady_motion()"),
        check.positive(tolerance, "the tolerance of steady_motion()"),
    )
    by = coordinates_of(coordinates, tree, "steady_motion")
    if start is not None:
        check.instance(start, Snapshot, "start", hint="assemble() gives one")
    keys = _spinning(spinning)
    measures = _given(model, given)
    known, marker = _spin(model, spin, body, speed, radius)
    request = (model, time, keys, measures, known, free, (marker, speed, radius))

    def near(system: System) -> SteadyMotion:
        q, reference = assembled(system, time)
        line = _axis(model, system, q, axis, through, travel, marker, radius, known)
        balance = _balance(request, line, system)
        balance.machine.reference[:] = reference
        if by.joint:
            balance.chart = JointChart(system, time, reference, balance.unit, by.tree)
        stated = start.v if start is not None and start.moves else system.stated_speeds()
        warn_of_memory(system, "steady_motion()")
        with Progress("steady motion", 100, progress) as bar:
            ending = search(balance, q, estimate(balance, q, stated), tolerance, bar)
        motion = _checked(balance, ending)
        motion.given, motion.equations = tuple(key for key, _ in measures), partial(_balance, request, line)
        return motion

    begin = None if start is None else start.as_start(model)
    found = steady_on_contacts(model, time, begin, [Law(key.parts()) for key, _ in measures], near)
    warn_of_linear_range(found)
    return found


def _balance(request: tuple[Any, ...], line: tuple[np.ndarray, np.ndarray, np.ndarray], system: System) -> Balance:
    """The equations of a system that rotates about an axis, with the user's conditions."""
    model, time, keys, measures, known, free, way = request
    twist = Twist(system, *line, parts_of(model, list(keys), system))
    conditions = _conditions(system, measures, twist, *way)
    asked = Asked(known, tuple(keys.values()), free_quantities(model, free, system, time), conditions)
    return Balance(system, twist, asked, time)


def _checked(balance: Balance, ending: Ending) -> SteadyMotion:
    """The result, after checks."""
    if not ending.converged:
        raise not_found(balance, ending, _result(balance, ending, 0))
    still_open = open_directions(balance, ending)
    result = _result(balance, ending, len(still_open))
    drift = np.abs(ending.point.drift).max(initial=0.0) / balance.pace**2
    if drift > LASTS:
        raise parts_with_joints(balance, ending.point, result)
    lost, coordinate = lasting(balance, ending.point)
    if lost > LASTS:
        raise rotating_force_message(balance, lost, coordinate, result)
    if np.abs(still_open[:, balance.system.coordinates :]).max(initial=0.0) > 1e-3:
        raise too_few(balance, still_open, result)
    return result


def _result(balance: Balance, ending: Ending, neutral: int) -> SteadyMotion:
    system, point, asked = balance.system, ending.point, balance.asked
    balance.at(point.q, point.p)
    spin, rates, values = balance.split(point.p)
    states = balance.machine.forces.circuit.states.copy()
    signals = balance.machine.forces.circuit.signals[None].copy()
    touched = _indeterminate(point.J)
    multipliers = ending.multipliers / system.rows.scale
    share_loads(system, point.q, balance.time, point.z, multipliers, touched)
    loads = Loads(system, multipliers[None], point.strengths[None], touched, signals)
    dimensions = system.space.dimensions
    vectors = (balance.twist.axis, balance.twist.through[:dimensions], balance.twist.travel[:dimensions])
    axis, through, travel = (tuple(float(c) for c in vector) for vector in vectors)
    return SteadyMotion(
        *(system, balance.time, (point.q, point.v, point.a, point.z[system.winding], states), loads),
        spin=spin,
        axis=axis,
        through=through,
        travel=travel,
        rates={part.key: rate for part, rate in zip(balance.twist.parts, rates, strict=True)},
        values={item.element: value for item, value in zip(asked.free, values, strict=True)},
        residual=ending.error,
        iterations=ending.iterations,
        neutral=neutral,
    )


def _indeterminate(J: np.ndarray) -> np.ndarray:
    """The rows with indeterminate multipliers: those in vectors n with J^T n = 0."""
    left, sizes, _ = np.linalg.svd(J)
    rank = int(np.sum(sizes > 1e-8 * sizes.max(initial=0.0)))
    return np.asarray(np.abs(left[:, rank:]).max(axis=1, initial=0.0) > INDETERMINATE)


def _spinning(spinning: Any) -> dict[Any, float | None]:
    """The spinning parts, with the given rate or None."""
    if isinstance(spinning, Mapping):
        return {
            key: None if rate is None else check.number(rate, f"the rate of {key} in spinning")
            for key, rate in spinning.items()
        }
    if not isinstance(spinning, Sequence) or isinstance(spinning, str):
        raise ModelError(f"spinning must be a list of hinges or markers, got {check.describe(spinning)}: use brackets")
    if len({id(key) for key in spinning}) < len(spinning):
        raise ModelError("spinning lists the same hinge or marker twice; list it once")
    for key in spinning:
        if not isinstance(key, Hashable):
            raise ModelError(f"spinning takes hinges or markers, got {check.describe(key)}")
    return dict.fromkeys(spinning)


def _given(model: Model, given: Any) -> list[tuple[Readable, float]]:
    """Measures and their prescribed values."""
    if not isinstance(given, Mapping | None):
        raise ModelError(f"given must be a dictionary of measures and values, got {check.describe(given)}")
    found = []
    for key, value in (given or {}).items():
        readable(key, "a key of given")
        require_value(f"the condition on {key}", key)
        if any(marker.body not in model for _, m in key.parts() for marker in m.markers()):
            raise ModelError(f"{key} in given refers to a body that is not part of model '{model.name}'")
        found.append((key, check.number(value, f"the value of {key} in given")))
    return found


def _spin(model: Model, spin: Any, body: Any, speed: Any, radius: Any) -> tuple[float | None, Any]:
    """The spin, if known, and the marker whose speed or radius is given."""
    known = None if spin is None else check.number(spin, "the spin of steady_motion()")
    if speed is None and radius is None:
        if body is not None:
            raise ModelError("steady_motion() has a body, but neither its speed nor its radius: give one of them")
        return known, None
    if not isinstance(body, Marker) and (not isinstance(body, model.body_type) or body is model.ground):
        raise ModelError(
            f"the speed and the radius of steady_motion() are those of a body of '{model.name}', or of a marker on it: "
            f"pass body=, got {check.describe(body)}"
        )
    marker: Any = body if isinstance(body, Marker) else body.at()
    if marker.body not in model or marker.body is model.ground:
        raise ModelError(f"{marker} of steady_motion() is not on a moving body of model '{model.name}'")
    for name, value in (("speed", speed), ("radius", radius)):
        if value is not None and check.number(value, f"the {name} of steady_motion()") == 0.0:
            raise ModelError(
                f"the {name} of steady_motion() must not be zero; use spin=0 with travel= for straight motion"
            )
    if known is not None and speed is not None and radius is not None:
        raise ModelError("steady_motion() takes two of spin, speed and radius: speed = spin times radius; omit one")
    if speed is not None and radius is not None:
        known = float(speed) / float(radius)
    return known, marker


def _axis(
    model: Model,
    system: System,
    q: np.ndarray,
    axis: Any,
    through: Any,
    travel: Any,
    marker: Any,
    radius: float | None,
    spin: float | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The axis, a point on it and the travel, as spatial vectors."""
    dimensions = model.space.dimensions
    direction = np.array(check.vector(axis, 3, "the axis of steady_motion()"))
    if not np.any(direction):
        raise ModelError("the axis of steady_motion() must not be zero; (0, 0, 1) is upward along z")
    direction /= float(np.linalg.norm(direction))
    if dimensions == 2 and np.any(direction[:2]):
        raise ModelError(f"a planar mechanism rotates about (0, 0, 1), not about {check.short_repr(axis)}")
    point = np.zeros(3)
    if through is not None:
        point = padded(np.array(check.vector(through, dimensions, "the point `through` of steady_motion()")))
    elif radius is not None:
        place, axes = system.space.frame(marker, q[None, system.pose_columns(marker.body)])
        left = np.cross(direction, padded(axes[0][:, 0]))
        if float(np.linalg.norm(left)) < 1e-6:
            raise ModelError(f"the x axis of {marker} points along the axis: pass `through`, a point on the axis")
        point = padded(place[0]) + float(radius) * left / float(np.linalg.norm(left))
    moved = np.zeros(3)
    if travel is not None:
        moved = padded(np.array(check.vector(travel, dimensions, "the travel of steady_motion()")))
        if spin != 0.0 and float(np.linalg.norm(np.cross(direction, moved))) > 1e-12 * float(np.linalg.norm(moved)):
            raise ModelError(
                f"a rotating mechanism can only travel along its axis, got travel = {check.short_repr(travel)}: use "
                "spin=0 for straight motion, or move the point `through`"
            )
    return direction, point, moved


def _conditions(
    system: System,
    measures: list[tuple[Readable, float]],
    twist: Twist,
    marker: Any,
    speed: float | None,
    radius: float | None,
) -> tuple[Condition, ...]:
    """The conditions, as gaps to be closed."""
    place = {measure: k for k, measure in enumerate(system.measures)}

    def gap_of(key: Readable, value: float) -> Callable[..., float]:
        terms = [(c, place[m]) for c, m in key.parts()]
        return lambda q, spin, z: sum(c * z[m] for c, m in terms) - value

    found = [
        Condition(f"{key} = {value:g}", key.unit, system.length if key.unit == "m" else 1.0, gap_of(key, value))
        for key, value in measures
    ]
    if radius is not None:
        away = abs(float(radius))
        words = f"radius of {marker} = {away:g} m"
        found.append(Condition(words, "m", system.length, lambda q, spin, z: twist.away(q, marker) - away))
    elif speed is not None:
        pace = float(speed)
        words = f"speed of {marker} = {pace:g} m/s"
        found.append(Condition(words, "m/s", abs(pace), lambda q, spin, z: spin * twist.away(q, marker) - pace))
    return tuple(found)
