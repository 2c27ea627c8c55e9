"""A word beside a point of space, in matplotlib's 3D axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.text import Annotation

if TYPE_CHECKING:
    from cardan.view.stage.spatial import SpaceStage


class SpaceAnnotation(Annotation):
    """A word beside a point of space, wherever the axes are turned to."""

    def __init__(self, stage: SpaceStage, word: str, anchor: tuple[float, ...], **look: Any) -> None:
        self.stage, self.anchor = stage, np.array(anchor)
        super().__init__(word, (0.0, 0.0), xycoords="figure pixels", **look)
        self.set_figure(stage.ax.figure)
        self._follow()

    def draw(self, renderer: Any) -> None:
        self._follow()
        super().draw(renderer)

    def _follow(self) -> None:
        x, y = self.stage.page(self.anchor)
        self.xy = (float(x), float(y))
