"""What all tests share: closed figures, and how many random mechanisms the invariants try."""

import secrets
import sys

import pytest


def pytest_addoption(parser):
    parser.addoption("--invariants", type=int, default=0, metavar="N", help="try N random mechanisms, with fresh seeds")
    parser.addoption("--invariants-seed", type=int, default=None, metavar="S", help="the first of their seeds")


def pytest_configure(config):
    """One first seed for all workers; it is printed, so that a failure can be repeated."""
    if config.getoption("--invariants") and config.getoption("--invariants-seed") is None:
        config.option.invariants_seed = secrets.randbelow(10**9)


def pytest_report_header(config):
    count = config.getoption("--invariants")
    return f"invariants: {count} random mechanisms from seed {config.option.invariants_seed}" if count else None


@pytest.fixture(scope="session")
def invariant_count(request):
    """How many random mechanisms an invariant tries; 0 means its own small sample with fixed seeds."""
    return request.config.getoption("--invariants")


@pytest.fixture(scope="session")
def invariant_seed(request):
    """The first seed of the random mechanisms."""
    return request.config.option.invariants_seed or 0


@pytest.fixture
def invariant_seeds(invariant_count, invariant_seed):
    """Seeds of random mechanisms: 12 fixed ones in `make test`, as many fresh ones as asked for otherwise."""
    return range(invariant_seed, invariant_seed + (invariant_count or 12))


@pytest.fixture(autouse=True)
def figures_are_closed():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
