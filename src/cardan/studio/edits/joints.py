"""Joints: sliders, slots, gears, racks, cams."""

from __future__ import annotations

import math
from typing import Any

from cardan.errors import ModelError
from cardan.studio.edits.draft import GROUND, Draft, mass_text
from cardan.studio.edits.links import THICK, wheel
from cardan.studio.places import Place
from cardan.studio.stated import elements, find, fresh, quoted, set_argument

CAM_POINTS = 72  # of a profile, unless stated
MOST_CAM_POINTS = 720
LAWS = ("cycloidal", "harmonic", "3-4-5", "4-5-6-7")


def slider(draft: Draft, end: dict[str, Any], angle: float, guide: str = GROUND) -> str:
    """A block that slides along a line of the ground, or of another body; a link that ends there is pinned to it.
    Returns its name."""
    at, point, body = draft.end(end)
    if point is None and body and body != guide:
        point = draft.point(draft.mark(body, at).text)
    letter = point.letter if point is not None and point.letter else draft.letter()
    draft.require_body(guide)
    width, height = (draft.values.written(x, "length") for x in _block_size(draft))
    mass = mass_text(draft, f"rectangle({width}, {height}, @)", 4.0 * THICK)
    name = draft.new_body("slider", (*at, angle), {letter: (0.0, 0.0)}, mass=mass)
    if point is not None:
        draft.pin(draft.base(point), Place(name, letter))
    joint = fresh(draft.text, "guide")
    draft.text.put(("joints", joint), f"translational({_line(draft, guide, at, angle)}, {name})")
    return name


def slot(draft: Draft, pin: dict[str, Any], body: str) -> str:
    """A straight slot of a body, along its x axis, in which a pin slides. Returns the name of the joint."""
    at, point, below = draft.end(pin)
    if point is None and not below:
        raise ModelError("a slot needs a pin: click a point of a link first, then the body with the slot")
    place = next((p for p in point.places if p.body != body), None) if point is not None else draft.mark(below, at)
    if place is None or place.body == body:
        raise ModelError(f"the pin and the slot are both on '{body}': choose a pin of another link")
    joint = fresh(draft.text, "slot")
    turn = 0.0 if body == GROUND else draft.poses[body][2]
    line = _line(draft, draft.require_body(body), at, turn) if body == GROUND else _along(draft, body, at)
    draft.text.put(("joints", joint), f"pin_in_slot({line}, {place.text})")
    return joint


def gear(draft: Draft, a: dict[str, Any], b: dict[str, Any], ratio: float = 1.0) -> str:
    """Two gears whose centers are clicked; a wheel is added where nothing turns. `ratio` is radius b over radius a."""
    first, second = draft.end(a), draft.end(b)
    far = math.dist(first[0], second[0])
    if far <= 0.0 or ratio <= 0.0:
        raise ModelError("gears need two different centers and a positive ratio")
    radii = far / (1.0 + ratio), far * ratio / (1.0 + ratio)
    wheels = [_turning(draft, one, radius) for one, radius in zip((a, b), radii, strict=True)]
    if wheels[0].body == wheels[1].body:
        raise ModelError(f"both gears would be on '{wheels[0].body}': choose centers of two bodies")
    name = fresh(draft.text, "gears")
    sizes = ", ".join(str(draft.values.written(radius, "length")) for radius in radii)
    draft.text.put(("joints", name), f"gear({wheels[0].text}, {wheels[1].text}, {sizes})")
    return name


def rack(draft: Draft, pinion: dict[str, Any], on: dict[str, Any]) -> str:
    """A pinion, whose center is clicked, on a rack; the second click is where they touch. A sliding rack is added
    unless a body is there."""
    center, _, _ = draft.end(pinion)
    touch, _, body = draft.end(on)
    radius = math.dist(center, touch)
    if radius <= 0.0:
        raise ModelError("a pinion needs a radius: click its center, then the point where it touches the rack")
    turning = _turning(draft, pinion, radius)
    angle = math.atan2(center[1] - touch[1], center[0] - touch[0]) - math.pi / 2.0
    if not body or body == turning.body:
        width = draft.values.written(6.0 * radius, "length")
        height = draft.values.written(max(0.3 * radius, 0.002), "length")
        mass = mass_text(draft, f"rectangle({width}, {height}, @)", THICK)
        body = draft.new_body("rack", (*touch, angle), {draft.letter(): (0.0, 0.0)}, mass=mass)
        guide = fresh(draft.text, "guide")
        draft.text.put(("joints", guide), f"translational({_line(draft, GROUND, touch, angle)}, {body})")
    name = fresh(draft.text, "mesh")
    x, y = draft.values.place(*draft.places.inside(body, touch))
    turn = draft.values.written(angle - draft.poses[body][2], "angle")
    line = f"{quoted(body)}@({x}, {y}, angle={turn})"
    draft.text.put(("joints", name), f"rack_pinion({line}, {turning.text}, {draft.values.written(radius, 'length')})")
    return name


