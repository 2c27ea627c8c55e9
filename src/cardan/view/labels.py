"""Names in a sketch, each beside what it names and none on another.

A name may stand in any of twelve places around its anchor; the place that covers least of what is drawn wins.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan.view import style
from cardan.view.scene import Scene, in_world, poses

SIZE = 9.0  # pt
GAPS = (8.0, 14.0, 22.0)  # pt between an anchor and its name
PLACES = [2.0 * math.pi * k / 12.0 + 0.6 for k in range(12)]
MOST = 40  # names: a sketch with more would be unreadable

Box = tuple[float, float, float, float]  # left, bottom, right, top in pt


def write_names(scene: Scene, snapshot: Any) -> list[Any]:
    """Write the names of joints, points and bodies; returns the texts."""
    if len(scene.drawing.names) + len(snapshot.model.bodies) > MOST:
        return []
    where = poses(snapshot)
    joints: dict[tuple[float, float], list[str]] = {}
    for name, marker in scene.drawing.names:
        place = in_world(marker, where)
        joints.setdefault((round(float(place[0]), 9), round(float(place[1]), 9)), []).append(name)
    wanted = [(", ".join(names), place, style.INK, "normal") for place, names in joints.items()]
    for body in snapshot.model.bodies:
        wanted.append((body.name, _middle(scene, body), scene.colours[id(body)][1], "italic"))
    obstacles = _obstacles(scene)
    taken: list[Box] = []
    texts = []
    for word, anchor, colour, slant in wanted:
        texts.append(_write(scene.ax, word, anchor, obstacles, taken, color=colour, fontstyle=slant))
    return texts


def _write(
    ax: Any, word: str, anchor: tuple[float, float], obstacles: np.ndarray, taken: list[Box], **look: Any
) -> Any:
    from matplotlib.patheffects import withStroke

    at = ax.transData.transform(anchor) * 72.0 / ax.figure.dpi
    width, height = 0.6 * SIZE * len(word), 1.1 * SIZE
    page = tuple(ax.figure.bbox.extents * 72.0 / ax.figure.dpi)
    places = [_offset(gap, angle, width, height) for gap in GAPS for angle in PLACES]
    boxes = [_box(at, offset, width, height) for offset in places]
    costs = [_cost(box, obstacles, taken, page) + 0.4 * k / len(PLACES) for k, box in enumerate(boxes)]
    best = int(np.argmin(costs))
    offset = places[best]
    taken.append(boxes[best])
    return ax.annotate(
        word,
        anchor,
        xytext=offset,
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=SIZE,
        zorder=9.0,
        path_effects=[withStroke(linewidth=2.5, foreground=style.PAPER)],
        **look,
    )


def _offset(gap: float, angle: float, width: float, height: float) -> tuple[float, float]:
    """From the anchor to the middle of the name, so that its nearest edge keeps the gap."""
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


def _middle(scene: Scene, body: Any) -> tuple[float, float]:
    """Where the name of a body belongs: the middle of its largest shape."""
    shapes = [shape for shape in scene.drawing.shapes if shape.body is body and shape.kind not in ("arrow", "channel")]
    if not shapes:
        middle = np.zeros(2)
    else:
        largest = max(shapes, key=lambda shape: float(np.ptp(shape.points, axis=0).max()))
        middle = 0.5 * (largest.points.min(axis=0) + largest.points.max(axis=0))
        if largest.kind == "outline":  # an open line has nothing in its middle
            count = len(largest.points)
            middle = 0.5 * (largest.points[(count - 1) // 2] + largest.points[count // 2])
    x, y = scene.frames[id(body)].transform(middle)
    return float(x), float(y)


def _obstacles(scene: Scene) -> np.ndarray:
    """Points all along what is drawn, in pt on the page."""
    scale = 72.0 / scene.ax.figure.dpi
    parts = [np.zeros((0, 2))]
    for shape in scene.drawing.shapes:
        closed = shape.kind in ("plate", "area", "disk", "box", "rack", "support")
        points = np.vstack([shape.points, shape.points[:1]]) if closed else shape.points
        transform = scene.frames[id(shape.body)] + scene.ax.transData
        parts.append(_along(transform.transform(points) * scale))
    for _, *artists in scene.rods:
        parts.append(_along(scene.ax.transData.transform(artists[0].get_xydata()) * scale))
    for line in scene.ax.lines:  # traces
        parts.append(_along(scene.ax.transData.transform(line.get_xydata()) * scale))
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
