"""A scheme: what a run must know of an integrator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from cardan.integrators.dop853 import dop853_interpolate, dop853_memory, dop853_step


class Sizes(NamedTuple):
    """How many numbers y has, and how many of them are positions and speeds."""

    y: int
    positions: int
    speeds: int


class Scheme(NamedTuple):
    """One step, interpolation within it, and its memory; `order` tells how a first step is chosen."""

    name: str
    step: Any
    interpolate: Any
    memory: Callable[..., Any]  # of sizes and whether stiffness is watched
    order: int


SCHEMES = {
    "dop853": Scheme(
        "dop853",
        dop853_step,
        dop853_interpolate,
        lambda sizes, watch: dop853_memory(sizes.y, sizes.speeds, watch_stiffness=watch),
        8,
    ),
}
