"""The files to which a model file refers: in its own folder, below it, or in folders that the caller allows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cardan.errors import ModelError
from cardan.files.faults import FaultError, Faults, ReportedError, TooManyFaultsError, short_repr
from cardan.files.text.nodes import MAX_NODES, TextNode, read
from cardan.untrusted import OutsideError, Reach

if TYPE_CHECKING:
    from yaml import Node

MAX_FILES = 1000  # included files, counting each inclusion


class Folders:
    """The folder of a model file and the allowed ones."""

    def __init__(self, path: str, allow: Sequence[str | Path] = ()) -> None:
        self.reach = Reach(Path(path).resolve().parent, allow)
        self.roots: dict[str, TextNode | None] = {}  # of included files, each read once; None if it has faults
        self.files = self.included = 0  # included files and their entries, counting each inclusion
        self.cells = 0  # cells of tables, counting each use

    def root(self, node: Node, path: str, faults: Faults) -> TextNode:
        """The content of an included file."""
        if path not in self.roots:
            self.roots[path] = None
            self.roots[path] = read(path, faults)
        root = self.roots[path]
        if root is None:
            raise ReportedError
        self.files, self.included = self.files + 1, self.included + root.weight
        if self.files > MAX_FILES or self.included > MAX_NODES:
            faults.add(node, "C403", f"files include more than {MAX_FILES} files or {MAX_NODES} entries")
            raise TooManyFaultsError
        return root

    def inside(self, node: Node, text: str) -> str:
        """The path of a file, relative to the folder of the file that names it."""
        try:
            path = self.reach.found(Path(node.path).resolve().parent, text)
            exists = path.is_file()
        except OutsideError:
            hint = "move the file there, or allow its folder: allow=..., --allow PATH"
            raise FaultError(node, "C402", f"{short_repr(text)} is outside the folder of the model", hint) from None
        except (OSError, ModelError):
            raise FaultError(node, "C401", f"{short_repr(text)} is not a path") from None
        if not exists:
            raise FaultError(node, "C401", f"file {short_repr(text)} does not exist")
        return str(path)
