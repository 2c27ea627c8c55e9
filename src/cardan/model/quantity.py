"""What can be read of a body: each space states its list once, for series, tables, data sets and files."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Quantity(NamedTuple):
    """A quantity of a body as a function of its part of q, v and a, each of shape (instants, ...)."""

    name: str
    unit: str
    columns: tuple[str, ...]  # the names of its components in tables; one name alone: a number, not a vector
    read: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    axis: str = ""  # the dimension that its components run along in a labeled data set; "": it is a number
    listed: bool = True  # whether tables and files show it
