"""Where a model file may reach: its own folder, what is below it, and the folders that the caller allows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cardan.files.faults import Faults, told


class Folders:
    """The folder of a model file, and others that are allowed."""

    def __init__(self, path: str, allow: Sequence[str | Path] = ()) -> None:
        self.home = Path(path).resolve().parent
        listed = [allow] if isinstance(allow, str | Path) else list(allow)
        self.allowed = [self.home, *(Path(folder).resolve() for folder in listed)]

    def inside(self, node: Any, text: str, faults: Faults) -> str | None:
        """The path of a file that a model names, from the folder of the file that names it; None with a fault."""
        try:
            path = (Path(node.path).resolve().parent / text).resolve()
            there = path.is_file()
        except (OSError, ValueError, RuntimeError):
            faults.add(node, "C401", f"{told(text)} is no path")
            return None
        if not any(path == folder or folder in path.parents for folder in self.allowed):
            hint = "move the file there, or allow its folder: allow=..., --allow PATH"
            faults.add(node, "C402", f"{told(text)} lies outside the folder of the model", hint)
            return None
        if not there:
            faults.add(node, "C401", f"there is no file {told(text)}")
            return None
        return str(path)
