"""Kernels as object files of WebAssembly.

Machine code in Numba's cache is made for this machine, and pointers have another size in WebAssembly: kernels are
compiled from their sources once more, in a process of its own, and kept in the cache directory. Kernels of a package
share an object file: they call the same functions, and pages of other models need them too.

    python -m cardan.prebuilt.web_objects REQUEST OUT [KEPT]    writes an object file for each group of kernels in OUT
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from cardan.errors import CardanError
from cardan.numerics.compiled.block import OPAQUE, BlockKind, _kinds, kind_of
from cardan.numerics.compiled.signature import split
from cardan.prebuilt.argument_types import numba_type, words_of_all
from cardan.prebuilt.object_cache import keep, kept, object_folder
from cardan.prebuilt.targets import Target

KERNELS, CALLS = "cardan_kernels", "cardan_calls"  # tables of functions: kernels, and those around them that pages call
TARGET = Target(
    "wasm32", "generic", "wasm32-unknown-unknown", "generic", "o", "", "",
    features="+bulk-memory,+nontrapping-fptoint,+sign-ext,+mutable-globals", relocation="static",
)  # fmt: skip

SPACES = "cardan.planar.kernels.measures", "cardan.spatial.kernels.frames"  # what kernels of both spaces call by type

Wanted = tuple[str, str]  # name of a kernel, and types of its arguments


def objects_of(wanted: Iterable[Wanted]) -> list[tuple[list[Wanted], bytes]]:
    """The object files of kernels, each with its kernels in the order of its tables; from the cache, or compiled."""
    groups: dict[str, list[Wanted]] = {}
    for name, signature in sorted(set(wanted)):
        groups.setdefault(name.split(".")[1], []).append((name, signature))
    folder = object_folder("web")
    requests = {name: json.dumps({"kernels": group, "kinds": _described(group)}) for name, group in groups.items()}
    found = {name: kept(folder, (str(TARGET), request)) for name, request in requests.items()}
    missing = [name for name in groups if found[name] is None]
    for name, content in zip(missing, _compiled([requests[name] for name in missing], folder), strict=True):
        found[name] = content
        keep(folder, (str(TARGET), requests[name]), content)
    return [(groups[name], content) for name, content in found.items() if content is not None]


def _compiled(requests: Sequence[str], folder: Path | None) -> list[bytes]:
    if not requests:
        return []
    print("Cardan compiles kernels for a page that solves: once for models like this one", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        asked, out = Path(scratch) / "request.json", Path(scratch)
        asked.write_text(f"[{', '.join(requests)}]", encoding="utf-8")
        environment = dict(os.environ, CARDAN_PREBUILT="0")
        command = [sys.executable, "-m", "cardan.prebuilt.web_objects", str(asked), str(out)]
        command += [] if folder is None else [str(folder)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise CardanError(f"the kernels of a page that solves were not compiled: {done.stderr.strip()[-2000:]}")
        return [(out / f"{k}.o").read_bytes() for k in range(len(requests))]


# --- kinds of blocks as data, for the other process -----------------------------------------------------------------


def _described(wanted: Iterable[Wanted]) -> list[list[Any]]:
    """All kinds of blocks in the types of arguments, inner ones first: code, name, fields."""
    known = {kind.code: kind for kind in _kinds.values()}
    found: dict[int, list[Any]] = {}

    def add(kind: BlockKind) -> None:
        if kind is OPAQUE or kind.code in found:
            return
        fields = []
        for name, field in kind.fields:
            if isinstance(field, BlockKind):
                add(field)
                fields.append([name, "opaque" if field is OPAQUE else "block", field.code])
            elif isinstance(field, tuple):
                fields.append([name, "array", field[0].str, field[1]])
            else:
                fields.append([name, "record", [[key, field[key].str] for key in field.names or ()]])
        found[kind.code] = [kind.code, kind.tuple_name, fields]

    for _, signature in sorted(wanted):
        for part in split(signature):
            if part[0] == "B":
                add(known[int(part[1:], 16)])
    return list(found.values())


def _restored(listed: Sequence[Any]) -> None:
    """The kinds of `_described`, in this process."""
    known: dict[int, BlockKind] = {}
    for code, title, fields in listed:
        parts: list[tuple[str, Any]] = []
        for name, what, value, *rest in fields:
            if what == "array":
                parts.append((name, (np.dtype(value), rest[0])))
            elif what == "record":
                parts.append((name, np.dtype([(key, kind) for key, kind in value], align=True)))
            else:
                parts.append((name, OPAQUE if what == "opaque" else known[value]))
        known[code] = kind_of(title, tuple(parts))
        if known[code].code != code:
            raise RuntimeError(f"block '{title}' has another kind in this process")


# --- the other process ------------------------------------------------------------------------------------------------


def main(arguments: Sequence[str]) -> None:
    """Compile the groups of a request and write their object files; code may be kept in a third argument, a folder."""
    from cardan.prebuilt.code_cache import CollectedCode, Conflict, code_of
    from cardan.prebuilt.link import emit_object, link_parts

    asked, out, *kept_in = map(Path, arguments)
    for module in SPACES:
        import_module(module)
    CollectedCode(*(kept_in or [None]))
    try:
        for number, request in enumerate(json.loads(asked.read_text(encoding="utf-8"))):
            _restored(request["kinds"])
            entries: list[tuple[str, str]] = []
            parts: dict[str, None] = {}  # the text of each module, in order
            for name, signature in request["kernels"]:
                kernel = _kernel(name)
                kinds = tuple(numba_type(text) for text in split(signature))
                kernel.dispatcher.compile(kinds)
                overload = kernel.dispatcher.overloads[kinds]
                entries.append((overload.fndesc.llvm_func_name, signature))
                parts |= dict.fromkeys(code_of(overload.library))
            module = link_parts(_text(entries), parts, TARGET, (KERNELS, CALLS), small=True)
            (out / f"{number}.o").write_bytes(emit_object(module, TARGET))
    except Conflict:  # once more, with nothing kept
        os.execv(sys.executable, [sys.executable, "-m", "cardan.prebuilt.web_objects", str(asked), str(out)])


def _kernel(name: str) -> Any:
    module, _, function = name.rpartition(".")
    return getattr(import_module(module), function)


def _text(entries: Sequence[tuple[str, str]]) -> str:
    """The tables of kernels and of functions around them, as intermediate code."""
    lines, calls = [], []
    for k, (symbol, signature) in enumerate(entries):
        words = words_of_all(signature)
        lines.append(f'declare i32 @"{symbol}"({", ".join(["ptr", "ptr", *words])})')
        calls.append("null")
        if words == ["i64"]:
            calls[-1] = f"@call{k}"
            lines.append(
                f"define internal i32 @call{k}(i32 %block) {{\n"
                "%result = alloca i64\n%error = alloca ptr\n%word = zext i32 %block to i64\n"
                f'%status = call i32 @"{symbol}"(ptr %result, ptr %error, i64 %word)\n'
                "%value = load i64, ptr %result\n%short = trunc i64 %value to i32\n"
                "%fine = icmp eq i32 %status, 0\n%found = select i1 %fine, i32 %short, i32 -1\nret i32 %found\n}"
            )
    for table, names in ((KERNELS, [f'@"{symbol}"' for symbol, _ in entries]), (CALLS, calls)):
        values = ", ".join(f"ptr {name}" for name in names)
        lines.append(f"@{table} = constant [{len(names)} x ptr] [{values}]")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
