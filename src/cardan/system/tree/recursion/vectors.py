"""Vectors in the axes of nodes; E is a rotation matrix, row by row, from the parent's axes to those of the node."""

from __future__ import annotations

from cardan.numerics.compiled.jit import kernel


@kernel(internal=True, inline=True)
def turned(E, x, y, z):
    """E times a vector: from the parent's axes to the node's."""
    return (
        E[0] * x + E[1] * y + E[2] * z,
        E[3] * x + E[4] * y + E[5] * z,
        E[6] * x + E[7] * y + E[8] * z,
    )


@kernel(internal=True, inline=True)
def back(E, x, y, z):
    """E^T times a vector: from the node's axes to the parent's."""
    return (
        E[0] * x + E[3] * y + E[6] * z,
        E[1] * x + E[4] * y + E[7] * z,
        E[2] * x + E[5] * y + E[8] * z,
    )


@kernel(internal=True, inline=True)
def cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
