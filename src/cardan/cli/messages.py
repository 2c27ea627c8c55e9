"""What a command says: sentences for people, or with --json one object for machines."""

from __future__ import annotations

import json
import sys
from math import isfinite
from typing import Any


class Says:
    """Sentences are printed at once; facts are collected and printed at the end, if they are asked for."""

    def __init__(self, machine: bool) -> None:
        self.machine = machine
        self.facts: dict[str, Any] = {}

    def say(self, text: Any) -> None:
        """A sentence for people."""
        if not self.machine:
            print(text, flush=True)

    def fact(self, **facts: Any) -> None:
        """Facts for machines."""
        self.facts |= facts

    def fail(self, error: BaseException, code: int, traceback: bool, sentence: str | None = None) -> int:
        """Say in one sentence what went wrong."""
        text = sentence or str(error)
        self.fact(error=text)
        if traceback:
            import traceback as lines

            lines.print_exception(error)
        else:
            print(f"cardan: {text}", file=sys.stderr)
        return code

    def end(self, code: int) -> None:
        """Print the facts."""
        if self.machine:
            print(json.dumps(_plain({"ok": code == 0, **self.facts}), ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    """Values as JSON has them: NumPy as plain numbers, what is not finite as null, paths and others as texts."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)
