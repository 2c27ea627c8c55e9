"""Copies of models, systems and results own their data, in this process and in others."""

import copy
import gc
import pickle
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import cloudpickle
import numpy as np
import pytest

from cardan.numerics.compiled.block import Block, arrays_of
from cardan.numerics.compiled.jit import COMPILED
from cardan.system.compile import compile
from invariants.every_result import RESULTS, crank, equal, read, read_elsewhere

WAYS = {
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "cloudpickle": lambda thing: pickle.loads(cloudpickle.dumps(thing)),
}


@pytest.fixture(scope="module")
def results():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: build() for name, build in RESULTS.items()}


@pytest.fixture(scope="module")
def readings(results):
    return {name: read(result) for name, result in results.items()}


@pytest.mark.parametrize("name", RESULTS)
def test_a_copy_reads_the_same_when_the_original_is_gone(name, results, readings):
    for way, copied in WAYS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = copied(copied(results[name]))  # the copy in between is gone
            assert equal(read(found), readings[name]), way


@pytest.mark.parametrize("method", ["spawn", "fork"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of forks in a process that has threads
def test_results_cross_processes(method, results, readings):
    with ProcessPoolExecutor(1, get_context(method)) as pool:
        there, back = pool.submit(read_elsewhere, results).result(timeout=300)
    gc.collect()
    assert [name for name in RESULTS if not equal(there[name], readings[name])] == []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [name for name in RESULTS if not equal(read(back[name]), readings[name])] == []


@pytest.mark.slow  # another spawned process
def test_results_cross_dask(results, readings):
    dask = pytest.importorskip("dask")
    task = dask.delayed(read_elsewhere)(results)
    (there, back) = task.compute(scheduler="processes", num_workers=1)
    assert [name for name in RESULTS if not equal(there[name], readings[name])] == []
    assert [name for name in RESULTS if not equal(read(back[name]), readings[name])] == []


def test_a_copy_of_a_system_shares_no_memory():
    system = compile(crank(), forces=True)
    twin = copy.deepcopy(system)
    for name in ("geometry", "rows", "solver"):
        for (_, mine), (field, its) in zip(
            arrays_of(getattr(system, name)), arrays_of(getattr(twin, name)), strict=True
        ):
            shared = np.shares_memory(mine, its) and mine.size and mine.flags.writeable
            assert not shared or field.startswith("touches."), field  # one empty table serves all that have no touches


@pytest.mark.skipif(not COMPILED, reason="plain Python has no blocks")
def test_addresses_never_leave_a_process():
    """A block that holds addresses of machine code is not pickled; its owner makes it anew."""
    system = compile(crank(), forces=True)
    assert isinstance(system.rows, Block) and dict(arrays_of(system.rows))["motions.address"].any()
    with pytest.raises(TypeError, match=r"motions\.address holds addresses of this process"):
        pickle.dumps(system.rows)
