"""What a report says of flexible bodies: their deformation, the peak of their stress, and a picture of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.view.report import drawn
from cardan.view.report.content import Block, Cell, ReportTable
from cardan.view.shapes.skin import Skin, has_skin, skins_of
from cardan.view.shapes.stress import peaks_of
from cardan.view.sketch import sketch

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory

SEEN = 0.08  # of the size of a body: as large a picture shows its deformation
BLOCK = 1 << 22  # numbers that are computed at a time


def flexible_bodies(run: Trajectory) -> list[Block]:
    """A table of all flexible bodies, and the picture of the one with the largest stress, or deformation."""
    skins = [skin for skin in skins_of(run.system) if has_skin(skin.body) and len(skin.points)]
    if not skins or not len(run):
        return []
    peaks = {id(skin): found for skin, found in peaks_of(run)}
    bent = {id(skin): largest_deformation(skin, run) for skin in skins}
    rows = tuple(_row(skin, run, *bent[id(skin)], peaks.get(id(skin))) for skin in skins)
    factor, unit = run.model.display.shown("m")
    heads = ("body", "modes", f"deformation [{unit}]", "at t [s]", "von Mises stress [MPa]", f"at [{unit}]", "at t [s]")
    caption = "The largest deformation relative to the joints of a body, and the peak of its stress"
    worst = max(skins, key=lambda s: float(peaks[id(s)].value.max()) if id(s) in peaks else -1.0)
    found = peaks.get(id(worst))
    time = bent[id(worst)][1] if found is None else float(found.time[found.point])
    scale = magnification(worst, bent[id(worst)][0])
    picture = sketch(run.at(time), run=run if len(run) > 1 else None, title="", trace=False, deformation=scale).figure
    words = f"The mechanism at t = {time:.4g} s" + (f", deformation magnified by {scale:g}" if scale != 1.0 else "")
    return [ReportTable(heads, rows, caption), drawn.figure(picture, words)]


def largest_deformation(skin: Skin, run: Trajectory) -> tuple[float, float]:
    """The largest displacement of a point relative to the joints of the body in m, and when."""
    d, theta = skin.fit[:3], skin.fit[3:]
    turned = np.cross(theta.T[None], skin.points[:, None], axis=2)  # (points, modes, 3)
    relative = skin.modes - d - turned.transpose(0, 2, 1)
    eta, best = skin.coordinates(run.q), (0.0, float(run.times[0]))
    step = max(1, BLOCK // (3 * len(skin.points)))
    for first in range(0, len(eta), step):
        sizes = np.linalg.norm(np.einsum("pck,tk->tpc", relative, eta[first : first + step]), axis=2).max(axis=1)
        k = int(np.argmax(sizes))
        if sizes[k] > best[0]:
            best = float(sizes[k]), float(run.times[first + k])
    return best


def magnification(skin: Skin, deformation: float) -> float:
    """1, 2 or 5 times a power of ten: enough to make the deformation visible."""
    size = float(np.ptp(skin.points, axis=0).max())
    most = SEEN * size / deformation if deformation > 0.0 else 1.0
    if most <= 1.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(min(most, 1e5)))
    return power * max(m for m in (1.0, 2.0, 5.0) if m * power <= most)


def _row(skin: Skin, run: Trajectory, deformation: float, when: float, peaks: Any) -> tuple[Cell, ...]:
    factor = run.model.display.shown("m")[0]
    stated = (skin.body.name, skin.part.modes, factor * deformation, when)
    if peaks is None:
        return (*stated, "no stress modes", "", "")
    at = ", ".join(f"{factor * x + 0.0:.4g}" for x in peaks.position)
    k = peaks.point
    return (*stated, float(peaks.value[k]) / 1e6, f"({at})", float(peaks.time[k]))
