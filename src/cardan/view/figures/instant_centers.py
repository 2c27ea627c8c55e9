"""instant_centers_page(centers): the mechanism with its instant centers and the lines of Kennedy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.view import style
from cardan.view.sketch import make_scene
from cardan.view.stage.arrows import word

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cardan.postprocess.instant_centers import InstantCenters

FAR = 4.0  # times the mechanism: centers farther away are listed, not drawn


def instant_centers_page(centers: InstantCenters, ax: Axes | None = None, *, lines: bool = True) -> Axes:
    """Axes with the mechanism and its instant centers; those at infinity or far away are listed below."""
    scene = make_scene(centers.snapshot, ax)
    ax = scene.ax
    low, high = (np.array(pair) for pair in zip(ax.get_xlim(), ax.get_ylim(), strict=True))
    size, middle = float((high - low).max()), 0.5 * (low + high)
    numbers = {body.name: str(k + 1) for k, body in enumerate((centers.model.ground, *centers.model.bodies))}
    near: list[Any] = []
    far: list[Any] = []
    for pole in centers:
        place = pole.point
        (near if place is not None and np.hypot(*(place - middle)) < FAR * size else far).append(pole)
    seen = np.array([low, high, *(pole.point for pole in near)])
    low, high = seen.min(axis=0) - 0.05 * size, seen.max(axis=0) + 0.05 * size
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    if lines:
        for line in {tuple(np.round(line.numbers, 9)): line for pole in near for line in pole.lines}.values():
            _line(ax, line.numbers)
    for pole in near:
        color = style.INK if pole.how == "joint" else style.ACCENT
        ax.plot(*pole.point, "o", color=color, markersize=5.0, zorder=9.0)
        word(ax, pole.point, "".join(sorted(numbers[body.name] for body in pole.bodies)), color, np.array([1.0, 1.0]))
    ax.set_title(f"instant centers of {centers.model.name}, t = {centers.time:.4g} s", fontsize=11, color=style.INK)
    said = [", ".join(f"{number} {name}" for name, number in numbers.items())]
    for pole in far:
        said.append(f"{''.join(sorted(numbers[body.name] for body in pole.bodies))} {pole.where}")
    ax.set_xlabel("\n".join([ax.get_xlabel(), *said]), fontsize=8.5, color=style.GROUND)
    return ax


def _line(ax: Axes, numbers: np.ndarray) -> None:
    """n . x = d across the whole picture."""
    normal = numbers[:2]
    foot, along = -numbers[2] * normal, np.array([-normal[1], normal[0]])
    ax.axline(tuple(foot), tuple(foot + along), color="#9aa1ad", linewidth=0.9, linestyle=(0, (6, 3)), zorder=2.2)
