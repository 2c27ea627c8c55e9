"""Accepted forms of an orientation: p, (e1, e2, e3) as in the books' tables, a matrix, a SciPy Rotation."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan.errors import ModelError
from cardan.model import check
from cardan.spatial.rotation.parameters import floats, from_matrix

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

# type of arguments that are orientations
OrientationLike: TypeAlias = "Sequence[float] | Sequence[Sequence[float]] | NDArray[np.float64] | Rotation"

MAX_NORM_ERROR = 0.01  # error of the norm of p in tables with two digits
EXACT = 4.0 * sys.float_info.epsilon
ACCEPTED = "four Euler parameters, three of them (e1, e2, e3), a 3 x 3 matrix or a scipy Rotation"


def euler_parameters(orientation: Any, what: str = "the orientation") -> tuple[float, float, float, float]:
    """The unit Euler parameters of an orientation in any accepted form; None is the identity.

    >>> euler_parameters((0, 0, 0.6))                                        # e0 >= 0 from the norm, as in tables
    (0.8, 0.0, 0.0, 0.6)
    >>> euler_parameters([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    (0.5, 0.5, 0.5, 0.5)
    """
    if orientation is None:
        return 1.0, 0.0, 0.0, 0.0
    if _is_scipy(orientation):
        if not orientation.single:
            raise ModelError(f"{what} must be one rotation, got a stack of {len(orientation)}")
        return _unit(from_scipy(orientation))
    shape = check.shape(orientation)
    if shape == (4,):
        return _four(check.vector(orientation, 4, what), what)
    if shape == (3,):
        return _three(check.vector(orientation, 3, what), what)
    if shape == (3, 3):
        return _unit(from_matrix([check.vector(row, 3, f"each row of {what}") for row in orientation], what))
    raise ModelError(f"{what} must be {ACCEPTED}, got {check.describe(orientation)}")


def to_scipy(p: ArrayLike) -> Rotation:
    """The same rotation as `scipy.spatial.transform.Rotation`, whose quaternions have the scalar last.

    >>> to_scipy((0.5, 0.5, 0.5, 0.5)).as_matrix().round(6).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    from scipy.spatial.transform import Rotation

    values = floats(p, 4)
    if not np.isfinite(values).all() or not values.any(axis=-1).all():
        raise ModelError(f"Euler parameters must be finite and not all zero, got {check.describe(p)}")
    return Rotation.from_quat(np.roll(values, -1, axis=-1))


def from_scipy(rotation: Rotation) -> NDArray:
    """Euler parameters of a `scipy.spatial.transform.Rotation`, single or a stack.

    >>> from scipy.spatial.transform import Rotation
    >>> from_scipy(Rotation.from_euler("z", 180, degrees=True)).round(6).tolist()
    [0.0, 0.0, 0.0, 1.0]
    """
    if not _is_scipy(rotation):
        raise ModelError(f"rotation must be a scipy.spatial.transform.Rotation, got {check.describe(rotation)}")
    return np.roll(rotation.as_quat(), 1, axis=-1)


def _is_scipy(value: object) -> bool:
    """Whether it is a SciPy Rotation; does not import the module, which is slow."""
    module = sys.modules.get("scipy.spatial.transform")
    return module is not None and isinstance(value, module.Rotation)


def _four(p: tuple[float, ...], what: str) -> tuple[float, float, float, float]:
    norm = math.hypot(*p)
    if norm == 0.0:
        raise ModelError(f"the Euler parameters of {what} are all zero; the identity is (1, 0, 0, 0)")
    if abs(norm - 1.0) > MAX_NORM_ERROR:
        raise ModelError(
            f"the Euler parameters of {what}, {p}, must have the norm 1, not {norm:.4g}; divide them by it"
        )
    return _unit(p)


def _three(e: tuple[float, ...], what: str) -> tuple[float, float, float, float]:
    norm = math.hypot(*e)
    if norm * norm > 1.0 + MAX_NORM_ERROR:
        raise ModelError(
            f"the Euler parameters e1, e2, e3 of {what}, {e}, must have a norm of at most 1, not {norm:.4g}; "
            f"give angles by rotation.from_angles"
        )
    return _unit((math.sqrt(max(0.0, 1.0 - norm * norm)), *e))


def _unit(p: Any) -> tuple[float, float, float, float]:
    e0, e1, e2, e3 = (float(value) for value in p)
    norm = math.hypot(e0, e1, e2, e3)
    if abs(norm - 1.0) <= EXACT:  # unchanged: normalizing twice must not change it
        return e0, e1, e2, e3
    return e0 / norm, e1 / norm, e2 / norm, e3 / norm
