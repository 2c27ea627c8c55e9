"""Method "bdf" of simulate: a cross-check by another program, SUNDIALS' IDA, on other equations.

Backward differentiation formulas of order 1 to 5 solve the stabilized equations of index 2 (`system.stabilized`) with
multipliers as unknowns, whose errors are not controlled. Slow, because each residual goes through Python and Jacobians
are differenced; it stops at singular positions, where multipliers grow without bound.
"""

from __future__ import annotations

import time as stopwatch
from collections.abc import Iterator
from copy import copy
from typing import Any

import numpy as np

from cardan.analysis.forward.checks.function_errors import lost_driver
from cardan.analysis.forward.recording import enlarge
from cardan.analysis.forward.run import SLICE, ForwardRun
from cardan.analysis.forward.stalling import look_for_crawling
from cardan.errors import CardanError, ModelError
from cardan.integrators.stepping import settle, write_now
from cardan.system.cartesian.matrix import BROKEN, FINE
from cardan.system.cartesian.stabilized import stabilized_residual

STILL = 20  # steps of IDA that are too short to change the time
FREE = 1e8  # the tolerance of what is not controlled; IDA differences with steps of this size, too


class BdfRun(ForwardRun):
    """A mechanism whose motion IDA integrates."""

    def __init__(self, *arguments: Any) -> None:
        self.ida = _package()
        super().__init__(*arguments)
        if self.events:
            raise ModelError(
                "method 'bdf' is a cross-check and knows no events, impacts or sticking: use another method"
            )
        if self.system.samplers:
            raise ModelError("method 'bdf' is a cross-check and knows no samplers: use another method")

    def _slices(self) -> Iterator[float]:
        """Step by step; yields the time reached now and then."""
        clock = self.stepper.clock
        solver, end, still = self._solver(), float(clock.end), 0
        begun = stopwatch.perf_counter()
        while clock.now < end:
            step = solver.step(end, method="onestep", tstop=end)
            if not step.success:
                raise self._given_up(f"IDA: {step.message}")
            if step.t == clock.now:  # also once after an output from within the last step, whose end this is
                still += 1
                if still > STILL:
                    raise self._given_up("the step became too small")
                continue
            still, self.machine.failure.status = 0, FINE
            self._outputs(solver, step)
            self._move(step)
            self.stepper.counters.steps += 1
            if not self.record.wanted.size:
                self._write()
            elapsed = stopwatch.perf_counter() - begun
            if elapsed > SLICE:
                self.stats.seconds += elapsed
                yield float(clock.now)
                look_for_crawling(self)
                begun = stopwatch.perf_counter()
        self.stats.seconds += stopwatch.perf_counter() - begun

    def _solver(self) -> Any:
        """IDA at the present state, which is consistent."""
        stepper, tables, nr = self.stepper, self.machine, self.machine.right.size
        self.active = tables.active.copy()
        lam = np.where(self.active, tables.multipliers, 0.0)
        y = np.concatenate([stepper.y, lam, np.zeros(nr)])
        dy = np.concatenate([stepper.dy, np.zeros(2 * nr)])
        self.copies = np.zeros_like(y), np.zeros_like(y), np.zeros_like(y)
        self.blamed = _blamed(tables)
        longest = float(stepper.clock.longest)
        solver = self.ida.IDA(
            self._residual,
            rtol=1e-15,  # angles are not less exact after many turns
            atol=self._tolerances(y.size),
            algebraic_idx=np.arange(stepper.y.size, y.size),
            max_step=0.0 if longest == np.inf else longest,
        )
        solver.init_step(float(stepper.clock.now), y, dy)
        return solver

    def _tolerances(self, size: int) -> np.ndarray:
        setting, nq, nv = self.machine.settings, self.sizes.positions, self.sizes.speeds
        tolerances = np.full(size, FREE)
        tolerances[: nq + nv] = setting.atol  # also of ground, which must not be displaced far for a difference
        unit, weight = self.machine.partition.unit, self.machine.size
        np.divide(setting.atol, unit, out=tolerances[:nq], where=unit > 0.0)
        np.divide(setting.rtol, weight, out=tolerances[nq : nq + nv], where=weight > 0.0)
        return tolerances

    def _residual(self, t: float, y: np.ndarray, dy: np.ndarray, out: np.ndarray) -> None:
        """IDA's own arrays may be locked: the kernel works on copies."""
        state, rate, residual = self.copies
        state[:], rate[:] = y, dy
        failed = stabilized_residual(self.machine, t, state, rate, self.active, residual)
        out[:] = np.nan if failed else residual
        if failed and np.isfinite(state).all():  # IDA may go on from states without a number, which blame others
            self.blamed = _blamed(self.machine)

    def _move(self, step: Any) -> None:
        """Take over a state of IDA."""
        self.stepper.clock.now = step.t
        self.stepper.y[:] = step.y[: self.sizes.y]
        status = settle(self.operations, self.stepper)
        if status:
            self.stepper.outcome.failure = status
            raise self.failure()
        if not np.array_equal(self.machine.active, self.active):
            raise self._given_up("other constraints than at the start became redundant")

    def _outputs(self, solver: Any, step: Any) -> None:
        """Write what is wanted up to the end of the last step."""
        wanted = self.record.wanted
        while self.stepper.counters.next_output < wanted.size and wanted[self.stepper.counters.next_output] <= step.t:
            t = float(wanted[self.stepper.counters.next_output])
            self._move(step if t == step.t else solver.step(t, method="normal"))
            self._write()
            self.stepper.counters.next_output += 1

    def _write(self) -> None:
        if self.stepper.counters.written >= self.record.times.size:
            enlarge(self)
        write_now(self.stepper, self.record)

    def _given_up(self, message: str) -> CardanError:
        """The error that ends the run."""
        if self.machine.failure.status == BROKEN:
            self.stepper.outcome.failure = BROKEN
            failure, self.machine.forces.scratch[:] = self.blamed
            self.machine.failure.assign(failure)
            return self.failure()
        now = float(self.stepper.clock.now)
        partial = self.result()
        lost = lost_driver(self, now, partial)
        if lost is not None:
            partial.stopped = lost
            return lost
        return self.stopped(
            f"at t = {now:.6g} s method 'bdf' could not go on ({message}): it passes no singular positions, and no "
            "forces that jump; use method 'auto'"
        )


def _package() -> Any:
    try:
        from sksundae import ida
    except ImportError:
        raise CardanError(
            "method 'bdf' needs the package scikit-sundae: pip install 'cardan[bdf]' or pip install scikit-sundae"
        ) from None
    return ida


def _blamed(tables: Any) -> tuple[Any, np.ndarray]:
    """Which function failed, and its arguments."""
    return copy(tables.failure), tables.forces.scratch.copy()
