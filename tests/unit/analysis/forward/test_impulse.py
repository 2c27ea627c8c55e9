"""Impulses of contacts that strike together, against those found by hand."""

import numpy as np
import pytest

from cardan.analysis.forward.events.impulse import find_impulses, impulse_tables

ALONE = np.array([-1])


def impulses(
    A: np.ndarray, b: np.ndarray, wanted: np.ndarray, mu: np.ndarray, slides: np.ndarray, slow: float = 0.0
) -> np.ndarray | None:
    """The impulses p of m contacts followed by those along their surfaces; None if there is no solution.

    `wanted` and `mu` are given for each contact; `slides[i]` is the index of contact i among the speeds along surfaces,
    starting at m, or -1. Speeds below `slow` are ignored.
    """
    tables = impulse_tables(wanted.size, b.size)
    for mine, given in ((tables.A, A), (tables.b, b), (tables.wanted, wanted), (tables.friction, mu)):
        mine[...] = given
    tables.slides[:] = slides
    return tables.p.copy() if find_impulses(tables, slow) else None


def test_one_contact():
    """1 kg at 2 m/s, e = 0.5: p = 1 (1 + e) 2."""
    assert impulses(np.eye(1), np.array([-2.0]), np.array([1.0]), np.zeros(1), ALONE) == pytest.approx([3.0])


def test_a_contact_that_parts_gets_none():
    assert impulses(np.eye(1), np.array([2.0]), np.zeros(1), np.zeros(1), ALONE).tolist() == [0.0]


def test_the_other_end_of_a_rod_lifts():
    """A rod (m = 1, l = 2, J = 1/3) strikes with its right end while the left one rests: A = 1/m + (+-1)(+-1)/J. It
    would have to be pulled down at the left, which nothing does."""
    A = np.array([[4.0, -2.0], [-2.0, 4.0]])
    p = impulses(A, np.array([0.0, -1.0]), np.zeros(2), np.zeros(2), np.array([-1, -1]))
    assert p == pytest.approx([0.5 * p[1], p[1]]) or p[0] == 0.0  # pressed if that is needed, never pulled
    u = np.array([0.0, -1.0]) + A @ p
    assert (p >= 0).all() and (u > -1e-12).all() and p @ u == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_complementarity(seed):
    """p >= 0, u >= u*, p (u - u*) = 0 for random masses, contacts that depend on each other included."""
    random = np.random.default_rng(seed)
    G = random.standard_normal((8, 5 + seed % 6))
    v = random.standard_normal(G.shape[1])
    A, b = G @ G.T, G @ v
    p = impulses(A, b, np.zeros(8), np.zeros(8), np.full(8, -1))
    u = b + A @ p
    assert p.min() > -1e-7 and u.min() > -1e-7 and abs(p @ u) < 1e-7


@pytest.mark.parametrize(("mu", "along"), [(0.1, -0.54), (1.0, -1.0)])
def test_friction_of_a_point(mu, along):
    """A point of 1 kg at (1, -3) m/s, e = 0.8: p = 5.4; sliding goes on with mu p, or it ends."""
    p = impulses(np.eye(2), np.array([-3.0, 1.0]), np.array([2.4]), np.array([mu]), np.array([1]))
    assert p == pytest.approx([5.4, along])
