"""Spatial drawings: matplotlib's 3D axes in parallel projection.

  z                    What lies nearer to the eye is drawn later: an artist's layer is its depth along the
  |    . eye           line of sight. Joint symbols (layers from IN_FRONT on) are always seen.
  |  .
  o------ y
 /
x
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.display_units import DisplayUnits
from cardan.errors import ModelError
from cardan.spatial import rotation
from cardan.view import style
from cardan.view.shapes import tires  # noqa: F401  symbols of wheels
from cardan.view.shapes.car import add_coachwork
from cardan.view.shapes.drawing import Drawing, Reach, fill
from cardan.view.shapes.skin import Frame, Pose
from cardan.view.shapes.spatial import AZIMUTH, SpaceDrawing
from cardan.view.stage.stage import SI, Poses, Stage, View, moved

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d import Axes3D

    from cardan.model.model import Model

ELEVATION = 24.0  # degrees, of the eye above the xy plane
IN_FRONT = 4.9
LIGHT = np.array([0.1, -0.62, 1.0]) / 1.18  # toward the sun, as in pages
BEHIND = 0.9  # layers of roads, which lie behind all else
LABEL_PADS = {"x": 1.0, "y": 1.0, "z": 0.0}  # pt between numbers and labels
FILL = 0.85  # how much of the axes is filled, in terms of a cube; the rest is for numbers and labels
OBLONG, BESIDE = 1.25, 1.12  # the largest and the least width on the page, in terms of the height


class SpaceStage(Stage):
    """Axes of space."""

    dimensions = 3
    background = -math.inf
    symbol_size = 0.035

    ax: Axes3D

    def __init__(self, ax: Axes, bodies: Iterable[Any]) -> None:
        super().__init__(ax, bodies)
        self.fixed: list[tuple[Any, Frame, np.ndarray, float]] = []  # artist, its frame, its points there, its layer
        self.loose: list[tuple[Any, float]] = []  # lines of the world and their layers
        self.molded: dict[Any, tuple[float, np.ndarray]] = {}  # triangles of the world, their layers and corners

    @classmethod
    def new_axes(cls, figure: Figure, place: Any = None) -> Any:
        style.need_matplotlib()
        where = () if place is None else (place,)
        ax = figure.add_subplot(*where, projection="3d", computed_zorder=False)
        ax.view_init(ELEVATION, AZIMUTH)
        return ax

    @classmethod
    def prepare(cls, ax: Any, low: np.ndarray, high: np.ndarray, view: View, display: DisplayUnits = SI) -> None:
        if ax.name != "3d":
            raise ModelError("a spatial model needs 3D axes: figure.add_subplot(projection='3d'), or leave ax out")
        ax.computed_zorder = False
        ax.set_proj_type("ortho")
        elev, azim = (given if given is not None else own for given, own in zip(view, (ax.elev, ax.azim), strict=True))
        ax.view_init(elev, azim)
        ax.set_box_aspect(high - low, zoom=_zoom(low, high, (elev, azim)))
        for axis, start, end in zip((ax.xaxis, ax.yaxis, ax.zaxis), low, high, strict=True):
            axis.axes.set(**{f"{axis.axis_name}lim": (start, end)})
            bins = max(round(6.0 * (end - start) / (high - low).max()), 2)
            style.unit_axis(axis, axis.axis_name, "m", display, bins)
            axis.labelpad = LABEL_PADS[axis.axis_name]
            axis.set_pane_color("#fbfbfc")
            axis.line.set_color(style.GROUND)
            axis._axinfo["grid"].update(color=style.FAINT, linewidth=0.8)
        ax.tick_params(colors=style.GROUND, labelsize=8, pad=0)
        style.color(ax)

    @classmethod
    def extent(cls, low: np.ndarray, high: np.ndarray, view: View) -> np.ndarray:
        """Not too oblong: 3D axes are square, and have the numbers of the z axis beside them."""
        width, height = _projected(low, high, view)
        return np.array([max(width, BESIDE * height), max(height, width / OBLONG)])

    @classmethod
    def drawing(cls, model: Model, known: Poses, unit: float, reach: Reach) -> Drawing:
        found = fill(SpaceDrawing(model.ground, unit, reach), model, known)
        add_coachwork(found, model, known)
        return found

    @staticmethod
    def frames(stored: np.ndarray) -> Pose:
        return stored[:, :3], rotation.matrix(stored[:, 3:7])

    def page(self, points: np.ndarray) -> np.ndarray:
        from mpl_toolkits.mplot3d import proj3d

        x, y, _ = proj3d.proj_transform(*np.asarray(points, float).reshape(-1, 3).T, self.ax.get_proj())
        found: np.ndarray = self.ax.transData.transform(np.stack([x, y], axis=1))
        return found.reshape(*np.shape(points)[:-1], 2)

    def line(self, frame: Frame | None, points: np.ndarray, layer: float, **look: Any) -> Any:
        from mpl_toolkits.mplot3d.art3d import Line3D

        artist = self.ax.add_artist(Line3D(*points.T, **look))
        if frame is None:
            self.loose.append((artist, layer))
        else:
            self.fixed.append((artist, frame, points, layer))
        return artist

    def polygon(self, frame: Frame, points: np.ndarray, layer: float, **look: Any) -> Any:
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        artist = self.ax.add_collection3d(Poly3DCollection(_faces(points), **look), autolim=False)
        self.fixed.append((artist, frame, points, layer))
        return artist

    def triangles(self, layer: float, **look: Any) -> Any:
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        artist = self.ax.add_collection3d(Poly3DCollection([np.zeros((3, 3))], **look), autolim=False)
        self.molded[artist] = layer, np.zeros((3, 3))
        return artist

    def mold(self, artist: Any, corners: np.ndarray, colors: Any) -> None:
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        facing = np.abs(normals @ LIGHT) / np.maximum(np.linalg.norm(normals, axis=1), 1e-300)
        shaded = np.array(colors, float).reshape(-1, 4)[:, :3] * (0.72 + 0.28 * facing)[:, None]
        artist.set_verts(corners)
        artist.set(facecolor=shaded, edgecolor=shaded, linewidth=0.4)
        self.molded[artist] = self.molded[artist][0], corners.reshape(-1, 3)

    def bend(self, line: Any, points: np.ndarray) -> None:
        line.set_data_3d(*points.T)

    def points_of(self, line: Any) -> np.ndarray:
        return np.stack(line.get_data_3d(), axis=1)

    def place(self, where: Poses) -> None:
        from mpl_toolkits.mplot3d.art3d import Line3D

        self.ax.M = self.ax.get_proj()  # the projection of artists drawn separately
        for artist, key, points, layer in self.fixed:
            world = moved(points, where[key])
            if isinstance(artist, Line3D):
                artist.set_data_3d(*world.T)
            else:
                artist.set_verts(_faces(world))
                artist.do_3d_projection()
            artist.set_zorder(self._order(world, layer))
        for artist, (layer, corners) in self.molded.items():
            artist.do_3d_projection()
            artist.set_zorder(self._order(corners, layer))
        for artist, layer in self.loose:
            artist.set_zorder(self._order(self.points_of(artist), layer))

    def annotate(self, word: str, anchor: tuple[float, ...], **look: Any) -> Any:
        from cardan.view.stage.annotation import SpaceAnnotation

        return self.ax.add_artist(SpaceAnnotation(self, word, anchor, **look))

    def _order(self, points: np.ndarray, layer: float) -> float:
        """Layers of the page: 10 and above, by depth; the layer of a kind decides between equals."""
        from mpl_toolkits.mplot3d import proj3d

        if layer < BEHIND:
            return layer
        _, _, away = proj3d.proj_transform(*np.nanmean(points, axis=0), self.ax.M)  # -1 to 1 within the axes
        return 10.0 - float(away) + 1e-3 * layer + (5.0 if layer >= IN_FRONT else 0.0)


def _projected(low: np.ndarray, high: np.ndarray, view: View) -> tuple[float, float]:
    """Width and height of a room as the eye sees it."""
    stated = (own if given is None else given for given, own in zip(view, (ELEVATION, AZIMUTH), strict=True))
    elev, azim = map(math.radians, stated)
    dx, dy, dz = (high - low).tolist()
    width = abs(math.sin(azim)) * dx + abs(math.cos(azim)) * dy
    depth = abs(math.cos(azim)) * dx + abs(math.sin(azim)) * dy
    return width, abs(math.sin(elev)) * depth + abs(math.cos(elev)) * dz


def _zoom(low: np.ndarray, high: np.ndarray, view: View) -> float:
    """3D axes fit the diagonal of their contents; fit the visible width or height instead."""
    return FILL * float(np.linalg.norm(high - low)) / max(_projected(low, high, view))


def _faces(points: np.ndarray) -> list[np.ndarray]:
    """The polygons between lines of NaN."""
    gaps = np.flatnonzero(np.isnan(points[:, 0]))
    return [points] if not len(gaps) else [face[np.isfinite(face[:, 0])] for face in np.split(points, gaps)]