def cam(draft: Draft, center: dict[str, Any], follower: dict[str, Any], law: str = "cycloidal", **sizes: float) -> str:
    """A cam with a roller follower that slides toward its center. The follower rises by `lift` over `rise`, dwells
    over `dwell`, returns over the same angle and dwells for the rest of the turn, by a law of motion:

        cycloidal   s = u - sin(2 pi u) / (2 pi)           harmonic   s = (1 - cos(pi u)) / 2
        3-4-5       s = 10 u^3 - 15 u^4 + 6 u^5            4-5-6-7    s = 35 u^4 - 84 u^5 + 70 u^6 - 20 u^7

    The profile is a cubic spline through `points` points. The second click is the center of the roller at the lowest
    position. Returns the name of the cam.
    """
    if law not in LAWS:
        raise ModelError(f"the law of a cam must be one of {', '.join(LAWS)}; got '{law}'")
    at, _, _ = draft.end(center)
    top, _, _ = draft.end(follower)
    base = math.dist(at, top)
    roller = sizes.get("roller", 0.2 * base)
    lift, rise, dwell = sizes.get("lift", 0.4 * base), sizes.get("rise", 2.0), sizes.get("dwell", 1.0)
    if base <= roller or roller <= 0.0 or lift <= 0.0 or rise <= 0.0 or dwell < 0.0 or 2.0 * rise + dwell > 6.2831:
        raise ModelError(
            "the cam does not exist: rise, dwell and return must fit into a turn, the roller into the base"
        )
    count = sizes.get("points", CAM_POINTS)
    if count != int(count) or not 12 <= count <= MOST_CAM_POINTS:
        raise ModelError(f"a cam has 12 to {MOST_CAM_POINTS} points, not {count:g}")
    angle = math.atan2(top[1] - at[1], top[0] - at[0])
    name = wheel(draft, center, base - roller, "cam")
    points = offset_profile(base, lift, rise, dwell, roller, law, int(count))
    draft.text.put(("bodies", name, "angle"), draft.values.written(angle, "angle"))
    draft.poses[name] = (*at, angle)
    draft.refresh()
    shown = [draft.values.place(*place) for place in points]
    block = slider(draft, {"at": list(top)}, angle)
    stem, size = (draft.values.written(x, "length") for x in (4.0 * roller, 0.8 * roller))
    shape = f"disk({draft.values.written(roller, 'length')}, @) + rectangle({stem}, {size}, @)"
    shape += f".moved(({draft.values.written(2.0 * roller, 'length')}, 0))"
    draft.text.put(("bodies", block, "mass"), mass_text(draft, shape, THICK))
    draft.text.rename(("bodies", block), follower_name := fresh(draft.text, "follower"))
    guide = next(e for e in elements(draft.text) if e.type == "translational" and e.arguments.get("b") == block)
    set_argument(draft.text, guide.name, "b", follower_name)
    draft.poses[follower_name], block = draft.poses.pop(block), follower_name
    letter = draft.text.keys("bodies", block, "markers")[0]
    touch = fresh(draft.text, "touch")
    profile = {"on": name, "curve": {"type": "curve_through", "points": shown}}
    size = draft.values.written(roller, "length")
    draft.text.put(("joints", touch), {"type": "cam_roller", "cam": profile, "b": f"{block}@{letter}", "radius": size})
    return name


