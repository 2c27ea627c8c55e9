"""The cache of compiled kernels: where it is, when it may be used, and when it is removed.

    $CARDAN_CACHE or ~/.cache/cardan/          owned by the user or by root, writable by nobody else
        sources-<hash of all sources>          a memo: the digest of the sources that kernels are built from
        kernels-<key>/                         the key covers sources, versions, processor and options
            numerics/spline.wrap.py311.nbi     Numba's index and machine code, by module and function
            functions/...                      user functions, by their dependencies

Numba unpickles these files, so whoever can write them can run code as the user. A folder that others can write, or
could have created, is therefore not used. Without a folder, kernels are compiled again in each process, and one line
on stderr gives the reason. A damaged file is treated as missing; a file that cannot be written is reported once.

Each process that uses a folder updates its modification time. Folders and memos that no process has used for 30 days
are removed.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import inspect
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding
import numba
import numpy as np
from numba.core import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache

from cardan.numerics.compiled.cache_folder import cache_root, private_folder, remembered_digest, touch

PACKAGE = str(Path(__file__).resolve().parents[2])
GENERATED = "<cardan function "  # what the name of a file begins with that exists in memory only; its key follows


def cache_of(function: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    """The cache of one compiled function, for Numba's dispatchers; an empty one where nothing can be kept."""
    folder = cache_directory(options)
    if folder is None:
        return NullCache()
    path = inspect.getfile(function)
    if not path.startswith((PACKAGE, GENERATED)) and not os.path.isfile(path):
        return NullCache()  # typed at a prompt: nothing says when it has changed
    return _KernelCache(function, str(folder), path)


def cache_directory(options: Mapping[str, Any]) -> Path | None:
    """The folder of kernels built by this process with these options; None if there is none that can be trusted."""
    key = ", ".join(f"{name}={_plain(value)}" for name, value in sorted(options.items()))
    if key not in _folders:
        _folders[key] = _find(key)
    return _folders[key]


_folders: dict[str, Path | None] = {}


def _find(options: str) -> Path | None:
    stated = os.environ.get("CARDAN_CACHE")
    try:
        root = cache_root(stated)
        sources = remembered_digest(root)
        if sources is None:
            tell("the sources of the package cannot be read")
            return None
        key = hashlib.sha256(f"{sources} {_environment()} {options}".encode()).hexdigest()[:16]
        folder = private_folder(root / f"kernels-{key}")
        touch(folder)
        if not _folders:
            atexit.register(remove_unused, root)  # at the end, when every folder in use has been touched
        return folder
    except (OSError, ValueError, RuntimeError) as error:  # ValueError: a null byte; RuntimeError: no home directory
        named = f"CARDAN_CACHE={stated!r}" if stated else "the cache directory"
        tell(f"{named} cannot be used: {getattr(error, 'strerror', None) or error}")
        return None


def tell(reason: str) -> None:
    """Say once in a process why kernels are not kept."""
    global _warned
    if not _warned:
        remedy = "they will be compiled again in each process; CARDAN_CACHE names a folder of your own"
        print(f"Cardan does not keep compiled kernels: {reason}; {remedy}", file=sys.stderr, flush=True)
    _warned = True


_warned = False


# --- what is no longer used ------------------------------------------------------------------------------------------

UNUSED_DAYS = 30.0
_ENTRY = re.compile(
    r"kernels-[0-9a-f]{16}|sources-[0-9a-f]{32}|tmp[a-z0-9_]{8}"
)  # tmp: left by a process that was killed


def remove_unused(root: Path) -> None:
    """Remove kernels and memos that no process has used for 30 days; other files are left alone."""
    oldest = time.time() - UNUSED_DAYS * 86400.0
    with contextlib.suppress(OSError):
        for entry in os.scandir(root):
            if _ENTRY.fullmatch(entry.name) and entry.stat(follow_symlinks=False).st_mtime < oldest:
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    os.unlink(entry.path)


# --- what it was built from ------------------------------------------------------------------------------------------


def _environment() -> str:
    """Versions, processor, and the settings of Numba that change machine code."""
    cpu = config.CPU_NAME or llvmlite.binding.get_host_cpu_name()
    features = config.CPU_FEATURES
    if features is None:
        features = llvmlite.binding.get_host_cpu_features().flatten()
    versions = sys.version, sys.byteorder, numba.__version__, llvmlite.__version__, np.__version__
    settings = config.BOUNDSCHECK, config.DEBUGINFO_DEFAULT, config.ENABLE_AVX, sys.platform
    return repr((versions, cpu, features, settings))


def _plain(value: Any) -> str:
    return repr(sorted(value)) if isinstance(value, set | frozenset) else repr(value)


# --- Numba's files ---------------------------------------------------------------------------------------------------


class _KernelCache(FunctionCache):
    """Numba's cache of a function, in our folder. A fault of the disk does not end the program."""

    def __init__(self, function: Callable[..., Any], folder: str, path: str) -> None:
        self._impl_class = lambda function: _Contents(function, _Locator(function, folder, path))
        super().__init__(function)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # damaged, cut off, or not readable: compile again
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            self._save(sig, data)
        except OSError as error:
            tell(f"{self.cache_path} cannot be written: {error.strerror or error}")

    def _save(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:
            raise
        except Exception:  # a damaged index is in the way
            self.flush()
            super().save_overload(sig, data)


class _Contents(CompileResultCacheImpl):
    """The names of files, in a place of ours instead of those that Numba would look for."""

    def __init__(self, function: Callable[..., Any], locator: _Locator) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = locator
        self._filename_base = self.get_filename_base(
            f"{locator.module}.{function.__qualname__}", getattr(sys, "abiflags", "")
        )


class _Locator:
    """Where Numba keeps the files of one function.

    The key of the folder covers the package, so a file of the package needs no further stamp, wherever it is installed
    and on whatever line a function begins. Files outside it are known by their content.
    """

    def __init__(self, function: Callable[..., Any], folder: str, path: str) -> None:
        self._py_file = path  # Numba's warnings name it
        self._stamp, self._place = "", "0"
        self.module = os.path.splitext(os.path.basename(path))[0]
        home = os.path.dirname(os.path.abspath(path))
        if path.startswith(GENERATED):
            self._folder, self.module = os.path.join(folder, "functions"), f"function_{path[len(GENERATED) : -1]}"
        elif home.startswith(PACKAGE):
            self._folder = folder + home[len(PACKAGE) :]
        else:
            name = f"{os.path.basename(home)}_{hashlib.sha256(home.encode()).hexdigest()[:16]}"
            self._folder, self._stamp = os.path.join(folder, name), _content(path)
            self._place = str(function.__code__.co_firstlineno)

    def get_cache_path(self) -> str:
        return self._folder

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return self._place

    def ensure_cache_path(self) -> None:
        os.makedirs(self._folder, exist_ok=True)


@cache
def _content(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()
