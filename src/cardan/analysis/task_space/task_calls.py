"""Terms of tasks by a single compiled call, for trees without further constraints."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from cardan.analysis.joint.equations import JointEquations
from cardan.numerics.compiled.jit import ready
from cardan.system.tree.recursion.task_terms import find_task_terms, task_table


class TaskCalls(threading.local):
    """The arrays of a task space, filled again at each state; each thread has its own."""

    def __init__(self, equations: JointEquations, tasks: int) -> None:
        self._stated = equations, tasks
        self._joint, self._time = equations._tables.joint, equations.time
        self._simple = equations._rows.size == tasks == self._joint.row.size

    def __reduce__(self) -> Any:
        return type(self), self._stated  # a copy has arrays of its own: machine code has the places of these

    def fill(self, space: Any, q: np.ndarray, v: np.ndarray) -> bool:
        """Set all terms of a task space, or return False where they are found otherwise."""
        if not self._simple:
            return False
        enter, here, speeds, found = self._found
        here[...] = q
        speeds[...] = v
        if enter():
            return False
        space.q, space.v = here.copy(), speeds.copy()
        for name, array in found:
            setattr(space, name, array.copy())
        return True

    @cached_property
    def _found(self) -> tuple[Callable[[], int], np.ndarray, np.ndarray, tuple[tuple[str, np.ndarray], ...]]:
        """The call, where it reads q and v, and where it leaves the attributes of a task space."""
        terms = task_table(self._joint, self._time)
        names = {
            "mobility": terms.mobility,
            "inertia": terms.inertia,
            "inverse": terms.inverse,
            "null_projector": terms.projector,
            "velocity_terms": terms.terms,
            "gravity": terms.gravity,
            "applied": terms.applied,
            "velocity": terms.velocity,
            "acceleration_bias": terms.bias,
        }
        arrays = (("jacobian", self._joint.Phi), *names.items())
        return ready(find_task_terms, terms), terms.q, terms.v, arrays
