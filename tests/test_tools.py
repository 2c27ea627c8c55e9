"""The tools of the suite: folded cases are all checked, samples cover the suite, quick selects the nearest tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import warming
from cardan.numerics.announcement import table
from cardan.numerics.compiled.settings import COMPILED
from quick import selection

TESTS = Path(__file__).resolve().parent
CASES = """
from folding import folded

@folded(("value", "limit"), [(1, 2), (5, 2), (3, 4), (7, 4)])
def test_small(value, limit):
    assert value < limit
"""


def run(folder: Path, *arguments: str) -> str:
    (folder / "test_it.py").write_text(CASES)
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "conftest", "-p", "no:cacheprovider", "-p", "no:xdist"]
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    return subprocess.run([*command, *arguments], cwd=folder, env=environment, capture_output=True, text=True).stdout


def test_every_failing_case_is_reported(tmp_path: Path) -> None:
    output = run(tmp_path)
    assert "1: 5, 2" in output and "3: 7, 4" in output and "0: 1, 2" not in output
    assert re.search(r"\b3 failed\b.*\b2 subtests passed\b", output)  # two cases, and the test that contains them


def test_cases_can_be_selected(tmp_path: Path) -> None:
    assert re.search(r"1 passed.*1 subtests? passed", run(tmp_path, "--case", "3, 4"))


def test_parts_of_a_sample_cover_the_suite(tmp_path: Path) -> None:
    found = [run(tmp_path, "--collect-only", "--sample", "3", "--sample-part", str(part)) for part in range(3)]
    assert sum("test_it.py::test_small" in output for output in found) == 1


def test_quick_selects_the_nearest_tests() -> None:
    chosen = selection(["src/cardan/counts.py", "src/cardan/numerics/linalg/ldlt.py", "tests/test_examples.py"])
    assert "tests/unit/numerics/linalg/test_ldlt.py" in chosen[:4] and "tests/test_examples.py" in chosen[:4]
    assert "tests/unit/numerics/linalg" not in chosen and "tests/test_closed_forms.py" in chosen
    assert "tests/unit/planar/joints" in selection(["src/cardan/planar/joints/revolute.py"])
    assert selection(["README.md"]) == selection([])


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_workers_compile_from_opposite_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cardan.numerics.compiled import kernel_cache
    from cardan.prebuilt import costs

    done: list[str] = []
    monkeypatch.setattr(costs, "groups", lambda: {name: partial(done.append, name) for name in "abc"})
    monkeypatch.setattr(kernel_cache, "cache_directory", lambda options: tmp_path)
    monkeypatch.setattr(warming, "open_library", lambda: None)
    warming.compile_kernels(last_first=False)
    warming.compile_kernels(last_first=True)
    assert "".join(done) == "abccba"
    (tmp_path / warming.REMEMBERED).write_text("\n".join(table()["costs"]))  # all kernels are in the cache
    warming.compile_kernels(last_first=False)
    assert len(done) == 6
