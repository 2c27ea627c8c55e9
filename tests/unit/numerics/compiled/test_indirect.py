"""Far kernels: called by address from compiled code, or by number from plain Python."""

from typing import NamedTuple

import numpy as np

from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.indirect import call_pointer, pointer_to
from cardan.numerics.compiled.jit import kernel


class Table(NamedTuple):
    weights: np.ndarray
    address: np.ndarray


@kernel(internal=True)
def weigh(table, values, out):
    total = 0.0
    for k in range(values.shape[0]):
        total += table.weights[k] * values[k]
    out[0, 0] = total
    return 7 if total < 0.0 else 0


@kernel(internal=True)
def count(table, values, out):
    out[0, 0] = values.shape[0]
    return 0


@kernel
def call(table, values, out):
    return call_pointer(table.address[0], (table, values, out)) if table.address[0] != 0 else -1


def test_calls_by_address():
    tables = Table(np.array([1.0, 2.0, 3.0]), np.zeros(1, np.uint64))
    table, out = block(tables), np.zeros((1, 1))
    values = np.array([1.0, -1.0, 2.0])
    assert call(table, values, out) == -1 and out[0, 0] == 0.0
    tables.address[0] = pointer_to(weigh, table, values, out)
    assert call(table, values, out) == 0 and out[0, 0] == 5.0
    assert call(table, -values, out) == 7 and out[0, 0] == -5.0
    # another kernel at the same place: the caller is not compiled anew
    tables.address[0] = pointer_to(count, table, values, out)
    assert call(table, values, out) == 0 and out[0, 0] == 3.0


def test_an_address_is_found_once():
    table = block(Table(np.ones(2), np.zeros(1, np.uint64)))
    one, two = (pointer_to(weigh, table, np.ones(2), np.ones((1, 1))) for _ in range(2))
    assert one == two != pointer_to(count, table, np.ones(2), np.ones((1, 1)))
