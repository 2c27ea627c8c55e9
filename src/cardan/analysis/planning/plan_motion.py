"""plan_motion(model, path): the motion along a path that is as fast as limits allow, or smooth.

z(s)  stated        s(t)  computed        |z'| <= V,   |z''| <= A,   low <= force <= high

Limits hold at the points. `warn_of_excess` checks them in between, where motions are quintic polynomials in time and
the path is curved: the mechanism is driven by these motions at three times in each interval, and speeds, accelerations
and forces there are those of inverse dynamics.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from cardan.analysis.planning.path import Path, PathForces, Values, sharpest
from cardan.analysis.planning.planned_motion import PlannedMotion
from cardan.analysis.planning.time_optimal import (
    RISES,
    Limited,
    Profile,
    fastest,
    refined,
    require_rest,
    rise,
    shortest,
    times_of,
)
from cardan.errors import ModelError, SimulationError, warn
from cardan.model import check
from cardan.model.measure import ByMeasure, Readable, readable
from cardan.model.model import Model
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory

PROFILES = ("fastest", *RISES)
SETTLED, ROUNDS = 1e-6, 20  # of a force limit: change of the forces that are not quadratic in speed
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
    those without a limit. `jerks` are for smooth profiles. Limits hold at the ends of `points` intervals; by how much
    they are exceeded in between is `plan.excess`, and more than 1 % is a warning.

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
    points = check.count(points, "points of plan_motion()")
    if points < 10:
        raise ModelError(f"plan_motion() needs at least 10 points, got {points}")
    if jerks and profile == "fastest":
        raise ModelError("the fastest motion has jumps of acceleration: for jerks use profile='quintic' or 'septic'")
    stated = {
        "speeds": _limits(speeds, "speeds"),
        "accelerations": _limits(accelerations, "accelerations"),
        "jerks": _limits(jerks, "jerks"),
        "forces": _limits(forces, "forces", unlimited=True),
    }
    if not any(stated.values()):
        raise ModelError("plan_motion() has no limits; state speeds, accelerations or forces")
    made = Path(model, path, start)
    tau = np.linspace(0.0, 1.0, points + 1)
    close = 0.5 - 0.5 * np.cos(math.pi * tau)  # close at both ends, where s' changes as the root of s
    s, first, second, third = rise(profile, tau) if profile in RISES else (close, tau, tau, tau)
    s[-1] = 1.0
    run = made.motion(s)
    planner = _Planner(run, stated, made.measures)
    if profile == "fastest":
        s, plain = refined(s, [*planner.others, *planner.loads()])
        if plain.any():
            run = made.motion(s)
            planner = _Planner(run, stated, made.measures)
        times, found = planner.fastest(s, plain)
    else:
        bends = _jerks(made, stated["jerks"], s, (first, second, third))
        times, found = planner.shortest((first, second), bends)
    plan = PlannedMotion(run, tuple(made.measures), s, times, found, profile, planner.quantities())
    plan.excess = excess_of(made, plan, stated, planner.actuators)
    warn_of_excess(plan)
    return plan


class _Planner:
    """The limited quantities along a path."""

    def __init__(self, run: Trajectory, stated: dict[str, Any], measures: list[Readable]) -> None:
        self.run, self.size = run, run.times.size
        none = np.zeros(self.size)
        self.top = np.full(self.size, np.inf)  # of s'^2
        self.speeds: list[Limited] = []
        for measure, (low, high) in stated["speeds"].items():
            slope = run[measure].rate
            self.speeds.append(
                Limited(f"the speed of {measure}", _unit(measure, "/s"), none, none, slope, none, low, high)
            )
            with np.errstate(divide="ignore"):
                highest = np.where(
                    slope > 0.0, high / np.abs(slope), np.where(slope < 0.0, -low / np.abs(slope), np.inf)
                )
            self.top = np.minimum(self.top, highest**2)
        self.others: list[Limited] = []
        for measure, (low, high) in stated["accelerations"].items():
            series = run[measure]
            name, unit = f"the acceleration of {measure}", _unit(measure, "/s^2")
            self.others.append(Limited(name, unit, series.rate, series.acceleration, none, none, low, high))
        self.actuators = list(measures)
        if any(measure not in measures for measure in stated["forces"]):
            self.actuators = list(stated["forces"])
        self.limits = [stated["forces"].get(measure, (-math.inf, math.inf)) for measure in self.actuators]
        self.forces = PathForces(run, self.actuators) if stated["forces"] else None
        self.found = None if self.forces is None else self.forces.coefficients()
        self.rest = np.zeros((self.size, len(self.actuators)))

    def fastest(self, s: np.ndarray, plain: np.ndarray) -> tuple[np.ndarray, Profile]:
        """Times and s'^2 of the fastest motion, with constant s'' in `plain` intervals."""

        def found() -> tuple[np.ndarray, Profile]:
            profile = fastest(s, [*self.others, *self.loads()], self.top, plain)
            return times_of(s, profile), profile

        require_rest(s, self.loads())
        return self._settled(found)

    def shortest(
        self, profile: tuple[np.ndarray, np.ndarray], jerks: list[tuple[np.ndarray, float]]
    ) -> tuple[np.ndarray, Profile]:
        """Times and s'^2 of a smooth motion with the shortest duration."""
        first, second = profile
        tau = np.linspace(0.0, 1.0, self.size)

        def found() -> tuple[np.ndarray, Profile]:
            duration = shortest([*self.others, *self.loads()], first, second, self.top, jerks)
            bend = second / duration**2
            return duration * tau, Profile((first / duration) ** 2, bend, bend)

        require_rest(self.run.times, self.loads())
        return self._settled(found)

    def _settled(self, found: Callable[[], tuple[np.ndarray, Profile]]) -> tuple[np.ndarray, Profile]:
        """Repeat until forces that are not quadratic in speed, or depend on time, are those of the motion itself."""
        for _ in range(ROUNDS):
            times, profile = found()
            if self.forces is None or self.found is None:
                return times, profile
            rate = np.sqrt(profile.x)
            rest = self.forces.at(rate, profile.after, times) - self.found.at(rate, profile.after)
            change = np.abs(rest - self.rest).max(axis=0)
            self.rest = rest
            sizes = [max(abs(v) for v in pair) for pair in self.limits]
            if all(one <= SETTLED * size for one, size in zip(change, sizes, strict=True)):
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
                *self.limits[k],
            )
            for k, measure in enumerate(self.actuators)
        ]

    def quantities(self) -> list[Limited]:
        """Everything that is limited, and the forces of all actuators."""
        return [*self.speeds, *self.others, *self.loads()]


