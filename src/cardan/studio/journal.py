"""The journal of a drawing: every change is on disk before the page shows it.

    {"cardan-studio": 1, "path": "press.yaml", "text": "..."}        the text at the beginning
    {"splice": [120, 3, "250"], "about": "length of link1"}          from character 120, 3 are replaced
    {"undo": true}  {"redo": true}  {"saved": "press.yaml"}

After a crash the changes are applied again, undo included. A line that was being written is ignored. The files are in
`$CARDAN_CACHE/studio`, or ~/.cache/cardan/studio, which only the user can read.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cardan.errors import ModelError
from cardan.numerics.compiled.cache_folder import cache_root, private_folder

VERSION = 1
MAX_JOURNAL_BYTES = 256 * 2**20  # bytes of a journal that is read


def journal_folder() -> Path:
    """The folder of all journals."""
    root = cache_root(os.environ.get("CARDAN_CACHE"))
    try:
        root.mkdir(parents=True, exist_ok=True)
        return private_folder(root / "studio", tighten=True)
    except OSError as error:
        raise ModelError(f"the studio cannot keep its journal in '{root}': {error.strerror or error}") from None


class Journal:
    """A journal that is open for writing; one process at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: Any = None

    @staticmethod
    def of(model: Path | None) -> Path:
        """The journal of a model file; one of its own for a drawing without a file."""
        if model is None:
            return journal_folder() / f"untitled-{os.getpid()}.journal"
        place = str(model.resolve()).encode()
        return journal_folder() / f"{hashlib.sha256(place).hexdigest()[:24]}.journal"

    def begin(self, path: Path | None, text: str) -> None:
        """Start again with a text."""
        self.close()
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
        self._file = os.fdopen(os.open(self.path, flags, 0o600), "w", encoding="utf-8")
        self.write({"cardan-studio": VERSION, "path": "" if path is None else str(path), "text": text})

    def resume(self) -> None:
        """Continue a journal that was read."""
        self.close()
        flags = os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        self._file = os.fdopen(os.open(self.path, flags), "w", encoding="utf-8")
        self._file.write("\n")  # ends a line that was being written

    def write(self, entry: dict[str, Any]) -> None:
        """Add a line; it is on disk when this returns."""
        if self._file is None:
            return
        self._file.write(json.dumps(entry) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self, remove: bool = False) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
        if remove:
            self.path.unlink(missing_ok=True)


def entries(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a journal; those that are not complete are skipped."""
    if not path.is_file() or path.stat().st_size > MAX_JOURNAL_BYTES:
        return
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(entry, dict):
                yield entry


def abandoned() -> list[Path]:
    """Journals of drawings without a file whose process has ended, newest first."""
    found = [path for path in journal_folder().glob("untitled-*.journal") if not _alive(path)]
    return sorted(found, key=lambda path: -path.stat().st_mtime)


def _alive(path: Path) -> bool:
    number = path.stem.rpartition("-")[2]
    if not number.isdigit():
        return False
    if os.name != "posix":  # where os.kill ends the process
        return True
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
