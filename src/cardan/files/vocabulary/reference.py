"""The reference page of model files: every type with its arguments and their dimensions.

python -m cardan.files.vocabulary.reference > docs/model-file-reference.md
"""

from __future__ import annotations

from cardan.files.text.units import UNITS, words
from cardan.files.vocabulary.kind import parse_kind
from cardan.files.vocabulary.types import Type, vocabulary

TITLES = {
    "joints": "Joints",
    "drivers": "Drivers",
    "forces": "Forces",
    "control": "Control",
    "measure": "Measures",
    "motion": "Motions",
    "signal": "Signals",
    "segment": "Segments of motion programs",
    "condition": "Conditions of segments",
    "profile": "Curves",
    "follower": "Followers of cam profiles",
    "outline": "Curves on bodies",
    "surface": "Surfaces",
    "matter": "Matter",
    "part": "Flexible parts",
    "section": "Sections of beam parts",
    "material": "Materials of flexible parts",
    "connection": "Interfaces of flexible parts",
    "road": "Roads",
    "tire_data": "Tires",
    "pulley": "Pulleys",
    "orientation": "Orientations",
    "event": "Events",
    "device": "Devices",
    "touch": "Wheels on roads",
}


def page() -> str:
    """The whole page as Markdown."""
    lines = ["# Model file reference", "", INTRODUCTION, "", "## Bodies", ""]
    for space in ("planar", "spatial"):
        known = vocabulary(space)
        for name in (name for name in known.names() if known[name].group == "bodies"):
            lines += [f"`{name}` ({space}): {_arguments(known[name])}", ""]
    for key, title in TITLES.items():
        lines += [f"## {title}", "", "| type | arguments | description |", "|---|---|---|", *_rows(key), ""]
    lines += ["## Analyses", "", "| type | arguments | description |", "|---|---|---|"]
    known = vocabulary("analyses")
    lines += [_row(known[name], "") for name in known.names()]
    lines += ["", "## Methods of simulate", "", "| type | options | what it is |", "|---|---|---|"]
    known = vocabulary("methods")
    lines += [_row(known[name], "") for name in known.names()]
    return "\n".join([*lines, "", "## Units", "", *_units()]) + "\n"


def _rows(key: str) -> list[str]:
    """Types of a section or kind; types that differ between plane and space have two rows."""
    found: list[str] = []
    flat, deep = vocabulary("planar"), vocabulary("spatial")
    names = {
        name
        for known in (flat, deep)
        for name in known.names()
        if key in (known[name].group, known[name].gives if known[name].gives != "element" else "")
    }
    for name in sorted(names):
        there = [known for known in (flat, deep) if name in known]
        if len(there) == 2 and flat[name].arguments == deep[name].arguments:
            found.append(_row(flat[name], ""))
        else:
            found += [_row(known[name], known.space) for known in there]
    return found


def _row(kind: Type, space: str) -> str:
    about = kind.about.replace("|", "\\|").replace("<", "&lt;")
    offers = [name for name in kind.offers if name != "*"]
    offered = f" Offers {', '.join(f'`.{name}`' for name in offers)}." if offers else ""
    return f"| `{kind.name}`{f' ({space})' if space else ''} | {_arguments(kind)} | {about}{offered} |"


def _arguments(kind: Type) -> str:
    parts = []
    for name, argument in kind.arguments.items():
        wanted = parse_kind(argument.kind)
        inner = wanted.inner if wanted.name in ("list", "mapping") and wanted.inner is not None else wanted
        unit = inner.value if inner.value not in ("", "1", "si", "any") else ""
        text = f"**{name}**" if argument.required else name
        limit = f" {wanted.least} 0" if wanted.least and not wanted.unless else ""
        parts.append(f"{text} ({unit}{limit})" if unit else f"{text}{limit}")
    if kind.table:
        parts.append(f"or table, columns instead of {', '.join(kind.table)}")
    return ", ".join(parts).replace("|", "\\|")


def _units() -> list[str]:
    """All units by dimension."""
    found: dict[str, list[str]] = {}
    for unit, (_, dims) in UNITS.items():
        found.setdefault(words(dims), []).append(unit)
    return [
        "| | units |",
        "|---|---|",
        *(f"| {what} | {', '.join(f'`{u}`' for u in units)} |" for what, units in found.items()),
    ]


INTRODUCTION = """\
The types of [model files](model-files.md), generated from the Python classes. Arguments in bold are required. The unit
of a bare number is in parentheses, as a product of the units that the file declares, with the range of the number if it
is limited. `V` is the dimension of the element's measure, or of the value of a motion; `W` that of the force or torque
along it; `X` that of the argument of a motion, which is the time for drivers. For a bushing, V and W are those of each
component. Arguments without parentheses are pure numbers, words, or objects of the tables below. Numbers of control
blocks are in SI; a warning (C312) says so if the file declares other units."""

if __name__ == "__main__":
    print(page(), end="")
