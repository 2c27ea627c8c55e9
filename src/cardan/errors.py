"""Errors that speak the user's language.

Each names the user's elements, the value found and the way out. Errors of an analysis carry what had been
computed when it stopped:

    try:
        motion = kinematics(model, times)
    except LockUp as stop:
        motion = stop.partial          # the result up to stop.time
"""

from __future__ import annotations

from typing import Any


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
    """The motion reached a configuration that it cannot pass: a dead point or a fork of motions."""


class SimulationError(CardanError):
    """An analysis over time stopped before its end for a reason other than a lock-up."""


class CardanWarning(UserWarning):
    """Something the user should know, though the analysis goes on."""
