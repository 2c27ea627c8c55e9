"""self_check(run): check a result by methods independent of those that computed it.

constraints     the residual of every equation, relative to the model's size
rates           positions at neighboring output times against velocities and accelerations at both
free bodies     forces and torques on each body, with inertia by Newton and Euler's equations, must add up to zero
power           power of drivers and forces equals that of inertia: ideal joints do no work
energy          error of the integrator's energy balance
accuracy        the same run with a tenth of the tolerance, or half the step size: largest distance of bodies
balance         imbalance of forces in an equilibrium or a steady motion
uniqueness      indeterminate reactions of rigid bodies are those of least norm
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from cardan.analysis.checks.linear import check_linear
from cardan.analysis.checks.verdict import FLAGGED, GOOD, NOT_UNIQUE, OMITTED, Check, SelfCheck, compared, worst_of
from cardan.analysis.rerun import fixed_step_of, rerun, with_step
from cardan.errors import CardanError, CardanWarning
from cardan.model import check
from cardan.postprocess.free_body import loads_on, residuals
from cardan.results.columns import law_powers
from cardan.results.linear.linearization import Linearization
from cardan.results.linear.modes import Modes
from cardan.results.reaction import poses_of
from cardan.results.simulation import Simulation
from cardan.results.snapshot import some
from cardan.results.steady.equilibrium import Equilibria, Equilibrium
from cardan.results.steady.load_path import LoadPath
from cardan.results.steady.periodic_motion import PeriodicMotion
from cardan.results.steady.steady_motion import SteadyMotion
from cardan.results.trajectory import Trajectory

CONSTRAINTS = 1e-7  # relative to the model's size; equations hold to 1e-11, but some methods only damp violations
RATES = 1e-4  # relative to the largest step of a body
SETTLES = 6.0  # ratio of errors for a step twice as long: correct rates give 16, a jump of acceleration gives 2
ZERO_STEP = 1e-9  # m, m/s: a step that counts as zero
# relative to the largest force: the equations are solved to rounding, but singular configurations cost digits
FREE_BODIES = 1e-7
POWER_TOLERANCE = 1e-6  # of the largest power
ACROSS = 1e-6  # relative to force times speed: less power than this is rounding
ENERGY = 1e-4  # relative to the largest energy: a run at the default tolerance has 1e-8
ACCURACY = 1e-3  # of the model's size
BALANCE = 1e-6  # relative to the largest force: searches end at 1e-9 or less
PERIOD = 1e-5  # of the model's size
TIGHTER = 0.1  # the tolerance of the second run, relative to the first
MAX_CHECKED_TIMES = 400  # largest number of times checked, evenly spread over the run


def self_check(run: Any, *, again: Any = True) -> SelfCheck:
    """Check a result: a motion, equilibria, a load path, a steady motion, a linearization or modes.

    `again` controls a second, more accurate simulation: True repeats the run with its own settings, False omits it, and
    a function without arguments returns the other result.

    >>> from cardan import simulate
    >>> from cardan.examples import load
    >>> run = simulate(load("pendulum").build(), 1.0, output=0.1)
    >>> found = self_check(run)
    >>> found.good, found["accuracy"].value < 1e-7
    (True, True)
    """
    if isinstance(run, Linearization | Modes):
        return check_linear(run)
    if isinstance(run, Equilibrium | SteadyMotion):
        return _check_balance(run)
    if isinstance(run, Equilibria | LoadPath):
        several = run.rests if isinstance(run, LoadPath) else list(run)
        return worst_of([_check_balance(rest) for rest in several], "equilibrium")
    if isinstance(run, PeriodicMotion):
        closing = compared("period", float(run.residual), PERIOD, "distance from the initial state after one period")
        found = _check_motion(run.run, again)
        return SelfCheck(found.model, (*found.checks, closing))
    check.instance(run, Trajectory, "the result of self_check()")
    return _check_motion(run, again)


def _check_motion(run: Trajectory, again: Any) -> SelfCheck:
    spread = (
        np.linspace(0, len(run) - 1, min(MAX_CHECKED_TIMES, len(run))).astype(int) if len(run) else np.zeros(0, int)
    )
    parts = _free_bodies(run, np.unique(spread)), _power(run), _energy(run), _accuracy(run, again), _uniqueness(run)
    return SelfCheck(run.model.name, (_constraints(run), _rates(run), *parts))


def _check_balance(found: Equilibrium | SteadyMotion) -> SelfCheck:
    """An equilibrium, or a steady motion, as a run with one output time."""
    run = found.as_trajectory()
    run.analysis = "equilibrium" if isinstance(found, Equilibrium) else "steady motion"
    left = found.imbalance if isinstance(found, Equilibrium) else found.residual
    words = "imbalance, relative to the largest force"
    balance = compared("balance", float(left), BALANCE, words)
    parts = _free_bodies(run, np.arange(1)), _power(run), _uniqueness(run)
    return SelfCheck(run.model.name, (_constraints(run), balance, *parts))


def _constraints(run: Trajectory) -> Check:
    scaled = run.violations() / run.system.rows.scale
    if not scaled.size:
        return Check("constraints", 0.0, CONSTRAINTS, GOOD, "there are none")
    k, row = np.unravel_index(int(np.argmax(scaled)), scaled.shape)
    words = f"worst at {run.system.row_name(int(row))}, t = {run.times[k]:.4g} s, relative to the model's size"
    return compared("constraints", float(scaled[k, row]), CONSTRAINTS, words)


def _rates(run: Trajectory) -> Check:
    r"""For points of all bodies, over one step h and, to check the order of the error, over steps twice as long:

        x1 - x0 = h (v0 + v1) / 2 + h^2 (a0 - a1) / 12 + O(h^5)      v2 - v0 = h (a0 + 4 a1 + a2) / 3 + O(h^5)

    The second, Simpson's rule, needs evenly spaced output times.
    """
    if isinstance(run, Simulation) or len(run) < 9:
        words = "checked by the second run" if isinstance(run, Simulation) else "there are too few output times"
        return Check("rates", None, RATES, OMITTED, words)
    even = np.allclose(np.diff(run.times), run.times[1] - run.times[0], rtol=1e-6, atol=0.0)
    worst, words = 0.0, "positions, velocities and accelerations are consistent"
    for body in run.system.bodies:
        for arm in np.eye(len(body.matter.center))[:2] * run.system.length:
            points = run[body.center_marker() if body.modal_coordinates else body.at(*arm)]
            for what, derivative in (("velocities", _by_velocity), ("accelerations", _by_acceleration))[: 1 + even]:
                fine, coarse = (derivative(run.times, points, step) for step in (1, 2))
                share, k = _largest(fine)
                if share > worst and _largest(coarse)[0] < SETTLES * share:  # otherwise times are merely far apart
                    worst = share
                    words = f"worst: {what} of '{body.name}', t = {run.times[k]:.4g} s, relative to its largest step"
    return compared("rates", worst, RATES, words)


def _by_velocity(times: np.ndarray, points: Any, step: int) -> tuple[np.ndarray, np.ndarray]:
    """Steps of position, and the part not explained by velocities."""
    x, v, a = (values[::step] for values in (points.position, points.velocity, points.acceleration))
    h = np.diff(times[::step])[:, None]
    made = np.diff(x, axis=0)
    return made, made - h * (v[:-1] + v[1:]) / 2.0 - h**2 * (a[:-1] - a[1:]) / 12.0


def _by_acceleration(times: np.ndarray, points: Any, step: int) -> tuple[np.ndarray, np.ndarray]:
    """Steps of velocity, and the part not explained by accelerations."""
    v, a = (values[::step] for values in (points.velocity, points.acceleration))
    h = times[step] - times[0]
    made = v[2:] - v[:-2]
    return made, made - h * (a[:-2] + 4.0 * a[1:-1] + a[2:]) / 3.0


def _largest(steps: tuple[np.ndarray, np.ndarray]) -> tuple[float, int]:
    """The largest unexplained part, relative to the largest step, and its position."""
    made, left = (np.abs(part).max(axis=1) for part in steps)
    scale = float(made.max(initial=0.0))
    return (float(left.max()) / scale, int(np.argmax(left))) if scale > ZERO_STEP else (0.0, 0)


def _free_bodies(run: Trajectory, chosen: np.ndarray) -> Check:
    if run.loads is None:
        return Check("free bodies", None, FREE_BODIES, OMITTED, f"{run.analysis} computes no forces")
    part = some(run, chosen)
    left = {body.name: residuals(part, body) for body in run.system.bodies}
    if not left or not len(part):
        return Check("free bodies", 0.0, FREE_BODIES, GOOD, "no body moves")
    worst = max(left, key=lambda name: float(left[name].max()))
    k = int(np.argmax(left[worst]))
    words = f"worst on '{worst}', t = {part.times[k]:.4g} s, relative to the largest force on it; {len(part)} times"
    return compared("free bodies", float(left[worst][k]), FREE_BODIES, words)


def _power(run: Trajectory) -> Check:
    if run.loads is None:
        return Check("power", None, POWER_TOLERANCE, OMITTED, f"{run.analysis} computes no forces")
    flexible = [body.name for body in run.system.bodies if body.modal_coordinates]
    if flexible:
        return Check(
            "power", None, POWER_TOLERANCE, OMITTED, f"the power of the modes of '{flexible[0]}' is not computed"
        )
    taken = [parts for body in run.system.bodies for parts in _inertia_power(run, body)]
    timed = [e for e in run.system.elements if any(equation.timed for equation in e.equations())]
    given = [*law_powers(run, range(len(run.system.laws))), *(run[element].power for element in timed)]
    parts = np.array([*(power for power, _ in taken), *given]).reshape(-1, len(run))
    # forces perpendicular to the motion do no work except for rounding
    across = max((float(size.max(initial=0.0)) for _, size in taken), default=0.0)
    scale = max(float(np.abs(parts).max(initial=0.0)), ACROSS * across)
    if scale == 0.0:
        return Check("power", 0.0, POWER_TOLERANCE, GOOD, "nothing moves")
    left = np.abs(parts.sum(axis=0))
    k = int(np.argmax(left))
    words = f"worst at t = {run.times[k]:.4g} s, relative to the largest power, {scale:.3g} W"
    return compared("power", float(left[k]) / scale, POWER_TOLERANCE, words)


def _inertia_power(run: Trajectory, body: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The power of weight and inertia of a body, and its value if they acted along the motion."""
    center = run[body.center_marker()].velocity
    turning = run[body].turning("velocity").reshape(len(run), -1)
    for acting in loads_on(run, body):
        if acting.kind in ("weight", "inertia"):
            torque = acting.torque.reshape(len(run), -1)
            sizes = [np.linalg.norm(part, axis=1) for part in (acting.force, center, torque, turning)]
            done = np.sum(acting.force * center, axis=1) + np.sum(torque * turning, axis=1)
            yield done, sizes[0] * sizes[1] + sizes[2] * sizes[3]


