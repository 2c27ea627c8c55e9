"""What calls fill again: the arrays of the calling thread."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import Any

from cardan.analysis.joint.single_calls import SingleCalls
from cardan.system.tree.tables import JointTables


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
