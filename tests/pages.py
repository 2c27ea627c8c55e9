"""Pages in a browser, watched: what they complain about, and what they ask of the network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
