"""The start of a run, kept for further runs of the same model with the same settings.

    keep_start(run, settings)          the tables of a run whose start is consistent and checked
    run = kept_start(model, settings)  a run that continues from there; None if there is none, or the model has changed

Compiling a small mechanism, building its tables, assembling and checking it takes longer than to integrate it for some
seconds. A model that is simulated a second time keeps these tables: each further run gets a copy, with the same bits.
Kept are runs in Cartesian coordinates, from the stated positions, without events, devices and functions of the user,
and without warnings, which each run must issue anew.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

from cardan.analysis.forward.cartesian import CartesianFormulation
from cardan.analysis.forward.state import Pace, Run
from cardan.methods import Method
from cardan.model.model import Model
from cardan.model.unchanged import Remembered, remember
from cardan.numerics.compiled.block import Block
from cardan.numerics.compiled.block_copies import BlockCopies

MOST = 4  # settings of a model
LARGEST = 4_000_000  # bytes of tables: large models take longer to integrate than to prepare


@dataclass(frozen=True)
class _Start:
    """A run at its start, and the memory of its tables."""

    run: Run  # whose model is left out: otherwise it would never be freed
    tables: BlockCopies


class _Kept:
    """What is known of a model."""

    def __init__(self) -> None:
        self.asked: set[Hashable] = set()  # settings of earlier runs
        self.model: Remembered | None = None
        self.starts: dict[Hashable, _Start] = {}


_kept: WeakKeyDictionary[Model, _Kept] = WeakKeyDictionary()


def repeatable(method: Method, *numbers: float | str | None) -> Hashable | None:
    """The settings by which a start is kept; None if one of them might equal a valid one without being valid."""
    plain = all(number is None or type(number) in (float, str) for number in numbers)
    return (method, *numbers) if plain else None


def kept_start(model: Model, settings: Hashable) -> Run | None:
    """A new run from the kept start."""
    kept = _kept.get(model)
    start = None if kept is None else kept.starts.get(settings)
    if start is None or kept is None or kept.model is None:
        return None
    if not kept.model.holds():
        del _kept[model]
        return None
    return _copied(start.run, start.tables.make(), model)


def keep_start(run: Run, settings: Hashable) -> None:
    """Keep the start of a run if the model was simulated before with these settings."""
    model = run.system.model
    kept = _kept.setdefault(model, _Kept())
    if settings not in kept.asked:
        kept.asked.add(settings)
        return
    if not _can_be_kept(run) or len(kept.starts) >= MOST:
        return
    if kept.model is None or not kept.model.holds():
        kept.starts.clear()
        kept.model = remember(model)
    tables = None if kept.model is None else BlockCopies(_blocks(run))
    if tables is None or tables.size > LARGEST:
        return
    shell = _copied(run, tables.make(), model)
    vars(shell.system)["model"] = None
    kept.starts[settings] = _Start(shell, tables)


def _can_be_kept(run: Run) -> bool:
    system = run.system
    plain = isinstance(run.formulation, CartesianFormulation) and not run.events and not run.released
    quiet = not system.devices and not system.samplers and not system.functions() and not system.misfits
    return plain and quiet and all(isinstance(block, Block) for block in _blocks(run))


def _blocks(run: Run) -> tuple[Any, ...]:
    """Everything that kernels read and write in a run."""
    system, tables = run.system, run.switching.tables
    return (
        system.geometry, system.rows, system.solver, run.machine, run.stepper, run.memory, run.operations,
        run.integrator, tables,
    )  # fmt: skip


def _copied(run: Run, blocks: list[Any], model: Model) -> Run:
    """The run with other tables."""
    geometry, rows, solver, machine, stepper, memory, operations, integrator, tables = blocks
    old = run.system
    arrays = {"start": old.start.copy(), "reference": old.reference.copy()}
    system = _changed(old, model=model, geometry=geometry, rows=rows, solver=solver, misfits={}, absorbing={}, **arrays)
    formulation = _changed(
        run.formulation,
        system=system,
        machine=machine,
        mechanism=machine,
        speed_scale=machine.size,
        start=run.formulation.start.copy(),
    )
    return _changed(
        run,
        system=system,
        formulation=formulation,
        stepper=stepper,
        memory=memory,
        operations=operations,
        integrator=integrator,
        switching=_changed(run.switching, tables=tables),
        stats=replace(run.stats, notes=[*run.stats.notes]),
        trials=replace(run.trials),
        pace=Pace(run.pace.steps, run.pace.time, processor_time=run.pace.processor_time),
        stated_markers=tuple(part.copy() for part in run.stated_markers),
        record=None,
        segments=[],
        shifts=[],
        happened=[],
        keep=None,
        ready=True,
    )


def _changed(thing: Any, **values: Any) -> Any:
    """A copy of an object with other values of some attributes."""
    made = object.__new__(type(thing))
    vars(made).update(vars(thing) | values)
    return made
