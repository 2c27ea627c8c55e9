"""The program of a page: the functions that tables of a model name, linked as WebAssembly with the tables as memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardan.errors import ModelError
from cardan.numerics.compiled import indirect
from cardan.numerics.compiled.image import Image, image_of
from cardan.numerics.compiled.signature import signature_of
from cardan.numerics.functions.function import functions_by_address
from cardan.prebuilt.web_objects import CALLS, KERNELS, TARGET, Wanted, objects_of
from cardan.solving.linker import Place, functions_in, link
from cardan.solving.object_file import ObjectFile, read_object


class Program:
    """A module of WebAssembly whose memory holds the tables of a block."""

    def __init__(self, root: Any, entries: Sequence[tuple[str, Any, Any]]) -> None:
        """`entries` are functions of the page: name, kernel, and the block that it is called with."""
        self._pointed: list[Wanted | Any] = []
        self._numbers: dict[int, int] = {}
        self._kernels = {place: key for key, place in indirect._addresses.items()}
        self._functions = functions_by_address()
        self.image: Image = image_of(self._number_of, root)
        self._entries = list(entries)

    def link(self) -> None:
        """Compile and link what the tables need."""
        entries = self._entries
        called: list[Wanted] = [(entry.name, signature_of((block,))) for _, entry, block in entries]
        kernels = [one for one in self._pointed if isinstance(one, tuple)]
        users = [one for one in self._pointed if not isinstance(one, tuple)]
        files: list[ObjectFile] = []
        place: dict[Any, Place] = {}
        by_page: dict[Wanted, Place] = {}
        for group, content in objects_of([*called, *kernels]):
            files.append(read_object(content))
            place |= _places(len(files) - 1, files[-1], KERNELS, group)
            by_page |= _places(len(files) - 1, files[-1], CALLS, group)
        if users:
            files.append(read_object(user_object(users)))
            place |= _places(len(files) - 1, files[-1], KERNELS, [id(one) for one in users])
        exported = {name: by_page[key] for (name, _, _), key in zip(entries, called, strict=True)}
        pointed = [place[one if isinstance(one, tuple) else id(one)] for one in self._pointed]
        self.linked = link(files, exported, pointed)
        self._fill([self.linked.addresses[where] for where in pointed])
        self.module = self.linked.module(bytes(self.image.data))

    def address(self, array: Any) -> int:
        """Where an array of this process is in the memory of the page."""
        found = self.image.place(array.ctypes.data)
        assert found is not None
        return self.linked.base + found

    def block(self, block: Any) -> int:
        """Where a block is."""
        found = self.image.place(block.address)
        assert found is not None
        return self.linked.base + found

    def _number_of(self, address: int, table: str) -> int:
        """The number of the function at an address; the error names one that needs Python."""
        if address not in self._numbers:
            self._numbers[address] = len(self._pointed)
            self._pointed.append(self._wanted(address, table))
        return self._numbers[address]

    def _wanted(self, address: int, table: str) -> Any:
        if address in self._kernels:
            found, signature = self._kernels[address]
            return found.name, signature
        function = self._functions.get(address)
        if function is None:
            raise RuntimeError(f"the table '{table}' has an address that is neither a kernel nor a function")
        if not function.compiled:
            raise interpreted_function(function.name)
        return function

    def _fill(self, addresses: Sequence[int]) -> None:
        """Turn offsets into addresses, and numbers of functions into theirs."""
        image, base = self.image, self.linked.base
        for place in image.pointers:
            image.write(place, base + int.from_bytes(image.data[place : place + 8], "little"))
        for place, number in image.kernels:
            image.write(place, addresses[number])


def _places(number: int, file: ObjectFile, table: str, keys: Sequence[Any]) -> dict[Any, Place]:
    """Where the functions in a table of an object file are."""
    return {keys[k]: (number, function) for k, function in functions_in(file, table).items()}


def interpreted_function(name: str) -> ModelError:
    """The error of a function that needs Python."""
    return ModelError(
        f"function '{name}' runs in the Python interpreter, and a page that solves has none: write it with arithmetic, "
        "comparisons and functions of math, which are compiled"
    )


def user_object(functions: Sequence[Any]) -> bytes:
    """The object file of functions of the user, which Numba has compiled."""
    from cardan.export.code import LIBRARY, _entry
    from cardan.prebuilt.link import emit_object, link_parts

    lines, names, parts = [], [], []
    for k, function in enumerate(functions):
        code = function._alive.code
        symbol = code._wrapper_name.removeprefix("cfunc.")
        lines.append(f'declare i32 @"{symbol}"(ptr, ptr, ptr, ptr, ptr)')
        lines.append(_entry(f"@user{k}", symbol, ["ptr", "ptr", "ptr"], "i32", "2"))
        names.append(f"ptr @user{k}")
        parts.append(str(code._library._get_module_for_linking()))
    lines.append(f"@{KERNELS} = constant [{len(names)} x ptr] [{', '.join(names)}]")
    module = link_parts("\n".join(lines) + "\n", parts, TARGET, (KERNELS,), optimized=True)
    needed = {function.name for function in module.functions if function.is_declaration}
    missing = sorted(name for name in needed - LIBRARY if not name.startswith("llvm."))
    if missing:
        titles = ", ".join(f"'{function.name}'" for function in functions)
        raise ModelError(
            f"a function of the model cannot be part of a page, because it allocates memory or calls Python "
            f"({', '.join(missing)}); its functions: {titles}. Use numbers instead of lists and arrays in them"
        )
    return emit_object(module, TARGET)
