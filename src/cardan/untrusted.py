"""Limits for untrusted files: the folders that they may read from, and the cost of reading them.

A downloaded model, robot or table is data, not a program. It may refer to files in its own folder and in folders that
the caller allows, after links are resolved, and to regular files only: no devices or pipes.

    reach = Reach(path.parent, allow=["/data/meshes"])
    reach.found(path.parent, "parts/wheel.stl")      the path, with links resolved
    reach.found(path.parent, "../../secret")         OutsideError

`close_match` finds a similar word for messages ("did you mean ...?"), with a limit on the number of comparisons.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, BinaryIO

from cardan.errors import ModelError

LONGEST_WORD = 60  # letters; longer words are not compared
MOST_LETTERS = 10_000  # in the words that one word is compared with: some milliseconds


class OutsideError(ModelError):
    """A file refers to another file that it may not read."""


class Reach:
    """The folders that a file may read from: its own, those below it, and those that the caller allows."""

    def __init__(self, home: Path, allow: Any = ()) -> None:
        self.home = home.resolve()
        self.allowed = (self.home, *(folder.resolve() for folder in folders(allow)))

    def found(self, base: Path, name: str) -> Path:
        """The file `name` in the folder `base`, with links resolved; it need not exist."""
        try:
            path = (base / name).resolve()
        except (OSError, ValueError, RuntimeError):  # a null byte, circular links, a name that is too long
            raise ModelError(f"{_short(name)} is not a path") from None
        return self.inside(path, name)

    def inside(self, path: Path, name: str) -> Path:
        """The path, if it is in one of the folders."""
        if not any(folder == path or folder in path.parents for folder in self.allowed):
            raise OutsideError(
                f"{_short(name)} is outside the folder of the file that refers to it; move it there, or allow its "
                f"folder with allow="
            )
        return path


def folders(allow: Any) -> list[Path]:
    """The folders that a caller allows, as a list."""
    listed = [allow] if isinstance(allow, str | Path) else allow
    if not isinstance(listed, Sequence | set | frozenset) or not all(isinstance(item, str | Path) for item in listed):
        raise ModelError(f"allow must be a folder or a list of folders, got {_short(allow)}")
    return [Path(item) for item in listed]


def contents(path: Path) -> bytes:
    """The bytes of a regular file; OSError for anything else, such as an endless device."""
    with open_regular(path) as file:
        return file.read()


def open_regular(path: Any) -> BinaryIO:
    """Open a regular file for reading; OSError for anything else."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except ValueError as error:  # a null byte in the name
        raise OSError(None, str(error)) from None
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        raise OSError(None, "it is a folder" if stat.S_ISDIR(mode) else "it is not a regular file")
    return open(handle, "rb")


def close_match(word: str, words: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The most similar word; None if none is similar enough or there are too many to compare."""
    if len(word) > LONGEST_WORD:
        return None
    compared, letters = [], 0
    for other in words:
        if 2 * min(len(word), len(other)) >= cutoff * (len(word) + len(other)):  # otherwise they cannot be similar
            letters += len(other)
            compared.append(other)
        if letters > MOST_LETTERS:
            break
    found = get_close_matches(word, compared, 1, cutoff)
    return found[0] if found else None


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
    return repr(text if len(text) <= 80 else f"{text[:76]} ...")
