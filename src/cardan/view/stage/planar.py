"""The stage of the plane.

Every body has one affine transform between its frame and the world, and all artists of the body share it:

    screen = transData( A(phi) s' + r )

so a new instant sets one matrix per body and nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.display_units import DisplayUnits
from cardan.errors import ModelError
from cardan.view import style
from cardan.view.shapes.drawing import Drawing, Reach, fill
from cardan.view.shapes.planar import PlaneDrawing
from cardan.view.shapes.skin import Frame, Pose
from cardan.view.stage.stage import SI, Poses, Stage, View

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cardan.model.model import Model

POINT = 1e-9  # m: nothing to be seen


class PlaneStage(Stage):
    """Axes of the plane."""

    dimensions = 2
    background = 2.0
    symbol_size = 0.03

    def __init__(self, ax: Axes, bodies: Iterable[Any]) -> None:
        from matplotlib.transforms import Affine2D

        super().__init__(ax, bodies)
        self.transforms: dict[Frame, Any] = defaultdict(Affine2D)

    @classmethod
    def new_axes(cls, figure: Figure, place: Any = None) -> Any:
        return figure.add_subplot() if place is None else figure.add_subplot(place)

    @classmethod
    def prepare(cls, ax: Axes, low: np.ndarray, high: np.ndarray, view: View, display: DisplayUnits = SI) -> None:
        if any(angle is not None for angle in view):
            raise ModelError("elev and azim are for spatial models: omit them for a planar model")
        style.quiet(ax)
        ax.set_aspect("equal", adjustable="box")
        if float(np.max(high - low)) < POINT:  # a body without outline, and nothing else
            low, high = low - 0.5, high + 0.5
        ax.set_xlim(low[0], high[0])
        ax.set_ylim(low[1], high[1])
        style.unit_axis(ax.xaxis, "x", "m", display)
        style.unit_axis(ax.yaxis, "y", "m", display)

    @classmethod
    def extent(cls, low: np.ndarray, high: np.ndarray, view: View) -> np.ndarray:
        return high - low

    @classmethod
    def drawing(cls, model: Model, known: Poses, unit: float, reach: Reach) -> Drawing:
        return fill(PlaneDrawing(model.ground, unit, reach), model, known)

    @staticmethod
    def frames(stored: np.ndarray) -> Pose:
        c, s = np.cos(stored[:, 2]), np.sin(stored[:, 2])
        return stored[:, :2], np.stack([np.stack([c, -s], axis=1), np.stack([s, c], axis=1)], axis=1)

    def page(self, points: np.ndarray) -> np.ndarray:
        found: np.ndarray = self.ax.transData.transform(points)
        return found

    def line(self, frame: Frame | None, points: np.ndarray, layer: float, **look: Any) -> Any:
        from matplotlib.lines import Line2D

        line = Line2D(points[:, 0], points[:, 1], transform=self._transform(frame), zorder=layer, **look)
        return self.ax.add_artist(line)

    def polygon(self, frame: Frame, points: np.ndarray, layer: float, **look: Any) -> Any:
        from matplotlib.patches import Polygon

        transform = self._transform(frame)
        return self.ax.add_artist(Polygon(points, closed=True, transform=transform, zorder=layer, **look))

    def triangles(self, layer: float, **look: Any) -> Any:
        from matplotlib.collections import PolyCollection

        return self.ax.add_collection(PolyCollection([], zorder=layer, **look), autolim=False)

    def mold(self, artist: Any, corners: np.ndarray, colors: Any) -> None:
        artist.set_verts(corners)
        artist.set(facecolor=colors, edgecolor="face", linewidth=0.4)  # no gaps between triangles

    def bend(self, line: Any, points: np.ndarray) -> None:
        line.set_data(points[:, 0], points[:, 1])

    def points_of(self, line: Any) -> np.ndarray:
        points: np.ndarray = line.get_xydata()
        return points

    def place(self, where: Poses) -> None:
        for key, (place, turn) in where.items():
            self.transforms[key].set_matrix(np.block([[turn, place[:, None]], [np.zeros(2), np.ones(1)]]))

    def annotate(self, word: str, anchor: tuple[float, ...], **look: Any) -> Any:
        return self.ax.annotate(word, (anchor[0], anchor[1]), **look)

    def _transform(self, frame: Frame | None) -> Any:
        return self.ax.transData if frame is None else self.transforms[frame] + self.ax.transData
