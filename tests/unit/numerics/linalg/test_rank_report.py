"""Rank, canonical redundant rows and free coordinates, by QR and by the sparse factorization alike."""

from __future__ import annotations

import time

import numpy as np
import pytest
import scipy.sparse as sp

from cardan.numerics.linalg.rank_report import NULL_SPACE_LIMIT, Structure, null_space, rank_report

BOTH = pytest.mark.parametrize("dense", [True, False], ids=["qr", "sparse"])


def structure(system) -> Structure:
    return Structure(system.units, system.row_blocks, system.tree)


def rows_of(report) -> list[int]:
    return [item.row for item in report.redundant]


def check_combinations(J, report, tolerance=1e-9) -> None:
    J = J.toarray() if sp.issparse(J) else np.asarray(J)
    redundant = set(rows_of(report))
    for row, rows, coefficients in report.redundant:
        assert not redundant & set(rows.tolist())
        assert coefficients @ J[rows] == pytest.approx(J[row], abs=tolerance * np.abs(J[row]).max())


@BOTH
def test_textbook_rank(dense):
    """Haug, example 4.4.4: rank 2; the third row is twice the first plus the second."""
    J = np.array([[1, 0, 2, 1, 4], [1, 1, 2, 0, 3], [3, 1, 6, 2, 11]], float)
    report = rank_report(J, dense=dense)
    assert (report.rank, report.nullity, report.independent.size) == (2, 3, 3)
    (found,) = report.redundant
    assert found.row == 2 and list(found.rows) == [0, 1]
    assert found.coefficients == pytest.approx([2, 1], rel=1e-12)


@BOTH
@pytest.mark.parametrize("seed", range(6))
def test_planted_redundancies_are_named_canonically(seed, dense):
    """Rows 5, 11 and 17 of 18 combine earlier ones: they, and no others, whatever their scale."""
    rng = np.random.default_rng(seed)
    J = rng.standard_normal((18, 24)) * (rng.random((18, 24)) < 0.3) + np.eye(18, 24)
    J *= 10.0 ** rng.uniform(-3, 3, (18, 1))
    J[5] = 2 * J[1] - 3 * J[4]
    J[11] = J[0] + J[10]
    J[17] = J[5] + J[16] - J[2]
    report = rank_report(J, dense=dense)
    assert rows_of(report) == [5, 11, 17]
    check_combinations(J, report)
    assert [list(item.rows) for item in report.redundant] == [[1, 4], [0, 10], [1, 2, 4, 16]]


@BOTH
def test_the_order_of_statement_decides(dense):
    """Of rows a, b, a + b each may be the redundant one: always the last stated."""
    J = np.array([[1.0, 0, 0], [0, 1, 0], [1, 1, 0]])
    for last in range(3):
        key = np.zeros(3)
        key[last] = 1.0
        assert rows_of(rank_report(J, key, dense=dense)) == [last]


@BOTH
def test_vanishing_and_repeated_rows(dense):
    J = np.array([[1.0, 2, 0], [0, 0, 0], [-3, -6, 0]])
    report = rank_report(J, dense=dense)
    zero, repeated = report.redundant
    assert zero.row == 1 and zero.rows.size == 0
    assert repeated.row == 2 and list(repeated.rows) == [0] and repeated.coefficients == pytest.approx([-3])


@BOTH
@pytest.mark.parametrize("sine, rank", [(1e-5, 2), (1e-7, 1)])
def test_the_tolerance_is_a_sine(sine, rank, dense):
    """Two rows an angle of 1e-5 or 1e-7 apart, the default tolerance being 1e-6."""
    J = np.array([[1.0, 0, 0], [np.sqrt(1 - sine**2), sine, 0]]) * [[1.0], [1e4]]
    assert rank_report(J, dense=dense).rank == rank


@BOTH
def test_nearly_dependent_rows_are_told_among_themselves(dense):
    """Three rows within 1e-3 of the first span one further direction: two of four are redundant."""
    J = np.array([[1, 0, 0], [1, 1e-3, 0], [1, 2e-3, 0], [1, -1e-3, 0]])
    report = rank_report(J, dense=dense)
    assert rows_of(report) == [2, 3]
    check_combinations(J, report)
    assert list(report.independent) == [2]


def test_weights_make_columns_comparable():
    """A row whose only difference is an angle's entry of 1e-8 per meter, in a model of 1e-2 m and one of 1e4 m."""
    J = np.array([[1.0, 0.0], [1.0, 1e-8]])
    assert rank_report(J, weights=[1.0, 1e-2]).rank == 1
    assert rank_report(J, weights=[1.0, 1e4]).rank == 2


