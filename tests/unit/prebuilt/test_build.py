"""A library of two small kernels, from their source to a call: the same bits as the kernels compiled in process."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cardan.numerics.compiled.entry import Overload, PythonEntry
from cardan.numerics.compiled.settings import COMPILED

pytestmark = [
    pytest.mark.skipif(not COMPILED, reason="nothing is compiled"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler"),
    pytest.mark.skipif(sys.platform != "linux", reason="links as on Linux"),
]

SCRIPT = """
import sys
from pathlib import Path
import numpy as np
from cardan.numerics.compiled.jit import kernel

@kernel(internal=True)
def square(x):
    return x * x

@kernel
def weigh(values, factor, twice):
    total = 0.0
    for k in range(values.shape[0]):
        total += square(values[k]) * np.sin(factor)
    return (2.0 * total if twice else total), values.shape[0]

@kernel
def doubled(values):
    return weigh(values, 0.3, True)[0]  # Numba may compile weigh for these values alone: not an entry

def run():
    doubled(np.array([1.0]))
    found = weigh(np.array([0.1, 0.7, -1.3]), 0.3, True)
    weigh(np.array([[1.0]])[0], 1, False)
    (Path(sys.argv[1]) / "expected.txt").write_text(repr(found))

from cardan.prebuilt.collect import collect
collect(Path(sys.argv[1]), run)
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list]:
    from cardan.prebuilt.link import emit_object, link
    from cardan.prebuilt.targets import targets_of_wheel, wheel_of_this_machine
    from cardan.prebuilt.toolchain import link_library

    folder = tmp_path_factory.mktemp("code")
    subprocess.run([sys.executable, "-c", SCRIPT, str(folder)], check=True, capture_output=True)
    entries = json.loads((folder / "index.json").read_text())["entries"]
    target = targets_of_wheel(wheel_of_this_machine())[0]
    (folder / "kernels.o").write_bytes(emit_object(link(folder, entries, target), target))
    link_library(folder / "kernels.o", target, folder / "kernels.so", cross=False)
    return folder, entries


def test_overloads(built: tuple[Path, list]) -> None:
    _, entries = built
    assert [(entry[0], entry[1], entry[2]) for entry in entries] == [
        ("__main__.doubled", "A1Cwf8", "f8"),
        ("__main__.weigh", "A1Cwf8,f8,b1", "(f8,i8)"),
        ("__main__.weigh", "A1Cwf8,i8,b1", "(f8,i8)"),
    ]


def test_calls_give_the_same_bits(built: tuple[Path, list]) -> None:
    folder, entries = built
    library = ctypes.CDLL(str(folder / "kernels.so"))
    thunks = (ctypes.c_uint64 * len(entries)).in_dll(library, "cardan_thunks")
    entry = PythonEntry()
    for place, (name, arguments, result, *_) in zip(thunks, entries, strict=True):
        if name.endswith("weigh"):
            entry.add(Overload(place, arguments, result))
    assert repr(entry(np.array([0.1, 0.7, -1.3]), 0.3, True)) == (folder / "expected.txt").read_text()


def test_a_library_needs_nothing_of_python(built: tuple[Path, list]) -> None:
    symbols = subprocess.run(["nm", "-D", str(built[0] / "kernels.so")], capture_output=True, text=True).stdout
    assert "cardan_thunks" in symbols and "Py" not in symbols and "numba" not in symbols.lower()


def test_libraries_of_another_index_are_removed(tmp_path: Path) -> None:
    """Entries are numbers in tables: a library must not be read with the index of another."""
    from cardan.prebuilt.build import _write_index

    _write_index(tmp_path, "one")
    (tmp_path / "kernels-linux-x86-64.so").write_bytes(b"code")
    _write_index(tmp_path, "one")
    assert (tmp_path / "kernels-linux-x86-64.so").exists()
    _write_index(tmp_path, "two")
    assert [path.name for path in tmp_path.iterdir()] == ["index.json"]
