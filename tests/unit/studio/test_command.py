"""`cardan studio` as a process: it serves, survives being killed, and restores what was drawn."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cardan.numerics.compiled.compiler import OPTIONS
from cardan.numerics.compiled.jit import COMPILED
from cardan.numerics.compiled.kernel_cache import cache_directory

pytest.importorskip("websockets")


def share_kernels(cache: Path) -> None:
    """Only journals belong to the test: kernels would take 40 s to compile again."""
    kernels = cache_directory(OPTIONS) if COMPILED else None
    if kernels is not None:
        (cache / kernels.name).symlink_to(kernels)


def started(folder: Path, *arguments: str) -> tuple[Any, str, int]:
    """The process, its token and its port."""
    cache = folder / "cache"
    if not cache.exists():
        cache.mkdir(mode=0o700)
        share_kernels(cache)
    settings = {**os.environ, "CARDAN_CACHE": str(cache), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-c", "import sys; from cardan.cli import main; sys.exit(main())", "studio"]
    process = subprocess.Popen(
        [*command, *arguments, "--no-browser"], cwd=folder, env=settings, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"http://127\.0\.0\.1:(\d+)/([\w-]+)/", line)
    assert found, line
    return process, found[2], int(found[1])


def asked(port: int, token: str, *messages: dict[str, Any]) -> dict[str, Any]:
    from websockets.sync.client import connect

    own = f"127.0.0.1:{port}"
    with connect(f"ws://{own}/{token}/line", origin=f"http://{own}", max_size=2**24) as line:  # type: ignore[arg-type]
        found: dict[str, Any] = {}
        for k, message in enumerate(messages):
            line.send(json.dumps({"id": k + 1, **message}))
            while (found := json.loads(line.recv(timeout=120))).get("id") != k + 1:
                pass
        return found


BAR = {"do": "edit", "edit": "bar", "with": {"a": {"at": [0, 0]}, "b": {"at": [0.1, 0.05]}}}


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("model", [("press.yaml",), ()], ids=["file", "untitled"])
def test_killed_and_started_again(tmp_path: Path, model: tuple[str, ...]) -> None:
    process, token, port = started(tmp_path, *model)
    try:
        assert asked(port, token, BAR, {"do": "undo"}, {"do": "redo"})["type"] == "done"
    finally:
        process.kill()
        process.wait()
    process, token, port = started(tmp_path, *model)
    try:
        state = asked(port, token, {"do": "solve"})
        assert [e["name"] for e in state["elements"]] == ["link1"] and state["recovered"] == 1
        assert asked(port, token, {"do": "save", "name": "saved.yaml"})["type"] == "done"
        assert "link1" in (tmp_path / "saved.yaml").read_text()
    finally:
        process.terminate()
        process.wait()


def test_a_copy_of_an_example(tmp_path: Path) -> None:
    process, token, port = started(tmp_path, "slider-crank")
    try:
        state = asked(port, token, {"do": "solve"})
        assert state["status"]["dof"] == 1 and state["motion"]
    finally:
        process.terminate()
        process.wait()
