"""One module of WebAssembly from object files: the functions that are needed, and memory with a model in it.

    0        1024          stack          data of functions        image of the model
    | unused | grows down <------------- | ...................... | ................... |

Functions that nothing calls are left out. What no object file defines, such as sin, the page provides (Math.sin).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cardan.solving.object_file import (
    FUNCTION_INDEX_LEB,
    GLOBAL_INDEX_LEB,
    MEMORY_ADDRESS_I32,
    MEMORY_ADDRESS_LEB,
    MEMORY_ADDRESS_SLEB,
    SYMBOL_DATA,
    SYMBOL_FUNCTION,
    TABLE_INDEX_I32,
    TABLE_INDEX_SLEB,
    TABLE_NUMBER_LEB,
    TYPE_INDEX_LEB,
    ObjectFile,
    Piece,
    Relocation,
    Symbol,
)

STACK = 256 * 1024  # bytes
ALIGNMENT = 64
PAGE = 65536
ENDING_ZEROS = 16  # zeros that end a piece of data: a new piece is shorter than they are

Place = tuple[int, int]  # an object file, and the index of one of its functions or segments


@dataclass
class Linked:
    """Code that is linked, before a model is added."""

    types: list[bytes]
    imports: list[tuple[str, int]]  # name, type
    functions: list[tuple[int, bytes]]  # type, code
    exports: dict[str, int]
    table: list[int]  # functions that are called by address; the first has the address 1
    data: bytes  # from STACK on
    addresses: dict[Place, int]  # of the functions in `pointed`

    @property
    def base(self) -> int:
        """Where the image of a model begins."""
        return aligned(STACK + len(self.data))

    def module(self, image: bytes, room: int = 0) -> bytes:
        """The module, with the image of a model from `base` on and room behind it, in bytes."""
        pages = -(-(self.base + len(image) + room) // PAGE)
        segments = [(STACK, self.data)] if self.data else []
        segments += [(self.base + at, part) for at, part in _without_zeros(image)]
        functions = [leb(kind) for kind, _ in self.functions]
        imports = [text("env") + text(name) + b"\0" + leb(kind) for name, kind in self.imports]
        exports = [text("memory") + b"\2\0", *(text(name) + b"\0" + leb(k) for name, k in self.exports.items())]
        element = b"\0\x41" + sleb(1) + b"\x0b" + _vector([leb(k) for k in self.table])
        stack = b"\x7f\1\x41" + sleb(STACK) + b"\x0b"
        return b"\0asm\1\0\0\0" + b"".join(
            _section(number, content)
            for number, content in (
                (1, _vector(self.types)),
                (2, _vector(imports)),
                (3, _vector(functions)),
                (4, _vector([b"\x70\0" + leb(1 + len(self.table))])),
                (5, _vector([b"\0" + leb(pages)])),
                (6, _vector([stack])),
                (7, _vector(exports)),
                (9, _vector([element])),
                (10, _vector([leb(len(code)) + code for _, code in self.functions])),
                (11, _vector([b"\0\x41" + sleb(at) + b"\x0b" + leb(len(part)) + part for at, part in segments])),
            )
        )


def link(files: Sequence[ObjectFile], exported: Mapping[str, Place], pointed: Sequence[Place]) -> Linked:
    """Link object files. `exported` are functions by their names in the module; `pointed` are called by address."""
    return _Linker(files).link(exported, pointed)


def functions_in(file: ObjectFile, table: str) -> dict[int, int]:
    """The functions that a constant table of addresses lists: index in the table -> index of the function."""
    symbol = next(symbol for symbol in file.symbols if symbol.name == table)
    piece = file.segments[symbol.index]
    return {(one.offset - symbol.offset) // 4: file.symbols[one.index].index for one in piece.relocations}


class _Linker:
    """Numbers given to functions, types, data and addresses as they are needed."""

    def __init__(self, files: Sequence[ObjectFile]) -> None:
        self.files = files
        self.known: dict[str, tuple[int, Symbol]] = {}
        for k, file in enumerate(files):
            for symbol in file.symbols:
                if symbol.defined and symbol.name:
                    self.known.setdefault(symbol.name, (k, symbol))
        self.types: dict[bytes, int] = {}
        self.imports: dict[str, int] = {}  # name -> type
        self.bodies: dict[Place, int] = {}  # in the order of their numbers
        self.segments: dict[Place, int] = {}  # -> address
        self.table: dict[Place, int] = {}  # -> address
        self.end = STACK

    def link(self, exported: Mapping[str, Place], pointed: Sequence[Place]) -> Linked:
        self._find([*exported.values(), *pointed])
        addresses = {place: self._address(place) for place in pointed}
        first = len(self.imports)
        functions = [
            (self._type(file, self.files[file].functions[k].kind), self._filled(file, self.files[file].functions[k]))
            for file, k in self.bodies
        ]
        data = bytearray(self.end - STACK)
        for (file, k), at in self.segments.items():
            piece = self.files[file].segments[k]
            data[at - STACK : at - STACK + len(piece.data)] = self._filled(file, piece)
        return Linked(
            list(self.types),
            list(self.imports.items()),
            functions,
            {name: first + self.bodies[place] for name, place in exported.items()},
            [first + self.bodies[place] for place in self.table],
            bytes(data),
            addresses,
        )

    def _find(self, roots: Sequence[Place]) -> None:
        """Number all functions and data that are reached."""
        waiting: list[tuple[int, Piece]] = []

        def need(place: Place) -> None:
            if place not in self.bodies:
                self.bodies[place] = len(self.bodies)
                waiting.append((place[0], self.files[place[0]].functions[place[1]]))

        for place in roots:
            need(place)
        while waiting:
            number, piece = waiting.pop()
            for one in piece.relocations:
                if one.kind == TYPE_INDEX_LEB:
                    self._type(number, one.index)
                    continue
                file, symbol = self._resolved(number, self.files[number].symbols[one.index])
                if symbol.kind == SYMBOL_FUNCTION and symbol.defined:
                    need((file, symbol.index))
                elif symbol.kind == SYMBOL_FUNCTION:
                    name, kind = self.files[file].imported[symbol.index]
                    self.imports[name] = self._type(file, kind)
                elif symbol.kind == SYMBOL_DATA:
                    waiting += self._segment(file, symbol)
        for file, k in self.bodies:
            self._type(file, self.files[file].functions[k].kind)

    def _segment(self, file: int, symbol: Symbol) -> list[tuple[int, Piece]]:
        """Give a segment its place; returns it if it is new."""
        if not symbol.defined:
            raise ValueError(f"nothing defines the data '{symbol.name}'")
        if (file, symbol.index) in self.segments:
            return []
        piece = self.files[file].segments[symbol.index]
        self.segments[file, symbol.index] = self.end
        self.end = aligned(self.end + len(piece.data))
        return [(file, piece)]

    def _resolved(self, file: int, symbol: Symbol) -> tuple[int, Symbol]:
        """The definition of a symbol, in whichever file it is; itself if there is none."""
        return (file, symbol) if symbol.defined else self.known.get(symbol.name, (file, symbol))

    def _type(self, file: int, kind: int) -> int:
        return self.types.setdefault(self.files[file].types[kind], len(self.types))

    def _address(self, place: Place) -> int:
        """The address of a function: its number in the table."""
        return self.table.setdefault(place, 1 + len(self.table))

    def _filled(self, file: int, piece: Piece) -> bytes:
        """Code or data with all numbers filled in, each in as few bytes as it needs."""
        parts, at = [], 0
        for one in piece.relocations:
            parts.append(piece.data[at : one.offset])
            value, wide = self._value(file, one), one.kind in (TABLE_INDEX_I32, MEMORY_ADDRESS_I32)
            if wide:
                parts.append(value.to_bytes(4, "little"))
            else:
                parts.append((sleb if one.kind in (TABLE_INDEX_SLEB, MEMORY_ADDRESS_SLEB) else leb)(value))
            at = one.offset + (4 if wide else 5)
        return b"".join([*parts, piece.data[at:]])

    def _value(self, number: int, one: Relocation) -> int:
        if one.kind == TYPE_INDEX_LEB:
            return self._type(number, one.index)
        if one.kind in (TABLE_NUMBER_LEB, GLOBAL_INDEX_LEB):
            return 0  # the only table, and the stack pointer
        file, symbol = self._resolved(number, self.files[number].symbols[one.index])
        if one.kind in (MEMORY_ADDRESS_LEB, MEMORY_ADDRESS_SLEB, MEMORY_ADDRESS_I32):
            return self.segments[file, symbol.index] + symbol.offset + one.addend
        if not symbol.defined:
            if one.kind == FUNCTION_INDEX_LEB:
                return list(self.imports).index(symbol.name)
            raise ValueError(f"'{symbol.name}' is called by its address, and nothing defines it")
        if one.kind == FUNCTION_INDEX_LEB:
            return len(self.imports) + self.bodies[file, symbol.index]
        if one.kind in (TABLE_INDEX_SLEB, TABLE_INDEX_I32):
            return self._address((file, symbol.index))
        raise ValueError(f"relocations of kind {one.kind} are not known")


def leb(value: int) -> bytes:
    """An unsigned number."""
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def sleb(value: int) -> bytes:
    """A signed number."""
    found = bytearray()
    while not -0x40 <= value < 0x40:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value & 0x7F])


def text(words: str) -> bytes:
    data = words.encode()
    return leb(len(data)) + data


def aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _vector(items: Sequence[bytes]) -> bytes:
    return leb(len(items)) + b"".join(items)


def _section(number: int, content: bytes) -> bytes:
    return bytes([number]) + leb(len(content)) + content


def _without_zeros(data: bytes) -> list[tuple[int, bytes]]:
    """Pieces of data and where they are; long runs of zeros between them are left out."""
    found: list[tuple[int, bytes]] = []
    at, end, gap = 0, len(data), bytes(ENDING_ZEROS)
    while at < end:
        while at < end and data[at] == 0:
            at += 1
        stop = data.find(gap, at)
        stop = end if stop < 0 else stop
        if at < stop:
            found.append((at, data[at:stop]))
        at = stop
    return found
