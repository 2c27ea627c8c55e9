"""Plain data as readable YAML: an element per line if it fits, all digits, quotes only if needed."""

from __future__ import annotations

import json
import re
from typing import Any

from cardan.errors import ModelError

LINE_WIDTH = 118
PLAIN = re.compile(r"[A-Za-z_][\w .@*/()+^-]*")  # words without quotes, also inside brackets
WORDS = ("null", "true", "false", "True", "False", "None", "yes", "no", "on", "off", "y", "n", "~", "nan", "inf")


def yaml_text(data: dict[str, Any], schema: str = "") -> str:
    """The text of a model file."""
    lines = [f"# yaml-language-server: $schema={schema}"] if schema else []
    for key, value in data.items():
        if isinstance(value, dict | list) and value and not _fits(value, len(key) + 2):
            lines += ["", f"{scalar(key)}:", *_block(value, 2)]
        elif isinstance(value, dict) and any(isinstance(item, dict) for item in value.values()):
            lines += ["", f"{scalar(key)}:", *_block(value, 2)]
        else:
            lines.append(f"{scalar(key)}: {flow(value)}")
    return "\n".join(lines) + "\n"


def _block(value: Any, indent: int) -> list[str]:
    """The lines of a mapping or list, with one entry per line if it fits."""
    pad, lines = " " * indent, []
    entries = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    for key, item in entries:
        head = "-" if key is None else f"{scalar(key)}:"
        text = flow(item)
        if indent + len(head) + len(text) <= LINE_WIDTH or not isinstance(item, dict | list) or not item:
            lines.append(f"{pad}{head} {text}")
        elif isinstance(item, list) and all(not isinstance(entry, dict | list) for entry in item):
            lines += [f"{pad}{head}", *_wrapped(item, indent + 2)]
        else:
            lines += [f"{pad}{head}", *_block(item, indent + 2)]
    return lines


def _wrapped(items: list[Any], indent: int) -> list[str]:
    """A long list of numbers on several lines."""
    lines, pad = [], " " * indent
    row = "["
    for k, item in enumerate(items):
        text = scalar(item) + ("]" if k == len(items) - 1 else ",")
        if len(row) + len(text) + indent > LINE_WIDTH and row.strip("[ "):
            lines.append(f"{pad}{row.rstrip()}")
            row = " "
        row += f"{text} "
    return [*lines, f"{pad}{row.rstrip()}"]


def _fits(value: object, before: int) -> bool:
    return len(flow(value)) + before <= LINE_WIDTH and not (
        isinstance(value, list) and any(isinstance(item, dict) for item in value)
    )


def flow(value: object) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{scalar(key)}: {flow(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(flow(item) for item in value)}]"
    return scalar(value)


def scalar(value: Any) -> str:
    """A number or a word, in quotes if YAML would read it as something else."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        if value != value:
            raise ModelError("a number that is not finite cannot be written to a model file")
        return repr(value)
    plain = PLAIN.fullmatch(value) and value.strip() == value and value not in WORDS
    return value if plain else json.dumps(value, ensure_ascii=False)
