"""Arrays of results that kernels read: users may replace them by arrays of the same shape only."""

from __future__ import annotations

from typing import Any, Self, overload

import numpy as np

from cardan.errors import ModelError


class CheckedArray:
    """An array of numbers with the shape `_shape(name)` of its result.

    The shape is checked at every access, because NumPy can reshape an array in place.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, result: None, owner: type) -> Self: ...
    @overload
    def __get__(self, result: object, owner: type) -> np.ndarray: ...
    def __get__(self, result: Any, owner: type | None = None) -> Any:
        if result is None:
            return self
        try:
            found = result.__dict__[self.name]
        except KeyError:
            raise AttributeError(self.name) from None
        if found.shape != result._shape(self.name):
            raise self._wrong_shape(result, found)
        return found

    def __set__(self, result: Any, value: object) -> None:
        found = np.asarray(value)
        if found.dtype.kind not in "fiu" or found.shape != result._shape(self.name):
            raise self._wrong_shape(result, found)
        result.__dict__[self.name] = found

    def _wrong_shape(self, result: Any, found: np.ndarray) -> ModelError:
        return ModelError(
            f"'{self.name}' of this {type(result).__name__} must be numbers of shape {result._shape(self.name)}, got "
            f"{found.dtype} of shape {found.shape}; run.until(n) returns a result with fewer output times"
        )
