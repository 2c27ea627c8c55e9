"""The questions of a live page, checked before they are answered.

| do    | with                                                                              |
|---|---|
| cut   | body, time                                                                        |
| drag  | body, pivot (-1: none), point, target, and time where it begins                   |
| again | nothing; or pin, target, time                                                     |
| lecture | time: polygons and poles there                                                  |
| undo, reset | nothing: the result before the last change, or the first one                |

Anything else raises an error, which the page shows.
"""

from __future__ import annotations

import json
import math
from typing import Any

from cardan.errors import ModelError

FARTHEST = 1e12  # m that a hand may reach
ACTIONS = ("cut", "drag", "again", "lecture", "undo", "reset")


def read_question(text: str | bytes, dimensions: int, bodies: int, pivots: int, pins: int) -> dict[str, Any]:
    """The question in a message: numbers of the kind and range that it needs."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ModelError("the message of the page is not JSON") from None
    if not isinstance(found, dict) or found.get("do") not in ACTIONS:
        raise ModelError("the page sent an unknown request")
    asked: dict[str, Any] = {"do": found["do"]}
    if found["do"] in ("undo", "reset"):
        return asked
    if found["do"] == "again":
        if "pin" not in found:
            return asked
        asked |= {"pin": _whole(found, "pin", 0, pins), "target": _point(found, "target", dimensions)}
    elif found["do"] != "lecture":
        asked["body"] = _whole(found, "body", 0, bodies)
    if found["do"] == "drag":
        asked |= {"pivot": _whole(found, "pivot", -1, pivots), "begin": bool(found.get("begin"))}
        asked |= {name: _point(found, name, dimensions) for name in ("point", "target")}
        if not asked["begin"]:
            return asked
    return asked | {"time": _number(found.get("time"), "time")}


def _whole(found: dict[str, Any], name: str, least: int, end: int) -> int:
    value = found.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < end:
        raise ModelError(f"the page asks for a {name} that is not there")
    return value


def _point(found: dict[str, Any], name: str, dimensions: int) -> list[float]:
    value = found.get(name)
    if not isinstance(value, list) or len(value) != dimensions:
        raise ModelError(f"the {name} from the page is not a point of {dimensions} numbers")
    return [_number(item, name) for item in value]


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ModelError(f"the {name} from the page is not a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not abs(number) <= FARTHEST:  # also NaN
        raise ModelError(f"the {name} from the page is too large")
    return number
