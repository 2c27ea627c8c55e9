"""The points of a drawing: markers of bodies that coincide because pins join them.

B: revolute(crank@B, rod@B)     crank@B and rod@B are one point, which moves both bodies' markers if it is moved
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

from cardan.studio.stated import Stated, elements, quoted, split
from cardan.studio.text import ModelText
from cardan.studio.values import Values, is_number

PINS = ("revolute",)
MARKER = re.compile(r"""\s*(?:'([^']+)'|"([^"]+)"|([^\W\d][\w.]*))\s*(?:@\s*(\w+|\(.*\)))?\s*""", re.DOTALL)
Pose = tuple[float, float, float]


@dataclass(frozen=True)
class Place:
    """A marker as a text states it: `key` is its name, "(x, y)", or "" for the origin of the body."""

    body: str
    key: str

    @property
    def text(self) -> str:
        return f"{quoted(self.body)}@{self.key}" if self.key else quoted(self.body)


@dataclass
class Point:
    """Places that coincide; `at` is in the global frame."""

    places: list[Place]
    at: tuple[float, float]
    joints: list[str] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)

    @property
    def id(self) -> str:
        return self.places[0].text

    @property
    def bodies(self) -> list[str]:
        return list(dict.fromkeys(place.body for place in self.places))

    @property
    def letter(self) -> str:
        return next((place.key for place in self.places if place.key and place.key[0] != "("), "")


def read_place(stated: Any) -> Place | None:
    """A marker of an argument; None for those with axes, and for forms that the studio does not edit."""
    if isinstance(stated, dict) and len(stated) == 1:
        ((body, point),) = stated.items()
        if isinstance(point, str):
            return Place(body, point)
        if isinstance(point, list) and len(point) == 2:
            return Place(body, f"({point[0]}, {point[1]})")
        return None
    match = MARKER.fullmatch(stated) if isinstance(stated, str) else None
    return Place(match[1] or match[2] or match[3], match[4] or "") if match else None


class Places:
    """All points of a text, where its bodies are at `poses`."""

    def __init__(self, text: ModelText, values: Values, poses: dict[str, Pose]) -> None:
        self.text, self.values, self.poses = text, values, poses
        self.points: list[Point] = []
        self._of: dict[Place, Point] = {}
        for body in text.keys("bodies"):
            for name in text.keys("bodies", body, "markers"):
                self._point(Place(body, name))
        for element in elements(text):
            self._attach(element)

    def _attach(self, element: Stated) -> None:
        a, b = (read_place(element.arguments.get(name)) for name in "ab")
        if element.type in PINS and a is not None and b is not None:
            one, other = self._point(a), self._point(b)
            if one is not None and other is not None:
                self._join(one, other).joints.append(element.name)
        elif element.type == "point":
            found = read_place(element.arguments.get("marker"))
            point = self._point(found) if found is not None else None
            if point is not None:
                point.traces.append(element.name)
        else:
            for value in element.arguments.values():
                for place in _markers_in(value):
                    self._point(place)

    def _point(self, place: Place) -> Point | None:
        place = self._plain(place)
        if place not in self._of:
            local = self.local(place)
            if local is None or place.body not in self.poses:
                return None
            self._of[place] = Point([place], self.world(place.body, local))
            self.points.append(self._of[place])
        return self._of[place]

    @staticmethod
    def _plain(place: Place) -> Place:
        return Place(place.body, re.sub(r"\s+", " ", place.key))

    def _join(self, one: Point, other: Point) -> Point:
        if one is not other:
            one.places += [place for place in other.places if place not in one.places]
            one.joints += other.joints
            one.traces += other.traces
            for place in other.places:
                self._of[place] = one
            self.points.remove(other)
        return one

    def find(self, name: str) -> Point | None:
        """The point with a place of this text."""
        found = read_place(name)
        return None if found is None else self._of.get(self._plain(found))

    # --- coordinates -----------------------------------------------------------------------------------------------

    def stated(self, place: Place) -> Any:
        """The coordinates of a place as they are written: [x, y]; None if they cannot be read here."""
        if not place.key:
            return ["0", "0"]
        if place.key[0] == "(":
            parts = [part.strip() for part in split(place.key[1:-1])]
            return parts if len(parts) == 2 and "=" not in place.key else None
        found = self.text.data("bodies", place.body, "markers", place.key)
        if isinstance(found, dict):
            found = found.get("at")
        return found

    def local(self, place: Place) -> tuple[float, float] | None:
        """The coordinates of a place in its body, in SI."""
        return self.values.point(self.stated(place))

    def world(self, body: str, local: tuple[float, float]) -> tuple[float, float]:
        x, y, angle = self.poses[body]
        c, s = math.cos(angle), math.sin(angle)
        return x + c * local[0] - s * local[1], y + s * local[0] + c * local[1]

    def inside(self, body: str, at: tuple[float, float]) -> tuple[float, float]:
        """A global point in the frame of a body."""
        x, y, angle = self.poses[body]
        c, s, dx, dy = math.cos(angle), math.sin(angle), at[0] - x, at[1] - y
        return c * dx + s * dy, -s * dx + c * dy

    def fixed_by(self, place: Place) -> str:
        """The expression that states a place, which a hand must not overwrite; "" if it is a pair of numbers."""
        stated = self.stated(place)
        if stated is None:
            return place.text
        return next((str(item) for item in stated if not is_number(item)), "")


def _markers_in(value: object) -> list[Place]:
    """Named markers in a text such as length(ground@D, crank@B), or in a list."""
    if isinstance(value, list):
        return [place for item in value for place in _markers_in(item)]
    if not isinstance(value, str) or "@" not in value:
        return []
    found = re.findall(r"(?:'([^']+)'|([^\W\d][\w.]*))@(\w+)", value)
    return [Place(one or other, key) for one, other, key in found]
