"""Functions chosen by the type of a table: also those supplied after a kernel that calls them was compiled."""

from typing import NamedTuple

import numpy as np
import pytest

from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import before_compilation, kernel
from cardan.numerics.compiled.settings import COMPILED


class FirstTable(NamedTuple):
    numbers: np.ndarray


class SecondTable(NamedTuple):
    numbers: np.ndarray
    factor: np.ndarray


def total(geometry):
    raise NotImplementedError


@kernel(internal=True)
def first_total(geometry):
    return geometry.numbers[0] + geometry.numbers[1]


@kernel(internal=True)
def second_total(geometry):
    return geometry.factor[0] * (geometry.numbers[0] + geometry.numbers[1])


@kernel
def twice(geometry):
    return 2.0 * total(geometry)


def supply(name, special):
    def action():
        from cardan.numerics.compiled.block_type import overload_for

        overload_for(name, total, special)

    before_compilation(action)


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_a_table_that_comes_later():
    supply("FirstTable", first_total)
    assert twice(block(FirstTable(np.array([1.0, 2.0])))) == 6.0
    supply("SecondTable", second_total)
    assert twice(block(SecondTable(np.array([1.0, 2.0]), np.array([5.0])))) == 30.0
