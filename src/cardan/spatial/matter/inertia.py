"""Checks of inertia tensors: impossible ones are rejected, suspicious ones raise a warning.

    J = integral of (s^T s I - s s^T) dm                                                                   (11.1.17)

    moments    J_xx = integral of (y^2 + z^2) dm, ...
    products   J_xy = - integral of x y dm, ...          tensor sign: some tables and CAD programs print the opposite

The principal moments J1 <= J2 <= J3 satisfy J1 >= 0 (11.2.14) and, since each is a sum of two of the integrals of
x^2, y^2, z^2, also J1 + J2 >= J3, with equality for flat bodies. Violations of this triangle inequality only raise a
warning: they occur in published data, and the equations of motion can be solved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cardan.errors import ModelError, warn
from cardan.model import check
from cardan.model.matter.amount import DIFFERENCE_ROUNDING, tidy

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

SYMMETRIC = 1e-9  # asymmetry accepted as rounding, relative to the largest entry
NEGATIVE_MOMENT = 1e-9  # negative moments accepted as rounding, relative to the largest moment
TRIANGLE = 1e-6  # violation of the triangle inequality accepted as rounding, relative to the largest moment


def tensor(inertia: ArrayLike, what: str) -> NDArray:
    """A clean 3 x 3 tensor from three moments about the axes or from a symmetric matrix; warns if it is not physical.

    >>> tensor((1, 2, 2.5), "the inertia").tolist()
    [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.5]]
    """
    J = symmetric(inertia, what)
    diagonal = np.diagonal(J)
    moments = np.sort(diagonal) if np.count_nonzero(J) == np.count_nonzero(diagonal) else np.linalg.eigvalsh(J)
    if moments[0] < -NEGATIVE_MOMENT * moments[2]:
        raise ModelError(
            f"{what} has the principal moments {_listed(moments)}, and none can be negative; check the moments, and "
            f"the products against J_xy = -integral of xy dm"
        )
    excess = moments[2] - moments[0] - moments[1]
    if excess > TRIANGLE * moments[2]:
        warn(
            f"{what} has the principal moments {_listed(moments)}: the largest exceeds the sum of the others by "
            f"{excess / moments[2]:.2g} of itself, which no body can have; check units, signs of products, and that "
            f"all are about the mass center (rounded numbers of a flat body come near this)"
        )
    return J


def symmetric(inertia: Any, what: str) -> NDArray:
    """Three moments or a matrix as a tensor, which must be symmetric up to rounding; there are no other checks.

    >>> symmetric([[1, 0.5, 0], [0.5, 2, 0], [0, 0, 2]], "the inertia").diagonal().tolist()
    [1.0, 2.0, 2.0]
    """
    try:
        shape = np.shape(inertia)
    except ValueError:  # rows of unequal length
        shape = ()
    if shape == (3,):
        return np.diag(check.vector(inertia, 3, what))
    if shape != (3, 3):
        raise ModelError(f"{what} must be three moments or a symmetric 3 x 3 tensor, got {check.describe(inertia)}")
    J = np.array([check.vector(row, 3, f"each row of {what}") for row in inertia])
    skew = np.abs(J - J.T)
    if skew.max() > SYMMETRIC * np.abs(J).max():
        i, j = np.unravel_index(np.argmax(skew), (3, 3))
        pair = f"{'xyz'[i]}{'xyz'[j]}", f"{'xyz'[j]}{'xyz'[i]}"
        raise ModelError(f"{what} must be symmetric, but {pair[0]} is {J[i, j]:g} and {pair[1]} is {J[j, i]:g}")
    return (J + J.T) / 2.0


def shifted(mass: float, offset: NDArray) -> NDArray:
    """m (d^T d I - d d^T): the term for an offset d of the mass center, by the parallel axis theorem (11.2.7).

    >>> shifted(2.0, np.array([1.0, 2.0, 0.0])).tolist()
    [[8.0, -4.0, 0.0], [-4.0, 2.0, 0.0], [0.0, 0.0, 10.0]]
    """
    return mass * ((offset @ offset) * np.eye(3) - np.outer(offset, offset) + 0.0)


def without(whole: NDArray, part: NDArray, why: str, floor: float = 0.0) -> NDArray:
    """whole - part, which must not have a negative moment; rounding errors become zero. `why` ends the message.

    >>> without(np.diag([1.0, 0.1 + 0.2, 1.0]), np.diag([0.0, 0.3, 0.5]), "").diagonal().tolist()
    [1.0, 0.0, 0.5]
    """
    moments, axes = np.linalg.eigh(whole - part)
    lost = DIFFERENCE_ROUNDING * np.trace(whole) + floor
    if moments[0] < -lost:
        raise ModelError(f"the principal moments {_listed(moments)} would be left; {why}")
    if moments[0] > lost:
        return whole - part
    return axes * np.where(moments > lost, moments, 0.0) @ axes.T


def from_second(second: NDArray) -> NDArray:
    """tr(S) I - S: the tensor from the second moments S = integral of s s^T dm.

    >>> from_second(np.diag([1.0, 2.0, 3.0])).diagonal().tolist()
    [5.0, 4.0, 3.0]
    """
    return np.trace(second) * np.eye(3) - second


def _listed(moments: NDArray) -> str:
    return ", ".join(tidy(moments))
