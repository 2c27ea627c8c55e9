"""Three successive rotations: Euler angles, Bryant angles, roll-pitch-yaw, in any order.

    A = R_i(a) R_j(b) R_k(c)    "IJK", upper case: about the moving axes, first I, then the new J, then the new K
    A = R_k(c) R_j(b) R_i(a)    "ijk", lower case: about the fixed axes, first i, then j, then k

"ZXZ" are the classical Euler angles (precession, nutation, spin), "XYZ" the Bryant or Cardan angles. Rotations about
fixed axes are rotations about moving axes in reverse order, so one formula covers all 24.

For rotations about fixed axes i, j, i and the remaining axis k, Euler parameters split into two right triangles:

    e0 = cos(b/2) cos((c+a)/2),    e_i = cos(b/2) sin((c+a)/2)
    e_j = sin(b/2) cos((c-a)/2),   e_k = sin(b/2) sin((c-a)/2)     (sign of e_k: the handedness of i, j, k)

so two arctangents give half the sum and half the difference, and a third one b, with full accuracy everywhere. Three
different axes are the same after a quarter turn about j. Where b aligns the first and third axes, only the sum or
difference of their angles is defined: the third angle is then zero. (Bernardes and Viollet, PLoS ONE 17(11), 2022.)
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan.errors import ModelError
from cardan.model import check
from cardan.spatial.rotation.parameters import floats, multiply, unit
from cardan.spatial.rotation.whole_turns import with_turns

LOCKED = 1e-14  # sine or cosine of b/2 due to rounding when the axes are aligned


def angles(p: ArrayLike, sequence: str) -> NDArray:
    """The three angles of a rotation, (..., 3): the middle one in [0, pi] for "ZXZ", in [-pi/2, pi/2] for "XYZ".

    >>> p = from_angles("ZXZ", (0.1, 0.2, 0.3))
    >>> angles(p, "ZXZ").round(6).tolist(), angles(p, "zxz").round(6).tolist()
    ([0.1, 0.2, 0.3], [0.3, 0.2, 0.1])
    """
    (i, j, k), moving = _axes(sequence)
    if moving:
        i, k = k, i
    symmetric = i == k
    if symmetric:
        k = 3 - i - j
    hand = (i - j) * (j - k) * (k - i) // 2
    e0, e = unit(p)[..., 0], unit(p)[..., 1:]
    if symmetric:
        a, b, c, d = e0, e[..., i], e[..., j], hand * e[..., k]
    else:
        a, b, c, d = e0 - e[..., j], e[..., i] + hand * e[..., k], e[..., j] + e0, hand * e[..., k] - e[..., i]
    middle = 2.0 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
    half_sum, half_difference = np.arctan2(b, a), np.arctan2(d, c)

    # With aligned axes, one of the two halves is rounding; its value is set to make the third angle zero.
    sign = 1.0 if moving else -1.0
    half_difference = np.where(np.hypot(c, d) <= LOCKED, sign * half_sum, half_difference)
    half_sum = np.where(np.hypot(a, b) <= LOCKED, sign * half_difference, half_sum)
    first, third = half_sum - half_difference, half_sum + half_difference
    if not symmetric:
        middle = middle - 0.5 * math.pi
        third = hand * third
    if moving:
        first, third = third, first
    return np.stack([_wrapped(first), middle, _wrapped(third)], axis=-1)


def from_angles(sequence: str, angles: ArrayLike) -> NDArray:
    """Euler parameters of three successive rotations.

    >>> from_angles("ZXZ", np.radians((90, 90, 0))).round(6).tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    axes, moving = _axes(sequence)
    values = floats(angles, 3)
    if not np.isfinite(values).all():
        raise ModelError(f"the angles of a rotation {sequence!r} must be finite, got {check.describe(angles)}")
    first, second, third = (_about(axis, values[..., turn]) for turn, axis in enumerate(axes))
    p = multiply(multiply(first, second), third) if moving else multiply(third, multiply(second, first))
    if p.ndim == 1 and np.count_nonzero(values) == 1 and not np.iscomplexobj(p):  # a rotation about one axis
        turn = int(np.argmax(values != 0.0))
        return with_turns(p, values[turn] * np.eye(3)[axes[turn]])
    return p


def _axes(sequence: str) -> tuple[tuple[int, int, int], bool]:
    """The numbers of the three axes, and whether they move with the body."""
    one_case = isinstance(sequence, str) and (set(sequence) <= set("xyz") or set(sequence) <= set("XYZ"))
    if not one_case or len(sequence) != 3 or sequence[1] in (sequence[0], sequence[2]):
        raise ModelError(
            f"the sequence of a rotation must be three of 'XYZ' (moving axes) or of 'xyz' (fixed axes), no axis twice "
            f"in a row, such as 'ZXZ', got {check.short_repr(sequence)}"
        )
    i, j, k = ("xyz".index(letter) for letter in sequence.lower())
    return (i, j, k), sequence.isupper()


def _about(axis: int, angle: NDArray) -> NDArray:
    """A rotation about one of the axes."""
    p = np.zeros((*angle.shape, 4), angle.dtype)
    p[..., 0], p[..., 1 + axis] = np.cos(0.5 * angle), np.sin(0.5 * angle)
    return p


def _wrapped(angle: NDArray) -> NDArray:
    """The same angle in [-pi, pi]."""
    turns = np.where(angle > math.pi, 1.0, np.where(angle < -math.pi, -1.0, 0.0))
    return angle - 2.0 * math.pi * turns + 0.0
