"""What is said while kernels are compiled: only where the disk does not have them, and only if it takes long."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from cardan.numerics.compiled.jit import COMPILED

SCRIPT = "from cardan.numerics.curves.spline import wrap; wrap({0}, {0}, {0}); wrap({0}, {0}, {0})"


@pytest.fixture(autouse=True)
def without_library(monkeypatch):
    """What is prebuilt would not be compiled."""
    monkeypatch.setenv("CARDAN_PREBUILT", "0")


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_compilation_is_announced(tmp_path) -> None:
    """An empty cache; the same again; then a signature that is new."""

    def said(number: str) -> str:
        command = [sys.executable, "-c", SCRIPT.format(number)]
        setting = {**os.environ, "CARDAN_CACHE": str(tmp_path)}
        return subprocess.run(command, env=setting, capture_output=True, text=True, check=True).stderr

    words = ("Cardan compiles the kernels: once on this machine, about",)  # one kernel is short, if nothing else runs
    text = said("1.0")
    assert not text or text.startswith(words)
    assert said("1.0") == ""
    text = said("1")
    assert not text or text.startswith(words)
    (remembered,) = tmp_path.glob("kernels-*/compiled.txt")
    assert "cardan.numerics.curves.spline.wrap" in remembered.read_text()
