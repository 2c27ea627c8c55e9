"""Kernels as bitcode, compiled for this processor when they are first needed.

    cardan/_kernels/bitcode.xz         code in pieces, for every 64-bit machine
    cardan/_kernels/bitcode.json       sizes of the pieces, those that each one calls, and where entries are
    kernels-<key>/<piece>.o            in the cache directory: a piece for this processor, behind a hash of it

A kernel brings the pieces that it reaches, and no others. LLVM compiles them, without Numba. The cache directory is
trusted as `cache_folder` describes; a damaged file is treated as missing. Without such a directory pieces are compiled
in each process.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import lzma
import os
import struct
import sys
import threading
from collections.abc import Iterable
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from cardan.numerics.compiled.cache_folder import cache_root, private_folder, touch, write_whole
from cardan.numerics.compiled.entry import Overload
from cardan.numerics.compiled.signature import fits

CODE, INDEX = "bitcode.xz", "bitcode.json"
PACE = 510_000.0  # bytes of bitcode compiled per second, as measured once
MIN_SECONDS = 1.5  # s: shorter compilations are not announced


def symbol_of(function: int) -> str:
    """The name of a function that pieces share."""
    return f"cardan.f{function}"


def can_compile() -> bool:
    """Whether this machine has the sizes of words that the code assumes."""
    return struct.calcsize("P") == 8 and sys.byteorder == "little"


class Bitcode:
    """Entries of a library whose code is compiled on demand."""

    def __init__(self, entries: Iterable[Any], folder: Path) -> None:
        index = json.loads((folder / INDEX).read_text("utf-8"))
        self.path = folder / CODE
        self._sizes, self._needs = index["sizes"], index["needs"]
        self._lock = threading.RLock()
        self._loaded: set[int] = set()
        self._waiting: dict[str, dict[str, tuple[str, int, int]]] = {}  # by kernel and types of its arguments
        self._pointed: dict[tuple[str, str], tuple[int, int]] = {}
        for (name, arguments, result, *_), places in zip(entries, index["entries"], strict=True):
            piece, thunk, home, kernel = places
            if thunk >= 0:
                self._waiting.setdefault(name, {})[arguments] = result, piece, thunk
            if kernel >= 0:
                self._pointed[name, arguments] = home, kernel

    def overloads_of(self, name: str, signature: str) -> tuple[list[Overload], bool]:
        """An overload that takes such arguments, if there is one, and whether none is left for others."""
        with self._lock:
            waiting = self._waiting.get(name, {})
            found = signature if signature in waiting else next((one for one in waiting if fits(signature, one)), None)
            if found is None:
                return [], not waiting
            result, piece, thunk = waiting[found]
            overload = Overload(self._address(piece, thunk), found, result)
            del waiting[found]
            return [overload], not waiting

    def address_of(self, name: str, signature: str) -> int | None:
        """The address of a kernel for calls by other kernels; None if it is missing."""
        with self._lock:
            place = self._pointed.get((name, signature))
            return None if place is None else self._address(*place)

    def _address(self, piece: int, function: int) -> int:
        self._load(piece)
        address: int = self._engine.get_function_address(symbol_of(function))
        return address

    def _load(self, piece: int) -> None:
        """Load a piece and all that it calls."""
        missing, waiting = set(), [piece]
        while waiting:
            one = waiting.pop()
            if one not in self._loaded and one not in missing:
                missing.add(one)
                waiting += self._needs[one]
        if not missing:
            return
        for data in self._objects(sorted(missing)):
            self._engine.add_object_file(self._llvm.ObjectFileRef.from_data(data))
        self._engine.finalize_object()
        self._loaded |= missing

    def _objects(self, pieces: list[int]) -> list[bytes]:
        """Machine code of pieces, from the cache or compiled."""
        found = {piece: self._cached(piece) for piece in pieces}
        absent = [piece for piece in pieces if found[piece] is None]
        expected = sum(self._sizes[piece] for piece in absent) / PACE
        if expected > MIN_SECONDS:
            often = "once on this machine" if self._folder is not None else "in this process"
            print(f"Cardan compiles kernels: {often}, about {expected:.0f} s", file=sys.stderr, flush=True)
        for piece in absent:
            found[piece] = self._compiled(piece)
        return [found[piece] or b"" for piece in pieces]

    def _compiled(self, piece: int) -> bytes:
        start = self._starts[piece]
        module = self._llvm.parse_bitcode(self._code[start : start + self._sizes[piece]])
        module.triple, module.data_layout = self._triple, str(self._machine.target_data)
        data: bytes = self._machine.emit_object(module)
        if self._folder is not None:
            with contextlib.suppress(OSError):  # compiled again in the next process
                write_whole(self._folder / f"{piece}.o", hashlib.sha256(data).digest() + data)
        return data

    def _cached(self, piece: int) -> bytes | None:
        if self._folder is None:
            return None
        try:
            data = (self._folder / f"{piece}.o").read_bytes()
        except OSError:
            return None
        return data[32:] if hashlib.sha256(data[32:]).digest() == data[:32] else None

    @cached_property
    def _folder(self) -> Path | None:
        """The folder of machine code of this library for this processor; None if none can be trusted."""
        processor = self._llvm.get_host_cpu_name(), self._llvm.get_host_cpu_features().flatten(), self._triple
        digest = hashlib.sha256(self.path.read_bytes())
        digest.update(repr((processor, self._llvm.llvm_version_info)).encode())
        try:
            folder = private_folder(cache_root(os.environ.get("CARDAN_CACHE")) / f"kernels-{digest.hexdigest()[:16]}")
        except (OSError, ValueError, RuntimeError):
            return None
        touch(folder)
        return folder

    @cached_property
    def _code(self) -> bytes:
        return lzma.decompress(self.path.read_bytes())

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for size in self._sizes:
            starts.append(starts[-1] + size)
        return starts

    @cached_property
    def _llvm(self) -> Any:
        binding = import_module("llvmlite.binding")
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        return binding

    @cached_property
    def _triple(self) -> str:
        """This platform. Windows loads code in the format of Linux, as Numba's does."""
        triple: str = self._llvm.get_process_triple()
        return f"{triple}-elf" if sys.platform == "win32" and not triple.endswith("-elf") else triple

    @cached_property
    def _machine(self) -> Any:
        return self._llvm.Target.from_triple(self._triple).create_target_machine(
            cpu=self._llvm.get_host_cpu_name(),
            features=self._llvm.get_host_cpu_features().flatten(),
            reloc="static" if self._triple.startswith("x86") else "default",  # as Numba loads code
            jit=True,
        )

    @cached_property
    def _engine(self) -> Any:
        module = self._llvm.parse_assembly("")
        module.triple = self._triple
        return self._llvm.create_mcjit_compiler(module, self._machine)