def _jerks(
    path: Path, limits: dict[Readable, tuple[float, float]], s: np.ndarray, profile: tuple[np.ndarray, ...]
) -> list[tuple[np.ndarray, float]]:
    """Jerks for a duration of 1: z_sss s'^3 + 3 z_ss s' s'' + z_s s'''; of measures of the path."""
    first, second, third = profile
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
        found.append((values, min(-low, high)))
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


BETWEEN = (0.25, 0.5, 0.75)  # of each interval
NOTABLE = 0.01  # relative to a limit: an excess that is reported

Stated = Mapping[str, Mapping[Readable, tuple[float, float]]]


def excess_of(path: Path, plan: PlannedMotion, stated: Stated, actuators: list[Readable]) -> dict[str, float]:
    """The largest excess of each limited quantity, relative to its limit; 0 of those that stay within."""
    lengths = np.diff(plan.times)
    inside = plan.times[:-1, None] + np.multiply.outer(lengths, BETWEEN)
    times = np.concatenate([[0.0], inside.ravel()])
    run = path.driven(plan.motions, times)
    found = {}
    for kind, word, level in (("speeds", "speed", "rate"), ("accelerations", "acceleration", "acceleration")):
        for measure, limits in stated[kind].items():
            found[f"the {word} of {measure}"] = _beyond(getattr(run[measure], level), limits)
    if stated["forces"]:
        one = np.ones(times.size)
        forces = PathForces(run, actuators).at(one, 0.0 * one, times)
        for k, measure in enumerate(actuators):
            if measure in stated["forces"]:
                found[f"the force along {measure}"] = _beyond(forces[:, k], stated["forces"][measure])
    return found


def warn_of_excess(plan: PlannedMotion) -> None:
    """Warn of limits that are exceeded notably."""
    beyond = {name: part for name, part in plan.excess.items() if part > NOTABLE}
    if beyond:
        listed = ", ".join(f"{name} by {100.0 * part:.2g} %" for name, part in beyond.items())
        warn(
            f"the planned motion of '{plan.run.model.name}' exceeds limits between its points: {listed}; raise points= "
            f"above {plan.s.size - 1}, or reduce these limits"
        )


def _beyond(values: Any, limits: tuple[float, float]) -> float:
    """The largest violation, relative to the limit that is violated, or to the range where that limit is zero."""
    worst = 0.0
    for side, limit in zip((-1.0, 1.0), limits, strict=True):
        if np.isfinite(limit):
            size = abs(limit) or limits[1] - limits[0]
            worst = max(worst, float((side * (np.asarray(values)[1:] - limit)).max()) / size)
    return worst
