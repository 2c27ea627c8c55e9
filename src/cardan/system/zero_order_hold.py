"""Samplers as part of a mechanism: called where it was evaluated last, and what their outputs change.

    K [da; dlam] = [-sum df_k dz_k/dq; 0]        df_k: by how much the force of a law changes with what is held

Positions and speeds stay as they are, and so do all forces that are not signals: accelerations are not found anew,
but changed by one solution with the factors at hand.
"""

from __future__ import annotations

from cardan.numerics.compiled.indirect import call_pointer
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy
from cardan.system.cartesian.acceleration import accelerate, finite, powers
from cardan.system.cartesian.matrix import BROKEN, FINE, solve_both
from cardan.system.circuit import SIGNAL


@kernel(internal=True)
def call_samplers(machine, t, y, dy):
    """Call the samplers that are due where the mechanism was evaluated last; y', which is known, with what they give.

    Returns a status.
    """
    circuit, laws, nv = machine.forces.circuit, machine.strength.shape[0], machine.force.shape[0]
    nq, first, row = machine.place.shape[0], y.shape[0] - circuit.states.shape[0], circuit.sample_row
    for k in range(row.shape[0]):
        circuit.multipliers[row[k]] = machine.multipliers[row[k]]
    change = machine.spare[:laws]
    for k in range(laws):
        change[k] = 0.0
    _add_signals(circuit, -1.0, change)
    failed = call_pointer(circuit.kernels.sample, (circuit, t, machine.work.z))
    if failed == 0:
        copy(circuit.states, y[first:])
        if circuit.row.shape[0]:  # forces depend on reactions: both are found together
            return accelerate(machine, t, y, dy, machine.settings.acceleration_refinements, False)
        failed = call_pointer(circuit.kernels.run, (circuit, t, machine.work.z)) if circuit.devices[0] else 0
    if failed:
        machine.failure.status, machine.failure.law = BROKEN, laws + failed
        return BROKEN
    _add_signals(circuit, 1.0, change)
    copy(circuit.rates, dy[first:])
    if not _push(machine, change):
        return FINE
    _solve_change(machine)
    a, step = dy[nq : nq + nv], machine.step
    for i in range(nv):
        a[i] += step[i]
    powers(machine, dy[nq + nv :])
    return finite(machine, a)


@kernel(internal=True)
def _add_signals(circuit, factor, change):
    """Add the signals that are forces, as they are now, times a factor."""
    law, signals, states = circuit.law, circuit.signals, circuit.states
    for k in range(law.shape[0]):
        change[law[k, 0]] += factor * (signals[law[k, 2]] if law[k, 1] == SIGNAL else states[law[k, 2]])


@kernel(internal=True)
def _push(machine, change):
    """machine.force from the change of the laws' strengths. Returns whether there is any."""
    forces, force, strength, jac = machine.forces, machine.force, machine.strength, machine.work.jac
    start, measure, coefficient, columns = forces.start, forces.measure, forces.coefficient, forces.columns
    found = False
    for i in range(force.shape[0]):
        force[i] = 0.0
    for k in range(strength.shape[0]):
        if change[k] != 0.0:
            found = True
            strength[k] += change[k]
            for e in range(start[k], start[k + 1]):
                m, factor = measure[e], -change[k] * coefficient[e]
                for c in range(columns.shape[1]):
                    force[columns[m, c]] += factor * jac[m, c]
    return found


@kernel(internal=True)
def _solve_change(machine):
    """The change of accelerations in machine.step; multipliers change with them. A change needs fewer digits."""
    right, known, multipliers, latest, x = (
        machine.right, machine.known, machine.multipliers, machine.latest, machine.work.x,
    )  # fmt: skip
    refinements = max(machine.settings.refinements - 1.0, 0.0)
    for r in range(right.shape[0]):
        right[r] = 0.0
    copy(multipliers, known)
    solve_both(machine, machine.force, machine.step, refinements)
    for r in range(right.shape[0]):
        multipliers[r] += known[r]
    for k in range(x.shape[0]):
        latest[0, k] += x[k]
        latest[1, k] += x[k]
