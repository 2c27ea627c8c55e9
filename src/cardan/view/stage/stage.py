"""A stage: axes in which lines and polygons stand where their bodies are.

    frame of a body  -- moved(points, pose) -->  world  -- stage.page(points) -->  page

Here alone pictures of the plane and of space differ: `plane_stage.py` and `space_stage.py` each have the axes of
their space. What is drawn, how it looks and where its names stand is written once, for any stage.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from cardan.view.shapes.drawing import Drawing, Reach

Pose = tuple[np.ndarray, np.ndarray]  # r and A of a body: a point s' of it is at r + A s'
Poses = dict[int, Pose]  # by id(body)
View = tuple[float | None, float | None]  # elevation and azimuth in degrees; None: as the stage chooses


class Stage(ABC):
    """Axes with the lines and polygons of bodies; `place` moves them all."""

    background: ClassVar[float]  # layers of the ground up to this one are behind everything that moves
    symbol_size: ClassVar[float]  # in terms of the size of the mechanism

    def __init__(self, ax: Any, bodies: Iterable[Any]) -> None:
        self.ax = ax

    @classmethod
    @abstractmethod
    def new_axes(cls, figure: Any, place: Any = None) -> Any:
        """Axes in a figure, at a place of its grid."""

    @classmethod
    @abstractmethod
    def prepare(cls, ax: Any, low: np.ndarray, high: np.ndarray, view: View) -> None:
        """Give axes their limits, true to scale, and a look."""

    @classmethod
    @abstractmethod
    def extent(cls, low: np.ndarray, high: np.ndarray, view: View) -> np.ndarray:
        """Width and height on the page of the room between two corners, up to a factor."""

    @classmethod
    @abstractmethod
    def drawing(cls, model: Any, known: Poses, unit: float, reach: Reach) -> Drawing:
        """All shapes of a model, as far as its bodies are `known`: what was added after an analysis is not."""

    @staticmethod
    @abstractmethod
    def frames(stored: np.ndarray) -> Pose:
        """r and A of all bodies, from the numbers that state their positions, one line for each."""

    @abstractmethod
    def page(self, points: np.ndarray) -> np.ndarray:
        """Points of the world in pixels of the page."""

    @abstractmethod
    def line(self, body: Any, points: np.ndarray, layer: float, **look: Any) -> Any:
        """A line fixed in a body; in the world without one."""

    @abstractmethod
    def polygon(self, body: Any, points: np.ndarray, layer: float, **look: Any) -> Any:
        """A filled polygon fixed in a body."""

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


def stage_of(space: Any) -> type[Stage]:
    """The stage for a space; only the one that is needed is loaded."""
    if space.dimensions == 2:
        from cardan.view.stage.planar import PlaneStage

        return PlaneStage
    from cardan.view.stage.spatial import SpaceStage

    return SpaceStage


def poses(snapshot: Any) -> Poses:
    """Where every body is at an instant."""
    system = snapshot.system
    stored = snapshot.q[: system.space.stored * (1 + len(system.bodies))].reshape(-1, system.space.stored)
    places, turns = stage_of(system.space).frames(stored)
    numbers = {id(body): system.number[id(body)] for body in (snapshot.model.ground, *system.bodies)}
    return {key: (places[k], turns[k]) for key, k in numbers.items()}


def moved(points: np.ndarray, pose: Pose) -> np.ndarray:
    """Points of a body in the world."""
    place, turn = pose
    return np.asarray(points @ turn.T + place)
