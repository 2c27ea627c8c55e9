"""The sections of a report for each kind of result: analysis, motion and forces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from cardan.elements.constraints.driver import Driver
from cardan.postprocess.peak import peak
from cardan.results.linear.linearization import Linearization
from cardan.results.linear.modes import Modes
from cardan.results.simulation import Simulation
from cardan.results.snapshot import Snapshot
from cardan.results.steady.equilibrium import Equilibria, Equilibrium
from cardan.results.steady.load_path import LoadPath
from cardan.results.steady.periodic_motion import PeriodicMotion
from cardan.results.steady.steady_motion import SteadyMotion
from cardan.results.trajectory import Trajectory
from cardan.shortcuts import Diagram, Drawable
from cardan.view.report import drawn
from cardan.view.report.content import LONG, Block, Cell, Paragraph, ReportTable, count
from cardan.view.report.flexible import flexible_bodies

POLAR = 4  # load diagrams, at most
SHOWN_AS_ZERO = 1e-9  # of what stands beside a number: what is less is shown as zero


@dataclass(frozen=True)
class Chapter:
    """What is said of one result, and the instant that shows its mechanism, or the motion."""

    kind: str
    analysis: Sequence[Block]
    shown: Any  # a motion or a snapshot; None where the result has neither
    motion: Sequence[Block] = ()
    reactions: Sequence[Block] = ()
    flexible: Sequence[Block] = ()
    moving: Any = None  # whose page moves, where this is not what is shown


@singledispatch
def chapter(result: Any, show: Any) -> Chapter:
    """The chapter of a result; of those that are numbers alone what they say of themselves, and their picture."""
    found = result.draw() if isinstance(result, Drawable | Diagram) else None
    picture = [drawn.figure(found, type(result).__name__)] if found is not None else []
    return Chapter(type(result).__name__, [Paragraph(str(result)), *picture], None)


@chapter.register
def _(run: Trajectory, show: Any) -> Chapter:
    return Chapter(run.analysis, _analysis(run), run, drawn.curves(run, show), _reactions(run), flexible_bodies(run))


@chapter.register
def _(motion: PeriodicMotion, show: Any) -> Chapter:
    found = chapter(motion.run, show)
    rows = (
        ("period", f"{motion.period:.9g} s"),
        ("largest multiplier", f"{np.abs(motion.multipliers).max(initial=0.0):.6g}"),
        ("misses its start by", f"{motion.residual:.1e}"),
    )
    blocks = [Paragraph(str(motion)), ReportTable(("", ""), rows), *found.analysis]
    return Chapter("periodic motion", blocks, motion.run, found.motion, found.reactions, found.flexible)


@chapter.register
def _(rest: Equilibrium, show: Any) -> Chapter:
    run = _instant(rest)
    picture = [drawn.rests(rest, ())]
    return Chapter("equilibrium", _rests([rest]), rest, picture, _reactions(run), flexible_bodies(run))


@chapter.register
def _(found: Equilibria, show: Any) -> Chapter:
    rests = list(found)
    reactions = _reactions(_instant(rests[0])) if rests else []
    first, bent = (rests[0], flexible_bodies(_instant(rests[0]))) if rests else (None, [])
    return Chapter("equilibrium", _rests(rests), first, [drawn.rests(found, ())], reactions, bent)


@chapter.register
def _(path: LoadPath, show: Any) -> Chapter:
    stops = [(path.factors[0], path.rests[0]), *zip(path.fold_factors, path.folds, strict=True)]
    stops.append((path.factors[-1], path.rests[-1]))
    rows = tuple((float(factor), rest.verdict) for factor, rest in stops)
    table = ReportTable(("factor of the load", "stability"), rows, "Where it begins, folds and ends")
    blocks: list[Block] = [Paragraph(str(path)), table]
    picture = [drawn.rests(path, show)]
    return Chapter("equilibrium path", blocks, path.rests[-1], picture, _reactions(_instant(path.rests[-1])))


@chapter.register
def _(motion: SteadyMotion, show: Any) -> Chapter:
    words = str(motion).splitlines()[1].strip()
    return Chapter("steady motion", [Paragraph(f"{words}.")], motion, (), _reactions(_instant(motion)))


@chapter.register
def _(linear: Linearization, show: Any) -> Chapter:
    rows = (
        ("about", linear.about),
        ("states", ", ".join(linear.states[:LONG])),
        ("inputs", ", ".join(linear.inputs) or "none"),
        ("outputs", ", ".join(linear.outputs) or "none"),
        ("out of balance", f"{linear.residual:.1e} of the largest force"),
    )
    modes = linear.modes()
    blocks: list[Block] = [ReportTable(("", ""), rows), *_modes(modes), *_energies(modes)]
    pictures = [drawn.figure(linear.page(), "Eigenvalues, gains from inputs to outputs, the slowest modes that swing")]
    return Chapter("linearization", blocks, _place(linear.motions), pictures, moving=modes)


@chapter.register
def _(modes: Modes, show: Any) -> Chapter:
    blocks: list[Block] = [*_modes(modes), *_energies(modes)]
    return Chapter("modes", blocks, _place(modes.motions), _swinging(modes), moving=modes)


def _slowest(modes: Modes) -> list[int]:
    """Of the modes that swing."""
    return [int(k) for k in np.flatnonzero(modes.oscillating)[:3]]


def _swinging(modes: Modes) -> list[Block]:
    return [drawn.mode(modes, k) for k in _slowest(modes)]


def _energies(modes: Modes) -> list[Block]:
    """Where the energy of the slowest modes is, element by element: all that have a hundredth of it."""
    blocks: list[Block] = []
    for mode in _slowest(modes):
        shares = modes.energies(mode)
        names = dict.fromkeys(name for part in shares.values() for name in part)
        percents = {name: [100.0 * part.get(name, 0.0) for part in shares.values()] for name in names}
        kept: tuple[tuple[Cell, ...], ...] = tuple(
            (name, *(round(share, 1) for share in row)) for name, row in percents.items() if max(map(abs, row)) >= 1.0
        )
        blocks.append(ReportTable(("element", "kinetic [%]", "strain [%]", "dissipated [%]"), kept, modes.title(mode)))
    return blocks


def _place(motions: Any) -> Snapshot:
    """The mechanism where it was linearized."""
    return Snapshot(motions.system, motions.time, motions.q, turns=motions.turns)


def _instant(found: Any) -> Any:
    run = found.as_trajectory()
    run.analysis = "equilibrium"
    return run


def _rests(rests: Sequence[Equilibrium]) -> list[Block]:
    """What is known of each equilibrium."""
    heads = ("", "stability", "energy [J]", "least stiffness [N/m]", "forces left over", "found by")
    rows = tuple(
        (
            str(k),
            rest.verdict,
            "none" if rest.energy is None else float(rest.energy),
            float(rest.stiffnesses[0]) if len(rest.stiffnesses) else "none",
            f"{rest.imbalance:.1e}",
            rest.method,
        )
        for k, rest in enumerate(rests[:LONG])
    )
    return [
        ReportTable(heads, rows, "Stiffness along the softest free motion, rotations measured at the model's length")
    ]


def _plain(value: float, *beside: float) -> float:
    """A number, or zero where it is rounding beside others."""
    return 0.0 if abs(value) < SHOWN_AS_ZERO * max(abs(other) for other in beside) else value


def _modes(modes: Modes) -> list[Block]:
    """The modes in numbers."""
    words = {True: "All modes decay.", False: "At least one mode grows.", None: "Some modes neither decay nor grow."}
    heads = ("mode", "real part [1/s]", "imaginary part [rad/s]", "damped [Hz]", "undamped [Hz]", "damping ratio")
    rows = tuple(
        (k, *(_plain(line[part], line["real"], line["imaginary"]) for part in ("real", "imaginary")), line["hertz"],
         line["undamped_hertz"], _plain(line["damping"], 1.0))
        for k, line in enumerate(modes.table()[:LONG])
    )  # fmt: skip
    return [Paragraph(words[modes.stable]), ReportTable(heads, rows, count(rows, "mode"))]


def _analysis(run: Trajectory) -> list[Block]:
    rows: list[tuple[str, Any]] = [
        ("analysis", run.analysis),
        ("from", f"{run.times[0]:.6g} s"),
        ("to", f"{run.times[-1]:.6g} s"),
        ("output times", len(run)),
    ]
    if isinstance(run, Simulation):
        stats = run.stats
        rows += [("method", stats.method), ("relative tolerance", f"{stats.rtol:g}"), ("steps", stats.steps)]
        rows += [("rejected steps", stats.rejected), ("evaluations", stats.evaluations)]
    blocks: list[Block] = [ReportTable(("", ""), tuple(rows))]
    if isinstance(run, Simulation):
        blocks += [Paragraph(note) for note in run.stats.notes]
        if run.events:
            happened = tuple((f"{h.event.title}", float(h.time)) for h in run.events[:LONG])
            blocks.append(ReportTable(("event", "time [s]"), happened, count(run.events, "event")))
    if run.stopped:
        blocks.append(Paragraph(f"The analysis stopped early: {run.stopped}"))
    return blocks


def _reactions(run: Trajectory) -> list[Block]:
    if run.loads is None:
        return []
    found = run.bearings()
    blocks: list[Block] = []
    rows: tuple[tuple[Any, ...], ...]
    heads: tuple[str, ...]
    if len(found):
        words, factors = found.heads()
        rows = tuple(
            (
                b.name,
                *(f * x for f, x in zip(factors[:-1], b.numbers, strict=False)),
                factors[-1] * _plain(b.largest_torque, b.largest * run.system.length),
                "yes" if b.unique else "no",
            )
            for b in [*found][:LONG]
        )
        heads = ("joint", *words, "unique")
        blocks.append(
            ReportTable(heads, rows, "What the joints carry: size of the force on the second body, largest torque")
        )
        blocks += drawn.reactions(run, found, POLAR)
    drivers = [e for e in run.system.elements if isinstance(e, Driver)]
    if drivers:
        peaks = [(e, peak(run, e), float(np.abs(run[e].power).max())) for e in drivers]
        shown = [(*run.model.display.shown(worst.unit), *each) for each in peaks for worst in each[1:2]]
        rows = tuple((e.name, f * worst.value, unit, worst.time, power) for f, unit, e, worst, power in shown)
        heads = ("driver", "largest effort", "in", "at t [s]", "largest power [W]")
        blocks.append(ReportTable(heads, rows, "What the drivers supply"))
    if len(found):
        blocks += _worst(run, found)
    return blocks


def _worst(run: Trajectory, found: Any) -> list[Block]:
    """The free body at the largest reaction of all."""
    heaviest = max(found, key=lambda bearing: bearing.largest)
    worst = peak(run, heaviest.joint)
    bodies = worst.free_bodies()
    if not bodies:
        return []
    cut = max(bodies, key=lambda body: float(np.ptp([acting.point for acting in body], axis=0).max()))
    factor, unit = run.model.display.shown("N")
    words = f"The largest reaction is {factor * worst.value:.5g} {unit} in {worst.name} at t = {worst.time:.5g} s. "
    left = factor * np.linalg.norm(cut.force)
    words += f"On {cut.body.name} act then, in global axes, with a sum of {left:.1e} {unit}:"
    rows = tuple((name, *(float(f"{number:.4g}") for number in numbers)) for name, *numbers in cut.rows())
    return [Paragraph(words), ReportTable(("", *cut.heads), rows), drawn.free_body(cut)]
