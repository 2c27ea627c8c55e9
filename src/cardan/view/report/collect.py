"""collect(results): the content of a report, from the model, its mobility, the results and the self-check."""

from __future__ import annotations

import platform
import warnings
from collections.abc import Mapping
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.analysis.assembly.mobility import mobility
from cardan.analysis.checks.self_check import SelfCheck, self_check
from cardan.elements.constraints.driver import Driver
from cardan.errors import CardanError, CardanWarning, ModelError
from cardan.numerics.compiled.jit import COMPILED
from cardan.results.linear.linearization import Linearization
from cardan.results.linear.modes import Modes
from cardan.results.simulation import Simulation
from cardan.results.steady.equilibrium import Balanced, Equilibria
from cardan.results.steady.load_path import LoadPath
from cardan.results.steady.periodic_motion import PeriodicMotion
from cardan.results.trajectory import Trajectory
from cardan.system.evaluate import evaluate_position
from cardan.version import __version__
from cardan.view.report import drawn
from cardan.view.report.chapters import Chapter, chapter
from cardan.view.report.content import (
    LONG,
    Block,
    Live,
    Paragraph,
    Report,
    ReportTable,
    ReportVerdict,
    Section,
    Verdicts,
    count,
)
from cardan.view.report.digest import digest
from cardan.view.web import page as web_page

if TYPE_CHECKING:
    from cardan.model.element import Element
    from cardan.model.force import Force
    from cardan.model.model import Model

# results of a mechanism, with self-checks
REPORTED = (Trajectory, Balanced, Equilibria, LoadPath, Linearization, Modes, PeriodicMotion)


def collect(
    results: Mapping[str, Any],
    *,
    show: Any,
    title: str | None,
    date: str,
    again: Any,
    live: bool,
    note: str = "",
    meshes: Any = None,
) -> Report:
    """All sections; those for which there is nothing to say are left out.

    A single result has sections for its analysis, motion and forces; several results have one section each.
    """
    chapters = {name: chapter(result, show) for name, result in results.items()}
    checked = {
        name: self_check(result, again=again) for name, result in results.items() if isinstance(result, REPORTED)
    }
    shown = [part for part in chapters.values() if part.shown is not None]
    best = next((part for part in shown if isinstance(part.shown, Trajectory)), shown[0])  # what moves shows most
    first = best.shown
    model = first.model
    moving = _live(best.moving or first, show, meshes) if live else []
    sections = [
        Section("Mechanism", (drawn.mechanism(first), *_said(note), *moving)),
        Section("Model", tuple(_model(model))),
        Section("Mobility", tuple(_mobility(model, first))),
        *_results(chapters),
        Section("Self-check", tuple(_checks(model, checked))),
    ]
    kept = tuple(section for section in sections if section.blocks)
    kinds = ", ".join(dict.fromkeys(part.kind for part in chapters.values()))
    good = all(found.good for found in checked.values())
    return Report(title or model.name, _about(model, kinds), good, kept, date)


def _results(chapters: Mapping[str, Chapter]) -> list[Section]:
    if len(chapters) == 1:
        (part,) = chapters.values()
        titles = [("Analysis", part.analysis), ("Motion", part.motion), ("Reactions", part.reactions)]
        titles += [("Flexible bodies", part.flexible)]
        return [Section(title, tuple(blocks)) for title, blocks in titles]
    return [
        Section(
            name if name == part.kind else f"{name}: {part.kind}",
            (*part.analysis, *part.motion, *part.reactions, *part.flexible),
        )
        for name, part in chapters.items()
    ]


def _said(note: str) -> list[Block]:
    return [Paragraph(note)] if note else []


def _about(model: Model, kinds: str) -> str:
    drivers = [element for element in model.constraints if element.drives]
    joints = [element for element in model.constraints if element.listed and not element.drives]
    parts = ((model.bodies, "body"), (joints, "joint"), (drivers, "driver"), (model.forces, "force"))
    size = ", ".join(count(found, word) for found, word in parts if found)
    return f"{kinds} of a {model.space.name} mechanism: {size}"


def _live(shown: Any, show: Any, meshes: Any) -> list[Block]:
    """The page that moves, where this installation has one, else why not; meshes that could not be read are named."""
    options = {"show": show} if show and isinstance(shown, Trajectory) else {}
    options |= {"meshes": meshes} if meshes else {}
    with TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CardanWarning)
        try:
            web_page.page(shown, Path(folder) / "view.html", **options)
        except ModelError as error:
            return [Paragraph(f"The moving view is left out: {error}")]
        page = Live((Path(folder) / "view.html").read_text(encoding="utf-8"))
    return [page, *(Paragraph(str(one.message)) for one in caught if issubclass(one.category, CardanWarning))]


