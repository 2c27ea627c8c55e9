"""Numbers of a model file, both ways: text to SI, and SI to text in the units that the file declares."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import yaml

from cardan.errors import ModelError
from cardan.files.faults import FaultError, Faults, ReportedError
from cardan.files.text.expressions import Numbers
from cardan.files.text.grammar import parse
from cardan.files.text.nodes import Scalar
from cardan.files.text.units import BASE, DECLARED, UNITS, Declared
from cardan.studio.text import ModelText

if TYPE_CHECKING:
    from yaml import Node

NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([A-Za-z]+)?\s*")
PLACED_DIGITS = 9  # of a number that a hand has placed
SNAP_TO_DECIMALS = 2e-6  # in the unit of the file: a number that is closer to one with four decimals becomes that one


class Values:
    """The units and parameters of a text."""

    def __init__(self, text: ModelText) -> None:
        stated = text.data("units")
        known = stated.items() if isinstance(stated, dict) else ()
        self.units = Declared({k: v for k, v in known if k in DECLARED and UNITS.get(str(v), (0, ()))[1] == BASE[k]})
        self._numbers = Numbers(self.units, Faults())
        parameters = text.data("parameters")
        listed = parameters if isinstance(parameters, dict) else {}
        self._numbers.evaluate({name: _node(value) for name, value in listed.items() if isinstance(value, str)})

    def number(self, stated: Any, dimension: str) -> float | None:
        """The SI value of a text; None if it has none."""
        if not isinstance(stated, str | int | float):
            return None
        try:
            found = self._numbers.number(parse(_node(str(stated))), self.units.wanted(dimension), "")
        except (FaultError, ReportedError):
            return None
        return found if math.isfinite(found) else None

    def point(self, stated: Any) -> tuple[float, float] | None:
        """The SI values of [x, y]."""
        if not isinstance(stated, list) or len(stated) != 2:
            return None
        x, y = (self.number(item, "length") for item in stated)
        return None if x is None or y is None else (x, y)

    def written(self, value: float, dimension: str, like: Any = "") -> Any:
        """A value in the declared unit, or in the unit of the text that it replaces; short, as hands place things."""
        match = NUMBER.fullmatch(str(like))
        unit = match[2] if match and match[2] in UNITS else ""
        size = UNITS[unit][0] if unit else self.units.wanted(dimension).factor
        short = float(f"{value / size:.{PLACED_DIGITS}g}")
        if abs(short - round(short, 4)) < SNAP_TO_DECIMALS:
            short = round(short, 4)
        number: Any = int(short) if short == int(short) and abs(short) < 1e15 else short
        return f"{number} {unit}" if unit else number

    def place(self, x: float, y: float) -> list[Any]:
        """A point as it is written."""
        return [self.written(x, "length"), self.written(y, "length")]

    def unit(self, dimension: str) -> str:
        return self.units.wanted(dimension).unit


def is_number(stated: Any) -> bool:
    """Whether a text is a number, with or without a unit, and not an expression that a hand must not overwrite."""
    match = NUMBER.fullmatch(str(stated))
    return match is not None and (match[2] is None or match[2] in UNITS)


def typed(text: str) -> Any:
    """What a user has typed into a field, as data: a number, a list, a mapping, or text."""
    if len(text) > 20_000:
        raise ModelError("a value has at most 20000 characters")
    bare = text.strip()
    if not bare:
        raise ModelError("the value is empty; to remove it, use the button beside it")
    match = NUMBER.fullmatch(bare)
    if match and match[2] is None:
        number = float(bare)
        if not math.isfinite(number):
            raise ModelError(f"'{bare}' is too large")
        return int(bare) if re.fullmatch(r"[-+]?\d{1,15}", bare) else number
    if bare in ("true", "false"):
        return bare == "true"
    if bare[0] in "[{":
        try:
            return _plain(yaml.compose(bare, Loader=yaml.SafeLoader))
        except (yaml.YAMLError, RecursionError):
            raise ModelError(f"'{bare[:40]}' is not a list or mapping: check its brackets and commas") from None
    return bare


def _plain(node: Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): _plain(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in node.value]
    return typed(node.value) if node.style is None and node.value.strip() else node.value


def _node(value: str) -> Scalar:
    return Scalar("", 1, 1, value)
