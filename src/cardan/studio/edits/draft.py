"""A text that is being changed, with what its geometry is at the moment: what all edits work on."""

from __future__ import annotations

import math
from typing import Any

from cardan.errors import ModelError
from cardan.studio.places import Place, Places, Point, Pose
from cardan.studio.stated import elements, find, fresh, quoted, set_argument
from cardan.studio.text import ModelText
from cardan.studio.values import Values, is_number

GROUND = "ground"
LETTERS = "ABCDEFGHIJKLMNPQRSTUVWXYZ"
STEEL = "7850 kg/m^3"


class Draft:
    """A text with the poses of its bodies, in SI, by name; the ground is at the origin."""

    def __init__(self, text: ModelText, poses: dict[str, Pose]) -> None:
        self.text, self.values = text, Values(text)
        self.poses = {GROUND: (0.0, 0.0, 0.0), **poses}
        self.places = Places(text, self.values, self.poses)

    def refresh(self) -> None:
        """Read the points again after a change."""
        self.places = Places(self.text, self.values, self.poses)

    # --- points and bodies -----------------------------------------------------------------------------------------

    def point(self, name: str) -> Point:
        found = self.places.find(name)
        if found is None:
            raise ModelError(f"there is no point '{name}' in the drawing any more")
        return found

    def require_body(self, name: str) -> str:
        if name != GROUND and name not in self.text.keys("bodies"):
            raise ModelError(f"there is no body '{name}' that could be changed in this file")
        return name

    def letter(self) -> str:
        """The next letter that no point and no element has."""
        used = {place.key for point in self.places.points for place in point.places}
        used |= {element.name for element in elements(self.text)}
        rows = (f"{one}{number or ''}" for number in range(0, 1000) for one in LETTERS if number != 1)
        return next(name for name in rows if name not in used)

    def mark(self, body: str, at: tuple[float, float], name: str = "") -> Place:
        """A marker of a body at a global point; an existing one at that point is used."""
        local = self.places.inside(body, at)
        for point in self.places.points:
            for place in point.places:
                found = self.places.local(place) if place.body == body and place.key[:1] not in ("", "(") else None
                if found is not None and math.dist(found, local) < 1e-9:
                    return place
        taken = self.text.keys("bodies", body, "markers")
        name = name or self.letter()
        if name in taken:
            name = next(f"{name}{k}" for k in range(2, 10_000) if f"{name}{k}" not in taken)
        self.text.put(("bodies", body, "markers", name), self.values.place(*local))
        self.refresh()
        return Place(body, name)

    def new_body(self, stem: str, pose: Pose, markers: dict[str, tuple[float, float]], **more: Any) -> str:
        """A body with named markers, given in its frame."""
        name = fresh(self.text, stem)
        entry = {
            **more,
            "position": self.values.place(pose[0], pose[1]),
            "angle": self.values.written(pose[2], "angle"),
            "markers": {key: self.values.place(*local) for key, local in markers.items()},
        }
        self.text.put(("bodies", name), {key: value for key, value in entry.items() if value is not None})
        self.poses[name] = pose
        self.refresh()
        return name

    def pin(self, a: Place, b: Place, name: str = "") -> str:
        """A revolute joint between two markers; an existing one is used."""
        both = self.places.find(a.text)
        if both is not None and both is self.places.find(b.text):
            return both.joints[0] if both.joints else ""
        stem = name or b.key or a.key
        joint = stem if self._free(stem) else fresh(self.text, stem)
        self.text.put(("joints", joint), f"revolute({a.text}, {b.text})")
        self.refresh()
        return joint

    def _free(self, name: str) -> bool:
        return bool(name) and name[0] != "(" and name not in {element.name for element in elements(self.text)}

    # --- where a hand has clicked ----------------------------------------------------------------------------------

    def end(self, stated: dict[str, Any]) -> tuple[tuple[float, float], Point | None, str]:
        """A click: where it is, the point or the body that it is on."""
        point = self.point(stated["point"]) if stated.get("point") else None
        at = point.at if point is not None else (float(stated["at"][0]), float(stated["at"][1]))
        body = self.require_body(stated["body"]) if stated.get("body") and point is None else ""
        return at, point, body

    def on(self, stated: dict[str, Any], otherwise: str = GROUND) -> Place:
        """A marker where a hand has clicked: of a point, of a body, or of another body, the ground unless stated."""
        at, point, body = self.end(stated)
        if point is not None:
            moving = [place for place in point.places if place.body != GROUND]
            return (moving or point.places)[0]
        return self.mark(body or otherwise, at)

    def base(self, point: Point) -> Place:
        """The place of a point to which another link is joined: that of the ground if it has one."""
        return next((place for place in point.places if place.body == GROUND), point.places[0])

    # --- numbers ---------------------------------------------------------------------------------------------------

    def put_place(self, place: Place, local: tuple[float, float]) -> None:
        """Move a marker in its body. Expressions stay as they are: parameters state them."""
        if fixed := self.places.fixed_by(place):
            raise ModelError(f"{place.text} is stated as {fixed}: change that, or its parameter")
        if place.key and place.key[0] != "(":
            path: tuple[str, ...] = ("bodies", place.body, "markers", place.key)
            path = (*path, "at") if isinstance(self.text.data(*path), dict) else path
            before = self.places.stated(place)
            written = [self.values.written(v, "length", like) for v, like in zip(local, before, strict=True)]
            return self.text.put(path, written)
        x, y = self.values.place(*local)
        new = Place(place.body, f"({x}, {y})")
        for element in [*elements(self.text)]:
            for name, value in element.arguments.items():
                if isinstance(value, str) and value.replace(" ", "") == place.text.replace(" ", ""):
                    set_argument(self.text, element.name, name, new.text)

    def distance(self, a: Place, b: Place) -> float:
        one, other = self.point(a.text).at, self.point(b.text).at
        return math.dist(one, other)

    def turn_drivers(self, body: str, by: float) -> None:
        """Drivers start where the drawing is: their initial angles follow a body that was turned by hand."""
        joints = {joint for point in self.places.points if body in point.bodies for joint in point.joints}
        for element in [*elements(self.text)]:
            if element.type != "driver":
                continue
            joint, _, what = str(element.arguments.get("measure", "")).partition(".")
            if what == "angle" and joint.strip("'\"") in joints:
                self._turn_driver(element.name, self._sign(joint.strip("'\""), body) * by)

    def _sign(self, joint: str, body: str) -> float:
        b = str(find(self.text, joint).arguments.get("b", ""))
        return 1.0 if b.startswith(quoted(body)) else -1.0

    def _turn_driver(self, name: str, by: float) -> None:
        motion = find(self.text, name).arguments.get("motion")
        if isinstance(motion, dict) and motion.get("type") == "ramp" and is_number(motion.get("start", "0")):
            start = self.values.number(motion.get("start", "0"), "angle") or 0.0
            self.text.put(("drivers", name, "motion", "start"), self.values.written(start + by, "angle"))


def mass_text(draft: Draft, shape: str, thickness: float) -> str:
    """The mass of a shape of steel."""
    return shape.replace("@", f"density={STEEL}, thickness={draft.values.written(thickness, 'length')}")
