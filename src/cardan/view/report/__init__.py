"""report(run, path): everything about a result in one document, an HTML page or a PDF.

    model, result   --> collect.py --> Report, data alone (content.py) --> html.py:  one file, no network
    a linearization --> linear.py  -->                                 --> paper.py: PDF by typst

The same input gives the same bytes: figures are vectors with fixed names, and no time of day is written unless one is
stated.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cardan.errors import ModelError
from cardan.results.file import in_folder
from cardan.results.linear import Linearization
from cardan.results.trajectory import Trajectory
from cardan.view.report.collect import collect
from cardan.view.report.html import html_page
from cardan.view.report.linear import collect_linear
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
    """Write a report on a result, or a linearization, to `path`, which ends in .html or .pdf, and return the path.

    `show` are what its plots show (see `plot`), all joint coordinates and drivers unless stated. `date` is printed as
    it is. `again` computes a simulation a second time for the estimate of its accuracy, see `self_check`. `live` puts
    the moving mechanism into an HTML page.
    """
    target = in_folder(path)
    if target.suffix not in FORMATS:
        raise ModelError(f"cannot tell the format of '{target.name}': a report ends in .html or .pdf")
    moving = live and target.suffix == ".html"
    if isinstance(run, Linearization):
        found = collect_linear(run, title=title, date=date, live=moving)
    elif not isinstance(run, Trajectory):
        raise ModelError(
            "a report is made of a linearization, or of a result over time, such as simulate() or inverse_dynamics() "
            "return"
        )
    elif len(run) == 0:
        raise ModelError(f"the result of '{run.model.name}' holds no instant to report on")
    else:
        found = collect(run, show=show, title=title, date=date, again=again, live=moving)
    if target.suffix == ".html":
        target.write_text(html_page(found), encoding="utf-8", newline="\n")
    else:
        target.write_bytes(pdf_pages(found))
    return target
