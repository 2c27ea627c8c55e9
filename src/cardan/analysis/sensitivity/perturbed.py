r"""A mechanism near a known state: with other parameter values, displacements, speeds and multipliers.

    explicit    d/dp of  phi, J v - nu, J a - gamma, Q - h - M a - J^T lambda     at fixed states
    along       d/ds of any quantity at  p + s, q + s dq, v + s dv, ..            along changing states

Both process any number of times of one motion with tables that are built once per parameter value. Tables of a model
contain parameters as plain numbers, so they are differentiated by sixth-order central differences of explicit formulas:
no solution is repeated. Differences are exact up to rounding for polynomials of up to the sixth degree in the
parameter, such as masses, centers, lengths, points and stiffnesses; otherwise their error is about (1/256)^6 / 140 of
the seventh derivative. Derivatives with respect to displacements and speeds are those of linearize(), which are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cardan.analysis.linear.forces import ForceReading
from cardan.analysis.linear.free import Free
from cardan.analysis.linear.point import LinearizationPoint
from cardan.analysis.linear.ports import ACCELERATION, READ, VALUE, Port, law_number, watched
from cardan.analysis.steady.balance import unbalanced
from cardan.analysis.steady.free import FreeValues
from cardan.errors import SimulationError
from cardan.model.force import Law
from cardan.model.parameter import Parameter, changed
from cardan.model.space import advance
from cardan.numerics.differences import difference_step, differentiated
from cardan.numerics.functions.interpreted import as_outputs
from cardan.results.snapshot import Snapshot
from cardan.results.steady.steady_motion import SteadyMotion
from cardan.results.trajectory import Trajectory
from cardan.system.cartesian.mechanism_tables import mechanism_tables
from cardan.system.compile import compile
from cardan.system.system import System


@dataclass
class Tangent:
    """The derivative of a state with respect to one parameter; None for parts that do not change."""

    dq: np.ndarray | None = None  # [coordinates]
    dv: np.ndarray | None = None
    da: np.ndarray | None = None
    dlambda: np.ndarray | None = None  # [rows]
    dstates: np.ndarray | None = None  # of devices
    dspin: float = 0.0  # of a steady motion
    dvalues: Sequence[float] = ()  # of its free elements


@dataclass
class Known:
    """The state of a snapshot, with accelerations, multipliers and outputs."""

    at: Snapshot
    a: np.ndarray
    multipliers: np.ndarray
    ports: Sequence[Port]
    extra: tuple[Any, ...] = field(init=False)  # additional constraints, and those omitted
    without: tuple[Any, ...] = field(init=False)

    def __post_init__(self) -> None:
        model, present = self.at.model, self.at.system.elements
        self.extra = tuple(e for e in present if e not in model)
        self.without = tuple(e for e in model.constraints if e not in present)

    def system(self) -> System:
        """The current model, compiled."""
        at, model = self.at, self.at.model
        start = at.as_start(model)._replace(q=at.q.copy())
        given = at.given if isinstance(at, SteadyMotion) else ()
        read = watched(self.ports) + [Law(measure.parts()) for measure in given]
        system = compile(model, self.extra, forces=True, watched=read, time=at.time, start=start, without=self.without)
        floating = system.floating
        system.rows.offset[floating] = at.system.rows.offset[floating]
        return system


class Tables:
    """The current model, compiled, for all times of a motion in turn."""

    def __init__(self, known: Known) -> None:
        self.system = known.system()
        self.machine = mechanism_tables(self.system)

    def turned(self, at: Snapshot) -> np.ndarray:
        """Set the turns of angles to those at that time."""
        reference = self.system.reference.copy()
        turns = dict(zip([at.system.measures[k] for k in at.system.winding], at.turns.tolist(), strict=True))
        for k in self.system.winding:
            reference[k] = turns.get(self.system.measures[k], reference[k])
        return reference


def instant_of(run: Trajectory, k: int) -> Snapshot:
    """One time of a motion."""
    return Snapshot(run.system, float(run.times[k]), run.q[k], run.v[k], run.a[k], run.turns[k], run.states[k])


def perturbed_point(
    known: Known, step: float, tangent: Tangent, free: Free | None, tables: Tables | None = None
) -> LinearizationPoint:
    """The state a step away along a tangent, for the model in `tables`, or the current one. It must be read before the
    tables are used again.
    """
    at, width = known.at, known.at.system.width
    q, v, a = at.q.copy(), at.v.copy(), known.a.copy()
    if tangent.dq is not None:
        along = np.concatenate([np.zeros(width), step * tangent.dq])
        advance(at.system.geometry, q, along)
    for vector, change in ((v, tangent.dv), (a, tangent.da)):
        if change is not None:
            vector[width:] += step * change
    multipliers, states = known.multipliers.copy(), at.states.copy()
    if tangent.dlambda is not None:
        multipliers += step * tangent.dlambda
    if tangent.dstates is not None:
        states = states + step * tangent.dstates
    tables = tables or Tables(known)
    system, made, reference = tables.system, tables.machine, tables.turned(at)
    spin, found = _steady(at, step, tangent, system)
    circuit = made.forces.circuit
    circuit.states[:], circuit.multipliers[: multipliers.size] = states, multipliers
    made.reference[:] = reference
    if unbalanced(made, at.time, q, v, a):
        raise SimulationError(
            f"'{at.model.name}' cannot be evaluated near its state at t = {at.time:g} s", time=at.time
        )
    found.push(made)
    if free is None:
        free = Free(system, system.jacobian_matrix(made.work), system.unit)
    about = "steady motion" if isinstance(at, SteadyMotion) else "motion" if np.any(v) else "rest"
    return LinearizationPoint(
        *(system, made, at.time, q, v, a, reference, states, multipliers, made.strength.copy()),
        *(about, spin, 0.0, 0.0, "", free),
    )


def _steady(at: Snapshot, step: float, tangent: Tangent, system: System) -> tuple[np.ndarray, FreeValues]:
    """The spin of the reference axes, and the values of free elements."""
    if not isinstance(at, SteadyMotion):
        return np.zeros(3), FreeValues(system, {}, at.time)
    changes = tangent.dvalues or [0.0] * len(at.values)
    pairs = zip(at.values.items(), changes, strict=True)
    values = {element: value + step * change for (element, value), change in pairs}
    return (at.spin + step * tangent.dspin) * np.array(at.axis), FreeValues(system, values, at.time)


def step_of(known: Known, parameter: Parameter, tangent: Tangent) -> float:
    """A step that is small relative to the parameter and to the displacements it causes."""
    length = known.at.system.length
    size = parameter.size(length)
    if tangent.dq is None:
        return difference_step(size)
    unit = length / np.sqrt(known.at.system.weights)
    return difference_step(size, length, float(np.abs(tangent.dq / unit).max(initial=0.0)))


def along(
    known: Sequence[Known],
    parameter: Parameter,
    tangents: Sequence[Tangent],
    read: Callable[[LinearizationPoint], Any],
    free: Sequence[Free | None],
) -> np.ndarray:
    """d/ds of a quantity along states that change with a parameter: [times, ..].

    What depends on the free motions needs those of each perturbed state (`free` None): constraints change them.
    """
    h = min(step_of(one, parameter, tangent) for one, tangent in zip(known, tangents, strict=True))

    def perturbed(step: float) -> np.ndarray:
        with changed(known[0].at.model, {parameter: parameter.value + step}, check=False):
            tables = Tables(known[0])
            states = zip(known, tangents, free, strict=True)
            return np.stack([read(perturbed_point(one, step, tangent, Z, tables)) for one, tangent, Z in states])

    return differentiated(perturbed, h)


def explicit(known: Sequence[Known], parameters: Sequence[Parameter], free: Sequence[Free]) -> np.ndarray:
    """d/dp of [phi | J v - nu | J a - gamma | Q - h - M a - J^T lambda | rates of states]: [times, .., p]."""
    staying = [Tangent()] * len(known)
    return np.stack([along(known, one, staying, left_over, free) for one in parameters], axis=-1)


def left_over(point: LinearizationPoint) -> np.ndarray:
    """The residuals of the equations at a point."""
    system, work = point.system, point.machine.work
    J = system.jacobian_matrix(work)
    still = ~(system.on_velocities | system.floating)
    phi = np.where(still, work.phi, 0.0)
    width = system.width
    return np.concatenate([
        phi,
        J @ point.v[width:] - work.nu,
        J @ point.a[width:] - work.gamma,
        point.machine.force[width:] - J.T @ point.multipliers,
        _state_rates(point),
    ])  # fmt: skip


def outputs_at(ports: Sequence[Port]) -> Callable[[LinearizationPoint], np.ndarray]:
    """A function that evaluates outputs at a point."""

    def read(point: LinearizationPoint) -> np.ndarray:
        system, place, z = point.system, point.system.wiring.measures, point.machine.work.z
        reading = ForceReading(system, point.time, z, point.states, point.multipliers) if ports else None
        found = []
        for port in ports:
            if port.kind == VALUE:
                found.append(sum(c * z[place[m], 0] for c, m in port.what.parts()))
            elif port.kind == ACCELERATION:
                jac, columns = point.machine.work.jac, system.columns
                pairs = [(c, place[m]) for c, m in port.what.parts()]
                felt = [np.where(columns[m] >= system.width, point.a[columns[m]], 0.0) for _, m in pairs]
                found.append(sum(c * (z[m, 2] + jac[m] @ x) for (c, m), x in zip(pairs, felt, strict=True)))
            elif port.kind == READ:
                assert reading is not None
                found.append(reading.signal(port.what)[0])
            else:
                found.append(point.strengths[law_number(system, port)])
        return np.array(found, float)

    return read


def _state_rates(point: LinearizationPoint) -> np.ndarray:
    """The rates of all states of devices."""
    system = point.system
    rates = np.zeros(point.states.size)
    if not rates.size:
        return rates
    reading = ForceReading(system, point.time, point.machine.work.z, point.states, point.multipliers)
    for device in system.devices:
        owned = [k for k, owner in enumerate(system.states.owner) if owner is device]
        if owned:
            inputs = [reading.signal(signal)[0] for signal in device.inputs] + [float(point.states[k]) for k in owned]
            results = as_outputs(device.function(*inputs, *device.parameters), len(device.outputs) + len(owned))
            rates[owned] = np.array(results[len(device.outputs) :], float)
    return rates
