"""Kernels as bitcode in pieces, which any 64-bit machine compiles when it first needs them.

    whole = link(code, entries, BITCODE)       one module, optimized, for no processor in particular
    pieces_of(whole, entries)                  its functions, by the entries that need them

A piece holds the functions that the same entries reach: an entry needs few pieces and compiles nothing else.
Functions that other pieces call are visible under unique names; constants are copied to each piece that reads them.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm

from cardan.numerics.bitcode import CODE, INDEX, symbol_of

_FUNCTION = re.compile(r"^define .*?^}\n", re.MULTILINE | re.DOTALL)
_DECLARATION = re.compile(r"^declare .*\n", re.MULTILINE)
_VARIABLE = re.compile(r"^@(\S+) = .*\n", re.MULTILINE)
_SHARED = re.compile(r"^(?:%\S+ = type|attributes #).*\n", re.MULTILINE)
_METADATA = re.compile(r"^!.*\n", re.MULTILINE)
_GLOBAL = re.compile(r'@("[^"]*"|[\w.$-]+)')
_DEFINED = re.compile(r"@([\w.$-]+)\(")


class Pieces(NamedTuple):
    """Bitcode of each piece, the pieces that each one calls, and the functions of each entry."""

    code: list[bytes]
    needs: list[list[int]]
    entries: list[list[int]]  # piece and function called by Python, piece and kernel called by address; -1: none


def write_pieces(module: Any, count: int, folder: Path) -> list[Path]:
    """Write the pieces of a module with `count` entries, compressed, and their index; returns their paths."""
    pieces = pieces_of(module, count)
    index = {"sizes": [len(code) for code in pieces.code], "needs": pieces.needs, "entries": pieces.entries}
    (folder / CODE).write_bytes(lzma.compress(b"".join(pieces.code), preset=9 | lzma.PRESET_EXTREME))
    (folder / INDEX).write_text(json.dumps(index, separators=(",", ":")))
    return [folder / CODE, folder / INDEX]


def pieces_of(module: Any, count: int) -> Pieces:
    """The pieces of a module with `count` entries."""
    text = _Text(str(module))
    thunks, kernels = text.table("cardan_thunks", count), text.table("cardan_kernels", count)
    groups = _groups(text, [{name for name in pair if name} for pair in zip(thunks, kernels, strict=True)])
    home = {name: k for k, group in enumerate(groups) for name in group}
    visible = {name for name in (*thunks, *kernels) if name}
    for name, calls in text.calls.items():
        visible |= {called for called in calls if home.get(called) != home[name]} if name in home else set()
    code, needs = [], []
    for k, group in enumerate(groups):
        code.append(llvm.parse_assembly(text.piece(group, visible)).as_bitcode())
        needs.append(sorted({home[called] for name in group for called in text.calls[name]} - {k}))
    entries = [
        [number for name in pair for number in ((home[name], int(name[1:])) if name else (-1, -1))]
        for pair in zip(thunks, kernels, strict=True)
    ]
    return Pieces(code, needs, entries)


class _Text:
    """The text of a module, by functions."""

    def __init__(self, text: str) -> None:
        self.functions: dict[str, str] = {}
        for found in _FUNCTION.finditer(text):
            name = _DEFINED.search(found[0])
            assert name is not None
            self.functions[name[1]] = found[0]
        rest = _FUNCTION.sub("", text)
        self.variables = {found[1]: found[0] for found in _VARIABLE.finditer(rest)}
        self.declarations = {_DEFINED.search(found[0])[1]: found[0] for found in _DECLARATION.finditer(rest)}  # type: ignore[index]
        self.shared = "".join(found[0] for found in _SHARED.finditer(rest))
        self.metadata = "".join(found[0] for found in _METADATA.finditer(rest))
        self.reads = {name: set(_GLOBAL.findall(body)) - {name} for name, body in self.functions.items()}
        self.calls = {name: {read for read in reads if read in self.functions} for name, reads in self.reads.items()}
        for name, line in self.variables.items():
            if " constant " not in line:
                raise RuntimeError(f"variable '{name}' can change: pieces of code would not share it")

    def table(self, name: str, count: int) -> list[str | None]:
        """The functions listed in a table, None where it holds 0."""
        inner = self.variables[name].partition("] [")[2]
        listed = [found[1] or None for found in re.finditer(r"i64 (?:ptrtoint \(ptr @(\w+) to i64\)|0)", inner)]
        if not listed and "zeroinitializer" in self.variables[name]:
            return [None] * count
        assert len(listed) == count
        return listed

    def piece(self, group: Sequence[str], visible: set[str]) -> str:
        """A module of some functions, with declarations and constants that they need."""
        reads = set().union(*(self.reads[name] for name in group))
        parts = [self.shared]
        waiting, constants = [name for name in reads if name in self.variables], set()
        while waiting:
            name = waiting.pop()
            if name not in constants:
                constants.add(name)
                read = set(_GLOBAL.findall(self.variables[name])) - {name}
                waiting += [inner for inner in read if inner in self.variables]
        parts += [self.variables[name] for name in sorted(constants)]
        parts += [self.declarations[name] for name in sorted(reads) if name in self.declarations]
        own = set(group)
        parts += [
            _declared(self.functions[name]) for name in sorted(reads) if name in self.functions and name not in own
        ]
        parts += [
            self.functions[name].replace("define internal", "define", 1) if name in visible else self.functions[name]
            for name in group
        ]
        text = "".join(parts)
        for name in (reads | own) & visible:
            text = re.sub(rf"@{name}\b", f"@{symbol_of(int(name[1:]))}", text)
        return text + self.metadata


def _declared(function: str) -> str:
    """The declaration of a function that another piece defines."""
    head = function.partition("\n")[0].removesuffix(" {")
    return re.sub(r" %[\w.$\"-]+", "", head.replace("define internal", "declare", 1)) + "\n"


def _groups(text: _Text, entries: Sequence[Iterable[str]]) -> list[list[str]]:
    """Functions that the same entries reach."""
    reached: dict[str, int] = dict.fromkeys(text.functions, 0)
    for k, names in enumerate(entries):
        waiting, seen = list(names), set()
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                reached[name] |= 1 << k
                waiting += text.calls[name]
    groups: dict[int, list[str]] = {}
    for name, by in reached.items():
        if by:
            groups.setdefault(by, []).append(name)
    return [groups[by] for by in sorted(groups, key=lambda by: (by.bit_count(), by))]
