"""The equations of motion with the constraints on positions and on speeds both kept, as a residual.

    q' - T(q) (v + W^-1 J^T mu) = 0           M v' + h + J^T lambda - Q = 0
    J v - nu = 0                              phi = 0

The second multipliers mu vanish in the exact solution: they allow the speeds to satisfy both constraints
(C. W. Gear, B. Leimkuhler, G. K. Gupta 1985). The index is 2. y = [q | v | w | c | lambda | mu].
"""

from __future__ import annotations

from cardan.model.space import position_rates
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy
from cardan.system.cartesian.acceleration import forces_at, powers
from cardan.system.cartesian.matrix import FINE
from cardan.system.cartesian.motion import evaluate_at
from cardan.system.evaluate import press


@kernel
def stabilized_residual(tables, t, y, dy, active, residual):
    """What is left of the equations at y and y'; rows that are not in force have no multipliers. Returns a status."""
    nq, nv, nr = tables.place.shape[0], tables.force.shape[0], tables.right.shape[0]
    work, first = tables.work, y.shape[0] - 2 * nr
    q, v, a = y[:nq], y[nq : nq + nv], dy[nq : nq + nv]
    lam, mu, forces, slip = y[first : first + nr], y[first + nr :], tables.force, tables.step
    circuit = tables.forces.circuit
    copy(y[first - circuit.states.shape[0] : first], circuit.states)
    copy(lam, circuit.multipliers)
    if evaluate_at(tables, t, q) or forces_at(tables, t, v, a, True):
        return tables.failure.status
    width = nv - tables.weights.shape[0]
    press(tables.solver, work, lam, active, forces)
    for i in range(nv):
        slip[i] = 0.0
    press(tables.solver, work, mu, active, slip)
    for i in range(width):
        residual[nq + i] = a[i]
        slip[i] = v[i]
    for i in range(width, nv):
        residual[nq + i] = -forces[i]
        slip[i] = v[i] - slip[i] / tables.weights[i - width]
    position_rates(tables.geometry, q, slip, residual[:nq])
    copy(lam, tables.multipliers)
    powers(tables, residual[nq + nv : first])
    copy(circuit.rates, residual[first - circuit.rates.shape[0] : first])
    for j in range(nq):
        residual[j] = dy[j] - residual[j]
    for j in range(nq + nv, first):
        residual[j] = dy[j] - residual[j]
    velocity = tables.rows.velocity  # rows on velocities alone leave positions free
    for r in range(nr):
        residual[first + r] = work.rate[r] - work.nu[r] if active[r] else lam[r]
        residual[first + nr + r] = work.phi[r] if active[r] and not velocity[r] else mu[r]
    return FINE
