"""Links: bars, plates with three or more points, wheels; and moving their points."""

from __future__ import annotations

import math
import re
from typing import Any

from cardan.errors import ModelError
from cardan.studio.edits.draft import GROUND, Draft, mass_text
from cardan.studio.places import Place, Point
from cardan.studio.values import is_number, typed

SLIM = 0.0285  # m^(1/2): width of a bar over the root of its length, 6 mm at 50 mm, 12 mm at 200 mm; in steps of 2 mm
THICK = 0.006  # m
BAR = re.compile(r"rounded_bar\(([^,()]+), ([^,()]+), (.*)\)\.moved\(\(([^,()]+), 0\)\)")
PLATE = re.compile(r"polygon\(\[.*\], (density=.*)\)")


def bar(draft: Draft, a: dict[str, Any], b: dict[str, Any]) -> str:
    """A bar between two points, pinned to what is there. Returns its name."""
    start, from_point, from_body = draft.end(a)
    end, to_point, to_body = draft.end(b)
    if from_point is not None and from_point is to_point:
        raise ModelError("a bar needs two different points")
    length = math.dist(start, end)
    if length <= 0.0:
        raise ModelError("a bar needs two different points")
    pose = (start[0], start[1], math.atan2(end[1] - start[1], end[0] - start[0]))
    first = _letter(draft, from_point, "")
    second = _letter(draft, to_point, first)
    name = draft.new_body("link", pose, {first: (0.0, 0.0), second: (length, 0.0)}, mass=bar_mass(draft, length))
    _join(draft, from_point, from_body, start, Place(name, first))
    _join(draft, to_point, to_body, end, Place(name, second))
    return name


def plate(draft: Draft, ends: list[dict[str, Any]]) -> str:
    """A link with three or more points. Returns its name."""
    clicked = [draft.end(one) for one in ends]
    places = [at for at, _, _ in clicked]
    if len(places) < 3 or abs(_area(places)) < 1e-12:
        raise ModelError("a plate needs three or more points that are not on one line")
    (x, y), (u, v) = places[:2]
    pose = (x, y, math.atan2(v - y, u - x))
    letters: list[str] = []
    for _, point, _ in clicked:
        letters.append(_letter(draft, point, *letters))
    local = [_inside(pose, at) for at in places]
    name = draft.new_body("plate", pose, dict(zip(letters, local, strict=True)), mass=plate_mass(draft, local))
    for (at, point, body), letter in zip(clicked, letters, strict=True):
        _join(draft, point, body, at, Place(name, letter))
    return name


def wheel(draft: Draft, center: dict[str, Any], radius: float, stem: str = "wheel") -> str:
    """A disk that is pinned to the ground, or to the body below, at its center. Returns its name."""
    at, point, body = draft.end(center)
    if radius <= 0.0:
        raise ModelError("a wheel needs a radius: click its center, then its rim")
    letter = _letter(draft, point, "")
    size = draft.values.written(radius, "length")
    name = draft.new_body(stem, (*at, 0.0), {letter: (0.0, 0.0)}, mass=mass_text(draft, f"disk({size}, @)", THICK))
    if point is None and not body:
        body = GROUND
    _join(draft, point, body, at, Place(name, letter))
    return name


def pivot(draft: Draft, end: dict[str, Any]) -> str:
    """Pin a point to the ground; on empty paper, a point of the ground to which links can be pinned."""
    at, point, body = draft.end(end)
    if point is None and body and body != GROUND:
        point = draft.point(draft.mark(body, at).text)
    if point is None:
        return draft.mark(GROUND, at, draft.letter()).text
    if GROUND in point.bodies:
        raise ModelError(f"{point.letter or point.id} is pinned to the ground already")
    ground = draft.mark(GROUND, at, point.letter)
    draft.pin(ground, point.places[0], point.letter)
    return ground.text


