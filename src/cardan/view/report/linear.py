"""collect_linear(linear): the content of a report on a linearization: a table, a page of pictures, energies, names."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.results.linear import MEANINGS
from cardan.results.registry import view
from cardan.view.report.content import Block, Cell, Figure, Live, Paragraph, Report, Section, Table
from cardan.view.report.drawn import svg

LONG = 60  # modes in the table, at most
SWINGING = 3  # modes whose energies are shown


def collect_linear(linear: Any, *, title: str | None, date: str, live: bool) -> Report:
    """All sections of a report on a linearization."""
    modes = linear.modes()
    sections = [
        Section("Modes", tuple(_modes(linear, modes))),
        Section("Pictures", (Figure(svg(linear.page()), _caption(linear)), *(_moving(modes) if live else []))),
        Section("Energies", tuple(_energies(modes))),
        Section("Equations", tuple(_equations(linear))),
    ]
    kept = tuple(section for section in sections if section.blocks)
    about = f"linearization of a {linear.model.space.name} mechanism about {linear.about}"
    return Report(title or linear.model.name, about, None, kept, date)


def _modes(linear: Any, modes: Any) -> list[Block]:
    """What the linearization means, and the table of its modes."""
    head = f"Units are SI and radians. These are {MEANINGS[linear.about]}, at t = {linear.motions.time:g} s."
    if linear.about != "motion":
        head += f" Of the largest force {linear.residual:.1e} is out of balance there."
    words = {True: "All modes decay", False: "A mode grows: it is unstable", None: "A mode neither decays nor grows"}
    heads = ("mode", "real [1/s]", "imaginary [1/s]", "frequency [Hz]", "damping ratio", "half or double time [s]")
    rows = []
    for k, line in enumerate(modes.table()[:LONG]):
        swings = bool(modes.oscillating[k])
        cells: tuple[Cell, ...] = (line["hertz"], line["damping"]) if swings else ("", "")
        rows.append((k, line["real"], line["imaginary"], *cells, line["half"] if np.isfinite(line["half"]) else ""))
    left = len(modes) - LONG
    caption = f"the slowest of {len(modes)} modes" if left > 0 else f"all {len(modes)} modes, the slowest first"
    return [Paragraph(f"{head} {words[modes.stable]}."), Table(heads, tuple(rows), caption)]


def _caption(linear: Any) -> str:
    gains = ", gains" if linear.outputs and linear.input_names else ""
    return f"Eigenvalues{gains}, and the slowest modes that swing: magnitudes, phases and the mechanism in them"


def _moving(modes: Any) -> list[Block]:
    """The modes as a page that moves; where it cannot be made, why."""
    with TemporaryDirectory() as folder:
        try:
            view("page")(modes, Path(folder) / "modes.html")
        except ModelError as error:
            return [Paragraph(f"The moving view is left out: {error}")]
        return [Live((Path(folder) / "modes.html").read_text(encoding="utf-8"))]


def _energies(modes: Any) -> list[Block]:
    """Where the energy of the slowest modes is, element by element."""
    blocks: list[Block] = []
    for mode in np.flatnonzero(modes.oscillating)[:SWINGING].tolist():
        shares = modes.energies(mode)
        names = [*dict.fromkeys(name for part in shares.values() for name in part)]
        rows = [(name, *(_percent(part.get(name)) for part in shares.values())) for name in names]
        kept = tuple(row for row in rows if any(isinstance(share, float) and abs(share) >= 1.0 for share in row[1:]))
        heads = ("element", "kinetic [%]", "strain [%]", "dissipated [%]")
        blocks.append(Table(heads, kept, modes.title(mode)))
    return blocks


def _percent(share: float | None) -> Cell:
    return "" if share is None else round(100.0 * share, 1)


def _equations(linear: Any) -> list[Block]:
    """States, inputs and outputs of x' = A x + B u, y = C x + D u."""
    rows = [("states", len(linear.states), ", ".join(linear.states[:LONG]))]
    rows += [("inputs", len(linear.inputs), ", ".join(linear.inputs))] if linear.inputs else []
    rows += [("outputs", len(linear.outputs), ", ".join(linear.outputs))] if linear.outputs else []
    caption = "x' = A x + B u, y = C x + D u; the matrices are in the result, linear.A to linear.D"
    return [Table(("", "number", "names"), tuple(rows), caption)]
