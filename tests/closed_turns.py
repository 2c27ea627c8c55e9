"""Rigid bodies that turn in space, in closed form: free of torques, and the heavy symmetric top.

    free_symmetric      two equal moments of inertia: circles
    free_body           three different ones: Jacobi's elliptic functions, one angle by quadrature
    steady_precession   the two rates at which a top can precess without nodding
    heavy_top           any start of a symmetric top at a turning point of its nutation

NumPy and SciPy only. Moments of inertia are principal ones, components are in body axes, t >= 0 counts from the start.
Orientations are matrices relative to the start: the body has A(t) = A(0) R(t).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import ArrayLike, NDArray
from scipy.special import ellipj, ellipk, ellipkinc

NODES, WEIGHTS = leggauss(20)


class Turning(NamedTuple):
    """Angular velocity in body axes, and the rotation since the start."""

    omega: NDArray  # [n, 3]
    R: NDArray  # [n, 3, 3]


class Top(NamedTuple):
    """Angles of a top: A = Rz(precession) Rx(nutation) Rz(spin), the nutation from the upward vertical; their rates."""

    precession: NDArray
    nutation: NDArray
    spin: NDArray
    rates: NDArray  # [n, 3], in the same order


def free_symmetric(t: ArrayLike, across: float, axial: float, omega: ArrayLike) -> Turning:
    """J' = diag(across, across, axial): omega' = L'/across - W z', W = (axial / across - 1) omega_z.

    So the body turns at |L| / across about L, which stays, and at -W about its own axis; omega' circles that axis.
    """
    t, w = np.asarray(t, float), np.asarray(omega, float)
    rate = (axial / across - 1.0) * w[2]
    c, s = np.cos(rate * t), np.sin(rate * t)
    L = np.array([across, across, axial]) * w
    size = np.linalg.norm(L)
    turned = np.stack([c * w[0] - s * w[1], s * w[0] + c * w[1], np.full(t.shape, w[2])], axis=1)
    return Turning(turned, _about(L / size, size / across * t) @ _about(np.array([0.0, 0.0, 1.0]), -rate * t))


def free_body(t: ArrayLike, inertia: ArrayLike, omega: ArrayLike) -> Turning:
    """J' = diag(inertia), all different; L not along a principal axis, and not on the separatrix |L|^2 = 2 T J_b.

    J_b is the middle moment, c the axis about which L circles: that of the greatest moment if |L|^2 > 2 T J_b, else of
    the least. Then (Landau and Lifshitz, Mechanics, section 37) omega_a, omega_b, omega_c go as cn, sn, dn.
    """
    t, J, w = np.asarray(t, float), np.asarray(inertia, float), np.asarray(omega, float)
    square, twice = float(np.sum((J * w) ** 2)), float(np.sum(J * w**2))
    order = np.argsort(J)
    a, b, c = order if square > twice * J[order[1]] else order[::-1]
    handed = 1.0 if (a, b, c) in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else -1.0
    low, high = square - twice * J[a], twice * J[c] - square  # of one sign both
    sizes = np.sqrt([high / (J[a] * (J[c] - J[a])), high / (J[b] * (J[c] - J[b])), low / (J[c] * (J[c] - J[a]))])
    m = (J[b] - J[a]) * high / ((J[c] - J[b]) * low)
    rate = np.sqrt((J[c] - J[b]) * low / (J[a] * J[b] * J[c]))
    sign_c = np.sign(w[c])
    sign_a = handed * np.sign(J[c] - J[b]) * sign_c  # J_a w_a' = handed (J_b - J_c) w_b w_c
    phase = ellipkinc(np.arctan2(w[b] / sizes[1], sign_a * w[a] / sizes[0]), m)

    def turned(time: NDArray) -> NDArray:
        sn, cn, dn, _ = ellipj(rate * time + phase, m)
        found = np.empty((*np.shape(time), 3))
        found[..., a], found[..., b], found[..., c] = sign_a * sizes[0] * cn, sizes[1] * sn, sign_c * sizes[2] * dn
        return found

    return Turning(turned(t), _turned_about_momentum(t, J, turned, int(c), ellipk(m) / rate))


def steady_precession(nutation: float, spin: float, across: float, axial: float, weight: float) -> tuple[float, float]:
    """The slow and the fast rate of a top that keeps its angle to the upward vertical.

    across cos(nutation) W^2 - axial omega_z W + weight = 0: `across` and `axial` about the fixed point, `spin` is
    omega_z, its angular velocity about its own axis, and `weight` is m g s with s the height of its mass center.
    """
    a, b = across * np.cos(nutation), axial * spin
    root = np.sqrt(b**2 - 4.0 * a * weight)
    fast = 0.5 * (b + np.copysign(root, b)) / a
    return float(weight / (a * fast)), float(fast)


def heavy_top(
    t: ArrayLike, nutation: float, precession_rate: float, spin: float, across: float, axial: float, weight: float
) -> Top:
    """A symmetric top from a turning point of its nutation: at `nutation`, moving at `precession_rate` alone.

    With u = cos(nutation), u'^2 = C (u - u1)(u - u2)(u - u3), C = 2 weight / across, u1 <= u2 <= 1 <= u3, so that
    u = u1 + (u2 - u1) sn^2. Precession and spin are quadratures of (b - a u) / (1 - u^2) and omega_z - u times that,
    a = axial omega_z / across and b = a u + precession_rate (1 - u^2) both constant. `spin` is omega_z.
    """
    t, u0 = np.asarray(t, float), np.cos(nutation)
    C, a = 2.0 * weight / across, axial * spin / across
    b = a * u0 + precession_rate * (1.0 - u0**2)
    # u0 is one root of C (u0 - u)(1 - u^2) + precession_rate^2 (1 - u0^2)(1 - u^2) - (b - a u)^2; the others:
    energy = C * u0 + precession_rate**2 * (1.0 - u0**2)
    cubic = np.array([C, -(energy + a**2), 2.0 * a * b - C, energy - b**2])
    others = np.roots(np.polydiv(cubic, [1.0, -u0])[0]).real
    u1, u2, u3 = np.sort([u0, *others])
    m, rate = (u2 - u1) / (u3 - u1), 0.5 * np.sqrt(C * (u3 - u1))
    ahead = 0.0 if u0 == u1 else ellipk(m)

    def height(time: NDArray) -> tuple[NDArray, NDArray]:
        sn, cn, dn, _ = ellipj(rate * time + ahead, m)
        return u1 + (u2 - u1) * sn**2, 2.0 * rate * (u2 - u1) * sn * cn * dn

    def turning(time: NDArray) -> NDArray:
        u, _ = height(time)
        precession = (b - a * u) / (1.0 - u**2)
        return np.stack([precession, spin - u * precession], axis=-1)

    u, climb = height(t)
    angles, rates = _integral(turning, t, 0.5 * ellipk(m) / rate), turning(t)
    falling = -climb / np.sqrt(1.0 - u**2)
    return Top(angles[:, 0], np.arccos(u), angles[:, 1], np.stack([rates[:, 0], falling, rates[:, 1]], axis=1))


def _turned_about_momentum(t: NDArray, J: NDArray, omega: Callable, c: int, quarter: float) -> NDArray:
    """R from z-x-z angles about L: two of them follow from L' = J omega', the third is a quadrature."""
    x, y = (c + 1) % 3, (c + 2) % 3
    axes = np.eye(3)[[x, y, c]]  # body axes to (x, y, c)

    def precession(time: NDArray) -> NDArray:
        w = omega(time)
        wx, wy = w[..., x], w[..., y]
        size = np.linalg.norm(J * w, axis=-1)
        return (size * (J[x] * wx**2 + J[y] * wy**2) / ((J[x] * wx) ** 2 + (J[y] * wy) ** 2))[..., None]

    def frame(time: NDArray, angle: NDArray) -> NDArray:
        L = J * omega(time)
        tilt, own = np.arctan2(np.hypot(L[:, x], L[:, y]), L[:, c]), np.arctan2(L[:, x], L[:, y])
        z_axis, x_axis = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
        return _about(z_axis, angle) @ _about(x_axis, tilt) @ _about(z_axis, own) @ axes

    first = frame(np.zeros(1), np.zeros(1))[0]
    return first.T @ frame(t, _integral(precession, t, 0.5 * quarter)[:, 0])


def _integral(rate: Callable, t: NDArray, panel: float) -> NDArray:
    """The integral of `rate` from 0 to each instant, t >= 0 in any order: Gauss's rule on panels of at most `panel`."""
    order = np.argsort(t)
    edges = np.concatenate([[0.0], t[order]])
    total = np.zeros_like(rate(np.zeros(1))[0])
    found = np.empty((t.size, total.size))
    for k, start, end in zip(order, edges[:-1], edges[1:], strict=True):
        bounds = np.linspace(start, end, int(np.ceil((end - start) / panel)) + 1)
        for left, right in zip(bounds[:-1], bounds[1:], strict=True):
            half = 0.5 * (right - left)
            total = total + half * WEIGHTS @ rate(left + half * (NODES + 1.0))
        found[k] = total
    return found


def _about(axis: NDArray, angle: NDArray) -> NDArray:
    """Rotation matrices about a unit axis: I + sin n~ + (1 - cos) n~ n~."""
    n = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    return np.eye(3) + np.sin(angle)[:, None, None] * n + (1.0 - np.cos(angle))[:, None, None] * (n @ n)