def weld(draft: Draft, end: dict[str, Any]) -> str:
    """Fix the bodies of a point to each other: its pin becomes rigid; a link alone is fixed to the ground."""
    at, point, body = draft.end(end)
    if point is None:
        a, b = draft.mark(GROUND, at), draft.mark(body, at)
    elif len(point.bodies) == 1:
        a, b = draft.mark(GROUND, at, point.letter), point.places[0]
    else:
        a, b = point.places[0], next(p for p in point.places if p.body != point.places[0].body)
    turn = draft.poses[b.body][2] - draft.poses[a.body][2]
    local = draft.places.local(a) or (0.0, 0.0)
    x, y = draft.values.place(*local)
    first = f"{a.body}@({x}, {y}, angle={draft.values.written(turn, 'angle')})"
    from cardan.studio.stated import fresh

    if point is not None:
        for joint in point.joints:
            draft.text.drop(("joints", joint))
    name = fresh(draft.text, "weld")
    draft.text.put(("joints", name), f"fixed({first}, {b.text})")
    return name


def move_point(draft: Draft, name: str, to: tuple[float, float]) -> None:
    """Move a point of the drawing: the links that it joins get other lengths, everything else stays."""
    point = draft.point(name)
    for place in point.places:
        if place.body != GROUND and (fixed := draft.places.fixed_by(place)):
            raise ModelError(f"{place.text} is stated as {fixed}: change that, or its parameter")
    for place in [*point.places]:
        if place.body == GROUND:
            draft.put_place(place, to)
        elif _is_drawn(draft, place.body):
            _reshape(draft, place, to)
        else:
            draft.put_place(place, draft.places.inside(place.body, to))


def move_body(draft: Draft, body: str, by: tuple[float, float]) -> None:
    """Move a body with all its points, and with them the ends of the links pinned to it."""
    points = [point for point in draft.places.points if body in point.bodies]
    targets = {point.id: (point.at[0] + by[0], point.at[1] + by[1]) for point in points}
    if not targets:
        return shift_body(draft, body, by)
    for name, to in targets.items():
        move_point(draft, name, to)
        draft.refresh()


def shift_body(draft: Draft, body: str, by: tuple[float, float]) -> None:
    x, y, angle = draft.poses[body]
    draft.poses[body] = (x + by[0], y + by[1], angle)
    draft.text.put(("bodies", body, "position"), draft.values.place(x + by[0], y + by[1]))
    draft.refresh()


def set_length(draft: Draft, body: str, stated: str) -> None:
    """The distance between the first two points of a bar; an expression is kept as it is typed."""
    names = draft.text.keys("bodies", body, "markers")
    if not _is_drawn(draft, body) or len(names) < 2:
        raise ModelError(f"'{body}' is not a bar: type the coordinates of its points")
    length = draft.values.number(stated, "length")
    if length is None or length <= 0.0:
        raise ModelError(f"the length of '{body}' must be a positive length, got '{stated}'")
    draft.text.put(("bodies", body, "markers", names[1]), [typed(stated), 0])
    renew_mass(draft, body, "" if is_number(stated) else stated)


# ---------------------------------------------------------------------------------------------------------------------


def _letter(draft: Draft, point: Point | None, *used: str) -> str:
    """The letter of a point, or the next free one."""
    if point is not None and point.letter and point.letter not in used:
        return point.letter
    free = draft.letter()
    if free not in used:
        return free
    from cardan.studio.edits.draft import LETTERS

    taken = {place.key for one in draft.places.points for place in one.places} | set(used)
    rows = (f"{one}{number or ''}" for number in range(0, 1000) for one in LETTERS if number != 1)
    return next(name for name in rows if name not in taken)


def _join(draft: Draft, point: Point | None, body: str, at: tuple[float, float], new: Place) -> None:
    if point is not None:
        found = draft.places.find(point.id)
        draft.pin(draft.base(found or point), new)
    elif body:
        draft.pin(draft.mark(body, at, new.key), new)


