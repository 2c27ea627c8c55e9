"""The compiled passes of `motion_sensitivities`: accelerations at many times of a known motion and near it.

    | M  J^T | |   da    |   | d(Q - h - M a - J^T lambda) |        along a direction, with a and lambda of the motion:
    | J   0  | | dlambda | = | d(gamma - J a)              |        its factors are used for all directions

Outputs are sums of evaluated quantities, which `parts_of` lists in tables and `read` adds:

measure, rate(measure), (measure, "acceleration")     z, z', z'' = jac a + bias
a force element                                       the values of its laws
reaction(joint, "x")                                  a negative multiplier
a block, or any other signal                          the value of a law without direction
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.linear.ports import ACCELERATION, READ, VALUE, Port, is_swept, law_number
from cardan.elements.control.signals import carried
from cardan.errors import ModelError
from cardan.model.device import Held, Output, Rate
from cardan.model.force import Law
from cardan.model.space import advance, displacement
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy
from cardan.system.cartesian.acceleration import forces_at
from cardan.system.cartesian.matrix import solve_both, solve_rows
from cardan.system.cartesian.motion import evaluate_at
from cardan.system.evaluate import press, rows_times
from cardan.system.mechanism import decide_rank, project, rates, rates_at_projection
from cardan.system.system import System
from cardan.system.tables import starts
from cardan.system.turns import commit_turns

# Terms of an output: the value, the rate and the acceleration of a measure, the value of a law, the
# multiplier of a row.
SECOND, STRENGTH, LOAD = 2, 3, 4


class MotionStates(NamedTuple):
    """States of a motion, and results there; [times, ..]."""

    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    states: np.ndarray
    place: np.ndarray  # displacements from q with joints closed; numbered as v, including ground,
    speed: np.ndarray  # speeds there,
    rate: np.ndarray  # accelerations,
    trend: np.ndarray  # rates of states,
    multipliers: np.ndarray  # [times, rows]
    value: np.ndarray  # [times, outputs]: values of outputs
    start: np.ndarray  # uint32: start of the terms of each output,
    part: np.ndarray  # uint32[terms, 2]: index, and one of the kinds above,
    coefficient: np.ndarray  # and factors
    y: np.ndarray
    dy: np.ndarray
    step: np.ndarray


class Directions(NamedTuple):
    """Directions, derivatives along them, [times, .., directions], and memory for one of them.

    Directions are free displacements, then free speeds, then states of devices.
    """

    Z: np.ndarray  # [times, coordinates, free displacements]
    Y: np.ndarray  # [times, coordinates, free speeds]
    scale: np.ndarray  # of states
    T: np.ndarray  # of states of the motion,
    B: np.ndarray  # of their rates,
    R: np.ndarray  # and of outputs
    acceleration_slopes: np.ndarray  # [outputs, numbered as v]: derivatives of outputs with respect to accelerations
    force: np.ndarray  # what forces,
    row: np.ndarray  # accelerations of rows,
    speed: np.ndarray  # speeds,
    trend: np.ndarray  # and rates of states have changed


@kernel
def evaluate_jacobians(machine: Any, b: Any, J: np.ndarray) -> int:
    """J [times, rows, coordinates] along a motion. Returns 0, or one more than the index of a failed time."""
    solver, work = machine.solver, machine.work
    width = machine.force.shape[0] - machine.weights.shape[0]
    row, column, entry, measure, part = solver.row, solver.column, solver.entry, solver.measure, solver.part
    for k in range(b.times.shape[0]):
        if evaluate_at(machine, b.times[k], b.q[k]):
            return 1 + k
        commit_turns(work.z, machine.reference)
        for e in range(row.shape[0]):
            J[k, row[e], column[e] - width] += work.coefficient[entry[e]] * work.jac[measure[e], part[e]]
    return 0


@kernel
def accelerations_along(machine: Any, mechanism: Any, b: Any) -> int:
    """Close all joints at the states of `b`, and compute accelerations there. Status as of `evaluate_jacobians`."""
    nq, nv = machine.place.shape[0], machine.force.shape[0]
    y, dy, first = b.y, b.dy, b.y.shape[0] - b.states.shape[1]
    for k in range(b.times.shape[0]):
        set_state(b, k)
        if k == 0 and decide_rank(mechanism, b.times[k], y, dy):
            return 1
        if project(mechanism, b.times[k], y, dy):
            return 1 + k
        if rates_at_projection(mechanism, b.times[k], y, dy):
            return 1 + k
        displacement(machine.geometry, b.q[k], y[:nq], b.step)
        copy(b.step, b.place[k])
        copy(y[nq : nq + nv], b.speed[k])
        copy(dy[nq : nq + nv], b.rate[k])
        copy(dy[first:], b.trend[k])
        for o in range(b.value.shape[1]):
            b.value[k, o] = read(machine, b, b.rate[k], machine.multipliers, o)
    return 0


@kernel
def differentiate_along(machine: Any, mechanism: Any, b: Any, directions: Any, formula: np.ndarray, whole: bool) -> int:
    """Accelerations along a motion, and differences along all directions; `formula` lists steps and weights. If forces
    depend on reactions, the `whole` equations are solved near the motion. Returns a status like `evaluate_jacobians`.
    """
    nq, nv = machine.place.shape[0], machine.force.shape[0]
    slow = directions.Y.shape[2] + directions.scale.shape[0]  # directions with fixed positions come first
    for k in range(b.times.shape[0]):
        set_state(b, k)
        if k == 0 and decide_rank(mechanism, b.times[k], b.y, b.dy):
            return 1
        if rates(mechanism, b.times[k], b.y, b.dy):
            return 1 + k
        commit_turns(machine.work.z, machine.reference)
        copy(b.dy[nq : nq + nv], b.rate[k])
        copy(machine.multipliers, b.multipliers[k])
        for o in range(b.value.shape[1]):
            b.value[k, o] = read(machine, b, b.rate[k], b.multipliers[k], o)
        _find_acceleration_slopes(machine, b, directions.acceleration_slopes)
        for d in range(slow + directions.Z.shape[2]):
            column = d - slow if d >= slow else d + directions.Z.shape[2]
            _clear_direction(directions, k, column)
            for f in range(formula.shape[0]):
                if _evaluate_near(machine, mechanism, b, directions, k, d, formula[f, 0], whole):
                    return 1 + k
                _add_weighted(machine, b, directions, k, column, formula[f, 1], d >= slow, whole)
            _store_direction(machine, b, directions, k, column, whole)
    return 0


@kernel(internal=True)
def set_state(b, k):
    """Set y to the state at a time."""
    y, nq, nv, ns = b.y, b.q.shape[1], b.v.shape[1], b.states.shape[1]
    first = y.shape[0] - ns
    for i in range(nq):
        y[i] = b.q[k, i]
    for i in range(nv):
        y[nq + i] = b.v[k, i]
    for i in range(ns):
        y[first + i] = b.states[k, i]


@kernel(internal=True)
def read(machine, b, a, multipliers, o):
    """The value of an output at the last evaluation."""
    z, jac, columns, total = machine.work.z, machine.work.jac, machine.forces.columns, 0.0
    for e in range(b.start[o], b.start[o + 1]):
        m, kind = b.part[e, 0], b.part[e, 1]
        if kind == STRENGTH:
            found = machine.strength[m]
        elif kind == LOAD:
            found = multipliers[m]
        else:
            found = z[m, kind]
            if kind == SECOND:
                for c in range(columns.shape[1]):
                    found += jac[m, c] * a[columns[m, c]]
        total += b.coefficient[e] * found
    return total


@kernel(internal=True)
def _find_acceleration_slopes(machine, b, acceleration_slopes):
    """Derivatives of outputs with respect to accelerations."""
    jac, columns = machine.work.jac, machine.forces.columns
    for o in range(acceleration_slopes.shape[0]):
        for i in range(acceleration_slopes.shape[1]):
            acceleration_slopes[o, i] = 0.0
        for e in range(b.start[o], b.start[o + 1]):
            if b.part[e, 1] == SECOND:
                m = b.part[e, 0]
                for c in range(columns.shape[1]):
                    acceleration_slopes[o, columns[m, c]] += b.coefficient[e] * jac[m, c]


@kernel(internal=True)
def _clear_direction(directions, k, column):
    for i in range(directions.force.shape[0]):
        directions.force[i], directions.speed[i] = 0.0, 0.0
    for r in range(directions.row.shape[0]):
        directions.row[r] = 0.0
    for i in range(directions.trend.shape[0]):
        directions.trend[i] = 0.0
    for o in range(directions.R.shape[1]):
        directions.R[k, o, column] = 0.0


@kernel(internal=True)
def _evaluate_near(machine, mechanism, b, directions, k, d, h, whole):
    """Evaluate the mechanism at a distance h along a direction, with corrected speeds. Returns a status."""
    nq, nv, ny, t = machine.place.shape[0], machine.force.shape[0], directions.Y.shape[2], b.times[k]
    y, width, first = b.y, nv - machine.weights.shape[0], b.y.shape[0] - directions.scale.shape[0]
    set_state(b, k)
    q, v, slow = y[:nq], y[nq : nq + nv], ny + directions.scale.shape[0]
    if d < ny:
        for i in range(directions.Y.shape[1]):
            v[width + i] += h * directions.Y[k, i, d]
    elif d < slow:
        y[first + d - ny] += h * directions.scale[d - ny]
    else:
        for i in range(directions.Z.shape[1]):
            b.step[width + i] = h * directions.Z[k, i, d - slow]
        advance(machine.geometry, q, b.step)
    if whole:
        if d >= slow:
            return rates(mechanism, t, y, b.dy)
        return rates_at_projection(mechanism, t, y, b.dy)
    if d >= slow:
        if evaluate_at(machine, t, q):
            return 1
        right, nu = machine.right, machine.work.nu
        rows_times(machine.solver, machine.work, v, right)
        for r in range(right.shape[0]):
            right[r] = nu[r] - right[r]
        solve_rows(machine, b.step)  # with the factors of the motion: the error is the same on either side
        for i in range(nv):
            v[i] += b.step[i]
            b.step[i] = 0.0
    copy(y[first:], machine.forces.circuit.states)
    return forces_at(machine, t, v, b.rate[k], True)


@kernel(internal=True)
def _add_weighted(machine, b, directions, k, column, weight, moved, whole):
    """Add the weighted results."""
    nq, nv, a, multipliers = machine.place.shape[0], machine.force.shape[0], b.rate[k], b.multipliers[k]
    force, rates, first = machine.force, machine.forces.circuit.rates, b.y.shape[0] - directions.trend.shape[0]
    if whole:
        a, multipliers, force, rates = b.dy[nq : nq + nv], machine.multipliers, b.dy[nq : nq + nv], b.dy[first:]
    elif moved:
        press(machine.solver, machine.work, multipliers, machine.active, force)
        rows_times(machine.solver, machine.work, a, machine.right)
    for i in range(nv):
        directions.force[i] += weight * force[i]
        directions.speed[i] += weight * b.y[nq + i]
    if not whole:
        gamma, right = machine.work.gamma, machine.right
        for r in range(right.shape[0]):
            directions.row[r] += weight * (gamma[r] - right[r] if moved else gamma[r])
    for i in range(directions.trend.shape[0]):
        directions.trend[i] += weight * rates[i]
    for o in range(directions.R.shape[1]):
        directions.R[k, o, column] += weight * read(machine, b, a, multipliers, o)


@kernel(internal=True)
def _store_direction(machine, b, directions, k, column, whole):
    """The columns of a direction, from the changes of forces and rows along it."""
    n, width = machine.weights.shape[0], machine.force.shape[0] - machine.weights.shape[0]
    T, B, R, nz = directions.T, directions.B, directions.R, directions.Z.shape[2]
    if not whole:
        copy(directions.row, machine.right)
        solve_both(machine, directions.force, directions.force, machine.settings.acceleration_refinements)
        for o in range(R.shape[1]):
            for i in range(directions.force.shape[0]):
                R[k, o, column] += directions.acceleration_slopes[o, i] * directions.force[i]
            for e in range(b.start[o], b.start[o + 1]):
                if b.part[e, 1] == LOAD:
                    R[k, o, column] += b.coefficient[e] * machine.multipliers[b.part[e, 0]]
    for i in range(n):
        dq, dv = directions.Z[k, i, column] if column < nz else 0.0, directions.speed[width + i]
        T[k, i, column], T[k, n + i, column] = dq, dv
        B[k, i, column], B[k, n + i, column] = dv, directions.force[width + i]
    first = T.shape[1] - directions.scale.shape[0]
    for i in range(directions.scale.shape[0]):
        T[k, first + i, column] = directions.scale[i] if column == nz + directions.Y.shape[2] + i else 0.0
        B[k, first + i, column] = directions.trend[i]
    if width == 6 and column < nz:  # rotations about body axes: dtheta' is reduced by omega x dtheta
        for body in range(1, machine.matter.shape[0]):
            j = 6 * body - 3
            wx, wy, wz = b.v[k, width + j], b.v[k, width + j + 1], b.v[k, width + j + 2]
            x, y, z = T[k, j, column], T[k, j + 1, column], T[k, j + 2, column]
            B[k, j, column] -= wy * z - wz * y
            B[k, j + 1, column] -= wz * x - wx * z
            B[k, j + 2, column] -= wx * y - wy * x


def parts_of(system: System, ports: Sequence[Port]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The start of the terms of each output, their indices and kinds, and their factors.

    The laws of `signals_of` are the last ones of the system.
    """
    signals = [port for port in ports if _is_signal(port)]
    first = len(system.laws) - len(signals)
    parts = [_parts(system, port, first + signals.index(port) if port in signals else -1) for port in ports]
    table = np.array([(place, kind) for part in parts for _, place, kind in part], np.uint32).reshape(-1, 2)
    return starts(len(part) for part in parts), table, np.array([c for part in parts for c, _, _ in part], float)


