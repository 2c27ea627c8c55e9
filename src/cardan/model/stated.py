"""What users state belongs to the object that it was stated for."""

from __future__ import annotations

import inspect
from abc import ABCMeta
from difflib import get_close_matches
from typing import Any

import numpy as np

from cardan.deprecation import old_arguments
from cardan.errors import ModelError


class Stated(ABCMeta):
    """Classes whose objects own what they are made from.

    Arrays and lists are copied: changing them afterwards changes nothing. Arguments are known by name: one misspelled
    is answered with the one that was meant.
    """

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        given = [owned(value) for value in arguments], {name: owned(value) for name, value in named.items()}
        try:
            return super().__call__(*given[0], **given[1])
        except TypeError:
            taken = cls.__signature__.parameters
            unknown = [name for name in named if name not in taken and name not in old_arguments(cls)]
            if not unknown or any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values()):
                raise
            near = get_close_matches(unknown[0], taken, 1)
            hint = f"did you mean '{near[0]}'?" if near else f"it has: {', '.join(taken)}"
            raise ModelError(f"{cls.__name__} has no argument '{unknown[0]}'; {hint}") from None

    @property
    def __signature__(cls) -> inspect.Signature:
        """What help() and editors show: the arguments of the class, not those of `__call__`."""
        stated = inspect.signature(cls.__init__)  # type: ignore[misc]
        return stated.replace(parameters=[*stated.parameters.values()][1:], return_annotation=stated.empty)


def owned(value: Any) -> Any:
    """A copy of arrays, which cannot be written, of lists and of dictionaries, also within each other; all else as is.

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
