"""Pages made from the source: one per module of the reference, one per example of the gallery.

Nothing is listed by hand, so nothing is forgotten:

    src/cardan/<room>/**/*.py   ->  elements/generated/<module>.md     autodoc of the module
    examples/*.py               ->  gallery/generated/<example>.md     its docstring, its picture, its source
"""

from __future__ import annotations

import ast
import itertools
import os
import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

LIST_ITEM = re.compile(r"(?:[-*]|\d+[.)]) +")
ROOMS = ("planar", "elements", "model", "analysis", "results")
PROSE_MARKS = re.compile(r"(`[^`]*`)|([*|]|_\b|\b_)")  # what reStructuredText would take for markup, outside `code`


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", write_pages)
    app.connect("autodoc-process-docstring", plain_docstring, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_pages(app: Sphinx) -> None:
    """Write the generated pages; a page whose text has not changed keeps its date, so builds stay incremental."""
    docs = Path(app.srcdir)
    package = docs.parent / "src" / "cardan"
    modules = {_module_name(path, package): path for room in ROOMS for path in sorted((package / room).rglob("*.py"))}
    reference = {name: _reference_page(name, path) for name, path in modules.items() if _docstring(path)}
    examples = {path.stem: _gallery_page(path, docs) for path in sorted((docs.parent / "examples").glob("*.py"))}
    _write(docs / "elements" / "generated", reference)
    _write(docs / "gallery" / "generated", examples)


def plain_docstring(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are plain text: an indented paragraph is a sketch or an equation, a star is a star."""
    groups = itertools.groupby(lines, key=lambda line: bool(line.strip()))
    paragraphs = [list(group) for filled, group in groups if filled]
    lines[:] = [line for paragraph in paragraphs for line in (*_paragraph(paragraph), "")]


def _paragraph(lines: list[str]) -> list[str]:
    """One paragraph in reStructuredText."""
    if lines[0].startswith(">>>"):
        return lines
    if item := LIST_ITEM.match(lines[0]):
        return [_item_line(line, len(item[0])) for line in lines]
    if any(line.startswith(" ") for line in lines):
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


def _reference_page(name: str, path: Path) -> str:
    title = name.removeprefix("cardan.")
    members = "" if path.name == "__init__.py" else ":members:\n:show-inheritance:\n"
    return f"# {title}\n\n```{{eval-rst}}\n.. automodule:: {name}\n{_indent(members)}```\n"


def _gallery_page(path: Path, docs: Path) -> str:
    title, _, text = (_docstring(path) or path.stem).partition("\n")
    picture = docs / "images" / f"{path.stem}.png"
    image = f"![{title.rstrip('.')}](../../images/{picture.name})\n\n" if picture.exists() else ""
    source = os.path.relpath(path, docs / "gallery" / "generated")
    return f"# {title.rstrip('.')}\n\n{text.strip()}\n\n{image}```{{literalinclude}} {source}\n:language: python\n```\n"


def _write(directory: Path, pages: dict[str, str]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for stale in directory.glob("*.md"):
        if stale.stem not in pages:
            stale.unlink()
    for name, text in pages.items():
        page = directory / f"{name}.md"
        if not page.exists() or page.read_text() != text:
            page.write_text(text)


def _module_name(path: Path, package: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _docstring(path: Path) -> str | None:
    return ast.get_docstring(ast.parse(path.read_text()))


def _indent(text: str) -> str:
    return "".join(f"   {line}\n" for line in text.splitlines())