def signals_of(ports: Sequence[Port]) -> tuple[Law, ...]:
    """Laws without a direction, whose values are the signals of outputs."""
    signals = [port.what for port in ports if _is_signal(port)]
    return tuple(Law((), signal=s if isinstance(s, Output | Held) else 1.0 * s) for s in signals)


def _is_signal(port: Port) -> bool:
    return port.kind == READ and not is_swept(port) and carried(port.what) is None


def _parts(system: System, port: Port, law: int) -> list[tuple[float, int, int]]:
    """Factors, indices and kinds."""
    place = system.wiring.measures
    if port.kind == VALUE:
        return [(c, place[m], 0) for c, m in port.what.parts()]
    if port.kind == ACCELERATION:
        return [(c, place[m], SECOND) for c, m in port.what.parts()]
    if port.kind != READ:
        return [(1.0, law_number(system, port), STRENGTH)]
    if is_swept(port):
        level = int(isinstance(port.what, Rate))
        return [(c, place[m], level) for c, m in port.what.of.parts()]
    if law >= 0:
        return [(1.0, law, STRENGTH)]
    carrier: Any = carried(port.what)
    row = system.wiring.rows.get((id(carrier.element), carrier.label))
    if row is None:
        raise ModelError(f"{carrier.element.title} is not engaged in '{system.model.name}': it has no reaction")
    return [(-1.0, row, LOAD)]
