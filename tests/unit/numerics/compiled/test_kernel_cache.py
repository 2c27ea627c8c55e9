"""The cache of compiled kernels: whose folder it is, and what happens when the disk does not play along."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cardan.numerics.compiled import cache_folder, kernel_cache
from cardan.numerics.compiled.cache_folder import private_folder
from cardan.numerics.compiled.jit import COMPILED

SOURCES = str(Path(kernel_cache.__file__).resolve().parents[3])
SCRIPT = "from cardan.numerics.curves.spline import wrap; print(wrap(2.5, 0.0, 1.0))"
posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes")
compiled = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")


@pytest.fixture(autouse=True)
def without_library(monkeypatch):
    """What is prebuilt would not be compiled."""
    monkeypatch.setenv("CARDAN_PREBUILT", "0")


def run(script: str = SCRIPT, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": SOURCES, **variables}
    return subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=120)


@posix
def test_a_new_folder_is_private(tmp_path) -> None:
    folder = private_folder(tmp_path / "a" / "b")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o700


@posix
@pytest.mark.parametrize("mode", [0o777, 0o707, 0o702])
def test_a_folder_that_others_can_write_is_rejected(tmp_path, mode) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(mode)
    with pytest.raises(OSError, match="can be written by others"):
        private_folder(shared)
    with pytest.raises(OSError, match="can be written by others"):  # whoever can write above can exchange what is below
        private_folder(shared / "mine")
    shared.chmod(mode | 0o1000)  # sticky: others cannot exchange it
    assert private_folder(shared / "mine") == (shared / "mine").resolve()


@posix
def test_a_group_of_others(tmp_path, monkeypatch) -> None:
    folder = tmp_path / "grouped"
    folder.mkdir()
    folder.chmod(0o770)
    monkeypatch.setattr(cache_folder, "_only_member", lambda group: True)
    assert private_folder(folder)
    monkeypatch.setattr(cache_folder, "_only_member", lambda group: False)
    with pytest.raises(OSError, match="can be written by others"):
        private_folder(folder)


@posix
def test_the_default_folder_is_closed_if_it_is_ours(tmp_path) -> None:
    folder = tmp_path / "cardan"
    folder.mkdir()
    folder.chmod(0o777)
    private_folder(folder, tighten=True)
    assert folder.stat().st_mode & 0o777 == 0o700


@posix
def test_a_foreign_owner_is_rejected(tmp_path, monkeypatch) -> None:
    folder = tmp_path / "planted"
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 4321)
    if os.getuid() == 0:
        os.chown(folder, 1234, 1234)
    with pytest.raises(OSError, match="belongs to another user"):
        private_folder(folder)


@posix
def test_links_lead_to_where_they_lead(tmp_path) -> None:
    """A link in the path is resolved before anything is decided; a file is not a folder."""
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "link").symlink_to(tmp_path / "open")
    with pytest.raises(OSError, match="open can be written by others"):
        private_folder(tmp_path / "link" / "cache")
    (tmp_path / "file").touch()
    with pytest.raises(OSError):
        private_folder(tmp_path / "file")


@compiled
@posix
def test_what_somebody_planted_is_not_unpickled(tmp_path) -> None:
    """The attack: a folder that all can write, in which an index waits that runs code when it is read."""
    first = run(CARDAN_CACHE=str(tmp_path / "cache"))
    assert first.stdout == "0.5\n", first.stderr
    witness = tmp_path / "witness"

    class Attack:
        def __reduce__(self):
            return os.system, (f"touch {witness}",)

    for index in (tmp_path / "cache").rglob("*.nbi"):
        index.write_bytes(pickle.dumps(Attack()))
    (tmp_path / "cache").chmod(0o777)
    second = run(CARDAN_CACHE=str(tmp_path / "cache"))
    assert second.stdout == "0.5\n", second.stderr
    assert "can be written by others" in second.stderr and second.stderr.count("does not keep") == 1
    assert not witness.exists()


@compiled
@pytest.mark.parametrize("stated", ["/dev/null/cache", "a\nb" + "/x" * 3000])
def test_a_bad_setting_costs_the_cache_and_nothing_else(stated) -> None:
    done = run(CARDAN_CACHE=stated)
    assert done.returncode == 0 and done.stdout == "0.5\n", done.stderr
    assert done.stderr.count("Cardan does not keep compiled kernels: CARDAN_CACHE=") == 1
    assert "Traceback" not in done.stderr


@compiled
def test_no_home_at_all() -> None:
    done = run(HOME="/dev/null", XDG_CACHE_HOME="", CARDAN_CACHE="")
    assert done.returncode == 0 and done.stdout == "0.5\n", done.stderr
    assert "Cardan does not keep compiled kernels: the cache directory cannot be used" in done.stderr


@compiled
def test_a_full_disk_costs_the_cache_and_nothing_else(tmp_path) -> None:
    """Every write into the folder fails as on a full disk."""
    full = """