def _energy(run: Trajectory) -> Check:
    if run.energy is None:
        return Check("energy", None, ENERGY, OMITTED, f"{run.analysis} does not integrate")
    words = "error of the energy balance, relative to the largest energy"
    return compared("energy", run.energy.drift, ENERGY, words)


def _accuracy(run: Trajectory, again: Any) -> Check:
    if not isinstance(run, Simulation):
        words = "each output time is solved separately: there is no step size to halve"
        return Check("accuracy", None, ACCURACY, OMITTED, words)
    if again is False or len(run) < 2:
        return Check("accuracy", None, ACCURACY, OMITTED, "the run was not computed a second time")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CardanWarning)  # the first run has already warned
            other = _tighter(run) if again is True else again()
    except CardanError as error:
        return Check("accuracy", None, ACCURACY, FLAGGED, f"the second run failed: {error}")
    parting = _parting(run, other)
    how = "half the step size" if fixed_step_of(run) else "a tenth of the tolerance"
    words = f"largest distance from a run with {how}, relative to the model's size"
    return compared("accuracy", parting, ACCURACY, words)


def _tighter(run: Simulation) -> Simulation:
    """The same run with a tenth of its tolerances, or half its step size."""
    if fixed_step_of(run):
        return rerun(run, method=with_step(run, 0.5 * fixed_step_of(run)))
    tighter = {"rtol": max(TIGHTER * run.stats.rtol, 1e-13)}
    atol = run.stats.atol
    return rerun(run, **tighter | ({} if atol is None else {"atol": TIGHTER * atol}))


