"""The gallery: a page for each example, with its text, picture, number, moving view and source; cards lead to them.

The build computes every example. With CARDAN_DOCS_REUSE=1 it keeps the pages of an earlier build, to work on the text.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import os
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from sketches import draw_thumbnail
from sphinx.util import logging

from cardan.results.steady.equilibrium import Equilibria
from cardan.results.steady.load_path import LoadPath
from cardan.results.trajectory import Trajectory

log = logging.getLogger(__name__)

# Examples whose pages solve. Those of one kind, such as planar kinematics, share kernels, which are compiled once.
SOLVING = (
    # kinematics
    "air-compressor", "bead-on-helix", "bead-on-wire", "bevel-differential", "cam-roller", "cardan-shaft",
    "constant-velocity", "excavator", "four-bar", "gear-slider", "geneva", "jansen-leg", "lifted-four-bar", "oldham",
    "pantograph", "peaucellier", "planetary-gear", "quick-return", "rack-pinion", "scotch-yoke", "screw-jack",
    "slider-crank", "spatial-four-bar", "spatial-slider-crank", "trammel", "valve-lifter", "wiper",
    "wishbone-suspension",
    # inverse dynamics
    "helical-gears", "imported-arm", "landing-gear", "shaper-torque", "slider-crank-forces", "three-rrr",
    "toggle-press", "unbalanced-rotor", "v-engine", "worm-hoist",
    # simulations, with devices, contacts, rolling, tires and flexible bodies
    "belt-drive", "bricard", "chain-on-plane", "chaplygin-sleigh", "damped-scale", "door", "double-pendulum",
    "falling-four-bars", "flexible-slider-crank", "governor", "governor-response", "gyroscope", "motor-drive",
    "motorcycle", "newtons-cradle", "pendulum", "rolling-coin", "semitrailer", "shunting", "spinning-blade",
    "stick-slip", "swinging-crane", "vehicle",
)  # fmt: skip

CLOSED_FORM = re.compile(r"((?:^# .*\n)+)(?:_\w+.* = .*\n)*HEADLINE = ", re.MULTILINE)


def gallery_pages(folder: Path) -> dict[str, str]:
    from cardan.examples import load, names

    pages = {}
    for name in names():
        log.info(f"example {name}")
        old = folder / f"{name}.md"
        keep = os.environ.get("CARDAN_DOCS_REUSE") and old.exists()
        pages[name] = old.read_text(encoding="utf-8") if keep else _gallery_page(name, load(name), folder)
    return pages


def _gallery_page(name: str, example: ModuleType, folder: Path) -> str:
    """The docstring of an example, its picture, its number and its source."""
    from cardan.case import AT_REST, load_case
    from cardan.view.figures.equilibria import overview_of
    from cardan.view.figures.overview import overview

    case = load_case(name, {})
    run = case.compute(progress=False)
    draw = overview_of if case.analysis in AT_REST else overview
    draw(run, *example.SHOW).savefig(folder / f"{name}.png", dpi=110)
    draw_thumbnail(run, folder / f"{name}-small.png")
    moving = _moving(name, run, example.SHOW, folder)
    title, _, text = (inspect.getdoc(example) or name).partition("\n")
    prose = "\n\n".join(_markdown(paragraph) for paragraph in paragraphs(text.splitlines()))
    source = os.path.relpath(str(example.__file__), folder)
    return (
        f"# {title.partition(': ')[0].rstrip('.')}\n\n{_sentence(title)}\n\n{prose}\n\n"
        f"![{name}]({name}.png)\n\n{_headline(example, run)}\n\n{moving}{_variation(case, folder)}"
        f"## Source\n\n`cardan run {name} --out results` runs it.\n\n"
        f"```{{literalinclude}} {source}\n:language: python\n```\n"
    )


def _as_motion(found: Any) -> Any:
    """A motion; the first of several equilibria; the motion along a load path."""
    if isinstance(found, LoadPath):
        return found.as_motion()
    return found[0] if isinstance(found, Equilibria) else found


def _moving(name: str, run: Any, show: tuple[str, ...], folder: Path) -> str:
    """The mechanism in a separate page, which plays on request."""
    pages = folder.parents[1] / "_live" / "gallery" / "view"
    pages.mkdir(parents=True, exist_ok=True)
    shown = _as_motion(run)
    options = {"show": show} if isinstance(shown, Trajectory) else {}
    solve = name in SOLVING
    shown.save(pages / f"{name}.html", overwrite=True, **options, **({"solve": True} if solve else {}))
    how, what = (", solve=True", "Drag it, and change its numbers") if solve else ("", "See it move")
    return (
        f'## {what}\n\nWritten by `run.save("{name}.html"{how})` as one file: '
        f'<a href="../view/{name}.html">open it in a tab</a>.\n\n'
        f'<iframe class="moving page" src="../view/{name}.html#still" title="{name}" loading="lazy"></iframe>\n\n'
    )


def gallery_cards() -> str:
    """The cards of the gallery, grouped by purpose: picture, name and one sentence."""
    from cardan.examples import GROUPS, names, summary

    lines = []
    for group, (heading, what) in GROUPS.items():
        lines += [f"## {heading}", "", what, "", "::::{grid} 1 2 3 3", ":gutter: 2", ""]
        for name in names(group):
            title, _, text = summary(name).partition(": ")
            lines += [f":::{{grid-item-card}} {title}", f":img-top: generated/{name}-small.png"]
            lines += [f":link: generated/{name}", ":link-type: doc", "", f"{text[0].upper()}{text[1:]}.", ":::", ""]
        lines += ["::::", ""]
    return "\n".join(lines)


def _variation(case: Any, folder: Path) -> str:
    """The motions of several designs, overlaid."""
    from cardan.case import vary

    if not case.variation:
        return ""
    shown = case.show[0]
    found = vary(case, outputs=[shown], progress=False)
    found.plot(shown).figure.savefig(folder / f"{case.name}-variation.png", dpi=110)
    failed = "".join(f" Sample {k} fails: {reason}." for k, reason in found.failures.items())
    return (
        f"## Design variation\n\n`cardan sweep {case.name}` varies {', '.join(found.parameters)}.{failed}\n\n"
        f"![{case.name}, varied]({case.name}-variation.png)\n\n"
    )


def _headline(example: ModuleType, run: Any) -> str:
    """The number of an example next to its closed form: the comment in the source, then the expression."""
    line = example.HEADLINE
    source = Path(str(example.__file__)).read_text(encoding="utf-8")
    found = CLOSED_FORM.search(source)
    reason = [text.removeprefix("# ") for text in found[1].splitlines()] if found else []
    words = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.keyword))
    expected = [word.value for word in words if word.arg == "expected"]
    unit = f" {line.unit}" if line.unit else ""
    name = f"{line.name[0].upper()}{line.name[1:]}"
    formula = "\n".join([*reason, *(f"    = {ast.unparse(value)}" for value in expected)])
    return (
        f"**{name}**: {line.compute(run):.9g}{unit}. The closed form gives {line.expected:.9g}{unit}:\n\n"
        f"```text\n{formula}\n```"
    )


def _sentence(title: str) -> str:
    """The first line of a docstring without the name."""
    text = title.partition(": ")[2] or title
    return f"{text[0].upper()}{text[1:].rstrip('.')}."


def _markdown(lines: list[str]) -> str:
    text = "\n".join(lines)
    return f"```text\n{text}\n```" if is_drawn(lines) else text


def paragraphs(lines: list[str]) -> list[list[str]]:
    groups = itertools.groupby(lines, key=lambda line: bool(line.strip()))
    return [list(group) for filled, group in groups if filled]


def is_drawn(lines: list[str]) -> bool:
    """Whether a paragraph is a sketch or an equation."""
    return any(line.startswith(" ") for line in lines)
