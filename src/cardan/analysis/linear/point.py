"""The state about which a mechanism is linearized: closed, with its accelerations and multipliers.

rest      v = 0           deviations from an equilibrium or, if forces do not balance, from a released mechanism
steady    v, a of a steady motion, relative to axes that rotate with it: constant matrices
motion    v != 0          deviations from the motion through this state, frozen in time
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from cardan.analysis.assembly.assemble import assembled
from cardan.analysis.linear.free import Free
from cardan.analysis.steady.balance import unbalanced
from cardan.analysis.steady.free import FreeValues
from cardan.errors import ModelError, SimulationError
from cardan.model import check
from cardan.model.model import Model
from cardan.results.snapshot import Snapshot
from cardan.results.steady.equilibrium import Equilibria, Equilibrium
from cardan.results.steady.steady_motion import SteadyMotion
from cardan.results.trajectory import Trajectory
from cardan.system.cartesian.masses import mass_matrix as mass_matrix_of
from cardan.system.cartesian.mechanism_tables import mechanism_tables
from cardan.system.compile import compile
from cardan.system.system import System

OperatingPoint = Snapshot | tuple[Trajectory, float] | None  # a state, a run and a time, or as the model is stated

SEATED = 1e-6  # relative to the model's length: how far joints may move a closed state of a run
MULTIPLIER_TOLERANCE, ATTEMPTS = (
    1e-12,
    60,
)  # relative to the largest multiplier: convergence of forces that depend on reactions


@dataclass
class LinearizationPoint:
    """The state with all evaluated quantities."""

    system: System
    machine: Any
    time: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    reference: np.ndarray
    states: np.ndarray
    multipliers: np.ndarray
    strengths: np.ndarray
    about: str  # "rest", "steady motion" or "motion"
    spin: np.ndarray  # angular velocity of the reference axes
    residual: float  # residual force, relative to the largest force
    unbalanced: float  # and the largest resulting acceleration along free motions,
    fastest: str  # with its unit and coordinate
    free: Free  # free directions of the speeds
    largest: float = 0.0  # the largest force, as an energy


def snapshot_of(at: OperatingPoint, caller: str = "linearize()") -> Snapshot | None:
    """The state selected by the user of an analysis."""
    if isinstance(at, tuple) and len(at) == 2 and isinstance(at[0], Trajectory):
        return at[0].at(check.number(at[1], f"the time of {caller}"))
    if isinstance(at, Trajectory):
        raise ModelError(
            f"at= of {caller} is a whole run, {at.times[0]:g} s to {at.times[-1]:g} s: select a time, at=(run, time)"
        )
    if isinstance(at, Equilibria):
        raise ModelError(f"at= of {caller} is a list of {len(at)} equilibria: select one of them, at=found[0]")
    if at is not None and not isinstance(at, Snapshot):
        raise ModelError(
            f"at= of {caller} must be a snapshot, an equilibrium, a steady motion or (run, time), got "
            f"{check.describe(at)}"
        )
    return at


def point_at(
    model: Model,
    at: Snapshot | None,
    time: float,
    watched: list[Any],
    adapt: Callable[[System], System] = lambda system: system,
) -> LinearizationPoint:
    """Close the mechanism, project its speeds and compute its accelerations; `adapt` may replace tables first."""
    time = time if at is None else at.time
    start = None if at is None else at.as_start(model)
    extra, without = engaged_joints(model, at)
    system = adapt(compile(model, extra, forces=True, watched=watched, time=time, start=start, without=without))
    seat(system, at)
    found = FreeValues(system, at.values if isinstance(at, SteadyMotion) and at.model is model else {}, time)
    q, reference = assembled(system, time)
    _require_seat(system, at, q)
    made = mechanism_tables(system)
    made.reference[:] = reference
    circuit = made.forces.circuit
    if at is not None:
        take_states(system, at, circuit.states)
    v = system.stated_speeds() if at is None else at.v.copy()
    a = system.speeds()
    _evaluate(found, made, time, q, v, a)
    unit = system.unit
    J = system.jacobian_matrix(made.work)
    free = Free(system, J, unit)
    if not isinstance(at, Equilibrium):
        v[system.width :] -= free.back((J @ v[system.width :] - made.work.nu)[:, None])[:, 0]
    masses = mass_matrix(system, q)
    a, multipliers, loose = _accelerations(found, made, free, masses, (time, q, v), isinstance(at, Equilibrium))
    about = "steady motion" if isinstance(at, SteadyMotion) else "motion" if np.abs(v).max() > 0.0 else "rest"
    left = (loose - at.a if isinstance(at, SteadyMotion) else loose)[system.width :]
    if about == "motion":  # its acceleration along free motions; the rest is the curvature of its path
        left = left - free.back((J @ left)[:, None])[:, 0]
    size = max(_largest(system, made), float(np.abs(unit * (masses @ a[system.width :])).max(initial=0.0)))
    out_of_balance = np.abs(unit * (masses @ left)).max(initial=0.0)
    spin = at.spin * np.array(at.axis) if isinstance(at, SteadyMotion) else np.zeros(3)
    return LinearizationPoint(
        *(system, made, time, q, v, a, reference, circuit.states.copy(), multipliers, made.strength.copy()),
        *(about, spin, float(out_of_balance / size) if size else 0.0),
        *_fastest(system, left, unit),
        free,
        largest=size,
    )


def _fastest(system: System, a: np.ndarray, unit: np.ndarray) -> tuple[float, str]:
    """The largest acceleration, with its unit and name."""
    if not a.size:
        return 0.0, ""
    k = int(np.argmax(np.abs(a) / unit))
    angular = bool(system.space.angular[k % system.width]) if k < system.width * len(system.bodies) else False
    what = "rad/s2" if angular else "m/s2"
    return float(np.abs(a).max()), f"{a[k]:.3g} {what} along the {system.coordinate_name(k)}"


def engaged_joints(model: Model, at: Snapshot | None) -> tuple[list[Any], list[Any]]:
    """Additional joints that are engaged at a time of a run, and joints of the model that are released."""
    if at is None or not at.shifts:
        return [], []
    engaged = at.shifts[-1].engaged.astype(bool)
    held = [element for element in at.system.elements if engaged[at.system.rows_of(element)].all()]
    return [e for e in held if e not in model], [e for e in model.constraints if all(e is not h for h in held)]


def seat(system: System, at: Snapshot | None) -> None:
    """Set holds to the values at which they were engaged."""
    if at is None or not at.shifts:
        return
    for element in system.elements:
        system.rows.offset[system.rows_of(element)] = at.shifts[-1].offset[at.system.rows_of(element)]


def _require_seat(system: System, at: Snapshot | None, q: np.ndarray) -> None:
    """Reject joints that were engaged in another position than given in the model."""
    if at is not None and at.shifts and np.abs(q - at.q).max(initial=0.0) > SEATED * max(system.length, 1.0):
        raise ModelError(
            f"at t = {at.time:g} s joints of '{system.model.name}' are engaged in positions that differ from the "
            "model; linearize a model with their markers there"
        )


def point_in_motion(
    system: System,
    time: float,
    state: tuple[np.ndarray, np.ndarray, np.ndarray],
    reference: np.ndarray,
    made: Any = None,
) -> LinearizationPoint:
    """A given state (q, v, states of devices), with the resulting accelerations and multipliers.

    `made` is the machine of the system, if it already exists.
    """
    q, v, states = state
    made, found = mechanism_tables(system) if made is None else made, FreeValues(system, {}, time)
    made.reference[:] = reference
    made.forces.circuit.states[:] = states
    _evaluate(found, made, time, q, v, system.speeds())
    free = Free(system, system.jacobian_matrix(made.work), system.unit)
    a, multipliers, _ = _accelerations(found, made, free, mass_matrix(system, q), (time, q, v), False)
    return LinearizationPoint(
        *(system, made, time, q, v, a, reference, states, multipliers, made.strength.copy()),
        *("motion", np.zeros(3), 0.0, 0.0, "", free),
    )


def _accelerations(
    known: FreeValues, made: Any, free: Free, masses: Any, state: tuple[float, np.ndarray, np.ndarray], rests: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """a and lambda, including devices that depend on lambda. In equilibrium a is zero, and its residual is returned
    third."""
    system, (time, q, v) = known.system, state
    solve, circuit = free.saddle(masses), made.forces.circuit
    a, zero, multipliers = system.speeds(), system.speeds(), np.zeros(system.row_count)
    for _ in range(ATTEMPTS):
        _evaluate(known, made, time, q, v, zero)
        gamma = np.zeros_like(multipliers) if rests else made.work.gamma.copy()
        right = np.concatenate([made.force[system.width :], gamma])[:, None]
        both = solve(right)[:, 0]
        a[system.width :], found = both[: system.coordinates], both[system.coordinates :]
        seen = circuit.multipliers[: found.size]
        change = np.abs(found - multipliers).max(initial=0.0)
        multipliers = found
        seen[:] = found
        if not circuit.row.size or change <= MULTIPLIER_TOLERANCE * np.abs(found).max(initial=0.0):
            return (zero if rests else a), multipliers, a
    raise SimulationError(
        f"forces of '{system.model.name}' that depend on reactions do not converge at t = {time:g} s: friction may jam",
        time=time,
    )


def _evaluate(found: FreeValues, made: Any, time: float, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
    system = found.system
    status = unbalanced(made, time, q, v, a)
    if status:
        failed = int(made.failure.law)
        if failed:
            who = system.forces[failed - 1].title if failed <= len(system.forces) else "a device"
            raise SimulationError(
                f"{who} returns no finite force at the linearization point, at t = {time:g} s", time=time
            )
        raise system.failure(int(made.failure.row), time, work=made.work)
    found.push(made)


def take_states(system: System, at: Snapshot, states: np.ndarray) -> None:
    """Take the states of devices, by owner and name, that the snapshot contains."""
    known = {(id(o), n): x for o, n, x in zip(at.system.states.owner, at.system.states.name, at.states, strict=True)}
    for k, (owner, name) in enumerate(zip(system.states.owner, system.states.name, strict=True)):
        states[k] = known.get((id(owner), name), states[k])


def mass_matrix(system: System, q: np.ndarray) -> sp.csr_array:
    found = mass_matrix_of(system, system.matter(), q)
    found.eliminate_zeros()
    return found


def _largest(system: System, made: Any) -> float:
    """The largest single force, as an energy divided by the model's length."""
    weight = float(made.matter[:, 0].max(initial=0.0) * np.linalg.norm(made.gravity)) * system.length
    pushes = np.abs(made.strength)
    reach = [system.length if any(m.unit == "m" for _, m in law.terms) else 1.0 for law in system.laws]
    return max(weight, float((pushes * np.array(reach)).max(initial=0.0)))
