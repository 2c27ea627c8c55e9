"""Intermediate code of LLVM as text: functions, types, values."""

from __future__ import annotations

import re

FUNCTION = re.compile(r"^define [^\n]*?(@[\w.$-]+)\((.*?)\)[^()\n]*\{\n(.*?)^\}\n", re.MULTILINE | re.DOTALL)
INDIRECT = re.compile(r'^  (?:%\S+ = )?(?:tail )?call [^@\n]*?%[\w.$"-]+\((.*)\)', re.MULTILINE)
NAME = re.compile(r'@[\w.$-]+|%"[^"]*"|%[\w.$-]+')
_NOTES = re.compile(r"(?:, ![\w.]+ !\d+)+$| #\d+(?=$|,)")
_SIZES = {"double": 8, "ptr": 8, "float": 4, "i64": 8, "i32": 4, "i16": 2, "i8": 1, "i1": 1, "i128": 16}
ZERO = {"double": "0.0", "i64": "0", "ptr": "null"}
REFUSED = (
    "a derivative of the machine code is not known: {}. Report this model; derivatives=False exports it without them"
)


class TangentError(ValueError):
    """Code that cannot be differentiated."""


def size_of(kind: str) -> int:
    """Bytes that hold a value of a type, at most."""
    if kind[0] in "[<":
        count, inner = kind[1:-1].split(" x ", 1)
        return int(count) * size_of(inner)
    if kind[0] == "{":
        return sum(-(-size_of(part) // 8) * 8 for part in split(kind[1:-1].strip()))
    if kind not in _SIZES:
        raise TangentError(REFUSED.format(f"a value of type {kind}"))
    return _SIZES[kind]


def split(text: str) -> list[str]:
    """Parts between commas that are outside of brackets."""
    parts, depth, first = [], 0, 0
    for k, letter in enumerate(text):
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and depth == 0:
            parts.append(text[first:k].strip())
            first = k + 1
    return [*parts, text[first:].strip()] if text.strip() else []


def typed(text: str) -> tuple[str, str]:
    """A type and what follows it."""
    text = text.strip()
    if text[0] in "[{<":
        depth = 0
        for k, letter in enumerate(text):
            depth += (letter in "[{<") - (letter in "]}>")
            if depth == 0:
                return text[: k + 1], text[k + 1 :].strip()
    kind, _, rest = text.partition(" ")
    return kind.removesuffix(","), rest


def plain(line: str) -> str:
    """A line without metadata and attributes of functions."""
    return _NOTES.sub("", line)


def zero(kind: str) -> str:
    """Nothing, of a type."""
    return ZERO.get(kind, "zeroinitializer")


def parts_of_call(text: str) -> tuple[str, str, str]:
    """What stands before the function that is called, the function, and the arguments."""
    found = re.search(r'(@[\w.$-]+|%"[^"]*"|%[\w.$-]+)\(', text)
    if found is None:
        raise TangentError(REFUSED.format(text))
    return text[: found.start()].strip(), found[1], text[found.end() : text.rindex(")")]


def last(text: str) -> str:
    """The value at the end of an argument, behind its type and attributes."""
    found = re.search(r'(@[\w.$-]+|%"[^"]*"|[^\s"]+)$', text) if not text.endswith(")") else None
    if found is None:
        raise TangentError(REFUSED.format(text))
    return found[1]
