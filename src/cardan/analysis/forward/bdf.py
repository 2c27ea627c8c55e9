"""Method "bdf" of simulate: a cross-check by another program, SUNDIALS' IDA, on other equations.

Backward differentiation formulas of order 1 to 5 solve the stabilized index-2 equations (`system.stabilized`) with
multipliers as unknowns, whose errors are not controlled. It is slow, because residuals are evaluated from Python and
Jacobians by differences, and stops at singular configurations, where multipliers grow without bound.
"""

from __future__ import annotations

import time as stopwatch
from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np

from cardan.analysis.forward.checks.function_errors import lost_driver
from cardan.analysis.forward.recording import enlarge, result_of, stopped
from cardan.analysis.forward.stalling import check_pace
from cardan.analysis.forward.state import Run
from cardan.analysis.forward.stepping import raise_failure
from cardan.errors import CardanError, ModelError
from cardan.integrators.stepping import settle, write_now
from cardan.system.cartesian.matrix import BROKEN, FINE
from cardan.system.cartesian.stabilized import stabilized_residual
from cardan.system.system import System

STILL = 20  # number of IDA steps too short to change the time
FREE = 1e8  # tolerance of uncontrolled variables; also the difference step of IDA


def require_bdf(system: System, events: Sequence[Any]) -> None:
    """Reject features that IDA cannot integrate."""
    _package()
    if events:
        raise ModelError(
            "method 'bdf' is a cross-check without events, impacts and sticking friction: use another method"
        )
    if system.samplers:
        raise ModelError("method 'bdf' is a cross-check without sampled controllers: use another method")


def advance_by_ida(run: Run, pause: float) -> Iterator[float]:
    """Advance step by step; yields the time reached after every `pause` seconds of computing."""
    clock, equations = run.stepper.clock, _Equations(run)
    solver, end, still = equations.solver(), float(clock.end), 0
    begun = stopwatch.perf_counter()
    while clock.now < end:
        step = solver.step(end, method="onestep", tstop=end)
        if not step.success:
            raise equations.failure(f"IDA: {step.message}")
        if step.t == clock.now:  # also once for the end of the step after outputs within it
            still += 1
            if still > STILL:
                raise equations.failure("the step became too small")
            continue
        still, run.machine.failure.status = 0, FINE
        equations.write_outputs(solver, step)
        equations.move(step)
        run.stepper.counters.steps += 1
        if not run.record.wanted.size:
            _write(run)
        elapsed = stopwatch.perf_counter() - begun
        if elapsed > pause:
            run.stats.seconds += elapsed
            yield run.now
            check_pace(run)
            begun = stopwatch.perf_counter()
    run.stats.seconds += stopwatch.perf_counter() - begun


class _Equations:
    """The equations of a run in the form of IDA, at a consistent state."""

    def __init__(self, run: Run) -> None:
        tables, nr = run.machine, run.machine.right.size
        self.run, self.active, self.blamed = run, tables.active.copy(), _blamed(tables)
        multipliers = np.where(self.active, tables.multipliers, 0.0)
        self.y = np.concatenate([run.stepper.y, multipliers, np.zeros(nr)])
        self.dy = np.concatenate([run.stepper.dy, np.zeros(2 * nr)])
        self.copies = np.zeros_like(self.y), np.zeros_like(self.y), np.zeros_like(self.y)

    def solver(self) -> Any:
        longest = float(self.run.stepper.clock.longest)
        solver = _package().IDA(
            self.residual,
            rtol=1e-15,  # angles stay accurate after many turns
            atol=self.tolerances(),
            algebraic_idx=np.arange(self.run.sizes.y, self.y.size),
            max_step=0.0 if longest == np.inf else longest,
        )
        solver.init_step(self.run.now, self.y, self.dy)
        return solver

    def tolerances(self) -> np.ndarray:
        machine, nq, nv = self.run.machine, self.run.sizes.positions, self.run.sizes.speeds
        atol, rtol = machine.settings.atol, machine.settings.rtol
        tolerances = np.full(self.y.size, FREE)
        tolerances[: nq + nv] = atol  # also for ground, which a difference must not displace far
        unit, weight = machine.partition.unit, machine.size
        np.divide(atol, unit, out=tolerances[:nq], where=unit > 0.0)
        np.divide(rtol, weight, out=tolerances[nq : nq + nv], where=weight > 0.0)
        return tolerances

    def residual(self, t: float, y: np.ndarray, dy: np.ndarray, out: np.ndarray) -> None:
        """IDA's own arrays may be locked: the kernel works on copies."""
        state, rate, residual = self.copies
        state[:], rate[:] = y, dy
        failed = stabilized_residual(self.run.machine, t, state, rate, self.active, residual)
        out[:] = np.nan if failed else residual
        if (
            failed and np.isfinite(state).all()
        ):  # IDA may continue from states that are not finite, which would produce misleading errors
            self.blamed = _blamed(self.run.machine)

    def move(self, step: Any) -> None:
        """Set the state to one of IDA."""
        run = self.run
        run.stepper.clock.now = step.t
        run.stepper.y[:] = step.y[: run.sizes.y]
        raise_failure(run, settle(run.operations, run.stepper))
        if not np.array_equal(run.machine.active, self.active):
            raise self.failure("other constraints than at the start became redundant")

    def write_outputs(self, solver: Any, step: Any) -> None:
        """Write output times up to the end of the last step."""
        wanted, counters = self.run.record.wanted, self.run.stepper.counters
        while counters.next_output < wanted.size and wanted[counters.next_output] <= step.t:
            t = float(wanted[counters.next_output])
            self.move(step if t == step.t else solver.step(t, method="normal"))
            _write(self.run)
            counters.next_output += 1

    def failure(self, message: str) -> CardanError:
        """The error that ends the run."""
        run = self.run
        if run.machine.failure.status == BROKEN:
            run.stepper.outcome.failure = BROKEN
            failure, run.machine.forces.scratch[:] = self.blamed
            run.machine.failure.assign(failure)
            return run.formulation.failure(run)
        partial = result_of(run)
        lost = lost_driver(run, run.now, partial)
        if lost is not None:
            partial.stopped = lost
            return lost
        return stopped(
            run,
            f"at t = {run.now:.6g} s method 'bdf' could not continue ({message}): it does not pass singular "
            "configurations or forces that jump; use method 'auto'",
        )


def _write(run: Run) -> None:
    if run.stepper.counters.written >= run.record.times.size:
        enlarge(run)
    write_now(run.stepper, run.record)


def _package() -> Any:
    try:
        from sksundae import ida
    except ImportError:
        raise CardanError(
            "method 'bdf' needs the package scikit-sundae: pip install 'cardan[bdf]' or pip install scikit-sundae"
        ) from None
    return ida


def _blamed(tables: Any) -> tuple[Any, np.ndarray]:
    """The function that failed, and its arguments."""
    return copy(tables.failure), tables.forces.scratch.copy()
