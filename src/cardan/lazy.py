"""Names that a package offers but does not load: their modules are imported when a name is first asked for.

__getattr__ = late(__name__, {"simulate": "analysis.simulate"})
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late(package: str, rooms: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose names are found in modules below it; one of the same name is the thing."""

    def find(name: str) -> Any:
        if name not in rooms:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{rooms[name]}")
        found = module if rooms[name] == name else getattr(module, name)
        setattr(sys.modules[package], name, found)
        return found

    return find
