"""The one place where kernels are compiled.

`@kernel` compiles a function to machine code with Numba and keeps the result on disk, so that the price is paid
once. Numba does not notice when a function that a kernel calls has been edited; the directory of the cache is
therefore named by a hash of the sources of all kernels.

`NUMBA_DISABLE_JIT=1` runs the same functions as plain Python, for debugging and coverage.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

PACKAGE = Path(__file__).resolve().parents[1]
COMPILED = not numba.config.DISABLE_JIT

# Floating-point liberties that keep NaN and infinity honest: contraction to fused multiply-add, no signed zeros.
# Reference counting is off: kernels work on arrays that their callers own and allocate none, and counting each array
# taken out of a tuple costs more than the arithmetic of a small mechanism.
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True, "fastmath": {"contract", "nsz"}, "_nrt": False}


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile `function` on its first call and cache it: `@kernel`, `@kernel(inline=True)`, `@kernel(allocates=True)`."""
    if function is None:
        return lambda f: kernel(f, **options)
    if not COMPILED:
        return function
    settings = dict(_OPTIONS)
    if options.pop("inline", False):
        settings["forceinline"] = True
    if options.pop("allocates", False):
        settings.pop("_nrt")
    settings.update(options)
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_directory())
    try:
        return numba.njit(cache=True, **settings)(function)
    finally:
        numba.config.CACHE_DIR = previous


def cache_directory() -> Path:
    """Where compiled kernels are kept: `$CARDAN_CACHE`, or the user's cache directory."""
    global _directory
    if _directory is None:
        _directory = _root() / f"kernels-{_source_hash()}"
        _directory.mkdir(parents=True, exist_ok=True)
    return _directory


_directory: Path | None = None


def _root() -> Path:
    stated = os.environ.get("CARDAN_CACHE")
    if stated:
        return Path(stated)
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    try:
        (home / "cardan").mkdir(parents=True, exist_ok=True)
        return home / "cardan"
    except OSError:  # a read-only home: compile for this machine's temporary directory instead
        return Path(tempfile.gettempdir()) / "cardan"


def _source_hash() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_bytes()
        if b"@kernel" in source or b"numba" in source:
            digest.update(path.name.encode() + b"\0" + source)
    return digest.hexdigest()[:16]
