"""Explanations of fault codes, for `cardan explain C104`.

`codes` maps each code to its title and its explanation, with a wrong and a right example from explanations.yaml.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import yaml


class Entry(NamedTuple):
    """The explanation of a code."""

    title: str
    text: str
    wrong: str = ""
    right: str = ""

    def explanation(self) -> str:
        parts = [self.text]
        for word, example in (("wrong", self.wrong), ("right", self.right)):
            if example:
                lines = "\n".join(f"    {line}" for line in example.splitlines())
                parts.append(f"{word}:\n\n{lines}")
        return "\n\n".join(parts)


_TEXT = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
ENTRIES: dict[str, Entry] = {code: Entry(**entry) for code, entry in yaml.safe_load(_TEXT).items()}
codes: dict[str, tuple[str, str]] = {code: (entry.title, entry.explanation()) for code, entry in ENTRIES.items()}
