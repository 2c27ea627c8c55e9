"""Energies at a position beside its forces, in the compiled loop of a study of equilibria: those of `potential`."""

from __future__ import annotations

import numpy as np

from cardan.analysis.equilibria.imbalance import evaluate_place
from cardan.model.space import position_pass
from cardan.numerics.compiled.jit import kernel
from cardan.system.forces import strengths

ROUNDING = 64.0 * float(np.finfo(float).eps)  # of energies


@kernel(internal=True)
def evaluate_energies(b, at):
    """Forces, rows, multipliers and energies at the position of `at`. Returns whether all have values."""
    if evaluate_place(b, at, b.plan.time, b.trust.usual):
        return False
    _find_energies(b, at)
    return True


@kernel(internal=True)
def _find_energies(b, at):
    """Energies of springs, constant forces and weights at an evaluated position."""
    energy, forces, matter, gravity = b.energy, b.statics.fixed, b.statics.matter, b.statics.gravity
    position_pass(energy.geometry, at.q, energy.reference, energy.frames, energy.z, energy.jac)
    laws = at.strengths.shape[0]
    for k in range(laws):
        value = 0.0
        for e in range(forces.start[k], forces.start[k + 1]):
            value += forces.coefficient[e] * at.z[forces.measure[e]]
        if energy.turned[k, 0] >= 0:
            value += forces.coefficient[forces.start[k]] * energy.z[energy.turned[k, 0], 0]
        away = value - energy.law[k, 1]
        at.energies[k] = 0.5 * energy.law[k, 0] * away * away + energy.law[k, 2] * value
    for m in range(energy.body.shape[0]):
        at.energies[laws + m] = 0.0
        if energy.body[m, 0] >= 0:
            weight = matter[energy.body[m, 0], 0] * gravity[energy.body[m, 1]]
            at.energies[laws + m] = -weight * energy.z[m, 0]


@kernel(internal=True)
def energy_change(b):
    """The change of the energy from `here` to `there`, and its accuracy."""
    here, there, change, size = b.here, b.there, 0.0, 0.0
    for k in range(here.energies.shape[0]):
        change += there.energies[k] - here.energies[k]
        size += abs(here.energies[k]) + abs(there.energies[k])
    for k in range(b.energy.curved.shape[0]):
        if b.energy.curved[k]:
            return change + _quadrature(b), ROUNDING * size
    return change, ROUNDING * size


@kernel(internal=True)
def _quadrature(b):
    """Work of forces that are functions of their measure, with all measures on the way from `here` to `there`."""
    energy, forces, work, here, there = b.energy, b.statics.fixed, b.statics.work, b.here, b.there
    values, total = b.statics.scratch.fixed, 0.0
    for i in range(energy.nodes.shape[0]):
        for m in range(here.z.shape[0]):
            work.z[m, 0] = here.z[m] + energy.nodes[i] * (there.z[m] - here.z[m])
        if strengths(forces, b.plan.time, work, values):
            return np.nan
        for k in range(energy.curved.shape[0]):
            if energy.curved[k]:
                value, way = 0.0, 0.0
                for e in range(forces.start[k], forces.start[k + 1]):
                    m = forces.measure[e]
                    value += forces.coefficient[e] * work.z[m, 0]
                    way += forces.coefficient[e] * (there.z[m] - here.z[m])
                plain = energy.law[k, 0] * (value - energy.law[k, 1]) + energy.law[k, 2]
                total += energy.weights[i] * (values[k] - plain) * way
    return total
