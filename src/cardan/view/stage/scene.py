"""A drawn mechanism: artists that move with their bodies.

The shapes of a drawing are turned into lines and polygons of a stage (`stage.py`), each kind with a look of its own;
a new instant moves the stage, and only rods have points to update.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.view import style
from cardan.view.shapes.drawing import Drawing, Reach, Rod, Shape, Strand
from cardan.view.shapes.forces import beam_points, strand_points
from cardan.view.shapes.lines import STRETCHED, stretched
from cardan.view.shapes.skin import Frame, Skin, frame_of
from cardan.view.shapes.stress import AS_IT_IS, Deformed, colors_at, levels, subdivided
from cardan.view.stage.stage import Poses, Stage, moved, poses, stage_of

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from cardan.model.marker import Marker
    from cardan.model.model import Model
    from cardan.results.snapshot import Snapshot

POINT = 1e-9  # m: nothing to be seen
ENDLESS = ("road", "sheet")  # as long as the way: it does not count for the size of symbols
LINK_SYMBOL = 0.25  # the largest symbol, in terms of the links

ROUND = {"solid_capstyle": "round", "solid_joinstyle": "round"}

Colors = tuple[str, str]  # fill and outline


class Scene:
    """The artists of a mechanism in the axes `ax`; `place(snapshot)` moves them."""

    def __init__(self, ax: Axes, snapshot: Snapshot, reach: Reach, look: Deformed = AS_IT_IS) -> None:
        self.ax, self.model, self.look = ax, snapshot.model, look
        kind = stage_of(snapshot.system.space)
        where = poses(snapshot, look.scale)
        self.drawing, self.thickness = sized_drawing(kind, self.model, where, reach)
        self.stage = kind(ax, (self.model.ground, *self.model.bodies))
        bodies = (self.model.ground, *self.model.bodies)
        self.colors = {id(body): style.colors_of(body, k - 1) for k, body in enumerate(bodies)}
        self.artists: list[Any] = []  # redrawn at each instant: moving artists, and those that may cover them
        for number, shape in enumerate(self.drawing.shapes):
            self._draw(shape, 1e-3 * number)
        self.rods = [(rod, *_rod_artists(self.stage, rod)) for rod in self.drawing.rods]
        self.strands = [(strand, _strand_artist(self.stage, strand)) for strand in self.drawing.strands]
        self.artists += [artist for _, *artists in (*self.rods, *self.strands) for artist in artists]
        self.skins = [(skin, *self._skin_artists(skin)) for skin, *_ in where.skins]
        self.place(snapshot)

    @property
    def moving(self) -> list[Any]:
        """The artists that are redrawn at each instant, from back to front."""
        return sorted(self.artists, key=lambda artist: artist.get_zorder())

    def place(self, snapshot: Snapshot) -> None:
        """Move every artist to where its body is."""
        where = poses(snapshot, self.look.scale)
        for (skin, artist, rims), (_, eta, points) in zip(self.skins, where.skins, strict=True):
            self._place_skin(skin, artist, rims, eta, points)
        for rod, *artists in self.rods:
            a, b = in_world(rod.a, where), in_world(rod.b, where)
            if rod.kind in STRETCHED:
                self.stage.bend(artists[0], stretched(rod.kind, a, b, 1.4 * self.drawing.unit))
                continue
            # an actuator is a cylinder that keeps its length, and a piston rod over all of the way
            inside = min(rod.barrel / max(float(np.linalg.norm(b - a)), 1e-300), 0.97)
            for artist, share in zip(artists, (1.0, inside), strict=False):
                self.stage.bend(artist, np.stack([a, a + share * (b - a)]))
        for strand, artist in self.strands:
            self.stage.bend(artist, in_strand(strand, where))
        self.stage.place(where)

    def _skin_artists(self, skin: Skin) -> tuple[Any, list[Any]]:
        """The triangles of a flexible body, if it has any, and the lines along its rims."""
        edge = self.colors[id(skin.body)][1]
        nothing = np.zeros((2, self.stage.dimensions))
        width = (1.0 if len(skin.triangles) else 1.6) * style.LINE
        rims = [self.stage.line(None, nothing, 3.201, **ROUND, color=edge, linewidth=width) for _ in skin.lines]
        found = [self.stage.triangles(3.2)] if len(skin.triangles) else []
        for artist in (*found, *rims):
            artist.set_gid(f"{skin.body.name}:skin")
            self.artists.append(artist)
        return (found[0] if found else None), rims

    def _place_skin(self, skin: Skin, artist: Artist, rims: list[Any], eta: np.ndarray, points: np.ndarray) -> None:
        if artist is not None:
            corners, colors = points[skin.triangles], to_rgba(self.colors[id(skin.body)][0], len(skin.triangles))
            if skin.stress is not None and self.look.limit > 0.0:
                corners, level = subdivided(corners, levels(skin, eta, self.look.limit)[skin.triangles])
                colors = colors_at(level.mean(axis=1))
            self.stage.mold(artist, corners, colors)
        for rim, line in zip(rims, skin.lines, strict=True):
            self.stage.bend(rim, points[line])

    def _draw(self, shape: Shape, order: float) -> None:
        if len(shape.points) == 0:
            return
        pen = Pen(self.stage, shape.frame, shape.points, order)
        KINDS[shape.kind](pen, self.colors[id(shape.body)])
        for artist, layer in pen.drawn:
            _thin(artist, self.thickness)
            artist.set_gid(f"{shape.body.name}:{shape.kind}")
            if shape.body is not self.model.ground or layer > self.stage.background:
                self.artists.append(artist)


class Pen:
    """Draws the points of one shape on a stage; of shapes in one layer, those of higher `order` lie above."""

    def __init__(self, stage: Stage, frame: Frame, points: np.ndarray, order: float) -> None:
        self.stage, self.frame, self.points, self.order = stage, frame, points, order
        self.drawn: list[tuple[Any, float]] = []  # artists and their layers

    def line(self, layer: float, **look: Any) -> None:
        look = ROUND | look
        self._keep(self.stage.line(self.frame, self.points, layer + self.order, **look), layer)

    def polygon(self, layer: float, **look: Any) -> None:
        self._keep(self.stage.polygon(self.frame, self.points, layer + self.order, joinstyle="round", **look), layer)

    def _keep(self, artist: Artist, layer: float) -> None:
        self.drawn.append((artist, layer + self.order))


def sized_drawing(stage: type[Stage], model: Model, where: Poses, reach: Reach) -> tuple[Drawing, float]:
    """The shapes with symbols in proportion to the mechanism, and its relative line width: 1, less if its links are
    small compared to the whole."""
    bare = stage.drawing(model, where, 0.0, reach)
    points = world_points(bare, where, ENDLESS)
    size = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    largest = stage.symbol_size * (size if size > POINT else 1.0)
    links = [float(np.ptp(shape.points, axis=0).max()) for shape in bare.shapes if shape.kind in ("bar", "plate")]
    unit = min(largest, LINK_SYMBOL * float(np.median(links))) if links else largest
    return stage.drawing(model, where, unit or largest, reach), max((unit or largest) / largest, 0.1)


def in_world(marker: Marker, where: Poses) -> np.ndarray:
    return moved(np.array(marker.place), where[frame_of(marker)])


def in_strand(strand: Strand, where: Poses) -> np.ndarray:
    """The line of a rope or belt in the world."""
    centers = np.stack([in_world(marker, where) for marker, _ in strand.stops])
    if strand.tangents is not None:
        turned = [where[frame_of(m)][1] @ t for (m, _), t in zip(strand.stops, strand.tangents, strict=True)]
        return beam_points(centers, np.stack(turned))
    radii, normal = np.array([radius for _, radius in strand.stops]), None
    if strand.axle is not None:
        body, direction = strand.axle
        normal = where[id(body)][1] @ direction
    return strand_points(centers, radii, normal, strand.closed)


def world_points(picture: Drawing, where: Poses, without: tuple[str, ...] = ()) -> np.ndarray:
    """All points of a drawing in the world, `without` some kinds of shapes."""
    shapes = [shape for shape in picture.shapes if len(shape.points) and shape.kind not in without]
    parts = [moved(shape.points, where[shape.frame]) for shape in shapes]
    parts += [points for _, _, points in where.skins]
    parts += [in_world(end, where)[None] for rod in picture.rods for end in (rod.a, rod.b)]
    parts += [in_strand(strand, where) for strand in picture.strands]
    if not parts:
        return np.zeros((0, 2))
    points = np.vstack(parts)
    return points[np.isfinite(points).all(axis=1)]


def to_rgba(color: str, count: int) -> np.ndarray:
    """A color as rows of numbers."""
    from matplotlib.colors import to_rgba as numbers

    return np.tile(numbers(color), (count, 1))


def _thin(artist: Any, factor: float) -> None:
    from matplotlib.lines import Line2D

    artist.set_linewidth(factor * artist.get_linewidth())
    if isinstance(artist, Line2D):
        artist.set_markersize(factor * artist.get_markersize())
        artist.set_markeredgewidth(factor * artist.get_markeredgewidth())


def _bar(pen: Pen, colors: Colors) -> None:
    fill, edge = colors
    pen.line(3.0, color=edge, linewidth=style.LINK + 2.0 * style.LINE)
    pen.line(3.0005, color=fill, linewidth=style.LINK)


def _plate(pen: Pen, colors: Colors) -> None:
    fill, edge = colors
    width = style.LINK + 2.0 * style.LINE
    pen.polygon(3.0, facecolor=edge, edgecolor=edge, linewidth=width)
    pen.polygon(3.0005, facecolor=fill, edgecolor=fill, linewidth=style.LINK)


def _area(pen: Pen, colors: Colors) -> None:
    fill, edge = colors
    pen.polygon(2.0, facecolor=fill + "c8", edgecolor=edge, linewidth=style.LINE)


def _disk(pen: Pen, colors: Colors) -> None:
    fill, edge = colors
    pen.polygon(2.0, facecolor=fill + "b0", edgecolor=edge, linewidth=style.LINE)


def _box(pen: Pen, colors: Colors) -> None:
    fill, edge = colors
    pen.polygon(4.0, facecolor=fill, edgecolor=edge, linewidth=style.LINE)


def _outline(pen: Pen, colors: Colors) -> None:
    pen.line(2.7, color=colors[1], linewidth=1.6 * style.LINE)


def _ring(pen: Pen, colors: Colors) -> None:
    fill, edge = colors
    pen.line(1.0, color=fill, linewidth=1.2 * style.LINK)
    pen.line(1.0005, color=edge, linewidth=style.LINE)


def _spoke(pen: Pen, colors: Colors) -> None:
    pen.line(2.5, color=colors[1], linewidth=style.LINE)


def _channel(pen: Pen, colors: Colors) -> None:
    pen.line(3.5, color=colors[1], linewidth=0.75 * style.LINK + 2.0)
    pen.line(3.5005, color=style.PAPER, linewidth=0.75 * style.LINK)


def _face(pen: Pen, colors: Colors) -> None:
    pen.line(3.5, color=colors[1], linewidth=4.0, solid_capstyle="butt")


def _rail(pen: Pen, colors: Colors) -> None:
    pen.line(1.5, color=style.GROUND, linewidth=style.LINE)


def _hatch(pen: Pen, colors: Colors) -> None:
    pen.line(1.4, color=style.GROUND, linewidth=0.8)


def _support(pen: Pen, colors: Colors) -> None:
    pen.polygon(1.6, facecolor="#eef0f3", edgecolor=style.GROUND, linewidth=style.LINE)


def _arrow(pen: Pen, colors: Colors) -> None:
    pen.line(5.5, color=style.ACCENT, linewidth=1.6)


def _marker(symbol: str, size: float, fill: str, layer: float) -> Any:
    def draw(pen: Pen, colors: Colors) -> None:
        look = {"marker": symbol, "markersize": size, "markerfacecolor": fill, "linestyle": "none"}
        pen.line(layer, markeredgecolor=style.INK, markeredgewidth=1.2, **look)

    return draw


def _barrel(pen: Pen, colors: Colors) -> None:
    """A sleeve around an axis: what a hinge looks like in space."""
    pen.line(5.0, color=style.INK, linewidth=7.4, solid_capstyle="butt")
    pen.line(5.0005, color=style.PAPER, linewidth=5.0, solid_capstyle="butt")


def _axis(pen: Pen, colors: Colors) -> None:
    pen.line(2.6, color=style.INK, linewidth=0.8, linestyle=(0, (7, 2, 1.5, 2)))


def _lugs(pen: Pen, colors: Colors) -> None:
    """What holds the barrel of a hinge on both sides: seen as the ends of its bolt."""
    pen.line(4.95, color=style.INK, linewidth=9.0, solid_capstyle="butt")


def _tire(pen: Pen, colors: Colors) -> None:
    pen.polygon(2.0, facecolor="#8b9099c0", edgecolor=style.INK, linewidth=2.2 * style.LINE)


def _arm(pen: Pen, colors: Colors) -> None:
    """Half of the cross of a universal joint, in the color of its shaft."""
    pen.line(5.0, color=style.INK, linewidth=4.6)
    pen.line(5.0005, color=colors[0], linewidth=2.6)


def _sheet(pen: Pen, colors: Colors) -> None:
    pen.polygon(1.0, facecolor=colors[0] + "50", edgecolor=colors[1], linewidth=0.5 * style.LINE)


def _matter(pen: Pen, colors: Colors) -> None:
    """The faces of a solid: they are translucent."""
    fill, edge = colors
    pen.polygon(2.0, facecolor=fill + "70", edgecolor=edge + "90", linewidth=0.4 * style.LINE)


def _road(pen: Pen, colors: Colors) -> None:
    pen.polygon(0.5, facecolor="#d5d9e080", edgecolor=style.GROUND + "60", linewidth=0.4 * style.LINE)


def _rod_artists(stage: Stage, rod: Rod) -> list[Any]:
    """A thin line, a spring or damper, or an actuator: piston rod and cylinder."""
    nothing = np.zeros((2, len(rod.a.place)))
    if rod.kind == "rod":
        return [stage.line(None, nothing, 2.8, **ROUND, color=style.INK, linewidth=2.0)]
    if rod.kind in STRETCHED:
        return [stage.line(None, nothing, 3.2, **ROUND, color=style.GROUND, linewidth=1.2)]
    piston = stage.line(None, nothing, 2.8, **ROUND, color=style.ACCENT, linewidth=2.0)
    wide = ROUND | {"color": style.ACCENT, "linewidth": 0.8 * style.LINK, "solid_capstyle": "butt"}
    return [piston, stage.line(None, nothing, 2.9, **wide)]


def _strand_artist(stage: Stage, strand: Strand) -> Any:
    nothing = np.zeros((2, len(strand.stops[0][0].place)))
    return stage.line(None, nothing, 2.9, **ROUND, color=style.INK, linewidth=1.8)


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
    "axis": _axis,
    "barrel": _barrel,
    "lugs": _lugs,
    "tire": _tire,
    "sphere": _disk,
    "guide": _rail,
    "sole": _rail,
    "soil": _hatch,
    "coachwork": _matter,
    "glass": _matter,
    "arm": _arm,
    "panel": _disk,
    "matter": _matter,
    "road": _road,
    "sheet": _sheet,
    "pin": _marker("o", 6.5, style.PAPER, 5.0),
    "point": _marker("o", 4.5, style.ACCENT, 6.0),
    "weld": _marker("s", 5.0, style.INK, 5.0),
}
