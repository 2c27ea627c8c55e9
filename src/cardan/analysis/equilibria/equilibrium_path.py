"""equilibrium_path(model, load): the equilibrium as a function of one load, past the folds where it turns back.

    factor |      .--. fold
           |    .'    '.       .'
           |  .'        '-...-' fold
           +--------------------------- q

(q, factor) is parametrized by arc length: at a fold the factor turns back while the position continues, and the
equations are regular there (Keller's pseudo-arclength method).

    [ H     J^T   -Q1 ] [ dq     ]   [Q - J^T lambda]
    [ J      0     0  ] [ lambda ] = [    -Phi      ]        Q = Q0 + factor Q1
    [ t_q^T  0   t_f  ] [ factor ]   [      0       ]        t the tangent of the path
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.optimize import brentq
from scipy.sparse.linalg import splu

from cardan.analysis.assembly.assemble import assembled
from cardan.analysis.coordinates import coordinates_of
from cardan.analysis.equilibria.equilibrium import BALANCED, SEARCHES, at_rest
from cardan.analysis.equilibria.joint_statics import JointStatics, JointWays, joint_searches
from cardan.analysis.equilibria.newton import newton
from cardan.analysis.equilibria.place import Place, Ways
from cardan.analysis.equilibria.statics import SOFT, Statics
from cardan.analysis.progress import Progress
from cardan.errors import Interrupted, ModelError, SimulationError, warn
from cardan.model import check
from cardan.model.element import Constraint
from cardan.model.force import Force
from cardan.model.model import Model
from cardan.results.snapshot import Snapshot
from cardan.results.steady.equilibrium import Equilibrium
from cardan.results.steady.load_path import LoadPath
from cardan.system.compile import compile

CORRECTIONS = 10
LEAST = 1e-7  # step below which the path counts as ended
BEND = 0.8  # cosine between tangents of neighboring points


@dataclass
class _Stop:
    """A point of the path: its position, load factor and tangent, the latter as a step and a change of the factor."""

    place: Place
    factor: float
    step: np.ndarray
    growth: float


def equilibrium_path(
    model: Model,
    load: Force | str,
    factors: tuple[float, float] = (0.0, 1.0),
    *,
    step: float = 0.05,
    points: int = 500,
    method: str = "energy",
    start: Snapshot | None = None,
    time: float = 0.0,
    tolerance: float = BALANCED,
    coordinates: str = "auto",
    tree: Sequence[Constraint] = (),
    progress: bool | None = None,
) -> LoadPath:
    """Follow the equilibrium while `load` is multiplied by a factor that grows from factors[0] to factors[1].

    `load` is a force of the model, or "gravity". `path.factors` are the factors of the points computed, `path[thing]`
    reads any quantity at all of them, `path.stable` marks the stable ones, and `path.folds` are the equilibria at which
    the factor turns back. `step` limits the distance of neighboring points: relative to the model's length, in rad,
    and as a fraction of the range of factors. With `coordinates="joint"` the path is followed in joint coordinates of a
    spanning tree, which contains the joints in `tree`, see `joint_space`.
    """
    check.instance(model, Model, "the model of equilibrium_path()")
    _check_load(model, load)
    first, last = check.vector(factors, 2, "the factors of equilibrium_path()")
    if first == last:
        raise ModelError(f"the factors of equilibrium_path() must differ, got {first:g} twice")
    check.choice(method, tuple(SEARCHES), "the method of equilibrium_path()")
    by = coordinates_of(coordinates, tree, "equilibrium_path")
    searches = SEARCHES | joint_searches(by.tree) if by.joint else SEARCHES
    step, points = check.positive(step, "the step of equilibrium_path()"), check.count(points, "points")
    time = check.number(time, "the time of equilibrium_path()")
    tolerance = check.positive(tolerance, "the tolerance of equilibrium_path()")
    if start is not None:
        check.instance(start, Snapshot, "start", hint="assemble() gives one")
    system = compile(model, forces=True, time=time, start=None if start is None else start.as_start(model))
    q, reference = assembled(system, time)
    statics = Statics(system, time, load, first)
    ways = Ways(statics)
    stated = ways.start(q, reference)
    with Progress("equilibrium path", points, progress) as bar:
        place = searches[method](statics, stated, ways, tolerance, bar)
        follower = _Follower(statics, ways, (first, last), tolerance, stated.reference)
        if by.joint:
            place = follower.by_joints(place, by.tree)
        try:
            return follower.run(place, step, points, bar)
        except KeyboardInterrupt:
            if not follower.rests:
                raise
            raise follower.interrupted() from None


class _Follower:
    def __init__(
        self, statics: Statics, ways: Ways, factors: tuple[float, float], tolerance: float, stated: np.ndarray
    ) -> None:
        self.statics, self.ways, self.tolerance, self.stated = statics, ways, tolerance, stated
        self.whole = statics  # of all bodies, in any coordinates of the path
        self.first, self.last = factors
        self.range = self.last - self.first
        self.rests: list[Equilibrium] = []
        self.factors: list[float] = []
        self.folds: list[tuple[float, Equilibrium]] = []

    def by_joints(self, place: Place, tree: Sequence[Constraint]) -> Place:
        """Follow the path in joint coordinates; returns the position in these."""
        joints = JointStatics(self.whole, place, tree)
        self.statics, self.ways = joints, JointWays(joints, self.ways)
        return joints.begin

    def run(self, place: Place, longest: float, points: int, bar: Progress) -> LoadPath:
        stop = self._with_tangent(place, self.first, np.zeros(self.statics.size), 1.0)
        self._keep(stop)
        length = longest
        while len(self.rests) < points:
            bar.show(len(self.rests))
            following, corrections = self._found(stop, length)
            if following is None or _cosine(stop, following) < BEND:
                length *= 0.5
                if length < LEAST:
                    raise self._ended(stop)
                continue
            if stop.growth * following.growth < 0.0:
                self._locate_fold(stop, length)
            if (following.factor - self.last) * (stop.factor - self.last) <= 0.0:
                self._keep(self._reach(stop, following))
                return self._result()
            stop = following
            self._keep(stop)
            length = min(longest, length * (1.5 if corrections <= 4 else 1.0 if corrections <= 6 else 0.5))
        warn(
            f"the path of '{self.statics.system.model.name}' ended after {points} points at a factor of "
            f"{stop.factor:g}, before {self.last:g}: increase points= or step="
        )
        return self._result()

    def _found(self, stop: _Stop, length: float) -> tuple[_Stop | None, int]:
        """The next point; None if it is not found, a force has no value or the path is singular."""
        try:
            return self._next(stop, length)
        except SimulationError:
            return None, CORRECTIONS

    def _next(self, stop: _Stop, length: float) -> tuple[_Stop | None, int]:
        """The point of the path at a distance `length` along the tangent; None if it cannot be found."""
        factor = stop.factor + length * stop.growth * self.range
        self._load(factor)
        place = self.ways.moved(stop.place, length * stop.step)
        for k in range(CORRECTIONS):
            if place is None:
                break
            if place.imbalance <= self.tolerance:
                return self._with_tangent(place, factor, stop.step, stop.growth), k
            found = self._solved(place, stop.step, stop.growth, -place.point.residual, -place.point.phi, 0.0)
            if found is None or max(np.abs(found[0]).max(), abs(found[1])) > 10.0 * max(length, LEAST):
                break
            factor += found[1] * self.range
            self._load(factor)
            before, place = place.imbalance, self.ways.moved(place, found[0])
            if place is not None and k > 2 and before < 1e3 * self.tolerance and place.imbalance >= before:
                return self._with_tangent(place, factor, stop.step, stop.growth), k  # stopped by rounding
        return None, CORRECTIONS

    def _with_tangent(self, place: Place, factor: float, step: np.ndarray, growth: float) -> _Stop:
        """The point with the tangent that continues in the direction (step, growth), with a largest component of 1."""
        found = self._solved(place, step, growth, np.zeros(step.size), np.zeros(place.point.phi.size), 1.0)
        if found is None:
            raise SimulationError(
                f"the path of '{self.statics.system.model.name}' meets a singular equilibrium at a factor of "
                f"{factor:g}, where several paths cross; start from another position",
                time=self.statics.time,
            )
        size = max(float(np.abs(found[0]).max(initial=0.0)), abs(found[1]))
        return _Stop(place, factor, found[0] / size, found[1] / size)

    def _solved(
        self, place: Place, step: np.ndarray, growth: float, top: np.ndarray, low: np.ndarray, last: float
    ) -> tuple[np.ndarray, float] | None:
        statics, point = self.statics, place.point
        H = statics.stiffness(place.q, place.reference, point.multipliers, point)
        J = statics.jacobian(point)
        size = max(float(abs(H).max()) if step.size else 0.0, point.size) or 1.0
        push = -point.varied * self.range / size
        soft = sp.diags_array(np.full(J.shape[0], -SOFT))
        matrix = sp.block_array(
            [[H / size, J.T, push[:, None]], [J, soft, None], [step[None], None, np.array([[growth]])]]
        )
        try:
            found = splu(sp.csc_array(matrix)).solve(np.concatenate([top / size, low, [last]]))
        except RuntimeError:  # exactly singular
            return None
        return (found[: step.size], float(found[-1])) if np.isfinite(found).all() else None

    def _locate_fold(self, stop: _Stop, length: float) -> None:
        """The point between two points where the factor turns back."""

        def growth(part: float) -> float:
            found = self._found(stop, part * length)[0] if part else stop
            return np.nan if found is None else found.growth

        part = brentq(growth, 0.0, 1.0, xtol=1e-9, rtol=1e-9, full_output=False, disp=False)
        found = self._found(stop, float(part) * length)[0]
        if found is not None:
            self.folds.append((found.factor, self._rest(found)))

    def _reach(self, stop: _Stop, following: _Stop) -> _Stop:
        """The equilibrium at the last factor, between two points."""
        self._load(self.last)
        near = following.place
        if stop.growth:
            length = (self.last - stop.factor) / self.range / stop.growth
            near = self.ways.moved(stop.place, length * stop.step) or near
        found = newton(self.statics, near, self.ways, self.tolerance, Progress("", 1, False), neutral=False)
        return _Stop(found, self.last, following.step, following.growth)

    def _keep(self, stop: _Stop) -> None:
        rest = self._rest(stop)
        self.factors.append(stop.factor)
        self.rests.append(rest)

    def _rest(self, stop: _Stop) -> Equilibrium:
        self._load(stop.factor)
        place = stop.place
        if self.statics is not self.whole:
            place = Place(place.q, place.reference, self.whole.at(place.q, place.reference))
        return at_rest(self.whole, place, f"load factor {stop.factor:.6g}", self.stated)

    def _load(self, factor: float) -> None:
        self.statics.factor = self.whole.factor = factor

    def _result(self) -> LoadPath:
        return LoadPath(np.array(self.factors[: len(self.rests)]), self.rests, self.folds)

    def interrupted(self) -> Interrupted:
        words = f"interrupted at a factor of {self.factors[len(self.rests) - 1]:g}: .partial is the path so far"
        return Interrupted(words, time=self.statics.time, partial=self._result())

    def _ended(self, stop: _Stop) -> SimulationError:
        return SimulationError(
            f"the path of '{self.statics.system.model.name}' cannot be followed beyond a factor of {stop.factor:g}: a "
            "force jumps there, joints lock, or paths cross",
            time=self.statics.time,
            partial=self._result(),
        )


def _cosine(stop: _Stop, following: _Stop) -> float:
    a, b = (np.append(s.step, s.growth) for s in (stop, following))
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def _check_load(model: Model, load: Force | str) -> None:
    if isinstance(load, str) and load == "gravity":
        if not any(model.gravity):
            raise ModelError(f"the load of equilibrium_path() is gravity, but '{model.name}' has none")
        return
    check.instance(load, Force, "the load of equilibrium_path()", hint="use a force of the model, or 'gravity'")
    if load not in model:
        raise ModelError(f"{load.title} is not part of model '{model.name}'")
