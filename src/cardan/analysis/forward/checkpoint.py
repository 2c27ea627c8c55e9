"""Checkpoints: all numbers of a run, from which it continues as if it had not been interrupted.

A checkpoint may come from any file: its numbers are checked before kernels use them as indices.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import astuple
from typing import Any

import numpy as np

from cardan.analysis.forward.state import Run, SampledSteps, Trials
from cardan.analysis.forward.stepping import use_scheme
from cardan.errors import ModelError
from cardan.integrators import sampled_adams
from cardan.integrators.sampled_adams import SampledMemory
from cardan.integrators.scheme import SCHEMES
from cardan.integrators.symplectic import SymplecticMemory
from cardan.numerics.compiled.block import tables_of
from cardan.numerics.compiled.record import Record
from cardan.numerics.functions.fingerprint import fingerprint
from cardan.results.simulation import Checkpoint

Kept = list[tuple[np.ndarray, np.ndarray]]  # arrays of a run, with their contents

# Not in checkpoints: addresses of machine code, which differ between processes, and constants.
OUTSIDE = ("address", "C", "TI", "TT", "E", "P", "formula", "miss", "table", "breakpoints")


def saved(run: Run, time: float) -> Checkpoint:
    """The complete state of a run, from which it can continue."""
    numbers = {f"{owner}.{name}": array.copy() for owner, name, array in _arrays(run)}
    numbers["fingerprint"], numbers["choice"] = run.fingerprint, np.array(astuple(run.trials))
    if run.sampled_steps is not None:
        numbers["cutting"] = np.array(astuple(run.sampled_steps))
    numbers |= run.formulation.origin()
    numbers["functions"] = np.array([_mark(function) for _, function in _functions(run)], np.uint64)
    return Checkpoint(run.system.model.name, run.scheme.name, time, numbers)


def restore(run: Run, checkpoint: Checkpoint) -> None:
    """Return to a saved state."""
    if checkpoint.model != run.system.model.name or checkpoint.method not in SCHEMES:
        raise ModelError(
            f"the checkpoint is of model '{checkpoint.model}' by {checkpoint.method}, not of '{run.system.model.name}'"
        )
    use_scheme(run, checkpoint.method)
    run.resumed, run.since = True, checkpoint.time
    if np.shape(checkpoint.numbers.get("stepper.direction", ())) != run.stepper.direction.shape:
        raise ModelError(
            f"the checkpoint of '{checkpoint.model}' is of a run with other events: pass the same events, or start "
            "from a snapshot such as run.events[-1].snapshot"
        )
    if not np.array_equal(checkpoint.numbers.get("fingerprint", np.zeros(0)), run.fingerprint):
        raise ModelError(
            f"the checkpoint is of another version of model '{checkpoint.model}': masses, forces or dimensions differ"
        )
    _reject_changed_functions(run, checkpoint)
    arrays = list(_arrays(run))
    kept = [fitting(checkpoint, f"{owner}.{name}", array) for owner, name, array in arrays]
    reject_impossible(run, checkpoint)
    for (_, _, array), numbers in zip(arrays, kept, strict=True):
        array[...] = numbers
    run.formulation.update_markers()
    if "choice" in checkpoint.numbers:
        run.trials = Trials(*fitting(checkpoint, "choice", np.array(astuple(run.trials))).tolist())
    if "cutting" in checkpoint.numbers and run.sampled_steps is not None:
        numbers = fitting(checkpoint, "cutting", np.array(astuple(run.sampled_steps)))
        run.sampled_steps = SampledSteps(*numbers.tolist())
    run.pace.steps, run.pace.time = int(run.stepper.counters.steps), run.now


def copied(run: Run) -> Kept:
    """The state of the mechanism, to return to, without the memory and work counters of the integrator."""
    work = ("machine.counters.", "machine.failure.")
    return [
        (part, part.copy())
        for owner, name, part in _arrays(run)
        if owner != "memory" and not f"{owner}.{name}".startswith(work)
    ]


def put_back(kept: Kept) -> None:
    """Return to a copied state."""
    for array, values in kept:
        array[...] = values


def fingerprint_of(run: Run) -> np.ndarray:
    """A hash of masses, gravity, forces and dimensions."""
    tables, system = run.machine, run.system
    digest = hashlib.sha256()
    dimensions = system.geometry.local, system.rows.coefficient
    motions = tables.forces.motions.parameters, system.rows.motions.parameters, system.rows.parameter
    devices = tables.forces.circuit.parameter, tables.forces.circuit.sample
    for part in (tables.matter, tables.gravity, tables.forces.linear, *dimensions, *motions, *devices):
        digest.update(np.ascontiguousarray(part).tobytes())
    return np.frombuffer(digest.digest()[:8], np.uint64).copy()


def _reject_changed_functions(run: Run, checkpoint: Checkpoint) -> None:
    """Reject changed user functions: code, constants, and the variables that they use."""
    now, then = list(_functions(run)), checkpoint.numbers.get("functions")
    if then is None or np.shape(then) != (len(now),):
        raise ModelError(f"the checkpoint is of another version of model '{checkpoint.model}': it has other functions")
    for (title, function), before in zip(now, np.asarray(then), strict=True):
        if _mark(function) != before:
            raise ModelError(
                f"the checkpoint is of another version of model '{checkpoint.model}': the function of {title}, or a "
                "number that it uses, has changed; restore it, or start from a snapshot, run.at(t)"
            )


def _functions(run: Run) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The user's functions, each with the element that has it."""
    system = run.system
    parts: list[tuple[str, Any]] = [(force.title, law) for force, law in zip(system.forces, system.laws, strict=True)]
    parts += [(system.elements[owner].title, system.equations[row]) for row, owner in enumerate(system.owner)]
    parts += [(event.title, event.law) for event in run.events]
    for reader in system.readers:
        if reader.code(
            reader.parameters, reader.name
        ).compiled:  # others may have internal state and change between calls
            yield reader.title, reader.function
    for title, part in parts:
        motions = [getattr(part, name, None) for name in ("motion", "curve", "rate_curve")]
        found = [part.function, *(term.function for motion in motions if motion for term in motion.terms())]
        yield from ((title, function.python) for function in found if function is not None)


