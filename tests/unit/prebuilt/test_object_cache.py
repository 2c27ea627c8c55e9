"""Object code is kept, used again, and made anew where anything that it was compiled from has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

import cardan.prebuilt.object_cache as object_cache
from cardan.prebuilt.object_cache import keep, kept, object_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "web").mkdir()
    return tmp_path / "web"


def test_code_is_kept_for_its_sources(folder: Path) -> None:
    assert kept(folder, ("a", "b")) is None
    keep(folder, ("a", "b"), b"code")
    assert kept(folder, ("a", "b")) == b"code"
    assert kept(folder, ("ab", "")) is None  # where one source ends counts


def test_without_a_folder_nothing_is_kept() -> None:
    keep(None, ("a",), b"code")
    assert kept(None, ("a",)) is None


@pytest.mark.parametrize("damage", [b"", b"\x1f\x8b", b"not compressed"])
def test_damaged_files_are_not_used(folder: Path, damage: bytes) -> None:
    keep(folder, ("a",), b"code")
    (file,) = folder.iterdir()
    file.write_bytes(damage)
    assert kept(folder, ("a",)) is None
    keep(folder, ("a",), b"code")
    assert kept(folder, ("a",)) == b"code"


def test_code_of_another_compiler_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(folder, ("a",), b"code")
    monkeypatch.setattr(object_cache, "source_digest", lambda package: "another")
    assert kept(folder, ("a",)) is None


def test_a_folder_that_others_can_write_in_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARDAN_CACHE", str(tmp_path / "own"))
    assert object_folder("web") is not None
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    monkeypatch.setenv("CARDAN_CACHE", str(shared))
    assert object_folder("web") is None
