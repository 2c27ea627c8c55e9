"""Settling: a mechanism let go comes to rest, as its motion is taken away whenever it is fastest.

    kinetic energy   /\\    /\\   /\\              at each peak all velocities are set to zero, and it falls again from
                    /  |  /  |  / |  ...         there: what it oscillates about is passed at the peak

Of all ways to an equilibrium this one needs no potential energy and no estimate of multipliers, and it ends only where
the mechanism stays. The place found is made exact by Newton's method.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cardan.analysis.forward import ForwardRun
from cardan.analysis.newton import newton
from cardan.analysis.place import Place, Ways
from cardan.analysis.progress import Progress
from cardan.analysis.settings import Settings
from cardan.analysis.statics import Statics
from cardan.errors import SimulationError
from cardan.integrators.course import END, RUNNING, SHORTEST, STIFF, T_OLD, H, T, look_at, record
from cardan.numerics.block import opaque
from cardan.results.energy import kinetic_energy

LOOSE = 1e-6  # relative tolerance of the motion: only its end counts
STILL = 1e-5  # of the accelerations at first: the mechanism has settled
PEAKS, SWING = 2000, 2000  # and steps to a peak, before settling is given up


def settle(statics: Statics, place: Place, ways: Ways, tolerance: float, bar: Progress) -> Place:
    """The place at rest to which the mechanism moves from `place`."""
    system = statics.system
    run = ForwardRun(system, (place.q, system.speeds(), place.reference, statics.time), Settings("auto", LOOSE))
    _let_go(run)
    first = hardest = _hardest(run)
    for _ in range(PEAKS):
        if hardest <= STILL * first or first == 0.0:
            break
        if not _until_slower(run, lambda q, v: kinetic_energy(system, q, v)):
            raise _restless(run)
        hardest = _hardest(run)
        bar.show(int(100.0 * np.log(max(hardest / first, STILL)) / np.log(STILL)))
    else:
        raise _restless(run)
    settled = ways.start(run.snapshot().q, run.machine.reference.copy())
    return newton(statics, settled, ways, tolerance, bar)


def _restless(run: ForwardRun) -> SimulationError:
    return SimulationError(
        f"'{run.system.model.name}' does not settle: it goes on and on; is there a force that drives it, or nothing "
        "that holds it?",
        time=float(run.course.clock[T]),
        partial=run.snapshot(),
    )


def _let_go(run: ForwardRun) -> None:
    """Begin a motion that is watched step by step, without a record of its instants."""
    run.course.clock[END], run.course.clock[SHORTEST] = np.inf, 0.0
    run.record = record(np.full(1, np.inf), 3, run.sizes.y, run.sizes.speeds, run.machine.turns.size)
    run.begun = True
    run.begin(1e6)


def _until_slower(run: ForwardRun, energy: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> bool:
    """Move on until the kinetic energy has passed a maximum, then stop all bodies. False if it passes none."""
    nq, nv, before = run.sizes.positions, run.sizes.speeds, 0.0
    for _ in range(SWING):
        if run.one_step() not in (RUNNING, STIFF):
            raise run.failure()
        y = run.course.y
        now = float(energy(y[None, :nq], y[None, nq : nq + nv])[0])
        if now <= before:
            break
        before = now
    else:
        return False
    _go_back(run, lambda look: float(energy(look[None, :nq], look[None, nq : nq + nv])[0]))
    y[nq : nq + nv] = 0.0
    step = float(run.course.clock[H])
    run.begin(1e6)
    run.forget()
    run.course.clock[H] = min(step, float(run.course.clock[H]))
    return True


def _go_back(run: ForwardRun, value: Callable[[np.ndarray], float]) -> None:
    """Go back to the instant within the last step at which a value of y was greatest."""
    clock, tables = run.course.clock, (run.interpolate, run.act, run.opaque, run.course, opaque(run.memory))
    low, high = float(clock[T_OLD]), float(clock[T])

    def at(time: float) -> float:
        look_at(*tables, time)
        return value(run.course.look)

    for _ in range(3):
        times = np.linspace(low, high, 9)
        best = int(np.argmax([at(time) for time in times]))
        low, high = times[max(best - 1, 0)], times[min(best + 1, 8)]
    at(0.5 * (low + high))
    run.course.y[:] = run.course.look
    clock[T] = 0.5 * (low + high)


def _hardest(run: ForwardRun) -> float:
    """The greatest acceleration, in model lengths or rad."""
    first, size = run.sizes.positions, run.machine.size
    return float(np.max(np.abs(run.course.dy[first : first + size.size]) * size))
