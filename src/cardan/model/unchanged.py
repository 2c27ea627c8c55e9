"""Whether a model is the same as before: an exact comparison of everything that its elements consist of.

    seen = remember(model)          None if it contains something that cannot be compared, such as a user's function
    seen.holds()                    a tenth of a millisecond for a small mechanism

Elements are frozen, but nothing prevents a program from writing to an array that it passed, or into an object. Numbers
and texts are compared by identity: an attribute that was assigned again counts as changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from operator import is_
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from cardan.model.model import Model

PACKAGE = __name__.partition(".")[0]
PLAIN = (int, float, complex, str, bytes, type(None), type, Enum, np.generic, np.dtype)
MOST_OBJECTS, MOST_BYTES = 5_000, 1_000_000


def remember(model: Model) -> Remembered | None:
    """The contents of a model; None if they cannot be compared, or are too many to gain time by it."""
    found = Remembered()
    return found if found.take(model) else None


class Remembered:
    """The attributes of objects, the entries of lists and dictionaries and the numbers of arrays, as they were."""

    def __init__(self) -> None:
        self._attributes: list[tuple[dict[Any, Any], tuple[Any, ...], tuple[Any, ...]]] = []  # with keys and values
        self._lists: list[tuple[list[Any], tuple[Any, ...]]] = []
        self._arrays: list[tuple[np.ndarray, bytes]] = []
        self._bytes = 0

    def holds(self) -> bool:
        """Whether everything is as it was."""
        return (
            all(_same(now.values(), values) and tuple(now) == keys for now, keys, values in self._attributes)
            and all(_same(now, values) for now, values in self._lists)
            and all(now.tobytes() == numbers for now, numbers in self._arrays)
        )

    def take(self, thing: Any) -> bool:
        """Remember an object and all within it; whether that is possible."""
        known: dict[int, Any] = {}
        waiting = [thing]
        while waiting:
            part = waiting.pop()
            if isinstance(part, PLAIN) or id(part) in known:
                continue
            known[id(part)] = part
            inner = self._inner(part)
            if inner is None or len(known) > MOST_OBJECTS or self._bytes > MOST_BYTES:
                return False
            waiting += inner
        return True

    def _inner(self, part: Any) -> Iterable[Any] | None:
        """The objects that one consists of; None for one that cannot be compared."""
        if isinstance(part, tuple | frozenset):
            return part
        if isinstance(part, dict):
            return self._named(part)
        if isinstance(part, list):
            self._lists.append((part, tuple(part)))
            return part
        if isinstance(part, np.ndarray):
            if part.dtype.hasobject:
                return None
            self._bytes += part.nbytes
            self._arrays.append((part, part.tobytes()))
            return () if type(part) is np.ndarray else self._named(vars(part))
        own = type(part).__module__.partition(".")[0] == PACKAGE
        return self._named(vars(part)) if own and hasattr(part, "__dict__") else None

    def _named(self, entries: dict[Any, Any]) -> Iterable[Any] | None:
        self._attributes.append((entries, tuple(entries), tuple(entries.values())))
        return (*entries, *entries.values())


def _same(now: Any, before: tuple[Any, ...]) -> bool:
    return len(now) == len(before) and all(map(is_, now, before))
