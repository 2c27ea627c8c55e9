"""The browser of the tests of pages.

Without Chromium or Playwright these tests are skipped; CARDAN_BROWSER_TESTS=require makes that a failure.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

SWITCHES = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
SWITCHES += " --disable-component-update --disable-sync"


def missing(why: str) -> None:
    if os.environ.get("CARDAN_BROWSER_TESTS") == "require":
        pytest.fail(f"{why}, and CARDAN_BROWSER_TESTS=require asks for the tests of pages")
    pytest.skip(why)


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("Playwright is not installed")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        missing("no Chromium was found on this machine")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=found, args=SWITCHES.split())
        yield opened
        opened.close()
