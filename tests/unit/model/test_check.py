"""The judges of user input: clean values come back, anything else is rejected in one sentence."""

import numpy as np
import pytest

from cardan import ModelError
from cardan.model import check
from folding import folded


@pytest.mark.parametrize("given", [2, 2.0, np.float32(2.0), np.int64(2)])
def test_number(given):
    result = check.number(given, "it")
    assert result == 2.0 and type(result) is float


@folded("given", [None, "2", True, [2.0], 2j, np.nan, np.inf, -np.inf])
def test_no_number(given):
    with pytest.raises(ModelError, match="^it must be"):
        check.number(given, "it")


def test_positive():
    assert check.positive(1e-300, "it") == 1e-300
    for wrong in (0.0, -0.0, -1.0):
        with pytest.raises(ModelError, match="positive"):
            check.positive(wrong, "it")


@pytest.mark.parametrize("given", [(1, 2), [1.0, 2.0], np.array([1.0, 2.0])])
def test_vector(given):
    assert check.vector(given, 2, "it") == (1.0, 2.0)


@folded("given", [1.0, "ab", (1,), (1, 2, 3), (1, "b"), (1, np.nan), np.ones((2, 2)), None, {1, 2}])
def test_no_vector(given):
    with pytest.raises(ModelError, match="^it must be"):
        check.vector(given, 2, "it")


def test_instance():
    assert check.instance(3, (int, str), "it") == 3
    with pytest.raises(ModelError, match="it must be a int or str, got float 3.5"):
        check.instance(3.5, (int, str), "it")
