"""Where the mechanisms of the catalogs are stated, in the plane or in space.

stage = SomeStage("four-bar", seed=3, pose=...)
body  = stage.body("arm", ...)                 a body; how it is placed is a matter of the space
joint = stage.add("hinge", Revolute(...))      an element
model = stage.model(backwards=True)            all of it, stated in the opposite order
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np


class Stage(ABC):
    """A mechanism under construction: it may be moved as a whole, varied by a seed and made a model in any order."""

    here: ClassVar[Any]  # the pose that moves nothing
    poses: ClassVar[tuple[Any, ...]]  # others, to try

    def __init__(self, empty: Any, seed: int, pose: Any) -> None:
        self.empty = empty
        self.pose = self.here if pose is None else pose
        self._random = np.random.default_rng(seed)
        self._bodies: list[tuple[str, Any]] = []
        self._elements: list[tuple[str, Any]] = []

    @staticmethod
    @abstractmethod
    def motion_of(pose: Any) -> tuple[np.ndarray, np.ndarray]:
        """The rotation matrix and the displacement of the world that a pose stands for."""

    def vary(self, size: float) -> float:
        """About `size`: within 4 percent, which keeps every mechanism of the catalog closed and away from locks."""
        return size * (1.0 + 0.04 * self._random.uniform(-1.0, 1.0))

    def keep(self, name: str, body: Any) -> Any:
        self._bodies.append((name, body))
        return body

    def add(self, name: str, element: Any) -> Any:
        self._elements.append((name, element))
        return element

    def model(self, backwards: bool = False) -> Any:
        way = -1 if backwards else 1
        for name, element in [*self._bodies[::way], *self._elements[::way]]:
            self.empty.add(element, name=name)
        return self.empty


@dataclass(frozen=True)
class Case:
    """One mechanism; `moves_with_frame` is False if it is tied to the global axes."""

    name: str
    stage: type[Any]  # a Stage, made of a name, a seed and a pose
    state: Callable[[Any], None]
    covers: tuple[Any, ...]
    moves_with_frame: bool = True

    def model(self, seed: int = 0, pose: Any = None, backwards: bool = False) -> Any:
        stage = self.stage(self.name, seed, pose)
        self.state(stage)
        return stage.model(backwards)

    def __str__(self) -> str:
        return self.name


def catalog(stage: type[Any], prefix: str = "") -> tuple[list[Case], Callable[..., Any]]:
    """An empty catalog, and what puts a mechanism into it under the name of its function."""
    cases: list[Case] = []

    def case(*covers: Any, moves_with_frame: bool = True) -> Callable[[Any], Any]:
        def keep(state: Any) -> Any:
            cases.append(Case(prefix + state.__name__.replace("_", "-"), stage, state, covers, moves_with_frame))
            return state

        return keep

    return cases, case
