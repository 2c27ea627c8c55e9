"""User functions: a model file names them, and the caller states the module that defines them."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from cardan.errors import ModelError
from cardan.files.faults import Fault, FileError, did_you_mean
from cardan.files.reading.parsed import UserFunction


class Functions:
    """The functions of a Python module, a Python file or a dictionary."""

    def __init__(self, source: ModuleType | Mapping[str, Any] | str | Path | None) -> None:
        self.title = "no module"
        self.known: Mapping[str, Any] = {}
        if isinstance(source, Mapping):
            self.title, self.known = "the functions", source
        elif isinstance(source, ModuleType):
            self.title, self.known = f"module '{source.__name__}'", vars(source)
        elif source is not None:
            self.title, self.known = f"'{source}'", vars(_execute(Path(source)))

    def named(self, own: UserFunction) -> Any:
        """A function by name; FileError if the module does not define it."""
        found = self.known.get(own.name) if not own.name.startswith("_") else None
        if callable(found):
            return found
        there = [name for name, value in self.known.items() if callable(value) and not name.startswith("_")]
        if self.title == "no module":
            hint = "state the Python file that defines it: functions=..., --functions FILE"
        else:
            hint = did_you_mean(own.name, there, f"{self.title} does not define it")
        node = own.node
        message = f"unknown function '{own.name}'"
        raise FileError([Fault("C501", node.path, node.line, node.column, message, hint)])


def _execute(path: Path) -> ModuleType:
    """Execute a Python file, at the request of the caller."""
    spec = importlib.util.spec_from_file_location(f"cardan_functions_{path.stem}", path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise ModelError(f"functions='{path}' is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ModelError(f"functions='{path}': {type(error).__name__}: {error}") from error
    return module
