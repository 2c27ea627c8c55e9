"""Checks of output paths, before anything is computed: the folder exists, and no file is overwritten by accident."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cardan.errors import ModelError
from cardan.model import check


def in_folder(path: Any) -> Path:
    """A path whose folder exists."""
    target = check.path(path, "where a result is written")
    if not target.parent.is_dir():
        raise ModelError(f"there is no folder '{target.parent}' to write '{target.name}' into; make it first")
    return target


def free(path: Path, overwrite: bool) -> None:
    """Raise if a file exists and may not be overwritten."""
    if path.exists() and not overwrite:
        raise ModelError(f"'{path}' already exists: remove it, choose another name, or allow overwriting")


def partial_of(path: Path) -> Path:
    """The file that an interrupted run leaves."""
    return path.with_name(f"{path.stem}.partial{path.suffix}")
