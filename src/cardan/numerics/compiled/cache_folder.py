"""The cache directory: where it is, whether it can be trusted, and the digest of sources remembered in it.

$CARDAN_CACHE or ~/.cache/cardan/          owned by the user or by root, writable by nobody else
    sources-<hash of all sources>          a memo: the digest of the sources that kernels are built from
    kernels-<key>/compiling.lock           which kernels are being compiled
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: each process compiles what it needs
    fcntl = None  # type: ignore[assignment]

PACKAGE = Path(__file__).resolve().parents[2]


def remembered_digest(root: Path) -> str | None:
    """The digest of the sources of kernels, remembered under that of all sources."""
    everything = source_digest(PACKAGE)
    if everything is None:
        return None
    memo = root / f"sources-{everything[:32]}"
    with contextlib.suppress(OSError, ValueError):
        found = memo.read_text("ascii")
        if len(found) == 64:
            touch(memo)
            return found
    from cardan.numerics.compiled.kernel_sources import kernel_digest  # slow: it parses the sources

    found = kernel_digest(PACKAGE)
    with contextlib.suppress(OSError):  # it is only remembered
        write_whole(memo, found.encode())
    return found


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    handle, part = tempfile.mkstemp(dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise


def cache_root(stated: str | None) -> Path:
    """The cache directory, or the one stated; OSError if somebody else could write in it."""
    if stated:
        return private_folder(Path(stated))
    return private_folder(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cardan", tighten=True)


def private_folder(path: Path, tighten: bool = False) -> Path:
    """The folder with links resolved, made if need be; OSError if somebody else could have written in it.

    The owner must be the user or root, here and all the way up; a folder above may be open to others only if they
    cannot replace what is in it (the sticky bit of /tmp). `tighten` closes a folder of the user's own.
    """
    path = path.resolve()
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        with contextlib.suppress(FileExistsError):  # another process was faster: checked below
            os.mkdir(folder, 0o700)
    if os.name != "posix":
        return path
    for folder in (path, *path.parents):
        found = os.lstat(folder)
        if not stat.S_ISDIR(found.st_mode):
            raise OSError(f"{folder} is not a folder")
        if found.st_uid not in (0, os.geteuid()):
            raise OSError(f"{folder} belongs to another user (number {found.st_uid})")
        if not _writable_by_others(found) or (folder != path and found.st_mode & stat.S_ISVTX):
            continue
        if folder == path and tighten and found.st_uid == os.geteuid():
            os.chmod(folder, 0o700)
            continue
        raise OSError(f"{folder} can be written by others (chmod go-w {folder})")
    return path


def _writable_by_others(found: os.stat_result) -> bool:
    if found.st_mode & stat.S_IWOTH:
        return True
    return bool(found.st_mode & stat.S_IWGRP) and not _only_member(found.st_gid)


@cache
def _only_member(group: int) -> bool:
    """Is it the group that many systems make for each user, with nobody else in it?"""
    import grp
    import pwd

    if os.geteuid() == group == 0:
        return True
    try:
        user, entry = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return user.pw_gid == group and entry.gr_name == user.pw_name and not set(entry.gr_mem) - {user.pw_name}


def touch(path: Path) -> None:
    """Mark a file or folder as used."""
    with contextlib.suppress(OSError):  # a cache that belongs to root
        os.utime(path)


def source_digest(package: Path) -> str | None:
    """A hash of every module of the package; None where the sources are not there to be read."""
    digest, count = hashlib.sha256(), 0
    for path, name in source_files(package):
        with open(path, "rb") as file:
            text = file.read()
        digest.update(f"{name}\0{len(text)}\0".encode() + text)
        count += 1
    return digest.hexdigest() if count else None


def source_files(package: Path) -> Iterator[tuple[str, str]]:
    """Paths of all modules and their names within the package, in a fixed order."""
    for folder, folders, files in os.walk(package):
        folders[:] = sorted(inner for inner in folders if inner != "__pycache__")
        inside = os.path.relpath(folder, package).replace(os.sep, ".").strip(".")
        for file in sorted(files):
            if file.endswith(".py"):
                yield os.path.join(folder, file), ".".join(filter(None, (inside, file[:-3])))


# --- one process at a time compiles a kernel ------------------------------------------------------------------------

MAX_WAIT = 300.0  # s that a process waits for another one, which may have been stopped
SILENT = 3.0  # s of waiting that need no explanation
WAIT_INTERVAL = 0.02  # s between two attempts


@contextmanager
def alone(folder: Path | None, name: str) -> Iterator[None]:
    """Compile the kernel called `name` while no other process that uses the folder compiles it.

    Processes that start together, such as the workers of a test run, need the same kernels at the same time. A kernel
    is one byte of the file `compiling.lock` in the folder of kernels, at a place that follows from its name. A
    process keeps the byte of a kernel while it compiles those that the kernel calls; calls have no cycles, so no two
    processes wait for each other. The operating system releases the bytes of a process that ends. A process that has
    waited for long enough compiles the kernel itself.
    """
    handle = None if folder is None or fcntl is None else _opened(folder)
    if handle is None:
        yield
        return
    place = zlib.crc32(name.encode())
    held = _wait(handle, place)
    try:
        yield
    finally:
        if held:
            fcntl.lockf(handle, fcntl.LOCK_UN, 1, place)


def _opened(folder: Path) -> int | None:
    """The file of locks, opened once in a process: closing it would release the locks that the process holds."""
    key = os.getpid(), str(folder)
    if key not in _handles:
        try:
            _handles[key] = os.open(folder / "compiling.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:  # a cache that can only be read
            _handles[key] = None
    return _handles[key]


_handles: dict[tuple[int, str], int | None] = {}


def _wait(handle: int, place: int) -> bool:
    """Wait for the byte of a kernel. False if it cannot be had: the kernel is compiled twice, which harms nothing."""
    begun = time.monotonic()
    while True:
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
            return True
        except BlockingIOError:
            waited = time.monotonic() - begun
        except OSError:  # a file system without locks
            return False
        if waited > MAX_WAIT:
            return False
        if waited > SILENT:
            _warn_once()
        time.sleep(WAIT_INTERVAL)


def _warn_once() -> None:
    """Say once in a process why it does nothing."""
    global _explained
    if not _explained:
        print("Cardan waits for kernels that another process is compiling", file=sys.stderr, flush=True)
    _explained = True


_explained = False
