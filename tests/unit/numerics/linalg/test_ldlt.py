"""Sparse L D L^T against dense NumPy, and the two systems on which careless orders break down."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from cardan.numerics.linalg import ldlt
from cardan.numerics.linalg.ordering import elimination_order


class System:
    """[[W, J^T], [J, -E]] with diagonal W and E, factorized in a given order."""

    def __init__(self, W, J, E, order) -> None:
        W, J, E = np.asarray(W, float), np.asarray(J, float), np.asarray(E, float)
        nr, nc = J.shape
        self.dense = np.block([[np.diag(W), J.T], [J, -np.diag(E)]])
        self.order = np.asarray(order, int)
        r, c = np.nonzero(J)
        rows = np.concatenate((np.arange(nc + nr), nc + r))
        cols = np.concatenate((np.arange(nc + nr), c))
        self.pattern, slots = ldlt.analyze(nc + nr, rows, cols, order)
        self.values = np.zeros(ldlt.values_size(self.pattern))
        np.add.at(self.values, slots, np.concatenate((W, -E, J[r, c])))
        self.L, self.D, self.work = np.zeros(self.pattern.Li.size), np.zeros(nc + nr), np.zeros(nc + nr)

    def factor(self) -> int:
        return ldlt.factor(self.pattern, self.values, self.L, self.D, self.work)

    def factor_rank(self, testable, tolerance=1e-12):
        """`testable` and the answer in original numbering."""
        dropped = np.zeros(self.order.size, np.uint8)
        flags = np.asarray(testable, np.uint8)[self.order]
        count = ldlt.factor_rank(self.pattern, self.values, self.L, self.D, self.work, flags, tolerance, dropped)
        return count, sorted(self.order[dropped == 1])

    def solve(self, b):
        x = np.asarray(b, float)[self.order]
        ldlt.solve(self.pattern, self.L, self.D, x)
        solution = np.empty_like(x)
        solution[self.order] = x
        return solution

    def pivots(self):
        return 1.0 / self.D


def random_system(seed: int, penalty: float = 0.0) -> System:
    """Twelve units of three coordinates, chained by tree rows, with loops between random pairs."""
    rng = np.random.default_rng(seed)
    units = [range(3 * u, 3 * u + 3) for u in range(12)]
    blocks = [((2 * u, 2 * u + 1), (u - 1, u)) for u in range(12)]
    blocks += [((24 + k,), tuple(int(u) for u in rng.choice(12, 2, replace=False))) for k in range(6)]
    tree = [*range(12), *[-1] * 6]
    J = np.zeros((30, 36))
    for rows, touched in blocks:
        for row in rows:
            for u in touched:
                J[row, list(units[u]) if u >= 0 else []] = rng.uniform(0.2, 1, 3 if u >= 0 else 0) * rng.choice((-1, 1))
    for u in range(12):  # full rank in the unit's own columns
        J[2 * u : 2 * u + 2, 3 * u : 3 * u + 2] = [[2.0, 0.1], [-0.1, 2.0]]
    return System(rng.uniform(0.5, 2, 36), J, np.full(30, penalty), elimination_order(units, blocks, tree))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("penalty", [0.0, 1e-3])
def test_solution_equals_that_of_the_dense_matrix(seed, penalty):
    system = random_system(seed, penalty)
    b = np.random.default_rng(100 + seed).standard_normal(66)
    assert system.factor() == 0
    assert not system.work.any()  # left clean for the next factorization
    # without pivoting the error grows with the pivots' range, here at most 1e3; 1e-16 times that and the condition
    assert system.solve(b) == pytest.approx(np.linalg.solve(system.dense, b), rel=1e-9, abs=1e-10)


def test_signs_of_the_pivots_are_the_inertia():
    """Sylvester: 36 positive and 30 negative, as W > 0 and J has full rank."""
    system = random_system(0)
    system.factor()
    assert (system.pivots() > 0).sum() == 36 and (system.pivots() < 0).sum() == 30


def test_multiply():
    system = random_system(1)
    x = np.random.default_rng(1).standard_normal(66)
    y = np.full(66, np.nan)  # what was there before does not matter
    ldlt.multiply(system.pattern, system.values, x[system.order], y)
    assert y == pytest.approx((system.dense @ x)[system.order], abs=1e-14)


def test_factors_multiply_to_the_matrix():
    system = random_system(2)
    system.factor()
    L = np.eye(66)
    for j in range(66):
        own = slice(system.pattern.Lp[j], system.pattern.Lp[j + 1])
        L[system.pattern.Li[own], j] = system.L[own]
    permuted = system.dense[np.ix_(system.order, system.order)]
    assert L @ np.diag(system.pivots()) @ L.T == pytest.approx(permuted, abs=1e-12)


def test_contributions_add_up_and_those_of_ground_vanish():
    rows, cols = [0, 1, 0, 1, 0, -1, 1], [0, 1, 1, 0, 0, 1, -1]
    pattern, slots = ldlt.analyze(2, rows, cols, [1, 0])
    values = np.zeros(ldlt.values_size(pattern))
    np.add.at(values, slots, [1.0, 2.0, 3.0, 4.0, 5.0, 100.0, 100.0])
    assert list(values[:-1]) == [2.0, 6.0, 7.0]  # K[1, 1], K[0, 0], K[0, 1]
    assert slots.dtype == np.uint32 and all(a.dtype == np.uint32 for a in pattern)


def two_bars(angle: float) -> np.ndarray:
    """Bars from one pin of body 1 (at its origin) to two pins of body 2, an angle apart: rows in six coordinates."""
    rows = []
    for a, lever in ((0.0, -1.0), (angle, 1.0)):
        c, s = np.cos(a), np.sin(a)
        rows.append([c, s, 0.0, -c, -s, lever])
    return np.array(rows)


@pytest.mark.parametrize("angle", [0.1, 1e-4, 0.0])
def test_two_bars_from_one_pin(angle):
    """After one body the second bar's pivot vanishes with the angle, as sin^2; after both it does not.

    With W = I, J J^T = [[3, 2 cos a - 1], [2 cos a - 1, 3]]: second pivot 3 - (2 cos a - 1)^2 / 3, at a = 0 still 8/3.
    """
    J = two_bars(angle)
    hasty = System(np.ones(6), J, np.zeros(2), [0, 1, 2, 6, 7, 3, 4, 5])
    assert (hasty.factor() == 5) == (angle == 0.0)  # unknown 4, the second bar: zero pivot
    if angle:
        assert hasty.pivots()[4] == pytest.approx(-(np.sin(angle) ** 2), rel=1e-6)
    order = elimination_order([range(3), range(3, 6)], [([0], (0, 1)), ([1], (0, 1))], [-1, -1])
    safe = System(np.ones(6), J, np.zeros(2), order)
    assert safe.factor() == 0
    assert safe.pivots()[7] == pytest.approx(-(3 - (2 * np.cos(angle) - 1) ** 2 / 3), rel=1e-12)


def test_massless_coordinate():
    """Mass on a curve: rows x - u, y - 0.7 u, W = diag(1, 1, 0). Coordinates first: 1, 1, 0.
    Mass, rows, then u: 1, 1, -1, -1, and 1 + 0.7^2 = 1.49."""
    J = [[1, 0, -1], [0, 1, -0.7]]
    assert System([1, 1, 0], J, [0, 0], [0, 1, 2, 3, 4]).factor() == 1 + 2
    order = elimination_order([[0, 1], [2]], [([0, 1], (0, 1))], [-1], massless=[1])
    system = System([1, 1, 0], J, [0, 0], order)
    assert system.factor() == 0
    assert system.pivots() == pytest.approx([1, 1, -1, -1, 1.49], rel=1e-15)


def test_dependent_rows_are_dropped_and_do_not_matter():
    """Rows 2 and 3 repeat rows 0 and 1: the same motion as without them, and no multiplier for them."""
    rng = np.random.default_rng(3)
    J = rng.standard_normal((2, 5))
    twice = np.vstack((J, J[0] + 2 * J[1], -J[1]))
    b = rng.standard_normal(5)
    system = System(np.ones(5), twice, np.zeros(4), range(9))
    assert system.factor_rank([0] * 5 + [1] * 4) == (2, [7, 8])
    assert not system.work.any()
    x = system.solve([*b, 0, 0, 0, 0])
    once = np.block([[np.eye(5), J.T], [J, np.zeros((2, 2))]])
    assert x[:7] == pytest.approx(np.linalg.solve(once, [*b, 0, 0]), abs=1e-13)
    assert list(x[7:]) == [0.0, 0.0]


def test_a_zero_pivot_that_may_not_be_dropped_is_told():
    system = System([1.0], [[1.0], [1.0]], [0.0, 0.0], range(3))
    assert system.factor_rank([0, 0, 0])[0] == -1 - 2
    assert system.factor_rank([0, 0, 1]) == (1, [2])


def test_penalty_makes_redundant_rows_regular():
    """E = 1/r: nothing is dropped, and both copies of a row carry half of its multiplier."""
    J = np.array([[1.0, 2.0], [1.0, 2.0]])
    system = System([1.0, 1.0], J, [1e-6, 1e-6], range(4))
    assert system.factor_rank([0, 0, 1, 1]) == (0, [])
    x = system.solve([1.0, 1.0, 0.0, 0.0])
    # cancellation in the second pivot, 1e-6 of its terms, costs six of sixteen digits
    assert x == pytest.approx(np.linalg.solve(system.dense, [1.0, 1.0, 0.0, 0.0]), rel=1e-9)
    assert x[2] == pytest.approx(x[3], rel=1e-9)


SMALL_CASE = """
import json
import numpy as np
from cardan.numerics.linalg import ldlt
rows, cols, values = [0, 1, 2, 3, 3, 3, 4, 4, 4], [0, 1, 2, 0, 1, 3, 1, 2, 4], [2, 3, 4, 1, -1, 0, 2, .5, -.1]
pattern, slots = ldlt.analyze(5, rows, cols, [0, 2, 1, 3, 4])
v = np.zeros(ldlt.values_size(pattern))
np.add.at(v, slots, values)
L, D, work, dropped = np.zeros(pattern.Li.size), np.zeros(5), np.zeros(5), np.zeros(5, np.uint8)
status = ldlt.factor(pattern, v, L, D, work)
x = np.arange(1., 6.)
ldlt.solve(pattern, L, D, x)
y = np.zeros(5)
ldlt.multiply(pattern, v, x, y)
count = ldlt.factor_rank(pattern, v, L, D, work, np.ones(5, np.uint8), 1e-12, dropped)
print(json.dumps([status, count, *x, *y]))
"""


def test_the_same_code_runs_uncompiled():
    """Fused multiply-adds of the compiled code may change the last digits, no more."""
    answers = []
    for disabled in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled}
        answers.append(json.loads(subprocess.check_output([sys.executable, "-c", SMALL_CASE], env=environment)))
    compiled, plain = answers
    assert compiled == pytest.approx(plain, rel=1e-14)
    assert compiled[:2] == [0, 0]
    assert compiled[7:] == pytest.approx([1, 2, 3, 4, 5], rel=1e-13)
