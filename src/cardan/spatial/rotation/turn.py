"""Rotation about one axis: axis and angle, the rotation vector, and its tangent.

By Euler's theorem every orientation is one rotation by an angle chi about a unit axis u. The rotation vector
theta = chi u contains both; A = exp(~theta). Its components are unconstrained coordinates, regular for chi < 2 pi:

    omega' = T(theta) theta',    T = I - c2 ~theta + c3 ~theta^2,    T^-1 = I + ~theta/2 + k ~theta^2

    c_n(x) = 1/n! - x/(n+2)! + x^2/(n+4)! - ...,    x = theta . theta,    k = (c3 - 2 c4) / (2 c2)

c0 = cos, c1 = sin(chi)/chi, c2 = (1 - cos chi)/chi^2, c3 = (chi - sin chi)/chi^3 are the Stumpff functions: written
with them, the tangent and its derivative are accurate at the smallest angles. Haug, section 9.3 (Euler's theorem).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Angle, Direction
from cardan.spatial.rotation.parameters import first_positive, floats, reals, skew, unit
from cardan.spatial.rotation.whole_turns import with_turns

SERIES = 4.0  # below this chi^2 the closed forms of c4 and c5 lose digits and the series is short
SERIES_TERMS = 14


def axis_angle(p: ArrayLike) -> tuple[NDArray, NDArray]:
    """The axis u and the angle chi in [0, pi] of a rotation (9.3.2); the axis of the identity is z.

    >>> axis, angle = axis_angle((0.5, 0.5, 0.5, 0.5))
    >>> axis.round(6).tolist(), float(angle.round(6))
    ([0.57735, 0.57735, 0.57735], 2.094395)
    """
    p = first_positive(unit(p))
    largest = np.abs(p[..., 1:]).max(axis=-1, keepdims=True)  # squares of tiny components would underflow
    e = np.where(largest > 0.0, p[..., 1:], (0.0, 0.0, 1.0)) / np.where(largest > 0.0, largest, 1.0)
    size = np.linalg.norm(e, axis=-1, keepdims=True)
    return e / size, 2.0 * np.arctan2((size * largest)[..., 0], p[..., 0])


def from_axis_angle(axis: Direction, angle: Angle) -> NDArray:
    """Euler parameters of a rotation by `angle` about `axis`, of any nonzero length (9.3.2).

    The full angle of a single rotation is stored: a hinge of a body given at 200 deg starts there and not at -160 deg.

    >>> from_axis_angle((1, 1, 1), np.radians([0, 120])).round(6).tolist()
    [[1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5]]
    """
    u, half = floats(axis, 3), 0.5 * reals(angle, "the angle of a rotation must be a number, or an array")[..., None]
    largest = np.abs(u).max(axis=-1, keepdims=True)
    if not np.isfinite(u).all() or not np.isfinite(half).all():
        raise ModelError(
            f"axis and angle of a rotation must be finite, got {check.describe(axis)} and {check.describe(angle)}"
        )
    if not (largest > 0.0).all():
        raise ModelError(f"the axis of a rotation must be a direction, got a zero vector in {check.describe(axis)}")
    u = u / largest
    u = u / np.linalg.norm(u, axis=-1, keepdims=True)
    e = np.sin(half) * u
    p = np.concatenate([np.broadcast_to(np.cos(half), e[..., :1].shape), e], axis=-1)
    return with_turns(p, 2.0 * half[..., 0] * u) if p.ndim == 1 and not np.iscomplexobj(p) else p


def rotation_vector(p: ArrayLike) -> NDArray:
    """theta = chi u, not longer than pi.

    >>> rotation_vector((1, 0, 0, 5e-11)).tolist()
    [0.0, 0.0, 1e-10]
    """
    axis, angle = axis_angle(p)
    return angle[..., None] * axis


def from_rotation_vector(theta: ArrayLike) -> NDArray:
    """Euler parameters of the rotation by |theta| about theta.

    >>> from_rotation_vector((0, 0, 1e-10)).tolist()
    [1.0, 0.0, 0.0, 5e-11]
    """
    half = 0.5 * floats(theta, 3)
    c0, c1 = _stumpff(half)[:2]
    p = np.concatenate([c0, c1 * half], axis=-1)
    return with_turns(p, 2.0 * half) if p.ndim == 1 and not np.iscomplexobj(p) else p


def tangent(theta: ArrayLike) -> NDArray:
    """T with omega' = T theta' for A = A0 exp(~theta): T = I - c2 ~theta + c3 ~theta^2.

    >>> tangent((0, 0, np.pi / 2)).round(6).tolist()
    [[0.63662, 0.63662, 0.0], [-0.63662, 0.63662, 0.0], [0.0, 0.0, 1.0]]
    """
    s = skew(theta)
    _, _, c2, c3, _, _ = (c[..., None] for c in _stumpff(floats(theta, 3)))
    return np.eye(3) - c2 * s + c3 * (s @ s)


def tangent_inverse(theta: ArrayLike) -> NDArray:
    """T^-1 = I + ~theta/2 + k ~theta^2, k = (1 - (chi/2) cot(chi/2)) / chi^2; it has a pole at chi = 2 pi.

    >>> tangent_inverse((0, 0, np.pi)).round(6).tolist()
    [[0.0, -1.570796, 0.0], [1.570796, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    s = skew(theta)
    _, _, c2, c3, c4, _ = (c[..., None] for c in _stumpff(floats(theta, 3)))
    return np.eye(3) + 0.5 * s + (c3 - 2.0 * c4) / (2.0 * c2) * (s @ s)


def tangent_rate(theta: ArrayLike, theta_rate: ArrayLike) -> NDArray:
    """dT/dt, from dc2/dt = (2 c4 - c3) theta.theta' and dc3/dt = (3 c5 - c4) theta.theta'.

    >>> tangent_rate((0, 0, 0), (0, 0, 1)).tolist()
    [[0.0, 0.5, 0.0], [-0.5, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    theta, theta_rate = floats(theta, 3), floats(theta_rate, 3)
    s, s_rate = skew(theta), skew(theta_rate)
    _, _, c2, c3, c4, c5 = (c[..., None] for c in _stumpff(theta))
    growth = np.sum(theta * theta_rate, axis=-1)[..., None, None]
    changing = growth * (c3 - 2.0 * c4) * s + growth * (3.0 * c5 - c4) * (s @ s)
    return changing - c2 * s_rate + c3 * (s_rate @ s + s @ s_rate) + 0.0


def _stumpff(theta: NDArray) -> tuple[NDArray, ...]:
    """c0 to c5 at x = theta.theta, each with a last axis of length one."""
    x = np.sum(theta * theta, axis=-1, keepdims=True)
    small = np.real(x) < SERIES
    near, far = np.where(small, x, 0.0), np.where(small, SERIES, x)
    chi = np.sqrt(far)
    closed = [np.cos(chi), np.sin(chi) / chi]
    for n in range(2, 6):
        closed.append((1.0 / math.factorial(n - 2) - closed[n - 2]) / far)
    return tuple(np.where(small, _series(n, near), closed[n]) for n in range(6))


def _series(n: int, x: NDArray) -> NDArray:
    """1/n! - x/(n+2)! + x^2/(n+4)! - ..."""
    total = np.ones_like(x)
    for k in range(SERIES_TERMS, 0, -1):
        total = 1.0 - total * x / ((n + 2 * k) * (n + 2 * k - 1))
    return total / math.factorial(n)
