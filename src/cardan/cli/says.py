"""What a command says: sentences for people, or with --json one object for machines."""

from __future__ import annotations

import json
import sys
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
            print(json.dumps({"ok": code == 0, **self.facts}, default=_plain, ensure_ascii=False))


def _plain(value: Any) -> Any:
    """Numbers of NumPy, paths and others as JSON has them."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
