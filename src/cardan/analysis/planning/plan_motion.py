"""plan_motion(model, path): the motion along a path that is as fast as limits allow, or smooth.

z(s)  stated        s(t)  computed        |z'| <= V,   |z''| <= A,   low <= force <= high

Limits hold at the points and at three places between each two. `excess_of` checks them in between, where motions are
quintic polynomials in time and the path is curved; where they are exceeded, the plan is repeated with margins.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from cardan.analysis.planning.excess import LIMIT_TOLERANCE, Excess, excess_of, warn_of_excess
from cardan.analysis.planning.path import Path, PathForces, Values, sharpest
from cardan.analysis.planning.planned_motion import PlannedMotion
from cardan.analysis.planning.time_optimal import (
    PARTS_OF_INTERVAL,
    RISES,
    Limited,
    Profile,
    divided,
    fastest,
    place_of,
    refined,
    require_rest,
    rise,
    shortest,
    times_of,
)
from cardan.errors import ModelError, SimulationError
from cardan.model import check
from cardan.model.measure import ByMeasure, Readable, readable
from cardan.model.model import Model
from cardan.results.snapshot import Snapshot

PROFILES = ("fastest", *RISES)
REPAIRS = 6  # of motions that exceed limits
FORCE_TOLERANCE, FORCE_ROUNDS = 1e-6, 20  # of a force limit: change of the forces that are not quadratic in speed
FORCE_UNITS = {"m": "N", "rad": "N m"}

Limits = ByMeasure[float | Sequence[float]]


def plan_motion(
    model: Model,
    path: Values,
    *,
    profile: str = "fastest",
    speeds: Limits | None = None,
    accelerations: Limits | None = None,
    jerks: Limits | None = None,
    forces: Limits | None = None,
    start: Snapshot | None = None,
    points: int = 400,
) -> PlannedMotion:
    """The motion of a mechanism along a path, from rest to rest, within limits of speed, acceleration and force.

    `path` has the values of each measure at some points, as many measures as degrees of freedom: joint angles or
    coordinates of a hand. The path is the cubic spline through the points, a straight line for two. Drivers of the
    model are replaced.

    `profile="fastest"` is time-optimal: at each time some limit is reached. "quintic" and "septic" are polynomials s(t)
    with continuous acceleration, or jerk, and the shortest duration within limits. Limits are numbers, or (low, high),
    for any measures. `forces` are those of actuators along measures of the path, or along as many others, with None for
    those without a limit. `jerks` are for smooth profiles. Limits hold to 1e-4 of them at six times in each of `points`
    intervals; what exceeds them is in `plan.excess`, and more is a warning.

    `plan.motions` has a motion for each measure, for drivers; `inverse_dynamics` then gives all loads.

    >>> from cardan import plan_motion
    >>> from cardan.planar import Body, Model, Translational
    >>> model = Model("cart")
    >>> cart = model.add(Body(mass=2.0, inertia=1.0), name="cart")
    >>> rail = model.add(Translational(model.ground.at(), cart.at()), name="rail")
    >>> plan = plan_motion(model, {rail.travel: [0.0, 1.0]}, forces={rail.travel: 8.0})
    >>> round(plan.duration, 6)                          # 2 sqrt(m L / F)
    1.0
    >>> plan_motion(model, {rail.travel: [0.0, 1.0]}, profile="quintic", speeds={rail.travel: 1.875}).duration
    1.0
    """
    check.instance(model, Model, "the model of plan_motion()")
    if start is not None:
        check.instance(start, Snapshot, "start of plan_motion()", hint="assemble() gives one")
    check.choice(profile, PROFILES, "the profile of plan_motion()")
    if check.count(points, "points of plan_motion()") < 10:
        raise ModelError(f"plan_motion() needs at least 10 points, got {points}")
    if jerks and profile == "fastest":
        raise ModelError("the fastest motion has jumps of acceleration: for jerks use profile='quintic' or 'septic'")
    stated = _stated(speeds=speeds, accelerations=accelerations, jerks=jerks, forces=forces)
    made = Path(model, path, start)
    tau = np.linspace(0.0, 1.0, points + 1)
    if profile in RISES:
        knots = made.with_knots(rise(profile, tau)[0])
        tau = divided(np.array([place_of(profile, s) for s in knots]))
        s, *derivatives = rise(profile, tau)
        planner = _Planner(made, s, stated)
        bends = _jerks(made, stated["jerks"], s, derivatives)

        def found() -> tuple[np.ndarray, Profile]:
            return planner.shortest(tau, derivatives, bends)
    else:
        close = 0.5 - 0.5 * np.cos(math.pi * tau)  # close at both ends, where s' changes as the root of s
        coarse = _Planner(made, made.with_knots(close), stated)
        nodes, plain = refined(coarse.s, [*coarse.others, *coarse.loads()])
        s = divided(nodes)
        planner = _Planner(made, s, stated)

        def found() -> tuple[np.ndarray, Profile]:
            return planner.fastest(plain)

    require_rest(s, planner.loads())
    for _ in range(REPAIRS):
        plan = PlannedMotion(planner.run, tuple(made.measures), s, *found(), profile, planner.quantities())
        excess = excess_of(made, plan, stated, planner.actuators)
        plan.excess = {name: float(part.relative.max()) for name, part in excess.items()}
        if max(plan.excess.values(), default=0.0) <= LIMIT_TOLERANCE:
            return plan
        planner.keep(excess)
    warn_of_excess(plan)
    return plan


def _stated(**limits: Limits | None) -> dict[str, Any]:
    """The limits of each kind of quantity, checked."""
    stated = {name: _limits(given, name, unlimited=name == "forces") for name, given in limits.items()}
    if not any(stated.values()):
        raise ModelError("plan_motion() has no limits; state speeds, accelerations or forces")
    return stated


class _Planner:
    """The limited quantities along a path, at positions s."""

    def __init__(self, path: Path, s: np.ndarray, stated: dict[str, Any]) -> None:
        self.s, self.stated, self.run = s, stated, path.motion(s)
        none = np.zeros(s.size)
        self.margins: dict[str, np.ndarray] = {}
        self.speeds: list[Limited] = []
        for measure, (low, high) in stated["speeds"].items():
            name, unit = f"the speed of {measure}", _unit(measure, "/s")
            self.speeds.append(Limited(name, unit, none, none, self.run[measure].rate, none, low, high, none))
        self.others: list[Limited] = []
        for measure, (low, high) in stated["accelerations"].items():
            series = self.run[measure]
            name, unit = f"the acceleration of {measure}", _unit(measure, "/s^2")
            self.others.append(Limited(name, unit, series.rate, series.acceleration, none, none, low, high, none))
        self.actuators = list(path.measures)
        if any(measure not in path.measures for measure in stated["forces"]):
            self.actuators = list(stated["forces"])
        self.limits = [stated["forces"].get(measure, (-math.inf, math.inf)) for measure in self.actuators]
        self.forces = PathForces(self.run, self.actuators) if stated["forces"] else None
        self.found = None if self.forces is None else self.forces.coefficients()
        self.rest = np.zeros((s.size, len(self.actuators)))

    def keep(self, excess: dict[str, Excess]) -> None:
        """Widen the margins of limits by what exceeds them in each interval."""
        for name, part in excess.items():
            beyond = np.repeat(part.values, PARTS_OF_INTERVAL)
            wider = np.maximum(np.append(beyond, 0.0), np.insert(beyond, 0, 0.0))
            self.margins[name] = self.margins.get(name, 0.0) + wider

    def top(self) -> np.ndarray:
        """The largest s'^2 that speeds allow."""
        found = np.full(self.s.size, np.inf)
        for one in self.bounded(self.speeds):
            low, high = one.limits
            slope = one.delta
            with np.errstate(divide="ignore"):
                highest = np.where(
                    slope > 0.0, high / np.abs(slope), np.where(slope < 0.0, -low / np.abs(slope), np.inf)
                )
            found = np.minimum(found, highest**2)
        return found

    def bounded(self, limited: list[Limited]) -> list[Limited]:
        """With margins."""
        return [one._replace(margin=self.margins.get(one.name, one.margin)) for one in limited]

    def fastest(self, plain: np.ndarray) -> tuple[np.ndarray, Profile]:
        """Times and s'^2 of the fastest motion, with constant s'' in `plain` intervals."""

        def found() -> tuple[np.ndarray, Profile]:
            profile = fastest(self.s, self.bounded([*self.others, *self.loads()]), self.top(), plain)
            return times_of(self.s, profile), profile

        return self._settled(found)

    def shortest(
        self, tau: np.ndarray, derivatives: list[np.ndarray], jerks: list[tuple[str, np.ndarray, float]]
    ) -> tuple[np.ndarray, Profile]:
        """Times and s'^2 of a smooth motion with the shortest duration."""
        first, second, _ = derivatives
        none = np.zeros(self.s.size)

        def found() -> tuple[np.ndarray, Profile]:
            rooms = [(values, np.maximum(limit - self.margins.get(name, none), 0.0)) for name, values, limit in jerks]
            duration = shortest(self.bounded([*self.others, *self.loads()]), first, second, self.top(), rooms)
            bend = second / duration**2
            return duration * tau, Profile((first / duration) ** 2, bend, bend)

        return self._settled(found)

    def _settled(self, found: Callable[[], tuple[np.ndarray, Profile]]) -> tuple[np.ndarray, Profile]:
        """Repeat until forces that are not quadratic in speed, or depend on time, are those of the motion itself."""
        for _ in range(FORCE_ROUNDS):
            times, profile = found()
            if self.forces is None or self.found is None:
                return times, profile
            rate = np.sqrt(profile.x)
            rest = self.forces.at(rate, profile.after, times) - self.found.at(rate, profile.after)
            change = np.abs(rest - self.rest).max(axis=0)
            self.rest = rest
            sizes = [max(abs(v) for v in pair) for pair in self.limits]
            if all(one <= FORCE_TOLERANCE * size for one, size in zip(change, sizes, strict=True)):
                return times, profile
        raise SimulationError(
            f"forces of '{self.run.model.name}' depend too strongly on speed or time: plan_motion() does not settle; "
            "remove dry friction from the model and reduce the limits by it"
        )

    def loads(self) -> list[Limited]:
        """Forces of actuators."""
        if self.found is None:
            return []
        return [
            Limited(
                f"the force along {measure}",
                FORCE_UNITS.get(measure.unit, ""),
                self.found.alpha[:, k],
                self.found.beta[:, k],
                self.found.delta[:, k],
                self.found.gamma[:, k] + self.rest[:, k],
                low,
                high,
                np.zeros(self.s.size),
            )
            for k, (measure, (low, high)) in enumerate(zip(self.actuators, self.limits, strict=True))
        ]

    def quantities(self) -> list[Limited]:
        """Everything that is limited, and the forces of all actuators."""
        return [*self.speeds, *self.others, *self.loads()]


