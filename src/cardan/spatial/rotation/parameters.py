"""Euler parameters and the rotation matrix, their products and their rates.

    A = (2 e0^2 - 1) I + 2 (e e^T + e0 ~e) = E G^T,    E = [-e, ~e + e0 I],    G = [-e, -~e + e0 I]

    omega = 2 E p',    omega' = 2 G p',    p' = G^T omega' / 2

Haug, sections 9.1 to 9.3.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan.errors import ModelError
from cardan.model import check

ORTHOGONALITY_ERROR = 1e-6  # largest error of A^T A: tables are printed with six digits or more
ZERO = 4.0 * np.finfo(float).eps  # a smaller component of p is rounding


def unit(p: ArrayLike) -> NDArray:
    """Euler parameters as an array; vectors far from unit length are rejected."""
    parameters = floats(p, 4)
    size = np.sum(parameters.real**2, axis=-1)
    off = np.abs(size - 1.0) > 0.02
    if np.any(off):
        shown = ", ".join(f"{part:g}" for part in parameters.real[off][0])
        raise ModelError(f"Euler parameters must be a unit vector, got ({shown}) of length {np.sqrt(size[off][0]):.4g}")
    return parameters


def matrix(p: ArrayLike) -> NDArray:
    """Direction cosines A, s = A s', from Euler parameters (9.3.7).

    >>> matrix((0.5, 0.5, 0.5, 0.5)).tolist()                 # a third of a turn about (1, 1, 1): x to y to z to x
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    e = unit(p)
    e0, e1, e2, e3 = _parts(e)
    rows = (
        (2 * (e0 * e0 + e1 * e1) - 1, 2 * (e1 * e2 - e0 * e3), 2 * (e1 * e3 + e0 * e2)),
        (2 * (e1 * e2 + e0 * e3), 2 * (e0 * e0 + e2 * e2) - 1, 2 * (e2 * e3 - e0 * e1)),
        (2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), 2 * (e0 * e0 + e3 * e3) - 1),
    )
    if e.ndim == 1:
        return np.array(rows)
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(A: ArrayLike, what: str = "the rotation matrix") -> NDArray:
    """Euler parameters of direction cosines, with e0 >= 0 (9.3.12 to 9.3.17).

    The 16 products 4 e_i e_j are sums of entries of A. The row of the largest of them, normalized, is p, without
    division by a small number for any rotation. A matrix given with few digits is replaced by the nearest rotation.

    >>> from_matrix([[0, 0, 1], [1, 0, 0], [0, 1, 0]]).tolist()
    [0.5, 0.5, 0.5, 0.5]
    >>> from_matrix([[1, 0, 0], [0, -1, 0], [0, 0, -1]]).tolist()            # half a turn, e0 = 0
    [0.0, 1.0, 0.0, 0.0]
    """
    a = _rotation(A, what)
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = a.tolist() if a.ndim == 2 else np.moveaxis(a, (-2, -1), (0, 1))
    products = (
        (1 + xx + yy + zz, zy - yz, xz - zx, yx - xy),
        (zy - yz, 1 + xx - yy - zz, xy + yx, xz + zx),
        (xz - zx, xy + yx, 1 - xx + yy - zz, yz + zy),
        (yx - xy, xz + zx, yz + zy, 1 - xx - yy + zz),
    )
    single = a.ndim == 2
    table = np.array(products) if single else np.stack([np.stack(row, axis=-1) for row in products], axis=-2)
    largest = np.argmax(np.diagonal(table, axis1=-2, axis2=-1), axis=-1)
    p = np.take_along_axis(table, largest[..., None, None], axis=-2)[..., 0, :]
    return first_positive(p / np.linalg.norm(p, axis=-1, keepdims=True))


def skew(a: ArrayLike) -> NDArray:
    """The matrix ~a of the vector product, ~a b = a x b (9.1.21).

    >>> (skew((1, 2, 3)) @ (-1, 1, -1)).tolist()
    [-5.0, -2.0, 3.0]
    """
    x, y, z = np.moveaxis(floats(a, 3), -1, 0)
    o = np.zeros_like(x)
    return np.stack([np.stack(row, axis=-1) for row in ((o, -z, y), (z, o, -x), (-y, x, o))], axis=-2)


def E(p: ArrayLike) -> NDArray:  # noqa: N802
    """E = [-e, ~e + e0 I], 3 x 4 (9.3.18); omega = 2 E p'.

    >>> E((1, 0, 0, 0)).tolist()
    [[-0.0, 1.0, 0.0, 0.0], [-0.0, 0.0, 1.0, 0.0], [-0.0, 0.0, 0.0, 1.0]]
    """
    return _half_rate_matrix(floats(p, 4), 1.0)


