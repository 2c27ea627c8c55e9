"""report(run, path): everything about a result in one document, an HTML page or a PDF.

    model, result --> collect.py --> Report, data alone (content.py) --> html.py:  one file, no network
                                                                     --> paper.py: PDF by typst

The same input gives the same bytes: figures are vectors with fixed names, and no time of day is written unless one is
stated.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cardan.atomic_file import atomic_write
from cardan.errors import ModelError
from cardan.output_path import in_folder
from cardan.results.linear.modes import Modes
from cardan.results.steady.equilibrium import Equilibria
from cardan.results.trajectory import Trajectory
from cardan.view.curves import listed
from cardan.view.inline import hidden
from cardan.view.report.collect import REPORTED, collect
from cardan.view.report.html import html_page
from cardan.view.report.paper import pdf_pages

FORMATS = (".html", ".pdf")


def report(
    result: Any,
    path: str | Path,
    *,
    show: Any = (),
    title: str | None = None,
    date: str = "",
    again: Any = True,
    live: bool = True,
    note: str = "",
    meshes: Any = None,
) -> Path:
    """Write a report on a result to `path`, which ends in .html or .pdf, and return the path.

    `result` is a motion, an equilibrium, a load path, a steady or periodic motion, a linearization or modes; several
    results of one model are given as a dictionary by name, and each gets a section. `show` are what its plots show (see
    `plot`), by default all joint coordinates and drivers. `date` and `note` are printed as they are. `again`
    computes a simulation a second time for the estimate of its accuracy, see `self_check`. `live` puts the moving
    mechanism into an HTML page, `meshes` are surfaces for it, files by the names of bodies; one that cannot be read is
    named.
    """
    target = in_folder(path)
    if target.suffix not in FORMATS:
        raise ModelError(f"unknown format of '{target.name}': a report ends in .html or .pdf")
    results = dict(result) if isinstance(result, Mapping) else {_name(result): result}
    _check(results)
    options: dict[str, Any] = {"title": title, "date": date, "again": again, "note": note, "meshes": meshes}
    with hidden():
        found = collect(results, show=listed(show), live=live and target.suffix == ".html", **options)
    document = html_page(found).encode() if target.suffix == ".html" else pdf_pages(found)
    with atomic_write(target, result) as beside:
        beside.write_bytes(document)
    return target


def _name(result: Any) -> str:
    return str(getattr(result, "analysis", "result"))


def _check(results: Mapping[str, Any]) -> None:
    """Reject results without a report."""
    if not any(isinstance(result, REPORTED) for result in results.values()):
        kinds = ", ".join(type(result).__name__ for result in results.values()) or "nothing"
        raise ModelError(
            f"a report is made of a result of an analysis, such as simulate(), equilibrium() or linearize() return, "
            f"got {kinds}"
        )
    for result in results.values():
        if isinstance(result, Trajectory) and not len(result):
            raise ModelError(f"the result of '{result.model.name}' holds no instant to report on")
        if isinstance(result, Equilibria) and not len(result):
            raise ModelError("no equilibrium was found: there is nothing to report on")
    models = {_model_name(result) for result in results.values() if isinstance(result, REPORTED)}
    if len(models) > 1:
        raise ModelError(f"a report covers one model, but these results are of {', '.join(sorted(models))}")


def _model_name(result: Any) -> str:
    if isinstance(result, Equilibria):
        result = result[0]
    model = result.motions.system.model if isinstance(result, Modes) else result.model
    return str(model.name)
