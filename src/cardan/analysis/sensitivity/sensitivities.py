r"""sensitivities(result, parameters, outputs): derivatives of positions, motions, equilibria and loads.

    J dq = -phi_p                                    assembled and driven positions             Haug 3.6.9, p instead of
    t
    J dv = -(J v - nu)_p - G dq                      their velocities, and
    J da = -(J a - gamma)_p - (A + B) dq - V dv      accelerations
    M da + C dv + K dq + J^T dlambda = F_p           reactions of joints and drivers: F = Q - h - M a - J^T lambda
    K dq + J^T dlambda + S ds = F_p,  J dq = -phi_p  equilibria

with the matrices of linearize(): solutions are differentiated, never repeated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from cardan.analysis.linear.equations import Equations
from cardan.analysis.linear.free import MAX_DENSE_FACTORS, Free
from cardan.analysis.linear.pattern import MatrixPattern
from cardan.analysis.linear.point import LinearizationPoint, point_in_motion
from cardan.analysis.linear.ports import Readings, outputs_of
from cardan.analysis.sensitivity.opening import reject_opening, reject_unstated_phase
from cardan.analysis.sensitivity.perturbed import (
    Known,
    Tables,
    Tangent,
    along,
    explicit,
    instant_of,
    outputs_at,
    perturbed_point,
)
from cardan.analysis.sensitivity.steady import steady_tangents
from cardan.analysis.unsupported import reject_impacts, reject_junctions
from cardan.errors import ModelError, SimulationError
from cardan.model import check
from cardan.model.parameter import Parameter, Parameters, parameters_of
from cardan.results.linear.sensitivities import Sensitivities
from cardan.results.simulation import Simulation
from cardan.results.snapshot import Snapshot
from cardan.results.steady.equilibrium import Equilibria, Equilibrium
from cardan.results.steady.steady_motion import SteadyMotion
from cardan.results.trajectory import Trajectory

TIMES_PER_PIECE = 64  # number of times of a run whose matrices are kept at once
Found = tuple[np.ndarray, np.ndarray, tuple[np.ndarray, ...]]  # at several times: outputs, their derivatives, tangents
MIN_CONDITION = 1e-12  # reciprocal condition: below it an equilibrium is not isolated
MAX_NEUTRAL_EFFECT = 1e-9  # relative to the effect of a parameter: more along a neutral motion would start that motion


def sensitivities(result: Snapshot | Trajectory, parameters: Parameters, outputs: Readings = ()) -> Sensitivities:
    """Derivatives of outputs, and of all coordinates, by named parameters of the model.

    `result` is an assembled position, an equilibrium (with reactions), a steady motion, whose conditions stay and whose
    spin may change (`spin`), or a run of kinematics() or inverse_dynamics(), at all its output times.
    Parameters are paths such as "spring.stiffness", or results of parameter() and tied(); outputs are those of
    linearize(): measures, `rate(measure)`, `(measure, "acceleration")`, `reaction(joint, "x")`, forces. An
    assembled position with degrees of freedom changes by the least displacement; so does an equilibrium with a neutral
    motion, such as the spin of a ball. The model must not have changed since the result was computed.

    >>> from cardan import equilibrium, sensitivities
    >>> from cardan.planar import Body, Model, Spring, Translational
    >>> model = Model("scale", gravity=(0, -9.81))
    >>> pan = model.add(Body(mass=2.0, inertia=1.0), name="pan")
    >>> guide = model.add(Translational(model.ground.at(angle=1.5707963267948966), pan.at(angle=1.5707963267948966)))
    >>> spring = model.add(Spring(guide.travel, 100.0, rest_length=0.0), name="spring")
    >>> s = sensitivities(equilibrium(model), ["pan.mass", "spring.stiffness"], [guide.travel])
    >>> s.derivatives.round(9).tolist()                            # of -m g/k: -g/k and m g/k^2
    [[-0.0981, 0.001962]]
    """
    if isinstance(result, Equilibria):
        raise ModelError(f"sensitivities() needs one equilibrium, got a list of {len(result)}: select one, found[0]")
    if isinstance(result, Simulation):
        raise ModelError(
            "sensitivities() differentiates positions, equilibria and driven motions; use motion_sensitivities() for a "
            "simulation, and gradient() for a single number"
        )
    check.instance(result, (Snapshot, Trajectory), "the result of sensitivities()", hint="a result of an analysis")
    model = result.model
    reject_impacts(model, "sensitivities()")
    chosen, ports = parameters_of(model, parameters, "sensitivities()"), outputs_of(model, outputs)
    names = [port.name for port in ports]
    if isinstance(result, Snapshot):
        find = _of_balance if isinstance(result, Equilibrium | SteadyMotion) else _of_motion
        if find is _of_motion:
            reject_junctions(model, "sensitivities() of an assembled position")
        (values,), (slopes,), levels = find([result], chosen, ports)
        tangents = tuple(level[0] for level in levels)
        return Sensitivities(result.system, np.array([result.time]), chosen, names, values, slopes, tangents)
    if not len(result):
        raise ModelError("the run of sensitivities() is empty: nothing was computed")
    snapshots = [instant_of(result, k) for k in range(len(result))]
    found = [
        _of_motion(snapshots[k : k + TIMES_PER_PIECE], chosen, ports) for k in range(0, len(snapshots), TIMES_PER_PIECE)
    ]
    values, slopes = (np.concatenate([part[k] for part in found]) for k in range(2))
    tangents = tuple(np.concatenate(level) for level in zip(*(part[2] for part in found), strict=True))
    return Sensitivities(result.system, result.times, chosen, names, values, slopes, tangents)


def _of_balance(snapshots: list[Any], parameters: list[Parameter], ports: list[Any]) -> Found:
    """The derivatives of an equilibrium or a steady motion."""
    (at,) = snapshots
    known, point, equations = state_of(at, ports)
    values = outputs_at(ports)(point)
    if isinstance(at, SteadyMotion):
        tangents = steady_tangents(known, parameters)
    else:
        tangents = tangents_of(resting(known, equations, parameters))
    return _found([known], [point], values[None], [tangents], parameters)


def _of_motion(snapshots: list[Snapshot], parameters: list[Parameter], ports: list[Any]) -> Found:
    """The derivatives at times of one driven motion, or of an assembled position."""
    known = [Known(at, at.a, np.zeros(at.system.row_count), ports) for at in snapshots]
    tables, read = Tables(known[0]), outputs_at(ports)
    points, linear, values = [], [], []
    pattern = MatrixPattern(tables.system, tables.machine)
    for one in known:
        point = _driven(one, tables) if one.at.moves else perturbed_point(one, 0.0, Tangent(), None, tables)
        one.a, one.multipliers = point.a, point.multipliers
        points.append(point)
        values.append(read(point))
        linear.append(Equations(point, (), pattern) if one.at.moves else None)
    slopes = explicit(known, parameters, [point.free for point in points])
    each = zip(points, linear, slopes, strict=True)
    tangents = [tangents_of(_following(point, equations, table, parameters)) for point, equations, table in each]
    return _found(known, points, np.array(values), tangents, parameters)


def _driven(known: Known, tables: Tables) -> LinearizationPoint:
    """One time of a motion with its accelerations and multipliers; all degrees of freedom must be driven."""
    at = known.at
    point = point_in_motion(tables.system, at.time, (at.q, at.v, at.states), tables.turned(at), tables.machine)
    if point.free.count:
        raise ModelError(
            f"'{at.model.name}' has {point.free.count} undriven degrees of freedom: its motion depends on its initial "
            "state; use motion_sensitivities() of a simulation"
        )
    return point


def _found(
    known: list[Known],
    points: list[LinearizationPoint],
    values: np.ndarray,
    tangents: list[list[Tangent]],
    parameters: Any,
) -> Found:
    """Outputs, their derivatives, and those of coordinates, speeds, accelerations and multipliers."""
    read, free = outputs_at(known[0].ports), [point.free for point in points]
    derivatives = np.zeros((*values.shape, len(parameters)))
    if values.size:
        for k, one in enumerate(parameters):
            derivatives[..., k] = along(known, one, [line[k] for line in tangents], read, free)
    levels = [[[t.dq, t.dv, t.da, t.dlambda, [t.dspin]] for t in line] for line in tangents]
    each = [[np.stack(level, axis=1) for level in zip(*line, strict=True)] for line in levels]
    return values, derivatives, tuple(np.stack(level) for level in zip(*each, strict=True))


def tangents_of(table: tuple[np.ndarray, ...]) -> list[Tangent]:
    """One tangent per column."""
    return [Tangent(*line) for line in zip(*(level.T for level in table), strict=True)]


def state_of(at: Equilibrium | SteadyMotion, ports: list[Any]) -> tuple[Known, LinearizationPoint, Equations]:
    """The state of an equilibrium or a steady motion with its forces, and its linearized equations."""
    rests, rows = isinstance(at, Equilibrium), at.system.row_count
    loads = np.zeros(rows) if at.loads is None else at.loads.multipliers[0]
    known = Known(at, np.zeros_like(at.v) if rests else at.a, loads, ports)
    point = perturbed_point(known, 0.0, Tangent(), None)
    return known, point, Equations(point, ())


def _following(
    point: LinearizationPoint, equations: Equations | None, slopes: np.ndarray, parameters: list[Parameter]
) -> tuple[np.ndarray, ...]:
    """Derivatives of a driven position and of its motion: dq, dv, da, dlambda, and no states."""
    system = point.system
    n, nr, count = system.coordinates, system.row_count, slopes.shape[1]
    phi, rate, acceleration, force, _ = _split(slopes, system)
    nothing, no_states = np.zeros((n, count)), np.zeros((point.states.size, count))
    if equations is None:
        closing = ~system.on_velocities
        Z = point.free
        if not closing.all():
            places = np.flatnonzero(closing)
            Z = Free(system, system.jacobian_matrix(point.machine.work)[places], point.free.unit, places)
        dq = Z.back(-phi[closing])
        J = system.jacobian_matrix(point.machine.work)
        reject_unstated_phase(system, J, phi, parameters)
        reject_opening(system, *_stated(system, J, -phi), dq, parameters)
        return dq, nothing, nothing, np.zeros((nr, count)), no_states
    rows_, Z = equations.rows, equations.Z
    dq = Z.back(-phi[equations.on_positions])
    reject_unstated_phase(system, equations.J, phi, parameters)
    reject_opening(system, *_stated(system, equations.J, -phi), dq, parameters)
    dv = point.free.back(-rate - rows_.G @ dq)
    reject_opening(system, equations.J, -rate - rows_.G @ dq, dv, parameters)
    gamma = -acceleration - (rows_.A + rows_.B) @ dq - rows_.V @ dv
    force = force - equations.K @ dq - equations.C @ dv
    both = point.free.saddle(equations.M, equations.E if equations.E.nnz else None)(np.concatenate([force, gamma]))
    return dq, dv, both[:n], both[n:], no_states


def _stated(system: Any, J: Any, right: np.ndarray) -> tuple[Any, np.ndarray]:
    """Position rows with given constants; the constants of the others are those of the assembled position."""
    stated = ~(system.on_velocities | system.floating)
    return sp.diags_array(stated.astype(float)) @ J, np.where(stated[:, None], right, 0.0)


def resting(known: Known, equations: Equations, parameters: list[Parameter]) -> tuple[np.ndarray, ...]:
    """Derivatives of an equilibrium: dq, dlambda, and the states of devices; speeds stay zero."""
    point, parts = equations.point, equations.reading.columns.parts
    system, kept, states = point.system, point.free.rows, equations.states
    phi, _, _, force, rates = _split(explicit([known], parameters, [point.free])[0], system)
    reject_unstated_phase(system, equations.J, phi, parameters)
    J, value = equations.J[kept], equations.value
    reading = equations.reading.state_rates()[states]
    S = equations.push @ equations.laws[:, parts["state"]][:, states]
    matrix = sp.block_array(
        [
            [equations.K, S, J.T + equations.E[:, kept]],
            [reading[:, parts["value"]] @ value, reading[:, parts["state"]][:, states],
             reading[:, parts["multiplier"]][:, kept]],
            [J, None, None],
        ]
    )  # fmt: skip
    right = np.concatenate([force, -rates[states], -phi[kept]])
    n, ns = system.coordinates, states.size
    found = _solved(sp.csc_array(matrix), right, n, system, parameters)
    count = len(parameters)
    dlambda, ds = np.zeros((system.row_count, count)), np.zeros((point.states.size, count))
    dlambda[kept], ds[states] = found[n + ns :], found[n : n + ns]
    nothing = np.zeros((n, count))
    return found[:n], nothing, nothing, dlambda, ds


def _solved(matrix: Any, right: np.ndarray, n: int, system: Any, parameters: list[Parameter]) -> np.ndarray:
    """The solution; for a neutral motion the shortest one, unless a parameter acts along that motion."""
    if n > MAX_DENSE_FACTORS:
        return np.asarray(splu(matrix).solve(right))
    dense = matrix.toarray()  # balanced: the condition then does not depend on units
    rows = _least(np.abs(dense).max(axis=1)) ** -0.5
    dense *= rows[:, None]
    columns = 1.0 / _least(np.abs(dense).max(axis=0))
    U, sizes, lines = np.linalg.svd(dense * columns)
    free = sizes <= MIN_CONDITION * sizes[0]
    parts = U.T @ (rows[:, None] * right)
    pushed = np.abs(parts[free]).max(axis=0, initial=0.0) > MAX_NEUTRAL_EFFECT * np.abs(parts).max(axis=0, initial=0.0)
    if pushed.any():
        raise SimulationError(
            f"the equilibrium of '{system.model.name}' has no derivative with respect to "
            f"'{parameters[int(np.argmax(pushed))].name}': it has a neutral motion that this would start; constrain "
            "that motion, or give it a stiffness"
        )
    return np.asarray(columns[:, None] * (lines[~free].T @ (parts[~free] / sizes[~free, None])))


def _least(sizes: np.ndarray) -> np.ndarray:
    """The sizes, with 1 instead of zero."""
    return np.where(sizes > 0.0, sizes, 1.0)


def _split(table: np.ndarray, system: Any) -> list[np.ndarray]:
    nr, n = system.row_count, system.coordinates
    return np.split(table, [nr, 2 * nr, 3 * nr, 3 * nr + n])
