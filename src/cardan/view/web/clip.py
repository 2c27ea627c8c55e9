"""A clip: the motion of a result, frame by frame, with its curves and the arrows of its forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.elements.load import Load
from cardan.elements.spring import Spring
from cardan.errors import ModelError
from cardan.model.measure import Readable
from cardan.results.reaction import usual_reactions
from cardan.results.table import coordinates, units
from cardan.view.curves import curves as curves_of
from cardan.view.web.cuts import describe_cuts
from cardan.view.web.encode import Blob
from cardan.view.web.lecture import describe_lecture
from cardan.view.web.shapes import Scene, strand_table

FRAMES = 600  # of a clip, unless stated: instants between are left out
CURVE_VALUES = 40_000  # in a page, unless curves are named: about 100 curves of 400 instants
MANY_BODIES = 60  # with more, only coordinates of joints are offered as curves, unless others are named
SKIPPED = ("time", "iterations", "steps")


def frames_of(run: Any, most: int = FRAMES) -> np.ndarray:
    """The instants of a result that a page shows, evenly chosen where there are more than `most`."""
    return np.unique(np.linspace(0, len(run) - 1, min(len(run), most)).round().astype(int))


def stored_poses(run: Any, frames: np.ndarray) -> np.ndarray:
    """What is stored of the position of all bodies, ground first: shape (frames, bodies, numbers)."""
    system = run.system
    return np.asarray(run.q[frames, : system.space.stored * (1 + len(system.bodies))]).reshape(
        len(frames), -1, system.space.stored
    )


def describe_clip(
    run: Any, scene: Scene, blob: Blob, name: str, *, most: int = FRAMES, wanted: Sequence[str] = (), note: str = ""
) -> dict[str, Any]:
    """The part of a document that says how things move."""
    frames = frames_of(run, most)
    stored = stored_poses(run, frames)
    strands = strand_table(scene, stored)
    return {
        "name": name,
        "note": note,
        "times": blob.doubles(run.times[frames]),
        "poses": blob.poses(stored[:, 1:]),
        "strands": None if strands is None else blob.values(strands),
        "curves": [
            {
                "name": curve,
                "unit": unit,
                "still": bool(np.ptp(values) <= 1e-9 * (1.0 + np.abs(values).max())),
                "values": blob.floats(values[frames]),
            }
            for curve, unit, values in offered_curves(run, len(frames), wanted)
        ],
        "arrows": _arrows(run, scene, frames, blob),
        "cuts": describe_cuts(run, scene, frames, blob),
        "lecture": describe_lecture(run, scene.bodies, frames),
        "cyclic": bool(len(frames) > 2 and _closes(stored)),
    }


def offered_curves(run: Any, frames: int, wanted: Sequence[str] = ()) -> list[tuple[str, str, np.ndarray]]:
    """Name, unit and values of the curves of a page: those wanted first, then as many as there is room for."""
    found = {c.name: (c.name, c.unit, np.asarray(c.values)) for item in wanted for c in curves_of(run, item)}
    if not run.moves:
        return [*found.values()]
    if len(run.system.bodies) > MANY_BODIES:
        table = {name: np.asarray(run[measure].value) for name, measure in coordinates(run).items()}
        unit = {name: measure.unit for name, measure in coordinates(run).items()}
    else:
        table, unit = run.table(), units(run)
    first = [*coordinates(run), *(n for n in table if _of_force(n, unit.get(n, ""))), *table]
    for name in dict.fromkeys(first):
        if len(found) * frames >= CURVE_VALUES:
            break
        if name in table and name not in SKIPPED and not name.endswith(".violation"):
            found.setdefault(name, (name, unit.get(name, ""), np.asarray(table[name], float)))
    return [curve for curve in found.values() if np.isfinite(curve[2]).all()]


def first_shown(run: Any, offered: Sequence[str], still: Sequence[str] = ()) -> list[str]:
    """The curves that a page shows before others are chosen: a joint coordinate, its rate, and forces; none that
    stands `still`."""
    driven = {str(e.measure) for e in run.system.elements if isinstance(getattr(e, "measure", None), Readable)}
    free = [name for name, measure in coordinates(run).items() if str(measure) not in driven and "." in name]
    offered = [name for name in offered if name not in still]
    first = [name for name in free if name in offered][:1] or [name for name in offered if name.endswith(".y")][:1]
    shown = [*first, *(f"{name}.rate" for name in first)]
    shown += [name for name in offered if name.endswith((".force", ".torque"))][:1]
    shown += [name for name in offered if name.endswith((".fx", ".fy"))][:2]
    return [name for name in dict.fromkeys(shown) if name in offered] or list(offered[:2])


def _of_force(name: str, unit: str) -> bool:
    return unit in ("N", "N m")


def _closes(stored: np.ndarray) -> bool:
    """Whether the motion ends where it begins, turns apart."""
    return bool(np.allclose(stored[0, :, :2], stored[-1, :, :2], atol=1e-3 * (1e-9 + np.ptp(stored[..., :2]))))


def _arrows(run: Any, scene: Scene, frames: np.ndarray, blob: Blob) -> list[dict[str, Any]]:
    """Reactions and applied forces, in global axes, at the points at which they act."""
    if run.loads is None:
        return []
    number = {id(body): k for k, body in enumerate(scene.bodies)}
    place = {id(element): k for k, element in enumerate(scene.elements)}
    found = []
    for element, reaction in usual_reactions(run).items():
        if isinstance(getattr(element, "measure", None), Readable) or id(element) not in place:
            continue
        force, _ = reaction.in_world()
        found.append((element, "reaction", reaction.marker, force[frames]))
    for element in dict.fromkeys(run.system.forces):
        found += [(element, "applied", marker, force[frames]) for marker, force in _applied(run, element)]
    return [
        {
            "name": element.name,
            "kind": kind,
            "element": place[id(element)],
            "at": {"body": number[id(marker.body)], "point": [float(x) for x in marker.place]},
            "values": blob.values(force),
        }
        for element, kind, marker, force in found
        if np.isfinite(force).all() and np.abs(force).max(initial=0.0) > 0.0 and id(element) in place
    ]


def _applied(run: Any, element: Any) -> list[tuple[Any, np.ndarray]]:
    """Markers and forces on them, of a load or of a spring between two points."""
    if isinstance(element, Load) and element.frame == "global":
        return [(element.marker, run[element].force)]
    if not isinstance(element, Spring):
        return []
    parts = element.measure.parts()
    single = parts[0][1]
    if len(parts) > 1 or single.kind != "length" or single.a.own is not None or single.b.own is not None:
        return []
    way = run[single.b].position - run[single.a].position
    way = way / np.maximum(np.linalg.norm(way, axis=1), 1e-300)[:, None]
    pull = run[element].force[:, None] * way
    return [(marker, force) for marker, force in ((single.a, pull), (single.b, -pull))]


def require_frames(frames: Any) -> int:
    """A sensible number of frames."""
    if not isinstance(frames, int) or not 1 <= frames <= 20_000:
        raise ModelError(f"a page has 1 to 20000 frames, got {frames!r}")
    return frames
