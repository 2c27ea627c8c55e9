"""Bordered matrices: solutions against dense algebra, pivots counted against eigenvalues of the reduced one."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

from cardan.numerics.linalg.bordered import Bordered


def problem(seed, shift):
    """A symmetric A, a J of full rank, and the eigenvalues of A on the null space of J, the least being `shift`."""
    random = np.random.default_rng(seed)
    A = random.standard_normal((12, 12))
    A, J = 0.5 * (A + A.T), random.standard_normal((5, 12))
    Z = scipy.linalg.null_space(J)
    lowest = np.linalg.eigvalsh(Z.T @ A @ Z)[0]
    return A + (shift - lowest) * np.eye(12), J


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_definite_on_the_null_space(seed, sparse):
    for shift in (-1.0, -1e-4, 1e-4, 1.0):
        A, J = problem(seed, shift)
        made = Bordered(sp.csr_array(A), sp.csr_array(J)) if sparse else Bordered(A, J)
        assert made.definite == (shift > 0.0)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("redundant", [False, True])
def test_solution(sparse, redundant):
    """Against least squares; a row stated twice changes nothing but how its multipliers share the load."""
    A, J = problem(1, 0.5)
    top, low = np.arange(12.0), np.arange(5.0)
    if redundant:
        J, low = np.vstack([J, J[2] - J[4]]), np.append(low, low[2] - low[4])
    made = Bordered(sp.csr_array(A), sp.csr_array(J)) if sparse else Bordered(A, J)
    s, multipliers = made.solve(top, low)
    K = np.block([[A, J.T], [J, np.zeros((low.size, low.size))]])
    exact = np.linalg.lstsq(K, np.concatenate([top, low]), rcond=None)[0]
    # numbers of the order of 10; where rows are redundant, rounding of 1e-16 is divided by a softness of 1e-11
    near = 1e-5 if redundant else 1e-8
    assert np.abs(s - exact[:12]).max() < near and np.abs(J.T @ (multipliers - exact[12:])).max() < near
