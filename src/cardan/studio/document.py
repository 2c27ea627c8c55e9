"""The document of the studio: the text of a model file with undo and redo, kept in a journal.

    document = Document.open("press.yaml")
    with document.edit("length of link1") as text:
        text.put(("bodies", "link1", "markers", "B"), [250, 0])
    document.undo()
    document.save()

Each change is one splice of the text; undo is unlimited. A change that raises leaves the document as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from cardan.atomic_file import atomic_write
from cardan.errors import ModelError
from cardan.studio.journal import Journal, entries
from cardan.studio.text import ModelText
from cardan.untrusted import contents

NEW = """cardan: 1
name: untitled
space: planar
units: {length: mm, angle: deg}
gravity: [0, -9.81 m/s^2]
"""
SUFFIXES = (".yaml", ".yml", ".json")


class Splice(NamedTuple):
    """A change: at `start`, `old` was replaced by `new`."""

    start: int
    old: str
    new: str
    about: str

    def apply(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.start + len(self.old) :]

    def back(self) -> Splice:
        return Splice(self.start, self.new, self.old, self.about)


class Document:
    """A model file that is being edited."""

    def __init__(self, text: str = NEW, path: Path | None = None, journal: Journal | None = None) -> None:
        ModelText(text)  # rejects what is not YAML
        self.path, self.text, self.saved_text = path, text, text if path is not None else ""
        self.done: list[Splice] = []
        self.undone: list[Splice] = []
        self.recovered = 0  # changes that came from the journal of a crash
        self.journal = journal

    @classmethod
    def open(cls, path: Path | None = None, *, recover: bool = True, journal: Path | None = None) -> Document:
        """The document of a file, or a new one. Unsaved changes of a session that ended without saving are applied
        again unless `recover=False`; undo takes them back."""
        if path is not None and path.suffix.lower() not in SUFFIXES:
            raise ModelError(f"the studio edits model files, .yaml or .json; '{path.name}' is not one")
        text = NEW
        if path is not None and path.exists():
            text = _text_of(path)
        elif path is not None:
            text = NEW.replace("untitled", path.stem)
        place = Journal.of(path) if journal is None else journal
        document = cls(text, path, Journal(place))
        if path is not None and not path.exists():
            document.saved_text = ""
        assert document.journal is not None
        if recover and document._replay(place):
            document.journal.resume()
        else:
            document.journal.begin(path, text)
        return document

    def _replay(self, place: Path) -> bool:
        """Apply the journal of an earlier session; False if it has nothing to add to the file."""
        lines = [*entries(place)]
        if not lines or not isinstance(lines[0].get("text"), str):
            return False
        try:
            other = Document(lines[0]["text"], self.path)
            other.saved_text = other.text
            for line in lines[1:]:
                other._apply(line)
            ModelText(other.text)
        except (ModelError, KeyError, TypeError, ValueError):
            return False
        if other.text == self.text or (self.path is not None and other.saved_text != self.text):
            return False  # nothing is missing, or the file was changed by another program
        self.text, self.done, self.undone = other.text, other.done, other.undone
        self.recovered = len(other.done)
        return True

    def _apply(self, line: dict[str, Any]) -> None:
        """A line of a journal."""
        if "splice" in line:
            start, length, new = line["splice"]
            self._take(Splice(start, self.text[start : start + length], new, str(line.get("about", ""))))
        elif line.get("undo"):
            self.undo()
        elif line.get("redo"):
            self.redo()
        elif "saved" in line:
            self.saved_text = self.text

    # --- changes ---------------------------------------------------------------------------------------------------

    @contextmanager
    def edit(self, about: str) -> Iterator[ModelText]:
        """Change the text; all changes inside are one step of undo."""
        text = ModelText(self.text)
        yield text
        self.replace(text.text, about)

    def replace(self, text: str, about: str) -> None:
        """Another text, as one step of undo."""
        ModelText(text)
        if text == self.text:
            return
        splice = difference(self.text, text, about)
        if self.journal is not None:
            self.journal.write({"splice": [splice.start, len(splice.old), splice.new], "about": about})
        self._take(splice)

    def _take(self, splice: Splice) -> None:
        self.text = splice.apply(self.text)
        self.done.append(splice)
        self.undone.clear()

    def undo(self) -> str:
        """Take the last change back; returns what it was, "" if there is none."""
        return self._step(self.done, self.undone, "undo")

    def redo(self) -> str:
        return self._step(self.undone, self.done, "redo")

    def _step(self, source: list[Splice], target: list[Splice], word: str) -> str:
        if not source:
            return ""
        splice = source.pop().back()
        self.text = splice.apply(self.text)
        target.append(splice)
        if self.journal is not None:
            self.journal.write({word: True})
        return splice.about

    # --- the file --------------------------------------------------------------------------------------------------

    @property
    def saved(self) -> bool:
        return self.text == self.saved_text

    @property
    def name(self) -> str:
        return self.path.name if self.path is not None else "untitled"

    def save(self, path: Path | None = None) -> Path:
        """Write the text to its file, or to another one, which is then its file."""
        target = path or self.path
        if target is None:
            raise ModelError("this drawing has no file yet: state its name, such as press.yaml")
        if target.suffix.lower() not in SUFFIXES:
            raise ModelError(f"a model file must end in .yaml or .json, got '{target.name}'")
        if (target.suffix.lower() == ".json") != ModelText(self.text).is_json:
            raise ModelError(f"'{target.name}' has the other format: save to a file that ends in {self._suffix()}")
        with atomic_write(target) as beside:
            beside.write_text(self.text, encoding="utf-8", newline="")
        if self.journal is not None and target != self.path:
            self.journal.close(remove=True)
            self.journal = Journal(Journal.of(target))
            self.journal.begin(target, self.text)
        elif self.journal is not None:
            self.journal.write({"saved": str(target)})
        self.path, self.saved_text = target, self.text
        return target

    def _suffix(self) -> str:
        return ".json" if ModelText(self.text).is_json else ".yaml"

    def close(self) -> None:
        """End the session; the journal stays if changes are not saved."""
        if self.journal is not None:
            nothing = self.saved or (self.path is None and not self.done)
            self.journal.close(remove=nothing)


def _text_of(path: Path) -> str:
    try:
        return contents(path).decode("utf-8-sig")
    except OSError as error:
        raise ModelError(f"'{path}' cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ModelError(f"'{path}' is not a model file: it is not UTF-8 text") from None


def difference(old: str, new: str, about: str = "") -> Splice:
    """The shortest single replacement that makes `new` of `old`."""
    limit = min(len(old), len(new))
    start = 0
    while start < limit and old[start] == new[start]:
        start += 1
    end = 0
    while end < limit - start and old[len(old) - 1 - end] == new[len(new) - 1 - end]:
        end += 1
    return Splice(start, old[start : len(old) - end], new[start : len(new) - end], about)
