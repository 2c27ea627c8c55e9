"""Smooth motions along a path: a polynomial s(t / T) from rest to rest, as fast as limits allow.

With tau = t / T:   s' = s_tau / T,   s'' = s_tautau / T^2,   and every limit is a polynomial in 1 / T, whose smallest
positive root over all positions gives T.
"""

from __future__ import annotations

import numpy as np

from cardan.analysis.planning.time_optimal import Limited
from cardan.errors import ModelError

RISES = {  # rise from 0 to 1: two derivatives vanish at both ends for "quintic", three for "septic"
    "quintic": (0.0, 0.0, 0.0, 10.0, -15.0, 6.0),
    "septic": (0.0, 0.0, 0.0, 0.0, 35.0, -84.0, 70.0, -20.0),
}


def rise(profile: str, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """s and three derivatives with respect to tau."""
    p = np.polynomial.Polynomial(RISES[profile])
    return p(tau), p.deriv(1)(tau), p.deriv(2)(tau), p.deriv(3)(tau)


def shortest(
    limited: list[Limited],
    first: np.ndarray,
    second: np.ndarray,
    top: np.ndarray,
    jerks: list[tuple[np.ndarray, float]],
) -> float:
    """The shortest duration for s_tau = `first` and s_tautau = `second`; `jerks` are values for T = 1, with limits."""
    fastest = np.inf  # the largest 1 / T
    moving = first > 0.0
    fastest = min(fastest, float(np.min(np.sqrt(top[moving]) / first[moving], initial=np.inf)))
    for one in limited:
        square = one.alpha * second + one.beta * first**2
        for sign, limit in ((1.0, one.high), (-1.0, -one.low)):
            if np.isfinite(limit):
                room = np.maximum(limit - sign * one.gamma, 0.0)
                fastest = min(fastest, float(_first_root(sign * square, sign * one.delta * first, room).min()))
    for values, limit in jerks:
        largest = float(np.abs(values).max())
        fastest = min(fastest, (limit / largest) ** (1.0 / 3.0) if largest > 0.0 else np.inf)
    if not np.isfinite(fastest):
        raise ModelError("no limit of plan_motion() bounds the speed along the path; state speeds=, or more forces=")
    if fastest <= 0.0:
        raise ModelError("the limits of plan_motion() leave nothing for motion along the path; raise them")
    return 1.0 / fastest


def _first_root(square: np.ndarray, linear: np.ndarray, room: np.ndarray) -> np.ndarray:
    """The smallest y > 0 at which square y^2 + linear y reaches `room`, inf if it never does."""
    inside = linear**2 + 4.0 * square * room
    root = np.sqrt(np.maximum(inside, 0.0))
    below = linear + root  # y = 2 room / (linear + root) is stable for small `square`
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where((inside >= 0.0) & (below > 0.0), 2.0 * room / np.where(below > 0.0, below, 1.0), np.inf)
    return np.asarray(y)
