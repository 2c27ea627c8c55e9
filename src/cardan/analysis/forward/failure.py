"""Errors that end a run of forward dynamics, in terms of the user's elements."""

from __future__ import annotations

import numpy as np

from cardan.analysis.forward.checks.function_errors import around, broken, fastest, lost_driver
from cardan.analysis.forward.recording import result_of
from cardan.analysis.forward.stalling import jumping_force
from cardan.analysis.forward.state import Run
from cardan.errors import CardanError, LockUp, SimulationError
from cardan.integrators.stepper import COLLAPSED, DRIFTED
from cardan.numerics.linalg.rank import null_space
from cardan.system.cartesian.matrix import BROKEN, JAMMED, OPEN, SINGULAR
from cardan.system.cartesian.softness import RESISTED, refinements, spread, weakest
from cardan.system.system import System


def failure_of(run: Run) -> CardanError:
    """The error that ends the run, with the results so far."""
    error: CardanError
    reason, now, system = int(run.stepper.outcome.failure), run.now, run.system
    partial = result_of(run)
    if reason == BROKEN:
        error = broken(run, now, partial)
    elif reason == OPEN:
        row = worst_row(system, run.machine)
        message = (
            f"at t = {now:.6g} s the joints can no longer be closed: {system.row_name(row)} stays open by "
            f"{abs(float(run.machine.work.phi[row])):.3g}"
        )
        stuck = system.elements[system.owner[row]].name
        drivers = list(dict.fromkeys(system.elements[k].name for k in system.owner[system.driving]))
        if drivers:
            asking = ", ".join(repr(name) for name in drivers[:3])
            message += f"; {asking} exceed{'s' if len(drivers) == 1 else ''} what the mechanism allows"
        kind = LockUp if drivers else SimulationError
        error = kind(message, time=now, elements=(stuck, *drivers), partial=partial)
    elif reason == DRIFTED:
        error = _drifted(run, now, partial)
    else:
        error = _collapsed(run, reason, now, partial)
    partial.stopped = error
    return error


def require_masses(run: Run) -> None:
    """Reject an unconstrained direction without mass, whether a force acts along it or not."""
    found = _weightless(run)
    if found is not None:
        raise _nothing_resists(run, *found)


def _nothing_resists(run: Run, coordinate: str, name: str) -> SimulationError:
    now = run.now
    message = (
        f"at t = {now:.6g} s nothing resists the {coordinate} of body '{name}': it can move freely there without mass "
        "or inertia; add some, or constrain it by a joint. If springs hold it, equilibrium() needs no mass"
    )
    return SimulationError(message, time=now, elements=(name,), partial=result_of(run) if run.begun else None)


def worst_row(system: System, machine: object) -> int:
    """The equation with the largest scaled error."""
    phi = np.abs(machine.work.phi) * system.rows.inverse  # type: ignore[attr-defined]
    return int(np.nanargmax(np.where(np.isfinite(phi), phi, np.inf))) if phi.size else 0


def _drifted(run: Run, now: float, partial: object) -> CardanError:
    """The error of a method that does not enforce the constraints."""
    system, row = run.system, worst_row(run.system, run.machine)
    message = (
        f"at t = {now:.6g} s the constraints have drifted: {system.row_name(row)} is open by "
        f"{abs(float(run.machine.work.phi[row])):.3g}, and '{run.scheme.name}' does not enforce it; use 'partition' or "
        "'auto', or a smaller rtol"
    )
    element = system.elements[system.owner[row]].name
    return SimulationError(message, time=now, elements=(element,), partial=partial)


def _collapsed(run: Run, reason: int, now: float, partial: object) -> CardanError:
    """A step that became too small, or a matrix that cannot be factorized."""
    weightless = _weightless(run)
    body, turning = fastest(run)
    names: tuple[str, ...] = (body,)
    if weightless is not None:
        return _nothing_resists(run, *weightless)
    lost = lost_driver(run, now, partial)
    if lost is not None:
        return lost
    if run.scheme.rough and run.settings.method.fixed_step is not None:
        message = (
            f"at t = {now:.6g} s Newton's method of '{run.scheme.name}' does not converge with step = "
            f"{run.settings.method.fixed_step:g} s: use a shorter step, or omit it to let the tolerance control it"
        )
    elif reason == JAMMED:
        message = (
            f"at t = {now:.6g} s the iteration between reactions and forces that depend on them does not converge near "
            f"body '{body}'{around(run)}: such large friction jams the mechanism; reduce its coefficient, or end the "
            "run before with an event"
        )
    elif reason == SINGULAR:
        message = (
            f"at t = {now:.6g} s the equations of '{run.system.model.name}' cannot be solved: masses, forces or joints "
            f"differ by too many orders of magnitude near body '{body}'"
        )
    else:
        why = "the tolerance cannot be met" if reason == COLLAPSED else "its result cannot be evaluated"
        found = jumping_force(run)
        culprit = "look for a force that jumps or grows without bound"
        if found is not None:
            culprit, names = f"{found[0].title} jumps or grows without bound there", (found[0].name, body)
        message = (
            f"at t = {now:.9g} s the step became too small, because {why}; body '{body}' has the greatest "
            f"acceleration, {turning}{around(run)}: {culprit}, make it smooth or end the run there by an event"
        )
    return SimulationError(message, time=now, elements=names, partial=partial)


def _weightless(run: Run) -> tuple[str, str] | None:
    """A coordinate along which a body has no mass and is not constrained, and that body; None if there is none.

    If small masses replace missing ones and other masses resist too, solutions are refined until this has no effect."""
    system, tables = run.system, run.machine
    if not tables.soft.any() or system.coordinates > 2000:
        return None
    rows, columns, values, shape = system.jacobian(tables.work)
    J = np.zeros(shape)
    np.add.at(J, (rows, columns), values)
    scale = tables.column_scale[system.width :]
    free = scale[:, None] * null_space(J[tables.active.astype(bool)] * scale)
    share, motion = weakest(spread(system, tables.mass).toarray(), tables.soft, free)
    if share > RESISTED:
        tables.settings.refinements = max(tables.settings.refinements, refinements(share))
        tables.settings.acceleration_refinements = max(tables.settings.acceleration_refinements, refinements(share))
        return None
    place = int(np.argmax(np.where(tables.soft > 0.0, np.abs(motion) / scale, 0.0)))
    body, coordinate = divmod(place, system.width)
    if body >= len(system.bodies):
        return "place of contact", system.contact_coordinates[place - system.width * len(system.bodies)].name
    return system.space.coordinate_names[coordinate], system.bodies[body].name