def _parting(run: Trajectory, other: Trajectory) -> float:
    """The largest distance between a body of one run and the same body of the other, and between the tips of their
    axes, each as long as the model, at common output times."""
    _, mine, its = np.intersect1d(run.times, other.times, return_indices=True)
    worst, space = 0.0, run.system.space
    twins = {body.name: body for body in other.system.bodies}
    for body in run.system.bodies:
        twin = twins[body.name]
        one = space.frame(body.at(), poses_of(run, body)[mine])
        two = space.frame(twin.at(), poses_of(other, twin)[its])
        moved = np.linalg.norm(one[0] - two[0], axis=1).max(initial=0.0) / max(run.system.length, 1e-300)
        worst = max(worst, float(moved), float(np.linalg.norm(one[1] - two[1], axis=1).max(initial=0.0)))
    return worst


def _uniqueness(run: Trajectory) -> Check:
    if run.loads is None:
        return Check("uniqueness", None, None, OMITTED, f"{run.analysis} computes no forces")
    open_ones = run.loads.indeterminate
    if not open_ones:
        return Check("uniqueness", 0.0, 0.0, GOOD, "every reaction is determined by the motion")
    names = ", ".join(f"{name} ({', '.join(labels)})" for name, labels in _by_name(open_ones).items())
    words = f"redundant constraints: how {names} share their load is indeterminate; forces of least norm are given"
    return Check("uniqueness", float(len(open_ones)), 0.0, NOT_UNIQUE, words)


def _by_name(pairs: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, label in pairs:
        found.setdefault(name, []).append(label)
    return found


__all__ = ["Check", "SelfCheck", "self_check"]
