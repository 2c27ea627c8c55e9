"""The corpus of files that once found a fault, and some hundred new ones with fixed seeds."""

from __future__ import annotations

import random
import sys

import pytest

if sys.platform == "win32":
    pytest.skip("the limits of time and memory need POSIX", allow_module_level=True)

from fuzz.mutations import GRAMMARS, grown, mutated
from fuzz.run import CORPUS, Fault, corpus, inputs, tried
from fuzz.targets import TARGETS, Target, seeds

COUNT = {
    "netcdf": 30,
    "part": 30,
    "store": 30,
    "yaml": 40,
    "json": 40,
    "mjcf": 60,
    "urdf": 80,
    "sdf": 80,
}  # others: 120


@pytest.fixture(scope="module")
def fresh():
    return seeds()


@pytest.mark.parametrize("kind", TARGETS)
def test_the_corpus(kind, tmp_path) -> None:
    for path in sorted((CORPUS / kind).glob("*")):
        try:
            tried(kind, path.read_bytes(), tmp_path)
        except Fault as fault:
            pytest.fail(f"{path.name}: {fault}")


@pytest.mark.parametrize("kind", TARGETS)
def test_sound_files_are_read(kind, tmp_path, fresh) -> None:
    """What the fuzzer begins with is sound: it reaches beyond the first line of a reader."""
    sound = [path.read_bytes() for path in sorted((CORPUS / kind).glob("sound*"))] + fresh.get(kind, [])
    if kind == "part" and not sound:
        pytest.skip("h5netcdf is not installed")
    assert sound
    for data in sound:
        if kind != "store":  # its parts are not there
            assert tried(kind, data, tmp_path) == "read"


@pytest.mark.parametrize("kind", TARGETS)
def test_changed_files(kind, tmp_path, fresh) -> None:
    luck = random.Random(f"{kind} 19")
    stream = inputs(kind, corpus(kind, fresh), luck)
    for _ in range(COUNT.get(kind, 120)):
        data = next(stream)
        try:
            tried(kind, data, tmp_path)
        except Fault as fault:
            (tmp_path / "found").write_bytes(data)
            pytest.fail(f"{fault}\nthe file is {tmp_path / 'found'}")


def test_faults_are_noticed(tmp_path, monkeypatch) -> None:
    """The harness itself: an error that is not ours, time and memory."""

    def spin(path):
        while True:
            pass

    def swell(path):
        return len(bytearray(900 << 20))

    for read, message in ((lambda path: 1 // 0, "ZeroDivisionError"), (spin, "take more than"), (swell, "MB")):
        monkeypatch.setitem(TARGETS, "csv", Target("t.csv", read))
        monkeypatch.setattr("fuzz.run.SECONDS", 0.2)
        with pytest.raises(Fault, match=message):
            tried("csv", b"", tmp_path)
    monkeypatch.setitem(TARGETS, "part", Target("t.nc", spin, library=True))
    assert tried("part", b"", tmp_path) == "library"
    monkeypatch.setitem(TARGETS, "part", Target("t.nc", lambda path: 1 // 0, library=True))
    with pytest.raises(Fault, match="ZeroDivisionError"):
        tried("part", b"", tmp_path)


def test_grammars_grow_files_that_are_read(tmp_path) -> None:
    """Some of what a grammar grows is a machine."""
    luck = random.Random(3)
    found = [tried(kind, grown(kind, luck), tmp_path) for kind in GRAMMARS for _ in range(60)]
    assert "refused" in found
    assert mutated(b"", [], luck) is not None
