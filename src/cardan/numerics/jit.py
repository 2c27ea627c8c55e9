"""The one place where kernels are compiled.

`@kernel` compiles a function to machine code with Numba and keeps the result on disk, so that the price is paid
once. Numba does not notice when a function that a kernel calls has been edited; the directory of the cache is
therefore named by a hash of the sources of all kernels.

`NUMBA_DISABLE_JIT=1` runs the same functions as plain Python, for debugging and coverage.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import config

PACKAGE = Path(__file__).resolve().parents[1]
COMPILED = not config.DISABLE_JIT

# Floating-point liberties that keep NaN and infinity honest: contraction to fused multiply-add, no signed zeros.
# Reference counting is off unless a kernel allocates (`_nrt`): kernels work on arrays that their callers own, and
# counting each array taken out of a table costs more than the arithmetic of a small mechanism.
_OPTIONS: dict[str, Any] = {
    "error_model": "numpy",
    "nogil": True,
    "fastmath": {"contract", "nsz"},
    "no_cfunc_wrapper": True,
}


def kernel(
    function: Callable[..., Any] | None = None,
    *,
    inline: bool = False,
    internal: bool = False,
    once: bool = False,
    allocates: bool = False,
) -> Any:
    """Compile `function` on its first call and cache it: `@kernel`, or with options `@kernel(inline=True)`.

    inline     always expand the function where it is called
    internal   called by other kernels only: no way in from Python is made, which saves much of the compilation
    once       called in one place only: it becomes part of its caller instead of being compiled by itself
    allocates  the function makes arrays of its own
    """
    if function is None:
        return lambda f: kernel(f, inline=inline, internal=internal, once=once, allocates=allocates)
    if not COMPILED:
        return function
    settings = dict(_OPTIONS, forceinline=inline, no_cpython_wrapper=internal or once, _nrt=allocates)
    if once:
        settings["inline"] = "always"
    previous = config.CACHE_DIR
    config.CACHE_DIR = str(cache_directory())
    try:
        dispatcher = numba.njit(cache=True, **settings)(function)
    finally:
        config.CACHE_DIR = previous
    dispatcher._compiler.compile = _announced(dispatcher._compiler.compile)  # called where the disk has nothing
    dispatcher.compile = _in_haste(dispatcher.compile)
    return dispatcher


def _in_haste(compile: Callable[..., Any]) -> Callable[..., Any]:
    """Compile with the settings that suit kernels: vectorizers off and plain optimization.

    Measured on the planar kernels: the same speed, at two thirds of the time of compilation.
    """

    def hasty(signature: Any) -> Any:
        saved = config.OPT, config.LOOP_VECTORIZE, config.SLP_VECTORIZE
        config.OPT, config.LOOP_VECTORIZE, config.SLP_VECTORIZE = config._OptLevel(1), 0, 0
        try:
            return compile(signature)
        finally:
            config.OPT, config.LOOP_VECTORIZE, config.SLP_VECTORIZE = saved

    return hasty


def _announced(compile: Callable[..., Any]) -> Callable[..., Any]:
    """Say what is going on before the first compilation of a process: it would look as if nothing happened."""

    def announced(arguments: Any, result: Any) -> Any:
        global _told
        if not _told:
            known = any(cache_directory().rglob("*.nbi"))
            what = "what is new in this model" if known else "its kernels"
            long = "some seconds" if known else "about half a minute"
            print(f"Cardan compiles {what}: once on this machine, for {long}", file=sys.stderr, flush=True)
        _told = True
        return compile(arguments, result)

    return announced


_told = False


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
