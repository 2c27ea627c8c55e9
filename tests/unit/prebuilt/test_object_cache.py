"""Object code is kept, used again, and made anew where anything that it was compiled from has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

import cardan.prebuilt.object_cache as object_cache
from cardan.prebuilt.object_cache import kept_object, object_folder


class Compiler:
    """Counts how often it compiles."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> bytes:
        self.count += 1
        return b"code %d" % self.count


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "web").mkdir()
    return tmp_path / "web"


def test_the_same_sources_are_compiled_once(folder: Path) -> None:
    make = Compiler()
    assert [kept_object(folder, ("a", "b"), make) for _ in range(3)] == [b"code 1"] * 3
    assert kept_object(folder, ("ab", ""), make) == b"code 2"  # where one source ends counts
    assert make.count == 2


def test_without_a_folder_nothing_is_kept() -> None:
    make = Compiler()
    assert [kept_object(None, ("a",), make) for _ in range(2)] == [b"code 1", b"code 2"]


@pytest.mark.parametrize("damage", [b"", b"\x1f\x8b", b"not compressed"])
def test_damaged_files_are_written_anew(folder: Path, damage: bytes) -> None:
    make = Compiler()
    kept_object(folder, ("a",), make)
    (file,) = folder.iterdir()
    file.write_bytes(damage)
    assert [kept_object(folder, ("a",), make) for _ in range(2)] == [b"code 2"] * 2


def test_another_compiler_compiles_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = Compiler()
    kept_object(folder, ("a",), make)
    monkeypatch.setattr(object_cache, "source_digest", lambda package: "another")
    assert kept_object(folder, ("a",), make) == b"code 2"


def test_a_folder_that_others_can_write_in_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARDAN_CACHE", str(tmp_path / "own"))
    assert object_folder("web") is not None
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    monkeypatch.setenv("CARDAN_CACHE", str(shared))
    assert object_folder("web") is None
