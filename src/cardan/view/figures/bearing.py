"""bearing_page(bearing): the polar load diagrams of a pin, in the frame of the pin and in that of the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import ModelError
from cardan.view import style
from cardan.view.stage.arrows import number, word

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cardan.postprocess.bearing_loads import Bearing

WORDS = {"pin": "frame of the pin", "journal": "frame of the journal", "world": "world axes"}


def bearing_page(bearing: Bearing, ax: Axes | None = None, *, frame: str | None = None) -> Any:
    """A figure of a `Bearing` with both diagrams; with `ax`, or a `frame`, one of them, whose axes are returned."""
    if bearing.joint.a.body is None or len(bearing.joint.a.place) != 2:
        raise ModelError(f"the polar load diagram of {bearing.joint.title} needs a planar pin; plot its force instead")
    if ax is not None or frame is not None:
        panel = style.new_figure(4.6, 4.6).add_subplot(projection="polar") if ax is None else ax
        return _diagram(bearing, panel, frame or "pin")
    figure = style.new_figure(9.0, 4.8)
    for k, each in enumerate(("pin", "journal")):
        _diagram(bearing, figure.add_subplot(1, 2, k + 1, projection="polar"), each)
    words = f"{bearing.name}: largest {number(bearing.largest, 'N')} at t = {bearing.time:.4g} s, "
    words += f"mean {number(bearing.mean, 'N')}, rms {number(bearing.rms, 'N')}"
    figure.suptitle(words + ("" if bearing.unique else ", not unique"), fontsize=11, color=style.INK)
    return figure


def _diagram(bearing: Bearing, ax: Any, frame: str) -> Any:
    """The tip of the force over the whole run, from the center of the pin."""
    load = bearing.load(frame)
    size, angle = np.hypot(*load.T), np.arctan2(load[:, 1], load[:, 0])
    ax.plot(angle, size, color=style.CURVES[0], linewidth=1.7)
    ax.fill(angle, size, color=style.CURVES[0], alpha=0.08)
    k = int(np.argmax(size))
    ax.plot(angle[k], size[k], "o", color=style.ACCENT, markersize=5.0)
    away = np.array([np.cos(angle[k]), np.sin(angle[k])])
    word(ax, np.array([angle[k], size[k]]), number(float(size[k]), "N"), style.ACCENT, away)
    ax.plot(
        np.linspace(0.0, 2.0 * np.pi, 181), np.full(181, bearing.mean), color="#d07a1e", linewidth=1.0, linestyle="--"
    )
    ax.set_title(f"force on {bearing.reaction.body.name}, {WORDS[frame]}", fontsize=10, color=style.INK)
    ax.grid(True, color=style.FAINT)
    ax.spines["polar"].set_color(style.GROUND)
    ax.tick_params(colors=style.GROUND, labelsize=8)
    ax.set_rlabel_position(float(np.degrees(angle[k])) + 90.0)
    ax.yaxis.set_major_formatter(lambda value, _: number(value, "N") if value else "")
    ax.yaxis.set_major_locator(_few())
    return ax


def _few() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(4)
