"""The flexible bodies of a page: skins with their modes, from which the page computes deformation and stress.

    y = x + s psi eta + (1 - s) (d + theta x x)        sigma = sum_k sigma_k eta_k

Modes are stored once, modal coordinates once a frame: a page grows by the number of modes, not of points, with its
frames. `web/src/skins.ts` draws them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.view.shapes.skin import Skin, has_skin, skins_of
from cardan.view.shapes.stress import peaks_of, stress_unit
from cardan.view.web.encode import Blob

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory
    from cardan.view.web.shapes import Scene

MOST_NUMBERS = 1_500_000  # of the modes of a skin: a finer one is drawn coarser
MOST_POINTS = 60_000  # indices have two bytes
CELLS = 200  # across the longest side: the finest grid of a coarser skin


def describe_skins(scene: Scene, number: dict[int, int], blob: Blob) -> list[dict[str, Any]]:
    """The part of a document that says what flexible bodies look like and how they deform."""
    replaced = {id(shape.body) for shape in scene.meshes}
    return [
        _described(skin, number[id(skin.body)], blob, has_skin(skin.body) and id(skin.body) not in replaced)
        for skin in skins_of(scene.snapshot.system)
    ]


def describe_stress(run: Trajectory) -> dict[str, Any] | None:
    """The largest stress of a motion, where and when; None if no body has stress modes."""
    found = peaks_of(run)
    if not found:
        return None
    skin, peaks = max(found, key=lambda pair: float(pair[1].value.max()))
    limit = float(peaks.value.max())
    size, unit = stress_unit(limit)
    return {
        "limit": limit,
        "size": size,
        "unit": unit,
        "body": skin.body.name,
        "time": float(peaks.time[peaks.point]),
        "point": [float(x) for x in peaks.position],
    }


def _described(skin: Skin, body: int, blob: Blob, drawn: bool) -> dict[str, Any]:
    kept, which, triangles = coarser(skin)
    count, points, shown = skin.part.modes, skin.points[kept], drawn and len(kept) > 0
    lines = [np.append(which[line], -1) for line in skin.lines] if shown else []
    size = float(np.abs(points).max(initial=0.0)) or 1.0
    return {
        "body": body,
        "modes": count,
        "first": skin.offset,
        "points": blob.points(points, size) if shown else None,
        "shapes": blob.values(skin.modes[kept].reshape(len(kept), -1)) if shown else None,
        "triangles": blob.indices(triangles) if shown and len(triangles) else None,
        "lines": [int(k) for k in np.concatenate(lines)[:-1]] if lines else [],
        "stress": blob.values(skin.stress[kept].reshape(len(kept), -1)) if shown and skin.stress is not None else None,
        "fit": skin.fit.ravel().tolist(),
        "interfaces": {
            name: {
                "place": at.position.tolist(),
                "translation": at.translation.ravel().tolist(),
                "rotation": at.rotation.ravel().tolist(),
            }
            for name, at in skin.part.interfaces.items()
        },
    }


def coarser(skin: Skin) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The points that a page has, which of them stands for each point, and the triangles between them: all, unless a
    skin is too fine; then points in one cell of a grid are one of them."""
    wide = 9 if skin.stress is not None else 3
    most = min(max(MOST_NUMBERS // (wide * skin.part.modes), 100), MOST_POINTS)
    all_ = np.arange(len(skin.points))
    if len(all_) <= most or not len(skin.triangles):
        return all_, all_, skin.triangles
    low, side = skin.points.min(axis=0), float(np.ptp(skin.points, axis=0).max())
    cells = CELLS
    while True:
        cell = np.floor((skin.points - low) * (cells / side)).astype(int)
        _, kept, which = np.unique(cell, axis=0, return_index=True, return_inverse=True)
        if len(kept) <= most or cells <= 4:
            break
        cells = int(0.8 * cells)
    which = which.reshape(-1)
    triangles = which[skin.triangles]
    a, b, c = triangles.T
    return kept, which, triangles[(a != b) & (b != c) & (c != a)]
