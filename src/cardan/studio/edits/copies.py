"""Copies of parts of a mechanism: moved, turned, mirrored, repeated.

    copied      x' = c + R(turn) (x - c) + by
    mirrored    about a line through c in a direction: bodies keep their shape, with the other hand

Bodies are copied with the joints and forces that connect only them and the ground.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from cardan.errors import ModelError
from cardan.studio.edits.change import mentions, replaced
from cardan.studio.edits.draft import GROUND, Draft
from cardan.studio.edits.links import renew_mass
from cardan.studio.stated import Stated, elements, fresh, split
from cardan.studio.values import is_number

MAX_COPIES = 200  # copies at once


@dataclass(frozen=True)
class Move:
    """A motion of the plane, or a reflection about the direction `axis`."""

    by: tuple[float, float] = (0.0, 0.0)
    turn: float = 0.0
    center: tuple[float, float] = (0.0, 0.0)
    axis: float | None = None

    @property
    def flips(self) -> bool:
        return self.axis is not None

    def vector(self, x: float, y: float) -> tuple[float, float]:
        if self.axis is not None:
            c, s = math.cos(2.0 * self.axis), math.sin(2.0 * self.axis)
            return c * x + s * y, s * x - c * y
        c, s = math.cos(self.turn), math.sin(self.turn)
        return c * x - s * y, s * x + c * y

    def point(self, x: float, y: float) -> tuple[float, float]:
        dx, dy = self.vector(x - self.center[0], y - self.center[1])
        return self.center[0] + dx + self.by[0], self.center[1] + dy + self.by[1]

    def angle(self, angle: float) -> float:
        return 2.0 * self.axis - angle if self.axis is not None else angle + self.turn


def copy(draft: Draft, names: list[str], move: Move, count: int = 1) -> list[str]:
    """Copy bodies `count` times, each moved once more. Returns the names of the new bodies."""
    if not 1 <= count <= MAX_COPIES:
        raise ModelError(f"a part can be copied 1 to {MAX_COPIES} times, got {count}")
    bodies = [name for name in names if name in draft.text.keys("bodies") and name != GROUND]
    if not bodies:
        raise ModelError("select links to copy")
    made: list[str] = []
    for _ in range(count):
        bodies = _copy(draft, bodies, move)
        made += bodies
    return made


def _copy(draft: Draft, bodies: list[str], move: Move) -> list[str]:
    everything = [*elements(draft.text)]
    known = {element.name for element in everything}
    inside = {name: element for element in everything if (name := element.name) in bodies}
    while True:  # joints of the bodies, then what refers to these joints
        more = [e for e in everything if e.name not in inside and _belongs(e, inside, known)]
        if not more:
            break
        inside |= {element.name: element for element in more}
    names: dict[str, str] = {}
    for name in inside:
        stem = re.sub(r"\d+$", "", name) or name
        names[name] = fresh(draft.text, stem, set(names.values()))
    pins = _ground_markers(draft, inside, move)
    for name, element in inside.items():
        entry = _moved(draft, element, names, pins, move)
        draft.text.put((element.section, names[name]), entry)
        if element.section == "bodies":
            x, y, angle = draft.poses[name]
            draft.poses[names[name]] = (*move.point(x, y), move.angle(angle))
    draft.refresh()
    for name in bodies:
        if move.flips:
            renew_mass(draft, names[name])
    return [names[name] for name in bodies]


def _belongs(element: Stated, inside: dict[str, Stated], known: set[str]) -> bool:
    if element.section == "bodies":
        return False
    used = {name for name in known if mentions(element.arguments, name)}
    return bool(used & inside.keys()) and used <= inside.keys()


def _ground_markers(draft: Draft, inside: dict[str, Stated], move: Move) -> dict[str, str]:
    """New markers of the ground for those that the copied joints use."""
    found: dict[str, str] = {}
    for name in draft.text.keys("bodies", GROUND, "markers"):
        if any(_uses(element.arguments, f"{GROUND}@{name}") for element in inside.values()):
            at = draft.values.point(draft.text.data("bodies", GROUND, "markers", name))
            if at is None:
                raise ModelError(f"ground@{name} is not a pair of numbers: it cannot be copied")
            found[name] = draft.mark(GROUND, move.point(*at)).key
    return found


def _uses(value: object, marker: str) -> bool:
    if isinstance(value, dict | list):
        return any(_uses(item, marker) for item in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, str) and re.search(rf"{marker}(?!\w)", value) is not None


def _moved(draft: Draft, element: Stated, names: dict[str, str], pins: dict[str, str], move: Move) -> Any:
    """The entry of a copied element."""
    entry = draft.text.data(*element.path)
    if element.section == "bodies":
        return _body(draft, element.name, dict(entry or {}), move)
    entry = _named(draft, entry, names, pins, move)
    if isinstance(entry, dict) and element.type == "load" and isinstance(entry.get("force"), list):
        force = [part for part in (draft.values.number(one, "force") for one in entry["force"]) if part is not None]
        if len(force) == 2:
            entry["force"] = [draft.values.written(part, "force") for part in move.vector(*force)]
    if isinstance(entry, dict) and element.type == "driver":
        entry["motion"] = _motion(draft, element, entry.get("motion"), move)
    if isinstance(entry, dict) and move.flips and isinstance(entry.get("torque"), str):
        entry["torque"] = _negative(entry["torque"])
    return entry


def _body(draft: Draft, name: str, entry: dict[str, Any], move: Move) -> dict[str, Any]:
    x, y, angle = draft.poses[name]
    entry["position"] = draft.values.place(*move.point(x, y))
    entry["angle"] = draft.values.written(move.angle(angle), "angle")
    if move.flips:
        for key in ("markers",):
            if isinstance(entry.get(key), dict):
                entry[key] = {one: _flipped(place) for one, place in entry[key].items()}
        for key in ("outline", "center"):
            if isinstance(entry.get(key), list):
                entry[key] = _flipped(entry[key])
    return {key: _numbers(value) for key, value in entry.items()}


def _flipped(value: object) -> Any:
    """[x, y] with the other sign of y, in lists of any depth."""
    if isinstance(value, list) and len(value) == 2 and not isinstance(value[0], list):
        return [value[0], _negative(value[1])]
    if isinstance(value, list):
        return [_flipped(item) for item in value][::-1]
    if isinstance(value, dict):
        return {k: _flipped(v) if k == "at" else _negative(v) if k == "angle" else v for k, v in value.items()}
    return value


def _negative(value: object) -> Any:
    text = str(value).strip()
    if is_number(text):
        return text[1:] if text.startswith("-") else text if re.fullmatch(r"0+(\.0*)?", text) else f"-{text}"
    return f"-({text})"


def _named(draft: Draft, value: object, names: dict[str, str], pins: dict[str, str], move: Move) -> Any:
    """A part of an element with other names, and places of the ground moved."""
    if isinstance(value, dict):
        flip = move.flips and value.get("type") in ("curve_through",)
        return {
            key: _flipped(item) if flip and key == "points" else _named(draft, item, names, pins, move)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_named(draft, item, names, pins, move) for item in value]
    if not isinstance(value, str):
        return value
    text = replaced(value, names)
    text = re.sub(rf"{GROUND}@(\w+)", lambda m: f"{GROUND}@{pins.get(m[1], m[1])}", text)
    text = re.sub(rf"{GROUND}@\(([^()]*)\)", lambda m: _place(draft, m[1], move), text)
    if move.flips:
        ours = "|".join(re.escape(name) for name in names.values())
        text = re.sub(rf"\b({ours})@\(([^()]*)\)", lambda m: f"{m[1]}@({_mirror_inline(m[2])})", text)
    return _numbers(text)


def _place(draft: Draft, inside: str, move: Move) -> str:
    parts = [part.strip() for part in split(inside)]
    at = draft.values.point(parts[:2])
    if at is None:
        raise ModelError(f"ground@({inside}) is not a pair of numbers: it cannot be copied")
    stated = parts[2].partition("=")[2] or parts[2] if len(parts) > 2 else "0"
    angle = move.angle(draft.values.number(stated, "angle") or 0.0)
    x, y = draft.values.place(*move.point(*at))
    turn = draft.values.written(angle, "angle")
    return f"{GROUND}@({x}, {y}, angle={turn})" if turn else f"{GROUND}@({x}, {y})"


def _mirror_inline(inside: str) -> str:
    parts = [part.strip() for part in split(inside)]
    parts[1] = _negative(parts[1])
    if len(parts) > 2:
        name, sign, angle = parts[2].partition("=")
        parts[2] = f"{name}={_negative(angle)}" if sign else _negative(name)
    return ", ".join(parts)


def _motion(draft: Draft, driver: Stated, motion: Any, move: Move) -> Any:
    """The motion of a copied driver: its initial angle follows the direction of the copy."""
    joint, _, what = str(driver.arguments.get("measure", "")).partition(".")
    if what != "angle" or not isinstance(motion, dict) or motion.get("type") != "ramp":
        return motion
    ends = next((e.arguments for e in elements(draft.text) if e.name == joint), {})
    start = draft.values.number(motion.get("start", "0"), "angle") or 0.0
    on_a, on_b = (str(ends.get(end, "")).startswith(f"{GROUND}@") for end in "ab")
    plain = "(" not in str(ends.get("a" if on_a else "b", ""))
    if plain and on_a:
        start = move.angle(start)
    elif plain and on_b:
        start = -move.angle(-start)
    elif move.flips:
        start = -start
    found = motion | {"start": draft.values.written(start, "angle")}
    return found | ({"rate": _numbers(_negative(motion.get("rate", "0")))} if move.flips else {})


def _numbers(value: object) -> Any:
    """Texts that are numbers as numbers: they are written without quotes."""
    if isinstance(value, dict):
        return {key: _numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    if isinstance(value, str) and re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", value):
        number = float(value)
        return int(value) if re.fullmatch(r"[-+]?\d{1,15}", value) else number
    return value
