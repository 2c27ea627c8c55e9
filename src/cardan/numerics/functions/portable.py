"""Functions that the package makes, in copies and other processes: closures over numbers, and functions made of text.

    portable(function)      what pickle writes in place of the function; reading it gives an equal function

Pickle finds functions by their names, which these do not have: it needs their code, and what they contain. Functions of
the user are left to pickle, and to cloudpickle in studies on several processes.
"""

from __future__ import annotations

import builtins
import marshal
import types
from importlib import import_module
from typing import Any

PACKAGE = __name__.partition(".")[0]


class Portable:
    """A function that pickle writes by its content."""

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function

    def __reduce__(self) -> Any:
        function, scope = self.function, self.function.__globals__
        home = scope.get("__name__")
        names = function.__code__.co_names if home is None else ()
        used = {name: portable(scope[name]) for name in names if name in scope}
        cells = tuple(portable(cell.cell_contents) for cell in function.__closure__ or ())
        return _restored, (
            marshal.dumps(function.__code__),
            function.__name__,
            home,
            used,
            function.__defaults__,
            cells,
        )

    def __deepcopy__(self, memo: Any) -> types.FunctionType:
        return self.function


def portable(value: Any) -> Any:
    """The value, or a `Portable` if it is a function that the package has made."""
    if not isinstance(value, types.FunctionType):
        return value
    home = value.__globals__.get("__name__")  # functions made of text have none
    made = home is None or (home.partition(".")[0] == PACKAGE and "<locals>" in value.__qualname__)
    return Portable(value) if made else value


def _restored(code: bytes, name: str, home: str | None, used: dict[str, Any], defaults: Any, cells: Any) -> Any:
    scope = {**used, "__builtins__": builtins} if home is None else vars(import_module(home))
    return types.FunctionType(marshal.loads(code), scope, name, defaults, tuple(map(types.CellType, cells)))
