"""The derivative of an exported model's code, added to its module.

NAME_tangents[k]     the address of the derivative of the function with number k in NAME_kernels, 0 if it has none
NAME_span            the distance between numbers and their derivatives in memory, in bytes

Kernels that perform one of many operations, see `system.mechanism`, are first reduced to those that derivatives need:
a copy for each operation that a call asks for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from cardan.errors import ModelError
from cardan.export.tangents.functions import reached_from, tangents_of
from cardan.export.tangents.text import FUNCTION, INDIRECT, TangentError, split, typed
from cardan.prebuilt.link import machine_for, parsed, reduced, simplify
from cardan.prebuilt.targets import Target

_OPERATION = "%arg.operation"


def add_tangents(module: Any, name: str, entry: int, size: int, target: Target) -> None:
    """Differentiate an entry of a module, and the functions that tables hold, which follow the entries."""
    text, machine = str(module), machine_for(target)
    found = re.search(rf"^@{name}_kernels = .*\n", text, re.MULTILINE)
    assert found is not None
    table = re.findall(r"ptrtoint \(ptr (@[\w.$-]+) to i64\)", found[0])
    try:
        needed = _needed(text.replace(found[0], ""), table[entry], table[entry + 1 :], machine)
        pointed = [
            one for one in table[entry + 1 :] if re.search(rf"^define .*{re.escape(one)}\(", needed, re.MULTILINE)
        ]
        tangents = tangents_of(needed, table[entry], pointed, size)
    except TangentError as error:
        raise ModelError(f"the code of '{name}' cannot be differentiated: {error}") from None
    addresses = (f"ptrtoint (ptr {tangents.names[one]} to i64)" if one in tangents.names else "0" for one in table)
    listed = ", ".join(f"i64 {address}" for address in addresses)
    tables = (
        f"@{name}_tangents = hidden constant [{len(table)} x i64] [{listed}]\n"
        f"@{name}_span = hidden constant i64 {tangents.span}\n"
    )
    part = parsed(tangents.text + tables, target, machine)
    simplify(part, machine)
    module.link_in(part)


def _needed(text: str, entry: str, pointed: Sequence[str], machine: Any) -> str:
    """The module reduced to what an entry reaches; `pointed` are the functions that tables hold."""
    bodies = {name: (given, body) for name, given, body in FUNCTION.findall(text)}
    calls = [
        split(given) for name in reached_from(bodies, entry, pointed) for given in INDIRECT.findall(bodies[name][1])
    ]
    for name in pointed:
        arguments = split(bodies[name][0])
        place = next((k for k, one in enumerate(arguments) if one.endswith(_OPERATION)), None)
        if place is not None:
            kinds = [typed(one)[0] for one in arguments]
            asked = {given[place].split()[-1] for given in calls if [typed(one)[0] for one in given] == kinds}
            if all(operation.isdigit() for operation in asked):
                text = _for_operations(text, name, sorted(asked, key=int))
    kept = {entry[1:], *(name[1:] for name in reached_from(bodies, entry, pointed) if name in pointed)}
    return reduced(text, kept, machine)


def _for_operations(text: str, name: str, operations: Sequence[str]) -> str:
    """A function as one that selects among copies of it, each for one operation."""
    found = next(one for one in FUNCTION.finditer(text) if one[1] == name)
    arguments = split(found[2])
    given = ", ".join(f"{typed(one)[0]} {one.split()[-1]}" for one in arguments)
    result = typed(next(line.strip()[4:] for line in found[3].splitlines() if line.startswith("  ret ")))[0]
    use = re.compile(re.escape(_OPERATION) + r"(?![\w.$-])")
    pieces, cases, calls = [], [], []
    for operation in operations:
        body = use.sub(operation, found[3])
        pieces.append(f"define internal {result} {name}.{operation}({given}) {{\n{body}}}\n")
        cases.append(f"    i64 {operation}, label %case{operation}\n")
        calls.append(f"case{operation}:\n  %r{operation} = call {result} {name}.{operation}({given})\n")
        calls.append(f"  ret {result} %r{operation}\n")
    pieces.append(
        f"define internal {result} {name}({given}) {{\n  switch i64 {_OPERATION}, label %other [\n"
        f"{''.join(cases)}  ]\n{''.join(calls)}other:\n  ret {result} 1\n}}\n"
    )
    return text[: found.start()] + "\n".join(pieces) + text[found.end() :]
