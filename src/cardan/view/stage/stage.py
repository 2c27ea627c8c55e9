"""A stage: axes in which lines and polygons stand where their bodies are.

    frame of a body  -- moved(points, pose) -->  world  -- stage.page(points) -->  page

Here alone pictures of the plane and of space differ: `planar.py` and `spatial.py` each have the axes of
their space. What is drawn, how it looks and where its names stand is written once, for any stage.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cardan.display_units import DisplayUnits
from cardan.view.shapes.drawing import Drawing, Reach
from cardan.view.shapes.skin import Frame, Pose, Skin, has_skin, modal_table, skins_of

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cardan.model.model import Model
    from cardan.model.space import Space
    from cardan.results.snapshot import Snapshot

SI = DisplayUnits()
View = tuple[float | None, float | None]  # elevation and azimuth in degrees; None: as the stage chooses


class Poses(dict[Frame, Pose]):
    """Where bodies and the interfaces of flexible bodies are; `skins` has the points of the latter in the world."""

    def __init__(self, places: dict[Frame, Pose]) -> None:
        super().__init__(places)
        self.skins: list[tuple[Skin, np.ndarray, np.ndarray]] = []  # skin, modal coordinates, points

    def deform(self, skins: Iterable[Skin], modal: np.ndarray, scale: float) -> Poses:
        """Add the flexible bodies with these modal coordinates of all of them."""
        for skin in skins:
            place, turn = self[id(skin.body)]
            eta, d = modal[skin.columns], len(place)
            for name in skin.part.interfaces:
                r, A = skin.frame(name, eta, scale)
                self[id(skin.body), name] = place + turn @ r[:d], turn @ A[:d, :d]
            if has_skin(skin.body):
                self.skins.append((skin, eta, moved(skin.deformed(eta, scale)[:, :d], (place, turn))))
        return self


class Stage(ABC):
    """Axes with the lines and polygons of bodies; `place` moves them all."""

    dimensions: ClassVar[int]
    background: ClassVar[float]  # layers of the ground up to this one are behind everything that moves
    symbol_size: ClassVar[float]  # in terms of the size of the mechanism

    def __init__(self, ax: Axes, bodies: Iterable[Any]) -> None:
        self.ax = ax

    @classmethod
    @abstractmethod
    def new_axes(cls, figure: Figure, place: Any = None) -> Any:
        """Axes in a figure, at a place of its grid."""

    @classmethod
    @abstractmethod
    def prepare(cls, ax: Axes, low: np.ndarray, high: np.ndarray, view: View, display: DisplayUnits = SI) -> None:
        """Give axes their limits, true to scale, and a look; numbers are in the units of `display`."""

    @classmethod
    @abstractmethod
    def extent(cls, low: np.ndarray, high: np.ndarray, view: View) -> np.ndarray:
        """Width and height on the page of the room between two corners, up to a factor."""

    @classmethod
    @abstractmethod
    def drawing(cls, model: Model, known: Poses, unit: float, reach: Reach) -> Drawing:
        """All shapes of a model, as far as its bodies are `known`: what was added after an analysis is not."""

    @staticmethod
    @abstractmethod
    def frames(stored: np.ndarray) -> Pose:
        """r and A of all bodies, from the numbers that state their positions, one line for each."""

    @abstractmethod
    def page(self, points: np.ndarray) -> np.ndarray:
        """Points of the world in pixels of the page."""

    @abstractmethod
    def line(self, frame: Frame | None, points: np.ndarray, layer: float, **look: Any) -> Any:
        """A line fixed in a body; in the world without one."""

    @abstractmethod
    def polygon(self, frame: Frame, points: np.ndarray, layer: float, **look: Any) -> Any:
        """A filled polygon fixed in a body."""

    @abstractmethod
    def triangles(self, layer: float, **look: Any) -> Any:
        """Triangles in the world, which `mold` places."""

    @abstractmethod
    def mold(self, artist: Artist, corners: np.ndarray, colors: Any) -> None:
        """Give triangles new corners (t, 3, dimensions) and colors."""

    @abstractmethod
    def bend(self, line: Any, points: np.ndarray) -> None:
        """Give a line of the world new points."""

    @abstractmethod
    def points_of(self, line: Any) -> np.ndarray:
        """The points of a line."""

    @abstractmethod
    def place(self, where: Poses) -> None:
        """Move every line and polygon to where its body is."""

    @abstractmethod
    def annotate(self, word: str, anchor: tuple[float, ...], **look: Any) -> Any:
        """Write a word beside a point of the world."""


def stage_of(space: Space) -> type[Stage]:
    """The stage for a space; only the one that is needed is loaded."""
    if space.dimensions == 2:
        from cardan.view.stage.planar import PlaneStage

        return PlaneStage
    from cardan.view.stage.spatial import SpaceStage

    return SpaceStage


def poses(snapshot: Snapshot, scale: float = 1.0) -> Poses:
    """Where every body is at an instant; deformation is magnified by `scale`."""
    system = snapshot.system
    stored = snapshot.q[: system.space.stored * (1 + len(system.bodies))].reshape(-1, system.space.stored)
    places, turns = stage_of(system.space).frames(stored)
    numbers = {id(body): system.number[id(body)] for body in (snapshot.model.ground, *system.bodies)}
    where = Poses({key: (places[k], turns[k]) for key, k in numbers.items()})
    return where.deform(skins_of(system), modal_table(system, snapshot.q[None])[0], scale)


def moved(points: np.ndarray, pose: Pose) -> np.ndarray:
    """Points of a body in the world."""
    place, turn = pose
    return np.asarray(points @ turn.T + place)
