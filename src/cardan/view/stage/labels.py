"""Names in a sketch, each beside what it names and none on another.

A name may stand in any of twelve places around its anchor; the place that covers least of what is drawn wins.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.view import style
from cardan.view.stage.scene import Scene, in_world
from cardan.view.stage.stage import Poses, moved, poses

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.results.snapshot import Snapshot

SIZE = 9.0  # pt
GAPS = (8.0, 14.0, 22.0)  # pt between an anchor and its name
PLACES = [2.0 * math.pi * k / 12.0 + 0.6 for k in range(12)]
UNNAMED = ("arrow", "channel", "axis", "sheet")  # kinds that do not show where a body is
MAX_NAMES = 35  # names: a sketch with more would be unreadable

Box = tuple[float, float, float, float]  # left, bottom, right, top in pt


def write_names(scene: Scene, snapshot: Snapshot) -> list[Any]:
    """Write the names of joints, points and bodies; returns the texts."""
    if len(scene.drawing.names) + len(snapshot.system.bodies) > MAX_NAMES:
        return []
    where = poses(snapshot)
    joints: dict[tuple[float, ...], list[str]] = {}
    for name, marker in scene.drawing.names:
        place = in_world(marker, where)
        joints.setdefault(tuple(round(float(c), 9) for c in place), []).append(name)
    wanted = [(", ".join(names), place, style.INK, "normal") for place, names in joints.items()]
    for body in snapshot.system.bodies:
        wanted.append((body.name, _middle(scene, body, where), scene.colors[id(body)][1], "italic"))
    obstacles = _obstacles(scene, where)
    taken: list[Box] = []
    texts = []
    for word, anchor, color, slant in wanted:
        texts.append(_write(scene, word, anchor, obstacles, taken, color=color, fontstyle=slant))
    return texts


def _write(
    scene: Scene, word: str, anchor: tuple[float, ...], obstacles: np.ndarray, taken: list[Box], **look: Any
) -> Any:
    from matplotlib.patheffects import withStroke

    figure = scene.ax.figure
    at = scene.stage.page(np.array(anchor)) * 72.0 / figure.dpi
    width, height = 0.6 * SIZE * len(word), 1.1 * SIZE
    page = tuple(np.array(figure.bbox.extents) * 72.0 / figure.dpi)
    places = [_offset(gap, angle, width, height) for gap in GAPS for angle in PLACES]
    boxes = [_box(at, offset, width, height) for offset in places]
    costs = [_cost(box, obstacles, taken, page) + 0.4 * k / len(PLACES) for k, box in enumerate(boxes)]
    best = int(np.argmin(costs))
    offset = places[best]
    taken.append(boxes[best])
    return scene.stage.annotate(
        word,
        anchor,
        xytext=offset,
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=SIZE,
        zorder=99.0,
        path_effects=[withStroke(linewidth=2.5, foreground=style.PAPER)],
        **look,
    )


def _offset(gap: float, angle: float, width: float, height: float) -> tuple[float, float]:
    """From the anchor to the middle of the name; its nearest edge keeps the gap."""
    return (
        math.cos(angle) * (gap + 0.5 * width),
        math.sin(angle) * (gap + 0.5 * height),
    )


def _box(at: np.ndarray, offset: tuple[float, float], width: float, height: float) -> Box:
    x, y = at[0] + offset[0], at[1] + offset[1]
    return (x - 0.5 * width, y - 0.5 * height, x + 0.5 * width, y + 0.5 * height)


def _cost(box: Box, obstacles: np.ndarray, taken: list[Box], page: Box) -> float:
    """What a name would cover, other names counting most; lines are about 3 pt wider than their points."""
    left, bottom, right, top = box
    x, y = obstacles[:, 0], obstacles[:, 1]
    covered = np.sum((x > left - 3.0) & (x < right + 3.0) & (y > bottom - 3.0) & (y < top + 3.0))
    clashes = sum(left < r and l < right and bottom < t and b < top for l, b, r, t in taken)  # noqa: E741
    outside = left < page[0] or bottom < page[1] or right > page[2] or top > page[3]
    return float(covered) + 1e3 * clashes + 1e3 * outside


def _middle(scene: Scene, body: RigidBody, where: Poses) -> tuple[float, ...]:
    """Where the name of a body belongs: the middle of its skin or of its largest shape."""
    for skin, _, points in where.skins:
        if skin.body is body:
            return tuple((0.5 * (points.min(axis=0) + points.max(axis=0))).tolist())
    shapes = [shape for shape in scene.drawing.shapes if shape.body is body and shape.kind not in UNNAMED]
    if not shapes:
        middle = np.zeros(scene.model.space.dimensions)
    else:
        corners = [(np.nanmin(shape.points, axis=0), np.nanmax(shape.points, axis=0)) for shape in shapes]
        largest, (low, high) = max(
            zip(shapes, corners, strict=True), key=lambda pair: float(np.ptp(pair[1], axis=0).max())
        )
        middle = 0.5 * (low + high)
        if largest.kind == "outline":  # an open line has nothing in its middle
            count = len(largest.points)
            middle = 0.5 * (largest.points[(count - 1) // 2] + largest.points[count // 2])
    return tuple(moved(middle, where[id(body)]).tolist())


def _obstacles(scene: Scene, where: Poses) -> np.ndarray:
    """Points all along what is drawn, in pt on the page."""
    scale = 72.0 / scene.ax.figure.dpi
    parts = [np.zeros((0, 2))]
    for shape in scene.drawing.shapes:
        if len(shape.points) == 0:
            continue
        closed = shape.kind in ("plate", "area", "panel", "disk", "box", "rack", "support")
        points = np.vstack([shape.points, shape.points[:1]]) if closed else shape.points
        parts.append(_along(scene.stage.page(moved(points, where[shape.frame])) * scale))
    for skin, _, points in where.skins:
        for line in skin.lines:
            parts.append(_along(scene.stage.page(points[line]) * scale))
    for _, *artists in (*scene.rods, *scene.strands):
        parts.append(_along(scene.stage.page(scene.stage.points_of(artists[0])) * scale))
    for trace in scene.ax.lines:
        parts.append(_along(scene.stage.page(scene.stage.points_of(trace)) * scale))
    points = np.vstack(parts)
    return points[np.isfinite(points).all(axis=1)]


def _along(points: np.ndarray, spacing: float = 3.0) -> np.ndarray:
    """A broken line as points every few pt."""
    pieces = [points]
    for start, end in zip(points[:-1], points[1:], strict=True):
        length = math.dist(start, end)
        if math.isfinite(length) and length > spacing:
            pieces.append(start + np.linspace(0.0, 1.0, int(length / spacing) + 2)[:, None] * (end - start))
    return np.vstack(pieces)
