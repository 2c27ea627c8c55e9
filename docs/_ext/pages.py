"""Pages made from the source: one per element, one per vocabulary and analysis, one per example of the gallery.

Nothing is listed by hand, so nothing is forgotten:

    every element of either space      ->  elements/generated/<space>/<Name>.md       its docstring and members
    the other public modules           ->  elements/generated/<group>/<name>.md       autodoc of the module
    every module of cardan.examples    ->  gallery/generated/<name>.md, <name>.png    docstring, picture, number, source

A public name of either vocabulary that ends up on no page is a warning, and so an error of the build.
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from gallery import gallery_cards, gallery_pages, is_drawn, paragraphs
from sketches import draw_element
from sphinx.application import Sphinx
from sphinx.util import logging

log = logging.getLogger(__name__)

ALIAS = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")  # what autodoc makes of an alias within another type
LIST_ITEM = re.compile(r"(?:[-*]|\d+[.)]) +")
PROSE_MARKS = re.compile(r"(`[^`]*`)|([*|]|_\b|\b_)")  # what reStructuredText would take for markup, outside `code`
# The rest of the public face: for each page its title, its module, and the members shown unless all are.
MODULES = {
    "words": {
        "measures": ("Measures of the plane", "cardan.planar.measures", ""),
        "measures-of-space": ("Measures of space", "cardan.spatial.measures", ""),
        "combinations": ("Combinations of measures", "cardan.model.measure", ""),
        "joints": ("What all joints share", "cardan.elements.constraints.two_marker_joint", "Pair"),
        "motions": ("Motions", "cardan.model.curves.motion", ""),
        "outlines": ("Outlines of cams and slots", "cardan.model.curves.profile", ""),
        "outlines-in-space": ("Curves in space", "cardan.spatial.curve", ""),
        "rotation": ("Orientation", "cardan.spatial.rotation", ""),
        "forces": ("What all forces share", "cardan.model.force", "Force, Law"),
        "surfaces": ("Surfaces of the plane that may touch", "cardan.planar.surfaces", "Disk, Face, Rim"),
        "surfaces-of-space": ("Surfaces of space that may touch", "cardan.spatial.surfaces", "Ball, Face, Mesh"),
        "roads": ("Roads, and wheels on them", "cardan.model.curves.road", "Road, WheelTouch, wheel_on_road"),
        "pulleys": ("Pulleys of ropes", "cardan.elements.ropes.pulley", "Pulley"),
        "devices": ("Devices and signals", "cardan.model.device", ""),
        "matter": ("Matter of the plane", "cardan.model.matter.plane", ""),
        "matter-of-space": ("Matter of space", "cardan.spatial.matter", ""),
        "lift": ("A planar model in space", "cardan.spatial.lift", "lift"),
        "constraint": ("A constraint of your own", "cardan.elements.constraints.user_constraint", "constraint"),
        "velocity-constraint": (
            "A constraint on velocities of your own",
            "cardan.elements.constraints.user_velocity_constraint",
            "velocity_constraint",
        ),
        "tire-data": ("Data of tires", "cardan.elements.tires.tire_data", "TireData"),
        "rolling": ("What all that rolls shares", "cardan.elements.constraints.rolling", "Rolling"),
        "signals": ("Signals for controllers", "cardan.elements.control.signals", "rate, reaction, time"),
        "controller": ("A controller of your own", "cardan.elements.control.controller", "controller"),
    },
    "analyses": {
        "assemble": ("assemble", "cardan.analysis.assembly.assemble", "assemble"),
        "mobility": ("mobility", "cardan.analysis.assembly.mobility", "mobility, Mobility"),
        "kinematics": ("kinematics", "cardan.analysis.driven.kinematics", "kinematics"),
        "inverse-dynamics": ("inverse_dynamics", "cardan.analysis.driven.inverse_dynamics", "inverse_dynamics"),
        "simulate": ("simulate", "cardan.analysis.forward.simulate", "simulate"),
        "event": ("Event", "cardan.analysis.forward.event", "Event"),
        "change": ("Change", "cardan.analysis.forward.change", "Change"),
        "initial-conditions": (
            "initial_conditions",
            "cardan.analysis.assembly.initial_conditions",
            "initial_conditions",
        ),
        "equilibrium": ("equilibrium", "cardan.analysis.equilibria.equilibrium", "equilibrium"),
        "equilibrium-path": ("equilibrium_path", "cardan.analysis.equilibria.equilibrium_path", "equilibrium_path"),
        "steady-motion": ("steady_motion", "cardan.analysis.steady.steady_motion", "steady_motion"),
        "linearize": ("linearize", "cardan.analysis.linear.linearize", "linearize"),
        "linearization": ("A linearized mechanism", "cardan.results.linear", "Linearization"),
        "modes": ("Modes", "cardan.results.modes", "Modes"),
        "eigenmodes": ("eigenmodes", "cardan.analysis.linear.eigenmodes", "eigenmodes"),
        "root-locus": ("root_locus", "cardan.analysis.linear.root_locus", "root_locus"),
        "periodic-motion": ("periodic_motion", "cardan.analysis.steady.periodic_motion", "periodic_motion"),
        "joint-space": ("joint_space", "cardan.analysis.joint.joint_space", "joint_space, JointSpace"),
        "study": ("study", "cardan.study.study", "study"),
        "study-plans": (
            "Which designs a study takes",
            "cardan.study.sampling",
            "grid, random_samples, quasi_random, tolerances, designs, normal",
        ),
        "study-result": ("What a study found", "cardan.study.result", "Study, open_study"),
        "limit": ("limit", "cardan.study.search.limits", "limit, Limit"),
        "identify": ("identify", "cardan.study.search.identification", "identify, Identified"),
        "search": (
            "global_search and synthesize_path",
            "cardan.study.search.global_search",
            "global_search, synthesize_path, Found",
        ),
        "pareto-front": ("pareto_front", "cardan.study.search.pareto", "pareto_front, Front"),
        "load-model": ("load_model", "cardan.files.model_file", "load_model, ModelFile, StatedAnalysis"),
        "save-model": ("save_model", "cardan.files.writing.save", "save_model"),
        "check-model": ("Faults of model files", "cardan.files.reading.reader", "check"),
        "self-check": ("self_check", "cardan.analysis.checks.self_check", "self_check, SelfCheck, Check"),
        "wiggles": ("wiggles", "cardan.analysis.drag.wiggle", "wiggles, Wiggle"),
        "grab": ("Grab", "cardan.analysis.drag.grab", "Grab, Held"),
        "from-urdf": ("from_urdf", "cardan.io.urdf", "from_urdf"),
        "from-mjcf": ("from_mjcf", "cardan.io.mjcf.mjcf", "from_mjcf"),
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
        "vehicle": ("What a vehicle did", "cardan.results.vehicle", "VehicleMotion, TireMotion"),
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
    for space, pages in _element_pages(reference).items():
        _write(reference / space, pages)
    for group, modules in MODULES.items():
        _write(reference / group, {name: _module_page(*stated) for name, stated in modules.items()})
    gallery = docs / "gallery" / "generated"
    gallery.mkdir(parents=True, exist_ok=True)
    _write(gallery, gallery_pages(gallery))
    (gallery / "cards.txt").write_text(gallery_cards(), encoding="utf-8")


def plain_docstring(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are plain text: an indented paragraph is a sketch or an equation, a star is a star."""
    lines[:] = [line for paragraph in paragraphs(lines) for line in (*_restructured(paragraph), "")]


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


