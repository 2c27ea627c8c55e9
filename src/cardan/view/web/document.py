"""The document of a page: a scene, one or more clips, findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.results.linear.linearization import Linearization
from cardan.results.linear.modes import Modes
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory
from cardan.view import style
from cardan.view.curves import listed
from cardan.view.sketch import bounds, room, with_margin
from cardan.view.web.clip import FRAMES, describe_clip, first_shown, require_frames
from cardan.view.web.encode import Blob, packed
from cardan.view.web.shapes import Scene, describe, make_scene

VERSION = 1
MODE_FRAMES = 40  # of a period of a mode
MODE_SECONDS = 2.0  # that it takes in a page
MOST_MODES = 24
UNITS = ("m", "rad", "m/s", "m/s2", "N", "N m")  # of SI that a page shows in those of the model
FLOOR = 0.3  # from the lowest point to the floor, in terms of the size of symbols


class Page:
    """A document under construction: `scene`, and `add(run, ...)` for each clip; `packed()` is what a page carries."""

    def __init__(
        self,
        snapshot: Snapshot,
        run: Trajectory,
        *,
        title: str = "",
        subtitle: str = "",
        meshes: Mapping[Any, Any] | None = None,
    ) -> None:
        self.blob = Blob()
        self.scene: Scene = make_scene(snapshot, run, meshes)
        self.title, self.subtitle = title or snapshot.model.name, subtitle
        low, high, unit = bounds(snapshot, run)
        self.low, self.high = with_margin(low, high, unit)
        self.floor = float(low[-1]) - FLOOR * unit  # of a spatial page: below everything drawn
        low, high = room(snapshot, snapshot.as_trajectory())
        self.size = float((high - low).max())  # of the mechanism, without the way that it goes
        self.clips: list[dict[str, Any]] = []
        self.findings: list[dict[str, Any]] = []
        self.show: list[str] = []
        self.ghost: int | None = None
        self.ghost_scene: Scene | None = None  # its links may have other lengths

    def add(self, run: Trajectory, name: str, **options: Any) -> int:
        """Add a clip and return its number."""
        self.clips.append(describe_clip(run, self.scene, self.blob, name, **options))
        return len(self.clips) - 1

    def widen(self, run: Trajectory) -> None:
        """Room for another motion."""
        low, high = room(run.at(float(run.times[0])), run)
        self.low, self.high = np.minimum(self.low, low), np.maximum(self.high, high)

    def packed(self) -> bytes:
        space, display = self.scene.snapshot.system.space, self.scene.snapshot.model.display
        return packed(
            {
                "version": VERSION,
                "title": self.title,
                "subtitle": self.subtitle,
                "dimensions": space.dimensions,
                "low": [float(x) for x in self.low],
                "high": [float(x) for x in self.high],
                "size": self.size,
                "floor": self.floor,
                "palette": PALETTE,
                **describe(self.scene, self.blob),
                "clips": self.clips,
                "ghost": self.ghost,
                "ghostScene": None if self.ghost_scene is None else describe(self.ghost_scene, self.blob),
                "findings": self.findings,
                "notes": self.scene.notes,
                "show": self.show,
                "units": {unit: display.shown(unit) for unit in UNITS},
            },
            self.blob,
        )


PALETTE = {
    "ink": style.INK,
    "ground": style.GROUND,
    "faint": style.FAINT,
    "paper": style.PAPER,
    "accent": style.ACCENT,
    "curves": style.CURVES,
    "stress": style.STRESS,
}


def page_of(
    result: Any,
    *,
    show: Sequence[str] = (),
    ghost: Any = None,
    frames: int = FRAMES,
    meshes: Mapping[Any, Any] | None = None,
    title: str = "",
) -> Page:
    """The page of a result, an instant, or modes. `show` names the curves drawn at first, as `plot` does; `ghost` is a
    second result, shown translucent; `meshes` are surfaces by body or name: paths of files, or `trimesh` meshes."""
    require_frames(frames)
    check.text(title, "the title of a page")
    if meshes is not None:
        check.instance(meshes, Mapping, "the meshes of a page", hint="{'crank': 'crank.stl'}")
    show = listed(show)
    if isinstance(result, Modes | Linearization):
        return _modes_page(result if isinstance(result, Modes) else result.modes(), meshes, title)
    run = result.as_trajectory() if isinstance(result, Snapshot) else result
    if not isinstance(run, Trajectory):
        raise ModelError(f"a page shows a result, an instant, modes or a mobility, not {type(result).__name__}")
    if len(run) == 0:
        raise ModelError(f"the result of '{run.model.name}' has no instant that a page could show")
    show = show or _known(run)
    page = Page(run.at(float(run.times[0])), run, title=title, subtitle=_subtitle(run), meshes=meshes)
    page.add(run, run.analysis, most=frames, wanted=show)
    page.show = _shown(page.clips[0], run, show)
    if ghost is not None:
        _add_ghost(page, run, ghost, frames)
    if isinstance(result, Snapshot):
        from cardan.view.web.why import open_joints

        page.findings = open_joints(page.scene, result)
    return page


def _known(run: Trajectory) -> list[str]:
    """The columns that the model file shows, if this result has them."""
    return [name for name in run.show if name in run.columns]


def _shown(clip: Mapping[str, Any], run: Trajectory, show: Sequence[str]) -> list[str]:
    """The curves shown initially: those requested come first."""
    offered = [curve["name"] for curve in clip["curves"]]
    if not show:
        return first_shown(run, offered, [curve["name"] for curve in clip["curves"] if curve["still"]])
    return offered[: clip["wanted"]]


def _add_ghost(page: Page, run: Trajectory, ghost: Any, frames: int) -> None:
    other = ghost.as_trajectory() if isinstance(ghost, Snapshot) else ghost
    if not isinstance(other, Trajectory):
        raise ModelError(f"a ghost is another result of the same bodies, not {type(ghost).__name__}")
    names, others = ([body.name for body in each.system.bodies] for each in (run, other))
    if names != others:
        raise ModelError(
            f"a ghost must have the bodies of '{run.model.name}', {', '.join(names)}; this one has {', '.join(others)}"
        )
    scene = page.scene
    page.scene = page.ghost_scene = make_scene(other.at(float(other.times[0])), other)
    known = {*other.columns, *(element.name for element in other.model)}
    wanted = [name for name in page.show if name in known]
    page.ghost = page.add(other, "ghost", most=frames, wanted=wanted, bare=True)
    page.scene = scene
    page.widen(other)


def _subtitle(run: Trajectory) -> str:
    if len(run) == 1:
        return f"{run.analysis} at t = {run.times[0]:g} s"
    return f"{run.analysis}, {run.times[0]:g} s to {run.times[-1]:g} s, {len(run)} output times"


def _modes_page(modes: Modes, meshes: Mapping[Any, Any] | None, title: str) -> Page:
    """Each mode as a clip of one period; growth and decay are omitted."""
    if not len(modes):
        raise ModelError("there are no modes to show: the drivers leave no degree of freedom")
    system = modes.motions.system
    films = [mode_motion(modes, k) for k in range(min(len(modes), MOST_MODES))]
    start = Snapshot(system, modes.motions.time, modes.motions.q, turns=modes.motions.turns)
    page = Page(start, films[0], title=title or system.model.name, subtitle=f"{len(modes)} modes", meshes=meshes)
    for k, film in enumerate(films):
        s = modes.eigenvalues[k]
        swings = bool(modes.oscillating[k])
        name = f"mode {k}: {abs(s):.4g} rad/s" if swings else f"mode {k}: {s.real:.4g} 1/s"
        page.add(film, name, note=f"s = {s.real:.6g} {s.imag:+.6g}i 1/s")
        page.widen(film)
    return page


def mode_motion(modes: Modes, mode: int, size: float | None = None) -> Trajectory:
    """One period of a mode as a motion."""
    phases = np.linspace(0.0, 2.0 * np.pi, MODE_FRAMES + 1)
    return as_motion([modes.snapshot(mode, size, phase) for phase in phases], "a mode")


def as_motion(instants: Sequence[Snapshot], analysis: str) -> Trajectory:
    """Instants one after the other, in `MODE_SECONDS`; velocities are not known."""
    system = instants[0].system
    zero = np.zeros((len(instants), system.speeds().size))
    turns = np.array([instant.turns for instant in instants]).reshape(len(instants), -1)
    times = np.linspace(0.0, MODE_SECONDS, len(instants))
    run = Trajectory(system, times, np.array([i.q for i in instants]), zero, zero, analysis=analysis, turns=turns)
    run.moves = False
    return run
