"""Where meshes of files are: beside them, in packages, in a folder of meshes; read once each."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from cardan.errors import CardanWarning, ModelError
from cardan.io.document import Node
from cardan.io.surface import Surface, read_surface, scaled
from cardan.model import check


class MeshFinder:
    """Surfaces by the names that a file gives them."""

    def __init__(self, folder: Path, packages: Any, strict: bool) -> None:
        if packages is not None and not isinstance(packages, str | Path | Mapping):
            raise ModelError(f"packages must be a folder, or a dictionary of folders, got {check.shown(packages)}")
        self.folder, self.packages, self.strict = folder, packages, strict
        self.known: dict[Path, Surface] = {}

    def surface(self, name: str, scale: tuple[float, ...], node: Node) -> Surface | None:
        """The surface; where it cannot be had, a warning by name and None, or if strict the refusal."""
        try:
            path = self._path(name)
            if path not in self.known:
                self.known[path] = read_surface(path)
            if not all(scale):
                raise ModelError(f"the mesh '{name}' is scaled by zero")
            return scaled(self.known[path], scale)
        except ModelError as error:
            if self.strict:
                raise node.refuse(str(error)) from None
            warnings.warn(f"{node.title}: {error}; it is not drawn", CardanWarning, stacklevel=2)
            return None

    def _path(self, name: str) -> Path:
        if name.startswith("package://"):
            package, _, rest = unquote(name.removeprefix("package://")).partition("/")
            return self._package(package) / rest
        if name.startswith("file://"):
            return Path(unquote(name.removeprefix("file://")))
        if "://" in name:
            raise ModelError(f"the mesh '{name}' is not on this computer")
        return self.folder / name

    def _package(self, package: str) -> Path:
        """The folder of a package: stated, or one of that name at or above the file."""
        if isinstance(self.packages, Mapping):
            if package not in self.packages:
                raise ModelError(f"packages= does not say where '{package}' is")
            return Path(self.packages[package])
        if self.packages is not None:
            return Path(self.packages) / package
        for folder in (self.folder.resolve(), *self.folder.resolve().parents):
            for found in (folder, folder / package):
                if found.name == package and found.is_dir():
                    return found
        raise ModelError(f"there is no folder of the package '{package}' at or above the file: state packages=")
