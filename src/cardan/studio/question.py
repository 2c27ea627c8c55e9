"""Messages of the page, checked before anything is done with them.

    {"id": 7, "do": "edit", "edit": "bar", "with": {"a": {"at": [0, 0]}, "b": {"point": "link1@B"}}}

Anything else raises an error, which the page shows; the drawing stays as it is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from cardan.errors import ModelError

MAX_DRAWN_COORDINATE = 1e9  # m
MAX_TYPED = 2_000_000  # characters of a model file that is typed
WORD = 500  # characters of a name or a value
MAX_ITEMS = 500  # names or points in a list
ACTIONS = "edit undo redo save text drag keep run remove_run curves python types solve simulate recover".split()


def read_message(text: str | bytes) -> dict[str, Any]:
    """The message: a mapping with `do` and the number `id` of the question."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ModelError("the message of the page is not JSON") from None
    if not isinstance(found, dict) or found.get("do") not in ACTIONS:
        raise ModelError("the page sent an unknown request")
    return found


def number_of(message: str) -> int:
    """The number of a question, 0 if it has none."""
    value = message.get("id") if isinstance(message, dict) else 0
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else 0


def number(value: object, what: str = "value") -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ModelError(f"the {what} from the page is not a number")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not abs(found) <= MAX_DRAWN_COORDINATE:  # also NaN
        raise ModelError(f"the {what} from the page is too large")
    return found


def point(value: object, what: str = "point") -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise ModelError(f"the {what} from the page is not a pair of numbers")
    return number(value[0], what), number(value[1], what)


def word(value: object, what: str = "name", longest: int = WORD) -> str:
    if not isinstance(value, str) or len(value) > longest or "\0" in value:
        raise ModelError(f"the {what} from the page is not a text of at most {longest} characters")
    return value


def words(value: object, what: str = "names") -> list[str]:
    if not isinstance(value, list) or len(value) > MAX_ITEMS:
        raise ModelError(f"the {what} from the page are not a list of at most {MAX_ITEMS}")
    return [word(item, what) for item in value]


def click(value: object, what: str = "click") -> dict[str, Any]:
    """Where a hand has clicked: on a point, on a body, or on paper."""
    if not isinstance(value, dict):
        raise ModelError(f"the {what} from the page is not a place")
    found: dict[str, Any] = {"at": list(point(value.get("at", [0.0, 0.0])))}
    for name in ("point", "body"):
        if value.get(name):
            found[name] = word(value[name], name)
    if "at" not in value and "point" not in found:
        raise ModelError(f"the {what} from the page has no place")
    return found


def clicks(value: object, what: str = "clicks") -> list[dict[str, Any]]:
    if not isinstance(value, list) or len(value) > MAX_ITEMS:
        raise ModelError(f"the {what} from the page are not a list of at most {MAX_ITEMS} places")
    return [click(item) for item in value]


def flag(value: object, what: str = "flag") -> bool:
    if not isinstance(value, bool):
        raise ModelError(f"the {what} from the page is not true or false")
    return value


def settings(value: object, what: str = "settings") -> dict[str, str]:
    """Typed values by name."""
    if not isinstance(value, dict) or len(value) > MAX_ITEMS:
        raise ModelError(f"the {what} from the page are not a mapping")
    return {word(key, what): word(item, what, MAX_TYPED) for key, item in value.items()}


def typed_value(value: object, what: str = "value") -> str:
    return word(value, what, MAX_TYPED)


def optional(reader: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    def read(value: object, what: str) -> Any:
        return None if value is None else reader(value, what)

    return read
