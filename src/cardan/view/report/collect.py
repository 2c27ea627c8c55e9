"""collect(run): the content of a report, from the model, its mobility, the result and the self-check."""

from __future__ import annotations

import platform
import warnings
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from cardan import __version__
from cardan.analysis.mobility import mobility
from cardan.analysis.self_check import SelfCheck, self_check
from cardan.elements.driver import Driver
from cardan.errors import CardanError, ModelError
from cardan.numerics.jit import COMPILED
from cardan.results.digest import digest
from cardan.results.peak import peak
from cardan.results.registry import has, view
from cardan.results.simulation import Simulation
from cardan.system.evaluate import evaluate_position
from cardan.view.report import drawn
from cardan.view.report.content import Block, Live, Paragraph, Report, Section, Table, Verdict, Verdicts

POLAR = 4  # load diagrams, at most
LONG = 60  # rows of a table, at most


def collect(run: Any, *, show: Any, title: str | None, date: str, again: Any, live: bool) -> Report:
    """All sections; those for which there is nothing to say are left out."""
    found = self_check(run, again=again)
    sections = [
        Section("Mechanism", (drawn.mechanism(run), *(_live(run, show) if live else []))),
        Section("Model", tuple(_model(run.model))),
        Section("Mobility", tuple(_mobility(run))),
        Section("Analysis", tuple(_analysis(run))),
        Section("Motion", tuple(drawn.curves(run, show))),
        Section("Reactions", tuple(_reactions(run))),
        Section("Self-check", tuple(_checks(run, found))),
    ]
    kept = tuple(section for section in sections if section.blocks)
    return Report(title or run.model.name, _about(run), found.good, kept, date)


def _about(run: Any) -> str:
    model = run.model
    drivers = [element for element in model.constraints if element.drives]
    joints = [element for element in model.constraints if not element.drives]
    parts = ((model.bodies, "body"), (joints, "joint"), (drivers, "driver"), (model.forces, "force"))
    size = ", ".join(_count(found, word) for found, word in parts if found)
    return f"{run.analysis} of a {model.space.name} mechanism: {size}"


def _live(run: Any, show: Any) -> list[Block]:
    """The page that moves, where this installation has one; else why not."""
    if not has("page"):
        return []
    with TemporaryDirectory() as folder:
        try:
            view("page")(run, Path(folder) / "view.html", **({"show": show} if show else {}))
        except ModelError as error:
            return [Paragraph(f"The moving view is left out: {error}")]
        return [Live((Path(folder) / "view.html").read_text(encoding="utf-8"))]


def _model(model: Any) -> list[Block]:
    blocks: list[Block] = []
    rows: tuple[tuple[Any, ...], ...]
    gravity = ", ".join(f"{component:g}" for component in model.gravity)
    blocks.append(Paragraph(f"Units are SI and radians. Gravity is ({gravity}) m/s2."))
    blocks.append(_bodies(model))
    joints = [e for e in model.constraints if not e.drives]
    drivers = [e for e in model.constraints if e.drives]
    if joints:
        rows = tuple((e.name, type(e).__name__, _names(e), len(e.equations())) for e in joints[:LONG])
        blocks.append(Table(("joint", "kind", "between", "equations"), rows, _count(joints, "joint")))
    if drivers:
        rows = tuple((e.name, *_driven(e)) for e in drivers[:LONG])
        blocks.append(Table(("driver", "drives", "as"), rows, _count(drivers, "driver")))
    if model.forces:
        rows = tuple((e.name, type(e).__name__, _names(e)) for e in model.forces[:LONG])
        blocks.append(Table(("force", "kind", "on"), rows, _count(model.forces, "force")))
    return blocks


def _bodies(model: Any) -> Table:
    flat = model.space.dimensions == 2
    inertias = ("inertia [kg m2]",) if flat else ("Ixx [kg m2]", "Iyy [kg m2]", "Izz [kg m2]")
    heads = ("body", "mass [kg]", *inertias, "mass centre [m]", "stated position [m]")
    rows = []
    for body in model.bodies[:LONG]:
        mass, center, inertia = model.space.matter_in_space(body)
        sizes = (inertia[2, 2],) if flat else np.diag(inertia)
        rows.append(
            (body.name, mass, *(float(size) for size in sizes), _vector(body.matter.center), _vector(body.position))
        )
    return Table(heads, tuple(rows), "Inertia is about the mass centre")


def _count(found: Any, word: str) -> str:
    """One joint, two joints, two bodies."""
    if len(found) == 1:
        return f"1 {word}"
    return f"{len(found)} {word[:-1] + 'ies' if word.endswith('y') else word + 's'}"


def _packages() -> list[str]:
    """What the numbers come from: arrays, and the compiler of the kernels where they are compiled."""
    compiler = type(evaluate_position).__module__.partition(".")[0]
    return ["numpy", "scipy", *([compiler] if COMPILED else [])]


