"""The output of a command: lines of text, or one JSON object with --json."""

from __future__ import annotations

import json
import sys
from math import isfinite
from typing import Any


class CommandOutput:
    """Prints lines immediately, or collects data and prints it as JSON at the end."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self.data: dict[str, Any] = {}

    def line(self, text: str) -> None:
        """Print a line, unless the output is JSON."""
        if not self.as_json:
            print(text, flush=True)

    def add(self, **data: Any) -> None:
        """Add data to the JSON object."""
        self.data |= data

    def error(self, error: BaseException, code: int, traceback: bool, message: str | None = None) -> int:
        """Print an error as one line on stderr, and return the exit code."""
        text = message or for_command_line(error)
        self.add(error=text)
        if traceback:
            from traceback import print_exception

            print_exception(error)
        else:
            print(f"cardan: {text}", file=sys.stderr)
        return code

    def finish(self, code: int) -> None:
        """Print the JSON object."""
        if self.as_json:
            print(json.dumps(_plain({"ok": code == 0, **self.data}), ensure_ascii=False, allow_nan=False))


def for_command_line(message: object) -> str:
    """The message of an error, or of a result that ends with one, whose remedies are those of the command line."""
    text = str(message).replace("mobility(model)", "`cardan mobility`")
    cause, found, remedy = text.partition("; at_bifurcation=")
    if not found:
        return text
    if remedy.startswith("'smooth'"):
        return f"{cause}; --at-bifurcation smooth continues smoothly"
    return f"{text}, in Python"


def plural(count: int, word: str) -> str:
    """'1 fault', '2 faults'."""
    return f"{count} {word}{'' if count == 1 else 's'}"


def _plain(value: object) -> Any:
    """Convert to JSON types: NumPy arrays to lists, numbers that are not finite to null, other objects to text."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)
