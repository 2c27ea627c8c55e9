"""The code of every kernel that analyses enter, before optimization and for any platform.

    collect(folder)        writes index.json and one .ll file for each module that Numba produced

The analyses of `tour` run with an empty cache, since cached kernels have no intermediate code (LLVM IR). Entries are
the kernels that Python calls, and those whose address tables hold.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from numba.core import types
from numba.core.caching import NullCache
from numba.core.codegen import CPUCodeLibrary

from cardan.numerics.compiled import compiler, indirect
from cardan.numerics.compiled.block import OPAQUE
from cardan.numerics.compiled.block_type import BlockType
from cardan.numerics.compiled.cache_folder import source_digest
from cardan.numerics.compiled.jit import Kernel
from cardan.numerics.compiled.kernel_sources import kernel_digest
from cardan.numerics.compiled.library import PACKAGE
from cardan.prebuilt.tour import tour


def collect(folder: Path, run: Callable[[], Any] = tour) -> dict[str, Any]:
    """Write code and index of all kernels that a run enters into a folder; returns the index."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in (*folder.glob("*.ll"), *folder.glob("*.bc"), *folder.glob("index.json")):
        old.unlink()  # modules of another run would be linked with those of this one
    _record_modules(folder)
    compiler.kept = lambda function: NullCache()  # cached machine code has no intermediate code
    run()
    index = {
        "sources": source_digest(PACKAGE),
        "kernels": kernel_digest(PACKAGE),
        "entries": sorted(_entries()),
    }
    (folder / "index.json").write_text(json.dumps(index))
    return index


def _record_modules(folder: Path) -> None:
    """Write each module that Numba adds to a library, as text, from now on."""
    numbers = count()
    add = CPUCodeLibrary.add_ir_module

    def add_and_write(self: Any, module: Any) -> Any:
        (folder / f"{next(numbers)}.ll").write_text(str(module))
        return add(self, module)

    CPUCodeLibrary.add_ir_module = add_and_write


def _entries() -> list[tuple[str, str, str, bool, bool, str]]:
    """Name, types of arguments, type of result, called by Python?, called by address?, symbol."""
    pointed = {(kernel, signature) for kernel, signature in indirect._addresses}
    entries: dict[tuple[str, str], tuple[str, str, str, bool, bool, str]] = {}
    for kernel in [found for found in gc.get_objects() if isinstance(found, Kernel)]:
        if "dispatcher" not in kernel.__dict__:
            continue
        for kinds, compiled in kernel.dispatcher.overloads.items():
            arguments = ",".join(_text(kind) for kind in kinds)
            by_address, by_python = (kernel, arguments) in pointed, not kernel.internal
            if "?" in arguments or not (by_address or by_python):
                continue
            result = _text(types.unliteral(compiled.signature.return_type))
            if set("?ABO") & set(result):  # entries return numbers and tuples of them
                continue
            if (kernel.name, arguments) in entries:
                raise RuntimeError(f"kernel '{kernel.name}' has two overloads for the types {arguments}")
            symbol = compiled.fndesc.llvm_func_name
            entries[kernel.name, arguments] = (kernel.name, arguments, result, by_python, by_address, symbol)
    return list(entries.values())


def _text(kind: Any) -> str:
    """The type as `signature` writes it; "?" for all others, among them types that fix the value of an argument."""
    if isinstance(kind, BlockType):
        return "O" if kind.kind is OPAQUE else f"B{kind.kind.code:016x}"
    if isinstance(kind, types.Array):
        return f"A{kind.ndim}{kind.layout}{'w' if kind.mutable else 'r'}{_text(kind.dtype)}"
    if isinstance(kind, types.BaseTuple):
        return f"({','.join(map(_text, kind))})"
    if isinstance(kind, types.Literal):
        return "?"
    if isinstance(kind, types.Boolean):
        return "b1"
    if isinstance(kind, types.Integer):
        return f"{'i' if kind.signed else 'u'}{kind.bitwidth // 8}"
    if isinstance(kind, types.Float):
        return f"f{kind.bitwidth // 8}"
    if isinstance(kind, types.Complex):
        return f"c{kind.bitwidth // 8}"
    if isinstance(kind, types.NoneType):
        return "n"
    return "?"
