"""periodic_motion(model, period): periodic motions, driven or free, and their stability.

The initial state is the unknown to which one period returns (shooting): Newton's method on the map of `shooting`. For a
free motion, a limit cycle, the period is also unknown; of all states on the cycle, the one whose change from the
estimate has no component along the flow is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.analysis.coordinates import coordinates_of
from cardan.analysis.forward.events.mode_switching import watches
from cardan.analysis.forward.simulate import first_state
from cardan.analysis.forward.state import Settings
from cardan.analysis.forward.stepping import carried
from cardan.analysis.progress import Progress
from cardan.analysis.steady.shooting import Round, Shooting, State
from cardan.analysis.unsupported import reject_memory
from cardan.deprecation import renamed_arguments
from cardan.errors import CardanError, ModelError, SimulationError
from cardan.methods import Auto, Dop853, Method, Radau, method_of
from cardan.model import check
from cardan.model.element import Constraint
from cardan.model.model import Model
from cardan.results.snapshot import Snapshot
from cardan.results.steady.periodic_motion import PeriodicMotion
from cardan.system.system import System

ORBIT_ITERATIONS = 30
PULLS = (
    0.0,
    1e-8,
    1e-6,
    1e-4,
    1e-2,
    1.0,
    100.0,
)  # damping of steps, relative to the square of the largest singular value
GOOD_STEP = 0.3  # a step that leaves at most this fraction of the gap is accepted
# relative to the largest singular value: below it differences cannot distinguish a direction from a free one
UNCERTAIN = 1e-6
MAX_ORBIT_GAP = 1e-9  # allowed distance from the start after one period
MAX_ROTATION = 1.0  # largest step, in rad
SETTLING = (0, 10, 40)  # number of periods simulated first, if Newton's method fails without
OUTPUT_POINTS = 361  # output times of the run that is returned
AT_REST = 1e-6


@renamed_arguments(output="points")
def periodic_motion(
    model: Model,
    period: float,
    *,
    start: Snapshot | None = None,
    autonomous: bool = False,
    tolerance: float = MAX_ORBIT_GAP,
    rtol: float = 1e-11,
    method: Method | str = "auto",
    points: int = OUTPUT_POINTS,
    coordinates: str = "auto",
    tree: Sequence[Constraint] = (),
    progress: bool | None = None,
) -> PeriodicMotion:
    """Find the motion near the given one that repeats after `period`, with its Floquet multipliers.

    Whole turns do not count: a crank that has turned once is where it was. `start` is a state near that motion, for
    instance the end of a simulation that has nearly settled; without it the stated positions and velocities serve. With
    autonomous=True nothing in the model depends on time and the period itself is sought, near the one stated. Both
    stable and unstable motions are found. `points` is the number of output times of the run that is returned.

    States of devices and held values of sampled controllers also repeat, and have multipliers. Impacts and sticking
    friction may occur within the period; at its start, impacts must be open. The runs may be in joint coordinates,
    `coordinates="joint"`, of a tree that contains the joints in `tree`.

    >>> import math
    >>> from cardan import periodic_motion
    >>> from cardan.planar import Body, Harmonic, Load, Model, Spring, Translational
    >>> model = Model("oscillator")
    >>> mass = model.add(Body(mass=1.0, inertia=1.0), name="mass")
    >>> guide = model.add(Translational(model.ground.at(), mass.at()), name="guide")
    >>> spring = model.add(Spring(guide.travel, 4.0, 0.4, rest_length=0.0), name="spring")
    >>> push = model.add(Load(mass.at(), (Harmonic(1.0, 3.0), 0.0)), name="push")
    >>> motion = periodic_motion(model, 2 * math.pi / 3)
    >>> bool(motion.stable), round(float(abs(motion.multipliers[0])), 6)     # exp(-0.2 T)
    (True, 0.657784)
    """
    check.instance(model, Model, "the model of periodic_motion()")
    period = check.positive(period, "the period of periodic_motion()")
    tolerance = check.positive(tolerance, "the tolerance of periodic_motion()")
    autonomous = check.flag(autonomous, "autonomous")
    chosen = method_of(method, "the method of periodic_motion()")
    if not isinstance(chosen, Auto | Dop853 | Radau):
        raise ModelError(f"the method of periodic_motion() must be Auto(), Dop853() or Radau(), got '{chosen.name}'")
    by = coordinates_of(coordinates, tree, "periodic_motion")
    count = check.count(points, "points")
    if start is not None:
        check.instance(start, Snapshot, "start", hint="use the result of run.at(t) or initial_conditions()")
    time = 0.0 if start is None else start.time
    watched = watches(model)
    system, (q, v, reference, _) = first_state(model, watched, start, ())
    reject_memory(system, "periodic_motion()")
    _reject_other_periods(system, period, autonomous)
    first = State(q, v, reference, system.states.start.copy() if start is None else carried(system, start))
    settings = Settings(chosen, check.positive(rtol, "rtol"), tree=by.tree)
    shooting = Shooting(system, first, time, 2.0 * np.pi / period, settings, watched, by.joint)
    with Progress("periodic motion", ORBIT_ITERATIONS, progress) as bar:
        last, period, iterations = _found(shooting, period, autonomous, tolerance, bar)
    monodromy = np.eye(shooting.size) + shooting.slope(period, fine=True)
    times = shooting.time + period * np.linspace(0.0, 1.0, max(count, 2))
    run = shooting.go(last.state, period, times).run
    return PeriodicMotion(run, period, monodromy, _size(last.gap), iterations, autonomous)


def _reject_other_periods(system: System, period: float, autonomous: bool) -> None:
    """Require samples at the same times in every period."""
    for sampler, owner in zip(system.samplers, system.sampler_owners, strict=True):
        count = period / sampler.period
        if autonomous or abs(count - round(count)) > 1e-9 * count or round(count) == 0:
            why = "whose period is unknown" if autonomous else f"which is {count:.6g} of its periods"
            raise ModelError(
                f"{owner.title} samples every {sampler.period:g} s: the motion of '{system.model.name}', {why}, can "
                "only repeat after a whole number of these; use such a period"
            )


def _found(
    shooting: Shooting, period: float, autonomous: bool, tolerance: float, bar: Progress
) -> tuple[Round, float, int]:
    """The periodic motion; if Newton's method does not find it directly, the mechanism may settle first."""
    failure: SimulationError | None = None
    first, time = shooting.state, shooting.time
    for periods in SETTLING:
        try:
            shooting.restart(first, time, periods * period)
            return _newton(shooting, period, autonomous, tolerance, bar)
        except SimulationError as error:
            failure = failure or error
    assert failure is not None
    raise failure


