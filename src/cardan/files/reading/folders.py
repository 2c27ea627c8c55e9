"""The files that a model file names: they lie in its own folder, below it, or in folders that the caller allows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cardan.errors import ModelError
from cardan.files.faults import Faults, TooManyFaultsError, told
from cardan.files.text.nodes import MOST_NODES, Node, read
from cardan.untrusted import OutsideError, Reach

MOST_FILES = 1000  # that may be included, each as often as it is


class Folders:
    """The folder of a model file, and others that are allowed."""

    def __init__(self, path: str, allow: Sequence[str | Path] = ()) -> None:
        self.reach = Reach(Path(path).resolve().parent, allow)
        self.roots: dict[str, Node | None] = {}  # of included files: each is read once
        self.files = self.included = 0  # included files and their entries, as often as they are included
        self.cells = 0  # of tables, as often as they are read

    def root(self, node: Any, path: str, faults: Faults) -> Node | None:
        """What an included file holds; None with faults."""
        if path not in self.roots:
            self.roots[path] = read(path, faults)
        root = self.roots[path]
        self.files, self.included = self.files + 1, self.included + (root.weight if root is not None else 0)
        if self.files > MOST_FILES or self.included > MOST_NODES:
            faults.add(node, "C403", f"files include more than {MOST_FILES} others, or {MOST_NODES} entries")
            raise TooManyFaultsError
        return root

    def inside(self, node: Any, text: str, faults: Faults) -> str | None:
        """The path of a file that a model names, from the folder of the file that names it; None with a fault."""
        try:
            path = self.reach.found(Path(node.path).resolve().parent, text)
            there = path.is_file()
        except OutsideError:
            hint = "move the file there, or allow its folder: allow=..., --allow PATH"
            faults.add(node, "C402", f"{told(text)} lies outside the folder of the model", hint)
            return None
        except (OSError, ModelError):
            faults.add(node, "C401", f"{told(text)} is no path")
            return None
        if not there:
            faults.add(node, "C401", f"there is no file {told(text)}")
            return None
        return str(path)
