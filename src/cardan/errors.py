"""Errors and warnings that speak the user's language.

Each names the user's elements, the value found and the way out. Errors of an analysis carry what had been
computed when it stopped:

    try:
        motion = kinematics(model, times)
    except LockUp as stop:
        motion = stop.partial          # the result up to stop.time
"""

from __future__ import annotations

import warnings
from typing import Any

from cardan.deprecation import RenamedAttribute, user_level


class CardanError(Exception):
    """Base of every error that this package raises on purpose."""

    def __init__(
        self,
        message: str,
        *,
        time: float | None = None,
        elements: tuple[str, ...] = (),
        partial: Any = None,
        cause: BaseException | None = None,
    ) -> None:
        super().__init__(message)
        if cause is not None:  # what a user's own function raised: the traceback then shows its line
            self.__cause__ = cause
        self.time = time
        self.elements = elements
        self.partial = partial


class ModelError(CardanError):
    """The model as stated cannot be analyzed: wrong data, missing or contradicting elements."""


class AssemblyError(CardanError):
    """No position closes all joints; the message says which stay open, and by how much."""


class LockUp(CardanError):
    """The motion reached a singular configuration: a lock-up, which it cannot pass, or a bifurcation, where motions
    cross.

    `kind` is "lock-up" or "bifurcation". At a bifurcation `branches` are snapshots of the motions that leave it, the
    smooth one first: `kinematics(model, times, at_bifurcation=stop.branches[1])` continues along another one.
    """

    def __init__(self, message: str, *, kind: str = "lock-up", branches: tuple[Any, ...] = (), **known: Any) -> None:
        super().__init__(message, **known)
        self.kind, self.branches = kind, branches

    is_fork = RenamedAttribute("is_bifurcation")

    @property
    def is_bifurcation(self) -> bool:
        """Whether several motions cross here; the analysis can continue along one of them."""
        return self.kind == "bifurcation"


class SimulationError(CardanError):
    """An analysis over time stopped before its end for a reason other than a lock-up."""


class WriteError(CardanError):
    """A file could not be written: the disk is full, or the folder is closed to us. `.partial` has the result."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during an analysis: a KeyboardInterrupt, which `except CardanError` lets pass, with what was computed.

        try:
            run = simulate(model, 3600.0)
        except KeyboardInterrupt as stop:
            run = stop.partial         # up to stop.time; at a prompt sys.last_value.partial

    An interruption outside of the loop of an analysis, where nothing was computed yet, is a plain KeyboardInterrupt.
    """

    def __init__(
        self, message: str, *, time: float | None = None, elements: tuple[str, ...] = (), partial: Any = None
    ) -> None:
        super().__init__(message)
        self.time, self.elements, self.partial = time, elements, partial


class CardanWarning(UserWarning):
    """Something the user should know, though the analysis goes on."""


class DegreesWarning(CardanWarning):
    """A number in radians is probably meant in degrees."""


class EnergyWarning(CardanWarning):
    """The energy of a run does not add up as well as its tolerance asks for: its results may be wrong from then on."""


def warn(message: str, category: type[Warning] = CardanWarning) -> None:
    """A warning at the line of the user's code that led to it, however deep in the package it is issued."""
    warnings.warn(message, category, stacklevel=user_level())