@pytest.mark.parametrize("kind, options", [
    ("ladder", {"cells": 12}),
    ("ladder", {"cells": 12, "couplers": 2}),
    ("ladder", {"cells": 12, "couplers": 3}),
    ("ladder", {"cells": 12, "angle": 0.0}),
    ("mesh", {"side": 12}),
])  # fmt: skip
def test_both_ways_agree(pinned, kind, options):
    system = pinned[kind](**options)
    J = system.jacobian
    dense = rank_report(J, dense=True)
    sparse = rank_report(J, structure=structure(system), dense=False)
    loose = rank_report(J, dense=False)
    assert dense.rank == np.linalg.matrix_rank(J.toarray())
    assert rows_of(dense) == rows_of(sparse) == rows_of(loose)
    assert list(dense.independent) == list(sparse.independent) == list(loose.independent)
    for one, other in zip(dense.redundant, sparse.redundant, strict=True):
        assert list(one.rows) == list(other.rows)
        assert one.coefficients == pytest.approx(other.coefficients, abs=1e-9)
    check_combinations(J, sparse)


def test_mobility_of_ladders(pinned):
    """One freedom each: 3 (2n + 1) - 2 (3n + 1) = 1 without redundancy, and n rows too many with second couplers.
    Flat, with all pins on one line, every cell may fold: n + 1 degrees of freedom."""
    report = rank_report(pinned["ladder"](9).jacobian)
    assert (report.nullity, len(report.redundant)) == (1, 0)
    report = rank_report(pinned["ladder"](9, couplers=2).jacobian)
    assert (report.nullity, len(report.redundant)) == (1, 9)
    report = rank_report(pinned["ladder"](9, angle=0.0).jacobian)
    assert (report.nullity, len(report.redundant)) == (10, 9)


@pytest.mark.parametrize("entry", [0.0, 1e-9])
def test_a_tree_that_lacks_rank_is_not_trusted(entry):
    """Row 0 is called a tree row of unit 1, in whose column it happens to vanish, exactly or nearly."""
    J = np.array([[1.0, entry], [1.0, 1.0], [2.0, 2.0]])
    claim = Structure([[0], [1]], [([0], (0, 1)), ([1], (0, 1)), ([2], (0, 1))], [1, -1, -1])
    assert rows_of(rank_report(J, structure=claim, dense=False)) == [2]


@BOTH
def test_null_space(pinned, dense):
    system = pinned["chain"](20)
    weights = np.tile([1.0, 1.0, 0.5], 20)
    Z = null_space(system.jacobian, structure=structure(system), weights=weights, dense=dense)
    assert Z.shape == (60, 20)
    assert np.abs(system.jacobian @ Z).max() < 1e-13
    scaled = Z / weights[:, None]
    assert scaled.T @ scaled == pytest.approx(np.eye(20), abs=1e-13)


@BOTH
def test_null_space_is_orthogonal_to_rows_that_only_qr_could_tell_apart(dense):
    J = np.array([[1.0, 0, 0, 0], [1.0, 1e-3, 0, 0]])
    Z = null_space(J, dense=dense)
    assert np.abs(Z[:2]).max() < 1e-12 and Z.shape == (4, 2)


@BOTH
def test_independent_coordinates_fix_the_rest(pinned, dense):
    """With them held, the system is square and regular."""
    system = pinned["ladder"](8, angle=0.0)
    report = rank_report(system.jacobian, structure=structure(system), dense=dense)
    kept = np.setdiff1d(np.arange(report.shape[0]), rows_of(report))
    held = np.vstack((system.jacobian.toarray()[kept], np.eye(report.shape[1])[report.independent]))
    assert held.shape[0] == held.shape[1]
    assert np.linalg.cond(held) < 1e3


def test_many_freedoms(pinned):
    """Beyond the limit no dense basis is made; the angles of a chain's links (its end is not held) remain free."""
    links = NULL_SPACE_LIMIT + 50
    system = pinned["chain"](links)
    report = rank_report(system.jacobian, structure=structure(system), dense=False)
    assert report.null_space is None and report.nullity == links
    assert list(report.independent) == list(range(2, 3 * links, 3))
    with pytest.raises(ValueError, match="a null space of 250 dimensions is too large"):
        null_space(system.jacobian, structure=structure(system), dense=False)


def test_many_freedoms_are_not_chosen_by_small_pivots():
    """Of each pair 1e-8 a + b = 0 it is a that is free: given b, it would move 1e8 times as far."""
    report = rank_report(np.kron(np.eye(250), [1e-8, 1.0]), dense=False)
    assert list(report.independent) == list(range(0, 500, 2))


