"""The reference: a page for every element, function and class, and an index with their pictures and first sentences."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

from element_list import SECTIONS, is_element, section_of, summary, vocabularies
from sketches import draw_element
from sphinx.util import logging

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint

log = logging.getLogger(__name__)

# --- elements --------------------------------------------------------------------------------------------------------


def element_pages(folder: Path) -> tuple[dict[str, dict[str, str]], str]:
    """The pages of all elements, bodies and markers, for both spaces and for each; and the cards of their index."""
    pages: dict[str, dict[str, str]] = {"both": {}, "planar": {}, "spatial": {}}
    classes: dict[str, list[tuple[str, str]]] = {title: [] for title in SECTIONS}
    for space, vocabulary in vocabularies().items():
        for name in dict.fromkeys(vocabulary.__all__):
            item = getattr(vocabulary, name)
            if not is_element(item):
                continue
            home = "both" if item.__module__.startswith("cardan.elements.") else space
            if item.__name__ != name:
                there = f"{item.__name__}.md" if home == space else f"../both/{item.__name__}.md"
                pages[space][name] = f"# {name}\n\nAnother name for [{item.__name__}]({there}).\n"
            elif name not in pages[home]:
                pages[home][name] = _class_page(item, home, folder / home)
                classes[section_of(item)].append((name, home))
    return pages, _element_cards(classes)


def _class_page(item: type, home: str, folder: Path) -> str:
    """An element: its sketch, then its docstring and its members."""
    name, package = item.__name__, item.__module__ if home == "both" else f"cardan.{home}"
    folder.mkdir(parents=True, exist_ok=True)
    page = _page(name, f".. autoclass:: {package}.{name}", ":members:", ":show-inheritance:")
    if draw_element(item, home, folder / f"{name}.png"):
        page = page.replace(f"# {name}\n", f"# {name}\n\n![A sketch of {name}]({name}.png)\n", 1)
    else:
        log.warning(f"no sketch shows {name}: add a small mechanism to element_models.py or spatial_models.py")
    if issubclass(item, TwoMarkerJoint):
        page += f"\n`{name}.between(a, b, at, ...)` states it by two bodies and a global point:\n\n"
        page += "```{eval-rst}\n" + f".. automethod:: {package}.{name}.between\n   :no-index:\n```\n"
    where = "`cardan.planar` or `cardan.spatial`" if home == "both" else f"`cardan.{home}`"
    return f"{page}\nImport it from {where}.\n"


def _element_cards(classes: dict[str, list[tuple[str, str]]]) -> str:
    """A picture of each element, in sections."""
    lines = []
    for title, listed in classes.items():
        lines += [f"## {title}", "", "::::{grid} 2 3 4 4", ":gutter: 2", ":class-container: elements", ""]
        for name, home in listed:
            twice = home != "both" and sum(name == other for other, _ in listed) > 1
            lines += [f":::{{grid-item-card}} {name}{f' ({home})' if twice else ''}"]
            lines += [
                f":img-top: generated/{home}/{name}.png",
                f":link: generated/{home}/{name}",
                ":link-type: doc",
                ":::",
                "",
            ]
        lines += ["::::", ""]
    return "\n".join(lines)


# --- functions and classes -------------------------------------------------------------------------------------------


def module_pages(modules: dict[str, tuple[str, str, str]]) -> tuple[dict[str, str], str]:
    """Pages of the public members of modules, and a table of them with their first sentences.

    A module with one member is one page; any other module has a page for itself and one for each member.
    """
    pages, rows = {}, ["| | |", "|---|---|"]
    for name, (title, path, members) in modules.items():
        module = importlib.import_module(path)
        listed = [member.strip() for member in members.split(",") if member.strip()] or _members(module)
        if len(listed) == 1:
            overview = _page(title, f".. automodule:: {path}", ":no-members:", ":no-index:")
            pages[name] = overview + "\n" + _member(module, listed[0])
            rows.append(_row(listed[0], name, getattr(module, listed[0])))
            continue
        pages[name] = _page(title, f".. automodule:: {path}", ":no-members:") + _contents(name, module, listed)
        rows.append(f"| **[{title}](generated/GROUP/{name}.md)** | |")
        for member in listed:
            item = getattr(module, member)
            pages[f"{name}/{member}"] = f"# {member}\n\n{_member(module, member)}"
            rows.append(_row(member, f"{name}/{member}", item))
    return pages, "\n".join([*rows, ""])


def _member(module: ModuleType, name: str) -> str:
    """The directive for a function or a class, under the name by which users import it."""
    import cardan

    item = getattr(module, name)
    kind = "autoclass" if inspect.isclass(item) else "autofunction" if callable(item) else "autodata"
    options = [":members:", ":show-inheritance:"] if kind == "autoclass" else []
    faces = [
        face for face in (cardan, *vocabularies().values()) if name in face.__all__ and getattr(face, name) is item
    ]
    home = faces[0].__name__ if faces else module.__name__
    return "\n".join(
        ["```{eval-rst}", f".. {kind}:: {home}.{name}", *(f"   {option}" for option in options), "```", ""]
    )


def _members(module: ModuleType) -> list[str]:
    """What a module offers: its `__all__`, or the public functions and classes that it defines."""
    if hasattr(module, "__all__"):
        return list(dict.fromkeys(module.__all__))
    package = Path(str(module.__file__)).stem == "__init__"

    def belongs(item: Any) -> bool:
        home = getattr(item, "__module__", "")
        return home.startswith(module.__name__) if package else home == module.__name__

    return [
        name for name, item in vars(module).items() if not name.startswith("_") and callable(item) and belongs(item)
    ]


def _row(name: str, page: str, item: Any) -> str:
    return f"| [`{name}`](generated/GROUP/{page}.md) | {summary(item)} |"


def _contents(name: str, module: ModuleType, members: list[str]) -> str:
    rows = [f"| [`{member}`]({name}/{member}.md) | {summary(getattr(module, member))} |" for member in members]
    return "\n".join(["", "| | |", "|---|---|", *rows, ""])


def _page(title: str, directive: str, *options: str) -> str:
    lines = [directive, *(f"   {option}" for option in options)]
    return "\n".join([f"# {title}", "", "```{eval-rst}", *lines, "```", ""])
