"""Compilation of kernels by Numba: everything that kernels need of it, imported when the first one is compiled."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numba
from numba.core import config, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.typing.templates import builtin_registry
from numba.extending import typeof_impl

from cardan.numerics.announcement import announcement
from cardan.numerics.compiled import block_type  # noqa: F401  (Numba learns of blocks)
from cardan.numerics.compiled.cache_folder import alone
from cardan.numerics.compiled.jit import Intrinsic, Kernel, prepare
from cardan.numerics.compiled.kernel_cache import cache_directory, cache_of
from cardan.numerics.compiled.settings import CHECKED, LIBRARY_REQUIRED

# Floating-point liberties that preserve NaN and infinity: contraction to fused multiply-add, no signed zeros.
# Reference counting is off: kernels use arrays that their callers own, and counting each array read from a table costs
# more than the arithmetic of a small mechanism.
OPTIONS: dict[str, Any] = {
    "error_model": "numpy",
    "nogil": True,
    "fastmath": {"contract", "nsz"},
    "no_cfunc_wrapper": True,
    "_nrt": False,
    "boundscheck": CHECKED,
}


def dispatcher_of(kernel: Kernel) -> Any:
    """Numba's dispatcher for a kernel, with its machine code kept on disk."""
    dispatcher = numba.njit(**OPTIONS, **kernel.targetoptions)(kernel.py_func)
    dispatcher._cache = kept(kernel.py_func)
    dispatcher._compiler.compile = _announced(dispatcher._compiler.compile, kernel)  # called if the disk has nothing
    dispatcher.compile = _quickly(dispatcher.compile, kernel.name)
    return dispatcher


def kept(function: Callable[..., Any]) -> Any:
    """Where Numba keeps the machine code of a function between runs."""
    return cache_of(function, OPTIONS)


@typeof_impl.register(Kernel)
def _type_of_kernel(kernel: Kernel, context: Any) -> types.Type:
    return types.Dispatcher(kernel.dispatcher)


def _register(function: Intrinsic) -> None:
    """Let Numba find the implementation under the placeholder, too."""
    implementation = getattr(import_module(function.module), function.name)
    builtin_registry.globals.append((function, dict(builtin_registry.globals)[implementation]))


def _quickly(compile: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Compile with the settings that suit kernels: no vectorizers, plain optimization.

    Measured on the planar kernels: the same speed of the code, at two thirds of the compilation time.
    """

    def quickly(signature: Any) -> Any:
        announcement.called(name)
        prepare(_register)  # modules imported since the last compilation may extend what kernels can call
        with global_compiler_lock, alone(cache_directory(OPTIONS), name):  # one thread, then one process
            saved = config.OPT, config.LOOP_VECTORIZE, config.SLP_VECTORIZE
            config.OPT, config.LOOP_VECTORIZE, config.SLP_VECTORIZE = config._OptLevel(1), 0, 0
            try:
                return compile(signature)
            finally:
                config.OPT, config.LOOP_VECTORIZE, config.SLP_VECTORIZE = saved

    return quickly


def _announced(compile: Callable[..., Any], kernel: Kernel) -> Callable[..., Any]:
    """Announce compilation, and show its progress: otherwise the program seems to hang."""

    def announced(arguments: Any, result: Any) -> Any:
        if LIBRARY_REQUIRED and kernel.name.startswith("cardan."):
            raise RuntimeError(f"kernel '{kernel.name}' is not in the library for the types {arguments}")
        announcement.begin(kernel.name, cache_directory(OPTIONS))
        try:
            return compile(arguments, result)
        finally:
            announcement.end()

    return announced
