"""One process at a time compiles a kernel; others wait for it, and then read its machine code from the cache.

Processes that start together, such as the workers of a test run, need the same kernels at the same time. A kernel is
one byte of the file `compiling.lock` in the folder of kernels, at a place that follows from its name. A process keeps
the byte of a kernel while it compiles those that the kernel calls; calls have no cycles, so no two processes wait for
each other. The operating system releases the bytes of a process that ends. A process that has waited for long enough
compiles the kernel itself.
"""

from __future__ import annotations

import os
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: each process compiles what it needs
    fcntl = None  # type: ignore[assignment]

LONGEST = 300.0  # s that a process waits for another one, which may have been stopped
SILENT = 3.0  # s of waiting that need no explanation
PAUSE = 0.02  # s between two attempts


@contextmanager
def alone(folder: Path | None, name: str) -> Iterator[None]:
    """Compile the kernel called `name` while no other process that uses the folder compiles it."""
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
        if waited > LONGEST:
            return False
        if waited > SILENT:
            _explain()
        time.sleep(PAUSE)


def _explain() -> None:
    """Say once in a process why it does nothing."""
    global _explained
    if not _explained:
        print("Cardan waits for kernels that another process is compiling", file=sys.stderr, flush=True)
    _explained = True


_explained = False
