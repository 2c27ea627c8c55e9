"""Saved states of a stepper: all numbers that its steps change, from which it continues with the same bits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cardan.analysis.forward.checkpoint import OUTSIDE
from cardan.analysis.forward.state import Run, SampledSteps, Trials
from cardan.analysis.forward.stepping import use_scheme
from cardan.analysis.unsupported import repeats
from cardan.errors import ModelError
from cardan.model.model import Model
from cardan.numerics.compiled.block import ADDRESS, Opaque, tables_of
from cardan.numerics.compiled.record import Record

CONSTANT = {"solver", "columns", "kernels", *OUTSIDE}  # tables that no step changes, and addresses


@dataclass(frozen=True)
class SavedState:
    """The state of a stepper at a time. It can be pickled, and restored by another stepper of the same model.

    Coordinates and methods that the stepper changes on its way are kept as they are, for this stepper alone (`owner`).
    """

    model: str
    time: float
    inputs: np.ndarray
    applied: np.ndarray  # inputs as they are in the tables
    stopped: bool
    numbers: list[np.ndarray]
    scheme: str
    trials: Trials
    sampled_steps: SampledSteps | None
    fingerprint: np.ndarray  # of the model's numbers
    owner: Any = field(default=None, repr=False, compare=False)  # the stepper
    parts: tuple[Any, ...] = field(default=(), repr=False, compare=False)  # of its run

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"owner": None, "parts": ()}

    def __repr__(self) -> str:
        return f"<state of '{self.model}' at t = {self.time:g} s>"


def memory_of(run: Run) -> list[np.ndarray]:
    """All arrays that steps change, each once."""
    found: dict[int, np.ndarray] = {}
    for tables in (run.mechanism, run.machine, run.stepper, run.memory):
        for array in _changing(tables):
            found.setdefault(array.ctypes.data, array)
    return list(found.values())


def memory_of_integrator(run: Run) -> list[np.ndarray]:
    """All arrays that belong to the integrator alone, each once."""
    shared = {array.ctypes.data for tables in (run.mechanism, run.machine, run.stepper) for array in _changing(tables)}
    found = {array.ctypes.data: array for array in _changing(run.memory)}
    return [array for place, array in found.items() if place not in shared]


def saved_state(
    owner: Any, run: Run, memory: Sequence[np.ndarray], inputs: np.ndarray, applied: np.ndarray, stopped: bool
) -> SavedState:
    """A copy of all numbers, for the stepper `owner`."""
    for sampler, owner in zip(run.system.samplers, run.system.sampler_owners, strict=True):
        if not repeats(sampler):
            raise ModelError(f"{owner.title} may have a memory that save() cannot copy: write its memory as states=")
    return SavedState(
        run.system.model.name,
        run.now,
        inputs.copy(),
        applied.copy(),
        stopped,
        [array.copy() for array in memory],
        run.scheme.name,
        copy(run.trials),
        copy(run.sampled_steps),
        run.fingerprint,
        owner,
        (run.formulation, run.stepper, run.switching, run.released, list(run.happened), list(run.shifts)),
    )


def return_to(owner: Any, run: Run, state: SavedState) -> bool:
    """Return to the scheme and the coordinates of a state. Returns whether the tables of the run are others now."""
    if not np.array_equal(state.fingerprint, run.fingerprint):
        raise ModelError(
            f"{state!r} is of another version of '{run.system.model.name}': masses, forces, dimensions or inputs "
            "differ; restore it in a stepper with the same ones, reset(parameters=...)"
        )
    run.trials, run.sampled_steps = copy(state.trials), copy(state.sampled_steps)
    other = False
    if state.owner is owner:
        other = run.formulation is not state.parts[0] or run.stepper is not state.parts[1]
        run.formulation, run.stepper, run.switching, run.released = state.parts[:4]
        run.happened[:], run.shifts[:] = state.parts[4], state.parts[5]
    if other or run.scheme.name != state.scheme:
        use_scheme(run, state.scheme)
        return True
    return False


def put_back(memory: Sequence[np.ndarray], state: SavedState, model: Model) -> None:
    """Copy the numbers of a state."""
    shapes = [array.shape for array in memory]
    if state.model != model.name or shapes != [array.shape for array in state.numbers]:
        raise ModelError(f"{state!r} is not a state of this stepper of '{model.name}': its tables have other sizes")
    for array, numbers in zip(memory, state.numbers, strict=True):
        array[...] = numbers


def _changing(tables: Any) -> Iterator[np.ndarray]:
    """Arrays of a block and of those within it."""
    tables = tables.block if isinstance(tables, Opaque) else tables
    plain = tables_of(tables)
    for name, value in zip(plain._fields, plain, strict=True):
        if name in CONSTANT:
            continue
        if isinstance(value, np.ndarray):
            if value.dtype != ADDRESS and value.size and value.flags.writeable:
                yield value
        elif isinstance(value, Record):
            yield value.array
        else:
            yield from _changing(value)
