"""All edits by name, with the arguments that a page states for them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from cardan.errors import ModelError
from cardan.studio import question as q
from cardan.studio.edits import change, copies, forces, joints, links
from cardan.studio.edits.draft import Draft

Reader = Callable[[Any, str], Any]


class Edit(NamedTuple):
    """A function of a draft, the readers of its arguments, and what it is called in the list of changes."""

    function: Callable[..., Any]
    arguments: dict[str, Reader]
    about: str


def _copy(draft: Draft, names: list[str], by: tuple[float, float], turn: float, center: Any, count: int) -> list[str]:
    move = copies.Move(by=by, turn=turn, center=center or (0.0, 0.0))
    return copies.copy(draft, names, move, int(count))


def _mirror(draft: Draft, names: list[str], center: tuple[float, float], axis: float) -> list[str]:
    return copies.copy(draft, names, copies.Move(center=center, axis=axis))


def _damper(draft: Draft, a: dict[str, Any], b: dict[str, Any]) -> str:
    return forces.spring(draft, a, b, damper=True)


def _cam(draft: Draft, center: dict[str, Any], follower: dict[str, Any], law: str, sizes: dict[str, float]) -> str:
    return joints.cam(draft, center, follower, law, **sizes)


def _sizes(value: object, what: str) -> dict[str, float]:
    known = ("lift", "rise", "dwell", "roller", "points")
    if not isinstance(value, dict) or any(name not in known for name in value):
        raise ModelError(f"the {what} of a cam are {', '.join(known)}")
    return {name: q.number(item, name) for name, item in value.items()}


EDITS: dict[str, Edit] = {
    "bar": Edit(links.bar, {"a": q.click, "b": q.click}, "bar"),
    "plate": Edit(links.plate, {"ends": q.clicks}, "plate"),
    "wheel": Edit(links.wheel, {"center": q.click, "radius": q.number}, "wheel"),
    "pivot": Edit(links.pivot, {"end": q.click}, "pivot"),
    "weld": Edit(links.weld, {"end": q.click}, "weld"),
    "move_point": Edit(links.move_point, {"name": q.word, "to": q.point}, "move point"),
    "move_body": Edit(links.move_body, {"body": q.word, "by": q.point}, "move link"),
    "length": Edit(links.set_length, {"body": q.word, "stated": q.typed_value}, "length"),
    "slider": Edit(joints.slider, {"end": q.click, "angle": q.number, "guide": q.word}, "slider"),
    "slot": Edit(joints.slot, {"pin": q.click, "body": q.word}, "slot"),
    "gear": Edit(joints.gear, {"a": q.click, "b": q.click, "ratio": q.number}, "gears"),
    "rack": Edit(joints.rack, {"pinion": q.click, "on": q.click}, "rack"),
    "cam": Edit(_cam, {"center": q.click, "follower": q.click, "law": q.word, "sizes": _sizes}, "cam"),
    "motor": Edit(forces.motor, {"joint": q.word}, "motor"),
    "spring": Edit(forces.spring, {"a": q.click, "b": q.click}, "spring"),
    "damper": Edit(_damper, {"a": q.click, "b": q.click}, "damper"),
    "rope": Edit(forces.rope, {"ends": q.clicks}, "rope"),
    "load": Edit(forces.load, {"end": q.click, "to": q.optional(q.point)}, "load"),
    "torque": Edit(forces.torque, {"body": q.word}, "torque"),
    "stop": Edit(forces.stop, {"joint": q.word}, "stop"),
    "trace": Edit(forces.trace, {"end": q.click, "body": q.word}, "traced point"),
    "set": Edit(change.set_value, {"element": q.word, "argument": q.word, "text": q.optional(q.typed_value)}, "value"),
    "marker": Edit(change.set_marker, {"body": q.word, "marker": q.word, "text": q.typed_value}, "point"),
    "add": Edit(
        change.add_element, {"kind": q.word, "section": q.word, "arguments": q.settings, "name": q.word}, "element"
    ),
    "rename": Edit(change.rename, {"old": q.word, "new": q.word}, "name"),
    "remove": Edit(change.remove, {"names": q.words}, "remove"),
    "parameter": Edit(change.set_parameter, {"name": q.word, "text": q.optional(q.typed_value)}, "parameter"),
    "setting": Edit(change.set_setting, {"name": q.word, "text": q.optional(q.typed_value)}, "setting"),
    "copy": Edit(
        _copy,
        {"names": q.words, "by": q.point, "turn": q.number, "center": q.optional(q.point), "count": q.number},
        "copy",
    ),
    "mirror": Edit(_mirror, {"names": q.words, "center": q.point, "axis": q.number}, "mirror"),
}


def apply(draft: Draft, name: str, stated: Any) -> Any:
    """Carry out an edit that a page asks for; returns what it made."""
    if name not in EDITS:
        raise ModelError(f"there is no edit '{name}'")
    edit = EDITS[name]
    if not isinstance(stated, dict) or not set(stated) <= set(edit.arguments):
        raise ModelError(f"the arguments of '{name}' are {', '.join(edit.arguments)}")
    optional = {key for key, one in inspect.signature(edit.function).parameters.items() if one.default is not one.empty}
    missing = [key for key in edit.arguments if key not in stated and key not in optional]
    if missing:
        raise ModelError(f"'{name}' needs {', '.join(missing)}")
    return edit.function(draft, **{key: edit.arguments[key](value, key) for key, value in stated.items()})


def about(name: str, stated: dict[str, Any]) -> str:
    """What a change is called in the list of changes."""
    which = stated.get("name") or stated.get("element") or stated.get("body") or stated.get("joint") or ""
    return f"{EDITS[name].about} {which}".strip() if isinstance(which, str) else EDITS[name].about
