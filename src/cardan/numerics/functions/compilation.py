"""Compilation of a user function on jets, cached with everything the function depends on.

The compiled entry is a few generated lines around the user's function:

    def evaluate(z, zdot, out):
        try:
            r0 = function(load_argument(2, 0, z, zdot), load_argument(2, 1, z, zdot), z[2])
        except Exception:
            return 2
        ...

They exist in memory only, under a file name made of the function's fingerprint, and the machine code is kept by that
name. The user's function is put into their module and may come from a script, a notebook or a prompt; on a
cache hit it is not read. What cannot be fingerprinted is compiled without a cache.
"""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numba
from numba.core import types as numba_types
from numba.core.ccallback import CFunc

from cardan.numerics.autodiff.jet_type import load_argument, store_result
from cardan.numerics.compiled.compiler import kept
from cardan.numerics.compiled.kernel_cache import GENERATED
from cardan.numerics.functions.fingerprint import fingerprint, holds_python, plain, rebuilt

# As for every kernel (`jit.py`): division by zero gives infinity, NaN stays NaN.
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"contract", "nsz"}}
_POINTER = numba_types.CPointer(numba_types.float64)
_SIGNATURE = numba_types.int32(_POINTER, _POINTER, _POINTER)


class Native(NamedTuple):
    """Machine code of one function; `code` keeps it alive."""

    address: int
    cache_hit: bool
    code: Any


class NotCompilableError(Exception):
    """Numba rejects the function; the message states the reason."""


def compile_jets(
    function: Callable[..., Any], arguments: int, parameters: int, outputs: int, plain_numbers: bool = False
) -> Native:
    """Machine code for `function` on jets of its arguments, or on plain numbers, without derivatives."""
    mark = fingerprint(function)
    key = None if mark is None else f"{mark}_{arguments}_{parameters}_{outputs}{'_plain' if plain_numbers else ''}"
    if key in _COMPILED:
        return _COMPILED[key]
    text = (_plain_text if plain_numbers else _entry_text)(arguments, parameters, outputs)
    module = _module(f"cardan_function_{key or len(_UNNAMED)}", text, f"{GENERATED}{key}>")
    module.function = compilable(function, module.__name__)
    code = _compile(module.evaluate, cache=key is not None)
    native = Native(code.address, code.cache_hits > 0, code)
    if key is None:
        _UNNAMED.append(module)
    else:
        _COMPILED[key] = native
    return native


_COMPILED: dict[str | None, Native] = {}
_UNNAMED: list[types.ModuleType] = []


def _compile(entry: Callable[..., int], cache: bool) -> Any:
    code = CFunc(entry, (_SIGNATURE.args, _SIGNATURE.return_type), locals={}, options=_OPTIONS)
    if cache:
        code._cache = kept(entry)
    try:
        code.compile()
    except Exception as error:
        raise NotCompilableError(_reason(error)) from error
    return code


def compilable(value: Any, module: str, names: frozenset[str] = frozenset(), done: dict | None = None) -> Any:
    """The same function with all Python functions that it names marked for compilation."""
    done = {} if done is None else done
    value = plain(value)
    if id(value) in done:
        return done[id(value)]
    if isinstance(value, types.FunctionType):
        rebuilt(
            value,
            lambda v, n: compilable(v, module, n, done),
            module,
            lambda copy: done.update({id(value): numba.njit(**_OPTIONS)(copy)}),
        )
        return done[id(value)]
    if holds_python(value):
        proxy = types.ModuleType(value.__name__)
        done[id(value)] = proxy
        for name in names & vars(value).keys():
            setattr(proxy, name, compilable(vars(value)[name], module, names, done))
        return proxy
    return value


def _entry_text(arguments: int, parameters: int, outputs: int) -> str:
    jets = [f"load_argument({arguments}, {i}, z, zdot)" for i in range(arguments)]
    plain_numbers = [f"z[{arguments + k}]" for k in range(parameters)]
    results = [f"r{k}" for k in range(outputs)]
    lines = [
        "def evaluate(z, zdot, out):",
        "    try:",
        f"        {', '.join(results)} = function({', '.join(jets + plain_numbers)})",
        "    except Exception:",
        "        return 2",
        "    finite = True",
        *(f"    finite &= store_result({arguments}, {k}, {r}, out)" for k, r in enumerate(results)),
        "    return 0 if finite else 1",
    ]
    return "\n".join(lines) + "\n"


def _plain_text(arguments: int, parameters: int, outputs: int) -> str:
    numbers = [f"z[{k}]" for k in range(arguments + parameters)]
    results = [f"r{k}" for k in range(outputs)]
    lines = [
        "def evaluate(z, zdot, out):",
        "    try:",
        f"        {', '.join(results)} = function({', '.join(numbers)})",
        "    except Exception:",
        "        return 2",
        *(f"    out[{k}] = {r}" for k, r in enumerate(results)),
        f"    total = {' + '.join(f'0.0 * out[{k}]' for k in range(outputs))}",
        "    return 0 if total == 0.0 else 1",
    ]
    return "\n".join(lines) + "\n"


def _module(name: str, text: str, path: str) -> types.ModuleType:
    module = types.ModuleType(name)
    module.load_argument, module.store_result = load_argument, store_result
    exec(compile(text, path, "exec"), module.__dict__)
    sys.modules[name] = module  # where Numba looks when it loads the cache entry
    return module


def _reason(error: Exception) -> str:
    """The line of Numba's long message that says what it stumbled over."""
    message = re.sub(r" at 0x[0-9a-f]+", "", str(error)).replace("Untyped global name 'function': ", "")
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    telling = (
        "Untyped global name",
        "Unknown attribute",
        "No implementation of function",
        "Cannot unify",
        "Unsupported",
    )
    for line in lines:
        for phrase in telling:
            if phrase.lower() in line.lower():
                return line[line.lower().index(phrase.lower()) :][:160].rstrip(".:")
    useful = [line for line in lines if not line.startswith("Failed in nopython")]
    return (useful[0] if useful else type(error).__name__)[:160].rstrip(".:")
