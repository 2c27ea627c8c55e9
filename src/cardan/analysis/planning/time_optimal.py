"""The fastest motion along a path: a linear program in x = s'^2.

    low <= alpha s'' + beta s'^2 + delta s' + gamma <= high         for each limited quantity, at each s

On a grid of s, s'' = (dx/ds) / 2 is linear in each interval and may jump between intervals. With u and w at the ends
of an interval, and sigma from 0 to 1 in it:

    s'' = (1 - sigma) u + sigma w,      x = x_i + ds (2 sigma u + sigma^2 (w - u)),      x_{i+1} = x_i + ds (u + w)

All limits hold at both ends and at `PARTS_OF_INTERVAL` - 1 places between them. The largest x in every interval is the
fastest motion (Verscheure et al. 2009; Pham and Pham 2018); it maximizes the sum of all x, and the small term -|u - w|
selects s'' where no limit does; without limits of accelerations or forces s'' is constant in each interval. The term
delta s' is linear about the last solution; solving is repeated until x settles.

Where alpha of a quantity vanishes, its limit does not bound s'' (zero-inertia points), and jumps of s'' would let it
exceed the limit between grid points. The grid is refined toward these points, and s'' is constant in each interval
there: alpha s'' is then linear in s and stays within the limit.

A smooth motion is a polynomial s(t / T) from rest to rest, as fast as limits allow. With tau = t / T,
s' = s_tau / T, s'' = s_tautau / T^2, and every limit is a polynomial in 1 / T, whose smallest positive root over all
positions gives T.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, brentq, milp

from cardan.errors import ModelError, SimulationError

PROFILE_TOLERANCE, PROFILE_ROUNDS = 1e-6, 30  # relative change of x, and solutions
PARTS_OF_INTERVAL = 4  # of each interval: limits hold at the ends of all parts
AROUND = (2.0, 1.5, 1.0, 0.75, 0.5, 0.375, 0.25, 0.125, 0.0625, 0.03125)  # of the spacing: refined grid points
SAME_POINT = 0.01  # of the spacing: points so close to each other are the same
WEAK_BOUND = 0.05  # of its maximum: alpha whose minimum is smaller hardly bounds s''
SMOOTHING_WEIGHT = 1e-2  # weight of |u - w| relative to x, for intervals of length 1
MIN_PATH_SPEED = 1e-12  # of the largest x: s' about which delta s' is linear where it vanishes


class Limited(NamedTuple):
    """A quantity alpha s'' + beta s'^2 + delta s' + gamma with limits."""

    name: str
    unit: str
    alpha: np.ndarray
    beta: np.ndarray
    delta: np.ndarray
    gamma: np.ndarray
    low: float
    high: float
    margin: np.ndarray  # that is kept to both limits

    @property
    def bounds(self) -> bool:
        """Whether it has a limit."""
        return bool(np.isfinite(self.low) or np.isfinite(self.high))

    @property
    def span(self) -> float:
        """A typical size: the smallest that its limits have."""
        return min(v for v in (abs(self.low), abs(self.high), self.high - self.low) if v > 0.0)

    @property
    def limits(self) -> tuple[np.ndarray, np.ndarray]:
        """Limits with their margins, which never exclude rest."""
        low = np.minimum(self.low + self.margin, np.maximum(self.gamma, self.low))
        high = np.maximum(self.high - self.margin, np.minimum(self.gamma, self.high))
        return low, high

    def every(self, step: int) -> Limited:
        """At some of its positions."""
        names = ("alpha", "beta", "delta", "gamma", "margin")
        return self._replace(**{name: getattr(self, name)[::step] for name in names})

    def at(self, rate: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
        """Its values for a motion."""
        return self.alpha * acceleration + self.beta * rate**2 + self.delta * rate + self.gamma


def require_rest(s: np.ndarray, limited: list[Limited]) -> None:
    """Reject limits that do not even allow to stand on the path."""
    for one in limited:
        for k in np.flatnonzero((one.gamma < one.low) | (one.gamma > one.high))[:1]:
            raise ModelError(
                f"{one.name} is {one.gamma[k]:.4g} {one.unit} at rest at {100 * s[k]:.3g} % of the path, outside its "
                f"limits {one.low:.4g} to {one.high:.4g}: raise the limits, or choose another path"
            )


class Profile(NamedTuple):
    """x = s'^2 at each s, and s'' after and before each: at the start and at the end of each interval."""

    x: np.ndarray
    after: np.ndarray
    before: np.ndarray