def _model(model: Model) -> list[Block]:
    blocks: list[Block] = []
    rows: tuple[tuple[Any, ...], ...]
    factor, unit = model.display.shown("m/s2")
    gravity = ", ".join(f"{factor * component:g}" for component in model.gravity)
    chosen = ", ".join(model.display.changed.values())
    units = f"Results are in {chosen}; other units are SI" if chosen else "Units are SI and radians"
    blocks.append(Paragraph(f"{units}. Gravity is ({gravity}) {unit}."))
    blocks.append(_bodies(model))
    joints = [e for e in model.constraints if e.listed and not e.drives]
    drivers = [e for e in model.constraints if e.drives]
    if joints:
        rows = tuple((e.name, type(e).__name__, _names(e), len(e.equations())) for e in joints[:LONG])
        blocks.append(ReportTable(("joint", "kind", "between", "equations"), rows, count(joints, "joint")))
    if drivers:
        rows = tuple((e.name, *_driven(e)) for e in drivers[:LONG])
        blocks.append(ReportTable(("driver", "drives", "as"), rows, count(drivers, "driver")))
    if model.forces:
        rows = tuple((e.name, type(e).__name__, _names(e), _numbers(e)) for e in model.forces[:LONG])
        blocks.append(ReportTable(("force", "kind", "on", "numbers in SI"), rows, count(model.forces, "force")))
    return blocks


def _bodies(model: Model) -> ReportTable:
    flat = model.space.dimensions == 2
    inertias = ("inertia [kg m2]",) if flat else ("Ixx [kg m2]", "Iyy [kg m2]", "Izz [kg m2]")
    factor, unit = model.display.shown("m")
    heads = ("body", "mass [kg]", *inertias, f"mass center [{unit}]", f"stated position [{unit}]")
    rows = []
    for body in model.bodies[:LONG]:
        mass, center, inertia = model.space.matter_in_space(body)
        sizes = (inertia[2, 2],) if flat else np.diag(inertia)
        places = (_vector(factor * np.array(place, float)) for place in (body.matter.center, body.position))
        rows.append((body.name, mass, *(float(size) for size in sizes), *places))
    return ReportTable(heads, tuple(rows), "Inertia is about the mass center")


def _packages() -> list[str]:
    """What the numbers come from: arrays, and the compiler of the kernels where they are compiled."""
    compiler = type(evaluate_position).__module__.partition(".")[0]
    return ["numpy", "scipy", *([compiler] if COMPILED else [])]


def _number_text(value: float | None, digits: str) -> str:
    return "" if value is None else f"{value:{digits}}"


def _vector(values: Any) -> str:
    return "(" + ", ".join(f"{value + 0.0:.5g}" for value in values) + ")"


def _names(element: Element) -> str:
    return ", ".join(body.name for body in element.bodies())


def _numbers(force: Force) -> str:
    """The numbers that a force states, such as its stiffness, without those that are zero."""
    stated = [(field.name, getattr(force, field.name)) for field in fields(force) if field.init]
    return ", ".join(f"{name} {value:.6g}" for name, value in stated if type(value) in (int, float) and value)


def _driven(driver: Any) -> tuple[str, str]:
    if isinstance(driver, Driver):
        return str(driver.measure), str(driver.motion)
    return type(driver).__name__, _names(driver)


def _mobility(model: Model, shown: Any) -> list[Block]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = mobility(model, time=float(shown.times[0] if isinstance(shown, Trajectory) else shown.time))
        except CardanError as error:
            return [Paragraph(f"The mobility could not be computed: {error}")]
    words = str(found)
    if not isinstance(shown, Trajectory) or isinstance(shown, Simulation):  # forward dynamics needs no drivers
        words = words.partition(" Missing drivers")[0]
    rows = (
        ("coordinates", found.coordinates),
        ("equations of joints", found.equations),
        ("rank", found.rank),
        ("degrees of freedom", found.degrees_of_freedom),
        ("driver equations", found.driver_equations),
        ("redundant equations", len(found.redundant)),
    )
    return [Paragraph(words), ReportTable(("", ""), rows)]


def _checks(model: Model, checked: Mapping[str, SelfCheck]) -> list[Block]:
    rows: list[tuple[str, str]] = [("digest of the model", digest(model)), ("cardan", __version__)]
    rows += [(name, version(name)) for name in _packages()]
    rows.append(("Python", platform.python_version()))
    blocks: list[Block] = [Paragraph("Every line compares a result with something that was not used to compute it.")]
    for name, found in checked.items():
        lines = tuple(
            ReportVerdict(c.name, _number_text(c.value, ".1e"), _number_text(c.limit, ".0e"), c.verdict, c.words)
            for c in found.checks
        )
        blocks += [Paragraph(f"{name}:")] if len(checked) > 1 else []
        blocks.append(Verdicts(lines, found.good))
    return [*blocks, ReportTable(("made with", ""), tuple(rows))]
