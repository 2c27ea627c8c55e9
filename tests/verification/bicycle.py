"""The bicycle of the examples, with the data of the benchmark of Meijaard, Papadopoulos, Ruina and Schwab, ahead."""

from __future__ import annotations

from typing import Any

from cardan import steady_motion
from cardan.examples.vehicles import bicycle
from cardan.spatial import Model


def build(speed: float, push: float = 0.0) -> Model:
    """The bicycle, upright, at a speed in m/s; `push` sets it leaning, in rad/s."""
    return bicycle.build(speed, push)


def straight(model: Model, speed: float) -> Any:
    """The steady motion straight ahead."""
    rates: dict[Any, float] = {model[f"{name} axle"]: speed / r for name, r in bicycle.RADII.items()}
    return steady_motion(model, 0.0, travel=(speed, 0.0, 0.0), spinning=rates)
