"""The machine code of a user function, owned by the motion, profile or constraint that uses the function.

Tables of the compiled loop hold only addresses. The code at an address must live as long as the model, so it belongs
to the user's object; it is compiled once, with at most one warning.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cardan.numerics.functions.fingerprint import fingerprint
from cardan.numerics.functions.function import UserFunction, compile_function
from cardan.numerics.functions.portable import portable


class Code:
    """`code()` returns the compiled function, recompiled if a constant or helper that it uses has changed."""

    def __init__(self, function: Callable[..., Any], arguments: int = 1, outputs: int = 1, derivatives: str = "exact"):
        self.stated = (function, arguments, outputs, derivatives)
        # By fingerprint. Code is never dropped, because a compiled model may still call it.
        self._made: dict[tuple[Any, ...], UserFunction] = {}
        self._live: dict[tuple[Any, ...], UserFunction] = {}  # run by the interpreter, with internal state

    def __call__(self, parameters: tuple[float, ...] = (), name: str = "") -> UserFunction:
        function, arguments, outputs, derivatives = self.stated
        if (parameters, name) in self._live:
            return self._live[parameters, name]
        key = (fingerprint(function), parameters, name)
        if key not in self._made:
            self._made[key] = compile_function(
                function, arguments, parameters, outputs, name or function_name(function), derivatives
            )
        if self._made[key].runner is not None:
            self._live[parameters, name] = self._made[key]
        return self._made[key]

    def __reduce__(self) -> Any:
        """A copy of a model, or one in another process, compiles its own code: addresses cannot be copied."""
        function, *others = self.stated
        return Code, (portable(function), *others)


def function_name(function: Callable[..., Any]) -> str:
    """The name of a function in messages."""
    return getattr(function, "__name__", type(function).__name__)
