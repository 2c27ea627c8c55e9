"""The user's own functions: a model file names them, and only the module that the caller names has them."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from cardan.errors import ModelError
from cardan.files.faults import Fault, FileError, near
from cardan.files.reading.parsed import Own


class Functions:
    """The functions of a Python module, of the file of one, or of a dictionary."""

    def __init__(self, source: ModuleType | Mapping[str, Any] | str | Path | None) -> None:
        self.title = "no module"
        self.known: Mapping[str, Any] = {}
        if isinstance(source, Mapping):
            self.title, self.known = "the functions", source
        elif isinstance(source, ModuleType):
            self.title, self.known = f"module '{source.__name__}'", vars(source)
        elif source is not None:
            self.title, self.known = f"'{source}'", vars(_executed(Path(source)))

    def named(self, own: Own) -> Any:
        """A function by its name; what the file names and the module lacks is refused."""
        found = self.known.get(own.name) if not own.name.startswith("_") else None
        if callable(found):
            return found
        there = [name for name, value in self.known.items() if callable(value) and not name.startswith("_")]
        if self.title == "no module":
            hint = "name the Python file that has it: functions=..., --functions FILE"
        else:
            hint = near(own.name, there, f"{self.title} has no such function")
        node = own.node
        sentence = f"there is no function '{own.name}'"
        raise FileError([Fault("C501", node.path, node.line, node.column, sentence, hint)])


def _executed(path: Path) -> ModuleType:
    """The module that a file defines, as the caller asks for it."""
    spec = importlib.util.spec_from_file_location(f"cardan_functions_{path.stem}", path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise ModelError(f"functions='{path}' is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ModelError(f"functions='{path}': {type(error).__name__}: {error}") from error
    return module
