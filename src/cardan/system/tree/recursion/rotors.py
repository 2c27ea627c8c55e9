"""Inertia of rotors that joints of a tree turn: a number J for each speed, T = J v^2 / 2."""

from __future__ import annotations

from cardan.numerics.compiled.jit import kernel


@kernel(internal=True)
def rotor_energy(tree, v):
    """Their kinetic energy."""
    energy, armature = 0.0, tree.armature
    for i in range(armature.shape[0]):
        energy += 0.5 * armature[i] * v[i] * v[i]
    return energy


@kernel(internal=True)
def add_rotors(tree, a, out):
    """Add J a: their momenta, or the joint forces that accelerate them."""
    armature = tree.armature
    for i in range(armature.shape[0]):
        out[i] += armature[i] * a[i]


@kernel(internal=True)
def add_rotor_masses(tree, mass):
    """Add them to the mass matrix."""
    armature = tree.armature
    for i in range(armature.shape[0]):
        mass[i, i] += armature[i]
