"""Why won't it move? Each free motion as a clip, what is redundant with what it duplicates, open joints with their gap.

mobility(model).view()              assemble(model) failed: stop.partial.view()
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardan.analysis.assembly.assemble import quantity
from cardan.analysis.assembly.mobility import Mobility
from cardan.analysis.drag.wiggle import Wiggle, wiggles
from cardan.counts import counted
from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.errors import ModelError
from cardan.results.snapshot import Snapshot
from cardan.view.web.document import Page, as_motion
from cardan.view.web.shapes import PIVOTS, Scene, end_of

OPEN = 1e-7  # of the model's length, or rad: what is open by less counts as closed
Finding = dict[str, Any]


def why_page(report: Mobility, *, meshes: Mapping[Any, Any] | None = None, title: str = "") -> Page:
    """The page of a mobility: first the mechanism as it stands, then its free motions."""
    if report.position is None:
        raise ModelError("this mobility does not say where it was found; mobility(model) gives one that does")
    here = report.position
    degrees_of_freedom = counted(report.degrees_of_freedom, "degree of freedom")
    names = (
        f"{degrees_of_freedom}; drivers leave {report.undriven}"
        if report.driver_equations
        else f"{degrees_of_freedom}, no drivers"
    )
    free = wiggles(report)
    driven = wiggles(report, drivers=False) if not free and report.driver_equations else []
    motions = [as_motion(w.positions, "a free motion") for w in (*free, *driven)]
    first = motions[0] if motions else here.as_trajectory()
    page = Page(here, first, title=title or f"{report.model}: why won't it move?", subtitle=names, meshes=meshes)
    page.add(here.as_trajectory(), "as it stands")
    for wiggle, motion in zip((*free, *driven), motions, strict=True):
        page.add(motion, wiggle.coordinate)
        page.widen(motion)
    place = {element.name: k for k, element in enumerate(page.scene.elements)}
    page.findings = [
        *open_joints(page.scene, here),
        *(_free(w, k + 1, False) for k, w in enumerate(free)),
        *(_free(w, k + 1, True) for k, w in enumerate(driven)),
        *(_redundant(report, named, place) for named in (*report.redundant, *report.redundant_drivers)),
        *_others(report, place),
    ] or [_finding("other", "Nothing moves, and nothing is redundant", "The joints hold every body, each once.")]
    return page


def open_joints(scene: Scene, instant: Snapshot) -> list[Finding]:
    """Joints that do not close, widest first, with the gap from a to b."""
    system = instant.system
    errors = instant.as_trajectory().violations()[0]
    place = {id(element): k for k, element in enumerate(scene.elements)}
    number = {id(body): k for k, body in enumerate(scene.bodies)}
    found: list[tuple[float, Finding]] = []
    for element in system.elements:
        rows = system.rows_of(element)
        scaled = float(np.max(errors[rows] / system.rows.scale[rows], initial=0.0))
        if scaled <= OPEN or id(element) not in place:
            continue
        worst = int(rows[np.argmax(errors[rows] / system.rows.scale[rows])])
        unit = system.equations[worst].unit
        same = [r for r in rows if system.equations[r].unit == unit]
        gap = float(np.linalg.norm(errors[same]))
        title = f"'{element.name}' is open by {quantity(gap, unit)}"
        between = " and ".join(repr(body.name) for body in element.bodies())
        made = _finding("open", title, f"{type(element).__name__} between {between}", [place[id(element)]])
        if isinstance(element, TwoMarkerJoint) and type(element).__name__ in PIVOTS and unit == "m":
            ends = {end: end_of(number, getattr(element, end)) for end in ("a", "b")}
            made["gap"] = ends | {"text": quantity(gap, unit)}
        found.append((scaled, made))
    return [made for _, made in sorted(found, key=lambda entry: -entry[0])]


def _free(wiggle: Wiggle, clip: int, driven: bool) -> Finding:
    text = "moved by its driver; nothing is left free" if driven else "nothing holds this: a driver or a joint may"
    return _finding("free", f"{'driven' if driven else 'free'}: {wiggle.coordinate}", text, clip=clip)


def _redundant(report: Mobility, named: tuple[str, str], place: dict[str, int]) -> Finding:
    element, label = named
    others = [name for name in report.implied_by.get(named, ()) if name != element]
    said = ", ".join(repr(name) for name in others[:6])
    text = f"says again what {said} say{'s' if len(others) == 1 else ''} already" if others else "says nothing new"
    marked = [place[name] for name in (element, *others) if name in place]
    return _finding("redundant", f"'{element}' ({label}) is redundant", f"It {text}.", marked)


def _others(report: Mobility, place: dict[str, int]) -> list[Finding]:
    """Singular positions, idle equations, bodies that nothing holds."""
    found = [
        _finding("other", f"'{e}' ({label}) depends on others here", "A singular position: not so nearby.", [place[e]])
        for e, label in report.singular
        if e in place
    ]
    found += [
        _finding("other", f"'{e}' ({label}) holds nothing here", "Its gradient vanishes in this position.", [place[e]])
        for e, label in report.ineffective
        if e in place
    ]
    return found + [
        _finding("other", f"'{name}' is held by nothing", "No joint touches this body.")
        for name in report.unconstrained_bodies
    ]


def _finding(kind: str, title: str, text: str, elements: list[int] | None = None, clip: int | None = None) -> Finding:
    return {"kind": kind, "title": title, "text": text, "elements": elements or [], "clip": clip, "gap": None}
