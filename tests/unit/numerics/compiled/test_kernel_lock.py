"""Locks of kernels: processes that start together compile each kernel once, and none waits for ever."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cardan.numerics.compiled import cache_folder
from cardan.numerics.compiled.jit import COMPILED

pytestmark = pytest.mark.skipif(cache_folder.fcntl is None, reason="locks of POSIX")
SOURCES = str(Path(cache_folder.__file__).resolve().parents[3])
HOLDER = """
import sys
from pathlib import Path
from cardan.numerics.compiled.cache_folder import alone
with alone(Path(sys.argv[1]), "march"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    """A process that compiles the kernel "march"."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": SOURCES}
    process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_others_wait_until_the_process_ends(holder, tmp_path, monkeypatch) -> None:
    handle, place = cache_folder._opened(tmp_path), cache_folder.zlib.crc32(b"march")
    monkeypatch.setattr(cache_folder, "MAX_WAIT", 0.1)
    assert not cache_folder._wait(handle, place)
    begun = time.monotonic()
    with cache_folder.alone(tmp_path, "close"):  # another kernel
        pass
    with cache_folder.alone(tmp_path, "march"):  # compiled twice after all
        pass
    assert 0.1 <= time.monotonic() - begun < 10.0
    monkeypatch.setattr(cache_folder, "MAX_WAIT", 300.0)
    holder.kill()
    assert cache_folder._wait(handle, place)


def test_waiting_is_explained_once(holder, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(cache_folder, "MAX_WAIT", 0.1)
    monkeypatch.setattr(cache_folder, "SILENT", 0.0)
    monkeypatch.setattr(cache_folder, "_explained", False)
    for _ in range(2):
        with cache_folder.alone(tmp_path, "march"):
            pass
    assert capsys.readouterr().err == "Cardan waits for kernels that another process is compiling\n"


def test_a_folder_that_cannot_be_written_has_no_locks(tmp_path) -> None:
    with cache_folder.alone(tmp_path / "missing", "march"), cache_folder.alone(None, "march"):
        pass


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_processes_that_start_together_compile_each_kernel_once(tmp_path) -> None:
    script = "from cardan.numerics.curves.spline import wrap; print(wrap(2.5, 0.0, 1.0))"
    environment = {**os.environ, "PYTHONPATH": SOURCES, "CARDAN_CACHE": str(tmp_path), "CARDAN_PREBUILT": "0"}
    command = [sys.executable, "-c", script]
    started = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=120)[0] for process in started] == ["0.5\n", "0.5\n"]
    (remembered,) = tmp_path.glob("kernels-*/compiled.txt")
    assert remembered.read_text().split() == ["cardan.numerics.curves.spline.wrap"]
