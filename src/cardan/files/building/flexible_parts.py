"""Flexible parts of model files: a file that `save_part` wrote, or a beam or plate with its reduction.

part: blade.nc
part: {type: beam_part, length: 0.4, section: rectangle_section(0.02, 0.01), interfaces: {pin: left}, modes: 4}
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cardan.errors import ModelError
from cardan.files.reading import parsed
from cardan.model.dimensions import AngularSpeed, Length
from cardan.model.flexible.origin import PartFile, keep_origin
from cardan.model.flexible_part import FlexiblePart

if TYPE_CHECKING:
    from collections.abc import Callable

    from cardan.flexible import Material, Section

MOST_ELEMENTS = 400  # of parts that a model file states by parameters: some seconds
MAX_MODES_OF_PART = 200


class FlexibleParts:
    """The parts of one file; equal statements are one part."""

    def __init__(self, planar: bool) -> None:
        self.planar = planar
        self.made: dict[str, FlexiblePart] = {}

    def part(self, function: Callable[..., Any], stated: parsed.Object, arguments: dict[str, Any]) -> FlexiblePart:
        """The part; `stated` is kept with it, for writing the model."""
        data = plain(stated)
        if repr(data) not in self.made:
            if stated.type == "part_file":
                found, origin = function(**arguments), PartFile.at(arguments["file"])
            else:
                found, origin = function(**arguments, planar=self.planar), data
            self.made[repr(data)] = keep_origin(found, origin)
        return self.made[repr(data)]


def part_file(file: str) -> FlexiblePart:
    """A part of a file that `cardan.flexible.save_part` wrote; the name of the file alone serves as well."""
    from cardan.flexible import load_part

    return load_part(file)


def beam_part(
    length: Length,
    section: float | Section,
    material: Material | str = "steel",
    elements: int = 20,
    interfaces: Mapping[str, Any] | None = None,
    modes: int | None = None,
    up_to: AngularSpeed | None = None,
    method: str = "free",
    frame: str = "mean",
    stiffening: bool = False,
    stress: bool = False,
    name: str = "beam",
    planar: bool = False,
) -> FlexiblePart:
    """A straight beam along x with the node sets "left" and "right", reduced to its modes."""
    from cardan.flexible import beam

    _limit(elements, MOST_ELEMENTS, "elements of a beam_part")
    model = beam(length, section, material, elements=elements, name=name)
    return _reduced(model, interfaces, modes, up_to, method, frame, stiffening, stress, planar)


def plate_part(
    length: Length,
    width: Length,
    thickness: Length,
    material: Material | str = "steel",
    elements: Sequence[int] = (16, 12),
    interfaces: Mapping[str, Any] | None = None,
    modes: int | None = None,
    up_to: AngularSpeed | None = None,
    method: str = "free",
    frame: str = "mean",
    stiffening: bool = False,
    stress: bool = False,
    name: str = "plate",
    planar: bool = False,
) -> FlexiblePart:
    """A rectangular plate in the plane x, y with the node sets "left" and "right", reduced to its modes."""
    from cardan.flexible import plate

    if len(elements) != 2:
        raise ModelError(f"elements of a plate_part must be two numbers, along x and y, got {len(elements)}")
    _limit(elements[0] * elements[1], MOST_ELEMENTS, "elements of a plate_part")
    model = plate(length, width, thickness, material, elements=(elements[0], elements[1]), name=name)
    return _reduced(model, interfaces, modes, up_to, method, frame, stiffening, stress, planar)


def modal_coordinate(body: Any, number: int) -> Any:
    """The coordinate eta of a mode of a flexible body, numbered from 1."""
    if not body.modal_coordinates:
        raise ModelError(f"{body.title} is not flexible and has no modal coordinates")
    return body.modal_coordinate(number)


def plain(value: object) -> Any:
    """A parsed value as plain data of a model file."""
    if isinstance(value, parsed.Object):
        return {"type": value.type, **{key: plain(item) for key, item in value.arguments.items()}}
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def _reduced(
    model: Any,
    interfaces: Mapping[str, Any] | None,
    modes: int | None,
    up_to: AngularSpeed | None,
    method: str,
    frame: str,
    stiffening: bool,
    stress: bool,
    planar: bool,
) -> FlexiblePart:
    _limit(modes or 0, MAX_MODES_OF_PART, "modes of a part")
    found: FlexiblePart = model.reduce(
        interfaces,
        modes=modes,
        up_to=None if up_to is None else up_to / (2.0 * math.pi),
        method=method,
        frame=frame,
        stiffening=stiffening,
        stress=stress,
        planar=planar,
    )
    return found


def _limit(count: int, most: int, what: str) -> None:
    if count > most:
        raise ModelError(
            f"{what} that a model file states are limited to {most}, got {count}: make a larger part with "
            "cardan.flexible and save_part, and name its file"
        )