def _newton(
    shooting: Shooting, period: float, autonomous: bool, tolerance: float, bar: Progress
) -> tuple[Round, float, int]:
    """The periodic motion, its period, and the number of steps."""
    now = shooting.go(shooting.state, period)
    for k in range(ORBIT_ITERATIONS):
        bar.show(k)
        if _size(now.gap) <= tolerance:
            _reject_rest(shooting, now, autonomous)
            return now, period, k
        matrix, right = _slope(shooting, period), -now.gap
        if autonomous:
            matrix = np.block([[matrix, now.flow[1][:, None]], [now.flow[0][None], np.zeros((1, 1))]])
            right = np.append(right, 0.0)
        better = _better(shooting, now, matrix, right, period)
        if better is None:
            break
        now, period = better
        shooting.accept(now.state)
        now = now._replace(gap=shooting.go(now.state, period).gap)
    raise _does_not_close(shooting, now, period, autonomous)


def _slope(shooting: Shooting, period: float) -> np.ndarray:
    """The derivative of the gap with respect to the start; if no run can start near it, the search is at fault, not the
    user."""
    try:
        return shooting.slope(period)
    except SimulationError as error:
        raise SimulationError(
            f"the search for a periodic motion of '{shooting.system.model.name}' came to a state near which no run can "
            f"start ({error}); start nearer to the motion, with start=run.at(t) of a run that has settled, at a time "
            "at which impacts are open",
            time=shooting.time,
        ) from error