def G(p: ArrayLike) -> NDArray:  # noqa: N802
    """G = [-e, -~e + e0 I], 3 x 4 (9.3.19); omega' = 2 G p', A = E G^T.

    >>> G((0, 1, 0, 0)).tolist()
    [[-1.0, 0.0, 0.0, 0.0], [-0.0, 0.0, 0.0, 1.0], [-0.0, 0.0, -1.0, 0.0]]
    """
    return _half_rate_matrix(floats(p, 4), -1.0)


def angular_velocity(p: ArrayLike, p_rate: ArrayLike) -> NDArray:
    """Angular velocity omega = 2 E p' in global components (9.3.36).

    >>> angular_velocity((1, 0, 0, 0), (0, 0, 0, 0.5)).tolist()
    [0.0, 0.0, 1.0]
    """
    return 2.0 * np.einsum("...ij,...j->...i", E(p), floats(p_rate, 4))


def angular_velocity_b(p: ArrayLike, p_rate: ArrayLike) -> NDArray:
    """Angular velocity omega' = 2 G p' in the components of the body frame (9.3.34).

    >>> angular_velocity_b((0.5, 0.5, 0.5, 0.5), rates((0.5, 0.5, 0.5, 0.5), (1, 2, 3))).tolist()
    [1.0, 2.0, 3.0]
    """
    return 2.0 * np.einsum("...ij,...j->...i", G(p), floats(p_rate, 4))


def rates(p: ArrayLike, omega_b: ArrayLike) -> NDArray:
    """p' = G^T omega' / 2 of a body with angular velocity omega' (9.3.35).

    >>> rates((1, 0, 0, 0), (0, 0, 1)).tolist()
    [0.0, 0.0, 0.0, 0.5]
    """
    return 0.5 * np.einsum("...ji,...j->...i", G(p), floats(omega_b, 3)) + 0.0


def second_rates(p: ArrayLike, omega_b: ArrayLike, alpha_b: ArrayLike) -> NDArray:
    """p'' = G^T alpha' / 2 - omega'^2 p / 4, from p' = G^T omega' / 2 and G'^T omega' = -omega'^2 p / 2.

    >>> second_rates((1, 0, 0, 0), (0, 0, 2), (0, 0, 1)).tolist()
    [-1.0, 0.0, 0.0, 0.5]
    """
    omega = floats(omega_b, 3)
    return rates(p, alpha_b) - 0.25 * np.sum(omega * omega, axis=-1, keepdims=True) * floats(p, 4)


def parameter_moment(p: ArrayLike, moment_b: ArrayLike) -> NDArray:
    """n* = 2 G^T n', the moment in the space of the Euler parameters: n*.p' is its power (Nikravesh 11.1).

    Of a moment in global components it is 2 E^T n = `parameter_moment(p, rotate(inverse(p), n))`.

    >>> parameter_moment((1, 0, 0, 0), (1, 2, 3)).tolist()
    [0.0, 2.0, 4.0, 6.0]
    """
    return 2.0 * np.einsum("...ji,...j->...i", G(p), floats(moment_b, 3)) + 0.0


def moment_b(p: ArrayLike, parameter_moment: ArrayLike) -> NDArray:
    """n' = G n* / 2, the moment in body components; a part of n* along p has no effect (Nikravesh 11.3).

    >>> moment_b((1, 0, 0, 0), (9, 2, 4, 6)).tolist()
    [1.0, 2.0, 3.0]
    """
    return 0.5 * np.einsum("...ij,...j->...i", G(p), floats(parameter_moment, 4)) + 0.0


def multiply(p: ArrayLike, q: ArrayLike) -> NDArray:
    """The rotation q followed by p: A(multiply(p, q)) = A(p) A(q).

    >>> multiply((0, 1, 0, 0), (0, 0, 1, 0)).tolist()              # half a turn about y, then one about x: one about z
    [0.0, 0.0, 0.0, 1.0]
    """
    p0, p1, p2, p3 = _parts(floats(p, 4))
    q0, q1, q2, q3 = _parts(floats(q, 4))
    product = (
        p0 * q0 - p1 * q1 - p2 * q2 - p3 * q3,
        p0 * q1 + p1 * q0 + p2 * q3 - p3 * q2,
        p0 * q2 - p1 * q3 + p2 * q0 + p3 * q1,
        p0 * q3 + p1 * q2 - p2 * q1 + p3 * q0,
    )
    return np.array(product) if isinstance(product[0], float | complex | int) else np.stack(product, axis=-1)


def inverse(p: ArrayLike) -> NDArray:
    """The inverse rotation: A(inverse(p)) = A(p)^T.

    >>> inverse((0.5, 0.5, 0.5, 0.5)).tolist()
    [0.5, -0.5, -0.5, -0.5]
    """
    return floats(p, 4) * (1.0, -1.0, -1.0, -1.0)


