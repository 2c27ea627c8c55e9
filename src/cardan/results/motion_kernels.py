"""Compiled loops over the output times of a motion: residuals, reactions, kinetic energy, and values of measures."""

from __future__ import annotations

import numpy as np

from cardan.model.space import mass_blocks, position_pass, velocity_pass
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy_to_row
from cardan.system.cartesian.motion import kinetic
from cardan.system.evaluate import evaluate_position, evaluate_velocity
from cardan.system.turns import commit_turns, read_turns

TURN = 2.0 * np.pi


@kernel
def residuals_along(geometry, rows, times, q, v, moves, turns, winding, reference, work, residuals):
    """residuals[i, r] = violation of row r at output time i, of velocity constraints if the mechanism `moves`."""
    velocity, rate, nu = rows.velocity, work.rate, work.nu
    for i in range(times.shape[0]):
        read_turns(turns[i], winding, reference)
        evaluate_position(geometry, rows, q[i], times[i], reference, work)
        copy_to_row(work.phi, residuals, i)
        if moves:
            evaluate_velocity(geometry, rows, v[i], times[i], work)
            for r in range(velocity.shape[0]):
                if velocity[r]:
                    residuals[i, r] = rate[r] - nu[r]
        commit_turns(work.z, reference)


@kernel
def reactions_along(geometry, rows, columns, selected, times, q, turns, winding, reference, multipliers, work, out):
    """Add -lambda times the gradient of each selected row (its number, element and first speed) to out[i, element]."""
    start, measure, size = rows.start, rows.measure, out.shape[2]
    for i in range(times.shape[0]):
        read_turns(turns[i], winding, reference)
        evaluate_position(geometry, rows, q[i], times[i], reference, work)
        jac, coefficient = work.jac, work.coefficient
        for s in range(selected.shape[0]):
            r, element, first = selected[s, 0], selected[s, 1], selected[s, 2]
            for e in range(start[r], start[r + 1]):
                m, factor = measure[e], -multipliers[i, r] * coefficient[e]
                for c in range(columns.shape[1]):
                    place = int(columns[m, c]) - first
                    if 0 <= place < size:
                        out[i, element, place] += factor * jac[m, c]
        commit_turns(work.z, reference)


@kernel
def kinetic_energy_along(geometry, matter, width, q, v, mass, energy):
    """energy[i] = kinetic energy at output time i."""
    for i in range(q.shape[0]):
        mass_blocks(geometry, matter, q[i], mass)
        energy[i] = kinetic(geometry, matter, mass, v[i], width)


@kernel
def measures_along(geometry, columns, times, q, v, a, hints, winding, reference, frames, jac, table):
    """table[i, m] = value, rate and acceleration of measure m at output time i."""
    for i in range(q.shape[0]):
        z = table[i]
        for m in range(reference.shape[0]):
            if hints[i, m] == hints[i, m]:
                reference[m] = hints[i, m]
        position_pass(geometry, q[i], reference, frames, z, jac)
        velocity_pass(geometry, v[i], frames, z, jac)
        for k in range(winding.shape[0]):
            m = winding[k]
            if i > 0 and hints[i, m] != hints[i, m]:
                expected = reference[m] + 0.5 * (times[i] - times[i - 1]) * (table[i - 1, m, 1] + z[m, 1])
                z[m, 0] += TURN * np.floor((expected - z[m, 0]) / TURN + 0.5)
        for m in range(columns.shape[0]):
            reference[m] = z[m, 0]
            for k in range(columns.shape[1]):
                # Columns without a coordinate point at the ground, whose acceleration is zero.
                z[m, 2] += jac[m, k] * a[i, columns[m, k]]
