"""Kernels as bitcode: compiled piece by piece without Numba, kept for the next process, with the bits of Numba."""

from __future__ import annotations

import json
import lzma
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cardan.numerics.bitcode import CODE, INDEX, Bitcode
from cardan.numerics.compiled.entry import PythonEntry
from cardan.numerics.compiled.settings import COMPILED

pytestmark = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")

LOOP = """
    for k in range(values.shape[0]):
        found = found * 0.5 + np.arctan2(values[k], found) + np.cos(found) + np.exp(-found * found) + np.tan(values[k])
"""
COLLECT = """
import sys
from pathlib import Path
import numpy as np
from cardan.numerics.compiled.indirect import pointer_to
from cardan.numerics.compiled.jit import kernel

@kernel(internal=True)
def total(values):
    found = 0.0
    for k in range(values.shape[0]):
        found += np.sin(values[k]) * values[k] + np.hypot(values[k], 3.0)
LOOPS    return found

@kernel
def mean(values):
    return total(values) / values.shape[0]

@kernel
def weighted(values, factor):
    return total(values) * factor, values.shape[0]

@kernel(internal=True)
def far(values):
    values[0] = total(values)
    return np.int64(0)

@kernel
def alone(x):
    return 2.0 * x

def run():
    values = np.array([0.1, 0.7, -1.3])
    pointer_to(far, values)
    alone(1.0)
    (Path(sys.argv[1]) / "expected.txt").write_text(repr((mean(values), weighted(values, 0.3))))

from cardan.prebuilt.collect import collect
collect(Path(sys.argv[1]), run)
""".replace("LOOPS", 8 * LOOP)  # too long to be expanded in its callers
TYPES = {"mean": "A1Cwf8", "weighted": "A1Cwf8,f8", "alone": "f8"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list]:
    from cardan.prebuilt.link import link
    from cardan.prebuilt.pieces import write_pieces
    from cardan.prebuilt.targets import BITCODE

    folder = tmp_path_factory.mktemp("code")
    subprocess.run([sys.executable, "-c", COLLECT, str(folder)], check=True, capture_output=True)
    entries = json.loads((folder / "index.json").read_text())["entries"]
    write_pieces(link(folder, entries, BITCODE), len(entries), folder)
    return folder, [entry[:-1] for entry in entries]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tmp_path.chmod(0o700)
    monkeypatch.setenv("CARDAN_CACHE", str(tmp_path))
    return tmp_path


def called(library: Bitcode, name: str, *arguments: object) -> object:
    entry = PythonEntry()
    for overload in library.overloads_of(f"__main__.{name}", TYPES[name])[0]:
        entry.add(overload)
    return entry(*arguments)


def kept(cache: Path) -> list[Path]:
    return sorted(cache.glob("kernels-*/*.o"))


def test_calls_give_the_bits_of_numba(built: tuple[Path, list], cache: Path) -> None:
    folder, entries = built
    library, values = Bitcode(entries, folder), np.array([0.1, 0.7, -1.3])
    found = called(library, "mean", values), called(library, "weighted", values, 0.3)
    assert repr(found) == (folder / "expected.txt").read_text()
    assert library.address_of("__main__.far", "A1Cwf8") and library.address_of("__main__.far", "f8") is None


def test_a_kernel_brings_its_pieces_and_no_others(built: tuple[Path, list], cache: Path) -> None:
    folder, entries = built
    library = Bitcode(entries, folder)
    assert called(library, "alone", 1.5) == 3.0 and len(kept(cache)) == 1
    called(library, "mean", np.ones(2))
    assert len(kept(cache)) == 3, "its own piece and that which it shares with others"
    called(library, "weighted", np.ones(2), 1.0)
    assert len(kept(cache)) == 4


def test_other_types_get_nothing(built: tuple[Path, list], cache: Path) -> None:
    folder, entries = built
    library = Bitcode(entries, folder)
    assert library.overloads_of("__main__.alone", "i8") == ([], False)
    assert library.overloads_of("__main__.absent", "f8") == ([], True)
    assert library.overloads_of("__main__.alone", "f8")[1], "nothing is left"
    assert kept(cache), "only what was asked for is compiled"


def test_code_is_kept_and_damaged_files_are_made_again(
    built: tuple[Path, list], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, entries = built
    assert called(Bitcode(entries, folder), "alone", 1.5) == 3.0
    (path,) = kept(cache)
    good = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(Bitcode, "_compiled", lambda self, piece: pytest.fail("compiled again"))
        assert called(Bitcode(entries, folder), "alone", 1.5) == 3.0
    for bad in (good[:-1], good[:40] + b"x" + good[41:], b""):
        path.write_bytes(bad)
        assert called(Bitcode(entries, folder), "alone", 1.5) == 3.0
        assert path.read_bytes() == good


@pytest.mark.skipif(os.name != "posix", reason="permissions")
def test_a_folder_that_others_can_write_is_not_used(built: tuple[Path, list], cache: Path) -> None:
    folder, entries = built
    called(Bitcode(entries, folder), "alone", 1.5)
    (path,) = kept(cache)
    path.parent.chmod(0o777)
    data = path.read_bytes()
    path.write_bytes(b"other")
    assert called(Bitcode(entries, folder), "alone", 1.5) == 3.0
    assert path.read_bytes() == b"other" != data, "compiled in the process"


def test_code_of_another_library_is_not_used(built: tuple[Path, list], cache: Path, tmp_path: Path) -> None:
    """Folders of object code are named after all of the bitcode: equal numbers of pieces do not matter."""
    folder, entries = built
    called(Bitcode(entries, folder), "alone", 1.5)
    other = tmp_path / "other"
    other.mkdir()
    (other / INDEX).write_bytes((folder / INDEX).read_bytes())
    (other / CODE).write_bytes(lzma.compress(lzma.decompress((folder / CODE).read_bytes()), preset=0))
    called(Bitcode(entries, other), "alone", 1.5)
    assert len({path.parent for path in kept(cache)}) == 2
