"""Relocatable object files of WebAssembly, as LLVM writes them: functions, data and where symbols must be filled in.

The format is that of the tool conventions of WebAssembly ("linking", version 2), as far as kernels use it: one memory,
one table of functions, the stack pointer as the only global variable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

TYPE, IMPORT, FUNCTION, CODE, DATA = 1, 2, 3, 10, 11  # sections
FUNCTION_KIND, TABLE_KIND, MEMORY_KIND, GLOBAL_KIND = range(4)  # imports
SYMBOL_FUNCTION, SYMBOL_DATA, SYMBOL_GLOBAL, SYMBOL_SECTION, SYMBOL_TABLE = 0, 1, 2, 3, 5
UNDEFINED, EXPLICIT_NAME = 0x10, 0x40
SYMBOLS = 8  # subsection of "linking"

# Kinds of relocations.
FUNCTION_INDEX_LEB, TABLE_INDEX_SLEB, TABLE_INDEX_I32 = 0, 1, 2
MEMORY_ADDRESS_LEB, MEMORY_ADDRESS_SLEB, MEMORY_ADDRESS_I32 = 3, 4, 5
TYPE_INDEX_LEB, GLOBAL_INDEX_LEB, TABLE_NUMBER_LEB = 6, 7, 20
WITH_ADDEND = {MEMORY_ADDRESS_LEB, MEMORY_ADDRESS_SLEB, MEMORY_ADDRESS_I32, 8, 9, 11}


@dataclass(frozen=True)
class Relocation:
    """A place in code or data, and what belongs there: a symbol, or a type for TYPE_INDEX_LEB."""

    kind: int
    offset: int  # from the start of the piece
    index: int
    addend: int


@dataclass
class Piece:
    """The code of a function, or a segment of data."""

    data: bytes
    relocations: list[Relocation] = field(default_factory=list)
    kind: int = 0  # type of a function


@dataclass(frozen=True)
class Symbol:
    """A name: of an entry in `functions` or `segments`, or of something that is defined elsewhere."""

    kind: int
    name: str
    defined: bool
    index: int = 0
    offset: int = 0


@dataclass
class ObjectFile:
    """All that a linker needs of an object file."""

    types: list[bytes] = field(default_factory=list)
    imported: list[tuple[str, int]] = field(default_factory=list)  # functions: name, type
    functions: list[Piece] = field(default_factory=list)  # those that are defined, in order behind the imported ones
    segments: list[Piece] = field(default_factory=list)
    symbols: list[Symbol] = field(default_factory=list)


class Reader:
    """Numbers and texts, one after the other."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def unsigned(self) -> int:
        value = shift = 0
        while True:
            part = self.byte()
            value |= (part & 0x7F) << shift
            shift += 7
            if part < 0x80:
                return value

    def signed(self) -> int:
        value = shift = 0
        while True:
            part = self.byte()
            value |= (part & 0x7F) << shift
            shift += 7
            if part < 0x80:
                return value - (1 << shift) if part & 0x40 else value

    def take(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]

    def text(self) -> str:
        return self.take(self.unsigned()).decode()

    def limits(self) -> None:
        """Skip the limits of a table or memory."""
        flags = self.byte()
        self.unsigned()
        if flags & 1:
            self.unsigned()


def read_object(data: bytes) -> ObjectFile:
    """The content of an object file."""
    if data[:8] != b"\0asm\1\0\0\0":
        raise ValueError("not an object file of WebAssembly")
    found, listed = ObjectFile(), list(_sections(data))
    kinds: list[int] = []
    pieces: dict[int, list[tuple[int, Piece]]] = {}  # by section: offset in the section, and piece
    for number, (section, name, body) in enumerate(listed):
        reader = Reader(body)
        if section == TYPE:
            found.types = [_type(reader) for _ in range(reader.unsigned())]
        elif section == IMPORT:
            found.imported = _imports(reader)
        elif section == FUNCTION:
            kinds = [reader.unsigned() for _ in range(reader.unsigned())]
        elif section == CODE:
            pieces[number] = _codes(reader, kinds)
            found.functions = [piece for _, piece in pieces[number]]
        elif section == DATA:
            pieces[number] = _segments(reader)
            found.segments = [piece for _, piece in pieces[number]]
        elif name == "linking":
            found.symbols = _symbols(reader, found)
        elif name.startswith("reloc."):
            _relocate(reader, pieces)
    return found


