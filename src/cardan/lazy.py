"""Lazy attributes of a package: a module is imported when one of its names is first used.

__getattr__ = lazy_attributes(__name__, {"simulate": "analysis.forward.simulate"})
"""

from __future__ import annotations

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
