"""Motors, springs, dampers, ropes, loads, stops and traced points."""

from __future__ import annotations

import math
from typing import Any

from cardan.errors import ModelError
from cardan.studio.edits.draft import GROUND, Draft
from cardan.studio.edits.joints import driven_joints, joint_measure
from cardan.studio.places import Place
from cardan.studio.stated import elements, find, fresh

NEW_STIFFNESS, NEW_DAMPING, NEW_FORCE = 2000.0, 20.0, 100.0  # N/m, N s/m, N: what a new one has
ROPE = 2e5  # N/m
STOP = {"angle": (1e4, 10.0), "travel": (1e6, 1e3)}  # stiffness and damping


def motor(draft: Draft, joint: str) -> str:
    """Drive a joint: a pin turns once per second from where it is, a slider moves to and fro."""
    if joint in driven_joints(draft):
        raise ModelError(f"'{joint}' has a motor already")
    measure = joint_measure(draft, joint)
    name = fresh(draft.text, "motor")
    start = _value(draft, joint)
    if measure.endswith(".angle"):
        rate = draft.values.written(2.0 * math.pi, "angle/time")
        motion: dict[str, Any] = {"type": "ramp", "rate": rate, "start": draft.values.written(start, "angle")}
    else:
        motion = {"type": "harmonic", "amplitude": draft.values.written(_stroke(draft), "length")}
        motion |= {"frequency": draft.values.written(2.0 * math.pi, "angle/time")}
        motion |= {"offset": draft.values.written(start, "length")} if start else {}
    draft.text.put(("drivers", name), {"measure": measure, "motion": motion})
    return name


def spring(draft: Draft, a: dict[str, Any], b: dict[str, Any], *, damper: bool = False) -> str:
    """A spring between two points, relaxed as drawn; or a damper."""
    one, other = draft.on(a), draft.on(b)
    length = draft.distance(one, other)
    if one == other or one.body == other.body or length <= 0.0:
        raise ModelError("a spring needs two points of different bodies")
    name = fresh(draft.text, "damper" if damper else "spring")
    entry: dict[str, Any] = {"type": "spring", "measure": f"length({one.text}, {other.text})"}
    if damper:
        entry["damping"] = draft.values.written(NEW_DAMPING, "force*time/length")
    else:
        entry |= {"stiffness": draft.values.written(NEW_STIFFNESS, "force/length")}
        entry |= {"rest_length": draft.values.written(length, "length")}
    draft.text.put(("forces", name), entry)
    return name


def rope(draft: Draft, ends: list[dict[str, Any]]) -> str:
    """A rope through two or more points, taut as drawn; it slides through the inner ones."""
    places = [draft.on(end) for end in ends]
    if len(places) < 2 or len({place.body for place in places}) < 2:
        raise ModelError("a rope needs two or more points of at least two bodies")
    length = sum(draft.distance(a, b) for a, b in zip(places, places[1:], strict=False))
    name = fresh(draft.text, "rope")
    entry = {"type": "cable", "points": [place.text for place in places]}
    entry |= {"stiffness": draft.values.written(ROPE, "force/length")}
    entry |= {"rest_length": draft.values.written(length, "length")}
    draft.text.put(("forces", name), entry)
    return name


def load(draft: Draft, end: dict[str, Any], to: tuple[float, float] | None = None) -> str:
    """A force at a point, along an arrow from there: 100 N, downward unless stated."""
    at, point, body = draft.end(end)
    if point is None and not body:
        raise ModelError("a load needs a point of a link: click one")
    place = draft.on(end)
    if place.body == GROUND:
        raise ModelError("a load on the ground does nothing: click a point of a link")
    way = (0.0, -1.0) if to is None else (to[0] - at[0], to[1] - at[1])
    size = math.hypot(*way) or 1.0
    name = fresh(draft.text, "load")
    force = [draft.values.written(round(NEW_FORCE * part / size, 6), "force") for part in way]
    draft.text.put(("forces", name), {"type": "load", "marker": place.text, "force": force})
    return name


