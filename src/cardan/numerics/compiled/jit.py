"""Kernels: functions that run as machine code.

`@kernel` makes a `Kernel` of a function. Machine code for the types of arguments it is called with comes from

1. the library of kernels built in advance, if one is installed (`library`), as machine code or bitcode;
2. the cache of what was compiled earlier on this machine (`kernel_cache`);
3. Numba, which compiles the function.

Numba is imported for 2 and 3 only, when the first kernel is missing in the library (`compiler`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any

from cardan.numerics.compiled.entry import Entry
from cardan.numerics.compiled.library import overloads_of
from cardan.numerics.compiled.settings import COMPILED as COMPILED
from cardan.numerics.compiled.signature import signature_of

_searching = threading.RLock()  # another thread must not find the overloads half added


def kernel(
    function: Callable[..., Any] | None = None,
    *,
    inline: bool = False,
    internal: bool = False,
    once: bool = False,
) -> Any:
    """Run `function` as machine code: `@kernel`, or with options `@kernel(inline=True)`.

    inline     always expand the function where it is called
    internal   called only by other kernels: it cannot be called from Python, which shortens compilation
    once       called in one place only: it becomes part of its caller and is not compiled separately
    """
    if function is None:
        return lambda f: kernel(f, inline=inline, internal=internal, once=once)
    if not COMPILED:
        return function
    return Kernel(function, inline, internal, once)


class Kernel(Entry):
    """A function that runs as machine code. Other kernels call it directly."""

    def __init__(self, function: Callable[..., Any], inline: bool, internal: bool, once: bool) -> None:
        super().__init__()
        update_wrapper(self, function)
        self.py_func = function
        self.internal = internal or once
        self.targetoptions: dict[str, Any] = {"forceinline": inline, "no_cpython_wrapper": self.internal}
        if once:
            self.targetoptions["inline"] = "always"
        self._searched = False  # nothing is left in the library
        self._added = 0

    @property
    def name(self) -> str:
        """The name under which libraries hold the kernel."""
        return f"{self.py_func.__module__}.{self.py_func.__qualname__}"

    def missing(self, *arguments: Any, **named: Any) -> Any:
        """Called if no overload fits the arguments: look into the library, then let Numba compile."""
        if not self._searched and self._search(arguments, self._added):
            return self(*arguments, **named)
        return self.dispatcher(*arguments, **named)

    def _search(self, arguments: tuple[Any, ...], known: int) -> bool:
        """Add overloads of the library to those known; whether there are more now."""
        with _searching:
            if self._added == known:  # otherwise another thread was faster
                found, complete = overloads_of(self.name, signature_of(arguments))
                for overload in found:
                    self.add(overload)
                self._added += len(found)
                self._searched = complete
            return self._added > known

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's object for the kernel, which compiles it for the types it is called with."""
        from cardan.numerics.compiled.compiler import dispatcher_of

        return dispatcher_of(self)

    def __reduce__(self) -> Any:
        return self.__qualname__  # pickled by reference


# --- what waits for Numba until the first kernel is compiled ----------------------------------------------------------


class Intrinsic:
    """A function that compiled code expands in place, known by name until Numba is needed.

    call_pointer = Intrinsic("cardan.numerics.compiled.address_call", "call_pointer")

    The module named extends Numba; it is imported before the first kernel is compiled.
    """

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name
        _intrinsics.append(self)


def before_compilation(action: Callable[[], None]) -> None:
    """Run an action that needs Numba before the next kernel is compiled."""
    _waiting.append(action)


def prepare(register: Callable[[Intrinsic], None]) -> None:
    """Register new intrinsics and run the actions that wait for compilation."""
    while _intrinsics:
        register(_intrinsics.pop(0))
    while _waiting:
        _waiting.pop(0)()


_intrinsics: list[Intrinsic] = []
_waiting: list[Callable[[], None]] = []
