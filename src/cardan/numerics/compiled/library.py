"""The library of kernels built in advance.

    cardan/_kernels/index.json                       names, types and numbers of kernels; what they were built from
    cardan/_kernels/kernels-<platform>-<level>.so    machine code, one file for each level of processors
    cardan/_kernels/bitcode.xz                       code for all platforms, compiled on demand (`numerics.bitcode`)

`python -m cardan.prebuilt` writes them; wheels contain machine code or bitcode. The index holds a digest of the sources
that kernels are built from. A library whose digest differs from that of the installed sources is not used. Settings:
`settings.py`.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from cardan.numerics.bitcode import CODE, Bitcode, can_compile
from cardan.numerics.compiled.cache_folder import cache_root, remembered_digest, source_digest
from cardan.numerics.compiled.entry import Overload, supports_v3
from cardan.numerics.compiled.settings import CPU_LEVEL, LIBRARY_REQUIRED, USE_LIBRARY

PACKAGE = Path(__file__).resolve().parents[2]
FOLDER = PACKAGE / "_kernels"
LEVELS = {"x86_64": ("x86-64-v3", "x86-64"), "aarch64": ("generic",)}  # best first
BITCODE = "bitcode"  # in place of a level
SUFFIX = {"win32": "dll", "darwin": "dylib"}.get(sys.platform, "so")


def overloads_of(name: str, signature: str) -> tuple[list[Overload], bool]:
    """Overloads of a kernel in the library, with that for such arguments, and whether these are all."""
    library = open_library()
    return ([], True) if library is None else library.overloads_of(name, signature)


def address_of(name: str, signature: str) -> int | None:
    """The address of a kernel for arguments of certain types, for calls by other kernels; None if it is missing."""
    library = open_library()
    return None if library is None else library.address_of(name, signature)


@cache
def open_library() -> Library | Bitcode | None:
    """The library for this machine; None if there is none, or one of other sources."""
    if not USE_LIBRARY:
        return None
    library = _find()
    if library is None and LIBRARY_REQUIRED:
        raise RuntimeError("CARDAN_PREBUILT=require: no library of kernels for this machine and these sources")
    return library


def _find() -> Library | Bitcode | None:
    try:
        index = json.loads((FOLDER / "index.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if not _is_current(index):
        return None
    for level in supported_levels():
        path = FOLDER / f"kernels-{sys.platform}-{level}.{SUFFIX}"
        if path.exists():
            return Library(index["entries"], path)
    if (FOLDER / CODE).exists() and can_compile() and CPU_LEVEL in (None, BITCODE):
        return Bitcode(index["entries"], FOLDER)
    return None


def _is_current(index: dict[str, Any]) -> bool:
    """Whether the index describes the kernels of the installed sources."""
    if index["sources"] == source_digest(PACKAGE):
        return True
    try:
        return index["kernels"] == remembered_digest(cache_root(os.environ.get("CARDAN_CACHE")))
    except (OSError, ValueError, RuntimeError):  # no cache directory
        return False


def supported_levels() -> tuple[str, ...]:
    """The levels of machine code that this processor runs, best first; the lowest without the compiled entry."""
    levels = LEVELS.get(platform.machine().lower().replace("amd64", "x86_64").replace("arm64", "aarch64"), ())
    return tuple(level for level in levels if (level != "x86-64-v3" or supports_v3()) and CPU_LEVEL in (None, level))


class Library:
    """Machine code and its entries."""

    def __init__(self, entries: Sequence[Any], path: Path) -> None:
        self.path = path
        self.code = ctypes.CDLL(str(path))
        thunks = (ctypes.c_uint64 * len(entries)).in_dll(self.code, "cardan_thunks")
        kernels = (ctypes.c_uint64 * len(entries)).in_dll(self.code, "cardan_kernels")
        self._overloads: dict[str, list[Overload]] = {}
        self._addresses: dict[tuple[str, str], int] = {}
        for k, (name, arguments, result, entered, pointed) in enumerate(entries):
            if entered:
                self._overloads.setdefault(name, []).append(Overload(thunks[k], arguments, result))
            if pointed:
                self._addresses[name, arguments] = kernels[k]

    def overloads_of(self, name: str, signature: str) -> tuple[list[Overload], bool]:
        """All overloads of a kernel."""
        return self._overloads.get(name, []), True

    def address_of(self, name: str, signature: str) -> int | None:
        """The address of a kernel for calls by other kernels; None if it is missing."""
        return self._addresses.get((name, signature))
