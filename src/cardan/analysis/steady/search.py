"""Newton's method for steady motions, and the analysis of its result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cardan.analysis.progress import Progress
from cardan.analysis.steady.balance import Balance, BalancePoint
from cardan.errors import SimulationError
from cardan.numerics.linalg.rank import FREE_PIVOT, ROW_NOISE

SEARCH_ITERATIONS = 60
MAX_SEARCH_STEP = 0.5  # largest step, in model lengths or rad
ALMOST_BALANCED = 1e-8  # allowed imbalance where no step reduces it
ESTIMATE_WEIGHT = 1e-3  # weight of given velocities in the first estimate, relative to the equations
STEP_HALVINGS = 25
STEPS_WITHOUT_PROGRESS = 8  # number of steps in which the error must decrease by a tenth


@dataclass
class Ending:
    """The result of a search."""

    point: BalancePoint
    multipliers: np.ndarray
    residual: np.ndarray
    matrix: np.ndarray
    converged: bool
    iterations: int

    @property
    def error(self) -> float:
        return float(np.abs(self.residual).max(initial=0.0))


def search(
    balance: Balance, q: np.ndarray, p: np.ndarray, tolerance: float, bar: Progress, daring: bool = True
) -> Ending:
    """The steady motion near positions q and unknowns p.

    Steps are first shortened until the imbalance decreases. If that ends in a local minimum, full steps are taken if
    the search is `daring`.
    """
    turns = balance.machine.reference.copy()
    endings = []
    for bold in (False, True)[: 1 + daring]:
        balance.machine.reference[:] = turns
        endings.append(_walk(balance, q, p, tolerance, bold, bar))
        if endings[-1].converged:
            return endings[-1]
    return min(endings, key=lambda ending: ending.error)


def _walk(balance: Balance, q: np.ndarray, p: np.ndarray, tolerance: float, bold: bool, bar: Progress) -> Ending:
    now, missed = _weighed(balance, q, p), []
    for k in range(SEARCH_ITERATIONS):
        bar.show(k)
        missed.append(now.missed)
        if now.error <= tolerance:  # relative to the initial forces, which may have been much larger
            now = _weighed(balance, now.point.q, now.point.p)
        matrix = balance.matrix(now.point, now.multipliers)
        matrix, across, along = _balanced(balance, matrix)
        step = balance.step(matrix, now.residual / along, now.point.q, FREE_PIVOT, across)[
            : -now.multipliers.size or None
        ]
        stuck = not bold and k >= STEPS_WITHOUT_PROGRESS and now.missed > 0.9 * missed[-1 - STEPS_WITHOUT_PROGRESS]
        following = None if now.error <= tolerance or stuck else _next(balance, now, step, bold)
        if following is None:
            near = now.error <= max(tolerance, ALMOST_BALANCED)
            now = (_next(balance, now, step, False) if near else None) or now  # one more step, which is free
            return Ending(now.point, now.multipliers, now.residual, matrix, near, k)
        now = following
        balance.remember(now.point)
    matrix = _balanced(balance, balance.matrix(now.point, now.multipliers))[0]
    return Ending(now.point, now.multipliers, now.residual, matrix, False, SEARCH_ITERATIONS)


def _balanced(balance: Balance, matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The matrix with states of devices scaled by their effects, and their equations by their causes; and these units
    of its columns and rows. Idle states are unchanged."""
    n, states, conditions = balance.system.coordinates, balance.moving.size, len(balance.asked.conditions)
    across, along = np.ones(matrix.shape[1]), np.ones(matrix.shape[0])
    first, behind = n + balance.unknowns - states, matrix.shape[0] - conditions
    mine, own = slice(first, first + states), slice(behind - states, behind)
    across[mine] = np.abs(matrix[:n, mine]).max(axis=0, initial=0.0)
    across[across == 0.0] = 1.0
    along[own] = np.abs(matrix[own] / across).max(axis=1, initial=0.0)
    along[along == 0.0] = 1.0
    matrix = matrix / across / along[:, None]
    matrix[:, first + np.flatnonzero(balance.idle)] = 0.0
    return matrix, across, along


def _weighed(balance: Balance, q: np.ndarray, p: np.ndarray) -> _Place:
    """The position, with its forces scaled by those that act there."""
    balance.weigh(balance.at(q, p))
    return _Place(balance, q, p)


class _Place:
    """The current state of a search."""

    def __init__(self, balance: Balance, q: np.ndarray, p: np.ndarray) -> None:
        self.point = balance.at(q, p)
        self.multipliers = balance.multipliers(self.point)
        self.residual = balance.residual(self.point, self.multipliers)
        self.missed = float(np.linalg.norm(self.residual))
        self.error = float(np.abs(self.residual).max(initial=0.0))


