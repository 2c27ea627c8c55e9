"""Check the numbers of a checkpoint, which may come from any file, before kernels use them as indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.analysis.forward.state import Run
from cardan.errors import ModelError
from cardan.integrators import sampled_adams
from cardan.integrators.sampled_adams import SampledMemory
from cardan.integrators.symplectic import SymplecticMemory
from cardan.results.simulation import Checkpoint

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


def refuse_impossible(run: Run, checkpoint: Checkpoint) -> None:
    """Kernels use some numbers as indices and sizes: constants must be unchanged, others within their range."""
    stepper, memory = run.stepper, getattr(run.memory, "tables", run.memory)
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
