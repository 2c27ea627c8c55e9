"""Calls of a kernel that are repeated: its machine code is found once.

    enter = ready(torques_here, state)       finds, loads or compiles the kernel for arguments of these types
    status = enter()                         a fraction of a microsecond

The arguments are kept: a kernel with blocks as its arguments reads and writes the arrays in them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from cardan.numerics.compiled.library import open_library
from cardan.numerics.compiled.settings import COMPILED


def ready(kernel: Any, *arguments: Any) -> Callable[[], Any]:
    """The call of a kernel with these arguments, without arguments of its own."""
    if not COMPILED or open_library() is not None:  # which the kernel searches at its first call
        return partial(kernel, *arguments)
    from numba import typeof

    kinds = tuple(typeof(argument) for argument in arguments)
    kernel.dispatcher.compile(kinds)
    return partial(kernel.dispatcher.overloads[kinds].entry_point, *arguments)
