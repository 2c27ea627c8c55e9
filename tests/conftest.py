"""Options and fixtures of all tests: samples of the suite, random mechanisms of the invariants, closed figures."""

import os
import secrets
import signal
import sys
import time
import zlib

# Workers run side by side: OpenBLAS threads that wait for a core make eigenvalues of small matrices ten times slower.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from _pytest.doctest import DoctestModule

from cardan.numerics.compiled.settings import LIBRARY_REQUIRED

BEGUN = time.perf_counter()


def pytest_addoption(parser):
    parser.addoption("--invariants", type=int, default=0, metavar="N", help="try N random mechanisms, with fresh seeds")
    parser.addoption("--invariants-seed", type=int, default=None, metavar="S", help="the first of their seeds")
    parser.addoption("--time-limit", type=float, default=0.0, metavar="S", help="skip tests that start S seconds later")
    parser.addoption("--test-limit", type=float, default=0.0, metavar="S", help="skip tests after S seconds of CPU")
    parser.addoption("--case", default="", metavar="TEXT", help="run the cases of folded tests that contain TEXT")
    parser.addoption("--sample", type=int, default=1, metavar="N", help="run one test in N, chosen by its name")
    parser.addoption("--sample-part", type=int, default=0, metavar="K", help="which of the N parts to run, from 0")


def pytest_configure(config):
    """Choose one first seed for all workers; it is printed to make failures repeatable."""
    if config.getoption("--invariants") and config.getoption("--invariants-seed") is None:
        config.option.invariants_seed = secrets.randbelow(10**9)


def pytest_sessionstart(session):
    """Workers of the whole suite share the compilation of kernels."""
    worker, whole = os.environ.get("PYTEST_XDIST_WORKER"), session.config.getini("testpaths")
    if worker and [os.path.basename(path) for path in session.config.args] == whole:
        from warming import compile_kernels

        compile_kernels(last_first=worker != "gw0")


def pytest_report_header(config):
    count = config.getoption("--invariants")
    return f"invariants: {count} random mechanisms from seed {config.option.invariants_seed}" if count else None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Test files have no doctests; searching them would double the time of collection."""
    return [found for found in (yield) if not isinstance(found, DoctestModule)]


def pytest_collection_modifyitems(config, items):
    """Keep part K of the N parts into which names divide the suite; the parts together are the whole suite."""
    count, part = config.option.sample, config.option.sample_part
    if count > 1:
        dropped = [item for item in items if zlib.crc32(item.nodeid.encode()) % count != part % count]
        config.hook.pytest_deselected(items=dropped)
        items[:] = [item for item in items if zlib.crc32(item.nodeid.encode()) % count == part % count]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    limit = item.config.option.time_limit
    if limit and time.perf_counter() - BEGUN > limit:
        pytest.skip(f"not started within {limit:g} s")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """End a test that takes too long as skipped: kernels run as plain Python are a hundred times slower."""
    limit = item.config.option.test_limit
    if not limit:
        return (yield)

    def stop(*_):
        pytest.skip(f"longer than {limit:g} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, limit)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.fixture(scope="session")
def invariant_count(request):
    """The number of random mechanisms an invariant tries; 0 selects its small sample with fixed seeds."""
    return request.config.getoption("--invariants")


@pytest.fixture(scope="session")
def invariant_seed(request):
    """The first seed of the random mechanisms."""
    return request.config.option.invariants_seed or 0


@pytest.fixture
def invariant_seeds(invariant_count, invariant_seed):
    """Seeds of random mechanisms: 12 fixed ones in `make test`, `--invariants` fresh ones otherwise."""
    return range(invariant_seed, invariant_seed + (invariant_count or 12))


@pytest.fixture
def kernels_called_directly(monkeypatch):
    """Kernels that analyses do not call with these arguments may be compiled where prebuilt ones are required."""
    if LIBRARY_REQUIRED:
        from cardan.numerics.compiled import compiler

        monkeypatch.setattr(compiler, "LIBRARY_REQUIRED", False)


@pytest.fixture(scope="session")
def browser():
    """The browser of the tests of pages. Without Chromium or Playwright these tests are skipped;
    CARDAN_BROWSER_TESTS=require makes that a failure. Playwright allows one of them in a process."""
    from pages import chromium

    yield from chromium()


@pytest.fixture(autouse=True)
def figures_are_closed():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
