"""Pages made from the source: one per element, one per vocabulary and analysis, one per example of the gallery.

Nothing is listed by hand, so nothing is forgotten:

    every element of either space      ->  elements/generated/<space>/<Name>.md       its docstring and members
    the other public modules           ->  elements/generated/<group>/<name>.md       autodoc of the module
    every module of cardan.examples    ->  gallery/generated/<name>.md, <name>.png    docstring, picture, number, source

A public name of either vocabulary that ends up on no page is a warning, and so an error of the build.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
import os
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

log = logging.getLogger(__name__)

ALIAS = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")  # what autodoc makes of an alias within another type
LIST_ITEM = re.compile(r"(?:[-*]|\d+[.)]) +")
PROSE_MARKS = re.compile(r"(`[^`]*`)|([*|]|_\b|\b_)")  # what reStructuredText would take for markup, outside `code`
CLOSED_FORM = re.compile(r"((?:^# .*\n)+)(?:_\w+.* = .*\n)*HEADLINE = ", re.MULTILINE)
# The rest of the public face: for each page its title, its module, and the members shown unless all are.
MODULES = {
    "words": {
        "measures": ("Measures of the plane", "cardan.planar.measures", ""),
        "measures-of-space": ("Measures of space", "cardan.spatial.measures", ""),
        "combinations": ("Combinations of measures", "cardan.model.measure", ""),
        "joints": ("What all joints share", "cardan.elements.pair", "Pair"),
        "motions": ("Motions", "cardan.model.motion", ""),
        "outlines": ("Outlines of cams and slots", "cardan.model.profile", ""),
        "outlines-in-space": ("Curves in space", "cardan.spatial.curve", ""),
        "rotation": ("Orientation", "cardan.spatial.rotation", ""),
        "forces": ("What all forces share", "cardan.model.force", "Force, Law"),
        "surfaces": ("Surfaces of the plane that may touch", "cardan.planar.touch", "Disc, Face, Rim"),
        "surfaces-of-space": ("Surfaces of space that may touch", "cardan.spatial.touch", "Ball, Face, Mesh"),
        "roads": ("Roads, and wheels on them", "cardan.model.road", "Road, WheelTouch, wheel_on_road"),
        "pulleys": ("Pulleys of ropes", "cardan.elements.pulley", "Pulley"),
        "devices": ("Devices and signals", "cardan.model.device", ""),
        "matter": ("Matter of the plane", "cardan.model.matter.plane", ""),
        "matter-of-space": ("Matter of space", "cardan.spatial.matter", ""),
        "lift": ("A planar model in space", "cardan.spatial.lift", "lift"),
        "constraint": ("A constraint of your own", "cardan.elements.user", "constraint"),
        "velocity-constraint": (
            "A constraint on velocities of your own",
            "cardan.elements.user_velocity",
            "velocity_constraint",
        ),
        "tyre-data": ("Data of tyres", "cardan.elements.tyre_data", "TyreData"),
        "rolling": ("What all that rolls shares", "cardan.elements.rolling", "Rolling"),
        "signals": ("Signals for controllers", "cardan.elements.control.signals", "rate, reaction, time"),
        "controller": ("A controller of your own", "cardan.elements.control.controller", "controller"),
    },
    "analyses": {
        "assemble": ("assemble", "cardan.analysis.assemble", "assemble"),
        "mobility": ("mobility", "cardan.analysis.mobility", "mobility, Mobility"),
        "kinematics": ("kinematics", "cardan.analysis.kinematics", "kinematics"),
        "inverse-dynamics": ("inverse_dynamics", "cardan.analysis.inverse_dynamics", "inverse_dynamics"),
        "simulate": ("simulate", "cardan.analysis.simulate", "simulate"),
        "event": ("Event", "cardan.analysis.event", "Event"),
        "change": ("Change", "cardan.analysis.change", "Change"),
        "initial-conditions": ("initial_conditions", "cardan.analysis.initial", "initial_conditions"),
        "equilibrium": ("equilibrium", "cardan.analysis.equilibrium", "equilibrium"),
        "equilibrium-path": ("equilibrium_path", "cardan.analysis.load_path", "equilibrium_path"),
        "steady-motion": ("steady_motion", "cardan.analysis.steady", "steady_motion"),
        "linearize": ("linearize", "cardan.analysis.linearize", "linearize"),
        "linearization": ("A linearized mechanism", "cardan.results.linear", "Linearization"),
        "modes": ("Modes", "cardan.results.modes", "Modes"),
        "eigenmodes": ("eigenmodes", "cardan.analysis.eigenmodes", "eigenmodes"),
        "root-locus": ("root_locus", "cardan.analysis.root_locus", "root_locus"),
        "periodic-motion": ("periodic_motion", "cardan.analysis.periodic", "periodic_motion"),
        "joint-space": ("joint_space", "cardan.analysis.joint_space", "joint_space, JointSpace"),
        "study": ("study", "cardan.study.study", "study"),
        "study-plans": (
            "Which designs a study takes",
            "cardan.study.sampling",
            "grid, random_samples, quasi_random, tolerances, designs, normal",
        ),
        "study-result": ("What a study found", "cardan.study.result", "Study, open_study"),
        "limit": ("limit", "cardan.study.limits", "limit, Limit"),
        "identify": ("identify", "cardan.study.identification", "identify, Identified"),
        "search": ("global_search and synthesize_path", "cardan.study.search", "global_search, synthesize_path, Found"),
        "pareto-front": ("pareto_front", "cardan.study.pareto", "pareto_front, Front"),
        "load-model": ("load_model", "cardan.files.model_file", "load_model, ModelFile, StatedAnalysis"),
        "save-model": ("save_model", "cardan.files.save", "save_model"),
        "check-model": ("Faults of model files", "cardan.files.reader", "check"),
        "self-check": ("self_check", "cardan.analysis.self_check", "self_check, SelfCheck, Check"),
        "wiggles": ("wiggles", "cardan.analysis.wiggle", "wiggles, Wiggle"),
        "grab": ("Grab", "cardan.analysis.grab", "Grab, Held"),
        "from-urdf": ("from_urdf", "cardan.io.urdf", "from_urdf"),
        "from-mjcf": ("from_mjcf", "cardan.io.mjcf", "from_mjcf"),
        "file-model": ("Models from files", "cardan.io.imported", ""),
        "errors": ("Errors and warnings", "cardan.errors", ""),
    },
    "results": {
        "trajectory": ("Trajectory", "cardan.results.trajectory", ""),
        "snapshot": ("Snapshot", "cardan.results.snapshot", ""),
        "series": ("What indexing returns", "cardan.results.series", ""),
        "reaction": ("Reaction", "cardan.results.reaction", "Reaction"),
        "loads": ("Loads", "cardan.results.loads", "Loads"),
        "simulation": ("Simulation", "cardan.results.simulation", ""),
        "energy": ("Energy", "cardan.results.energy", "Energy"),
        "dataset": ("Data sets", "cardan.results.dataset", "dataset"),
        "files": ("Results in files", "cardan.results.file", "save, load_result, open_result"),
        "recording": ("recording", "cardan.results.disk.recorder", "recording, Recorder, save_parts"),
        "stored": ("Results larger than memory", "cardan.results.disk.saving", "Stored"),
        "free-body": ("Free bodies", "cardan.results.free_body", "FreeBody, Acting"),
        "peak": ("Peak", "cardan.results.peak", "Peak"),
        "polygon": ("Polygons of velocity and acceleration", "cardan.results.polygon", "Polygon, Corner, Side"),
        "poles": ("Instant centres", "cardan.results.poles", "InstantCentres, Pole, Line"),
        "bearings": ("Bearings", "cardan.results.bearing", "Bearings, Bearing"),
        "page": ("Pages in the browser", "cardan.view.web.page", "page, view"),
        "live": ("Live pages", "cardan.view.web.live", "live, Live"),
        "report": ("report", "cardan.view.report", "report"),
        "vehicle": ("What a vehicle did", "cardan.results.vehicle", "VehicleMotion, TyreMotion"),
        "rest": ("Equilibria", "cardan.results.rest", "Rest, Equilibria"),
        "load-path": ("LoadPath", "cardan.results.load_path", "LoadPath"),
        "steady": ("SteadyMotion", "cardan.results.steady", "SteadyMotion"),
        "periodic": ("PeriodicMotion", "cardan.results.periodic", "PeriodicMotion"),
    },
}


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", write_pages)
    app.connect("autodoc-process-docstring", plain_docstring, priority=400)
    app.connect("autodoc-process-signature", plain_signature)
    app.connect("env-check-consistency", check_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_pages(app: Sphinx) -> None:
    """Write the generated pages; a page whose text has not changed keeps its date."""
    docs = Path(app.srcdir)
    reference = docs / "elements" / "generated"
    for space, pages in _element_pages().items():
        _write(reference / space, pages)
    for group, modules in MODULES.items():
        _write(reference / group, {name: _module_page(*stated) for name, stated in modules.items()})
    gallery = docs / "gallery" / "generated"
    gallery.mkdir(parents=True, exist_ok=True)
    _write(gallery, _gallery_pages(gallery))
    (gallery / "cards.txt").write_text(_cards(), encoding="utf-8")


def plain_docstring(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are plain text: an indented paragraph is a sketch or an equation, a star is a star."""
    lines[:] = [line for paragraph in _paragraphs(lines) for line in (*_restructured(paragraph), "")]


