"""The one policy of rank: balanced columns, unit rows, lengths before terms cancel."""

import numpy as np
import pytest

from cardan.numerics.linalg.rank import (
    ROW_NOISE,
    SINE,
    SQUARE,
    balanced_columns,
    independent_rows,
    null_space,
    truncated,
)


def test_squares_are_limited_where_both_errors_are_alike():
    """1e-16 / SQUARE of a row that is kept, SQUARE of one that is dropped. Decisions by sines and by squares agree."""
    assert SQUARE == pytest.approx(np.sqrt(np.finfo(float).eps), rel=0.5)
    assert np.sqrt(SQUARE) == pytest.approx(SINE)


def test_balanced_columns_bring_all_entries_near_one():
    """Rows and columns with any factors: what is left of the entries of a matrix of ones is 1."""
    random = np.random.default_rng(1)
    rows, columns = (part.ravel() for part in np.indices((5, 4)))
    a, b = 10.0 ** random.uniform(-3, 3, 5), 10.0 ** random.uniform(-3, 3, 4)
    values = a[rows] * b[columns]
    found = balanced_columns(rows, columns, values, 1.0 / b)
    ratio = found * b
    assert ratio == pytest.approx(np.full(4, ratio[0]), rel=1e-9)


def test_tiny_entries_do_not_take_part():
    rows, columns = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    found = balanced_columns(rows, columns, np.array([1.0, 2.0, 1.0, 1e-16]), np.ones(2))
    assert found[0] / found[1] == pytest.approx(2.0, rel=1e-9)


def test_columns_of_a_group_keep_their_proportions():
    rows, columns = np.array([0, 0, 1]), np.array([0, 2, 1])
    found = balanced_columns(rows, columns, np.array([1.0, 1e3, 5.0]), np.array([1.0, 2.0, 1.0]), [0, 0, 1])
    assert found[1] / found[0] == pytest.approx(2.0, rel=1e-12)


def test_a_row_that_is_rounding_is_no_equation():
    """Compared with its own length it would be one; compared with the terms that cancelled it is none."""
    J = np.array([[1.0, 0.0], [0.0, 1e-16]])
    assert independent_rows(J).size == 2
    assert independent_rows(J, size=[1.0, 1.0]).tolist() == [0]
    assert independent_rows(1e-16 * J, size=[1.0, 1.0]).size == 0
    assert null_space(1e-16 * J, size=[1.0, 1.0]).shape == (2, 2)


@pytest.mark.parametrize("sine, rank", [(2e-4, 2), (1e-6, 1)])
def test_units_of_rows_and_columns_do_not_matter(sine, rank):
    J = np.array([[1.0, 0.0, 0.0], [np.sqrt(1.0 - sine**2), sine, 0.0]])
    units = np.array([1e6, 1e-6, 1.0])
    assert independent_rows(np.array([[1e9], [1e-9]]) * J / units, scale=units).size == rank
    free = null_space(J / units, scale=units)
    assert free.shape == (3, 3 - rank)
    assert free.T @ free == pytest.approx(np.eye(3 - rank), abs=1e-14)


def test_truncated_rows_depend_exactly():
    """Three rows of rank 2, the third off by 1e-7; singular values are zero to rounding or of the order of one."""
    J = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [3.0, 2.0, 1e-7]])
    unit, lengths = truncated(J)
    sizes = np.linalg.svd(unit, compute_uv=False)
    assert sizes[2] < ROW_NOISE and sizes[1] > 0.1
    assert lengths[:, None] * unit == pytest.approx(J, abs=1e-6)
    empty, _ = truncated(1e-17 * J, size=np.ones(3))
    assert not empty.any()


def test_without_rows_everything_is_free():
    assert independent_rows(np.zeros((0, 3))).size == 0
    assert null_space(np.zeros((0, 3))).shape == (3, 3)
