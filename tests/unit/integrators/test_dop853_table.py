"""The error estimates of DOP853 for rates that are polynomials, or have a kink."""

import numpy as np
import pytest

from cardan.integrators.dop853_table import E3, E5, E6, E7, STAGES, A, C

KINKS = np.linspace(0.0, 1.0, 20001)[1:-1]


def responses(weights):
    """Of sum_i w_i y'(c_i) to the rates max(0, t - s), for each place s of the kink."""
    return np.maximum(C[:STAGES] - KINKS[:, None], 0.0) @ weights[:STAGES]


@pytest.mark.parametrize("weights, degree", [(E3, 2), (E5, 4), (E6, 5), (E7, 6)])
def test_estimates_vanish_for_polynomials(weights, degree):
    """Of a degree below the order of the estimate, and for no other."""
    times = C[: weights.size]
    powers = [abs(weights @ times**k) for k in range(degree + 2)]
    assert max(powers[:-1]) < 1e-13 and powers[-1] > 1e-7


def test_no_kink_is_overlooked():
    """The error of the step is at most 12 times the root of the sum of squares of both estimates; that of order 5 alone
    misses some kinks altogether."""
    errors = np.abs(0.5 * (1.0 - KINKS) ** 2 - responses(A[STAGES]))
    five, six = responses(E5), responses(E6)
    assert np.max(errors / np.hypot(five, six)) < 12.0
    assert np.max(errors / np.abs(five)) > 1000.0
    assert np.abs(six).max() == pytest.approx(np.abs(five).max(), rel=1e-3)


def test_no_kink_escapes_both_differences():
    """A step is rejected if one of the differences exceeds its limit: where the rate at the end is that of the last
    stage, the error of a step that is kept is at most 100 limits. That of order 6 alone sees no kink behind the last
    stage but one."""
    errors = np.abs(0.5 * (1.0 - KINKS) ** 2 - responses(A[STAGES]))
    six, seven = np.abs(responses(E6)), np.abs(responses(E7))
    assert np.max(errors / np.maximum(six, seven)) < 100.0
    assert np.all(six[KINKS > C[10]] < 1e-12)
