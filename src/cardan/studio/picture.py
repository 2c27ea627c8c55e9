"""What the page draws of a planar model: shapes in the frames of bodies, poses, points, paths and curves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.forces.load import Load
from cardan.elements.forces.torque import Torque
from cardan.results.trajectory import Trajectory
from cardan.studio.places import Places
from cardan.studio.solved import Solved
from cardan.view import style
from cardan.view.sketch import traced
from cardan.view.web.clip import first_shown, offered_curves, stored_poses
from cardan.view.web.shapes import Scene, end_of, make_scene, strand_table

if TYPE_CHECKING:
    from cardan.results.snapshot import Snapshot

DIGITS = 6
MOST_FRAMES = 400
PALETTE = {
    "ink": style.INK,
    "ground": style.GROUND,
    "accent": style.ACCENT,
    "curves": style.CURVES,
}


def scene_of(solved: Solved) -> Scene | None:
    """The drawing of a planar model; None if it has no bodies."""
    if solved.snapshot is None or solved.dimensions != 2:
        return None
    return make_scene(solved.snapshot, solved.run if solved.run is not None else solved.snapshot.as_trajectory())


def picture(solved: Solved, scene: Scene | None) -> dict[str, Any]:
    """Shapes with their bodies by number, the ground is 0."""
    if scene is None or solved.snapshot is None:
        return {
            "unit": 0.005,
            "bodies": ["ground"],
            "colors": [("#d5d9e0", style.GROUND)],
            "shapes": [],
            "rods": [],
            "names": [],
            "poses": [[0, 0, 0]],
            "loads": [],
        }
    number = {id(body): k for k, body in enumerate(scene.bodies)}
    drawing = scene.drawing
    return {
        "unit": drawing.unit,
        "bodies": [body.name for body in scene.bodies],
        "colors": [style.colors_of(body, k - 1) for k, body in enumerate(scene.bodies)],
        "shapes": [
            {"kind": s.kind, "body": number[id(s.body)], "element": s.element, "points": _pieces(s.points)}
            for s in (*drawing.shapes, *scene.meshes)
            if len(s.points)
        ],
        "rods": [
            {
                "kind": r.kind,
                "a": end_of(number, r.a),
                "b": end_of(number, r.b),
                "element": r.element,
                "barrel": r.barrel,
            }
            for r in drawing.rods
        ],
        "names": [
            {"text": text, "at": end_of(number, marker)} for text, marker in drawing.names if id(marker.body) in number
        ],
        "poses": frame(solved.snapshot),
        "strands": strands(scene, stored(solved.snapshot)[None])[0],
        "loads": [*_loads(drawing.elements, number)],
    }


def _loads(elements: Any, number: dict[int, int]) -> Iterator[dict[str, Any]]:
    """Loads and torques that are not zero at the beginning: where they act and which way."""
    for element in elements:
        if isinstance(element, Load | Torque) and id(element.marker.body) in number:
            parts = [float(motion.derivatives(0.0)[0]) for motion in element.motions]
            size = math.hypot(*parts)
            if size > 0.0:
                way = [part / size for part in parts] if len(parts) == 2 else [0.0, 0.0]
                turn = parts[0] / size if len(parts) == 1 else 0.0
                at = end_of(number, element.marker)
                yield {"element": element.name, "at": at, "way": way, "frame": element.frame, "turn": turn}


def frame(snapshot: Snapshot) -> list[list[float]]:
    """The pose of every body, the ground first."""
    return [[_short(x) for x in row] for row in stored(snapshot)]


def stored(snapshot: Snapshot) -> np.ndarray:
    return np.asarray(snapshot.q[: 3 * (1 + len(snapshot.system.bodies))]).reshape(-1, 3)


def strands(scene: Scene, rows: np.ndarray) -> list[list[list[list[float]]]]:
    """The lines of ropes and belts at each of several positions."""
    found = strand_table(scene, rows)
    if found is None:
        return [[] for _ in rows]
    counts = [len(part) for part in _strand_parts(scene, rows[0])]
    out = []
    for line in found:
        places, at = [], 0
        for count in counts:
            places.append([[_short(x) for x in p] for p in line[at : at + 2 * count].reshape(-1, 2)])
            at += 2 * count
        out.append(places)
    return out


def _strand_parts(scene: Scene, row: np.ndarray) -> list[np.ndarray]:
    from cardan.view.stage.scene import in_strand
    from cardan.view.web.shapes import placed

    return [in_strand(strand, placed(scene, row)) for strand in scene.strands]


def motion(run: Trajectory, scene: Scene, wanted: list[str]) -> dict[str, Any]:
    """A run frame by frame: poses of all bodies but the ground, paths of traced points, curves in the units in which
    the model shows results."""
    frames = np.unique(np.linspace(0, len(run) - 1, min(len(run), MOST_FRAMES)).round().astype(int))
    table = stored_poses(run, frames)
    columns = run.columns
    names = [name for name in columns if name not in ("time", "iterations", "steps")]
    traces = [f"{point.name}.{axis}" for point in traced(scene.snapshot)[:1] for axis in "xy"]
    usual = [name for name in traces if name in columns] or first_shown(run, names)[:2]
    shown = [name for name in wanted if name in columns] or usual
    curves, _ = offered_curves(run, 10**9, shown)
    display = run.model.display
    return {
        "times": [_short(t) for t in run.times[frames]],
        "poses": np.round(table[:, 1:].reshape(len(frames), -1), 7).tolist(),
        "strands": strands(scene, table) if scene.strands else [],
        "traces": [{"name": point.name, "line": _path(run, point, frames)} for point in traced(scene.snapshot)],
        "columns": [[name, display.shown(columns[name].unit)[1]] for name in names],
        "curves": [
            {"name": name, "unit": unit, "values": [_short(x) for x in np.asarray(series)[frames]]}
            for name, unit, series in curves
            if name in shown
        ],
    }


def _path(run: Trajectory, point: Any, frames: np.ndarray) -> list[list[float]]:
    from cardan.results.reaction import poses_of

    places = run.system.space.frame(point.marker, poses_of(run, point.marker.body))[0]
    return np.round(np.asarray(places)[frames], 7).tolist()


def points(places: Places) -> list[dict[str, Any]]:
    """The points that can be clicked."""
    return [
        {
            "id": point.id,
            "name": point.letter or (point.joints or point.traces or [""])[0],
            "at": [_short(x) for x in point.at],
            "bodies": point.bodies,
            "joints": point.joints,
            "traces": point.traces,
            "places": [place.text for place in point.places],
            "fixed": next((f for p in point.places if (f := places.fixed_by(p))), ""),
        }
        for point in places.points
    ]


def _pieces(line: np.ndarray) -> list[list[list[float]]]:
    """Lines between the gaps of a shape."""
    pieces: list[list[list[float]]] = [[]]
    for x, y in line:
        if math.isfinite(x) and math.isfinite(y):
            pieces[-1].append([_short(x), _short(y)])
        elif pieces[-1]:
            pieces.append([])
    return [piece for piece in pieces if piece]


def _short(x: Any) -> float:
    value = float(x)
    return float(f"{value:.{DIGITS + 2}g}") if math.isfinite(value) else 0.0
