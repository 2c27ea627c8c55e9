"""Firefox in tests, driven over its own WebDriver BiDi connection.

Debian's packages firefox-esr and xvfb are enough: without a display Firefox draws WebGL only in a virtual one.
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import pytest

PREFERENCES = {
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "webgl.force-enabled": True,  # drawn by the processor
    "remote.active-protocols": 1,  # BiDi
}
PATIENCE = 60.0  # s


class Firefox:
    """A headless Firefox with one page."""

    def __init__(self, program: str) -> None:
        from websockets.sync.client import connect

        self.folder = tempfile.TemporaryDirectory(prefix="cardan-firefox-", ignore_cleanup_errors=True)
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
        (Path(self.folder.name) / "user.js").write_text("\n".join(lines))
        command = [program, "--no-remote", "--profile", self.folder.name, "--remote-debugging-port", "0"]
        self.screen, display = _screen()
        environment = os.environ | {"DISPLAY": display}
        pipes: dict[str, Any] = {"stderr": subprocess.PIPE, "stdout": subprocess.DEVNULL, "text": True}
        self.process = subprocess.Popen(command, env=environment, **pipes)
        self.stack = ExitStack()
        address = f"{self._address()}/session"
        self.line = self.stack.enter_context(connect(address, max_size=None, open_timeout=PATIENCE))
        self.numbers = itertools.count(1)
        self.errors: list[str] = []
        self.ask("session.new", {"capabilities": {}})
        self.ask("session.subscribe", {"events": ["log.entryAdded", "browsingContext.userPromptOpened"]})
        self.page = self.ask("browsingContext.getTree", {})["contexts"][0]["context"]
        self.ask("browsingContext.setViewport", {"context": self.page, "viewport": {"width": 1280, "height": 800}})

    def _address(self) -> str:
        """The address that it prints when it listens; a thread reads on, so that the pipe never fills."""
        found: Queue[str] = Queue()

        def read() -> None:
            assert self.process.stderr is not None
            for text in self.process.stderr:
                if seen := re.search(r"WebDriver BiDi listening on (ws://\S+)", text):
                    found.put(seen[1])

        threading.Thread(target=read, daemon=True).start()
        try:
            return found.get(timeout=PATIENCE)
        except Empty:
            self.process.kill()
            raise RuntimeError("Firefox does not listen") from None

    def ask(self, method: str, parameters: dict[str, Any]) -> Any:
        number = next(self.numbers)
        self.line.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.line.recv(timeout=PATIENCE))
            if answer.get("method") == "log.entryAdded" and answer["params"]["level"] == "error":
                self.errors.append(str(answer["params"]["text"]))
            if answer.get("method") == "browsingContext.userPromptOpened":
                # the studio is gone, and its page asks whether to leave unsaved work
                accepted = {"context": answer["params"]["context"], "accept": True}
                self.line.send(json.dumps({"id": 0, "method": "browsingContext.handleUserPrompt", "params": accepted}))
            if answer.get("id") == number:
                if answer["type"] == "error":
                    raise RuntimeError(f"{method}: {answer['message']}")
                return answer["result"]

    def goto(self, address: str) -> None:
        self.ask("browsingContext.navigate", {"context": self.page, "url": address, "wait": "complete"})

    def evaluate(self, expression: str) -> Any:
        """The value of an expression, as JSON."""
        found = self.ask(
            "script.evaluate",
            {"expression": f"JSON.stringify({expression})", "target": {"context": self.page}, "awaitPromise": True},
        )
        if found["type"] == "exception":
            raise RuntimeError(found["exceptionDetails"]["text"])
        value = found["result"].get("value")
        return None if value is None else json.loads(value)

    def wait_for(self, expression: str) -> None:
        begun = time.monotonic()
        while not self.evaluate(f"!!({expression})"):
            if time.monotonic() - begun > PATIENCE:
                raise TimeoutError(f"Firefox: {expression} is not true after {PATIENCE:g} s")
            time.sleep(0.1)

    def press(self, key: str) -> None:
        strokes = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        actions = [{"type": "key", "id": "keys", "actions": strokes}]
        self.ask("input.performActions", {"context": self.page, "actions": actions})

    def stroke(self, places: Sequence[tuple[float, float]], pointer: str = "mouse") -> None:
        """Press at the first place in pixels, move over the others, release; `pointer` is mouse or touch."""
        moves = [{"type": "pointerMove", "x": round(x), "y": round(y), "duration": 20} for x, y in places]
        down, up = {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}
        actions = [moves[0], down, *moves[1:], up]
        source = {"type": "pointer", "id": pointer, "parameters": {"pointerType": pointer}, "actions": actions}
        self.ask("input.performActions", {"context": self.page, "actions": [source]})

    def screenshot(self) -> bytes:
        return base64.b64decode(self.ask("browsingContext.captureScreenshot", {"context": self.page})["data"])

    def close(self) -> None:
        self.stack.close()
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        if self.screen is not None:
            self.screen.terminate()
            self.screen.wait(timeout=20)
        self.folder.cleanup()


def _screen() -> tuple[subprocess.Popen[str] | None, str]:
    """A virtual display, and its name; that of the desktop if there is one."""
    if display := os.environ.get("DISPLAY"):
        return None, display
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"]
    screen = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert screen.stdout is not None
    return screen, f":{screen.stdout.readline().strip()}"


def found() -> str | None:
    """Firefox, if there is a display to draw on."""
    if not os.environ.get("DISPLAY") and shutil.which("Xvfb") is None:
        return None
    return next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None)


def fixture() -> Iterator[Firefox]:
    """The body of a fixture: a browser, or a skipped test where there is none."""
    program = found()
    if program is None:
        if os.environ.get("CARDAN_BROWSER_TESTS") == "require":
            pytest.fail("no Firefox with a display, and CARDAN_BROWSER_TESTS=require asks for the tests of pages")
        pytest.skip("no Firefox, or no display and no Xvfb, on this machine")
    opened = Firefox(program)
    yield opened
    opened.close()
