"""report(run, path): everything about a result in one document, an HTML page or a PDF.

    model, result --> collect.py --> Report, data alone (content.py) --> html.py:  one file, no network
                                                                     --> paper.py: PDF by typst

The same input gives the same bytes: figures are vectors with fixed names, and no time of day is written unless one is
stated.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cardan.errors import ModelError
from cardan.results.file import in_folder
from cardan.results.trajectory import Trajectory
from cardan.view.curves import listed
from cardan.view.report.collect import collect
from cardan.view.report.html import html_page
from cardan.view.report.paper import pdf_pages

FORMATS = (".html", ".pdf")


def report(
    run: Any,
    path: Any,
    *,
    show: Any = (),
    title: str | None = None,
    date: str = "",
    again: Any = True,
    live: bool = True,
) -> Path:
    """Write a report on a result to `path`, which ends in .html or .pdf, and return the path.

    `show` are what its plots show (see `plot`), all joint coordinates and drivers unless stated. `date` is printed as
    it is. `again` computes a simulation a second time for the estimate of its accuracy, see `self_check`. `live` puts
    the moving mechanism into an HTML page.
    """
    target = in_folder(path)
    if target.suffix not in FORMATS:
        raise ModelError(f"cannot tell the format of '{target.name}': a report ends in .html or .pdf")
    if not isinstance(run, Trajectory):
        raise ModelError("a report is made of a result over time, such as simulate() or inverse_dynamics() return")
    if len(run) == 0:
        raise ModelError(f"the result of '{run.model.name}' holds no instant to report on")
    show = listed(show)
    found = collect(run, show=show, title=title, date=date, again=again, live=live and target.suffix == ".html")
    if target.suffix == ".html":
        target.write_text(html_page(found), encoding="utf-8", newline="\n")
    else:
        target.write_bytes(pdf_pages(found))
    return target
