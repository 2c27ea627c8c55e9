"""Changes of what is there: values, names, parameters, settings; removal."""

from __future__ import annotations

import re

from cardan.errors import ModelError
from cardan.files.vocabulary.types import vocabulary
from cardan.studio.edits.draft import GROUND, Draft
from cardan.studio.stated import elements, find, fresh, quoted, set_argument, space_of
from cardan.studio.text import ModelText
from cardan.studio.values import typed

SETTINGS = ("name", "about", "gravity", "units", "lift", "show")
NAME = re.compile(r"[^\W\d][\w -]*(\.[^\W\d][\w -]*)*")


def set_value(draft: Draft, element: str, argument: str, text: str | None) -> None:
    """An argument of an element as typed; None removes it, which gives it its default."""
    found = find(draft.text, element)
    known = vocabulary(space_of(draft.text))
    extra = ("markers",) if found.section == "bodies" else ()
    first = argument.partition(".")[0]
    allowed = (*known[found.type].arguments, *extra, *found.arguments) if found.type in known else (first,)
    if first not in allowed:
        raise ModelError(f"a {found.type} has no argument '{argument}'")
    set_argument(draft.text, element, argument, None if text is None else typed(text))


def set_marker(draft: Draft, body: str, marker: str, text: str) -> None:
    """The coordinates of a named marker as typed: two values, separated by a comma, or in brackets."""
    bare = text.strip()
    bare = bare if bare.startswith("[") else f"[{bare}]"
    value = typed(bare)
    if not isinstance(value, list):
        raise ModelError(f"'{text}' is not a point: type two values, such as 120, 40")
    draft.text.put(("bodies", draft.require_body(body), "markers", marker), value)
    from cardan.studio.edits.links import renew_mass

    if body != GROUND:
        renew_mass(draft, body)


def add_element(draft: Draft, kind: str, section: str, arguments: dict[str, str], name: str = "") -> str:
    """An element of any type, with its arguments as typed."""
    known = vocabulary(space_of(draft.text))
    if kind not in known or known[kind].gives != "element":
        raise ModelError(f"there is no type '{kind}'")
    group = section if section == "elements" else known[kind].group
    found = name or fresh(draft.text, kind)
    require_name(draft.text, found)
    entry = {key: typed(value) for key, value in arguments.items() if value.strip()}
    draft.text.put((group, found), {"type": kind, **entry})
    return found


def rename(draft: Draft, old: str, new: str) -> None:
    """Another name for an element, everywhere in the file."""
    found = find(draft.text, old)
    require_name(draft.text, new)
    draft.text.rename(found.path, new)
    for path, value in scalars(draft.text):
        if path[0] not in ("cardan", "name", "about", "space", "units", "include") and path[-1] != "type":
            renamed = replaced(value, {old: new})
            if renamed != value:
                draft.text.put(path, renamed)
    for element in [*elements(draft.text)]:  # markers as mappings: {crank: [0, 0]}
        for argument, value in element.arguments.items() if element.section != "bodies" else ():
            if isinstance(value, dict) and old in value and "type" not in value:
                draft.text.rename((*element.path, argument, old), new)


def require_name(text: ModelText, name: str) -> None:
    if not isinstance(name, str) or not NAME.fullmatch(name) or len(name) > 80:
        raise ModelError(f"'{name}' is not a name: use letters, digits and underscores, beginning with a letter")
    if name in {GROUND, *(element.name for element in elements(text))}:
        raise ModelError(f"there is a '{name}' already")


