"""What files of others may read, and how cheap hints are."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from cardan.errors import ModelError
from cardan.untrusted import MOST_LETTERS, OutsideError, Reach, close_match, contents


def test_reach(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    for folder in (home / "inner", other):
        folder.mkdir(parents=True)
    (home / "link").symlink_to(other)
    (home / "around").symlink_to(home / "around")
    reach = Reach(home)
    assert reach.found(home, "inner/../a.stl") == home.resolve() / "a.stl"
    assert reach.found(home / "inner", "../a.stl") == home.resolve() / "a.stl"
    for name in ("../other/a.stl", str(other / "a"), "link/a", "/", "..", "inner/../../other"):
        with pytest.raises(OutsideError, match="is outside the folder"):
            reach.found(home, name)
    assert Reach(home, [other]).found(home, "link/a") == other.resolve() / "a"
    assert Reach(home, "/").found(home, "../other/a") == other.resolve() / "a"
    with pytest.raises(ModelError, match="not a path"):
        reach.found(home, "a\0b")
    with pytest.raises(ModelError):
        reach.found(home, "around/a")


def test_a_folder_whose_name_begins_alike_is_another(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home2").mkdir()
    with pytest.raises(OutsideError):
        Reach(tmp_path / "home").found(tmp_path / "home", "../home2/a")


def test_contents(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    assert contents(tmp_path / "a") == b"abc"
    for path in (tmp_path, Path("/dev/zero"), tmp_path / "none", Path("a\0b")):
        with pytest.raises(OSError):
            contents(path)


def test_hints_stay_cheap() -> None:
    assert close_match("crnk", ["rod", "crank"]) == "crank"
    assert close_match("crnk", ["rod"]) is None
    assert close_match("c" * 10_000, ["c" * 9_999]) is None
    many = [f"body_number_{k}" for k in range(100_000)]
    begun = time.process_time()
    for _ in range(10):
        close_match("body_numbre_99999", many)
    assert time.process_time() - begun < 2.0  # 0.3 s; comparing all takes 20
    assert close_match("body_numbr_7", many) is not None
    assert MOST_LETTERS < 100_000