def rotate(p: ArrayLike, vectors: ArrayLike) -> NDArray:
    """Global components s = A s' of vectors given in the body frame (9.2.10); leading axes broadcast.

    >>> rotate((0.5, 0.5, 0.5, 0.5), [(1, 0, 0), (1, 2, 3)]).tolist()
    [[0.0, 1.0, 0.0], [3.0, 1.0, 2.0]]
    """
    return np.einsum("...ij,...j->...i", matrix(p), floats(vectors, 3))


def continuous(p: ArrayLike) -> NDArray:
    """The same rotations with signs such that each p along axis 0 is nearest to the one before it.

    p and -p are the same orientation; a motion in small steps uses the nearer one (Haug, after 9.3.17).

    >>> continuous([(1, 0, 0, 0), (-0.8, 0, 0, -0.6), (0, 0, 0, 1)]).tolist()
    [[1.0, 0.0, 0.0, 0.0], [0.8, -0.0, -0.0, 0.6], [0.0, 0.0, 0.0, 1.0]]
    """
    values = floats(p, 4)
    if values.ndim < 2:
        raise ModelError(f"a motion must be an array (n, ..., 4) of Euler parameters, got {check.describe(p)}")
    turned = np.where(np.sum(values[1:] * values[:-1], axis=-1) < 0.0, -1.0, 1.0)
    signs = np.concatenate([np.ones_like(values[:1, ..., 0]), np.cumprod(turned, axis=0)])
    return values * signs[..., None]


def _parts(p: NDArray) -> tuple[Any, ...]:
    """The four numbers, each with the leading axes."""
    return tuple(p.tolist()) if p.ndim == 1 else (p[..., 0], p[..., 1], p[..., 2], p[..., 3])


def floats(value: ArrayLike, size: int) -> NDArray:
    """Numbers in groups of `size` along the last axis; complex numbers are kept for complex-step derivatives."""
    try:
        array = np.asarray(value)
    except ValueError:  # rows of unequal length
        array = np.empty(0, object)
    if array.dtype.kind not in "iufc" or array.shape[-1:] != (size,):
        thing = "Euler parameters" if size == 4 else "a vector"
        raise ModelError(
            f"{thing} must be {size} numbers, or an array (..., {size}) of them, got {check.describe(value)}"
        )
    return array.astype(np.result_type(array, float), copy=False)


def reals(value: ArrayLike, what: str) -> NDArray:
    """Real numbers of any shape; `what` describes the requirement."""
    try:
        array = np.asarray(value)
    except ValueError:  # rows of unequal length
        array = np.empty(0, object)
    if array.dtype.kind not in "iuf":
        raise ModelError(f"{what}, got {check.describe(value)}")
    return array.astype(float, copy=False)


def first_positive(p: NDArray) -> NDArray:
    """p or -p, whichever has e0 > 0; if e0 is zero up to rounding, the first nonzero component is made positive."""
    e0 = p[..., :1]
    p = np.concatenate([np.where(np.abs(e0) <= ZERO, 0.0, e0), p[..., 1:]], axis=-1)
    first = np.argmax(np.abs(p) > ZERO, axis=-1)[..., None]
    return np.where(np.take_along_axis(p, first, axis=-1) < 0.0, -p, p) + 0.0


def _half_rate_matrix(p: NDArray, sign: float) -> NDArray:
    """[-e, sign ~e + e0 I]."""
    e0, e = p[..., :1, None], p[..., 1:]
    return np.concatenate([-e[..., None], sign * skew(e) + e0 * np.eye(3)], axis=-1)


def _rotation(A: ArrayLike, what: str) -> NDArray:
    """The rotation nearest to an approximate rotation matrix."""
    a = reals(A, f"{what} must be a 3 x 3 matrix")
    if a.shape[-2:] != (3, 3):
        raise ModelError(f"{what} must be a 3 x 3 matrix, got an array of shape {a.shape}")
    if not np.isfinite(a).all():
        raise ModelError(f"{what} must be finite, got {check.describe(a.tolist())}")
    gap = np.abs(np.swapaxes(a, -1, -2) @ a - np.eye(3)).max(initial=0.0)
    if gap > ORTHOGONALITY_ERROR:
        raise ModelError(
            f"{what} must have unit columns perpendicular to each other, but A^T A differs from the unit matrix by "
            f"{gap:.2g}; give more digits, or directions with from_axes(x=..., y=...)"
        )
    if (np.linalg.det(a) < 0.0).any():
        raise ModelError(f"{what} is left-handed, its determinant is -1; reverse one of its axes")
    for _ in range(2):  # a -> a (3 I - a^T a) / 2 squares the gap each time and leaves exact rotations as they are
        a = 1.5 * a - 0.5 * a @ (np.swapaxes(a, -1, -2) @ a)
    return a
