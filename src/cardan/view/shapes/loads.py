"""Forces and torques that a model states, as arrows in a sketch: where they act and which way, not how large."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.forces.load import Load
from cardan.elements.forces.torque import Torque
from cardan.view import style
from cardan.view.shapes.skin import frame_of
from cardan.view.stage.arrows import arrow, turn, word
from cardan.view.stage.scene import Scene, in_world
from cardan.view.stage.stage import Poses, poses

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cardan.results.snapshot import Snapshot

LENGTH = 5.0  # of an arrow, in terms of the size of symbols
AROUND = 2.6  # radius of a round one
FRONT = 60.0  # layer: above all bodies of space, too


def draw_loads(scene: Scene, snapshot: Snapshot, names: bool) -> None:
    """Arrows of all loads that are not zero at this instant."""
    where = poses(snapshot)
    for element in scene.drawing.elements:
        if isinstance(element, Load | Torque):
            strength = np.array([float(motion.derivatives(snapshot.time)[0]) for motion in element.motions])
            size = float(np.linalg.norm(strength))
            if size > 0.0:
                _draw(scene, element, strength / size, where, names)


def _draw(scene: Scene, element: Any, along: np.ndarray, where: Poses, names: bool) -> None:
    place, unit = in_world(element.marker, where), scene.drawing.unit
    if isinstance(element, Torque) and len(along) == 1:
        turn(scene.ax, place, AROUND * unit, float(along[0]), style.ACCENT)
        tail = place + AROUND * unit
    else:
        if element.frame == "body":
            body = where[frame_of(element.marker)][1]
            axes = scene.drawing.along(element.marker, np.eye(len(along))) - element.marker.place
            along = body @ axes.T @ along
        tail = place - LENGTH * unit * along  # a force ends where it acts, unless it would begin outside the picture
        start, end = (tail, place) if _inside(scene.ax, tail) else (place, place + LENGTH * unit * along)
        tail = start if start is tail else end
        arrow(scene.ax, start, end, style.ACCENT).set_zorder(FRONT)
    if names and element.name:
        word(scene.ax, tail, element.name, style.ACCENT, tail - place).set_zorder(FRONT)


def _inside(ax: Axes, point: np.ndarray) -> bool:
    limits = [getattr(ax, f"get_{axis}lim")() for axis in "xyz"[: len(point)]]
    return all(min(pair) <= value <= max(pair) for pair, value in zip(limits, point.tolist(), strict=True))
