"""free_body_page(cut): a link with all forces that act on it, and the closed polygon of these forces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.view import style
from cardan.view.sketch import make_scene
from cardan.view.stage.arrows import arrow, number, turn, word
from cardan.view.stage.stage import stage_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cardan.model.body import RigidBody
    from cardan.postprocess.free_body import FreeBody
    from cardan.view.stage.scene import Scene

ARROW_LENGTH = 0.55  # the longest arrow, in terms of the body
NEGLIGIBLE = 1e-9  # of the largest: not drawn
FLAT = 0.03  # height of a polygon in terms of its length below which its forces lie in one line


def free_body_page(cut: FreeBody, ax: Axes | None = None, *, polygon: bool = True, others: bool = True) -> Any:
    """A figure of a `FreeBody`: the link with its forces in their places, and beside it the forces tip to tail.

    `others` shows the rest of the mechanism in gray; with `ax` the link alone is drawn there and the axes are
    returned.
    """
    colors = style.force_colors(cut)
    if ax is not None:
        return _link(cut, ax, colors, others)
    figure = style.new_figure(9.6 if polygon else 5.6, 4.6)
    grid = figure.add_gridspec(1, 2 if polygon else 1, width_ratios=[1.5, 1.0] if polygon else None)
    stage = stage_of(cut.model.space)
    _link(cut, stage.new_axes(figure, grid[0, 0]), colors, others)
    if polygon:
        _polygon(cut, stage.new_axes(figure, grid[0, 1]), colors)
    return figure


def _link(cut: FreeBody, ax: Axes, colors: dict[str, str], others: bool) -> Any:
    scene = make_scene(cut.snapshot, ax)
    _fade(scene, cut.body, 0.13 if others else 0.0)
    places = _outline(scene, cut)
    size = float(np.ptp(places, axis=0).max()) or 1.0
    largest = max((float(np.linalg.norm(acting.force)) for acting in cut), default=0.0)
    scale = ARROW_LENGTH * size / largest if largest else 0.0
    tips = []
    for acting in cut:
        tips += _act(ax, acting, colors[acting.name], scale, largest, 0.09 * size, cut.center)
    title = f"{cut.body.name}, t = {cut.time:.4g} s"
    ax.set_title(title, fontsize=11, color=style.INK)
    _room(ax, np.vstack([places, *tips]), 0.16)
    return ax


def _act(
    ax: Axes, acting: Any, color: str, scale: float, largest: float, radius: float, center: np.ndarray
) -> list[np.ndarray]:
    """The arrows of one force and torque; returns the points that must be visible.

    A force toward the mass center ends at its point, any other starts there: links stay readable.
    """
    size, tips = float(np.linalg.norm(acting.force)), [acting.point]
    dashed, words, away = acting.kind == "inertia", [], acting.force
    if size > NEGLIGIBLE * largest:
        pushes = float(acting.force @ (center - acting.point)) > 0.0
        far = acting.point + (-scale if pushes else scale) * acting.force
        tail, tip = (far, acting.point) if pushes else (acting.point, far)
        arrow(ax, tail, tip, color, dashed=dashed)
        away = -acting.force if pushes else acting.force
        tips.append(far)
        words.append(number(size, "N"))
    torque = float(np.linalg.norm(acting.torque))
    if torque > NEGLIGIBLE * max(largest * radius, 1e-300):
        words.append(number(torque if len(acting.point) == 3 else float(acting.torque), "N m"))
        if len(acting.point) == 2:
            turn(ax, acting.point, radius, float(acting.torque), color, dashed=dashed)
            tips += [acting.point - radius, acting.point + radius]
    if words:
        word(ax, tips[1] if len(tips) > 1 else tips[0], f"{acting.name}  {', '.join(words)}", color, away)
    return tips


def _polygon(cut: FreeBody, ax: Any, colors: dict[str, str]) -> None:
    """The forces tip to tail, inertia last: the last arrow ends where the first began."""
    drawn = sorted((acting for acting in cut if np.any(acting.force)), key=lambda acting: acting.kind == "inertia")
    corners = [np.zeros_like(cut.center)]
    for acting in drawn:
        corners.append(corners[-1] + acting.force)
    size = float(np.ptp(corners, axis=0).max()) or 1.0
    apart = _apart(np.array(corners), size)
    middle = np.mean(corners, axis=0)
    for k, (acting, start) in enumerate(zip(drawn, corners, strict=False)):
        place = start + k * apart
        arrow(ax, place, place + acting.force, colors[acting.name], dashed=acting.kind == "inertia")
        at = place + 0.5 * acting.force
        word(ax, at, acting.name, colors[acting.name], at - middle if not apart.any() else apart)
    ends = np.vstack([corners, corners + len(drawn) * apart])
    if len(middle) == 2:
        style.quiet(ax)
        ax.plot(*corners[0], "o", color=style.INK, markersize=4.0, zorder=9.0)
        _room(ax, ends, 0.15)
        ax.locator_params(nbins=5)
    else:
        ax.set_box_aspect(None, zoom=0.82)  # room for the words at the axes
    ax.tick_params(colors=style.GROUND, labelsize=8)
    for axis in "xyz"[: len(middle)]:
        getattr(ax, f"set_{axis}label")(f"f{axis} [N]", fontsize=9, color=style.GROUND)
    left = f"left over {np.linalg.norm(cut.force):.1e} N"
    ax.set_title(f"forces tip to tail: {left}", fontsize=10, color=style.INK if cut.closed else style.ACCENT)


def _apart(corners: np.ndarray, size: float) -> np.ndarray:
    """The offset between forces in one line; zero if they are not in line."""
    centered = corners - corners.mean(axis=0)
    _, spread, axes = np.linalg.svd(centered, full_matrices=True)
    if corners.shape[1] != 2 or spread[0] == 0.0 or spread[1] > FLAT * spread[0]:
        return np.zeros(corners.shape[1])
    across: np.ndarray = axes[1] * (1.0 if axes[1, 1] >= 0.0 else -1.0)
    return 0.09 * size * across


def _fade(scene: Scene, body: RigidBody, alpha: float) -> None:
    """The rest of the mechanism as a shadow."""
    artists = [*scene.ax.lines, *scene.ax.patches, *scene.ax.collections]
    for artist in artists:
        if not str(artist.get_gid() or "").startswith(f"{body.name}:"):
            artist.set_alpha(alpha)


def _outline(scene: Scene, cut: FreeBody) -> np.ndarray:
    """Points of the world that the body reaches."""
    from cardan.view.stage.stage import moved, poses

    where = poses(cut.snapshot)
    parts = [
        moved(shape.points, where[shape.frame])
        for shape in scene.drawing.shapes
        if shape.body is cut.body and len(shape.points)
    ]
    parts += [points for skin, _, points in where.skins if skin.body is cut.body]
    points = np.vstack([*parts, *(acting.point[None] for acting in cut), cut.center[None]])
    return points[np.isfinite(points).all(axis=1)]  # faces are parted by lines of NaN


def _room(ax: Axes, points: np.ndarray, margin: float) -> None:
    """Limits with room for names, and at least half as high as wide."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = float((high - low).max()) or 1.0
    spare = np.maximum(0.6 * size - (high - low), 0.0) / 2.0 + margin * size * np.where(
        np.arange(len(low)) == 0, 1.8, 1.0
    )  # names are wide
    low, high = low - spare, high + spare
    if len(low) == 2:
        ax.set_aspect("equal", adjustable="box")
    for axis, start, end in zip("xyz", low, high, strict=False):
        ax.set(**{f"{axis}lim": (start, end)})
