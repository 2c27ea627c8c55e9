"""Old public names, which keep working in this version with a DeprecationWarning.

Arguments of a function or class are renamed by a decorator, which also renames the attributes of a class:

    @renamed_arguments(free_length="rest_length")
    @dataclass(frozen=True)
    class Spring: ...

    Spring(z, 60.0, free_length=0.2)      # DeprecationWarning: argument 'free_length' of Spring is now 'rest_length'
    old_arguments(Spring)                 # {'free_length': 'rest_length'}, for readers of model files

Names of a package are renamed in its `__getattr__`, attributes and methods of a class by a descriptor:

    __getattr__ = renamed_names(__name__, {"Tyre": "Tire"})
    sway = RenamedAttribute("roll")

This module imports nothing of the package.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

# public classes and measures with a new name, for packages and model files
CLASSES = {
    "BookTyre": "BookTire",
    "Disc": "Disk",
    "Tyre": "Tire",
    "TyreData": "TireData",
    "glide": "velocity_along",
    "swivel": "angular_velocity_about",
}

T = TypeVar("T", bound=Callable[..., Any])

_TABLE = "__renamed_arguments__"


def warn_deprecated(message: str) -> None:
    """Warn at the user's line."""
    warnings.warn(message, DeprecationWarning, user_level())


def warn_renamed(what: str, new: str) -> None:
    """Warn at the user's line that `what` has a new name."""
    warn_deprecated(f"{what} is now {new!r}; the old name will be removed")


def renamed_arguments(**names: str) -> Callable[[T], T]:
    """A decorator for functions and classes that accepts the old names of arguments: `old="new"`.

    >>> @renamed_arguments(colour="color")
    ... def paint(color="red"):
    ...     return color
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     paint(colour="blue"), str(caught[0].message)
    ('blue', "argument 'colour' of paint is now 'color'; the old name will be removed")
    """

    def decorate(target: T) -> T:
        if not isinstance(target, type):
            return _accepting(target, names)
        kind: Any = target
        setattr(kind, _TABLE, old_arguments(kind) | names)
        kind.__init__ = _accepting(kind.__init__, names, kind.__name__)
        for old, new in names.items():
            setattr(kind, old, RenamedAttribute(new, old))
        return target

    return decorate


def old_arguments(target: Any) -> dict[str, str]:
    """The renamed arguments of a function or class: its old names with the new ones."""
    return dict(getattr(target, _TABLE, {}))


def renamed_names(
    package: str, names: Mapping[str, str], otherwise: Callable[[str], Any] | None = None
) -> Callable[[str], Any]:
    """The `__getattr__` of a package with renamed names; `otherwise` finds all others."""

    def find(name: str) -> Any:
        if name in names:
            warn_renamed(f"{package}.{name}", names[name])
            return getattr(sys.modules[package], names[name])
        if otherwise is not None:
            return otherwise(name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find


def keyword_only(*names: str) -> Callable[[T], T]:
    """A decorator for functions of a model whose further arguments, once positional, are keyword-only now.

    >>> @keyword_only("method")
    ... def find(model, *, method="auto"):
    ...     return method
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     find("model", "newton"), str(caught[0].message)
    ('newton', "argument 'method' of find is keyword-only: write method=...")
    """

    def decorate(function: T) -> T:
        @wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            for name, value in zip(names, arguments[1:], strict=False):
                warn_deprecated(f"argument '{name}' of {function.__name__} is keyword-only: write {name}=...")
                named.setdefault(name, value)
            extra = len(arguments) - 1
            return function(*(arguments[:1] if 0 < extra <= len(names) else arguments), **named)

        return call  # type: ignore[return-value]

    return decorate


class RenamedAttribute:
    """An attribute or method of a class under its old name."""

    def __init__(self, new: str, old: str = "") -> None:
        self.new, self.old = new, old

    def __set_name__(self, owner: type, name: str) -> None:
        self.old = name

    def __get__(self, thing: Any, owner: type) -> Any:
        if thing is None:
            return self
        warn_renamed(f"{owner.__name__}.{self.old}", self.new)
        return getattr(thing, self.new)


def _accepting(function: T, names: Mapping[str, str], title: str = "") -> T:
    """The function, taking old names of arguments as well."""
    title = title or function.__name__

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        for old in names.keys() & named.keys():
            new = names[old]
            if new in named:
                raise TypeError(f"{title} got '{old}' and '{new}', which are one argument: pass '{new}' only")
            warn_renamed(f"argument '{old}' of {title}", new)
            named[new] = named.pop(old)
        return function(*arguments, **named)

    setattr(call, _TABLE, old_arguments(function) | dict(names))
    return call  # type: ignore[return-value]


def user_level() -> int:
    """The stack level of the first caller outside of the package."""
    frame, level = sys._getframe(1), 1
    own = __name__.partition(".")[0] + "."
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(own):
        frame, level = frame.f_back, level + 1
    return level
