"""A mechanism with other points, lengths and masses than the one of a known motion, in reused tables.

Tables of one mechanism with other numbers have the same layout; building them again for each of many parameters would
take longer than a short run. They are rebuilt only if a number changes the layout, for example when a point separates
from another one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.analysis.sensitivity.directional_kernels import parts_of
from cardan.analysis.sensitivity.slopes import MotionSlopes
from cardan.numerics.compiled.block import block, replaced, tables_of
from cardan.numerics.compiled.record import Record
from cardan.system.cartesian.mechanism_tables import moving_devices
from cardan.system.forces import force_table
from cardan.system.system import System


class ChangedTables:
    """The tables of a changed mechanism in addition to that of `slopes`, from its model when it was compiled."""

    def __init__(self, slopes: MotionSlopes, system: System) -> None:
        self.laws = system.laws
        self.made = block(
            tables_of(slopes.machine)._replace(
                geometry=system.geometry,
                rows=system.rows,
                solver=system.solver,
                work=system.work(),
                forces=force_table(system, None, moving_devices(system)),
                matter=slopes.machine.matter.copy(),
                gravity=slopes.machine.gravity.copy(),
                reference=system.reference.copy(),
            )
        )
        start, part, coefficient = parts_of(system, slopes.ports)
        self.along = replaced(slopes.along, start=start, part=part, coefficient=coefficient)
        self._weigh(system)

    def takes(self, system: System) -> bool:
        """Take all numbers of the mechanism as compiled now. False if they do not fit."""
        pairs = [
            (self.made.geometry, system.geometry),
            (self.made.rows, system.rows),
            (self.made.solver, system.solver),
        ]
        if system.devices or system.laws != self.laws:
            pairs.append((self.made.forces, force_table(system, None, moving_devices(system))))
        if not all(_fits(old, new) for old, new in pairs):
            return False
        for old, new in pairs:
            _copy_numbers(old, new)
        self.laws = system.laws
        self.made.reference[:] = system.reference
        self._weigh(system)
        return True

    def mirrors(self, system: System) -> bool:
        """Mirror the change of the numbers of `system`, as if a point moved the other way. False if the tables do not
        fit."""
        pairs = (self.made.geometry, system.geometry), (self.made.rows, system.rows), (self.made.solver, system.solver)
        if not all(_fits(old, new) for old, new in pairs) or self.laws != system.laws:
            return False
        for old, new in pairs:
            _mirror(old, new)
        self.made.reference[:] = system.reference
        return True

    def _weigh(self, system: System) -> None:
        self.made.matter[1:] = system.matter()[1:]
        self.made.gravity[:] = system.model.gravity


def _fits(old: Any, new: Any) -> bool:
    """Whether two tables have the same shapes and, except for parameters, the same contents."""
    if isinstance(old, Record):
        return np.array_equal(old.array, new.array)
    if not isinstance(old, np.ndarray):
        pairs = zip(tables_of(old), tables_of(new), strict=True)
        return old is new or all(_fits(a, b) for a, b in pairs)
    if old.dtype.kind == "f":
        return old.shape == new.shape
    return np.array_equal(old, new)


def _copy_numbers(old: Any, new: Any) -> None:
    """Copy all numbers."""
    if old is new or isinstance(old, Record):
        return
    if not isinstance(old, np.ndarray):
        for a, b in zip(tables_of(old), tables_of(new), strict=True):
            _copy_numbers(a, b)
    elif old.dtype.kind == "f":
        old[:] = new


def _mirror(old: Any, new: Any) -> None:
    """Mirror all numbers at the new ones."""
    if old is new or isinstance(old, Record):
        return
    if not isinstance(old, np.ndarray):
        for a, b in zip(tables_of(old), tables_of(new), strict=True):
            _mirror(a, b)
    elif old.dtype.kind == "f":
        moved = old != new  # others may be infinite
        old[moved] = 2.0 * new[moved] - old[moved]
