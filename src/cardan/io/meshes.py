"""Mesh files: in the folder of the file that names them, in packages, or in folders that the caller allows.

A URDF names meshes by package://robot/meshes/arm.stl. `packages` states the folder of a package; otherwise it is a
folder of that name with a package.xml, as in ROS, at, beside or above the file. Each mesh is read once.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from cardan.errors import ModelError, warn
from cardan.io.document import Node
from cardan.io.surface import Surface, read_surface, scaled
from cardan.model import check
from cardan.untrusted import Reach


class MeshFinder:
    """Finds surfaces by name."""

    def __init__(self, folder: Path, reach: Reach, packages: Any, strict: bool) -> None:
        if packages is not None and not isinstance(packages, str | Path | Mapping):
            raise ModelError(f"packages must be a folder or a dictionary of folders, got {check.describe(packages)}")
        self.folder, self.reach, self.packages, self.strict = folder, reach, packages, strict
        self.known: dict[Path, Surface | ModelError] = {}
        self.folders: dict[str, Path | None] = {}  # of packages

    def surface(self, name: str, scale: tuple[float, ...], node: Node) -> Surface | None:
        """The surface, or None with a warning if it cannot be read; an error if strict."""
        try:
            found = self._read(self._path(name))
            if not all(scale):
                raise ModelError(f"the mesh {check.short_repr(name)} is scaled by zero")
            return scaled(found, scale)
        except ModelError as error:
            if self.strict:
                raise node.error(str(error)) from None
            warn(f"{node.title}: {error}; it is not drawn")
            return None

    def _read(self, path: Path) -> Surface:
        """Read a file once, even if it is invalid."""
        if path not in self.known:
            try:
                self.known[path] = read_surface(path)
            except ModelError as error:
                self.known[path] = error
        found = self.known[path]
        if isinstance(found, ModelError):
            raise found
        return found

    def _path(self, name: str) -> Path:
        if name.startswith("package://"):
            package, _, rest = unquote(name.removeprefix("package://")).partition("/")
            folder = self._package(package)
            return Reach(folder).found(folder, rest)
        if name.startswith("file://"):
            return self.reach.found(self.folder, unquote(name.removeprefix("file://")))
        if "://" in name:
            raise ModelError(f"the mesh {check.short_repr(name)} is not on this computer")
        return self.reach.found(self.folder, name)

    def _package(self, package: str) -> Path:
        """The folder of a package: as stated, or one of that name at or above the file."""
        if isinstance(self.packages, Mapping):
            if package not in self.packages:
                raise ModelError(f"packages= does not contain '{package}'")
            return Path(self.packages[package])
        if not package or package in (".", "..") or "\\" in package or "\0" in package:
            raise ModelError(f"{check.short_repr(package)} is not the name of a package")
        if self.packages is not None:
            return Path(self.packages) / package
        if package not in self.folders:
            self.folders[package] = self._searched(package)
        found = self.folders[package]
        if found is None:
            raise ModelError(
                f"there is no folder {check.short_repr(package)} with a package.xml at or above the file: pass "
                "packages="
            )
        return found

    def _searched(self, package: str) -> Path | None:
        """A folder of this name at or above the file, searched once."""
        home = self.folder.resolve()
        for folder in (home, *home.parents):
            for found in (folder, folder / package):
                inside = found == home or home in found.parents  # folders below the file belong to it
                if found.name == package and found.is_dir() and (inside or (found / "package.xml").is_file()):
                    return found
        return None
