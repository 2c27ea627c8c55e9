"""Rigid motions of nodes: three translations, three rotations about a point."""

from __future__ import annotations

import numpy as np


def rigid_motions(places: np.ndarray, about: np.ndarray, dofs: int = 3) -> np.ndarray:
    """(nodes * dofs, 6): u = d + theta x (x - about); with six degrees of freedom at a node also its rotation.

    >>> rigid_motions(np.array([[2.0, 0.0, 0.0]]), np.zeros(3)) @ [0, 0, 0, 0, 0, 1]   # about z: along y
    array([0., 2., 0.])
    """
    x, y, z = (np.asarray(places, dtype=float) - about).T
    result = np.zeros((len(x), dofs, 6))
    for axis in range(dofs):
        result[:, axis, axis] = 1.0
    result[:, 1, 3], result[:, 2, 3] = -z, y
    result[:, 0, 4], result[:, 2, 4] = z, -x
    result[:, 0, 5], result[:, 1, 5] = -y, x
    return result.reshape(-1, 6)
