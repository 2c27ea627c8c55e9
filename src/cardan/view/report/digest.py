"""digest(model): a short word that changes with every number of a model, for reports and comparisons.

It covers names, classes and all data of every element, in the order in which they were added, user's functions by what
they compute. It does not depend on where the model was made or on what was done with it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import FunctionType
from typing import Any

import numpy as np

from cardan.model.element import Element
from cardan.model.model import Model
from cardan.numerics.functions.fingerprint import fingerprint
from cardan.numerics.functions.function import UserFunction

LETTERS = 16


def digest(model: Model) -> str:
    """Sixteen letters of a hash of the model.

    >>> from cardan.examples import load
    >>> example = load("four-bar")
    >>> digest(example.build()) == digest(example.build()), len(digest(example.build()))
    (True, 16)
    """
    found = hashlib.sha256()
    for text in (model.name, model.space.name, *_texts(model.gravity, set())):
        found.update(f"{text}\0".encode())
    for element in model:
        for text in _own(element, set()):
            found.update(f"{text}\0".encode())
    return found.hexdigest()[:LETTERS]


def _own(value: Any, seen: set[int]) -> Iterator[str]:
    """The class and all stated data of an object."""
    yield type(value).__name__
    if isinstance(value, UserFunction):
        data: dict[str, Any] = {"name": value.name, "parameters": value.parameters, "does": value.python}
    elif is_dataclass(value):
        data = {field.name: getattr(value, field.name) for field in fields(value) if field.init or field.name == "name"}
    else:
        data = dict(vars(value))
    if getattr(value, "modal_coordinates", ()):  # of a flexible body
        data |= {"part": value.part, "deformation": value.deformation, "deformation_rate": value.deformation_rate}
    for name, part in data.items():
        yield name
        yield from _texts(part, seen | {id(value)})


def _texts(value: Any, seen: set[int]) -> Iterator[str]:
    """A value in letters; elements by their names."""
    if value is None or isinstance(value, bool | int | str):
        yield repr(value)
    elif isinstance(value, float | np.floating):
        yield float(value).hex()
    elif isinstance(value, np.ndarray):
        yield f"{value.shape}"
        yield from (number.hex() for number in np.asarray(value, float).ravel().tolist())
    elif isinstance(value, Element) and value.name:
        yield f"@{value.name}"
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _texts(key, seen)
            yield from _texts(part, seen)
    elif isinstance(value, Sequence | set | frozenset):
        yield f"{len(value)}"
        for part in value:
            yield from _texts(part, seen)
    elif isinstance(value, FunctionType):
        yield fingerprint(value) or value.__qualname__
    elif isinstance(value, type):
        yield value.__qualname__
    elif id(value) in seen:
        yield "again"
    else:
        yield from _own(value, seen)
