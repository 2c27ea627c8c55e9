"""equilibrium(model): the configuration in which weight, springs and loads balance, and the joint reactions there.

Gaps of hard contacts must not become negative, and push where they are closed:

    J^T lambda - g^T p = Q,    z >= below,  p >= 0,  p (z - below) = 0                       p: the force of a contact

The set of closed contacts is found iteratively. The search stops where a gap would become negative: that contact is
closed, which adds an equation, and the search continues from there. If contacts pull in the equilibrium found, the one
that pulls most is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypedDict, Unpack, overload

import numpy as np

from cardan.analysis.assembly.assemble import assembled
from cardan.analysis.assembly.initial_conditions import start_of
from cardan.analysis.assembly.misfit import share_loads
from cardan.analysis.assembly.reversed_axes import reversed_joint
from cardan.analysis.coordinates import coordinates_of
from cardan.analysis.equilibria.descent import descend
from cardan.analysis.equilibria.joint_statics import joint_searches
from cardan.analysis.equilibria.led_rods import led_start
from cardan.analysis.equilibria.newton import brought_back
from cardan.analysis.equilibria.place import Gap, GapCloses, Place, Ways
from cardan.analysis.equilibria.potential import Potential
from cardan.analysis.equilibria.settling import settle
from cardan.analysis.equilibria.states import has_devices, rest, signals_at
from cardan.analysis.equilibria.statics import Statics
from cardan.analysis.equilibria.verdict import distance, falls_there, saturated, verdict_of
from cardan.analysis.forward.checks.shared_loads import warn_of_shared_loads_at
from cardan.analysis.progress import Progress
from cardan.analysis.steady.contacts import CONTACT_CHANGES, impacts_of, pulls_most, undecided, with_contacts
from cardan.analysis.unsupported import warn_of_limits, warn_of_memory
from cardan.deprecation import keyword_only
from cardan.elements.contact.impact import Impact
from cardan.errors import AssemblyError, ModelError, SimulationError, warn
from cardan.model import check
from cardan.model.element import Constraint
from cardan.model.model import Model
from cardan.model.space import displacement
from cardan.numerics.linalg.rank_report import RankReport
from cardan.postprocess.folded_beams import warn_of_folded_beams
from cardan.postprocess.linear_range import warn_of_linear_range
from cardan.results.loads import Loads
from cardan.results.snapshot import Snapshot
from cardan.results.steady.equilibrium import Equilibria, Equilibrium
from cardan.system.compile import compile
from cardan.system.initial_configuration import Start
from cardan.system.system import System

BALANCED = 1e-12  # of the largest force
STEPS = 16  # in which a place at random is reached
SAME = 1e-4  # model lengths, or rad, up to which two positions are the same
TOUCHED = 1e-9  # share of a null vector above which a reaction counts as indeterminate
Search = Callable[[Statics, Place, Ways, float, Progress], Place]

# A search leads from an assembled position to an equilibrium.
SEARCHES: dict[str, Search] = {"energy": descend, "newton": rest, "settle": settle}
METHODS = ("auto", *SEARCHES)


class _Options(TypedDict, total=False):
    """What all searches take."""

    method: str
    start: Snapshot | None
    time: float
    tolerance: float
    seed: int
    coordinates: str
    tree: Sequence[Constraint]
    progress: bool | None


@overload
def equilibrium(model: Model, *, starts: Literal[1] = ..., **options: Unpack[_Options]) -> Equilibrium: ...


@overload
def equilibrium(model: Model, *, starts: int, **options: Unpack[_Options]) -> Equilibrium | Equilibria: ...


@keyword_only("method")
def equilibrium(
    model: Model,
    *,
    method: str = "auto",
    start: Snapshot | None = None,
    time: float = 0.0,
    starts: int = 1,
    tolerance: float = BALANCED,
    seed: int = 0,
    coordinates: str = "auto",
    tree: Sequence[Constraint] = (),
    progress: bool | None = None,
) -> Equilibrium | Equilibria:
    """Find a configuration in which weight, springs and loads balance, with the reactions of all joints.

    `method="energy"` finds the minimum of the potential energy downhill of the stated position: a stable equilibrium.
    `method="newton"` solves the equations of equilibrium near the stated position and finds unstable ones as well;
    states of devices are constant there, and `stable` applies to mechanism and devices together. `method="settle"`
    releases the mechanism and brakes it until it stops: forces need no potential. "auto" is "energy" if all forces have
    a potential; otherwise "newton", and "settle" if that finds no stable equilibrium. Drivers hold their values at
    `time`; forces are those at that time, with all rates zero. With `starts=n` the search starts from n positions, the
    stated one and others scattered around it, and all equilibria found are listed. An `Impact` stays open, or is closed
    and pushes: `rest[impact].force`. With `coordinates="joint"` "energy" and "newton" search in joint coordinates of a
    spanning tree, which contains the joints in `tree`, see `joint_space`.

    >>> from cardan import equilibrium
    >>> from cardan.planar import Body, Model, Revolute, Spring
    >>> model = Model("lamp", gravity=(0, -9.81))
    >>> arm = model.add(Body(mass=2.0, inertia=0.1, center=(0.5, 0)), name="arm")
    >>> hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    >>> spring = model.add(Spring(hinge.angle, 30.0, rest_angle=0.0), name="spring")
    >>> rest = equilibrium(model)
    >>> round(rest[arm].angle, 6), rest.stable, rest[hinge].force.round(9).tolist()
    (-0.311285, True, [0.0, 19.62])
    """
    check.instance(model, Model, "the model of equilibrium()")
    check.choice(method, METHODS, "the method of equilibrium()")
    by = coordinates_of(coordinates, tree, "equilibrium")
    searches = SEARCHES | joint_searches(by.tree) if by.joint else SEARCHES
    time = check.number(time, "the time of equilibrium()")
    starts = check.count(starts, "starts")
    tolerance = check.positive(tolerance, "the tolerance of equilibrium()")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ModelError(
            f"the seed of equilibrium() must be a whole number, zero or more, got {check.short_repr(seed)}"
        )
    if start is not None:
        check.instance(start, Snapshot, "start", hint="assemble() gives one")
    begin = None if start is None else start.as_start(model)
    with Progress("equilibrium", 100, progress) as bar:
        if impacts_of(model):
            _reject_with_impacts(model, method, starts)
            options = method, searches, tolerance, bar
            closed = rest_on_contacts(
                model, time, begin, lambda at, place, ways: found_equilibrium(at, place, ways, *options)
            )
            warn_of_limits(closed.as_trajectory())
            return closed
        system = compile(model, forces=True, time=time, start=begin)
        warn_of_memory(system, "equilibrium()")
        statics = Statics(system, time)
        ways = Ways(statics)
        stated = led_start(statics, ways, ways.start(*assembled(system, time)))
        if stated.point.size == 0.0 and not has_devices(statics) and not _pushes(statics):
            warn(
                f"no force acts on '{model.name}' at t = {time:g} s: every position is an equilibrium; state "
                "masses and gravity, springs or loads"
            )
        if starts == 1:
            found = found_equilibrium(statics, stated, ways, method, searches, tolerance, bar)
            _remark(found, statics, stated, ways, method, tolerance, bar)
            warn_of_linear_range(found)
            warn_of_limits(found.as_trajectory())
            return found
        return _several(statics, stated, ways, (method, searches, starts, tolerance, seed), bar)


def _remark(
    found: Equilibrium, statics: Statics, stated: Place, ways: Ways, method: str, tolerance: float, bar: Progress
) -> None:
    """Warn about an equilibrium far from the start, saturated devices, and forces that depend on how loads are
    shared."""
    system, reference = statics.system, stated.reference.copy()
    reference[system.winding] = found.turns
    warn_of_shared_loads_at(system, found.q, statics.time, reference)
    place = Place(found.q, reference, statics.at(found.q, reference))
    near = found.method == "newton" or (method == "auto" and found.method == "settle")
    far = distance(statics, stated, place, downhill=not near) if near or found.method == "energy" else ""
    if (
        far
        and found.method == "energy"
        and (
            statics.exact  # rods turn far as a matter of course, and many short steps would take long
            or falls_there(statics, stated, place, ways, tolerance, bar)
        )
    ):
        far = ""
    lost = saturated(statics, stated, place, system.states.start)
    words = [f"it is far from the start: {far}"] if far else []
    words += [f"{', '.join(lost)} is saturated there: its output is constant"] if lost else []
    if words:
        warn(
            f"the equilibrium found for '{system.model.name}' may not be the intended one: {'; '.join(words)}. Start "
            "nearer to the intended one"
        )


def _pushes(statics: Statics) -> bool:
    """Whether a force would act in another position, although none does here."""
    laws = statics.system.laws
    return any(w.stiffness or not (w.curve is w.function is w.signal is None) for w in laws)


def found_equilibrium(
    statics: Statics,
    place: Place,
    ways: Ways,
    method: str,
    searches: dict[str, Search],
    tolerance: float,
    bar: Progress,
    stated: np.ndarray | None = None,
) -> Equilibrium:
    """The equilibrium that a search finds; functions count their energy from `stated`, the default initial position."""
    stated = place.reference.copy() if stated is None else stated

    def by(name: str) -> Equilibrium:
        return at_rest(statics, found_place(statics, place, ways, searches[name], tolerance, bar), name, stated)

    if method != "auto":
        return by(method)
    try:
        Potential(statics, stated)
        return by("energy")
    except ModelError:
        pass
    try:
        near = by("newton")
        if near.stable is not False:
            return near
        failure: SimulationError | None = None
    except SimulationError as error:
        failure = error
    try:
        if not ways.gaps:
            return by("settle")
    except SimulationError:
        pass
    if failure is not None:
        raise failure
    return near


def found_place(statics: Statics, place: Place, ways: Ways, search: Search, tolerance: float, bar: Progress) -> Place:
    """The position that a search finds."""
    statics.states[:] = statics.system.states.start
    found = search(statics, place, ways, tolerance, bar)
    return brought_back(statics, place, found, ways, lambda near: rest(statics, near, ways, tolerance, bar))


def _reject_with_impacts(model: Model, method: str, starts: int) -> None:
    """Reject options that are not available with impacts."""
    if method == "settle" or starts > 1:
        asked = "method='settle'" if method == "settle" else f"starts={starts}"
        raise ModelError(
            f"equilibrium() of '{model.name}', which has impacts, does not support {asked}: omit it, or use Contacts "
            "instead"
        )


def at_rest(statics: Statics, place: Place, method: str, stated: np.ndarray) -> Equilibrium:
    """Loads, energy and stability of an equilibrium."""
    system, point = statics.system, place.point
    report = statics.rank(point)
    verdict = verdict_of(statics, place, report)
    try:
        energy = Potential(statics, stated).at(place.q, point)
    except ModelError:
        energy = None
    multipliers, touched = _least_norm(point.multipliers, report)
    multipliers /= system.rows.scale
    share_loads(system, place.q, statics.time, place.reference, multipliers, touched)
    forces = multipliers[None], point.strengths[None], touched, signals_at(statics, place)
    return Equilibrium(
        *(
            system,
            statics.time,
            place.q,
            place.reference[system.winding],
            statics.states.copy(),
            Loads(system, *forces),
        ),
        method=method,
        energy=energy,
        stable=verdict.stable,
        stiffnesses=verdict.stiffnesses / system.length**2,
        neutral=verdict.neutral,
        reason=verdict.reason,
        imbalance=place.imbalance,
    )


def _several(
    statics: Statics, stated: Place, ways: Ways, options: tuple[str, dict[str, Search], int, float, int], bar: Progress
) -> Equilibria:
    """Search from the stated position and from others scattered around it; each equilibrium once, the lowest first."""
    method, searches, starts, tolerance, seed = options
    random = np.random.default_rng(seed)
    found: list[Equilibrium] = []
    failure: SimulationError | None = None
    for k in range(starts):
        place = stated if k == 0 else _scattered(statics, stated, ways, random)
        if place is None:
            continue
        try:
            here = found_equilibrium(statics, place, ways, method, searches, tolerance, bar, stated.reference)
        except SimulationError as error:
            failure = failure or error
            continue
        if not any(_same(statics, here, other) for other in found):
            found.append(here)
        bar.show(100 * (k + 1) // starts)
    if not found:
        raise failure or AssemblyError(f"no start of '{statics.system.model.name}' could be closed", time=statics.time)
    for here in found:
        warn_of_folded_beams(here.as_trajectory())
    return Equilibria(sorted(found, key=lambda rest: np.inf if rest.energy is None else rest.energy), starts)


def _scattered(statics: Statics, stated: Place, ways: Ways, random: np.random.Generator) -> Place | None:
    """The closed place nearest to one at random, up to half a turn and the length of the model away.

    Where a joint would be mounted backward, the place is reached in short steps, each of which is closed.
    """
    step = random.uniform(0.1, 1.0) * random.uniform(-1.0, 1.0, statics.system.coordinates)
    step *= np.where(statics.angular, np.pi, 1.0)
    for parts in (1, STEPS):
        q, reference = stated.q, stated.reference.copy()
        for _ in range(parts):
            q, error, status = ways.closing.nearest(statics.moved(q, step / parts), reference, ways.tolerance)
            if status or not error <= ways.tolerance:
                return None
        if reversed_joint(statics.system, stated.q, q) is None:
            break
    else:
        return None
    try:
        return Place(q, reference, statics.at(q, reference))
    except SimulationError:
        return None


def _same(statics: Statics, rest: Equilibrium, other: Equilibrium) -> bool:
    """Whether two positions are the same, ignoring full turns of bodies."""
    step = statics.system.speeds()
    displacement(statics.system.geometry, rest.q, other.q, step)
    away = step[statics.system.width :] / statics.unit
    away -= 2.0 * np.pi * np.round(away / (2.0 * np.pi)) * statics.angular
    level = abs((rest.energy or 0.0) - (other.energy or 0.0)) <= SAME * max(statics.usual, abs(rest.energy or 0.0))
    return bool(np.abs(away).max() < SAME and level)


def _least_norm(multipliers: np.ndarray, report: RankReport) -> tuple[np.ndarray, np.ndarray]:
    """The multipliers without components along vectors n with J^T n = 0, and which of them have such components."""
    null = np.zeros((len(report.redundant), multipliers.size))
    for line, redundancy in zip(null, report.redundant, strict=True):
        line[redundancy.row] = 1.0
        line[redundancy.rows] = -redundancy.coefficients
    if not null.size:
        return multipliers.copy(), np.zeros(multipliers.size, bool)
    basis = np.linalg.qr(null.T)[0]
    touched = np.abs(basis).max(axis=1) > TOUCHED
    return multipliers - basis @ (basis.T @ multipliers), touched


def rest_on_contacts(
    model: Model, time: float, start: Start | None, find: Callable[[Statics, Place, Ways], Equilibrium]
) -> Equilibrium:
    """The equilibrium of a model with impacts: `find` leads to equilibrium, or to where a gap closes."""
    impacts = impacts_of(model)
    closed: list[Impact] = []
    warn_of_memory(with_contacts(model, closed, time, start), "equilibrium()")
    for _ in range(CONTACT_CHANGES * (1 + len(impacts))):
        system = with_contacts(model, closed, time, start)
        statics = Statics(system, time)
        ways = Ways(statics, gaps=gaps_of(system, [impact for impact in impacts if impact not in closed]))
        try:
            rest = find(statics, ways.start(*assembled(system, time)), ways)
        except GapCloses as met:
            closed.append(met.element)
            start = start_of(system, met.q, met.reference)
            continue
        pulling = pulls_most(rest, closed)
        if pulling is None:
            return rest
        closed.remove(pulling)
        start = rest.as_start(model)
    raise undecided(model, impacts, time)


def gaps_of(system: System, impacts: list[Impact]) -> tuple[Gap, ...]:
    """The gaps of these contacts, by the numbers of their measures."""
    place = {measure: k for k, measure in enumerate(system.measures)}
    return tuple(Gap(i, tuple((c, place[m]) for c, m in i.measure.parts()), i.below) for i in impacts)