def _is_drawn(draft: Draft, body: str) -> bool:
    """Whether the frame of a body follows its first two markers: (0, 0) and (length, 0), as bars are drawn here, and
    numbers state all of them."""
    stated = draft.text.data("bodies", body)
    if not isinstance(stated, dict) or any(key in stated for key in ("outline", "center", "inertia")):
        return False
    markers = stated.get("markers")
    local = [draft.values.point(value) for value in markers.values()] if isinstance(markers, dict) else []
    if len(local) < 2 or any(one is None for one in local):
        return False
    return math.hypot(*local[0]) < 1e-12 and abs(local[1][1]) < 1e-12 and local[1][0] > 0.0  # type: ignore[misc,index]


def _reshape(draft: Draft, moved: Place, to: tuple[float, float]) -> None:
    """Another place for a marker of a drawn link: its frame follows its first two points."""
    body = moved.body
    names = draft.text.keys("bodies", body, "markers")
    if any(not is_number(x) for name in names for x in draft.text.data("bodies", body, "markers", name)):
        return draft.put_place(moved, draft.places.inside(body, to))
    where = {name: draft.point(Place(body, name).text).at for name in names}
    where[moved.key] = to
    a, b = where[names[0]], where[names[1]]
    if math.dist(a, b) < 1e-9:
        raise ModelError(f"the points of '{body}' must not coincide")
    old = draft.poses[body]
    pose = (*a, math.atan2(b[1] - a[1], b[0] - a[0]))
    draft.text.put(("bodies", body, "position"), draft.values.place(*a))
    draft.text.put(("bodies", body, "angle"), draft.values.written(pose[2], "angle"))
    local = {name: _inside(pose, at) for name, at in where.items()}
    for name, place in local.items():
        draft.text.put(("bodies", body, "markers", name), draft.values.place(*place))
    turned = math.remainder(pose[2] - old[2], 2.0 * math.pi)
    draft.turn_drivers(body, turned)
    draft.poses[body] = pose
    renew_mass(draft, body)


def renew_mass(draft: Draft, body: str, length: str = "") -> None:
    """The mass of a drawn link follows its shape."""
    stated = draft.text.data("bodies", body, "mass")
    if not isinstance(stated, str):
        return
    names = draft.text.keys("bodies", body, "markers")
    where = [draft.values.point(draft.text.data("bodies", body, "markers", name)) for name in names]
    if (match := BAR.fullmatch(stated)) and where[1] is not None:
        new = length or draft.values.written(where[1][0], "length")
        half = f"({new})/2" if length else draft.values.written(where[1][0] / 2.0, "length")
        draft.text.put(("bodies", body, "mass"), f"rounded_bar({new}, {match[2]}, {match[3]}).moved(({half}, 0))")
    elif match := PLATE.fullmatch(stated):
        corners = _corners(draft, [one for one in where if one is not None][: stated.count("(") - 1])
        draft.text.put(("bodies", body, "mass"), f"polygon({corners}, {match[1]})")


def bar_mass(draft: Draft, length: float) -> str:
    """A steel bar with round ends."""
    size, half = draft.values.written(length, "length"), draft.values.written(length / 2.0, "length")
    width = min(SLIM * math.sqrt(length), length / 6.0)
    width = draft.values.written(0.002 * round(width / 0.002) if width > 0.003 else float(f"{width:.1g}"), "length")
    return mass_text(draft, f"rounded_bar({size}, {width}, @).moved(({half}, 0))", THICK)


def plate_mass(draft: Draft, local: list[tuple[float, float]]) -> str:
    return mass_text(draft, f"polygon({_corners(draft, local)}, @)", THICK)


def _corners(draft: Draft, local: list[tuple[float, float]]) -> str:
    return "[" + ", ".join("({}, {})".format(*draft.values.place(*place)) for place in local) + "]"


def _inside(pose: tuple[float, float, float], at: tuple[float, float]) -> tuple[float, float]:
    c, s, dx, dy = math.cos(pose[2]), math.sin(pose[2]), at[0] - pose[0], at[1] - pose[1]
    return c * dx + s * dy, -s * dx + c * dy


def _area(places: list[tuple[float, float]]) -> float:
    return 0.5 * sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(places, [*places[1:], places[0]], strict=True))