def _told(value: float | None, digits: str) -> str:
    return "" if value is None else f"{value:{digits}}"


def _vector(values: Any) -> str:
    return "(" + ", ".join(f"{value + 0.0:.5g}" for value in values) + ")"


def _names(element: Any) -> str:
    return ", ".join(body.name for body in element.bodies())


def _driven(driver: Any) -> tuple[str, str]:
    if isinstance(driver, Driver):
        return str(driver.measure), str(driver.motion)
    return type(driver).__name__, _names(driver)


def _mobility(run: Any) -> list[Block]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = mobility(run.model, time=float(run.times[0]))
        except CardanError as error:
            return [Paragraph(f"The mobility could not be judged: {error}")]
    words = str(found)
    if isinstance(run, Simulation):  # what moves under forces misses no drivers
        words = words.partition(" Missing drivers")[0]
    rows = (
        ("coordinates", found.coordinates),
        ("equations of joints", found.equations),
        ("rank", found.rank),
        ("freedoms", found.freedoms),
        ("driver equations", found.driver_equations),
        ("redundant equations", len(found.redundant)),
    )
    return [Paragraph(words), Table(("", ""), rows)]


def _analysis(run: Any) -> list[Block]:
    rows: list[tuple[str, Any]] = [
        ("analysis", run.analysis),
        ("from", f"{run.times[0]:.6g} s"),
        ("to", f"{run.times[-1]:.6g} s"),
        ("instants", len(run)),
    ]
    if isinstance(run, Simulation):
        account = run.account
        rows += [("method", account.method), ("relative tolerance", f"{account.rtol:g}"), ("steps", account.steps)]
        rows += [("rejected steps", account.rejected), ("evaluations", account.evaluations)]
    blocks: list[Block] = [Table(("", ""), tuple(rows))]
    if isinstance(run, Simulation):
        blocks += [Paragraph(note) for note in run.account.notes]
        if run.events:
            happened = tuple((f"{h.event.title}", float(h.time)) for h in run.events[:LONG])
            blocks.append(Table(("event", "time [s]"), happened, _count(run.events, "event")))
    if run.stopped:
        blocks.append(Paragraph(f"The analysis stopped early: {run.stopped}"))
    return blocks


def _reactions(run: Any) -> list[Block]:
    if run.loads is None:
        return []
    found = run.bearings()
    blocks: list[Block] = []
    rows: tuple[tuple[Any, ...], ...]
    heads: tuple[str, ...]
    if len(found):
        rows = tuple(
            (b.name, b.largest, b.time, b.mean, b.rms, b.largest_torque, "yes" if b.unique else "no")
            for b in [*found][:LONG]
        )
        heads = ("joint", "largest [N]", "at t [s]", "mean [N]", "rms [N]", "torque [N m]", "unique")
        blocks.append(Table(heads, rows, "What the joints carry: size of the force on the second body, largest torque"))
        blocks += drawn.reactions(run, found, POLAR)
    drivers = [e for e in run.system.elements if isinstance(e, Driver)]
    if drivers:
        peaks = [(e, peak(run, e), float(np.abs(run[e].power).max())) for e in drivers]
        rows = tuple((e.name, worst.value, worst.unit, worst.time, power) for e, worst, power in peaks)
        heads = ("driver", "largest effort", "in", "at t [s]", "largest power [W]")
        blocks.append(Table(heads, rows, "What the drivers supply"))
    if len(found):
        blocks += _worst(run, found)
    return blocks


def _worst(run: Any, found: Any) -> list[Block]:
    """The free body at the largest reaction of all."""
    heaviest = max(found, key=lambda bearing: bearing.largest)
    worst = peak(run, heaviest.joint)
    bodies = worst.free_bodies()
    if not bodies:
        return []
    cut = max(bodies, key=lambda body: float(np.ptp([acting.point for acting in body], axis=0).max()))
    words = f"The largest reaction is {worst.value:.5g} N in {worst.name} at t = {worst.time:.5g} s. "
    words += f"On {cut.body.name} act then, in world axes, with a sum of {np.linalg.norm(cut.force):.1e} N:"
    rows = tuple((name, *(float(f"{number:.4g}") for number in numbers)) for name, *numbers in cut.rows())
    return [Paragraph(words), Table(("", *cut.heads), rows), drawn.free_body(cut)]


def _checks(run: Any, found: SelfCheck) -> list[Block]:
    lines = tuple(
        Verdict(c.name, _told(c.value, ".1e"), _told(c.limit, ".0e"), c.verdict, c.words) for c in found.checks
    )
    rows: list[tuple[str, str]] = [("digest of the model", digest(run.model)), ("cardan", __version__)]
    rows += [(name, version(name)) for name in _packages()]
    rows.append(("Python", platform.python_version()))
    words = "Every line compares the result with something that was not used to compute it."
    return [Paragraph(words), Verdicts(lines, found.good), Table(("made with", ""), tuple(rows))]
