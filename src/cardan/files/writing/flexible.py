"""Flexible bodies as plain data: their parts, which may need files of their own, and markers on their interfaces."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.flexible.part_file import save_part
from cardan.model.flexible.origin import PartFile, origin_of
from cardan.model.flexible_part import FlexiblePart


class PartWriter:
    """The parts of a model that is written to `target`; without it, only parts that a model file states in full."""

    def __init__(self, target: Path | None = None) -> None:
        self.target = target
        self.names: dict[int, str] = {}  # files of parts by identity of the part
        self.new: dict[str, FlexiblePart] = {}

    def part(self, body: Any) -> Any:
        """The part of a body: as a model file stated it, or the name of a file in the folder of the model or below."""
        part = body.stated.part
        origin = origin_of(part)
        if isinstance(origin, Mapping):
            return copy.deepcopy(origin)
        if self.target is None:
            raise ModelError(
                f"the part of {body.title} cannot be written within a text; save_model writes it to a file beside "
                "the model file"
            )
        if id(part) not in self.names:
            self.names[id(part)] = self._kept(origin) or self._fresh(body)
            if self.names[id(part)] in self.new:
                self.new[self.names[id(part)]] = part
        return self.names[id(part)]

    def choice(self, body: Any) -> dict[str, Any]:
        """Modes, damping and stiffening as they were stated."""
        _, modes, damping, stiffening = body.stated
        found: dict[str, Any] = {}
        if modes is not None:
            found["modes"] = np.asarray(modes).tolist()
        if isinstance(damping, Mapping):
            found["damping"] = {name: float(value) for name, value in damping.items()}
        elif damping is not None:
            found["damping"] = damping if isinstance(damping, str) else np.asarray(damping, float).tolist()
        return found if stiffening else found | {"stiffening": False}

    def write(self) -> None:
        """Write the files of all new parts."""
        for name, part in self.new.items():
            assert self.target is not None
            save_part(part, self.target.parent / name)

    def _kept(self, origin: PartFile | None) -> str:
        """The name of the file from which the part was read, if it is in reach and unchanged."""
        if origin is None or self.target is None:
            return ""
        path, folder = Path(origin.path).resolve(), self.target.resolve().parent
        if folder not in path.parents or not path.is_file() or PartFile.at(path) != (str(path), origin.digest):
            return ""
        return path.relative_to(folder).as_posix()

    def _fresh(self, body: Any) -> str:
        """A new name."""
        assert self.target is not None
        plain = re.sub(r"[^\w.-]+", "-", body.name) or "part"
        taken, count = {*self.names.values(), *self.new}, 1
        while True:
            name = f"{self.target.stem}-{plain}{f'-{count}' if count > 1 else ''}.nc"
            if name not in taken:
                self.new[name] = body.stated.part
                return name
            count += 1


def marker_of_flexible(writer: Any, marker: Any) -> Any:
    """A marker of a flexible body: its frame, or an interface, with axes if they are not those of the interface."""
    name, planar = marker.body.name, writer.space == "planar"
    interface = getattr(marker, "interface", None)
    if interface == "":
        raise ModelError(f"{marker}: the mass center of {marker.body.title} cannot be stated in a model file")
    usual = marker.body.at(*([] if interface is None else [interface]))
    if planar:
        more = {} if marker.angle == usual.angle else {"angle": marker.angle}
    else:
        counted = marker.turned if marker.body.turned is not None else None
        same = tuple(marker.orientation) == tuple(usual.orientation) and not any(counted or ())
        more = {} if same else {"orientation": writer.orientation(marker.orientation, counted)}
    if interface is None:
        return {name: more} if more else name
    if interface.lstrip().startswith(("(", "[")):
        raise ModelError(f"the interface '{interface}' of {marker.body.title} cannot be named in a model file")
    return {name: {"at": interface, **more}} if more else {name: interface}


def interface_text(name: str) -> str:
    """The name of an interface inside a text, in quotes unless it is a word."""
    if name.isidentifier():
        return name
    if "'" in name and '"' in name:
        raise ModelError(f"the name {name!r} cannot be written to a file: it contains both kinds of quotes")
    return f'"{name}"' if "'" in name else f"'{name}'"