def _sections(data: bytes) -> Iterator[tuple[int, str, bytes]]:
    """Number, name of a custom one, and content of all sections."""
    reader = Reader(data, 8)
    while reader.at < len(data):
        section = reader.byte()
        inner = Reader(reader.take(reader.unsigned()))
        yield section, inner.text() if section == 0 else "", inner.data[inner.at :]


def _type(reader: Reader) -> bytes:
    begin = reader.at
    reader.byte()
    for _ in range(2):
        reader.take(reader.unsigned())
    return reader.data[begin : reader.at]


def _imports(reader: Reader) -> list[tuple[str, int]]:
    found = []
    for _ in range(reader.unsigned()):
        reader.text()
        name, kind = reader.text(), reader.byte()
        if kind == FUNCTION_KIND:
            found.append((name, reader.unsigned()))
        elif kind == TABLE_KIND:
            reader.byte()
            reader.limits()
        elif kind == MEMORY_KIND:
            reader.limits()
        else:
            reader.take(2)
    return found


def _codes(reader: Reader, kinds: list[int]) -> list[tuple[int, Piece]]:
    found = []
    for k in range(reader.unsigned()):
        size = reader.unsigned()
        found.append((reader.at, Piece(reader.take(size), kind=kinds[k])))
    return found


def _segments(reader: Reader) -> list[tuple[int, Piece]]:
    found = []
    for _ in range(reader.unsigned()):
        if reader.unsigned() != 0:
            raise ValueError("a segment of data without a place")
        reader.byte()  # i32.const
        reader.signed()
        reader.byte()  # end
        size = reader.unsigned()
        found.append((reader.at, Piece(reader.take(size))))
    return found


def _symbols(reader: Reader, file: ObjectFile) -> list[Symbol]:
    reader.unsigned()  # version
    found: list[Symbol] = []
    while reader.at < len(reader.data):
        kind, size = reader.byte(), reader.unsigned()
        inner = Reader(reader.take(size))
        if kind == SYMBOLS:
            found += [_symbol(inner, file) for _ in range(inner.unsigned())]
    return found


def _symbol(reader: Reader, file: ObjectFile) -> Symbol:
    kind, flags = reader.byte(), reader.unsigned()
    defined = not flags & UNDEFINED
    if kind == SYMBOL_DATA:
        name = reader.text()
        if not defined:
            return Symbol(kind, name, False)
        index, offset, _ = reader.unsigned(), reader.unsigned(), reader.unsigned()
        return Symbol(kind, name, True, index, offset)
    index = reader.unsigned()
    if kind == SYMBOL_SECTION:
        return Symbol(kind, "", True, index)
    named = defined or flags & EXPLICIT_NAME
    count = len(file.imported)
    name = reader.text() if named else file.imported[index][0] if kind == SYMBOL_FUNCTION else ""
    return Symbol(kind, name, defined, index - count if kind == SYMBOL_FUNCTION and defined else index)


def _relocate(reader: Reader, pieces: dict[int, list[tuple[int, Piece]]]) -> None:
    """Give each relocation of a section to the piece that it lies in."""
    places = pieces.get(reader.unsigned())
    current = 0
    for _ in range(reader.unsigned()):
        kind, offset, index = reader.byte(), reader.unsigned(), reader.unsigned()
        addend = reader.signed() if kind in WITH_ADDEND else 0
        if places is None:  # debugging information
            continue
        while current + 1 < len(places) and places[current + 1][0] <= offset:
            current += 1
        first, piece = places[current]
        piece.relocations.append(Relocation(kind, offset - first, index, addend))
