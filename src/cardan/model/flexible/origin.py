"""Where the part of a model file came from: a model is written as it was stated.

It belongs to one object: a part that is changed with `replace` or `with_modes` has no origin and is written in full.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

from cardan.model.flexible_part import FlexiblePart
from cardan.untrusted import contents


class PartFile(NamedTuple):
    """A file with a part: its path, and a digest of what it contained."""

    path: str
    digest: str

    @classmethod
    def at(cls, path: str | Path) -> PartFile:
        """The file as it is now."""
        return cls(str(path), hashlib.sha256(contents(Path(path))).hexdigest())


def keep_origin(part: FlexiblePart, origin: Any) -> FlexiblePart:
    """The part with its origin: a `PartFile`, or the plain data that a model file states."""
    object.__setattr__(part, "_origin", origin)
    return part


def origin_of(part: FlexiblePart) -> Any:
    """The origin of a part; None if no model file states it."""
    return vars(part).get("_origin")
