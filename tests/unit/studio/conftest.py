"""The browser of the tests of pages.

Without Chromium or Playwright these tests are skipped; CARDAN_BROWSER_TESTS=require makes that a failure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pages import chromium


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    yield from chromium()
