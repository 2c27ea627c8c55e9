"""Cholesky factorization by fronts, and the lowest modes by block Lanczos."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import csr_matrix, diags, identity, kron

from bricks import bricks
from cardan.numerics.linalg.dissection import dissect
from cardan.numerics.linalg.lanczos import lowest_modes
from cardan.numerics.linalg.multifrontal import Cholesky, NotPositive


def grid(n: int) -> tuple[csr_matrix, np.ndarray]:
    """The 27-point graph of a cube, and its places."""
    line = diags([1.0, 1.0, 1.0], [-1, 0, 1], shape=(n, n))
    places = np.stack(np.meshgrid(*[np.arange(float(n))] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    return csr_matrix(kron(kron(line, line), line)), places


def test_fronts_eliminate_every_vertex_once_and_touch_only_later_ones() -> None:
    graph, places = grid(9)
    fronts = dissect(graph, places)
    own = np.concatenate([front.own for front in fronts])
    assert sorted(own) == list(range(len(places)))
    rank = {int(v): k for k, front in enumerate(fronts) for v in front.own}
    for k, front in enumerate(fronts):
        later = {int(v) for v in graph[front.own].indices if rank[int(v)] > k}
        assert later <= set(front.boundary.tolist())
        assert all(rank[int(v)] > k for v in front.boundary)


def test_solution_satisfies_the_equations() -> None:
    graph, places = grid(9)
    laplace = diags(np.asarray(graph.sum(axis=1)).ravel()) - graph
    K = csr_matrix(kron(laplace + 1e-3 * identity(len(places)), np.eye(3) + 0.3))
    factor = Cholesky(K, np.repeat(np.arange(len(places)), 3), places)
    right = np.random.default_rng(1).standard_normal((K.shape[0], 4))
    x = factor.solve(right)
    assert np.abs(K @ x - right).max() < 1e-12 * np.abs(K.data).max() * np.abs(x).max()
    assert factor.solve(right[:, 0]).shape == (K.shape[0],)
    assert factor.entries < 0.25 * K.shape[0] ** 2


def test_a_vertex_with_very_many_neighbors_is_eliminated_last() -> None:
    graph, places = grid(8)
    hub = np.ones((len(places), 1))
    whole = csr_matrix(np.block([[graph.toarray(), hub], [hub.T, np.ones((1, 1))]]))
    fronts = dissect(whole, np.vstack([places, places.mean(axis=0)]))
    assert fronts[-1].own.tolist() == [len(places)]


@pytest.mark.parametrize(("entry", "negative"), [(-0.5, True), (1.0, False)])
def test_matrices_that_are_not_positive_name_the_unknown(entry: float, negative: bool) -> None:
    K = csr_matrix([[2.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, entry]])
    with pytest.raises(NotPositive) as caught:
        Cholesky(K, np.arange(3), np.arange(3.0)[:, None])
    assert (caught.value.unknown, caught.value.negative) == (2, negative)


def test_lowest_modes_are_those_of_a_dense_solution() -> None:
    """A square bar has double bending frequencies, which a single vector would miss."""
    M, K, nodes = bricks((1.0, 0.1, 0.1), (12, 2, 2), 210e9, 0.3, 7850.0)
    free = np.flatnonzero(np.repeat(nodes[:, 0] > 0, 3))
    K, M = K[free][:, free], M[free][:, free]
    reference = eigh(K.toarray(), M.toarray(), eigvals_only=True)
    factor = Cholesky(K, free // 3, nodes)
    values, V = lowest_modes(factor.solve, M, count=15)
    assert np.abs(values / reference[:15] - 1).max() < 1e-9  # rounding of the dense solution: eps * lambda_n / lambda_1
    assert np.abs(V.T @ (M @ V) - np.eye(15)).max() < 1e-10
    limit = 0.5 * (reference[19] + reference[20])  # a gap; 20 and 21 are a pair
    assert len(lowest_modes(factor.solve, M, limit=limit)[0]) == 20


def test_directions_without_mass_are_left_out() -> None:
    M = diags(np.where(np.arange(50) % 2 == 0, 1.0, 0.0)).tocsr()
    values, _ = lowest_modes(lambda f: f / np.arange(1.0, 51.0)[:, None], M, count=40)
    assert np.allclose(values, np.arange(1.0, 51.0, 2.0))
