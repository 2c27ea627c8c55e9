r"""Where the tips of the problems are, from equations that share nothing with Cardan: one or two coordinates each.

    n-four-bar       theta'' = g ((n+1)/2 + n) / ((n+1)/3 + n) sin theta,     theta(0) = 0, theta'(0) = 1
    pendulum         sin(theta/2) = k sn(K - t sqrt g, k),  k = sin 45 deg    (Jacobi's elliptic functions)
    slider-crank     I(theta) theta'' + I'(theta) theta'^2 / 2 + V'(theta) = 0
    governor         spin eliminated by its constant momentum; both rods move alike
    double pendulum  two angles

All but the pendulum are integrated at tolerances near rounding. Bricard's linkage has no such equation here: its
reference is a tight run.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from dynamics_problems import G, slider_crank_light_rod
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

Rate = Callable[[float, np.ndarray], np.ndarray]
TIGHT = 3e-14  # the least relative tolerance that SciPy takes is 2.2e-14


def n_four_bar_tip(n: int, t: float) -> np.ndarray:
    rate = G * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    theta = _march(lambda _, y: np.array([y[1], rate * math.sin(y[0])]), [0.0, 1.0], t)[0]
    return np.array([math.sin(theta), math.cos(theta)])


def pendulum_tip(t: float) -> np.ndarray:
    """From the horizontal: m = k^2 = 1/2, theta measured from the lowest place."""
    sn, _, dn, _ = ellipj(ellipk(0.5) - t * math.sqrt(G), 0.5)
    half = math.sqrt(0.5) * sn  # sin(theta/2); cos(theta/2) = dn
    return np.array([2.0 * half * dn, 2.0 * half * half - 1.0])


def double_pendulum_tip(t: float) -> np.ndarray:
    """Thin bars of unit length and mass, a and b their angles from straight down."""

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        a, b, p, q = y
        c, s = math.cos(a - b) / 2, math.sin(a - b) / 2
        f, g = -s * q * q - 1.5 * G * math.sin(a), s * p * p - 0.5 * G * math.sin(b)
        det = 4.0 / 9.0 - c * c
        return np.array([p, q, (f / 3.0 - c * g) / det, (4.0 / 3.0 * g - c * f) / det])

    a, b, _, _ = _march(rate, [math.pi / 2, math.pi / 2, 0.0, 0.0], t)
    return np.array([math.sin(a) + math.sin(b), -math.cos(a) - math.cos(b)])


def slider_crank_tip(t: float) -> np.ndarray:
    """The crank's end; the inertia I and the potential V reduced to the crank's angle, slopes by complex steps."""
    crank, rod, slider = slider_crank_light_rod().bodies
    a, b = 0.3, 1.0

    def reduced(theta: complex) -> tuple[complex, complex]:
        sin_phi = -a / b * np.sin(theta)
        cos_phi = np.sqrt(1.0 - sin_phi * sin_phi)
        turn = -a * np.cos(theta) / (b * cos_phi)  # phi' by theta'
        middle = -a * np.sin(theta) - b / 2 * sin_phi * turn, a * np.cos(theta) + b / 2 * cos_phi * turn
        slide = -a * np.sin(theta) - b * sin_phi * turn
        inertia = crank.inertia + crank.mass * a * a / 4 + rod.inertia * turn**2
        inertia += rod.mass * (middle[0] ** 2 + middle[1] ** 2) + slider.mass * slide**2
        height = crank.mass * a / 2 * np.sin(theta) + rod.mass * (a * np.sin(theta) + b / 2 * sin_phi)
        return inertia, G * height

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        inertia, potential = reduced(complex(y[0], 1e-40))
        return np.array([y[1], -(inertia.imag / 2 * y[1] ** 2 + potential.imag) / 1e-40 / inertia.real])

    theta = _march(rate, [math.pi / 4, 5.0], t)[0]
    return np.array([a * math.cos(theta), a * math.sin(theta)])


def governor_tip(t: float) -> np.ndarray:
    """The slider; alpha: rods below the horizontal, s: height of the slider, L: momentum about the shaft.

    J_z(alpha) psi' = L is constant, and T = J_z psi'^2/2 + J alpha'^2 + m s'^2/2, the factor two of the rods included.
    """
    m, point, cube = 0.3, 5.0, 3.0  # rod, point mass, slider
    thin, long = m / 12 * 2e-4, m / 12 * (1.0 + 1e-4)  # the rod about its axis and across
    upright = m / 12 * 2e-4 + cube * 0.01 / 6.0  # shaft and slider about z
    swing = 2.0 * (m / 4 + long + point)  # both rods about their pins

    def spinning(alpha: float) -> tuple[float, float]:
        """J_z and its slope."""
        c, s = math.cos(alpha), math.sin(alpha)
        near, far = 0.05 + c / 2, 0.05 + c
        about = upright + 2.0 * (m * near**2 + point * far**2 + long * c * c + thin * s * s)
        slope = 2.0 * (-m * near * s - 2.0 * point * far * s - 2.0 * (long - thin) * c * s)
        return about, slope

    momentum = 2.0 * math.pi * spinning(math.pi / 6)[0]

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        alpha, s, alpha_rate, s_rate = y
        x, z = math.cos(alpha) / 2, 1.0 - math.sin(alpha) / 2 - s
        length = math.hypot(x, z)
        x_alpha, z_alpha = -math.sin(alpha) / 2, -math.cos(alpha) / 2
        by_alpha, by_s = (x * x_alpha + z * z_alpha) / length, -z / length
        pull = 2.0 * (8e5 * (length - 0.5) + 4e4 * (by_alpha * alpha_rate + by_s * s_rate))
        about, slope = spinning(alpha)
        turning = momentum**2 / (2.0 * about**2) * slope + 2.0 * G * (m / 2 + point) * math.cos(alpha)
        return np.array([alpha_rate, s_rate, (turning - pull * by_alpha) / swing, -G - pull * by_s / cube])

    s = _march(rate, [math.pi / 6, 0.5, 0.0, 0.0], t, "LSODA", 1e-13)[1]  # within 3e-12 of the explicit one at 3e-14
    return np.array([0.0, 0.0, s])


def _march(rate: Rate, start: list[float], t: float, method: str = "DOP853", tolerance: float = TIGHT) -> np.ndarray:
    return solve_ivp(rate, (0.0, t), start, method=method, rtol=tolerance, atol=tolerance).y[:, -1]
