"""Lazy attributes of a package: a module is imported when one of its names is first used.

    __getattr__ = lazy_attributes(__name__, {"simulate": "analysis.forward.simulate"})

A package with many names states them once, as imports for type checkers, which `lazy_imports` reads:

    if TYPE_CHECKING:
        from cardan.elements.forces.spring import Spring

    __getattr__ = lazy_imports(__name__, __file__)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_attributes(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package; `modules` maps each name to the module, relative to the package, that defines it.

    A name that equals its module is the module.
    """

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{modules[name]}")
        found = module if modules[name] == name else getattr(module, name)
        setattr(sys.modules[package], name, found)
        return found

    return find


def lazy_imports(package: str, *paths: str) -> Callable[[str], Any]:
    """The `__getattr__` of a package; the files at `paths` import its names under `if TYPE_CHECKING:`."""
    text = ""
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text += file.read().partition("if TYPE_CHECKING:\n")[2]
    places: dict[str, tuple[str, str]] = {}
    for module, names in re.findall(r"^    from ([\w.]+) import \(?([^()\n]+|[^()]+(?=\)))", text, re.MULTILINE):
        for item in filter(None, re.split(r"[,\s]*,\s*|\n", re.sub(r"#.*", "", names).strip())):
            name, _, alias = item.strip().partition(" as ")
            places[alias or name] = module, name

    def find(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, original = places[name]
        home = None if module == package else import_module(module)
        found = getattr(home, original, None) or import_module(f"{module}.{original}")  # a name, or a module
        setattr(sys.modules[package], name, found)
        return found

    return find
