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

from cardan.numerics.compiled.jit import CHECKED, COMPILED

if COMPILED:
    from numba import typeof, types
    from numba.core import cgutils
    from numba.core.typing import signature
    from numba.extending import intrinsic

    def pointer_to(function: Any, *examples: Any) -> int:
        """The address of a kernel compiled for arguments like the examples."""
        kinds = tuple(typeof(example) for example in examples)
        key = (function.py_func, kinds)
        if key not in _addresses:
            function.compile(kinds)
            compiled = function.overloads[kinds]
            _addresses[key] = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
        return _addresses[key]

    def _call_pointer(typingctx, address, arguments):
        """The status of the kernel at `address`, called with a tuple of arguments of the types it was compiled for."""
        kinds = tuple(arguments)

        def emit(context, builder, sig, args):
            prototype = context.call_conv.get_function_type(types.int64, kinds)
            target = builder.inttoptr(args[0], prototype.as_pointer())
            values = [builder.extract_value(args[1], k) for k in range(len(kinds))]
            status, result = context.call_conv.call_function(builder, target, types.int64, kinds, values)
            if CHECKED:  # the only exception that a kernel raises: an index outside its array
                with cgutils.if_unlikely(builder, status.is_error):
                    context.call_conv.return_status_propagate(builder, status)
            return result

        return signature(types.int64, types.uint64, arguments), emit

    call_pointer: Any = intrinsic(_call_pointer)

    def function_at(address: int) -> Callable[..., int]:
        """The Python function behind the kernel at an address."""
        return next(function for (function, _), place in _addresses.items() if place == address)

    _addresses: dict[tuple[Any, ...], int] = {}
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
