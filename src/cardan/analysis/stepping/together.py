"""Many steppers at once: machine code steps a share of them on each thread, without the interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np

from cardan.analysis.stepping.kernels import step_stations, take_step
from cardan.analysis.stepping.stepper import Stepper
from cardan.errors import CardanError
from cardan.numerics.compiled.indirect import pointer_to
from cardan.numerics.compiled.jit import COMPILED


def step_together(
    steppers: Sequence[Stepper], duration: float, pool: Executor | None = None, threads: int = 1
) -> list[CardanError | None]:
    """Take one step of each stepper, on so many threads of a pool; returns the errors of those that failed.

    >>> from cardan import stepper
    >>> from cardan.analysis.stepping.together import step_together
    >>> from cardan.planar import Body, Model
    >>> model = Model("fall", gravity=(0, -10.0))
    >>> stone = model.add(Body(mass=1.0, inertia=1.0), name="stone")
    >>> group = [stepper(model, [], ["stone.vy"]) for _ in range(3)]
    >>> step_together(group, 0.5), [round(one["stone.vy"], 9) for one in group]
    ([None, None, None], [-5.0, -5.0, -5.0])
    """
    ready = [one for one in steppers if not one.undecided] if COMPILED else []
    statuses = np.zeros(len(ready), np.int64)
    kinds: dict[int, list[int]] = {}
    for k, one in enumerate(ready):
        kinds.setdefault(id(one.station.block_kind), []).append(k)
    waiting = []
    for places in kinds.values():
        take = np.uint64(pointer_to(take_step, ready[places[0]].station, 0.0))
        stations = np.array([ready[k].station.address for k in places], np.uint64)
        found = np.zeros(len(places), np.int64)
        parts = np.array_split(np.arange(len(places)), max(1, min(threads, len(places)))) if pool else [slice(None)]
        bounds = [part if isinstance(part, slice) else slice(part[0], part[-1] + 1) for part in parts]
        for part in bounds:
            task: tuple[Any, ...] = (take, stations[part], float(duration), found[part])
            if pool is None or len(bounds) == 1:
                step_stations(*task)
            else:
                waiting.append(pool.submit(step_stations, *task))
        for done in waiting:
            done.result()
        statuses[places] = found
    known = {id(one): int(status) for one, status in zip(ready, statuses, strict=True)}
    return [_completed(one, known.get(id(one)), duration) for one in steppers]


def _completed(one: Stepper, status: int | None, duration: float) -> CardanError | None:
    """Decisions that machine code leaves to Python, as after events; the error, if the step failed."""
    try:
        if status is None:
            one.step(duration)
        else:
            one.complete(status, True, duration)
    except CardanError as error:
        return error
    return None
