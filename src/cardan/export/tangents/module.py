"""The derivative of an exported model's code, added to its module.

NAME_tangents[k]     the address of the derivative of the function with number k in NAME_kernels, 0 if it has none
NAME_span            the distance between numbers and their derivatives in memory, in bytes
"""

from __future__ import annotations

import re
from typing import Any

from cardan.errors import ModelError
from cardan.export.tangents.functions import tangents_of
from cardan.export.tangents.text import TangentError
from cardan.prebuilt.link import machine_for, optimize, parsed
from cardan.prebuilt.targets import Target


def add_tangents(module: Any, name: str, entry: int, size: int, target: Target) -> None:
    """Differentiate an entry of a module, and the functions that tables hold, which follow the entries."""
    text = str(module)
    found = re.search(rf"^@{name}_kernels = .*$", text, re.MULTILINE)
    assert found is not None
    table = re.findall(r"ptrtoint \(ptr (@[\w.$-]+) to i64\)", found[0])
    try:
        tangents = tangents_of(text, table[entry], table[entry + 1 :], size)
    except TangentError as error:
        raise ModelError(f"the code of '{name}' cannot be differentiated: {error}") from None
    addresses = (f"ptrtoint (ptr {tangents.names[one]} to i64)" if one in tangents.names else "0" for one in table)
    listed = ", ".join(f"i64 {address}" for address in addresses)
    tables = (
        f"@{name}_tangents = hidden constant [{len(table)} x i64] [{listed}]\n"
        f"@{name}_span = hidden constant i64 {tangents.span}\n"
    )
    machine = machine_for(target)
    part = parsed(tangents.text + tables, target, machine)
    optimize(part, machine)
    module.link_in(part)
