"""Check of the energy balance of a run against its tolerance, or against the order of a method with fixed steps.

error |        ____          the error of the balance is that of the integrator, which also integrates the work:
      |_______/              a jump indicates an event or a singular configuration that the method did not resolve
      +------t------

Methods with a tolerance may be off by ALLOWED tolerances. A method of order p with fixed steps h has no tolerance; its
error over a time T is of the order

    kappa T (kappa h)^p         kappa = max |a| / max |v|, a characteristic frequency of the motion, lengths and angles
                                compared by the size of the model

and may be ALLOWED times as large, but not more than COARSE: a larger error means that the steps do not resolve the
motion, or that the method does not have its order there.
"""

from __future__ import annotations

import numpy as np

from cardan.analysis.forward.state import Settings
from cardan.errors import EnergyWarning, SimulationError, warn
from cardan.integrators.scheme import Scheme
from cardan.methods import Bdf
from cardan.results.simulation import Simulation

# Largest error of the balance, in tolerances, and rounding. Errors of steps accumulate: catalogs, examples and
# random mechanisms reach 140 tolerances.
ALLOWED, ROUNDING = 1000.0, 1e-9
COARSE = 1e-2  # for methods of order 2, which have numerical damping, and for "bdf", which does not control work
LOST = 0.02  # relative to the energy of the motion: a method without projection has failed


def check_energy(run: Simulation, scheme: Scheme, settings: Settings) -> None:
    """Warn if the energy balance of a run is too inaccurate; raise an error if the method also violates constraints."""
    if not len(run):
        return
    drift = run.energy.drift
    if scheme.drifts and not drift <= LOST:
        raise _lost(run, drift)
    if settings.method.fixed_step is not None:
        order, step = getattr(settings.method, "order", None) or scheme.order, _mean_step(run)
        allowed, reason = _allowed_by_order(run, order, step), f"steps of {step:.3g} s and order {order} allow"
        remedy = "use a smaller step, or method='auto'"
    else:
        allowed, reason = ALLOWED * run.stats.rtol + ROUNDING, f"rtol = {run.stats.rtol:.1e} allows"
        remedy = "use another method, such as 'radau', or a smaller rtol"
        if scheme.rough or isinstance(settings.method, Bdf):
            allowed = max(allowed, COARSE)
    if drift <= allowed:
        return
    k = _jump(run)
    warn(
        f"the energy of '{run.model.name}' does not add up by {100.0 * drift:.2g} %, while {reason} "
        f"{100.0 * allowed:.1g} %; it is lost or gained most between t = {run.times[max(k - 1, 0)]:.6g} and "
        f"{run.times[k]:.6g} s, {_nearest(run, k)}: results may be wrong from then on; {remedy}, and see "
        "run.energy.error",
        EnergyWarning,
    )


def _mean_step(run: Simulation) -> float:
    """The mean step size of a run."""
    return float(run.times[-1] - run.times[0]) / max(int(np.sum(run.steps)), 1)


def _allowed_by_order(run: Simulation, order: int, step: float) -> float:
    """The allowed energy error of fixed steps with a method of given order."""
    size = np.sqrt(run.system.weights)
    speed, acceleration = (
        float(np.max(np.abs(part[:, run.system.width :]) * size, initial=0.0)) for part in (run.v, run.a)
    )
    if not 0.0 < speed < np.inf:
        return COARSE
    rate = acceleration / speed
    expected = max(1.0, rate * float(run.times[-1] - run.times[0])) * (rate * step) ** order
    return min(COARSE, ALLOWED * expected) + ROUNDING


def _jump(run: Simulation) -> int:
    """The output time at the end of the interval in which the error changes most."""
    error = run.energy.error
    return 1 + int(np.argmax(np.abs(np.diff(error)))) if error.size > 1 else 0


def _nearest(run: Simulation, k: int) -> str:
    """The likely cause: an event, the force with the greatest work, or the body whose energy changed most."""
    first, last = float(run.times[max(k - 1, 0)]), float(run.times[k])
    struck = [happening.event.title for happening in run.events if first <= happening.time <= last]
    if struck:
        return f"where {struck[0]} took place"
    laws = len(run.system.laws)
    work = np.abs(np.diff(run.energy._work[max(k - 1, 0) : k + 1, :laws], axis=0)).sum(axis=0)
    if work.size and work.max() > 0.0:
        return f"where {run.system.forces[int(np.argmax(work))].title} does most work"
    change = np.abs(run.a[k] * run.v[k])[run.system.width :][: run.system.width * len(run.system.bodies)]
    if not change.size:
        return "where nothing acts"
    return f"where '{run.system.bodies[int(np.argmax(change)) // run.system.width].name}' changes its speed most"


def _lost(run: Simulation, drift: float) -> SimulationError:
    """Methods without projection may fail at singular configurations; only the energy shows it."""
    k = _jump(run)
    now = float(run.times[k])
    found = SimulationError(
        f"the energy of '{run.model.name}' does not add up by {100.0 * drift:.2g} % from about t = {now:.4g} s on, "
        f"{_nearest(run, k)}: '{run.stats.method}' may have passed a singular configuration, where it fails; use "
        "'auto'",
        time=now,
        partial=run,
    )
    run.stopped = found
    return found
