"""Pages made from the source: one per element, one per vocabulary and analysis, one per example of the gallery.

Nothing is listed by hand, so nothing is forgotten:

    every element of cardan.planar     ->  elements/generated/elements/<Name>.md      its docstring and members
    the other public modules           ->  elements/generated/<group>/<name>.md       autodoc of the module
    every module of cardan.examples    ->  gallery/generated/<name>.md, <name>.png    docstring, picture, number, source
"""

from __future__ import annotations

import ast
import inspect
import itertools
import os
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

log = logging.getLogger(__name__)

LIST_ITEM = re.compile(r"(?:[-*]|\d+[.)]) +")
PROSE_MARKS = re.compile(r"(`[^`]*`)|([*|]|_\b|\b_)")  # what reStructuredText would take for markup, outside `code`
CLOSED_FORM = re.compile(r"((?:^# .*\n)+)(?:_\w+ = .*\n)*HEADLINE = ", re.MULTILINE)
# The rest of the public face: for each page its title, its module, and the members shown unless all are.
MODULES = {
    "words": {
        "measures": ("Measures", "cardan.planar.measures", ""),
        "combinations": ("Combinations of measures", "cardan.model.measure", ""),
        "motions": ("Motions", "cardan.model.motion", ""),
        "outlines": ("Outlines of cams and slots", "cardan.model.profile", ""),
        "constraint": ("A constraint of your own", "cardan.elements.user", "constraint"),
    },
    "analyses": {
        "assemble": ("assemble", "cardan.analysis.assemble", "assemble"),
        "mobility": ("mobility", "cardan.analysis.mobility", "mobility, Mobility"),
        "kinematics": ("kinematics", "cardan.analysis.kinematics", "kinematics"),
        "errors": ("Errors and warnings", "cardan.errors", ""),
    },
    "results": {
        "trajectory": ("Trajectory", "cardan.results.trajectory", ""),
        "snapshot": ("Snapshot", "cardan.results.snapshot", ""),
        "series": ("What indexing returns", "cardan.results.series", ""),
    },
}


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", write_pages)
    app.connect("autodoc-process-docstring", plain_docstring, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_pages(app: Sphinx) -> None:
    """Write the generated pages; a page whose text has not changed keeps its date."""
    docs = Path(app.srcdir)
    reference = docs / "elements" / "generated"
    _write(reference / "elements", _element_pages())
    for group, modules in MODULES.items():
        _write(reference / group, {name: _module_page(*stated) for name, stated in modules.items()})
    gallery = docs / "gallery" / "generated"
    gallery.mkdir(parents=True, exist_ok=True)
    _write(gallery, _gallery_pages(gallery))


def plain_docstring(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are plain text: an indented paragraph is a sketch or an equation, a star is a star."""
    lines[:] = [line for paragraph in _paragraphs(lines) for line in (*_restructured(paragraph), "")]


# --- the reference ---------------------------------------------------------------------------------------------------


def _element_pages() -> dict[str, str]:
    import cardan.planar
    from cardan.model.element import Element

    pages = {}
    for name in cardan.planar.__all__:
        item = getattr(cardan.planar, name)
        if not inspect.isclass(item) or not issubclass(item, (Element, cardan.planar.Model, cardan.planar.Marker)):
            continue
        if item.__name__ == name:
            pages[name] = _page(name, f".. autoclass:: cardan.planar.{name}", ":members:", ":show-inheritance:")
        else:
            pages[name] = f"# {name}\n\nAnother name for [{item.__name__}]({item.__name__}.md).\n"
    return pages


def _module_page(title: str, name: str, members: str) -> str:
    return _page(title, f".. automodule:: {name}", f":members: {members}".rstrip(), ":show-inheritance:")


def _page(title: str, directive: str, *options: str) -> str:
    lines = [directive, *(f"   {option}" for option in options)]
    return "\n".join([f"# {title}", "", "```{eval-rst}", *lines, "```", ""])


def _restructured(lines: list[str]) -> list[str]:
    """One paragraph of a docstring in reStructuredText."""
    if lines[0].startswith(">>>"):
        return lines
    if item := LIST_ITEM.match(lines[0]):
        return [_item_line(line, len(item[0])) for line in lines]
    if _is_drawn(lines):
        return ["::", "", *(f"    {line}" for line in lines)]
    return [PROSE_MARKS.sub(_escape, line) for line in lines]


def _item_line(line: str, margin: int) -> str:
    """A line of a list: a new item, its continuation, or an equation set deeper than the text of the item."""
    text = line.lstrip()
    if item := LIST_ITEM.match(line):
        return item[0] + PROSE_MARKS.sub(_escape, line[item.end() :])
    if len(line) - len(text) > margin:
        return " " * margin + f"``{text}``"
    return " " * margin + PROSE_MARKS.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return match[1] or "\\" + match[2]


# --- the gallery -----------------------------------------------------------------------------------------------------


def _gallery_pages(folder: Path) -> dict[str, str]:
    from cardan.examples import load, names

    pages = {}
    for name in names():
        log.info(f"example {name}")
        pages[name] = _gallery_page(name, load(name), folder)
    return pages


def _gallery_page(name: str, example: ModuleType, folder: Path) -> str:
    """What an example says of itself, its picture, its number and its source; computed here and now."""
    import numpy as np

    from cardan import kinematics
    from cardan.view.overview import overview

    start, end, count = example.TIMES
    run = kinematics(example.build(), np.linspace(start, end, count), progress=False)
    overview(run, *example.SHOW).savefig(folder / f"{name}.png", dpi=110)
    title, _, text = (inspect.getdoc(example) or name).partition("\n")
    prose = "\n\n".join(_markdown(paragraph) for paragraph in _paragraphs(text.splitlines()))
    source = os.path.relpath(str(example.__file__), folder)
    return (
        f"# {title.partition(': ')[0].rstrip('.')}\n\n{_sentence(title)}\n\n{prose}\n\n"
        f"![{name}]({name}.png)\n\n{_headline(example, run)}\n\n"
        f"## Source\n\n`cardan run {name} --out results` runs it.\n\n"
        f"```{{literalinclude}} {source}\n:language: python\n```\n"
    )


def _headline(example: ModuleType, run: Any) -> str:
    """The number of an example beside its closed form: what the source says in words, then the expression itself."""
    line = example.HEADLINE
    source = Path(str(example.__file__)).read_text(encoding="utf-8")
    found = CLOSED_FORM.search(source)
    reason = [text.removeprefix("# ") for text in found[1].splitlines()] if found else []
    words = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.keyword))
    expected = [word.value for word in words if word.arg == "expected"]
    unit = f" {line.unit}" if line.unit else ""
    name = f"{line.name[0].upper()}{line.name[1:]}"
    formula = "\n".join([*reason, *(f"    = {ast.unparse(value)}" for value in expected)])
    return (
        f"**{name}**: {line.compute(run):.9g}{unit}. The closed form gives {line.expected:.9g}{unit}:\n\n"
        f"```text\n{formula}\n```"
    )


def _sentence(title: str) -> str:
    """The part of a docstring's first line behind the name."""
    text = title.partition(": ")[2] or title
    return f"{text[0].upper()}{text[1:].rstrip('.')}."


def _markdown(lines: list[str]) -> str:
    text = "\n".join(lines)
    return f"```text\n{text}\n```" if _is_drawn(lines) else text


# --- both ------------------------------------------------------------------------------------------------------------


def _paragraphs(lines: list[str]) -> list[list[str]]:
    groups = itertools.groupby(lines, key=lambda line: bool(line.strip()))
    return [list(group) for filled, group in groups if filled]


def _is_drawn(lines: list[str]) -> bool:
    """Whether a paragraph is a sketch or an equation."""
    return any(line.startswith(" ") for line in lines)


def _write(directory: Path, pages: dict[str, str]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for stale in directory.glob("*.md"):
        if stale.stem not in pages:
            stale.unlink()
    for name, text in pages.items():
        page = directory / f"{name}.md"
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")
