"""Checkpoints: all numbers of a run, so that it can go on as if it had not stopped."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from cardan.errors import ModelError
from cardan.integrators.scheme import SCHEMES
from cardan.results.simulation import Checkpoint

if TYPE_CHECKING:
    from cardan.analysis.forward import ForwardRun


def saved(run: ForwardRun, time: float) -> Checkpoint:
    """The state of everything, to go on from later."""
    numbers = {f"{owner}.{name}": array.copy() for owner, name, array in _arrays(run)}
    numbers["fingerprint"] = _fingerprint(run)
    return Checkpoint(run.system.model.name, run.scheme.name, time, numbers)


def restore(run: ForwardRun, checkpoint: Checkpoint) -> None:
    """Go back to a state that was saved."""
    if checkpoint.model != run.system.model.name or checkpoint.method not in SCHEMES:
        raise ModelError(
            f"the checkpoint is of model '{checkpoint.model}' by {checkpoint.method}, not of '{run.system.model.name}'"
        )
    run.use(checkpoint.method)
    run.resumed, run.since = True, checkpoint.time
    if checkpoint.numbers["course.direction"].shape != run.course.direction.shape:
        raise ModelError(
            f"the checkpoint of '{checkpoint.model}' is of a run with other events: state the same ones, or start from "
            "a snapshot such as run.events[-1].snapshot"
        )
    if not np.array_equal(checkpoint.numbers.get("fingerprint", np.zeros(0)), _fingerprint(run)):
        raise ModelError(
            f"the checkpoint is of another version of model '{checkpoint.model}': masses, forces or dimensions differ"
        )
    for owner, name, array in _arrays(run):
        saved = checkpoint.numbers.get(f"{owner}.{name}")
        if saved is None or saved.shape != array.shape:
            raise ModelError(f"the checkpoint of '{checkpoint.model}' is of another version of the model")
        array[...] = saved


def _fingerprint(run: ForwardRun) -> np.ndarray:
    """A number that tells models apart by masses, gravity, forces and dimensions."""
    tables, system = run.machine, run.system
    digest = hashlib.sha256()
    dimensions = system.geometry.local, system.rows.coefficient
    motions = tables.forces.motions.parameters, system.rows.motions.parameters, system.rows.parameter
    for part in (tables.matter, tables.gravity, tables.forces.linear, *dimensions, *motions):
        digest.update(np.ascontiguousarray(part).tobytes())
    return np.frombuffer(digest.digest()[:8], np.uint64).copy()


def _arrays(run: ForwardRun) -> Iterator[tuple[str, str, np.ndarray]]:
    for owner, tables, names in (
        ("course", run.course, None),
        ("memory", run.memory, None),
        ("machine", run.machine, ("reference", "active", "dropped", "count")),
        ("rows", run.system.rows, ("offset",)),
        ("partition", run.machine.partition, ("held", "diagonal")),
    ):
        inner = getattr(tables, "tables", tables)
        for name, value in zip(inner._fields, inner, strict=True):
            if isinstance(value, np.ndarray) and (names is None or name in names):
                yield owner, name, value
