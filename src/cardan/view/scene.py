"""A drawn mechanism: artists that move with their bodies.

Every body has one affine transform between its frame and the world, and all artists of the body share it:

    screen = transData( A(phi) s' + r )

so a new instant sets three numbers per body and nothing else; only rods and traces have points to update.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan.view import style
from cardan.view.shapes import Drawing, Reach, Rod, Shape, drawing

BACKGROUND = 2.0  # layers up to this one are behind everything that moves
LINK_SYMBOL = 0.25  # and at most, in terms of its links
SYMBOL = 0.03  # size of symbols, in terms of the size of the mechanism

Colours = tuple[str, str]  # fill and outline
Poses = dict[int, tuple[float, float, float]]  # id(body): x, y, angle


class Scene:
    """The artists of a planar mechanism in the axes `ax`; `place(snapshot)` moves them."""

    def __init__(self, ax: Any, snapshot: Any, reach: Reach) -> None:
        from matplotlib.transforms import Affine2D

        self.ax, self.model = ax, snapshot.model
        self.drawing, self.thickness = sized_drawing(self.model, poses(snapshot), reach)
        bodies = (self.model.ground, *self.model.bodies)
        self.frames = {id(body): Affine2D() for body in bodies}
        self.colours = {id(body): style.BODIES[k % len(style.BODIES)] for k, body in enumerate(self.model.bodies)}
        self.colours[id(self.model.ground)] = ("#d5d9e0", style.GROUND)
        self.moving: list[Any] = []  # what a new instant draws anew: moving artists, and those that may lie on them
        for number, shape in enumerate(self.drawing.shapes):
            self._draw(shape, 1e-3 * number)
        self.rods = [(rod, *_rod_artists(ax, rod)) for rod in self.drawing.rods]
        self.moving += [artist for _, *artists in self.rods for artist in artists]
        self.moving.sort(key=lambda artist: artist.get_zorder())
        self.place(snapshot)

    def place(self, snapshot: Any) -> None:
        """Move every artist to where its body is."""
        where = poses(snapshot)
        for key, (x, y, angle) in where.items():
            self.frames[key].clear().rotate(angle).translate(x, y)
        for rod, *artists in self.rods:
            a, b = in_world(rod.a, where), in_world(rod.b, where)
            # an actuator is a cylinder over half the way, and a piston rod over all of it
            for artist, share in zip(artists, (1.0, 0.5), strict=False):
                end = a + share * (b - a)
                artist.set_data([a[0], end[0]], [a[1], end[1]])

    def _draw(self, shape: Shape, order: float) -> None:
        if len(shape.points) == 0:
            return
        transform = self.frames[id(shape.body)] + self.ax.transData
        artists = KINDS[shape.kind](self.ax, shape.points, self.colours[id(shape.body)], transform)
        for artist in artists:
            _thin(artist, self.thickness)
            artist.set_zorder(artist.get_zorder() + order)
            artist.set_gid(f"{shape.body.name}:{shape.kind}")
            if shape.body is not self.model.ground or artist.get_zorder() > BACKGROUND:
                self.moving.append(artist)


def sized_drawing(model: Any, where: Poses, reach: Reach) -> tuple[Drawing, float]:
    """The shapes with symbols in proportion to the mechanism, and how thick its lines shall be: 1, less if its links
    are small beside the whole."""
    bare = drawing(model, 0.0, reach)
    points = world_points(bare, where)
    largest = SYMBOL * ((float(np.ptp(points, axis=0).max()) if len(points) else 0.0) or 1.0)
    links = [float(np.ptp(shape.points, axis=0).max()) for shape in bare.shapes if shape.kind in ("bar", "plate")]
    unit = min(largest, LINK_SYMBOL * float(np.median(links))) if links else largest
    return drawing(model, unit or largest, reach), max((unit or largest) / largest, 0.1)


def poses(snapshot: Any) -> Poses:
    """Where every body is at an instant."""
    system = snapshot.system
    values = snapshot.q[: system.space.stored * (1 + len(system.bodies))].reshape(-1, system.space.stored).tolist()
    return {id(body): tuple(values[system.number[id(body)]]) for body in (snapshot.model.ground, *system.bodies)}


def in_world(marker: Any, where: Poses) -> np.ndarray:
    return _moved(np.array([[marker.x, marker.y]]), where[id(marker.body)])[0]


def world_points(picture: Drawing, where: Poses) -> np.ndarray:
    """All points of a drawing in the world."""
    parts = [_moved(shape.points, where[id(shape.body)]) for shape in picture.shapes if len(shape.points)]
    parts += [in_world(end, where)[None] for rod in picture.rods for end in (rod.a, rod.b)]
    points = np.vstack(parts) if parts else np.zeros((0, 2))
    return points[np.isfinite(points).all(axis=1)]


def _thin(artist: Any, factor: float) -> None:
    from matplotlib.lines import Line2D

    artist.set_linewidth(factor * artist.get_linewidth())
    if isinstance(artist, Line2D):
        artist.set_markersize(factor * artist.get_markersize())
        artist.set_markeredgewidth(factor * artist.get_markeredgewidth())


def _moved(points: np.ndarray, pose: tuple[float, float, float]) -> np.ndarray:
    x, y, angle = pose
    c, s = math.cos(angle), math.sin(angle)
    return points @ np.array([[c, s], [-s, c]]) + (x, y)


def _line(ax: Any, points: np.ndarray, transform: Any, layer: float, **options: Any) -> Any:
    from matplotlib.lines import Line2D

    options = {"solid_capstyle": "round", "solid_joinstyle": "round"} | options
    return ax.add_artist(Line2D(points[:, 0], points[:, 1], transform=transform, zorder=layer, **options))


def _polygon(ax: Any, points: np.ndarray, transform: Any, layer: float, **options: Any) -> Any:
    from matplotlib.patches import Polygon

    polygon = Polygon(points, closed=True, joinstyle="round", transform=transform, zorder=layer, **options)
    return ax.add_artist(polygon)


def _bar(ax: Any, points: np.ndarray, colours: Colours, transform: Any) -> list[Any]:
    fill, edge = colours
    wide = _line(ax, points, transform, 3.0, color=edge, linewidth=style.LINK + 2.0 * style.LINE)
    return [wide, _line(ax, points, transform, 3.0005, color=fill, linewidth=style.LINK)]


def _plate(ax: Any, points: np.ndarray, colours: Colours, transform: Any) -> list[Any]:
    fill, edge = colours
    width = style.LINK + 2.0 * style.LINE
    wide = _polygon(ax, points, transform, 3.0, facecolor=edge, edgecolor=edge, linewidth=width)
    return [wide, _polygon(ax, points, transform, 3.0005, facecolor=fill, edgecolor=fill, linewidth=style.LINK)]


def _area(ax: Any, points: np.ndarray, colours: Colours, transform: Any) -> list[Any]:
    fill, edge = colours
    return [_polygon(ax, points, transform, 2.0, facecolor=fill, edgecolor=edge, linewidth=style.LINE)]


def _disk(ax: Any, points: np.ndarray, colours: Colours, transform: Any) -> list[Any]:
    fill, edge = colours
    return [_polygon(ax, points, transform, 2.0, facecolor=fill + "b0", edgecolor=edge, linewidth=style.LINE)]


def _box(ax: Any, points: np.ndarray, colours: Colours, transform: Any) -> list[Any]:
    fill, edge = colours
    return [_polygon(ax, points, transform, 4.0, facecolor=fill, edgecolor=edge, linewidth=style.LINE)]


def _outline(ax: Any, points: np.ndarray, colours: Colours, transform: Any) -> list[Any]:
    return [_line(ax, points, transform, 2.7, color=colours[1], linewidth=1.6 * style.LINE)]


def _ring(ax: Any, points: np.ndarray, colours: Colours, transform: Any) -> list[Any]:
    fill, edge = colours
    wide = _line(ax, points, transform, 1.0, color=fill, linewidth=1.2 * style.LINK)
    return [wide, _line(ax, points, transform, 1.0005, color=edge, linewidth=style.LINE)]


def _spoke(ax: Any, points: np.ndarray, colours: Colours, transform: Any) -> list[Any]:
    return [_line(ax, points, transform, 2.5, color=colours[1], linewidth=style.LINE)]


def _channel(ax: Any, points: np.ndarray, colours: Colours, transform: Any) -> list[Any]:
    wide = _line(ax, points, transform, 3.5, color=colours[1], linewidth=0.75 * style.LINK + 2.0)
    return [wide, _line(ax, points, transform, 3.5005, color=style.PAPER, linewidth=0.75 * style.LINK)]


def _face(ax: Any, points: np.ndarray, colours: Colours, transform: Any) -> list[Any]:
    return [_line(ax, points, transform, 3.5, color=colours[1], linewidth=4.0, solid_capstyle="butt")]


def _rail(ax: Any, points: np.ndarray, colours: Colours, transform: Any) -> list[Any]:
    return [_line(ax, points, transform, 1.5, color=style.GROUND, linewidth=style.LINE)]


def _hatch(ax: Any, points: np.ndarray, colours: Colours, transform: Any) -> list[Any]:
    return [_line(ax, points, transform, 1.4, color=style.GROUND, linewidth=0.8)]


def _support(ax: Any, points: np.ndarray, colours: Colours, transform: Any) -> list[Any]:
    return [_polygon(ax, points, transform, 1.6, facecolor="#eef0f3", edgecolor=style.GROUND, linewidth=style.LINE)]


def _arrow(ax: Any, points: np.ndarray, colours: Colours, transform: Any) -> list[Any]:
    return [_line(ax, points, transform, 5.5, color=style.ACCENT, linewidth=1.6)]


def _marker(symbol: str, size: float, fill: str, layer: float) -> Any:
    def draw(ax: Any, points: np.ndarray, colours: Colours, transform: Any) -> list[Any]:
        look = {"marker": symbol, "markersize": size, "markerfacecolor": fill, "linestyle": "none"}
        return [_line(ax, points, transform, layer, markeredgecolor=style.INK, markeredgewidth=1.2, **look)]

    return draw


def _rod_artists(ax: Any, rod: Rod) -> list[Any]:
    """A thin line, or an actuator: piston rod and cylinder."""
    nothing = np.zeros((2, 2))
    if rod.kind == "rod":
        return [_line(ax, nothing, ax.transData, 2.8, color=style.INK, linewidth=2.0)]
    piston = _line(ax, nothing, ax.transData, 2.8, color=style.ACCENT, linewidth=2.0)
    cylinder = _line(
        ax, nothing, ax.transData, 2.9, color=style.ACCENT, linewidth=0.8 * style.LINK, solid_capstyle="butt"
    )
    return [piston, cylinder]


KINDS = {
    "bar": _bar,
    "spine": _bar,
    "plate": _plate,
    "area": _area,
    "disk": _disk,
    "rack": _area,
    "box": _box,
    "outline": _outline,
    "ring": _ring,
    "spoke": _spoke,
    "channel": _channel,
    "face": _face,
    "rail": _rail,
    "hatch": _hatch,
    "support": _support,
    "arrow": _arrow,
    "pin": _marker("o", 6.5, style.PAPER, 5.0),
    "point": _marker("o", 4.5, style.ACCENT, 6.0),
    "weld": _marker("s", 5.0, style.INK, 5.0),
}