def _mark(function: Callable[..., Any]) -> np.uint64:
    """A hash of a function; 0 if the variables that it uses cannot be compared."""
    return np.uint64(int((fingerprint(function) or "0")[:16], 16))


def _arrays(run: Run) -> Iterator[tuple[str, str, np.ndarray]]:
    for owner, tables, names in (
        ("stepper", run.stepper, None),
        ("memory", run.memory, None),
        ("machine", run.machine, ("reference", "engaged", "active", "dropped", "counters", "failure")),
        ("rows", run.system.rows, ("offset",)),
        ("geometry", run.system.geometry, ("local",)),
        ("circuit", run.machine.forces.circuit, ("multipliers",)),  # from which the next ones are found
        ("partition", run.machine.partition, ("held", "diagonal")),
        ("joint", run.mechanism, ("dropped",) if run.mechanism is not run.machine else ()),
    ):
        inner = tables_of(tables)
        for name, value in zip(inner._fields, inner, strict=True):
            if name in OUTSIDE or (names is not None and name not in names):
                continue
            if isinstance(value, Record):
                yield from ((owner, f"{name}.{field}", array) for field, array in value.fields())
            elif isinstance(value, np.ndarray):
                yield owner, name, value


MAX_COUNT = 2**53  # largest count


def fitting(checkpoint: Checkpoint, name: str, array: np.ndarray) -> np.ndarray:
    """The numbers of a checkpoint for an array of a run; raises an error if they are invalid."""
    found, kinds = checkpoint.numbers.get(name), "biufc" if array.dtype.kind == "c" else "biuf"
    if not isinstance(found, np.ndarray) or found.shape != array.shape or found.dtype.kind not in kinds:
        raise ModelError(f"the checkpoint of '{checkpoint.model}' is of another version of the model: '{name}' differs")
    flags, whole = array.dtype == np.uint8, array.dtype.kind == "i"
    if (flags and ((found < 0) | (found > 1)).any()) or (whole and (np.abs(found.astype(float)) > MAX_COUNT).any()):
        raise _damaged(checkpoint, name)
    if name in ("stepper.y", "choice", "cutting", "tree.start", "tree.time") and not np.isfinite(found).all():
        raise _damaged(checkpoint, name)
    if name.startswith("stepper.clock.") and (np.isnan(found) or (name.endswith(".now") and not np.isfinite(found))):
        raise _damaged(checkpoint, name)
    return found


def reject_impossible(run: Run, checkpoint: Checkpoint) -> None:
    """Kernels use some numbers as indices and sizes: constants must be unchanged, others within their range."""
    stepper, memory = run.stepper, tables_of(run.memory)
    same: dict[str, Any] = {
        "stepper.sizes.positions": stepper.sizes.positions,
        "stepper.sizes.speeds": stepper.sizes.speeds,
        "stepper.sampled": stepper.sampled,
    }
    within: dict[str, int] = {}
    if "differences" in memory._fields:  # Adams' formulas
        counters = memory.counters
        same |= {"memory.counters.rule": counters.rule, "memory.counters.highest_order": counters.highest_order}
        same["memory.notes.partitioned"] = memory.notes.partitioned
        within |= dict.fromkeys(("memory.counters.order", "memory.counters.last_order"), int(counters.highest_order))
    if isinstance(memory, SampledMemory):
        within["memory.notes.known"] = sampled_adams.ORDER
    if isinstance(memory, SymplecticMemory):
        same["memory.driven"] = memory.driven
    for name, now in same.items():
        if not np.array_equal(checkpoint.numbers[name], now):
            raise _damaged(checkpoint, name)
    for name, highest in within.items():
        if not 0 <= checkpoint.numbers[name] <= highest:
            raise _damaged(checkpoint, name)


def _damaged(checkpoint: Checkpoint, name: str) -> ModelError:
    return ModelError(
        f"the checkpoint of '{checkpoint.model}' is damaged: invalid numbers in '{name}'; start from a "
        "snapshot, run.at(t)"
    )
