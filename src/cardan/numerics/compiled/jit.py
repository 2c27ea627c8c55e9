"""The one place where kernels are compiled.

`@kernel` compiles a function to machine code with Numba and keeps the result on disk, so that the price is paid
once. Numba does not notice when something that a kernel uses has been edited; `kernel_cache` does, and decides where
compiled code is kept and whether it can be trusted.

`NUMBA_DISABLE_JIT=1` runs the same functions as plain Python, for debugging and coverage.
`CARDAN_BOUNDSCHECK=1` checks every index: an access outside an array raises IndexError instead of reading or writing
foreign memory. It is for tests (`make sanitize`): runs take several times longer, and kernels are cached separately.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import numba
from numba.core import config

from cardan.numerics.compiled.kernel_cache import cache_directory, cache_of

COMPILED = not config.DISABLE_JIT
CHECKED = os.environ.get("CARDAN_BOUNDSCHECK", "0") not in ("", "0")  # whether kernels check every index

# Floating-point liberties that keep NaN and infinity honest: contraction to fused multiply-add, no signed zeros.
# Reference counting is off unless a kernel allocates (`_nrt`): kernels work on arrays that their callers own, and
# counting each array taken out of a table costs more than the arithmetic of a small mechanism.
_OPTIONS: dict[str, Any] = {
    "error_model": "numpy",
    "nogil": True,
    "fastmath": {"contract", "nsz"},
    "no_cfunc_wrapper": True,
    "boundscheck": CHECKED,
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
    dispatcher = numba.njit(**settings)(function)
    dispatcher._cache = kept(function)
    dispatcher._compiler.compile = _announced(dispatcher._compiler.compile)  # called where the disk has nothing
    dispatcher.compile = _in_haste(dispatcher.compile)
    return dispatcher


def kept(function: Callable[..., Any]) -> Any:
    """Where Numba keeps the machine code of a function between runs."""
    return cache_of(function, _OPTIONS)


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
            folder = cache_directory(_OPTIONS)
            known = folder is not None and any(folder.rglob("*.nbi"))
            what = "what is new in this model" if known else "its kernels"
            long = "some seconds" if known else "about half a minute"
            often = "once on this machine" if folder is not None else "in this process"
            print(f"Cardan compiles {what}: {often}, for {long}", file=sys.stderr, flush=True)
        _told = True
        return compile(arguments, result)

    return announced


_told = False