def plain_signature(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Types by the names that the source gives them."""
    return signature and ALIAS.sub(r"\1", signature), returned and ALIAS.sub(r"\1", returned)


def check_names(app: Sphinx, env: Any) -> None:
    """Warn of every public name that no page documents."""
    described = set(env.get_domain("py").objects) | set(env.get_domain("py").modules)
    for space, vocabulary in _vocabularies().items():
        for name in vocabulary.__all__:
            item = getattr(vocabulary, name)
            if not hasattr(item, "__name__"):  # a constant: the page of its module tells
                continue
            source = item.__name__ if inspect.ismodule(item) else f"{item.__module__}.{item.__name__}"
            paged = f"elements/generated/{space}/{name}" in env.found_docs
            if not paged and not {source, f"cardan.{space}.{name}"} & described:
                log.warning(f"no page documents cardan.{space}.{name}")


# --- the reference ---------------------------------------------------------------------------------------------------


def _element_pages() -> dict[str, dict[str, str]]:
    """The pages of all elements, bodies and markers: those that serve both spaces, then those of each."""
    pages: dict[str, dict[str, str]] = {"both": {}, "planar": {}, "spatial": {}}
    for space, vocabulary in _vocabularies().items():
        for name in vocabulary.__all__:
            item = getattr(vocabulary, name)
            if not _is_element(item):
                continue
            home = "both" if item.__module__.startswith("cardan.elements.") else space
            if item.__name__ == name:
                pages[home][name] = _class_page(item, home)
            else:
                there = f"{item.__name__}.md" if home == space else f"../both/{item.__name__}.md"
                pages[space][name] = f"# {name}\n\nAnother name for [{item.__name__}]({there}).\n"
    return pages


def _vocabularies() -> dict[str, ModuleType]:
    import cardan.planar
    import cardan.spatial

    return {"planar": cardan.planar, "spatial": cardan.spatial}


def _is_element(item: Any) -> bool:
    from cardan.model.element import Element
    from cardan.model.marker import Marker
    from cardan.model.model import Model

    return inspect.isclass(item) and issubclass(item, (Element, Model, Marker))


def _class_page(item: type, home: str) -> str:
    room = item.__module__ if home == "both" else f"cardan.{home}"
    page = _page(item.__name__, f".. autoclass:: {room}.{item.__name__}", ":members:", ":show-inheritance:")
    return page if home != "both" else f"{page}\nImported from `cardan.planar` or from `cardan.spatial`.\n"


def _module_page(title: str, name: str, members: str) -> str:
    options = [f":members: {members}".rstrip(), ":show-inheritance:"]
    if not members and Path(str(importlib.import_module(name).__file__)).stem == "__init__":
        options.append(":imported-members:")  # the public face of a package is what it imports
    return _page(title, f".. automodule:: {name}", *options)


def _page(title: str, directive: str, *options: str) -> str:
    lines = [directive, *(f"   {option}" for option in options)]
    return "\n".join([f"# {title}", "", "```{eval-rst}", *lines, "```", ""])


def _restructured(lines: list[str]) -> list[str]:
    """One paragraph of a docstring in reStructuredText."""
    if lines[0].startswith(">>>"):
        return lines
    if lines[0].startswith("|"):
        return _table(lines)
    if item := LIST_ITEM.match(lines[0]):
        return [_item_line(line, len(item[0])) for line in lines]
    if _is_drawn(lines):
        return ["::", "", *(f"    {line}" for line in lines)]
    return [PROSE_MARKS.sub(_escape, line) for line in lines]


def _table(lines: list[str]) -> list[str]:
    """A Markdown table: its head, a rule and its rows."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in (lines[0], *lines[2:])]
    cells = [f"{'* -' if k == 0 else '  -'} {cell}" for row in rows for k, cell in enumerate(row)]
    return [".. list-table::", "   :header-rows: 1", "", *(f"   {cell}" for cell in cells)]


def _item_line(line: str, margin: int) -> str:
    """A line of a list: a new item, its continuation, or an equation set deeper than the text of the item."""
    text = line.lstrip()
    if item := LIST_ITEM.match(line):
        return item[0] + PROSE_MARKS.sub(_escape, line[item.end() :])
    if len(line) - len(text) > margin:
        return " " * margin + f"``{text}``"
    return " " * margin + PROSE_MARKS.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return match[1] or "\\" + match[2]


# --- the gallery -----------------------------------------------------------------------------------------------------


def _gallery_pages(folder: Path) -> dict[str, str]:
    from cardan.examples import load, names

    pages = {}
    for name in names():
        log.info(f"example {name}")
        pages[name] = _gallery_page(name, load(name), folder)
    return pages


def _gallery_page(name: str, example: ModuleType, folder: Path) -> str:
    """What an example says of itself, its picture, its number and its source; computed here and now."""
    from cardan.case import AT_REST, load_case
    from cardan.view.overview import overview
    from cardan.view.rests import overview_of

    case = load_case(name, {})
    run = case.compute(progress=False)
    draw = overview_of if case.analysis in AT_REST else overview
    draw(run, *example.SHOW).savefig(folder / f"{name}.png", dpi=110)
    moving = "" if case.analysis in AT_REST else _moving(name, run, example.SHOW, folder)
    title, _, text = (inspect.getdoc(example) or name).partition("\n")
    prose = "\n\n".join(_markdown(paragraph) for paragraph in _paragraphs(text.splitlines()))
    source = os.path.relpath(str(example.__file__), folder)
    return (
        f"# {title.partition(': ')[0].rstrip('.')}\n\n{_sentence(title)}\n\n{prose}\n\n"
        f"![{name}]({name}.png)\n\n{_headline(example, run)}\n\n{moving}{_variation(case, folder)}"
        f"## Source\n\n`cardan run {name} --out results` runs it.\n\n"
        f"```{{literalinclude}} {source}\n:language: python\n```\n"
    )


def _moving(name: str, run: Any, show: tuple[str, ...], folder: Path) -> str:
    """The mechanism itself, in a page of its own that stands still until it is asked to play."""
    pages = folder.parents[1] / "_live" / "gallery" / "view"
    pages.mkdir(parents=True, exist_ok=True)
    run.save(pages / f"{name}.html", overwrite=True, show=show)
    frame = 'style="width: 100%; aspect-ratio: 16 / 10; border: 1px solid #ccc; border-radius: 4px"'
    return (
        f'## See it move\n\nOne file, made by `run.save("{name}.html")`: '
        f'<a href="../view/{name}.html">open it alone</a>.\n\n'
        f'<iframe src="../view/{name}.html#still" title="{name}" loading="lazy" {frame}></iframe>\n\n'
    )


def _cards() -> str:
    """A picture and a name for each example, the first thing that a visitor sees; a page includes them."""
    from cardan.examples import names, summary

    lines = ["::::{grid} 2 3 3 4", ":gutter: 2", ""]
    for name in names():
        title = summary(name).partition(": ")[0]
        lines += [f":::{{grid-item-card}} {title}", f":img-top: generated/{name}.png", f":link: generated/{name}"]
        lines += [":link-type: doc", ":::", ""]
    return "\n".join([*lines, "::::", ""])


def _variation(case: Any, folder: Path) -> str:
    """The motions of the designs that the book compares, overlaid."""
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
    """The number of an example beside its closed form: what the source says in words, then the expression itself."""
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
    """The part of a docstring's first line behind the name."""
    text = title.partition(": ")[2] or title
    return f"{text[0].upper()}{text[1:].rstrip('.')}."


def _markdown(lines: list[str]) -> str:
    text = "\n".join(lines)
    return f"```text\n{text}\n```" if _is_drawn(lines) else text


# --- both ------------------------------------------------------------------------------------------------------------


def _paragraphs(lines: list[str]) -> list[list[str]]:
    groups = itertools.groupby(lines, key=lambda line: bool(line.strip()))
    return [list(group) for filled, group in groups if filled]


def _is_drawn(lines: list[str]) -> bool:
    """Whether a paragraph is a sketch or an equation."""
    return any(line.startswith(" ") for line in lines)


def _write(directory: Path, pages: dict[str, str]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for stale in directory.glob("*.md"):
        if stale.stem not in pages:
            stale.unlink()
    for name, text in pages.items():
        page = directory / f"{name}.md"
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")
