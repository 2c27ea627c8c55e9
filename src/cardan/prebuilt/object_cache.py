"""Object code that pages and exports contain, kept in the cache directory under what it was compiled from."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import sys
import zlib
from collections.abc import Callable, Iterable
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


def kept_object(folder: Path | None, sources: Iterable[str], make: Callable[[], bytes]) -> bytes:
    """The object code of sources: from the folder, or made and kept there."""
    if folder is None:
        return make()
    digest = hashlib.sha256()
    for text in (*(str(source_digest(PACKAGE / name)) for name in COMPILERS), *sources):
        digest.update(f"{len(text)}\0{text}".encode())
    path = folder / f"{digest.hexdigest()[:32]}.o.gz"
    touch(folder.parent)
    found = b""
    with contextlib.suppress(OSError, EOFError, zlib.error):
        found = gzip.decompress(path.read_bytes())
    if found:
        return found
    found = make()
    with contextlib.suppress(OSError):
        write_whole(path, gzip.compress(found, 6))
    return found


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
