"""The reference of model files as a page: every type with its arguments and their dimensions, from the vocabulary.

python -m cardan.files.vocabulary.reference > docs/model-file-reference.md
"""

from __future__ import annotations

from cardan.files.text.units import UNITS, words
from cardan.files.vocabulary.kind import role
from cardan.files.vocabulary.types import Type, vocabulary

TITLES = {
    "joints": "Joints",
    "drivers": "Drivers",
    "forces": "Forces",
    "control": "Control",
    "measure": "Measures",
    "motion": "Motions",
    "signal": "Signals",
    "profile": "Curves",
    "outline": "Curves on bodies",
    "surface": "Surfaces",
    "matter": "Matter",
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
    lines = ["# Reference of model files", "", INTRODUCTION, "", "## Bodies", ""]
    for space in ("planar", "spatial"):
        lines += [f"`body` ({space}): {_arguments(vocabulary(space)['body'])}", ""]
    for key, title in TITLES.items():
        lines += [f"## {title}", "", "| type | arguments | what it is |", "|---|---|---|", *_rows(key), ""]
    lines += ["## Analyses", "", "| type | arguments | what it is |", "|---|---|---|"]
    known = vocabulary("analyses")
    lines += [_row(known[name], "") for name in known.names()]
    return "\n".join([*lines, "", "## Units", "", *_units()]) + "\n"


def _rows(key: str) -> list[str]:
    """Types of a section or kind; those that differ between plane and space have a row for each."""
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
        wanted = role(argument.role)
        inner = wanted.inner if wanted.kind in ("list", "mapping") and wanted.inner is not None else wanted
        unit = inner.value if inner.value not in ("", "1", "si", "any") else ""
        text = f"**{name}**" if argument.required else name
        parts.append(f"{text} ({unit})" if unit else text)
    if kind.table:
        parts.append(f"or table, columns in place of {', '.join(kind.table)}")
    return ", ".join(parts).replace("|", "\\|")


def _units() -> list[str]:
    """All units by what they measure."""
    found: dict[str, list[str]] = {}
    for unit, (_, dims) in UNITS.items():
        found.setdefault(words(dims), []).append(unit)
    return [
        "| | units |",
        "|---|---|",
        *(f"| {what} | {', '.join(f'`{u}`' for u in units)} |" for what, units in found.items()),
    ]


INTRODUCTION = """\
What can be stated in a [model file](model-files.md), made from the classes themselves. Arguments in bold must be
stated; in brackets stands what a bare number counts in, as a product of the units that the file declares. `V` is what
the measure of the element counts in, or what a motion gives; `W` the force or torque along it; `X` what a motion is
read at, the time of drivers; of a bushing V and W are those of each component. Arguments without brackets are pure
numbers, words, or objects of the tables below; numbers of control blocks count in SI, and a file that declares other
units is warned of them (C312)."""

if __name__ == "__main__":
    print(page(), end="")
