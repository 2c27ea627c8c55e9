"""Settling: a released mechanism reaches equilibrium if its velocities are set to zero at every peak of kinetic energy.

    kinetic energy   /\\    /\\   /\\              at each peak all velocities are set to zero, and it falls again from
                    /  |  /  |  / |  ...         there: what it oscillates about is passed at the peak

This method needs no potential energy and no estimate of multipliers, and it ends only at stable equilibria. Newton's
method refines the position found.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cardan.analysis.assembly.initial_conditions import start_of
from cardan.analysis.equilibria.place import Place, Ways
from cardan.analysis.equilibria.states import rest
from cardan.analysis.equilibria.statics import Statics
from cardan.analysis.forward.advance import begin, new_run, take_steps
from cardan.analysis.forward.state import Run, Settings, snapshot
from cardan.analysis.forward.stepping import reset_memory
from cardan.analysis.progress import Progress
from cardan.errors import SimulationError, warn
from cardan.integrators.stepper import RUNNING, STIFF
from cardan.integrators.stepping import look_at, output_record
from cardan.methods import Auto
from cardan.results.energy import kinetic_energy
from cardan.system.compile import compile
from cardan.system.system import System

LOOSE = 1e-6  # relative tolerance of the motion: only its end matters
SETTLED_ACCELERATION = 1e-5  # relative to the initial accelerations: the mechanism has settled
PEAKS, SWING = 2000, 2000  # and steps to a peak, before settling fails
IN_VAIN, STEPS_IN_VAIN = 30, 2500  # peaks and steps after which accelerations must have become smaller
NO_RESISTANCE = 1e-7  # relative to the largest curvature: a direction without resistance


def settle(statics: Statics, place: Place, ways: Ways, tolerance: float, bar: Progress) -> Place:
    """The equilibrium to which the mechanism moves from `place`.

    If a motion without resistance continues, such as that of a wheel, the search continues from there with a warning.
    """
    system = _holding(statics, place)
    matter = system.matter()  # computed once, because it is used after every step
    run = new_run(system, (place.q, system.speeds(), place.reference, statics.time), Settings(Auto(), LOOSE))
    _let_go(run)
    first, least, last, since = _hardest(run), np.inf, 0, 0
    for peak in range(PEAKS):
        hardest = _hardest(run)
        share = np.clip(hardest / (first or 1.0), SETTLED_ACCELERATION, 1.0)
        bar.show(int(100.0 * np.log(share) / np.log(SETTLED_ACCELERATION)))
        if hardest <= SETTLED_ACCELERATION * first:
            return _exact(statics, run, ways, tolerance, bar)
        steps = int(run.stepper.counters.steps)
        if hardest < 0.7 * least:
            least, last, since = hardest, peak, steps
        if peak - last > IN_VAIN or steps - since > STEPS_IN_VAIN:
            break
        if not _until_slower(run, lambda q, v: kinetic_energy(system, q, v, matter)):
            raise _restless(run)
    return _exact(statics, run, ways, tolerance, bar, restless=True)


def _exact(statics: Statics, run: Run, ways: Ways, tolerance: float, bar: Progress, restless: bool = False) -> Place:
    """The equilibrium near the state of a run; a motion that continues must be neutral, and is named."""
    end = snapshot(run)
    statics.states[:] = end.states
    try:
        found = rest(statics, ways.start(end.q, run.machine.reference.copy()), ways, tolerance, bar)
    except SimulationError as error:
        if restless:
            raise _restless(run) from None
        raise error
    if restless:
        free = _free_motion(statics, found)
        if free is None:
            raise _restless(run)
        warn(
            f"the {free} of '{run.system.model.name}' keeps moving because no force resists it: every "
            "value is an equilibrium"
        )
    return found


def _free_motion(statics: Statics, place: Place) -> str | None:
    """The coordinate with the largest component in a motion without resistance; None if there is no such motion."""
    report = statics.rank(place.point)
    if report.null_space is None or not report.null_space.shape[1]:
        return None
    H = statics.stiffness(place.q, place.reference, place.point.multipliers)
    curvatures, motions = np.linalg.eigh(report.null_space.T @ ((0.5 * (H + H.T)) @ report.null_space))
    k = int(np.argmin(np.abs(curvatures)))
    if abs(curvatures[k]) > NO_RESISTANCE * max(float(abs(H).max()), place.point.size):
        return None
    direction = np.abs(report.null_space @ motions[:, k])
    turning = direction * statics.angular  # a wheel that turns in place is named by its angle
    worst = int(np.argmax(turning if turning.max() > 0.1 * direction.max() else direction))
    return statics.system.coordinate_name(worst)


def _holding(statics: Statics, place: Place) -> System:
    """The system with drivers that hold their values at the time of the equilibrium."""
    system = statics.system
    if not any(equation.motion is not None for equation in system.equations):
        return system
    held = compile(system.model, forces=True, time=statics.time, start=start_of(system, place.q, place.reference))
    for row, equation in enumerate(held.equations):
        if equation.motion is not None:
            held.rows.offset[row] += float(equation.motion(statics.time))
    held.rows.motion_start[:] = 0
    return held


def _restless(run: Run) -> SimulationError:
    first, size = run.sizes.positions, run.machine.size
    width, system = run.system.width, run.system
    hard = np.abs(run.stepper.dy[first : first + size.size] * size)[width:]
    return SimulationError(
        f"'{system.model.name}' does not settle: it keeps moving, most of all the "
        f"{system.coordinate_name(int(np.argmax(hard)))}; check for forces "
        "that drive it, or add a joint or a spring that holds it",
        time=run.now,
        partial=snapshot(run),
    )


def _let_go(run: Run) -> None:
    """Start a motion that is observed step by step, without a record."""
    run.stepper.clock.end, run.stepper.clock.shortest = np.inf, 0.0
    run.record = output_record(np.full(1, np.inf), 3, run.sizes.y, run.sizes.speeds, run.machine.turns.size)
    run.begun = True
    begin(run, 1e6)


def _until_slower(run: Run, energy: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> bool:
    """Advance until the kinetic energy has passed a maximum, then stop all bodies. False if there is none."""
    nq, nv, before = run.sizes.positions, run.sizes.speeds, 0.0
    for _ in range(SWING):
        if take_steps(run, 1) not in (RUNNING, STIFF):
            raise run.formulation.failure(run)
        y = run.stepper.y
        now = float(energy(y[None, :nq], y[None, nq : nq + nv])[0])
        if now <= before:
            break
        before = now
    else:
        return False
    _go_back(run, lambda look: float(energy(look[None, :nq], look[None, nq : nq + nv])[0]))
    y[nq : nq + nv] = 0.0
    step = float(run.stepper.clock.step)
    begin(run, 1e6)
    reset_memory(run)
    run.stepper.clock.step = min(step, float(run.stepper.clock.step))
    return True


def _go_back(run: Run, value: Callable[[np.ndarray], float]) -> None:
    """Go back to the time within the last step at which a value of y was largest."""
    clock, tables = run.stepper.clock, (run.operations, run.integrator, run.stepper)
    low, high = float(clock.step_start), float(clock.now)

    def at(time: float) -> float:
        look_at(*tables, time)
        return value(run.stepper.look)

    for _ in range(3):
        times = np.linspace(low, high, 9)
        best = int(np.argmax([at(time) for time in times]))
        low, high = times[max(best - 1, 0)], times[min(best + 1, 8)]
    at(0.5 * (low + high))
    run.stepper.y[:] = run.stepper.look
    clock.now = 0.5 * (low + high)


def _hardest(run: Run) -> float:
    """The greatest acceleration, in model lengths or rad."""
    first, size = run.sizes.positions, run.machine.size
    return float(np.max(np.abs(run.stepper.dy[first : first + size.size]) * size))