def _better(
    shooting: Shooting, now: Round, matrix: np.ndarray, right: np.ndarray, period: float
) -> tuple[Round, float] | None:
    """The period after a Newton step, or after shorter damped steps (Levenberg, Marquardt)."""
    left, sizes, lines = np.linalg.svd(matrix)
    parts, best = left.T @ right, None
    missed = reached = float(np.linalg.norm(now.gap))
    for pull in PULLS:
        kept = sizes > UNCERTAIN * sizes[0]
        step = lines[kept].T @ (sizes[kept] * parts[kept] / (sizes[kept] ** 2 + pull * sizes[0] ** 2))
        trial = _tried(shooting, step, period)
        if trial is not None and float(np.linalg.norm(trial[0].gap)) < reached:
            best, reached = trial, float(np.linalg.norm(trial[0].gap))
        if reached < GOOD_STEP * missed:
            break
    return best


def _tried(shooting: Shooting, step: np.ndarray, period: float) -> tuple[Round, float] | None:
    """The run after a step without large rotations, and its period; None if it cannot be computed."""
    n, split = shooting.size, shooting.Z.shape[1]
    change = float(step[n]) if step.size > n else 0.0
    turned = float(np.abs((shooting.Z @ step[:split])[shooting.turning]).max(initial=0.0))
    part = min(1.0, MAX_ROTATION / max(turned, 1e-300), 0.2 * period / max(abs(change), 1e-300))
    changed = period + part * change
    try:
        return shooting.go(shooting.moved(part * step[:n]), changed), changed
    except CardanError:
        return None


def _size(gap: np.ndarray) -> float:
    return float(np.abs(gap).max(initial=0.0))


def _reject_rest(shooting: Shooting, now: Round, autonomous: bool) -> None:
    """Reject an equilibrium, which has every period."""
    if autonomous and float(np.abs(now.flow[0]).max(initial=0.0)) < AT_REST * shooting.pace:
        raise SimulationError(
            f"the free motion of '{shooting.system.model.name}' converged to an equilibrium, which has every "
            "period: start nearer to the cycle, for example from the end of a simulation",
            time=shooting.time,
            partial=now.run,
        )


def _does_not_close(shooting: Shooting, now: Round, period: float, autonomous: bool) -> SimulationError:
    system, split = shooting.system, shooting.Z.shape[1]
    last = split + shooting.Y.shape[1]
    step = shooting.Z @ now.gap[:split], shooting.Y @ now.gap[split:last]
    of_speed = float(np.abs(step[1]).max(initial=0.0)) > float(np.abs(step[0]).max(initial=0.0))
    worst = int(np.argmax(np.abs(step[int(of_speed)])))
    what = f"the {'speed of the ' if of_speed else ''}{system.coordinate_name(worst)}"
    factor = shooting.unit[worst] * (shooting.pace if of_speed else 1.0)
    gap = abs(float(step[int(of_speed)][worst])) * float(factor)
    if float(np.abs(now.gap[last:]).max(initial=0.0)) > float(np.abs(now.gap[:last]).max(initial=0.0)):
        worst, of_speed = int(np.argmax(np.abs(now.gap[last:]))), False
        what = f"state {system.state_name(int(shooting.kept[worst]))}"
        gap = abs(float(now.gap[last + worst])) * float(shooting.scale[worst])
    hint = "" if autonomous else ", check that all forces and motions repeat after that time"
    partial: Any = PeriodicMotion(
        now.run, period, np.eye(shooting.size) + shooting.slope(period), _size(now.gap), ORBIT_ITERATIONS, autonomous
    )
    return SimulationError(
        f"no motion of '{system.model.name}' with the period {period:g} s was found near its start: after a period "
        f"{what} differs most from its start, by {gap:.3g}{' 1/s' if of_speed else ''}; start nearer to it{hint}, or "
        "stiff forces may need another tolerance",
        time=shooting.time,
        partial=partial,
    )
