"""Functions that compiled code expands in place, known by name until Numba is needed.

    call_pointer = Intrinsic("cardan.numerics.compiled.address_call", "call_pointer")

The module named is imported, with Numba, before the first kernel is compiled.
"""

from __future__ import annotations

from collections.abc import Callable


class Intrinsic:
    """A function implemented in a module that extends Numba."""

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