def offset_profile(
    base: float, lift: float, rise: float, dwell: float, roller: float, law: str, count: int = CAM_POINTS
) -> list[tuple[float, float]]:
    """Points of a cam: the pitch curve, radius base + lift s(angle), moved inward by the radius of the roller along
    its normal; the cam turns counterclockwise, and the angles on it run clockwise."""
    found = []
    for k in range(count):
        turn = 2.0 * math.pi * k / count
        value, slope = risen(turn, rise, dwell, law)
        radius, change = base + lift * value, lift * slope
        # the pitch curve at angle -turn on the cam, its tangent with respect to turn
        c, s = math.cos(turn), -math.sin(turn)
        x, y = radius * c, radius * s
        dx, dy = change * c + radius * s, change * s - radius * c
        size = math.hypot(dx, dy)
        found.append((x + roller * dy / size, y - roller * dx / size))
    return found[::-1]


def risen(turn: float, rise: float, dwell: float, law: str) -> tuple[float, float]:
    """The lift at an angle of the cam relative to the whole lift, and its derivative with respect to the angle."""
    if turn < rise:
        s, ds = _law(turn / rise, law)
        return s, ds / rise
    if turn < rise + dwell:
        return 1.0, 0.0
    if turn < 2.0 * rise + dwell:
        s, ds = _law((turn - rise - dwell) / rise, law)
        return 1.0 - s, -ds / rise
    return 0.0, 0.0


def _law(u: float, law: str) -> tuple[float, float]:
    if law == "harmonic":
        return 0.5 * (1.0 - math.cos(math.pi * u)), 0.5 * math.pi * math.sin(math.pi * u)
    if law == "3-4-5":
        return 10 * u**3 - 15 * u**4 + 6 * u**5, 30 * u**2 * (1 - u) ** 2
    if law == "4-5-6-7":
        return 35 * u**4 - 84 * u**5 + 70 * u**6 - 20 * u**7, 140 * u**3 * (1 - u) ** 3
    return u - math.sin(2.0 * math.pi * u) / (2.0 * math.pi), 1.0 - math.cos(2.0 * math.pi * u)


# ---------------------------------------------------------------------------------------------------------------------


def _turning(draft: Draft, end: dict[str, Any], radius: float) -> Place:
    """The marker of a body that turns about a clicked center; a wheel is added if there is none."""
    _, point, body = draft.end(end)
    if point is not None:
        for place in point.places:
            if place.body != GROUND:
                return place
    if body and body != GROUND:
        return draft.mark(body, draft.end(end)[0])
    name = wheel(draft, end, radius, "gear")
    return Place(name, draft.text.keys("bodies", name, "markers")[0])


def _line(draft: Draft, body: str, at: tuple[float, float], angle: float) -> str:
    """A marker of a body at a global point, its x axis in a global direction."""
    x, y = draft.values.place(*draft.places.inside(body, at))
    turn = draft.values.written(angle - draft.poses[body][2], "angle")
    return f"{quoted(body)}@({x}, {y}, angle={turn})" if turn else f"{quoted(body)}@({x}, {y})"


def _along(draft: Draft, body: str, at: tuple[float, float]) -> str:
    """A marker through which the x axis of a body's slot passes: the slot is parallel to the body's x axis."""
    _, y = draft.places.inside(body, at)
    return f"{quoted(body)}@(0, {draft.values.written(y, 'length')})"


def _block_size(draft: Draft) -> tuple[float, float]:
    """Of a slider, relative to the links that are there."""
    sizes = [math.dist(a.at, b.at) for a, b in zip(draft.places.points, draft.places.points[1:], strict=False)]
    size = max(sorted(sizes)[len(sizes) // 2] if sizes else 0.1, 1e-3)
    step = 10.0 ** math.floor(math.log10(0.2 * size))
    width = step * max(round(0.2 * size / step), 1)
    return width, 0.6 * width


def driven_joints(draft: Draft) -> set[str]:
    """Joints that have a driver."""
    drivers = [e for e in elements(draft.text) if e.type == "driver"]
    return {str(e.arguments.get("measure", "")).partition(".")[0].strip("'\"") for e in drivers}


def joint_measure(draft: Draft, joint: str) -> str:
    """The coordinate of a joint that a motor can drive: its angle or its travel."""
    found = find(draft.text, joint)
    if found.type in ("revolute",):
        return f"{quoted(joint)}.angle"
    if found.type in ("translational", "pin_in_slot", "revolute_translational", "rolling_wheel"):
        return f"{quoted(joint)}.travel"
    raise ModelError(f"'{joint}' is a {found.type}, which a motor cannot drive: choose a pin or a slider")
