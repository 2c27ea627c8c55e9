"""Motions with closed forms, to compare simulations with: functions of time in NumPy and SciPy, nothing of the program.

    projectile                              r = r0 + v0 t + g t^2 / 2
    oscillator                              m x'' + c x' + k x = F cos(W t)
    spring_chain                            masses in a row between springs, one end free
    pendulum, physical_pendulum             theta'' = -k^2 sin theta, elliptic functions
    upright_four_bars                       N parallelograms in a row, falling in line again and again
    double_pendulum                         right-hand side of its differential equations (there is no closed form)

Rigid bodies about a fixed point or free in space are in `closed_turns`. Times are arrays, t = 0 is the start. Angles
count from the downward vertical, positive counter-clockwise, turns included.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ellipj, ellipk, ellipkinc


class Motion(NamedTuple):
    """A coordinate and its rate, one line for each instant."""

    value: NDArray
    rate: NDArray


def projectile(t: ArrayLike, position: ArrayLike, velocity: ArrayLike, gravity: ArrayLike) -> Motion:
    """A free mass center: r'' = g."""
    t, r, v, g = np.asarray(t, float)[:, None], *(np.asarray(a, float) for a in (position, velocity, gravity))
    return Motion(r + v * t + 0.5 * g * t**2, v + g * t)


def oscillator(
    t: ArrayLike,
    mass: float,
    stiffness: float,
    damping: float = 0.0,
    *,
    start: float = 0.0,
    speed: float = 0.0,
    force: float = 0.0,
    frequency: float = 0.0,
) -> Motion:
    """m x'' + c x' + k x = F cos(W t): weakly, critically or strongly damped, in resonance or not.

    Roots s of m s^2 + c s + k: x = a exp(s1 t) + b exp(s2 t), or (a + b t) exp(s t) where both are one. The forced part
    is the real part of F exp(i W t) / (k - m W^2 + i c W); undamped in resonance it is F t sin(W t) / (2 m W).
    """
    t = np.asarray(t, float)
    forced = _forced(t, mass, stiffness, damping, force, frequency)
    first = _forced(np.zeros(1), mass, stiffness, damping, force, frequency)
    x0, v0 = start - first.value[0], speed - first.rate[0]
    mean, spread = -0.5 * damping / mass, np.sqrt(complex(0.25 * (damping / mass) ** 2 - stiffness / mass))
    if abs(spread) < 1e-12 * max(abs(mean), 1e-300):
        b = v0 - mean * x0
        decay = np.exp(mean * t)
        free = Motion((x0 + b * t) * decay, (b + mean * (x0 + b * t)) * decay)
    else:
        roots = mean + spread, mean - spread
        a = (v0 - roots[1] * x0) / (roots[0] - roots[1])
        parts = a * np.exp(roots[0] * t), (x0 - a) * np.exp(roots[1] * t)
        free = Motion((parts[0] + parts[1]).real, (roots[0] * parts[0] + roots[1] * parts[1]).real)
    return Motion(free.value + forced.value, free.rate + forced.rate)


def spring_chain(t: ArrayLike, mass: float, stiffness: float, displacements: ArrayLike, speeds: ArrayLike) -> Motion:
    """n equal masses in a row, a spring before each, the first on a wall, the last mass free: displacements from rest.

    m u_i'' = k (u_{i-1} - 2 u_i + u_{i+1}) has the modes sin(i a_j), a_j = (2 j - 1) pi / (2 n + 1), with the
    frequencies 2 sqrt(k / m) sin(a_j / 2). Haug 8.4: six masses of 2.5 kg, 200 N/m, u6' = -0.1 m/s.
    """
    u0, v0, t = np.asarray(displacements, float), np.asarray(speeds, float), np.asarray(t, float)[:, None]
    n = u0.size
    a = (2.0 * np.arange(1, n + 1) - 1.0) * np.pi / (2 * n + 1)
    shapes = 2.0 / np.sqrt(2 * n + 1) * np.sin(np.outer(np.arange(1, n + 1), a))  # columns, orthonormal
    w = 2.0 * np.sqrt(stiffness / mass) * np.sin(0.5 * a)
    place, speed = shapes.T @ u0, shapes.T @ v0
    parts = place * np.cos(w * t) + speed / w * np.sin(w * t)
    rates = speed * np.cos(w * t) - place * w * np.sin(w * t)
    return Motion(parts @ shapes.T, rates @ shapes.T)


def pendulum(t: ArrayLike, k: float, start: float, speed: float = 0.0) -> Motion:
    """theta'' = -k^2 sin theta from any angle and any speed; k = sqrt(g / l).

    With m = sin^2(theta0 / 2) + (speed / 2 k)^2, the energy over that of the upright position: for m < 1 it swings,
    sin(theta / 2) = sqrt(m) sn(k t + u, m); for m > 1 it goes round, theta / 2 = am(sqrt(m) k t + u, 1 / m).
    """
    t = np.asarray(t, float)
    turns = 2.0 * np.pi * np.round(start / (2.0 * np.pi))
    half, pace = 0.5 * (start - turns), 0.5 * speed / k
    m = np.sin(half) ** 2 + pace**2
    if m == 0.0:
        return Motion(np.full(t.shape, start), np.zeros(t.shape))
    if m < 1.0:
        root = np.sqrt(m)
        u = ellipkinc(np.arctan2(np.sin(half), pace), m)
        sn, cn, _, _ = ellipj(k * t + u, m)
        return Motion(turns + 2.0 * np.arcsin(root * sn), 2.0 * k * root * cn)
    root = np.copysign(np.sqrt(m), speed)
    u = ellipkinc(half, 1.0 / m)
    _, _, dn, am = ellipj(root * k * t + u, 1.0 / m)
    return Motion(turns + 2.0 * am, 2.0 * k * root * dn)


def pendulum_period(k: float, amplitude: float) -> float:
    """The time of one full swing from -amplitude to amplitude and back: 4 K(sin^2(amplitude / 2)) / k."""
    return float(4.0 * ellipk(np.sin(0.5 * amplitude) ** 2) / k)


def physical_pendulum(
    t: ArrayLike, mass: float, arm: float, inertia: float, start: float, speed: float = 0.0, gravity: float = 9.81
) -> Motion:
    """A body on a hinge: (J + m s^2) theta'' = -m g s sin theta, J about the mass center, s its distance."""
    return pendulum(t, np.sqrt(mass * gravity * arm / (inertia + mass * arm**2)), start, speed)


def upright_four_bars(t: ArrayLike, count: int, speed: float = 1.0, gravity: float = 9.81) -> Motion:
    """N parallelograms of thin bars, 1 m and 1 kg each, upright: the angle of the bars from the upward vertical.

    (N + 1) bars turn with J = 1/3, N couplers move as points: theta'' = g ((N + 1)/2 + N) / ((N + 1)/3 + N) sin theta.
    The tip of the first bar is at (sin theta, cos theta).
    """
    k = np.sqrt(gravity * ((count + 1) / 2 + count) / ((count + 1) / 3 + count))
    hanging = pendulum(t, k, np.pi, speed)
    return Motion(hanging.value - np.pi, hanging.rate)


class Link(NamedTuple):
    """A link of a double pendulum; a point mass at its end has center = length and no inertia."""

    mass: float
    length: float
    center: float
    inertia: float  # about the mass center


def double_pendulum(state: ArrayLike, first: Link, second: Link, gravity: float = 9.81) -> NDArray:
    """The rates of (theta1, theta2, w1, w2), both angles absolute: M w' = right side, from Lagrange's equations."""
    one, two, w1, w2 = np.asarray(state, float)
    carried = second.mass * first.length
    coupling = carried * second.center
    M11 = first.inertia + first.mass * first.center**2 + carried * first.length
    M12, M22 = coupling * np.cos(one - two), second.inertia + second.mass * second.center**2
    right1 = -coupling * np.sin(one - two) * w2**2 - gravity * (first.mass * first.center + carried) * np.sin(one)
    right2 = coupling * np.sin(one - two) * w1**2 - gravity * second.mass * second.center * np.sin(two)
    determinant = M11 * M22 - M12**2
    return np.array([w1, w2, (M22 * right1 - M12 * right2) / determinant, (M11 * right2 - M12 * right1) / determinant])


def _forced(t: NDArray, m: float, k: float, c: float, force: float, w: float) -> Motion:
    """A particular solution."""
    stiffness = k - m * w**2 + 1j * c * w
    if force == 0.0:
        return Motion(0.0 * t, 0.0 * t)
    if abs(stiffness) < 1e-12 * k:
        factor = 0.5 * force / (m * w)
        return Motion(factor * t * np.sin(w * t), factor * (np.sin(w * t) + w * t * np.cos(w * t)))
    wave = force / stiffness * np.exp(1j * w * t)
    return Motion(wave.real, (1j * w * wave).real)
