"""What rivals in NumPy and SciPy have in common: the way from time point to time point.

`analyze` predicts each position as Cardan does, along the polynomial of fifth degree through q, v and a of the last two
points, which on equally spaced ones is a sum of six vectors. Then it closes the mechanism, by `scipy.optimize.root` or
by Newton's method, and solves J v = nu and J a = gamma with the analytic Jacobian J.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import root

TOLERANCE = 1e-11  # of equations, relative to the mechanism's size, as Cardan's
XTOL = 1e-6  # hybr stops by the size of its steps: looser values, up to 1e-3, take the same iterations here


class Form(NamedTuple):
    """One way to write the equations of a mechanism."""

    equations: Callable[[np.ndarray, float], np.ndarray]
    jacobian: Callable[[np.ndarray, float], np.ndarray]
    gamma: Callable[[np.ndarray, np.ndarray], np.ndarray]
    nu: np.ndarray
    start: np.ndarray  # the estimate of the first position
    size: float  # m


def analyze(times: np.ndarray, form: Form, close: Callable[..., np.ndarray]) -> tuple[np.ndarray, ...]:
    """Positions, velocities and accelerations at all times, each position predicted from the points before."""
    n = form.start.size
    q, v, a = (np.zeros((times.size, n)) for _ in range(3))
    guess, h = form.start, float(times[1] - times[0])
    ahead = np.array([-31.0, -14.0 * h, -2.0 * h * h, 32.0, -16.0 * h, 4.0 * h * h])
    last = np.zeros((6, n))  # q, v, a of the last but one and of the last time point
    for i, t in enumerate(times.tolist()):
        if i:
            last[:3], last[3], last[4], last[5] = last[3:], q[i - 1], v[i - 1], a[i - 1]
            guess = ahead @ last if i > 1 else q[0] + h * (v[0] + h / 2 * a[0])
        q[i] = close(form, guess if i else close(form, guess, t), t)  # once more at the start, which is a rough guess
        J = form.jacobian(q[i], t)
        v[i] = np.linalg.solve(J, form.nu)
        a[i] = np.linalg.solve(J, form.gamma(q[i], v[i]))
    return q, v, a


def by_root(form: Form, guess: np.ndarray, t: float) -> np.ndarray:
    options = {"xtol": XTOL}
    return root(form.equations, guess, args=(t,), jac=form.jacobian, method="hybr", options=options).x


def by_newton(form: Form, guess: np.ndarray, t: float) -> np.ndarray:
    q, phi = guess, form.equations(guess, t)
    while np.abs(phi).max() > TOLERANCE * form.size:
        q = q - np.linalg.solve(form.jacobian(q, t), phi)
        phi = form.equations(q, t)
    return q
