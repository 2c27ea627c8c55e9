"""The machine code of an exported model: its kernels and the functions of the user, linked for a platform.

The kernels are those that Numba has compiled, or its cache has kept, as intermediate code (LLVM IR). One table is
visible outside: the addresses of the functions that C calls, then those that the tables of the model hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardan.errors import ModelError
from cardan.export.tangents.module import add_tangents
from cardan.numerics.compiled import indirect
from cardan.numerics.compiled.signature import signature_of, split
from cardan.numerics.functions.function import functions_by_address
from cardan.prebuilt.argument_types import numba_type, words_of_all
from cardan.prebuilt.link import emit_object, link_parts
from cardan.prebuilt.targets import Target

# What C libraries of all platforms have.
LIBRARY = {
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp",
    "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "sqrt", "cbrt", "hypot", "fabs", "fmod", "floor", "ceil",
    "trunc", "round", "rint", "copysign", "ldexp", "frexp", "erf", "erfc", "tgamma", "lgamma", "sincos", "nextafter",
    "memcpy", "memset", "memmove", "fmin", "fmax", "modf",
}  # fmt: skip


class Code:
    """The functions of a model; `number_of` adds those that its tables hold."""

    def __init__(self, name: str, entries: Sequence[tuple[Any, tuple[Any, ...]]]) -> None:
        self.name = name
        self._lines: list[str] = []
        self._table: list[str] = []
        self._parts: dict[str, str] = {}  # modules as text, by symbol
        self._declared: set[str] = set()
        self._numbers: dict[int, int] = {}
        self._kernels = {place: key for key, place in indirect._addresses.items()}
        self._functions = functions_by_address()
        self.user_functions: list[str] = []
        self._differentiated = -1  # the number of the entry that is differentiated, and the bytes of all tables
        self._size = 0
        for kernel, examples in entries:
            symbol, words = self._kernel(kernel, signature_of(examples)), words_of_all(signature_of(examples))
            self._table.append(f"@enter{len(self._table)}")
            self._lines.append(_entry(self._table[-1], symbol, words, "i64", "-1"))

    def number_of(self, address: int, table: str) -> int:
        """The number of the machine code at an address; the error names a function that needs Python."""
        if address not in self._numbers:
            self._numbers[address] = len(self._table)
            self._table.append(self._symbol_at(address, table))
        return self._numbers[address]

    def differentiate(self, number: int, size: int) -> None:
        """Add the derivative of an entry, for tables of a size in bytes."""
        self._differentiated, self._size = number, size

    def compile(self, target: Target) -> bytes:
        """Object code."""
        values = ", ".join(f"i64 ptrtoint (ptr {symbol} to i64)" for symbol in self._table)
        table = f"@{self.name}_kernels = hidden constant [{len(self._table)} x i64] [{values}]"
        text = "\n".join([*self._lines, table]) + "\n"
        module = link_parts(text, self._parts.values(), target, [f"{self.name}_kernels"], optimized=True)
        if self._differentiated >= 0:
            add_tangents(module, self.name, self._differentiated, self._size, target)
        self._require_no_python(module)
        return emit_object(module, target)

    def _symbol_at(self, address: int, table: str) -> str:
        if address in self._kernels:
            kernel, signature = self._kernels[address]
            return f'@"{self._kernel(kernel, signature)}"'
        function = self._functions.get(address)
        if function is None:
            raise RuntimeError(f"the table '{table}' has an address that is neither a kernel nor a function")
        if not function.compiled:
            raise ModelError(
                f"function '{function.name}' runs in the Python interpreter and cannot be exported: "
                "write it with arithmetic, comparisons and functions of math, which are compiled"
            )
        self.user_functions.append(function.name)
        code = function._alive.code
        symbol, name = code._wrapper_name.removeprefix("cfunc."), f"@user{len(self._table)}"
        self._add(symbol, ["ptr", "ptr", "ptr"], code._library)
        self._lines.append(_entry(name, symbol, ["ptr", "ptr", "ptr"], "i32", "2"))
        return name

    def _kernel(self, kernel: Any, signature: str) -> str:
        """The symbol of a kernel, which Numba compiles or loads for the types of its arguments."""
        kinds = tuple(numba_type(text) for text in split(signature))
        kernel.dispatcher.compile(kinds)
        compiled = kernel.dispatcher.overloads[kinds]
        symbol: str = compiled.fndesc.llvm_func_name
        self._add(symbol, words_of_all(signature), compiled.library)
        return symbol

    def _add(self, symbol: str, words: Sequence[str], library: Any) -> None:
        if symbol not in self._declared:
            self._declared.add(symbol)
            self._lines.append(f'declare i32 @"{symbol}"({", ".join(["ptr", "ptr", *words])})')
            self._parts[symbol] = str(library._get_module_for_linking())

    def _require_no_python(self, module: Any) -> None:
        needed = [function.name for function in module.functions if function.is_declaration]
        missing = sorted({name for name in needed if not name.startswith("llvm.")} - LIBRARY)
        if missing:
            names = ", ".join(f"'{name}'" for name in self.user_functions)
            raise ModelError(
                f"a function of the model cannot be exported, because it allocates memory or calls Python "
                f"({', '.join(missing)}); its functions: {names}. Use numbers instead of lists and arrays in them"
            )


def _entry(name: str, symbol: str, words: Sequence[str], result: str, failed: str) -> str:
    """A function with the calling convention of C around a kernel, whose results are returned through memory."""
    given = ", ".join(f"{word} %a{k}" for k, word in enumerate(words))
    return (
        f"define internal {result} {name}({given}) {{\n"
        f"%result = alloca {result}\n%error = alloca ptr\nstore ptr null, ptr %error\n"
        f'%status = call i32 @"{symbol}"(ptr %result, ptr %error, {given})\n'
        f"%value = load {result}, ptr %result\n"
        f"%fine = icmp eq i32 %status, 0\n"
        f"%found = select i1 %fine, {result} %value, {result} {failed}\n"
        f"ret {result} %found\n}}"
    )
