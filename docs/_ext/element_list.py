"""The list of elements on docs/elements/index.md, by group and with a sentence each.

    python docs/_ext/element_list.py        writes it

It is committed, because a page on a code host is not built; a test keeps it current.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

PAGE = Path(__file__).resolve().parents[1] / "elements" / "index.md"
BEGIN, END = "<!-- elements: written by docs/_ext/element_list.py -->", "<!-- end of elements -->"

# The index of elements: title, and where the classes are defined.
SECTIONS = {
    "Models, bodies and markers": (
        "cardan.planar.model",
        "cardan.planar.body",
        "cardan.spatial.model",
        "cardan.spatial.body",
    )
    + ("cardan.elements.point", "cardan.elements.gauge"),
    "Joints of the plane": ("cardan.planar.joints",),
    "Cams": ("cardan.planar.cams",),
    "Joints of space": ("cardan.spatial.joints",),
    "Drivers, gears and other constraints": ("cardan.elements.constraints", "cardan.elements.gears"),
    "Forces": ("cardan.elements.forces", "cardan.planar.", "cardan.spatial."),
    "Ropes and belts": ("cardan.elements.ropes",),
    "Contact and friction": ("cardan.elements.contact",),
    "Tires": ("cardan.elements.tires",),
    "Motors and control": ("cardan.elements.control",),
}


def vocabularies() -> dict[str, ModuleType]:
    import cardan.planar
    import cardan.spatial

    return {"planar": cardan.planar, "spatial": cardan.spatial}


def page_text(page: str) -> str:
    """The page with the list of the present elements."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{element_list()}\n{END}{after}"


def element_list() -> str:
    """All elements, bodies and markers by section, each with its first sentence."""
    found: dict[str, dict[str, Any]] = {title: {} for title in SECTIONS}
    spaces: dict[Any, list[str]] = {}
    for space, vocabulary in vocabularies().items():
        for name in dict.fromkeys(vocabulary.__all__):
            item = getattr(vocabulary, name)
            if is_element(item):
                spaces.setdefault(item, []).append(space)
                if item.__name__ == name:
                    found[section_of(item)].setdefault(f"{name} {item.__module__}", item)
    lines = []
    for title, items in found.items():
        lines += [f"### {title}", ""]
        names = [item.__name__ for item in items.values()]
        for item in sorted(items.values(), key=lambda one: (one.__name__, spaces[one])):
            name = item.__name__
            where = f" ({spaces[item][0]})" if names.count(name) > 1 else ""
            lines.append(f"- `{name}`{where}: {summary(item)}.")
        lines.append("")
    return "\n".join(lines)


def is_element(item: Any) -> bool:
    from cardan.model.element import Element
    from cardan.model.marker import Marker
    from cardan.model.model import Model

    return inspect.isclass(item) and issubclass(item, (Element, Model, Marker))


def section_of(item: type) -> str:
    return next(title for title, places in SECTIONS.items() if item.__module__.startswith(places))


def summary(item: Any) -> str:
    """The first sentence of a docstring, on one line, fit for a table."""
    text = inspect.getdoc(item) or ""
    if not callable(item):
        return ""
    first = " ".join(text.split("\n\n")[0].split())
    sentence = re.split(r"(?<=[\w)`'])[.:](?:\s|$)", first, maxsplit=1)[0]
    if sentence.count("(") > sentence.count(")"):  # the sentence goes on in the parenthesis
        sentence = sentence[: sentence.rindex(" (")]
    return sentence.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


if __name__ == "__main__":
    PAGE.write_text(page_text(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
