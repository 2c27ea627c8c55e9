"""Calls for one state at a time, as of a controller: the arrays are there already, and each call enters one kernel.

They return None for arguments that are not plain arrays of floats with the right length: the general calls check and
convert these.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy import ndarray

from cardan.numerics.compiled.jit import ready
from cardan.system.tree.recursion.one_state import (
    accelerations_here,
    bias_here,
    gravity_here,
    jacobian_here,
    mass_matrix_here,
    one_state,
    point_state,
    torques_here,
)
from cardan.system.tree.tables import JointTables

FLOAT = np.dtype(float)

# markers whose calls are kept; others, as of a program that makes one for each call, take the general way
MAX_KEPT_MARKERS = 256
_Copy = Callable[[], np.ndarray]
_Point = tuple[Any, Callable[[], int], _Copy, _Copy]  # marker, call, and copies of J of both and of the velocity


class SingleCalls:
    """The equations of a tree at one state."""

    def __init__(self, tables: JointTables) -> None:
        self._tables, self._tree = tables, tables.joint.tree
        nq, nv = len(tables.spanning.coordinates), len(tables.spanning.speeds)
        self._state = state = one_state(self._tree, nq, nv)
        self._q, self._v, self._a, self._tau, self._mass = state.q, state.v, state.a, state.tau, state.mass
        self._positions, self._speeds = (nq,), (nv,)
        self._served = not tables.joint.modes.body.size  # trees with flexible bodies have other kernels
        self._points: dict[int, _Point] = {}

    def torques(self, q: Any, v: Any, a: Any) -> np.ndarray | None:
        """M a + b + g."""
        if not self._fit(q, v) or not (type(a) is ndarray and a.dtype is FLOAT and a.shape == self._speeds):
            return None
        self._q[...] = q
        self._v[...] = v
        self._a[...] = a
        return None if self._enter_torques() else self._tau.copy()

    def accelerations(self, q: Any, v: Any, tau: Any) -> np.ndarray | None:
        """M^-1 (tau - b - g); None also where a node has no inertia."""
        if not self._fit(q, v):
            return None
        self._q[...] = q
        self._v[...] = v
        if tau is None:
            self._tau.fill(0.0)
        elif type(tau) is ndarray and tau.dtype is FLOAT and tau.shape == self._speeds:
            self._tau[...] = tau
        else:
            return None
        return None if self._enter_accelerations() else self._a.copy()

    def mass_matrix(self, q: Any) -> np.ndarray | None:
        """M(q)."""
        if not self._fits(q):
            return None
        self._q[...] = q
        return None if self._enter_mass_matrix() else self._mass.copy()

    def gravity(self, q: Any) -> np.ndarray | None:
        """g(q)."""
        if not self._fits(q):
            return None
        self._q[...] = q
        return None if self._enter_gravity() else self._tau.copy()

    def bias(self, q: Any, v: Any) -> np.ndarray | None:
        """b(q, v)."""
        if not self._fit(q, v):
            return None
        self._q[...] = q
        self._v[...] = v
        return None if self._enter_bias() else self._tau.copy()

    def jacobian(self, marker: Any, q: Any, rotation: bool) -> np.ndarray | None:
        """J of the velocity of a marker; with `rotation`, that of its angular velocity below."""
        if not (type(q) is ndarray and q.dtype is FLOAT and q.shape == self._positions):
            return None
        found = self._points.get(id(marker)) or self._point(marker)  # only of trees that are served
        if found is None:
            return None
        _, enter, both, translation = found
        self._q[...] = q
        return None if enter() else both() if rotation else translation()

    def _point(self, marker: Any) -> _Point | None:
        """What computes the Jacobians of a marker, kept with the marker as long as this object exists."""
        if len(self._points) >= MAX_KEPT_MARKERS or not self._served:
            return None
        system = self._tables.system
        seat = self._tables.spanning.seats[system.body_number(marker.body)]
        columns = np.zeros((6, self._speeds[0]))
        _, place = system.space.marker_in_space(marker)
        state = point_state(self._tree, self._q, seat.node, seat.origin + seat.axes @ place, columns)
        found = self._points[id(marker)] = marker, ready(jacobian_here, state), columns.copy, columns[:3].copy
        return found

    def _fit(self, q: Any, v: Any) -> bool:
        return self._fits(q) and type(v) is ndarray and v.dtype is FLOAT and v.shape == self._speeds

    def _fits(self, q: Any) -> bool:
        return self._served and type(q) is ndarray and q.dtype is FLOAT and q.shape == self._positions

    @cached_property
    def _enter_torques(self) -> Callable[[], int]:
        return ready(torques_here, self._state)

    @cached_property
    def _enter_accelerations(self) -> Callable[[], int]:
        return ready(accelerations_here, self._state)

    @cached_property
    def _enter_gravity(self) -> Callable[[], int]:
        return ready(gravity_here, self._state)

    @cached_property
    def _enter_bias(self) -> Callable[[], int]:
        return ready(bias_here, self._state)

    @cached_property
    def _enter_mass_matrix(self) -> Callable[[], int]:
        return ready(mass_matrix_here, self._state)


class ThreadTables(threading.local):
    """Tables of a tree, results of the last evaluation, and calls for one state; each thread has its own.

    Kernels run without the global interpreter lock: threads that fill the same arrays would mix their states. Python
    calls `__init__` again in each further thread that uses the object, which then makes tables of its own.
    """

    def __init__(self, tables: JointTables, maker: int) -> None:
        self.tables = tables if threading.get_ident() == maker else tables.for_thread()
        self.single = SingleCalls(self.tables)

    @cached_property
    def work(self) -> Any:
        """Measures and rows of the whole system at the last evaluation."""
        return self.tables.system.work()
