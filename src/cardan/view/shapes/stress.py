"""Von Mises stress of flexible bodies in pictures: its largest value, its unit and its colors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import ModelError
from cardan.flexible.stress import StressPeaks, stress_peaks, von_mises
from cardan.model import check
from cardan.view import style
from cardan.view.shapes.skin import Skin, skins_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cardan.results.trajectory import Trajectory

UNITS = ((1e10, 1e9, "GPa"), (1e5, 1e6, "MPa"), (1e2, 1e3, "kPa"))  # from this value on, the size of a unit
LARGEST_SCALE = 1e6
MOST_TRIANGLES = 6000  # of a subdivided skin


@dataclass(frozen=True)
class Deformed:
    """How flexible bodies are drawn: the magnification of their deformation, and the stress in Pa at the end of the
    scale of colors; 0: in the colors of the bodies."""

    scale: float = 1.0
    limit: float = 0.0


AS_IT_IS = Deformed()


def deformed_look(run: Trajectory, deformation: Any, stress: Any) -> Deformed:
    """How the flexible bodies of a result are drawn."""
    scale = check.number(deformation, "the magnification of the deformation")
    if not 0.0 <= scale <= LARGEST_SCALE:
        raise ModelError(f"deformation= of a picture magnifies by 0 to {LARGEST_SCALE:g}, got {scale:g}")
    check.flag(stress, "stress= of a picture")
    return Deformed(scale, stress_limit(run) if stress else 0.0)


def peaks_of(run: Trajectory) -> list[tuple[Skin, StressPeaks]]:
    """The peaks of the stress of the flexible bodies of a result that have stress modes."""
    skins = [skin for skin in skins_of(run.system) if skin.part.stress is not None]
    return [(skin, stress_peaks(skin.part, run.times, skin.coordinates(run.q))) for skin in skins]


def stress_limit(run: Trajectory) -> float:
    """The largest von Mises stress of all flexible bodies in a result, in Pa; 0 if none has stress modes."""
    return max((float(peaks.value.max(initial=0.0)) for _, peaks in peaks_of(run)), default=0.0)


def stress_unit(limit: float) -> tuple[float, str]:
    """The unit in which stresses up to a limit are shown: its value in Pa, and its name.

    >>> stress_unit(2.4e8), stress_unit(3e5)
    ((1000000.0, 'MPa'), (1000000.0, 'MPa'))
    """
    return next(((size, name) for least, size, name in UNITS if limit >= least), (1.0, "Pa"))


def levels(skin: Skin, eta: np.ndarray, limit: float) -> np.ndarray:
    """The stress of the points of a skin relative to the limit."""
    if skin.stress is None or limit <= 0.0:
        return np.zeros(len(skin.points))
    return np.asarray(von_mises(skin.stress @ eta) / limit)


def subdivided(corners: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Triangles (t, 3, dimensions) with values (t, 3) at their corners, each cut in four as long as they are few: one
    color each then shows no steps."""
    while 0 < 4 * len(corners) <= MOST_TRIANGLES:
        (a, b, c), (u, v, w) = np.moveaxis(corners, 1, 0), values.T
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        uv, vw, wu = 0.5 * (u + v), 0.5 * (v + w), 0.5 * (w + u)
        corners = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
        values = np.concatenate([np.stack(t, axis=1) for t in ((u, uv, wu), (uv, v, vw), (wu, vw, w), (uv, vw, wu))])
    return corners, values


def colors_at(level: np.ndarray) -> np.ndarray:
    """Colors (..., 4) of levels from 0 to 1."""
    stops = np.array([[int(color[k : k + 2], 16) / 255.0 for k in (1, 3, 5)] for color in style.STRESS])
    at = np.linspace(0.0, 1.0, len(stops))
    clipped = np.clip(level, 0.0, 1.0)
    return np.stack([*(np.interp(clipped, at, stops[:, k]) for k in range(3)), np.ones_like(clipped)], axis=-1)


def draw_legend(ax: Axes, limit: float) -> None:
    """The scale of colors beside axes."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    size, unit = stress_unit(limit)
    scale = LinearSegmentedColormap.from_list("stress", style.STRESS)
    bar = ax.figure.colorbar(
        ScalarMappable(Normalize(0.0, limit / size), scale), ax=ax, shrink=0.7, aspect=24, pad=0.02
    )
    bar.set_label(f"von Mises stress [{unit}]", fontsize=9, color=style.INK)
    bar.ax.tick_params(labelsize=8, colors=style.GROUND)
    bar.outline.set_visible(False)
