"""Named numbers that kernels read and write.

    class Clock(Record):
        now: float                          a real number,
        steps: int                          an integer,
        rates: Address                      or the address of a kernel

    clock = Clock(now=0.5)                  fields that are not given are 0
    clock.now += clock.step                 in Python, and in a kernel that received it in a block

All fields live in one array without axes, `clock.array`, whose address kernels receive.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, get_type_hints

import numpy as np

Address = np.uint64


class Record:
    """A record; a subclass states its fields as annotations."""

    dtype: ClassVar[np.dtype]

    def __init_subclass__(cls) -> None:
        kinds = get_type_hints(cls)
        cls.dtype = np.dtype([(name, kinds[name]) for name in cls.__annotations__], align=True)

    def __init__(self, **values: float) -> None:
        object.__setattr__(self, "array", np.zeros((), self.dtype))
        for name, value in values.items():
            setattr(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name not in self.dtype.fields:
            raise AttributeError(f"{type(self).__name__} has no field '{name}'")
        return self.array[name][()]

    def __setattr__(self, name: str, value: float) -> None:
        if name not in self.dtype.fields:
            raise AttributeError(f"{type(self).__name__} has no field '{name}'")
        self.array[name] = value

    def __reduce__(self) -> Any:
        return _rebuilt, (type(self), self.array.item())

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={array}" for name, array in self.fields())
        return f"{type(self).__name__}({values})"

    def fields(self) -> Iterator[tuple[str, np.ndarray]]:
        """The names of the fields, and arrays without axes that share their memory."""
        for name in self.dtype.names or ():
            yield name, self.array[name]

    def assign(self, other: Record) -> None:
        """Take over the values of another record of the same class."""
        self.array[...] = other.array


def _rebuilt(kind: type[Record], values: tuple[float, ...]) -> Record:
    return kind(**dict(zip(kind.dtype.names or (), values, strict=True)))