import builtins, errno, os
real = open
def no_room(file, mode="r", *more, **others):
    if "w" in mode and {folder!r} in str(file):
        raise OSError(errno.ENOSPC, "No space left on device")
    return real(file, mode, *more, **others)
builtins.open = no_room
"""
    folder = str(tmp_path / "cache")
    done = run(full.format(folder=folder) + SCRIPT, CARDAN_CACHE=folder)
    assert done.returncode == 0 and done.stdout == "0.5\n", done.stderr
    assert done.stderr.count("No space left on device") == 1 and "Traceback" not in done.stderr


@compiled
def test_a_cache_that_can_only_be_read_is_read(tmp_path) -> None:
    """A read-only home with kernels in it: they are used, in silence; what is new is compiled, with one sentence."""
    folder = tmp_path / "cache"
    assert run(CARDAN_CACHE=str(folder)).returncode == 0
    read_only = """
import errno, os, tempfile
def refuse(*more, **others):
    raise OSError(errno.EROFS, "Read-only file system")
os.mkdir = os.makedirs = os.replace = tempfile.mkstemp = refuse
"""
    done = run(read_only + SCRIPT, CARDAN_CACHE=str(folder))
    assert done.returncode == 0 and done.stdout == "0.5\n" and done.stderr == "", done.stderr
    done = run(read_only + SCRIPT.replace("2.5, 0.0, 1.0", "5, 0, 2"), CARDAN_CACHE=str(folder))
    assert done.returncode == 0 and done.stdout == "1.0\n", done.stderr
    assert done.stderr.count("Read-only file system") == 1 and "Traceback" not in done.stderr


@compiled
def test_damaged_files_are_written_anew(tmp_path) -> None:
    folder = tmp_path / "cache"
    run(CARDAN_CACHE=str(folder))
    for path in [*folder.rglob("*.nbi"), *folder.rglob("*.nbc"), *folder.glob("sources-*")]:
        path.write_bytes(path.read_bytes()[:20])
    done = run(CARDAN_CACHE=str(folder))
    assert done.returncode == 0 and done.stdout == "0.5\n", done.stderr
    assert run(CARDAN_CACHE=str(folder)).stderr == ""  # and it is whole again


@compiled
def test_other_processors_and_settings_have_other_folders(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("CARDAN_CACHE", str(tmp_path))
    names = [kernel_cache._find(options).name for options in ("boundscheck=False", "boundscheck=True")]
    for setting, value in (("CPU_NAME", "generic"), ("CPU_FEATURES", ""), ("BOUNDSCHECK", 1)):
        with monkeypatch.context() as changed:
            changed.setattr(kernel_cache.config, setting, value)
            names.append(kernel_cache._find("boundscheck=False").name)
    assert len(set(names)) == 5 and all(name.startswith("kernels-") for name in names)
    assert kernel_cache._find("boundscheck=False").name == names[0]


def test_folders_unused_for_30_days_are_removed(tmp_path) -> None:
    used, unused = tmp_path / f"kernels-{0:016x}", tmp_path / f"kernels-{1:016x}"
    memo, foreign = tmp_path / f"sources-{2:032x}", tmp_path / "notes"
    for folder in (used, unused, foreign):
        folder.mkdir()
        (folder / "file").touch()
    memo.touch()
    link = tmp_path / f"kernels-{3:016x}"
    link.symlink_to(foreign)
    now = time.time()
    os.utime(used, (now, now - 29 * 86400))
    for path in (unused, memo, foreign, link):
        os.utime(path, (now, now - 31 * 86400), follow_symlinks=False)
    kernel_cache.remove_unused(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [used.name, "notes"]
    assert (foreign / "file").exists()


@compiled
def test_using_kernels_updates_the_time_of_their_folder(tmp_path) -> None:
    assert run(CARDAN_CACHE=str(tmp_path)).returncode == 0
    entries = [path for path in tmp_path.iterdir() if path.name.startswith(("kernels-", "sources-"))]
    assert len(entries) >= 2
    long_ago = time.time() - 31 * 86400
    for path in entries:
        os.utime(path, (long_ago, long_ago))
    assert run(CARDAN_CACHE=str(tmp_path)).returncode == 0
    left = [path.name for path in entries if not path.exists() or path.stat().st_mtime < long_ago + 86400]
    assert not left