def torque(draft: Draft, body: str) -> str:
    """A torque on a body."""
    if body == GROUND:
        raise ModelError("a torque on the ground does nothing: click a link")
    name = fresh(draft.text, "torque")
    size = draft.values.written(1.0, "force*length")
    draft.text.put(("forces", name), {"type": "torque", "marker": draft.require_body(body), "torque": size})
    return name


def stop(draft: Draft, joint: str, lower: float | None = None, upper: float | None = None) -> str:
    """Ends of the motion of a joint: 30 degrees, or a quarter of the mechanism, to both sides unless stated."""
    measure = joint_measure(draft, joint)
    what = measure.rpartition(".")[2]
    dimension = "angle" if what == "angle" else "length"
    here = _value(draft, joint)
    room = math.radians(30.0) if what == "angle" else _stroke(draft)
    low, high = (here - room if lower is None else lower), (here + room if upper is None else upper)
    stiffness, damping = STOP[what]
    unit = "force*length/angle" if what == "angle" else "force/length"
    per = "force*length*time/angle" if what == "angle" else "force*time/length"
    name = fresh(draft.text, "stop")
    entry = {"type": "stop", "measure": measure}
    entry |= {"lower": draft.values.written(low, dimension), "upper": draft.values.written(high, dimension)}
    entry |= {"stiffness": draft.values.written(stiffness, unit), "damping": draft.values.written(damping, per)}
    draft.text.put(("forces", name), entry)
    return name


def trace(draft: Draft, end: dict[str, Any], body: str = "") -> str:
    """A point of a body whose path is drawn."""
    at, point, below = draft.end(end)
    if point is not None and not body:
        place = draft.on(end)
    elif body or below:
        place = draft.mark(body or below, at)
    else:
        raise ModelError("a traced point belongs to a link: click the link first")
    if place.body == GROUND:
        raise ModelError("a point of the ground does not move: click a link")
    free = place.key if place.key not in {e.name for e in elements(draft.text)} else fresh(draft.text, place.key[:1])
    name = free or fresh(draft.text, "P")
    draft.text.put(("forces", name), f"point({place.text})")
    return name


def _value(draft: Draft, joint: str) -> float:
    """The coordinate of a joint as drawn, in SI: the angle from a to b, or the travel of b along a's x axis."""
    found = find(draft.text, joint)
    poses = [_marker(draft, found.arguments.get(name)) for name in "ab"]
    (xa, ya, turn_a), (xb, yb, turn_b) = poses
    if found.type == "revolute":
        return math.remainder(turn_b - turn_a, 2.0 * math.pi)
    return math.cos(turn_a) * (xb - xa) + math.sin(turn_a) * (yb - ya)


def _marker(draft: Draft, stated: Any) -> tuple[float, float, float]:
    """Point and direction of a marker."""
    from cardan.studio.places import read_place
    from cardan.studio.stated import split

    place = read_place(stated)
    if place is None or place.body not in draft.poses:
        raise ModelError(f"the marker {stated} cannot be read here")
    turn = draft.poses[place.body][2]
    if place.key[:1] == "(":
        parts = [part.strip() for part in split(place.key[1:-1])]
        angles = [part.partition("=")[2] or part for part in parts[2:]]
        turn += (draft.values.number(angles[0], "angle") or 0.0) if angles else 0.0
        local = draft.values.point(parts[:2]) or (0.0, 0.0)
    else:
        local = draft.places.local(Place(place.body, place.key)) or (0.0, 0.0)
    return (*draft.places.world(place.body, local), turn)


def _stroke(draft: Draft) -> float:
    """A quarter of the size of the mechanism, a round number of millimeters."""
    places = [point.at for point in draft.places.points]
    far = max((math.dist(a, b) for a in places for b in places), default=0.1)
    return max(round(0.25 * far, 3), 1e-3)
