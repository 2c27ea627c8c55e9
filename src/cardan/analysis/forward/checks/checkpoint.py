"""A checkpoint may come from a file that anybody wrote: its numbers are judged before kernels use them as places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import ModelError
from cardan.integrators import sampled_adams as between
from cardan.integrators.historical import adams, haug
from cardan.integrators.sampled_adams import BetweenMemory
from cardan.integrators.symplectic import SymplecticMemory
from cardan.results.simulation import Checkpoint

if TYPE_CHECKING:
    from cardan.analysis.forward.run import ForwardRun

MOST = 2**53  # that anything counts


def fitting(checkpoint: Checkpoint, name: str, array: np.ndarray) -> np.ndarray:
    """The numbers that a checkpoint has for an array of a run; refused where they cannot be such."""
    found, kinds = checkpoint.numbers.get(name), "biufc" if array.dtype.kind == "c" else "biuf"
    if not isinstance(found, np.ndarray) or found.shape != array.shape or found.dtype.kind not in kinds:
        raise ModelError(f"the checkpoint of '{checkpoint.model}' is of another version of the model: '{name}' differs")
    flags, whole = array.dtype == np.uint8, array.dtype.kind == "i"
    if (flags and ((found < 0) | (found > 1)).any()) or (whole and (np.abs(found.astype(float)) > MOST).any()):
        raise _damaged(checkpoint, name)
    if name in ("stepper.y", "choice", "cutting", "tree.start", "tree.time") and not np.isfinite(found).all():
        raise _damaged(checkpoint, name)
    if name.startswith("stepper.clock.") and (np.isnan(found) or (name.endswith(".now") and not np.isfinite(found))):
        raise _damaged(checkpoint, name)
    return found


def refuse_impossible(run: ForwardRun, checkpoint: Checkpoint) -> None:
    """Kernels use some numbers as places and sizes: those that cannot change must be what they are, others within."""
    stepper, memory = run.stepper, getattr(run.memory, "tables", run.memory)
    same: list[tuple[str, Any, np.ndarray]] = [
        ("stepper.sizes.positions", ..., stepper.sizes.positions),
        ("stepper.sizes.speeds", ..., stepper.sizes.speeds),
        ("stepper.sampled", slice(None), stepper.sampled),
    ]
    within: list[tuple[str, list[int], int]] = []
    if "differences" in memory._fields:  # Adams' formulas
        same.append(("memory.count", [adams.RULE, adams.HIGHEST, adams.TASK], memory.count))
        same.append(("memory.note", [haug.PARTITIONED], memory.note))
        within.append(("memory.count", [adams.ORDER, adams.LAST_ORDER], int(memory.count[adams.HIGHEST])))
    if isinstance(memory, BetweenMemory):
        within.append(("memory.note", [between.KNOWN], between.ORDER))
    if isinstance(memory, SymplecticMemory):
        same.append(("memory.driven", slice(None), memory.driven))
    for name, places, now in same:
        if not np.array_equal(checkpoint.numbers[name][places], now[places]):
            raise _damaged(checkpoint, name)
    for name, places, highest in within:
        found = checkpoint.numbers[name][places]
        if (found < 0).any() or (found > highest).any():
            raise _damaged(checkpoint, name)


def _damaged(checkpoint: Checkpoint, name: str) -> ModelError:
    return ModelError(
        f"the checkpoint of '{checkpoint.model}' is damaged: no run has such numbers in '{name}'; start from a "
        "snapshot, run.at(t)"
    )
