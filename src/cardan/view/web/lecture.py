"""Velocity and acceleration polygons and instant centers in a page, at selected frames.

They are computed here and drawn there: nothing is interpolated, a page that shows them steps from one computed instant
to the next. Only small planar mechanisms have them, as each instant costs some milliseconds and about a kilobyte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.view.figures.polygon import COLORS

if TYPE_CHECKING:
    from cardan.postprocess.polygon import Polygon
    from cardan.results.trajectory import Trajectory

MOST_BODIES = 12
MOST_INSTANTS = 60
DIGITS = 9  # of a number


def describe_lecture(run: Trajectory, bodies: list[Any], frames: np.ndarray) -> dict[str, Any] | None:
    """The part of a clip with its polygons and poles; None for mechanisms in space, large ones and still ones."""
    if run.system.space.dimensions != 2 or not run.moves or not 1 < len(bodies) <= MOST_BODIES + 1:
        return None
    kept = np.unique(np.linspace(0, len(frames) - 1, min(len(frames), MOST_INSTANTS)).round().astype(int))
    number = {id(body): k for k, body in enumerate(bodies)}
    instants = [_instant(run, float(run.times[frames[k]]), number) for k in kept]
    if not any(one["velocity"]["corners"] or one["poles"] for one in instants):
        return None
    return {"frames": kept.tolist(), "instants": instants}


def lecture_at(run: Trajectory, bodies: list[Any], time: float) -> dict[str, Any] | None:
    """Polygons and poles at one time, as a live page asks for them."""
    if run.system.space.dimensions != 2 or not run.moves or not 1 < len(bodies) <= MOST_BODIES + 1:
        return None
    return _instant(run, time, {id(body): k for k, body in enumerate(bodies)})


def _instant(run: Trajectory, time: float, number: dict[int, int]) -> dict[str, Any]:
    instant = run.instant(time)
    return {
        "velocity": _polygon(instant.velocity_polygon()),
        "acceleration": _polygon(instant.acceleration_polygon()),
        "poles": [_pole(pole, number) for pole in instant.instant_centers()],
    }


def _polygon(polygon: Polygon) -> dict[str, Any]:
    factor, unit = polygon.model.display.shown(polygon.unit)
    return {
        "unit": unit,
        "missing": [f"'{name}' ({kind})" for name, kind in polygon.missing],
        "corners": [{"name": corner.name, "value": _short(factor * corner.value)} for corner in polygon.corners],
        "sides": [
            {
                "name": side.name,
                "kind": side.kind,
                "color": COLORS[side.kind],
                "start": _short(factor * side.start),
                "vector": _short(factor * side.vector),
                "words": side.words,
            }
            for side in polygon.sides
        ],
    }


def _pole(pole: Any, number: dict[int, int]) -> dict[str, Any]:
    return {
        "bodies": sorted(number[id(body)] for body in pole.bodies),
        "point": None if pole.point is None else _short(pole.point),
        "where": pole.where,
        "how": pole.how,
        "lines": [_short(line.numbers) for line in pole.lines],
    }


def _short(values: np.ndarray) -> list[float]:
    return [float(f"{value:.{DIGITS}g}") for value in values]
