"""The words for roles, as `roles` writes them, taken apart."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple


class Role(NamedTuple):
    """What is asked for: a kind, the dimension of its value, of what it is read at, of its entries; and other kinds."""

    kind: str
    value: str = ""
    argument: str = ""
    inner: Role | None = None
    others: tuple[Role, ...] = ()


@cache
def role(text: str) -> Role:
    """'number(force/length)', '[marker | pulley]', 'motion(V; time)' or '{number(si)}'."""
    alternatives = _split(text)
    if len(alternatives) > 1:
        first, *others = (role(one) for one in alternatives)
        return first._replace(others=tuple(others))
    if text.startswith("["):
        return Role("list", inner=role(text[1:-1]))
    if text.startswith("{"):
        return Role("mapping", inner=role(text[1:-1]))
    kind, _, inside = text.partition("(")
    value, _, argument = inside[:-1].partition("; ")
    return Role(kind, value, argument)


def _split(text: str) -> list[str]:
    """Alternatives of the outermost level."""
    found, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "[{(") - (letter in "]})")
        if letter == "|" and depth == 0:
            found.append(text[start:i].strip())
            start = i + 1
    return [*found, text[start:].strip()]
