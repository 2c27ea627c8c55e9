"""Least squares against singular values, where equations depend on each other and where they do not."""

import numpy as np
import pytest

from cardan.numerics.linalg.least_squares import least_squares


@pytest.mark.parametrize("shape", [(9, 6), (6, 9), (7, 7)])
@pytest.mark.parametrize("rank", [3, 6])
def test_the_shortest_of_all_solutions(shape, rank):
    """A = U V of the rank stated; numpy's solution by singular values is the shortest one."""
    random = np.random.default_rng(0)
    A = random.normal(size=(shape[0], rank)) @ random.normal(size=(rank, shape[1]))
    b = random.normal(size=shape[0])
    assert least_squares(A, b, 1e-10) == pytest.approx(np.linalg.lstsq(A, b, rcond=1e-10)[0], rel=1e-9)


def test_what_counts_as_nothing():
    """diag(1, 1e-9): of the second equation nothing is heeded above 1e-9, all of it below."""
    A, b = np.diag([1.0, 1e-9]), np.array([1.0, 1e-9])
    assert least_squares(A, b, 1e-8).tolist() == [1.0, 0.0]
    assert least_squares(A, b, 1e-10) == pytest.approx([1.0, 1.0])


def test_without_equations_or_unknowns():
    assert least_squares(np.zeros((0, 3)), np.zeros(0), 1e-8).tolist() == [0.0, 0.0, 0.0]
    assert least_squares(np.zeros((3, 0)), np.ones(3), 1e-8).tolist() == []
