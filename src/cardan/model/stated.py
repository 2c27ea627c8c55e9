"""Base class of objects that own copies of their arguments."""

from __future__ import annotations

import inspect
from abc import ABCMeta
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.deprecation import old_arguments
from cardan.errors import ModelError


class Stated(ABCMeta):
    """Metaclass of classes whose objects own copies of their arguments.

    Arrays and lists are copied, so later changes to them have no effect. Messages about misspelled arguments suggest
    the correct name.
    """

    if not TYPE_CHECKING:  # type checkers see the constructors of the classes

        def __call__(cls, *arguments: Any, **named: Any) -> Any:
            given = [owned(value) for value in arguments], {name: owned(value) for name, value in named.items()}
            try:
                return super().__call__(*given[0], **given[1])
            except TypeError:
                message = cls._mismatch(arguments, named)
                if message:
                    raise ModelError(message) from None
                raise

    def _mismatch(cls, arguments: tuple[Any, ...], named: dict[str, Any]) -> str:
        """The message about an unknown argument or missing required arguments."""
        signature = cls.__signature__
        taken = signature.parameters
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values()):
            return ""
        named = {old_arguments(cls).get(name, name): value for name, value in named.items()}
        unknown = [name for name in named if name not in taken]
        if unknown:
            near = get_close_matches(unknown[0], taken, 1)
            hint = f"did you mean '{near[0]}'?" if near else f"it has: {', '.join(taken)}"
            return f"{cls.__name__} has no argument '{unknown[0]}'; {hint}"
        try:
            bound = signature.bind_partial(*arguments, **named).arguments
        except TypeError:
            return ""
        required = [p.name for p in taken.values() if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
        missing = [name for name in required if name not in bound]
        return f"{cls.__name__} needs {' and '.join(f'{name}=' for name in missing)}" if missing else ""

    @property
    def __signature__(cls) -> inspect.Signature:
        """The signature for help() and editors: the arguments of the class, not those of `__call__`."""
        stated = inspect.signature(cls.__init__)  # type: ignore[misc]
        return stated.replace(parameters=[*stated.parameters.values()][1:], return_annotation=stated.empty)


def set_fields(thing: object, **values: Any) -> None:
    """Set fields of frozen data during construction."""
    for name, value in values.items():
        object.__setattr__(thing, name, value)


def owned(value: object) -> Any:
    """A read-only copy of arrays, and a copy of lists and dictionaries, recursively; anything else unchanged.

    >>> owned(np.array([1.0, 2.0])).flags.writeable
    False
    """
    if isinstance(value, np.ndarray):
        copy = value.copy()
        copy.setflags(write=False)
        return copy
    if type(value) is list:
        return [owned(entry) for entry in value]
    if type(value) is dict:
        return {key: owned(entry) for key, entry in value.items()}
    if type(value) is tuple and any(isinstance(entry, np.ndarray | list | dict | tuple) for entry in value):
        return tuple(owned(entry) for entry in value)
    return value
