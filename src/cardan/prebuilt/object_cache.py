"""Object code that pages and exports contain, kept in the cache directory under what it was compiled from."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path

from cardan.numerics.compiled.cache_folder import (
    PACKAGE,
    cache_root,
    private_folder,
    remembered_digest,
    source_digest,
    touch,
    write_whole,
)

COMPILERS = "prebuilt", "export"  # packages that turn intermediate code into object code


def kept(folder: Path | None, sources: Iterable[str]) -> bytes | None:
    """The object code that was kept for these sources; None if there is none, or it is damaged."""
    if folder is None:
        return None
    touch(folder.parent)
    with contextlib.suppress(OSError, EOFError, zlib.error):
        return gzip.decompress(_path(folder, sources).read_bytes()) or None
    return None


def keep(folder: Path | None, sources: Iterable[str], code: bytes) -> None:
    """Keep object code for `kept`."""
    if folder is not None:
        with contextlib.suppress(OSError):
            write_whole(_path(folder, sources), gzip.compress(code, 6))


def _path(folder: Path, sources: Iterable[str]) -> Path:
    digest = hashlib.sha256()
    for text in (*(str(source_digest(PACKAGE / name)) for name in COMPILERS), *sources):
        digest.update(f"{len(text)}\0{text}".encode())
    return folder / f"{digest.hexdigest()[:32]}.o.gz"


def object_folder(name: str) -> Path | None:
    """A folder that holds only what the present kernels and this version of Numba give; None if there is none."""
    try:
        root = cache_root(os.environ.get("CARDAN_CACHE"))
        digest = remembered_digest(root)
        if digest is None:
            return None
        from numba import __version__ as version

        key = hashlib.sha256(f"{digest} {version} {sys.version_info[:2]}".encode()).hexdigest()
        return private_folder(private_folder(root / f"kernels-{key[:16]}") / name)
    except (OSError, ValueError, RuntimeError):
        return None