def refined(s: np.ndarray, limited: list[Limited]) -> tuple[np.ndarray, np.ndarray]:
    """A grid that is refined toward the points where s'' is hardly bounded, and in which of its intervals s'' is
    constant."""
    points: list[tuple[float, float]] = []  # and the spacing there
    for one in limited:
        size = np.abs(one.alpha)
        if not one.bounds or not size.any():
            continue
        for k in np.flatnonzero(one.alpha[:-1] * one.alpha[1:] < 0.0):
            share = size[k] / (size[k] + size[k + 1])
            points.append((s[k] + share * (s[k + 1] - s[k]), s[k + 1] - s[k]))
        least = (size[1:-1] <= size[:-2]) & (size[1:-1] <= size[2:]) & (size[1:-1] < WEAK_BOUND * size.max())
        points += [(s[k], max(s[k + 1] - s[k], s[k] - s[k - 1])) for k in 1 + np.flatnonzero(least)]
    if not points:
        return s, np.zeros(s.size - 1, bool)
    around = np.array([0.0, *(sign * part for part in AROUND for sign in (1.0, -1.0))])
    added = np.concatenate([at + spacing * around for at, spacing in points])
    found = np.union1d(s, added[(added > s[0]) & (added < s[-1])])
    closest = SAME_POINT * np.interp(found, 0.5 * (s[:-1] + s[1:]), np.diff(s))
    found = found[np.concatenate([[True], np.diff(found) > closest[1:]])]
    found[-1] = s[-1]
    middle, plain = 0.5 * (found[:-1] + found[1:]), np.zeros(found.size - 1, bool)
    for at, spacing in points:
        plain |= np.abs(middle - at) < AROUND[0] * spacing
    return found, plain


def fastest(s: np.ndarray, limited: list[Limited], top: np.ndarray, plain: np.ndarray) -> Profile:
    """The fastest motion from rest to rest; `top` are upper limits of x. s'' is constant in `plain` intervals."""
    if not any(one.bounds for one in limited):
        plain = np.ones_like(plain)
    x = np.zeros(s.size)
    damped = any(one.delta.any() for one in limited)
    for count in range(PROFILE_ROUNDS):
        last = x
        found = _solved(s, limited, top, last, plain)
        x = found.x
        if not damped or (count and np.abs(x - last).max() <= PROFILE_TOLERANCE * x.max()):
            return found
    raise SimulationError("the limits of plan_motion() depend too strongly on speed: the search does not settle")


def divided(s: np.ndarray) -> np.ndarray:
    """The ends of the parts of all intervals."""
    inside = np.linspace(0.0, 1.0, PARTS_OF_INTERVAL, endpoint=False)
    return np.append(s[:-1, None] + np.multiply.outer(np.diff(s), inside), s[-1])


def _solved(s: np.ndarray, limited: list[Limited], top: np.ndarray, last: np.ndarray, plain: np.ndarray) -> Profile:
    """The linear program in x, u, w and |u - w|, with delta s' linear about the x of the last solution."""
    ds = np.diff(s[::PARTS_OF_INTERVAL])
    count, size = ds.size, ds.size + 1
    scale = _scale(limited, top)
    x_start, x_end = (sp.diags_array([np.ones(count)], offsets=[k], shape=(count, size)) for k in (0, 1))
    one, none, flat = sp.eye_array(count), sp.csr_array((count, count)), sp.csr_array((count, size))
    step = sp.diags_array(ds)
    rows = [
        sp.hstack([x_end - x_start, -step, -step, none]),
        sp.hstack([flat, one, -one, one]),  # |u - w| is at least w - u
        sp.hstack([flat, -one, one, one]),
    ]
    zeros, free = np.zeros(count), np.full(count, np.inf)
    low, high = [zeros, zeros, zeros], [zeros, free, free]
    upper = top / scale
    bounded = [(quantity, *quantity.limits, *_about(quantity, last)) for quantity in limited if quantity.bounds]
    for part in range(PARTS_OF_INTERVAL + 1):
        sigma, k = part / PARTS_OF_INTERVAL, part + PARTS_OF_INTERVAL * np.arange(count)
        square = sp.hstack([x_start, (2.0 - sigma) * sigma * step, sigma**2 * step, none])
        push = sp.hstack([flat, (1.0 - sigma) * one, sigma * one, none])
        if 0 < part < PARTS_OF_INTERVAL:
            rows.append(square)
            low.append(zeros)
            high.append(upper[k])
        for quantity, lowest, highest, slope, constant in bounded:
            span = quantity.span
            rows.append(
                sp.diags_array(slope[k] * scale / span) @ square
                + sp.diags_array(quantity.alpha[k] * scale / span) @ push
            )
            low.append((lowest[k] - constant[k]) / span)
            high.append((highest[k] - constant[k]) / span)
    ends = upper[::PARTS_OF_INTERVAL].copy()
    ends[[0, -1]] = 0.0
    most = np.concatenate([ends, np.full(2 * count, np.inf), np.where(plain, 0.0, np.inf)])
    least = np.concatenate([np.zeros(size), np.full(2 * count, -np.inf), zeros])
    limits = LinearConstraint(sp.vstack(rows).tocsr(), np.concatenate(low), np.concatenate(high))
    cost = np.concatenate([-np.ones(size), np.zeros(2 * count), SMOOTHING_WEIGHT * ds])
    found = milp(cost, constraints=limits, bounds=Bounds(least, most))
    if found.status == 3:
        raise ModelError("no limit of plan_motion() bounds the speed along the path; state speeds=, or more forces=")
    if found.x is None:
        raise ModelError("no motion along the path stays within the limits of plan_motion(); raise them")
    return _profile(ds, *np.split(found.x * scale, [size, size + count, size + 2 * count])[:3])


