"""What all tests share: figures that one of them leaves open are none of the next one's business."""

import sys

import pytest


@pytest.fixture(autouse=True)
def figures_are_closed():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