def _next(balance: Balance, now: _Place, step: np.ndarray, bold: bool) -> _Place | None:
    """The closed position after a step, or after a part of it with a smaller error; None if there is none."""
    n = step.size - now.point.p.size
    step = step * min(1.0, MAX_SEARCH_STEP / max(float(np.abs(step[:n]).max(initial=0.0)), 1e-300))
    for _ in range(STEP_HALVINGS):
        p = now.point.p + step[n:] * balance.steps
        trial = _tried(balance, balance.stepped(now.point.q, step[:n]), p)
        if trial is not None and (trial.missed < now.missed or (bold and now.missed > ALMOST_BALANCED)):
            return trial
        step = 0.5 * step
    return None


def _tried(balance: Balance, q: np.ndarray, p: np.ndarray) -> _Place | None:
    """The closed position near q; None if the joints do not close or a force has no value."""
    closed = balance.reclosed(q, p)
    try:
        return None if closed is None else _Place(balance, closed, p)
    except SimulationError:
        return None


def estimate(balance: Balance, q: np.ndarray, stated: np.ndarray) -> np.ndarray:
    """Initial unknowns: rates required by wheels and drivers, otherwise those of the given velocities `stated`.

    An unknown spin is the one of several trial values with the least imbalance.
    """
    states = balance.system.states.start[balance.moving]
    values = [*(free.stated for free in balance.asked.free), *states]
    count = balance.unknowns - len(values)
    p = np.concatenate([_rates(balance, q, stated, np.zeros(count)), values])
    balance.weigh(balance.at(q, p))
    if balance.asked.spin is not None or abs(p[0]) > 1e-6 * balance.pace:
        return p
    pace, tried = balance.pace, []
    scale = pace * np.geomspace(0.05, 50.0, 46)
    for spin in (*scale, *-scale):
        first = np.zeros(count)
        first[0] = spin
        first[1:] = _rates(balance, q, stated, first, held=1)[1:]
        trial = np.concatenate([first, values])
        point = balance.at(q, trial)
        balance.weigh(point)
        missed = float(np.linalg.norm(balance.residual(point, balance.multipliers(point))))
        tried.append((missed, trial))
    return min(tried, key=lambda pair: pair[0])[1]


def _rates(balance: Balance, q: np.ndarray, stated: np.ndarray, known: np.ndarray, held: int = 0) -> np.ndarray:
    """Spin and rates from J v = nu; if not unique, nearest to the given velocities."""
    states = balance.system.states.start[balance.moving]
    values = [*(free.stated for free in balance.asked.free), *states]
    base = balance.at(q, np.concatenate([known, values]))
    if known.size == held:
        return known
    unit, first = np.append(np.ones(balance.system.width), balance.unit), balance.system.width
    rows, pulled = [], []
    for k in range(held, known.size):
        moved = known.copy()
        moved[k] += 1.0
        more = balance.at(q, np.concatenate([moved, values]))
        rows.append(more.slip - base.slip)
        pulled.append(((more.v - base.v) / unit)[first:])
    left = np.concatenate([-base.slip, ESTIMATE_WEIGHT * ((stated - base.v) / unit)[first:]])
    matrix = np.concatenate([np.array(rows).T, ESTIMATE_WEIGHT * np.array(pulled).T])
    found = known.copy()
    found[held:] += np.linalg.lstsq(matrix, left, rcond=ROW_NOISE)[0]
    return found


def open_directions(balance: Balance, ending: Ending) -> np.ndarray:
    """Displacements and changes of the unknowns, one row each, along which the motion stays steady, without rotations
    of the whole and phases of spinning parts, which change nothing.
    """
    n, count = balance.system.coordinates, ending.point.p.size
    _, sizes, directions = np.linalg.svd(ending.matrix)
    rank = int(np.sum(sizes > FREE_PIVOT * sizes[0]))
    null = directions[rank:, : n + count]
    lines = balance.twist.harmless(ending.point.q)[:, balance.system.width :] / balance.unit
    lines /= np.maximum(np.linalg.norm(lines, axis=1), 1e-300)[:, None]
    basis = _orthonormal(np.concatenate([lines, np.zeros((len(lines), count))], axis=1))
    return _orthonormal(null - (null @ basis.T) @ basis)


def _orthonormal(lines: np.ndarray) -> np.ndarray:
    _, sizes, found = np.linalg.svd(lines, full_matrices=False)
    return np.asarray(found[sizes > 1e-4 * max(1.0, float(sizes.max(initial=0.0)))])


def lasting(balance: Balance, point: BalancePoint) -> tuple[float, int]:
    """The rate at which balance is lost along the motion, relative to forces and speed, and the coordinate with
    most."""
    h = 1e-4 / balance.pace
    sides = []
    for sign in (h, -h):
        there = balance.at(balance.moved(point.q, sign * point.v[balance.system.width :] / balance.unit), point.p,
                           balance.time + sign)  # fmt: skip
        sides.append((there.J.T @ balance.multipliers(there) - there.force) / balance.size)
    lost = np.abs(sides[0] - sides[1]) / (2.0 * h * balance.pace)
    return float(lost.max(initial=0.0)), int(np.argmax(lost))