def _profile(ds: np.ndarray, x: np.ndarray, start: np.ndarray, end: np.ndarray) -> Profile:
    """x and s'' at the ends of all parts, from x at the ends of intervals and s'' at the start and end of each."""
    sigma = np.linspace(0.0, 1.0, PARTS_OF_INTERVAL + 1)
    push = start[:, None] + np.multiply.outer(end - start, sigma)
    gain = np.multiply.outer(ds * start, 2.0 * sigma) + np.multiply.outer(ds * (end - start), sigma**2)
    square = np.append(x[:-1, None] + gain[:, :-1], x[-1])
    square[::PARTS_OF_INTERVAL] = x
    after = np.append(push[:, :-1], push[-1, -1])
    before = np.insert(push[:, 1:], 0, push[0, 0])
    return Profile(np.maximum(square, 0.0), after, before)


def _about(quantity: Limited, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """beta and gamma with delta s' = delta (root + x / root) / 2 about the last solution, root = s'."""
    slope, constant = quantity.beta.copy(), quantity.gamma.copy()
    if last.any():
        moving = last > 0.0
        root = np.sqrt(np.maximum(last, MIN_PATH_SPEED * float(last.max())))
        slope[moving] += 0.5 * (quantity.delta / root)[moving]
        constant[moving] += 0.5 * (quantity.delta * root)[moving]
    return slope, constant


def _scale(limited: list[Limited], top: np.ndarray) -> float:
    """A typical x, which scales the program."""
    sizes = [float(value) for value in top[1:-1].min(initial=np.inf, keepdims=True) if np.isfinite(value)]
    for one in limited:
        span, most = one.high - one.low, float((np.abs(one.alpha) + np.abs(one.beta)).max())
        if np.isfinite(span) and most > 0.0:
            sizes.append(span / most)
    return min(sizes, default=1.0)


def times_of(s: np.ndarray, profile: Profile) -> np.ndarray:
    """The times at which each s is passed: the integral of ds / s'.

    In an interval x = r + c sigma (1 - sigma) with r linear in sigma. Over sqrt(r), of which the integral of
    1 / sqrt(r) is a linear function, the rest is smooth, also where x = 0 at one end: Gauss's formula integrates it.
    """
    rate = np.sqrt(profile.x)
    a, b = rate[:-1], rate[1:]
    if not (a + b > 0.0).all():
        k = int(np.argmin(a + b))
        raise ModelError(
            f"the limits of plan_motion() allow no motion at {100 * s[k]:.3g} % of the path; raise them there"
        )
    bend = np.diff(s) * (profile.after[:-1] - profile.before[1:])
    nodes, weights = np.polynomial.legendre.leggauss(6)
    mean = np.zeros(a.size)
    for node, weight in zip(0.5 * (1.0 + nodes), 0.5 * weights, strict=True):
        sigma = node * (2.0 * a + node * (b - a)) / (a + b)
        r = (a + node * (b - a)) ** 2
        mean += weight * np.sqrt(r / np.maximum(r + bend * sigma * (1.0 - sigma), 1e-3 * r))
    return np.concatenate([[0.0], np.cumsum(np.diff(s) * mean * 2.0 / (a + b))])


RISES = {  # rise from 0 to 1: two derivatives vanish at both ends for "quintic", three for "septic"
    "quintic": (0.0, 0.0, 0.0, 10.0, -15.0, 6.0),
    "septic": (0.0, 0.0, 0.0, 0.0, 35.0, -84.0, 70.0, -20.0),
}


def rise(profile: str, tau: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """s and three derivatives with respect to tau."""
    p = np.polynomial.Polynomial(RISES[profile])
    return p(tau), p.deriv(1)(tau), p.deriv(2)(tau), p.deriv(3)(tau)


def place_of(profile: str, s: float) -> float:
    """The tau at which a profile reaches s."""
    return s if s in (0.0, 1.0) else float(brentq(lambda tau: float(rise(profile, tau)[0]) - s, 0.0, 1.0, xtol=1e-15))


def shortest(
    limited: list[Limited],
    first: np.ndarray,
    second: np.ndarray,
    top: np.ndarray,
    jerks: list[tuple[np.ndarray, np.ndarray]],
) -> float:
    """The shortest duration for s_tau = `first` and s_tautau = `second`; `jerks` are values for T = 1 and limits."""
    fastest = np.inf  # the largest 1 / T
    moving = first > 0.0
    fastest = min(fastest, float(np.min(np.sqrt(top[moving]) / first[moving], initial=np.inf)))
    for one in limited:
        square = one.alpha * second + one.beta * first**2
        low, high = one.limits
        for sign, limit in ((1.0, high), (-1.0, -low)):
            if np.isfinite(limit).all():
                room = np.maximum(limit - sign * one.gamma, 0.0)
                fastest = min(fastest, float(_first_root(sign * square, sign * one.delta * first, room).min()))
    for values, limit in jerks:
        size = np.abs(values)
        fastest = min(fastest, float(np.cbrt(limit[size > 0.0] / size[size > 0.0]).min(initial=np.inf)))
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
