"""The library of kernels: when it is used, and that nothing is compiled beside it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cardan.numerics.compiled import library
from cardan.numerics.compiled.library import FOLDER, PACKAGE, open_library
from cardan.numerics.compiled.settings import COMPILED

pytestmark = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")

SCRIPT = """
import sys
import numpy as np
from cardan import kinematics
from cardan.examples import load
kinematics(load("slider-crank").build(), np.linspace(0.0, 0.1, 3), progress=False)
print("numba" in sys.modules)
"""


def ran(package: Path, **settings: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(package.parent), **settings}
    return subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True)


def test_import_does_not_import_numba() -> None:
    script = "import sys, cardan, cardan.planar, cardan.spatial; print({'numba', 'llvmlite'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.skipif(open_library() is None, reason="no library: make kernels")
def test_an_analysis_needs_no_numba() -> None:
    done = ran(PACKAGE, CARDAN_PREBUILT="require")
    assert done.stdout == "False\n", done.stderr


@pytest.mark.skipif(open_library() is None, reason="no library: make kernels")
def test_a_library_of_other_sources_is_not_used(tmp_path: Path) -> None:
    """One changed constant in a kernel: the library is stale. A changed comment elsewhere: it is not."""
    copy = tmp_path / "cardan"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    module = copy / "cli" / "usage.py"
    module.write_text(module.read_text() + "\n# a comment\n")
    assert ran(copy, CARDAN_PREBUILT="require").stdout == "False\n"
    kernels = copy / "planar" / "kernels" / "measures.py"
    kernels.write_text(kernels.read_text().replace("@kernel", "# changed\n@kernel", 1) + "\n")
    text = kernels.read_text()
    start = text.index("def planar_positions")
    kernels.write_text(text[:start] + text[start:].replace('"""', '"""Changed. ', 1))
    done = ran(copy, CARDAN_PREBUILT="require")
    assert done.returncode and "no library of kernels" in done.stderr


@pytest.mark.skipif(open_library() is None, reason="no library: make kernels")
def test_overloads_of_a_kernel_differ_in_their_types() -> None:
    entries = json.loads((FOLDER / "index.json").read_text())["entries"]
    assert len({(name, arguments) for name, arguments, *_ in entries}) == len(entries) > 100


def test_processors_of_lower_levels_get_no_higher_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the extension module, which asks the processor, cannot be loaded."""
    monkeypatch.setattr(library, "supports_v3", lambda: False)
    monkeypatch.setattr(library.platform, "machine", lambda: "AMD64")
    assert library.supported_levels() == ("x86-64",)
    monkeypatch.setattr(library, "supports_v3", lambda: True)
    assert library.supported_levels() == ("x86-64-v3", "x86-64")
