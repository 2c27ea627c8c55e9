"""XML documents with the line of every element, and numbers read from them.

    arm.urdf:12: <joint name='elbow'>: the axis must be 3 numbers, got '1 0'

Expat parses the file. A document type declaration, and with it all entities, is an error: through entities a few lines
can demand gigabytes or other files.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.parsers import expat

from cardan.errors import ModelError, warn
from cardan.model import check
from cardan.untrusted import close_match, contents

BLANKS = (b" ", b"\t", b"\r", b"\n")


class Node:
    """An element of a document: its tag, attributes, children and place."""

    __slots__ = ("attributes", "children", "line", "path", "tag", "words")

    def __init__(self, tag: str, attributes: dict[str, str], path: Path, line: int) -> None:
        self.tag, self.attributes, self.path, self.line = tag, attributes, path, line
        self.children: list[Node] = []
        self.words: list[str] = []  # pieces of text between its tags

    @property
    def text(self) -> str:
        """The text between its tags."""
        return "".join(self.words).strip()

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.path.name}:{self.line}"

    @property
    def title(self) -> str:
        """Its place, tag and name, for messages."""
        name = f" name='{self.attributes['name']}'" if "name" in self.attributes else ""
        return f"{self.place}: <{self.tag}{name}>"

    def called(self, otherwise: str) -> str:
        """Its name, or `otherwise` if it has none."""
        return self.attributes.get("name", "").strip() or otherwise

    def error(self, message: str) -> ModelError:
        """An error that names the element."""
        return ModelError(f"{self.title}: {message}", elements=(self.attributes.get("name", self.tag),))

    def warn(self, message: str) -> None:
        """A warning that names the element."""
        warn(f"{self.title}: {message}")

    def all(self, tag: str) -> Iterator[Node]:
        """Children with a tag."""
        return (child for child in self.children if child.tag == tag)

    def one(self, tag: str) -> Node | None:
        """The child with a tag, or None; more than one is an error."""
        found = list(self.all(tag))
        if len(found) > 1:
            raise self.error(
                f"it has {len(found)} elements <{tag}>, the second in line {found[1].line}; remove all but one"
            )
        return found[0] if found else None

    def word(self, name: str, default: str | None = None) -> str:
        """An attribute as text; without a default it is required."""
        found = self.attributes.get(name, default)
        if found is None or not found.strip():
            raise self.error(f"the attribute '{name}' is missing or empty")
        return found.strip()

    def choice(self, name: str, words: Sequence[str], default: str | None = None) -> str:
        """An attribute that is one of some words."""
        found = self.word(name, default)
        if found not in words:
            raise self.error(
                f"{name} must be one of {', '.join(words)}, got {check.short_repr(found)}{near(found, words)}"
            )
        return found

    def flag(self, name: str, default: bool) -> bool:
        """An attribute that is true or false."""
        return self.choice(name, ("true", "false"), str(default).lower()) == "true"

    def number(self, name: str, default: float | None = None) -> float:
        """An attribute that is one number."""
        if name not in self.attributes and default is not None:
            return default
        return self.vector(name, 1)[0]

    def optional(self, name: str) -> float | None:
        """A number, or None if it is not stated."""
        return self.number(name) if name in self.attributes else None

    def vector(self, name: str, size: int, default: Sequence[float] | None = None) -> tuple[float, ...]:
        """An attribute that is `size` numbers."""
        if name not in self.attributes and default is not None:
            return tuple(default)
        found = self.numbers(name)
        if len(found) != size:
            wanted = "one number" if size == 1 else f"{size} numbers"
            raise self.error(f"{name} must be {wanted}, got {check.short_repr(self.attributes[name])}")
        return found

    def numbers(self, name: str) -> tuple[float, ...]:
        """An attribute that is any number of finite numbers."""
        found = []
        for text in self.word(name).split():
            try:
                found.append(float(text))
            except ValueError:
                found.append(math.nan)
            if "_" in text or not math.isfinite(found[-1]):
                raise self.error(f"{name} must be finite numbers, got {check.short_repr(text)}")
        return tuple(found)

    def only(self, names: frozenset[str]) -> None:
        """Reject unknown attributes: a misspelled one would be ignored."""
        for name in self.attributes:
            if name not in names:
                raise self.error(f"there is no attribute '{name}'{near(name, sorted(names))}")


def read_document(path: Path) -> Node:
    """The root element of a file."""
    try:
        data = contents(path)
    except OSError as error:
        reason = (
            "there is no such file" if isinstance(error, FileNotFoundError) else f"it cannot be read: {error.strerror}"
        )
        raise ModelError(f"'{path}': {reason}") from None
    return parse_document(data, path)


def parse_document(data: bytes, path: Path) -> Node:
    """The root element of a text; messages name `path`."""
    data, encoding = _declaration_first(data, path)
    parser = expat.ParserCreate(encoding)
    stack: list[Node] = []
    roots: list[Node] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        node = Node(tag, attributes, path, parser.CurrentLineNumber)
        (stack[-1].children if stack else roots).append(node)
        stack.append(node)

    def doctype(*_: object) -> None:
        raise ModelError(
            f"{path.name}:{parser.CurrentLineNumber}: a document type (<!DOCTYPE ...>) is not allowed, because "
            f"its entities can refer to other files and grow without bound; remove it"
        )

    def text(words: str) -> None:
        if stack and not stack[-1].children:
            stack[-1].words.append(words)

    parser.StartElementHandler = start
    parser.CharacterDataHandler = text
    parser.EndElementHandler = lambda tag: stack.pop()
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise ModelError(f"{path.name}:{error.lineno}: not well-formed XML: {expat.ErrorString(error.code)}") from None
    except (ValueError, LookupError):  # a declared multi-byte encoding that expat does not support
        raise ModelError(
            f"{path.name}:{parser.CurrentLineNumber}: its declared encoding is unknown or wrong; save the file in UTF-8"
        ) from None
    return roots[0]


def _declaration_first(data: bytes, path: Path) -> tuple[bytes, str | None]:
    """The text with an XML declaration that follows blanks or comments blanked out, with a warning, and its encoding.

    Lines keep their numbers.
    """
    start = 0
    while True:
        while data[start : start + 1] in BLANKS:
            start += 1
        if not data.startswith(b"<!--", start):
            break
        end = data.find(b"-->", start)
        if end < 0:
            return data, None
        start = end + 3
    end = data.find(b"?>", start)
    if not start or not data.startswith(b"<?xml", start) or end < 0 or data[start + 5 : start + 6] not in BLANKS:
        return data, None
    declaration = data[start : end + 2]
    found = re.search(rb"encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']", declaration)
    line = data.count(b"\n", 0, start) + 1
    warn(f"{path.name}:{line}: the XML declaration is not at the start of the file; it is read as if it were")
    blank = bytes(c if c in b"\r\n" else 32 for c in declaration)
    return data[:start] + blank + data[end + 2 :], None if found is None else found.group(1).decode()


def near(word: str, words: Sequence[str]) -> str:
    """A hint with the most similar word."""
    found = close_match(word, words)
    return f"; did you mean '{found}'?" if found else ""