def test_large_redundant_ladder(pinned):
    """A thousand cells with a redundant coupler each: 10,002 rows, 1,000 of them too many. 5 s are allowed; a dense
    method would take minutes."""
    system = pinned["ladder"](1000, couplers=2)
    start = time.process_time()
    report = rank_report(system.jacobian, structure=structure(system))
    assert time.process_time() - start < 5.0
    assert report.shape == (10002, 9003)
    assert (report.nullity, len(report.redundant)) == (1, 1000)
    assert {item.rows.size for item in report.redundant} == {5}  # each implied within its cell
    assert np.abs(system.jacobian @ report.null_space).max() < 1e-10


METRES = pytest.mark.parametrize("size", [1.0, 1000.0], ids=["metric-of-a-link", "metric-of-the-whole"])


def metric(system, size: float) -> np.ndarray:
    """Angles compared with lengths by the size of a link (1 m), or of the whole ladder (1 km)."""
    return np.tile([1.0, 1.0, 1.0 / size], len(system.units))


@METRES
def test_large_regular_ladder(pinned, size):
    """A thousand four-bars, 6,002 rows, are found regular in O(n). 5 s are allowed for a loaded machine; it takes
    a tenth; QR of the 2,000 rows that close loops took 20 s."""
    system = pinned["ladder"](1000, angle=1.2)
    start = time.process_time()
    report = rank_report(system.jacobian, structure=structure(system), weights=metric(system, size))
    assert time.process_time() - start < 5.0
    assert (report.rank, report.nullity, report.redundant) == (6002, 1, ())
    Z = report.null_space[2 : 3 * 1001 : 3, 0]  # all cranks are parallel: they turn at the same rate
    assert Z == pytest.approx(np.full(1001, Z[0]), rel=1e-9)


@METRES
def test_planted_redundancies_in_a_large_ladder(pinned, size):
    """Pins stated twice at cells 3, 500 and 999: their second statements, and nothing else, are redundant."""
    system = pinned["ladder"](1000)
    expected = {}
    for cell in (3, 500, 999):
        first, second = 2 * (1001 + 2 * cell), 2 * len(system.row_blocks)
        coupler = 1001 + cell
        system.pin(cell, coupler, np.array([cell + np.cos(1.0), np.sin(1.0)]))
        expected |= {second: first, second + 1: first + 1}
    report = rank_report(system.jacobian, structure=structure(system), weights=metric(system, size))
    assert {item.row: item.rows.tolist() for item in report.redundant} == {k: [v] for k, v in expected.items()}
    assert np.concatenate([item.coefficients for item in report.redundant]) == pytest.approx(np.ones(6), abs=1e-9)
    assert report.nullity == 1


@pytest.mark.parametrize("options", [{"couplers": 2}, {"angle": 0.0}, {}], ids=["coupled twice", "flat", "regular"])
def test_both_ways_agree_in_a_metric_that_hides_the_loops(pinned, options):
    """Angles weigh so little that all loops are nearly dependent (sines of 1e-4), yet not below the tolerance."""
    system = pinned["ladder"](20, **options)
    weights = metric(system, 1000.0)
    dense = rank_report(system.jacobian, weights=weights, dense=True)
    sparse = rank_report(system.jacobian, structure=structure(system), weights=weights, dense=False)
    assert rows_of(dense) == rows_of(sparse)
    assert dense.nullity == sparse.nullity
    check_combinations(system.jacobian, sparse)


@BOTH
def test_the_given_metric_decides(dense):
    """What tells rows 0 and 1 apart are columns of weight 1e-7: balanced they are clearly independent, as given not.
    The same by 1e-5 is above the tolerance of 1e-6."""
    J = np.array([[1.0, 0, 1, 0], [1, 0, 0, 1], [0, 1, 0, 0]])
    for weight, redundant in ((1e-7, [1]), (1e-5, [])):
        assert rows_of(rank_report(J, weights=[1.0, 1.0, weight, weight], dense=dense)) == redundant


def test_rows_that_only_the_given_metric_makes_dependent():
    """Rows (1, w, 0) and (1, 0, w) of a sine of 1.4 w = 4e-5 beside regular ones: balanced, as clear as any."""
    J = sp.block_diag((sp.eye_array(300) + 0.3 * sp.eye_array(300, k=1), [[1.0, 1, 0], [1, 0, 1]]))
    weights = np.append(np.ones(301), [3e-5, 3e-5])
    for dense in (True, False):
        assert rows_of(rank_report(J, weights=weights, dense=dense, tolerance=1e-4)) == [301]
        assert rows_of(rank_report(J, weights=weights, dense=dense, tolerance=1e-5)) == []


def test_empty_matrices():
    assert rank_report(np.zeros((0, 3))).nullity == 3
    assert list(rank_report(np.zeros((0, 2))).independent) == [0, 1]
    assert rank_report(([], [], [], (2, 3))).rank == 0


def test_values_that_are_not_finite_are_rejected():
    with pytest.raises(ValueError, match="not finite"):
        rank_report(np.array([[1.0, np.nan]]))
