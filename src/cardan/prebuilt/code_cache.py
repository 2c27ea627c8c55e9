"""Intermediate code of kernels, kept on disk between the processes that compile pages.

    library of a function  =  its own modules  +  the libraries of the functions that it calls

Numba's cache keeps machine code for this machine. Here each compiled function is kept with the text of all modules in
its library: another page that needs the function only links it. Numba numbers functions anew in each process, and two
processes may give different functions the same name: `Conflict` is raised then, and nothing that was kept is used.
"""

from __future__ import annotations

import gzip
import hashlib
import pickle
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import NullCache
from numba.core.codegen import CPUCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from cardan.numerics.compiled import compiler
from cardan.numerics.compiled.cache_folder import write_whole

DEFINED = re.compile(r'^define [^@]*@"?([^"(]+)"?\(', re.MULTILINE)


class Conflict(RuntimeError):
    """Two functions with one name."""


class CollectedCode:
    """The intermediate code of all functions that this process compiles, or loads from `folder`.

    Nothing is optimized for this machine, and nothing is run.
    """

    def __init__(self, folder: Path | None) -> None:
        self._defined: dict[str, str] = {}
        CPUCodeLibrary.add_ir_module = lambda library, module: self._add(library, str(module))
        CPUCodeLibrary.add_linking_library = lambda library, other: _called(library).append(other)
        CPUCodeLibrary.finalize = lambda library: setattr(library, "_finalized", True)
        CPUCodeLibrary.get_pointer_to_function = lambda library, name: 0
        CPUCodeLibrary.serialize_using_object_code = lambda library: (library.name, code_of(library))
        CPUCodeLibrary._unserialize = classmethod(lambda kind, codegen, state: self._restored(codegen, *state))
        JITCPUCodegen.set_env = lambda codegen, name, environment: None
        compiler.kept = lambda function: NullCache() if folder is None else _kept(function, folder)

    def _add(self, library: Any, text: str) -> None:
        """Keep a module; the same function may come from several files."""
        _texts(library).append(text)
        for name in DEFINED.findall(text):
            if self._defined.setdefault(name, text) != text:
                raise Conflict(name)

    def _restored(self, codegen: Any, name: str, texts: list[str]) -> Any:
        library = codegen.create_library(name)
        library._finalized = True
        for text in texts:
            self._add(library, text)
        return library


def code_of(library: Any) -> list[str]:
    """The modules of a function and of all that it calls."""
    waiting = [library]
    for one in waiting:
        waiting += [other for other in _called(one) if not any(other is known for known in waiting)]
    return [*dict.fromkeys(text for one in waiting for text in _texts(one))]


def _texts(library: Any) -> list[str]:
    return vars(library).setdefault("cardan_texts", [])


def _called(library: Any) -> list[Any]:
    return vars(library).setdefault("cardan_called", [])


def _kept(function: Callable[..., Any], folder: Path) -> Any:
    """The cache of a function: kernels of the package, which the name determines."""
    named = function.__module__.startswith("cardan.") and function.__closure__ is None
    return _CodeCache(function, folder) if named else NullCache()


class _CodeCache(NullCache):
    """The overloads of one function on disk."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._name, self._folder = f"{function.__module__}.{function.__qualname__}", folder

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        path = self._path(sig)
        if path is None or not path.exists():
            return None
        target_context.refresh()
        try:
            content = pickle.loads(gzip.decompress(path.read_bytes()))
        except (OSError, EOFError, zlib.error, pickle.UnpicklingError):
            return None
        return CompileResult._rebuild(target_context, *content)

    def save_overload(self, sig: Any, data: Any) -> None:
        path = self._path(sig)
        if path is not None:
            write_whole(path, gzip.compress(dumps(data._reduce()), 1))

    def _path(self, sig: Any) -> Path | None:
        """The file of an overload; None if its types have no name that holds in other processes."""
        words = f"{self._name} {sig}"
        return None if " at 0x" in words else self._folder / f"{hashlib.sha256(words.encode()).hexdigest()[:32]}.gz"
