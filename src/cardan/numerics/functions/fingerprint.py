"""What a function depends on: its fingerprint, and copies of it in which some of what it names is exchanged.

A user's function is its bytecode and everything the bytecode names: constants, defaults, variables of the enclosing
function, and globals, among them helper functions with what *they* name, and so on. The fingerprint covers all of
it: an edited helper or constant is never mistaken for the old one.
"""

from __future__ import annotations

import builtins
import hashlib
import struct
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

OPAQUE = {"math", "cmath", "numpy", "numba", "builtins", "operator"}
"""Modules known by their name: what they hold changes only with their version."""


def fingerprint(function: Callable[..., Any]) -> str | None:
    """A hash of all that `function` depends on; None if something it names cannot be hashed."""
    digest = hashlib.sha256(f"{sys.version} {np.__version__}".encode())
    try:
        _digest(digest, function, frozenset(), set())
    except _NotHashableError:
        return None
    return digest.hexdigest()[:24]


def rebuilt(
    function: types.FunctionType,
    exchange: Callable[[Any, frozenset[str]], Any],
    module: str,
    announce: Callable[[types.FunctionType], None],
) -> types.FunctionType:
    """A copy of `function`, as if defined in `module`, with each value it names replaced by `exchange(value, names)`.

    `names` are all names in the function's code: an exchanged module needs to hold only these. The copy is announced
    before anything is exchanged, because a function may name itself.
    """
    code, names = function.__code__, _names(function.__code__)
    scope: dict[str, Any] = {"__name__": module, "__builtins__": builtins}
    cells = tuple(types.CellType() for _ in code.co_freevars)
    copy = types.FunctionType(code, scope, function.__name__, function.__defaults__, cells)
    copy.__kwdefaults__, copy.__module__ = function.__kwdefaults__, module
    announce(copy)
    for name in sorted(names):
        if name in function.__globals__:
            scope[name] = exchange(function.__globals__[name], names)
        elif name in builtins.__dict__:
            scope[name] = exchange(builtins.__dict__[name], names)
    for cell, original in zip(cells, function.__closure__ or (), strict=True):
        cell.cell_contents = exchange(original.cell_contents, names)
    return copy


def plain(value: Any) -> Any:
    """The Python function inside a function that the user has compiled himself, or of an object that stands for one,
    such as a spline; any other value as it is."""
    for name in ("py_func", "plain_function"):
        inner = getattr(value, name, None)
        if isinstance(inner, types.FunctionType):
            return inner
    return value


def holds_python(value: Any) -> bool:
    """Is it a module whose functions are the user's Python code?"""
    return isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] not in OPAQUE


class _NotHashableError(Exception):
    pass


def _names(code: types.CodeType) -> frozenset[str]:
    inner = [_names(c) for c in code.co_consts if isinstance(c, types.CodeType)]
    return frozenset(code.co_names).union(*inner)


def _digest(digest: Any, value: Any, names: frozenset[str], seen: set[int]) -> None:
    """Add `value` to the digest, each kind behind its own tag, since values of two kinds may read alike."""
    value = plain(value)
    if value is None or isinstance(value, (bool, int, str, bytes, complex)) or value is Ellipsis:
        digest.update(f"{type(value).__name__}:{value!r};".encode())
    elif isinstance(value, (float, np.floating)):
        digest.update(type(value).__name__.encode() + struct.pack("<d", value))
    elif isinstance(value, (tuple, list)):
        digest.update(f"{type(value).__name__}{len(value)}(".encode())
        for item in value:
            _digest(digest, item, names, seen)
    elif isinstance(value, frozenset):
        digest.update(f"frozenset{sorted(map(repr, value))};".encode())
    elif isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        digest.update(f"array{value.dtype.str}{value.shape}".encode() + np.ascontiguousarray(value).tobytes())
    elif isinstance(value, (np.integer, np.bool_)):
        digest.update(f"{value.dtype.str}{value!r};".encode())
    elif isinstance(value, types.FunctionType):
        _digest_function(digest, value, seen)
    elif isinstance(value, types.ModuleType):
        _digest_module(digest, value, names, seen)
    elif isinstance(value, (types.BuiltinFunctionType, type, np.ufunc)) or type(value).__module__ == "numpy":
        _digest_name(digest, value)
    else:
        raise _NotHashableError


def _digest_function(digest: Any, function: types.FunctionType, seen: set[int]) -> None:
    if id(function) in seen:  # a function that calls itself
        digest.update(f"again:{function.__qualname__};".encode())
        return
    seen.add(id(function))
    names = _names(function.__code__)
    _digest_code(digest, function.__code__, seen)
    _digest(digest, function.__defaults__, names, seen)
    _digest(digest, tuple(sorted((function.__kwdefaults__ or {}).items())), names, seen)
    for cell in function.__closure__ or ():
        _digest(digest, cell.cell_contents, names, seen)
    for name in sorted(names & function.__globals__.keys()):
        digest.update(f"global:{name};".encode())
        _digest(digest, function.__globals__[name], names, seen)


def _digest_code(digest: Any, code: types.CodeType, seen: set[int]) -> None:
    layout = (code.co_argcount, code.co_kwonlyargcount, code.co_flags, code.co_names, code.co_varnames)
    digest.update(f"code{layout}{code.co_freevars}{code.co_cellvars}".encode() + code.co_code)
    digest.update(getattr(code, "co_exceptiontable", b""))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _digest_code(digest, constant, seen)
        else:
            _digest(digest, constant, frozenset(), seen)


def _digest_module(digest: Any, module: types.ModuleType, names: frozenset[str], seen: set[int]) -> None:
    digest.update(f"module:{module.__name__};".encode())
    if not holds_python(module) or id(module) in seen:
        return
    seen.add(id(module))
    for name in sorted(names & module.__dict__.keys()):
        digest.update(f"attribute:{name};".encode())
        _digest(digest, module.__dict__[name], names, seen)


def _digest_name(digest: Any, value: Any) -> None:
    """Functions written in C and NumPy's own: by name. A class of the user's holds code that we do not follow."""
    home = getattr(value, "__module__", None) or "numpy"
    if home.partition(".")[0] not in OPAQUE:
        raise _NotHashableError
    digest.update(f"name:{home}.{value.__name__};".encode())
