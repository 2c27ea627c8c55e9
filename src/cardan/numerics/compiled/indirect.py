"""Kernels called through their address.

A kernel that another one calls is compiled with it, whether the model at hand has cams and user functions or not. One
that is called through a pointer is not: the caller has only the address, which is data, and 0 in models that do not
need the kernel.

    tables.address[0] = pointer_to(run_along, curves, q, frames)        compiles run_along, or loads it from the cache
    status = call_pointer(tables.address[0], (curves, q, frames))       in a kernel; types as stated above

A kernel that is called through a pointer returns a status, 0 on success.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cardan.numerics.compiled.jit import COMPILED, Intrinsic
from cardan.numerics.compiled.library import address_of
from cardan.numerics.compiled.signature import signature_of

if COMPILED:

    def pointer_to(function: Any, *examples: Any) -> int:
        """The address of a kernel compiled for arguments like the examples."""
        key = function, signature_of(examples)
        if key not in _addresses:
            found = address_of(function.name, key[1])
            _addresses[key] = _compiled(function, examples) if found is None else found
        return _addresses[key]

    def _compiled(function: Any, examples: tuple[Any, ...]) -> int:
        """The address of a kernel that Numba compiles, or loads from the cache."""
        from numba import typeof

        dispatcher = function.dispatcher
        kinds = tuple(typeof(example) for example in examples)
        dispatcher.compile(kinds)
        compiled = dispatcher.overloads[kinds]
        return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)

    call_pointer: Any = Intrinsic("cardan.numerics.compiled.address_call", "call_pointer")

    def function_at(address: int) -> Callable[..., int]:
        """The Python function behind the kernel at an address."""
        return next(function.py_func for (function, _), place in _addresses.items() if place == address)

    _addresses: dict[tuple[Any, str], int] = {}
else:

    def pointer_to(function: Any, *examples: Any) -> int:
        """A number that stands for a kernel run by the interpreter."""
        if function not in _functions:
            _functions.append(function)
        return 1 + _functions.index(function)

    def call_pointer(address: int, arguments: tuple[Any, ...]) -> int:
        """Call the kernel that the number stands for."""
        return _functions[int(address) - 1](*arguments)

    def function_at(address: int) -> Callable[..., int]:
        """The function that the number stands for."""
        return _functions[address - 1]

    _functions: list[Callable[..., int]] = []
