"""States and samplers where a run begins: what they are, and which instants are theirs.

|--offset--|--period--|--period--|          a sampler is called at offset + k period; k is held in y, so that
           k = 0      k = 1      k = 2      checkpoints, snapshots and run.at(t) know where it stands
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cardan.integrators.course import T
from cardan.system.circuit import SLACK

if TYPE_CHECKING:
    from cardan.analysis.forward import ForwardRun
    from cardan.results.snapshot import Snapshot
    from cardan.system.system import System


def skip_missed_samples(run: ForwardRun) -> None:
    """Instants before the run begins are nobody's: the first one is that at which it begins, or the next."""
    now, y = float(run.course.clock[T]), run.course.y
    for (offset, period), place in zip(run.course.sample, run.course.sampled, strict=True):
        y[place] = max(y[place], np.ceil((now - offset) / period - SLACK))


def carry_states(run: ForwardRun, start: Snapshot) -> None:
    """Go on with the states of a snapshot; those of devices that it does not know begin as stated."""
    then, now = start.system.states, run.system.states
    places = {(id(owner), name): k for k, (owner, name) in enumerate(zip(then.owner, then.name, strict=True))}
    first = run.sizes.y - now.start.size
    for k, key in enumerate(zip(now.owner, now.name, strict=True)):
        found = places.get((id(key[0]), key[1]))
        if found is not None:
            run.course.y[first + k] = start.states[found]


def pressed_while_called(system: System) -> bool:
    """Whether Ctrl-C was pressed while the interpreter ran a controller, and reached nobody else."""
    for reader in system.readers:
        runner = reader.code(reader.parameters, reader.name).runner
        if runner is not None and isinstance(getattr(runner, "raised", None), KeyboardInterrupt):
            runner.raised = None  # type: ignore[attr-defined]
            return True
    return False
