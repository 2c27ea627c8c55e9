"""XML documents with the line of every element, and numbers read from them.

    arm.urdf:12: <joint name='elbow'>: the axis must be 3 numbers, got '1 0'

Expat reads; a document type declaration is refused, and with it all entities: a file of a machine needs none, and
through them a few lines can ask for gigabytes or for other files.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.parsers import expat

from cardan.errors import ModelError
from cardan.model import check
from cardan.untrusted import close_match, contents


class Node:
    """An element of a document: its tag, attributes and children, and where it stands."""

    __slots__ = ("attributes", "children", "line", "path", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], path: Path, line: int) -> None:
        self.tag, self.attributes, self.path, self.line = tag, attributes, path, line
        self.children: list[Node] = []

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.path.name}:{self.line}"

    @property
    def title(self) -> str:
        """How messages call it: where it stands, its tag and its name."""
        name = f" name='{self.attributes['name']}'" if "name" in self.attributes else ""
        return f"{self.place}: <{self.tag}{name}>"

    def called(self, otherwise: str) -> str:
        """Its name, or another where it has none."""
        return self.attributes.get("name", "").strip() or otherwise

    def refuse(self, sentence: str) -> ModelError:
        """The error that says what is wrong with the element."""
        return ModelError(f"{self.title}: {sentence}", elements=(self.attributes.get("name", self.tag),))

    def all(self, tag: str) -> Iterator[Node]:
        """Children with a tag."""
        return (child for child in self.children if child.tag == tag)

    def one(self, tag: str) -> Node | None:
        """The child with a tag, of which there may be one."""
        found = list(self.all(tag))
        if len(found) > 1:
            raise self.refuse(f"it has {len(found)} elements <{tag}>, the second in line {found[1].line}; one may stay")
        return found[0] if found else None

    def word(self, name: str, default: str | None = None) -> str:
        """An attribute as it is; without a default it must be there."""
        found = self.attributes.get(name, default)
        if found is None or not found.strip():
            raise self.refuse(f"the attribute '{name}' is missing or empty")
        return found.strip()

    def choice(self, name: str, words: Sequence[str], default: str | None = None) -> str:
        """An attribute that is one of some words."""
        found = self.word(name, default)
        if found not in words:
            raise self.refuse(f"{name} must be one of {', '.join(words)}, got {check.told(found)}{near(found, words)}")
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
        """A number, or None where it is not stated."""
        return self.number(name) if name in self.attributes else None

    def vector(self, name: str, size: int, default: Sequence[float] | None = None) -> tuple[float, ...]:
        """An attribute that is `size` numbers."""
        if name not in self.attributes and default is not None:
            return tuple(default)
        found = self.numbers(name)
        if len(found) != size:
            wanted = "one number" if size == 1 else f"{size} numbers"
            raise self.refuse(f"{name} must be {wanted}, got {check.told(self.attributes[name])}")
        return found

    def numbers(self, name: str) -> tuple[float, ...]:
        """An attribute that is finite numbers, however many."""
        found = []
        for text in self.word(name).split():
            try:
                found.append(float(text))
            except ValueError:
                found.append(math.nan)
            if "_" in text or not math.isfinite(found[-1]):
                raise self.refuse(f"{name} must be finite numbers, got {check.told(text)}")
        return tuple(found)

    def only(self, names: frozenset[str]) -> None:
        """Refuse attributes that are not known: a misspelled one would be lost."""
        for name in self.attributes:
            if name not in names:
                raise self.refuse(f"there is no attribute '{name}'{near(name, sorted(names))}")


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
    """The root element of a text; `path` is how messages call it."""
    parser = expat.ParserCreate()
    stack: list[Node] = []
    roots: list[Node] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        node = Node(tag, attributes, path, parser.CurrentLineNumber)
        (stack[-1].children if stack else roots).append(node)
        stack.append(node)

    def doctype(*_: object) -> None:
        raise ModelError(
            f"{path.name}:{parser.CurrentLineNumber}: a document type (<!DOCTYPE ...>) is refused, since its entities "
            f"can name other files and grow without bound; remove it"
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: stack.pop()
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise ModelError(
            f"{path.name}:{error.lineno}: this is not well-formed XML: {expat.ErrorString(error.code)}"
        ) from None
    except (ValueError, LookupError):  # a declared encoding that expat does not have, and Python knows as multi-byte
        raise ModelError(
            f"{path.name}:{parser.CurrentLineNumber}: its declared encoding is not known, or its text is not in it; "
            f"save the file in UTF-8"
        ) from None
    return roots[0]


def near(word: str, words: Sequence[str]) -> str:
    """A hint at the word that may have been meant."""
    found = close_match(word, words)
    return f"; did you mean '{found}'?" if found else ""
