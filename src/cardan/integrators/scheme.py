"""A scheme: what a run must know of an integrator.

A new one is one more entry of `SCHEMES`: its kernels, its memory, the options of `simulate` that it takes, and what it
sets in the mechanism.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from cardan.integrators.adams import HIGHEST_ORDER
from cardan.integrators.dop853 import dop853_interpolate, dop853_memory, dop853_step
from cardan.integrators.haug import (
    CHOSEN,
    DRIFTED_AT,
    DRIFTED_BY,
    DRIFTED_RATE,
    haug_interpolate,
    haug_memory,
    haug_step,
)
from cardan.system.machine import ALPHA, ATOL, BETA, PROJECT_STAGES, RTOL
from cardan.system.motion import act
from cardan.system.partition import act_partitioned
from cardan.system.partition_tables import ALLOWED, ALLOWED_RATE, MILD_ALPHA, MILD_BETA

FIRM, MILD = 5.0, 1.0  # 1/s: alpha and beta of Baumgarte's method and of the hybrid one, unless stated
USUAL_FIXED_ORDER = 4


class Settings(NamedTuple):
    """How to integrate: the arguments of `simulate`; None where none was stated."""

    method: str
    rtol: float
    atol: float | None = None
    step: float | None = None
    fixed: bool = False
    order: int | None = None
    alpha: float | None = None
    beta: float | None = None


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
    memory: Callable[[Sizes, Settings], Any]
    order: int
    prepare: Callable[[Any, Settings], None]  # set what the mechanism shall do for it
    options: tuple[str, ...] = ()  # those of `simulate` that not every method takes
    act: Any = act  # the mechanism as it needs it
    partitioned: bool = False  # whether it asks for independent coordinates
    drifts: bool = False  # whether it leaves the constraints, so that outputs must not hide it
    notes: Callable[[Any], list[str]] = lambda memory: []  # what a result should tell of a run


def _dop853() -> Scheme:
    def memory(sizes: Sizes, settings: Settings) -> Any:
        return dop853_memory(sizes.y, sizes.speeds, watch_stiffness=settings.method == "auto")

    def prepare(machine: Any, settings: Settings) -> None:
        machine.setting[PROJECT_STAGES] = 1.0

    return Scheme("dop853", dop853_step, dop853_interpolate, memory, 8, prepare)


def _haug(name: str, *stabilizers: str, partitioned: bool = False, drifts: bool = False) -> Scheme:
    def memory(sizes: Sizes, settings: Settings) -> Any:
        order = settings.order or (USUAL_FIXED_ORDER if settings.fixed else HIGHEST_ORDER)
        return haug_memory(name, sizes.y, order, fixed=settings.fixed)

    def prepare(machine: Any, settings: Settings) -> None:
        usual = {"baumgarte": FIRM, "hybrid": MILD}.get(name, 0.0)
        alpha = usual if settings.alpha is None else settings.alpha
        beta = usual if settings.beta is None else settings.beta
        number = machine.partition.number
        if name == "baumgarte":
            machine.setting[ALPHA], machine.setting[BETA] = alpha, beta
        number[ALLOWED], number[ALLOWED_RATE] = machine.setting[ATOL], machine.setting[RTOL]
        number[MILD_ALPHA], number[MILD_BETA] = alpha, beta

    options = ("order", "fixed", *stabilizers)
    return Scheme(
        name, haug_step, haug_interpolate, memory, 2, prepare, options, act_partitioned, partitioned, drifts, _drift
    )


def _drift(memory: Any) -> list[str]:
    """How far a run went from the constraints, and how often coordinates were chosen."""
    worst, chosen = memory.worst, int(memory.note[CHOSEN])
    notes = [
        f"constraints drifted by up to {worst[DRIFTED_BY]:.1e} of the model's length (at t = {worst[DRIFTED_AT]:.4g} "
        f"s), their rates by {worst[DRIFTED_RATE]:.1e} of it per second"
    ]
    if chosen:
        notes.append(f"independent coordinates were chosen {'once' if chosen == 1 else f'{chosen} times'}")
    return notes


SCHEMES = {
    scheme.name: scheme
    for scheme in (
        _dop853(),
        _haug("partition", partitioned=True),
        _haug("direct", drifts=True),
        _haug("baumgarte", "alpha", "beta", drifts=True),
        _haug("hybrid", "alpha", "beta", partitioned=True, drifts=True),
    )
}
