"""Small arrays and other facts of a file as JSON; numbers are restored exactly."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

MAX_MATRIX_SIZE = 10_000_000  # rows and columns of a matrix


def text_of(facts: Any) -> str:
    """Numbers, strings, lists, dictionaries with string keys, and arrays, as one line of JSON."""
    return json.dumps(facts, default=_stated, separators=(",", ":"), ensure_ascii=False)


def facts_of(text: str) -> Any:
    """The inverse of `text_of`."""
    return json.loads(text, object_hook=_array)


def _stated(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        flat = value.view(float) if value.dtype.kind == "c" else value
        return {"array": flat.ravel().tolist(), "shape": [*value.shape], "type": value.dtype.str[1:]}
    if type(value).__module__.startswith("scipy.sparse"):
        found = value.tocoo()
        return {"sparse": [*found.shape], "row": found.row, "column": found.col, "value": found.data}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, complex):
        return {"array": [value.real, value.imag], "shape": [], "type": "c16"}
    raise TypeError(f"a file cannot store {type(value).__name__}")


def _array(found: dict[str, Any]) -> Any:
    if "array" in found and "type" in found:
        kind = np.dtype(found["type"])
        if kind.kind not in "biufc" or kind.itemsize > 16:
            raise ValueError(f"arrays of {kind} are not numbers")
        flat = np.array(found["array"], float if kind.kind == "c" else kind)
        return (flat.view(kind) if kind.kind == "c" else flat).reshape(found["shape"])
    if "sparse" in found:
        import scipy.sparse as sp  # only linear models have such matrices

        rows, columns = (int(length) for length in found["sparse"])
        if not 0 <= rows <= MAX_MATRIX_SIZE or not 0 <= columns <= MAX_MATRIX_SIZE:
            raise ValueError("a matrix is too large")
        places = found["row"].astype(int), found["column"].astype(int)
        return sp.csr_array((found["value"], places), shape=tuple(found["sparse"]))
    return found