def _element_pages(folder: Path) -> dict[str, dict[str, str]]:
    """The pages of all elements, bodies and markers: those that serve both spaces, then those of each."""
    pages: dict[str, dict[str, str]] = {"both": {}, "planar": {}, "spatial": {}}
    for space, vocabulary in _vocabularies().items():
        for name in vocabulary.__all__:
            item = getattr(vocabulary, name)
            if not _is_element(item):
                continue
            home = "both" if item.__module__.startswith("cardan.elements.") else space
            if item.__name__ == name:
                pages[home][name] = _class_page(item, home, folder / home)
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


def _class_page(item: type, home: str, folder: Path) -> str:
    """An element: its sketch, then its docstring and its members."""
    room, name = item.__module__ if home == "both" else f"cardan.{home}", item.__name__
    folder.mkdir(parents=True, exist_ok=True)
    page = _page(name, f".. autoclass:: {room}.{name}", ":members:", ":show-inheritance:")
    if draw_element(item, home, folder / f"{name}.png"):
        page = page.replace(f"# {name}\n", f"# {name}\n\n![A sketch of {name}]({name}.png)\n", 1)
    else:
        log.warning(f"no sketch shows {name}: add a small mechanism to element_models.py or spatial_models.py")
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
    if is_drawn(lines):
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


def _write(directory: Path, pages: dict[str, str]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for stale in directory.glob("*.md"):
        if stale.stem not in pages:
            stale.unlink()
    for name, text in pages.items():
        page = directory / f"{name}.md"
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")
