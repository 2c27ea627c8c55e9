"""Pages in a browser, watched: what they complain about, and what they ask of the network."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

SWITCHES = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
SWITCHES += " --disable-component-update --disable-sync"
READY = "document.documentElement.dataset.ready === 'yes'"


class Watched:
    """A page with the network off, and what it complained about or asked for."""

    def __init__(self, browser: Any, address: str, offline: bool = True) -> None:
        self.context = browser.new_context(viewport={"width": 1280, "height": 800}, offline=offline)
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(address)
        self.page.wait_for_function(READY, timeout=20_000)

    def __enter__(self) -> Any:
        return self.page

    def __exit__(self, kind: Any, *_: Any) -> None:
        self.context.close()
        if kind is None:
            assert self.errors == []
            assert len(self.requests) == 1, self.requests  # the file itself


def from_disk(browser: Any, path: Path) -> Watched:
    return Watched(browser, f"{path.as_uri()}#still")


def missing(why: str) -> None:
    if os.environ.get("CARDAN_BROWSER_TESTS") == "require":
        pytest.fail(f"{why}, and CARDAN_BROWSER_TESTS=require asks for the tests of pages")
    pytest.skip(why)


def chromium() -> Iterator[Any]:
    """The Chromium of the system; tests without it are skipped."""
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
