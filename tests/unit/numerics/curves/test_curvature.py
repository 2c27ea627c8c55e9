"""Curvatures along constraints: signs against dense eigenvalues in long double arithmetic or closed forms."""

import math

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

from cardan.numerics.curves.curvature import curvature_of

ROUNDING = 4e-15


def chain(n, sign, stiff=1e9, soft=1.0):
    """Springs in a row from a fixed end, every coordinate coupled to a stiff one; the lowest mode has the sign asked.

    K = soft tridiag(-1, 2, -1) - shift: its eigenvalues are 2 - 2 cos(k pi / (n + 1)), less the shift.
    """
    lowest = soft * (2.0 - 2.0 * math.cos(math.pi / (n + 1)))
    K = soft * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)) - (1.0 - 0.5 * sign) * lowest * np.eye(n)
    return np.block([[K, np.zeros((n, n))], [np.zeros((n, n)), stiff * np.eye(n)]]), 0.5 * sign * lowest


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("sign", [-1.0, 0.0, 1.0])
def test_sign_of_a_soft_mode_beside_stiff_ones(sign, sparse):
    """Stiffnesses of 1e9 beside a lowest one of 1e-4: it has its sign, and one of zero is neutral."""
    H, lowest = chain(100, sign)
    n = len(H)
    basis = None if sparse else np.eye(n)
    given = sp.csr_array(H) if sparse else H
    found = curvature_of(given, sp.csr_array((0, n)), basis, 1.0, precision=ROUNDING)
    assert found.decided and found.negative == (sign < 0.0) and found.neutral.shape[1] == (sign == 0.0)
    if sign == 0.0:  # the mode is a sine
        mode = np.append(np.sin(np.arange(1, 101) * math.pi / 101), np.zeros(100))
        assert abs(found.neutral[:, 0] @ mode) / np.linalg.norm(mode) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("shift", [-1e-5, 1e-5])
def test_sign_along_constraints(seed, shift, sparse):
    """Random matrices with entries of order one, the lowest eigenvalue on the null space being the shift."""
    random = np.random.default_rng(seed)
    A, J = random.standard_normal((14, 14)), random.standard_normal((5, 14))
    A = 0.5 * (A + A.T)
    Z = scipy.linalg.null_space(J)
    A += (shift - np.linalg.eigvalsh(Z.T @ A @ Z)[0]) * np.eye(14)
    found = curvature_of(
        sp.csr_array(A) if sparse else A, sp.csr_array(J), None if sparse else Z, 1.0, precision=ROUNDING
    )
    assert found.negative == (shift < 0.0) and not found.neutral.size


def test_two_equal_negative_ones_are_two():
    """A round column buckles in two planes at once."""
    H = sp.block_diag([chain(60, -1.0)[0], chain(60, -1.0)[0]])
    found = curvature_of(sp.csr_array(H), sp.csr_array((0, H.shape[0])), None, 1.0, precision=ROUNDING)
    assert found.negative == 2


def test_what_is_left_over_makes_small_curvatures_neutral():
    H = np.diag([1e-3, 1.0])
    assert curvature_of(H, None, np.eye(2), 1.0, precision=ROUNDING).negative == 0
    assert curvature_of(H, None, np.eye(2), 1.0, precision=ROUNDING, left_over=1e-2).neutral.shape[1] == 1
    assert curvature_of(H, None, np.zeros((2, 0)), 1.0, precision=ROUNDING).lowest == np.inf
