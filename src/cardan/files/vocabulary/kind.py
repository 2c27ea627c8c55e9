"""Kinds: what value an argument of a type takes.

    number(dimension)    numbers(dimension): a number, or nested lists    point(dimension): x, y or x, y, z
    integer  flag  text  path  function: the name of a Python function    extended(dimension): may be infinite
    motion(dimension of the value; of the argument)    powers(...): coefficients of a polynomial
    marker  measure  signal  element  outline  surface  road  ...    [kind]: a list    {kind}: a mapping
    components(dimension), curves(...): of a bushing, one for each component
    number(mass) >= 0    number(length) > 0    number(force/length) >= 0 unless allow_negative

Dimensions are products of length, mass, time, angle and force. `V` is the dimension of the element's measure, or of the
value of a motion, `W` that of the force or torque along the measure, `X` that of the argument of a motion, `n` the
element's exponent, `si` an unknown dimension, `any` none.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

RANGE = re.compile(r" (>=?) 0(?: unless (\w+))?$")


class Kind(NamedTuple):
    """A kind of value; `others` are alternatives to it."""

    name: str
    value: str = ""  # the dimension of the value
    argument: str = ""  # the dimension of the argument of a motion
    inner: Kind | None = None  # the kind of the entries of a list or mapping
    others: tuple[Kind, ...] = ()
    least: str = ""  # ">" or ">=": the number must be positive, or not negative
    unless: str = ""  # the flag that permits other numbers


@cache
def parse_kind(text: str) -> Kind:
    """Parse the text of a kind.

    >>> parse_kind("number(force/length) >= 0").value
    'force/length'
    """
    alternatives = _split(text)
    if len(alternatives) > 1:
        first, *others = (parse_kind(one) for one in alternatives)
        return first._replace(others=tuple(others))
    if bound := RANGE.search(text):
        return parse_kind(text[: bound.start()])._replace(least=bound[1], unless=bound[2] or "")
    if text.startswith("["):
        return Kind("list", inner=parse_kind(text[1:-1]))
    if text.startswith("{"):
        return Kind("mapping", inner=parse_kind(text[1:-1]))
    name, _, inside = text.partition("(")
    value, _, argument = inside[:-1].partition("; ")
    return Kind(name, value, argument)


def _split(text: str) -> list[str]:
    """Alternatives of the outermost level."""
    found, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "[{(") - (letter in "]})")
        if letter == "|" and depth == 0:
            found.append(text[start:i].strip())
            start = i + 1
    return [*found, text[start:].strip()]
