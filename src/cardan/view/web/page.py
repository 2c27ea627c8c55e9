"""page(result, path): a mechanism in one HTML file that plays from disk, offline, with nothing installed.

The file holds the program of the page (packed, 0.25 MB), the shapes, the motion and the curves. `web/` of the sources
has its TypeScript source; the build is next to this module, and users need no npm.
"""

from __future__ import annotations

import html
import re
import sys
import tempfile
import webbrowser
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardan.analysis.assembly.assemble import assemble
from cardan.atomic_file import atomic_write
from cardan.errors import AssemblyError, ModelError
from cardan.files.writing.save import model_text
from cardan.model import check
from cardan.model.model import Model
from cardan.output_path import in_folder
from cardan.results.linear.linearization import Linearization
from cardan.view.inline import Inline, in_notebook
from cardan.view.web.document import Page, page_of
from cardan.view.web.encode import as_text

if TYPE_CHECKING:
    from cardan.view.web.live import Live

SOURCE = 20_000  # characters of the model in a page, by default
PARTS = Path(__file__).with_name("built")


def page(result: Any, path: str | Path, *, source: str | None = None, **options: Any) -> Path:
    """Write a page of a result to `path`, which ends in .html, and return the path.

    `result` is a motion, an instant, modes or the linearization that has them, or a mobility. `source` is the text of
    the model, kept inside the page: unless stated, as `save_model` writes it, if a file can state the model in `SOURCE`
    characters.
    Further options: `show`, `ghost`, `frames`, `meshes`, `title`, see `page_of`.
    """
    target = in_folder(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise ModelError(f"unknown format of '{target.name}': a page ends in .html")
    found = made(result, **options)
    return write_page(found, result, target, source)


def write_page(found: Page, result: Any, target: Path, source: str | None, solver: bytes = b"") -> Path:
    """Write a page that is made; `solver` is what solves in it, see `cardan.solving`."""
    text = _source(found) if source is None else check.text(source, "the source of a page")
    page = text_of(found.packed(), source=text, solver=solver)
    with atomic_write(target, result) as beside:
        beside.write_text(page, encoding="utf-8")
    return target


def _source(found: Page) -> str:
    text = model_text(found.scene.snapshot.model, {})
    return text if len(text) <= SOURCE else ""


def made(result: Any, **options: Any) -> Page:
    """The page of a result, a model or a mobility report."""
    from cardan.analysis.assembly.mobility import Mobility

    if isinstance(result, Linearization):
        result = result.modes()
    if isinstance(result, Mobility):
        from cardan.view.web.why import why_page

        return why_page(result, **options)
    return page_of(shown(result), **options)


def shown(result: Any) -> Any:
    """For a model its assembled position, or the position nearest to closing; other results unchanged."""
    if not isinstance(result, Model):
        return result
    try:
        return assemble(result)
    except AssemblyError as error:
        return error.partial


def text_of(document: bytes, *, source: str = "", live: str = "", title: str = "Cardan", solver: bytes = b"") -> str:
    """The text of a page around a document; `live` is the address at which Python listens, `solver` solves in the page.

    Whatever a user or a file states reaches the page escaped, or packed as plain text, and in one pass: a model may be
    called `<!--<script>` or `@DOCUMENT@`.
    """
    frame, style, runtime = _parts()
    attribute = f' data-live="{html.escape(live, quote=True)}"' if live else ""
    filled = {
        "@LIVE@": attribute,
        "@TITLE@": html.escape(title),
        "@STYLE@": style,
        "@MODEL@": html.escape(source),
        "@DOCUMENT@": as_text(document),
        "@SOLVER@": as_text(solver),
        "@RUNTIME@": runtime,
    }
    return re.sub("|".join(filled), lambda mark: filled[mark[0]], frame)


def view(
    result: Any, *, live: bool | None = None, path: str | Path | None = None, **options: Any
) -> Path | Inline | Live:
    """Show a result in the browser.

    `live=True` opens a page served by this process, in which bodies can be dragged (`cardan.view.web.live`); this is
    the default at an interactive prompt. In a notebook the page is shown below the cell unless `path` or `live` is
    given. Otherwise a file is written, to `path` or to a temporary folder, and opened; its path is returned. Without a
    browser the path is printed.
    """
    if live is None and path is None and in_notebook():
        return Inline(text_of(made(result, **options).packed()))
    if live is None:
        live = path is None and hasattr(sys, "ps1")
    if live:
        from cardan.view.web.live import live as show_live

        return show_live(result, **options)
    target = Path(tempfile.mkdtemp(prefix="cardan-")) / "view.html" if path is None else path
    written = page(result, target, **options)
    if not opened(written.resolve().as_uri()):
        print(f"No browser was found; the page is in {written}", file=sys.stderr)
    return written


def opened(address: str) -> bool:
    """Whether a browser opened the address."""
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False


@cache
def _parts() -> tuple[str, str, str]:
    try:
        frame = (PARTS / "page.html").read_text(encoding="utf-8")
        style = (PARTS / "style.css").read_text(encoding="utf-8")
        return frame, style, as_text((PARTS / "runtime.js.gz").read_bytes())
    except FileNotFoundError as error:
        raise ModelError(
            f"this installation of Cardan has no '{Path(str(error.filename)).name}' for pages; reinstall it, or "
            "build it: cd web && npm ci && npm run build"
        ) from None
