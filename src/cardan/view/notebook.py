"""Models, reports and results in notebooks: a summary, the moving mechanism, a table and a picture.

Motions, modes and mobility reports show their page in a frame: it plays, also after nbconvert and without a network.
Below it the table and a still picture are folded. Pictures are PNG inside the HTML, omitted without matplotlib.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from html import escape
from itertools import islice
from typing import Any

import numpy as np

from cardan.analysis.assembly.mobility import Mobility
from cardan.errors import CardanError
from cardan.model.model import Model
from cardan.results.linear.linearization import Linearization
from cardan.results.linear.modes import Modes
from cardan.results.linear.root_locus import RootLocus
from cardan.results.linear.sensitivities import Gradient, Sensitivities
from cardan.results.snapshot import Snapshot
from cardan.results.steady.equilibrium import Equilibria, Equilibrium
from cardan.results.steady.load_path import LoadPath
from cardan.results.steady.periodic_motion import PeriodicMotion
from cardan.results.trajectory import Trajectory
from cardan.study.result import Study
from cardan.view.inline import frame, hidden

MAX_LINES = 20  # lines of a table
LARGEST = 4_000_000  # characters of a page in a notebook
DRAWN = 10_000  # samples of a study that are drawn unasked
DPI = 80
STYLE = "border-collapse:collapse;font-variant-numeric:tabular-nums"
CELL = "padding:1px 10px 1px 0;text-align:left;border:0"

Rows = Sequence[Sequence[Any]]


def notebook(shown: Any) -> str:
    """The HTML of a model, a mobility report or a result."""
    for kind, page in _PAGES.items():
        if isinstance(shown, kind):
            return f'<div class="cardan">{page(shown)}</div>'
    return f"<pre>{escape(repr(shown))}</pre>"


def _model(model: Model) -> str:
    lines = [
        (element.name, type(element).__name__, ", ".join(dict.fromkeys(body.name for body in element.bodies())))
        for element in model
    ]
    return _page(repr(model)[1:-1], ("element", "kind", "of"), lines, lambda: _stated(model).draw().figure)


def _stated(model: Model) -> Snapshot:
    """The model as it was stated, not assembled."""
    from cardan.system.compile import compile

    system = compile(model)
    return Snapshot(system, 0.0, system.start)


def _mobility(report: Mobility) -> str:
    names = ("coordinates", "equations", "rank", "degrees_of_freedom", "undriven", "driver_equations")
    lines = [(name.replace("_", " "), getattr(report, name)) for name in names]
    lines += [("redundant", f"{element} ({label})") for element, label in report.redundant]
    lines += [("conflicting", f"{element} ({label})") for element, label, _ in report.conflicting]
    return _page(repr(report), (), lines, moving=report)


def _snapshot(snapshot: Snapshot) -> str:
    first = repr(snapshot).splitlines()
    heading = [line.strip() for line in first[:2] if not line.startswith("  ") or isinstance(snapshot, Equilibrium)]
    space = snapshot.system.space
    poses = snapshot.q[space.stored : space.stored * (1 + len(snapshot.system.bodies))].reshape(-1, space.stored)
    counts = [len(space.names_of(body)) for body in snapshot.system.bodies]
    blank = [[""] * (space.stored - count) for count in counts]
    bodies = zip(snapshot.system.bodies, poses, counts, blank, strict=True)
    lines = [(body.name, *pose[:count], *rest) for body, pose, count, rest in bodies]
    return _page("; ".join(heading), ("body", *space.stored_names), lines, lambda: snapshot.draw().figure)


def _trajectory(run: Trajectory) -> str:
    columns = run.columns
    listed = [name for name in columns if len(run) and not name.endswith((".violation", "iterations", "steps"))]
    lines = []
    for name, values in columns.read(run, listed).items():
        shown, unit = columns[name].shown(run, values)
        least, largest = shown.min(), shown.max()
        numbers = (f"{value:.6g}" for value in (least, largest, shown[0], shown[-1]))
        lines.append((name, *numbers, f"{unit}, {axes}" if (axes := columns[name].axes) else unit))
    return _page(repr(run), ("column", "least", "largest", "first", "last", "unit"), lines, lambda: _overview(run), run)


def _overview(run: Trajectory) -> Any:
    from cardan.results.columns import free_coordinates
    from cardan.view.figures.overview import overview

    return overview(run, *free_coordinates(run.system)[:2])


def _rests(found: Equilibrium | Equilibria | LoadPath) -> str:
    from cardan.view.figures.equilibria import overview_of

    table = found.table()
    names = [name for name in table if not name.endswith(".violation")][:8]
    lines = [*zip(*(table[name] for name in names), strict=True)]
    return _page(
        repr(found).splitlines()[0], names, lines, lambda: overview_of(found, *[n for n in names[1:2] if n in table])
    )


def _linear(linear: Linearization) -> str:
    return _page(
        repr(linear).splitlines()[0],
        *_modal(linear.modes()),
        linear.page,
        linear.modes() if len(linear.modes()) else None,
    )


def _modes(modes: Modes) -> str:
    swinging = np.flatnonzero(modes.oscillating)
    draw = (lambda: modes.draw(int(swinging[0])).figure) if swinging.size else None
    return _page(repr(modes).splitlines()[0], *_modal(modes), draw, modes if len(modes) else None)


def _modal(modes: Modes) -> tuple[Sequence[str], Rows]:
    lines = modes.table()
    head = ("mode", "real 1/s", "imaginary 1/s", "damped Hz", "undamped Hz", "damping ratio", "half or double time s")
    return head, [(k, *line.values()) for k, line in enumerate(lines)]


def _periodic(found: PeriodicMotion) -> str:
    lines = [(k, m.real, m.imag, abs(m)) for k, m in enumerate(found.multipliers)]
    return _page(
        repr(found), ("multiplier", "real", "imaginary", "size"), lines, lambda: _overview(found.run), found.run
    )


def _locus(locus: RootLocus) -> str:
    lines = [(value, *roots) for value, roots in zip(locus.values, locus.roots, strict=True)]
    return _page(repr(locus), (locus.name, *(f"root {k}" for k in range(locus.roots.shape[1]))), lines, locus.draw)


def _sensitivities(found: Sensitivities) -> str:
    if found.derivatives.ndim > 2:
        return _page(repr(found), (), [])
    rows = zip(found.outputs, found.values, found.derivatives, strict=True)
    lines = [(name, value, *row) for name, value, row in rows]
    return _page(repr(found).splitlines()[0], ("output", "value", *(f"by {p}" for p in found.parameters)), lines)


def _gradient(found: Gradient) -> str:
    lines = [*zip(found.parameters, found.derivatives, strict=True)]
    return _page(f"functional {found.value:.8g}", ("parameter", "derivative"), lines)


def _page(
    title: str, head: Sequence[str], lines: Rows, draw: Callable[[], Any] | None = None, moving: Any = None
) -> str:
    """A summary, the page of the moving mechanism, a table and a picture."""
    rest = f"{_table(head, lines)}{_picture(draw) if draw is not None else ''}"
    if moving is None or not (page := _moving(moving)):
        return f"<p>{escape(title)}</p>{rest}"
    return f"<p>{escape(title)}</p>{page}<details><summary>numbers and picture</summary>{rest}</details>"


def _moving(result: Any) -> str:
    """The page of a result in a frame; empty if it cannot be shown, a note if it is too large."""
    from cardan.view.web.page import made, text_of

    try:
        text = text_of(made(result).packed())
    except CardanError:
        return ""
    if len(text) > LARGEST:
        return f"<p>{len(text) / 1e6:.1f} MB are too much for a notebook: .view() opens the page in a browser</p>"
    return frame(text)


def _table(head: Sequence[str], lines: Rows) -> str:
    if not lines:
        return ""
    parts = [f'<table style="{STYLE}">']
    if head:
        parts.append("<tr>" + "".join(f'<th style="{CELL}">{escape(str(name))}</th>' for name in head) + "</tr>")
    for line in lines[:MAX_LINES]:
        parts.append("<tr>" + "".join(f'<td style="{CELL}">{escape(_cell(value))}</td>' for value in line) + "</tr>")
    if len(lines) > MAX_LINES:
        parts.append(f'<tr><td style="{CELL}" colspan="{len(lines[0])}">and {len(lines) - MAX_LINES} more</td></tr>')
    return "".join([*parts, "</table>"])


def _cell(value: Any) -> str:
    if isinstance(value, complex | np.complexfloating):
        return f"{value:.6g}"
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)


def _picture(draw: Callable[[], Any]) -> str:
    """A figure as PNG in the page; empty if it cannot be drawn."""
    try:
        with hidden():
            found = draw()
            figure = getattr(found, "figure", found)
            file = io.BytesIO()
            figure.savefig(file, format="png", dpi=DPI)
    except (ImportError, CardanError):
        return ""
    return f'<img alt="" src="data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}">'


def _study(study: Study) -> str:
    """The first samples with their numbers, and the first output as a picture, unless there are too many of them."""
    numbers = [k for k, shape in enumerate(study.shapes) if shape == ()]
    head = ("sample", *study.parameters, *(study.outputs[k] for k in numbers), "failure")
    every = (
        (str(chunk.first + s), *chunk.values[s], *(chunk.outputs[k][s] for k in numbers), reason)
        for chunk in study.chunks()
        for s, reason in enumerate(chunk.reasons)
    )
    draw = (lambda: study.plot(study.outputs[0]).figure) if len(study) <= DRAWN else None
    return _page(repr(study), head, [*islice(every, MAX_LINES)], draw)


# the first kind that matches; subclasses come first
_PAGES: dict[type, Callable[[Any], str]] = {
    Model: _model,
    Mobility: _mobility,
    Equilibrium: _snapshot,
    Snapshot: _snapshot,
    Trajectory: _trajectory,
    Equilibria: _rests,
    LoadPath: _rests,
    PeriodicMotion: _periodic,
    Linearization: _linear,
    Modes: _modes,
    RootLocus: _locus,
    Sensitivities: _sensitivities,
    Gradient: _gradient,
    Study: _study,
}