def remove(draft: Draft, names: list[str]) -> list[str]:
    """Remove elements with everything that refers to them. Returns all that is gone."""
    gone = {name: find(draft.text, name) for name in names}
    everything = [*elements(draft.text)]
    while True:
        others = [e for e in everything if e.name not in gone and e.section != "bodies"]
        more = [e for e in others if any(mentions(e.arguments, name) for name in gone)]
        if not more:
            break
        gone |= {element.name: element for element in more}
    for element in gone.values():
        draft.text.drop(element.path)
    for k in reversed(range(len(draft.text.data("analyses") or []))):
        if any(mentions(draft.text.data("analyses", k), name) for name in gone):
            draft.text.drop(("analyses", k))
    shown = draft.text.data("show")
    for k in reversed(range(len(shown) if isinstance(shown, list) else 0)):
        if any(mentions(str(shown[k]), name) for name in gone):
            draft.text.drop(("show", k))
    _drop_unused(draft.text)
    return list(gone)


def _drop_unused(text: ModelText) -> None:
    """Markers of the ground that nothing uses any more."""
    used = {f"{GROUND}@{name}" for name in text.keys("bodies", GROUND, "markers")}
    texts = [value for path, value in scalars(text) if path[0] != "bodies"]
    for marker in sorted(used):
        if not any(re.search(rf"{re.escape(marker)}(?!\w)", value) for value in texts):
            text.drop(("bodies", GROUND, "markers", marker.partition("@")[2]))


def set_parameter(draft: Draft, name: str, text: str | None) -> None:
    """The value of a parameter as typed, a new one if need be; None removes it."""
    if text is None:
        users = [path for path, value in scalars(draft.text) if re.search(rf"(?<![\w.@']){name}(?!\w)", value)]
        users = [path for path in users if path != ("parameters", name)]
        if users:
            place = ".".join(str(part) for part in users[0])
            raise ModelError(f"the parameter '{name}' is used by {place}: change that first")
        return draft.text.drop(("parameters", name))
    if not name.isidentifier():
        raise ModelError(f"the name of a parameter must be a word, got '{name}'")
    draft.text.put(("parameters", name), typed(text))


def set_setting(draft: Draft, name: str, text: str | None) -> None:
    """An entry of the file itself: its name, gravity, units."""
    if name not in SETTINGS:
        raise ModelError(f"'{name}' is not a setting of a model file")
    if text is None:
        return draft.text.drop((name,))
    draft.text.put((name,), typed(text))


def keep_pose(draft: Draft) -> None:
    """Write the poses of all bodies, for example where a hand has left them, as initial positions."""
    for body, (x, y, angle) in draft.poses.items():
        if body == GROUND or body not in draft.text.keys("bodies"):
            continue
        place, turn = draft.values.place(x, y), draft.values.written(angle, "angle")
        before = Draft(draft.text, {}).values
        if before.point(draft.text.data("bodies", body, "position")) != (x, y):
            draft.text.put(("bodies", body, "position"), place)
        if before.number(draft.text.data("bodies", body, "angle"), "angle") != angle:
            draft.text.put(("bodies", body, "angle"), turn)


# ---------------------------------------------------------------------------------------------------------------------


def mentions(value: object, name: str) -> bool:
    """Whether a part of a file refers to an element."""
    if isinstance(value, dict):
        return name in value or any(mentions(item, name) for item in value.values())
    if isinstance(value, list):
        return any(mentions(item, name) for item in value)
    return isinstance(value, str) and replaced(value, {name: "\0"}) != value


def replaced(value: str, names: dict[str, str]) -> str:
    """A text in which elements have other names; names of markers, arguments and offered measures stay."""

    def other(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        return quoted(names[name]) if name in names else match[0]

    return re.sub(r"(?<![\w.@])(?:'([^']+)'|([^\W\d]\w*))(?!\w|\s*=|\()", other, value)


def scalars(text: ModelText) -> list[tuple[tuple[str | int, ...], str]]:
    """All texts of a file with their paths."""
    found: list[tuple[tuple[str | int, ...], str]] = []

    def walk(value: object, path: tuple[str | int, ...]) -> None:
        if isinstance(value, dict):
            for key, item in value.items():
                walk(item, (*path, key))
        elif isinstance(value, list):
            for k, item in enumerate(value):
                walk(item, (*path, k))
        elif value is not None:
            found.append((path, str(value)))

    walk(text.data(), ())
    return found
