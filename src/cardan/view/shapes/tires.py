"""Wheels on roads: a disk of the tire's radius, and the road as far as the wheel goes."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.elements.tires.book_tire import BookTire
from cardan.elements.tires.tire import Tire
from cardan.model.measure import Measure
from cardan.spatial.rods.beam import Beam
from cardan.view.shapes.drawing import symbol
from cardan.view.shapes.forces import beam
from cardan.view.shapes.lines import circle
from cardan.view.shapes.spatial import SpaceDrawing

AHEAD = 2.0  # radii of road before and behind a wheel, and
ASIDE = 0.5  # beside it
PIECES = 300  # of a road, at most

symbol.register(Beam, beam)


@symbol.register(Tire)
@symbol.register(BookTire)
def _(tire: Any, drawing: SpaceDrawing) -> None:
    radius, wheel = float(tire.touch.numbers[0]), tire.wheel
    drawing.attach(wheel)
    drawing.add("tire", wheel.body, drawing.along(wheel, circle(radius)))
    (left, right), (bottom, top) = (drawing.reach(Measure("component", tire.ground, wheel, axis)) for axis in "xy")
    reach = (left - AHEAD * radius, right + AHEAD * radius, bottom - ASIDE * radius, top + ASIDE * radius)
    drawing.add("road", tire.ground.body, drawing.along(tire.ground, strip(tire.road, reach, radius)))


def strip(road: Any, reach: tuple[float, float, float, float], radius: float) -> np.ndarray:
    """Faces of a road along x, with lines of NaN between them; one where it is flat."""
    low, high, right, left = reach
    count = int(np.clip(4.0 * (high - low) / radius, 1, PIECES))
    x = np.linspace(low, high, count + 1)
    edges = [np.column_stack([x, np.full_like(x, y), road.height(x, y)]) for y in (right, left)]
    if np.ptp(np.vstack(edges)[:, 2]) == 0.0:
        edges, count = [edge[[0, -1]] for edge in edges], 1
    faces = np.full((count, 5, 3), np.nan)
    for k, (edge, step) in enumerate(((0, 0), (0, 1), (1, 1), (1, 0))):
        faces[:, k] = edges[edge][step : step + count]
    known = np.isfinite(faces[:, :4]).all(axis=(1, 2))
    return faces[known].reshape(-1, 3)[:-1]