def _jerks(
    path: Path, limits: dict[Readable, tuple[float, float]], s: np.ndarray, derivatives: list[np.ndarray]
) -> list[tuple[str, np.ndarray, float]]:
    """Jerks for a duration of 1: z_sss s'^3 + 3 z_ss s' s'' + z_s s'''; of measures of the path."""
    first, second, third = derivatives
    found = []
    for measure, (low, high) in limits.items():
        if measure not in path.measures:
            raise ModelError(f"{measure} in jerks is not a measure of the path; state jerks of its measures only")
        curve = path.curves[path.measures.index(measure)]
        _, slope, bend = curve.derivatives(s)
        sharp = sharpest(curve)
        values = 3.0 * bend * first * second + slope * third
        if sharp is not None:
            values = values + sharp(s) * first**3
        found.append((f"the jerk of {measure}", values, min(-low, high)))
    return found


def _limits(stated: Any, what: str, unlimited: bool = False) -> dict[Readable, tuple[float, float]]:
    """Limits as pairs (low, high)."""
    found = {}
    for measure, limit in check.instance({} if stated is None else stated, Mapping, f"{what} of plan_motion()").items():
        readable(measure, f"a measure in {what} of plan_motion()")
        if limit is None and unlimited:
            found[measure] = (-math.inf, math.inf)
            continue
        pair = limit.tolist() if isinstance(limit, np.ndarray) else limit
        if isinstance(pair, Sequence) and not isinstance(pair, str):
            low, high = check.vector(pair, 2, f"{what} of {measure}")
        else:
            high = check.positive(pair, f"{what} of {measure}")
            low = -high
        if not low < high or (what != "forces" and not low < 0.0 < high):
            raise ModelError(f"{what} of {measure} must have a low limit below a high one, got {low:g} to {high:g}")
        found[measure] = (float(low), float(high))
    return found


def _unit(measure: Readable, suffix: str) -> str:
    return f"{measure.unit}{suffix}"
