"""All source files of a package, and a hash of them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path


def source_digest(package: Path) -> str | None:
    """A hash of every module of the package; None where the sources are not there to be read."""
    digest, count = hashlib.sha256(), 0
    for path, name in source_files(package):
        with open(path, "rb") as file:
            text = file.read()
        digest.update(f"{name}\0{len(text)}\0".encode() + text)
        count += 1
    return digest.hexdigest() if count else None


def source_files(package: Path) -> Iterator[tuple[str, str]]:
    """Paths of all modules and their names within the package, in a fixed order."""
    for folder, folders, files in os.walk(package):
        folders[:] = sorted(inner for inner in folders if inner != "__pycache__")
        inside = os.path.relpath(folder, package).replace(os.sep, ".").strip(".")
        for file in sorted(files):
            if file.endswith(".py"):
                yield os.path.join(folder, file), ".".join(filter(None, (inside, file[:-3])))
