"""Tests of rejected input: a small model to add wrong elements to, and the check of the message."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from cardan import ModelError
from cardan.planar import Body, Driver, Fixed, Model, Ramp, Revolute

NAN, INF = math.nan, math.inf


class Bench:
    """A hinged arm and a second body, to which each case adds something wrong."""

    def __init__(self) -> None:
        self.model = Model("bench")
        self.ground = self.model.ground
        self.arm = self.model.add(Body(), name="arm")
        self.part = self.model.add(Body(position=(1.0, 0.0)), name="part")
        self.hinge = self.model.add(Revolute(self.ground.at(), self.arm.at()), name="hinge")

    def add(self, element: Any, name: str | None = "culprit") -> Any:
        return self.model.add(element, name=name)

    def complete(self, motion: Any = None) -> Model:
        """Hold the part and drive the arm: a whole mechanism."""
        self.add(Fixed(self.ground.at(1.0, 0.0), self.part.at()), "weld")
        self.add(Driver(self.hinge.angle, Ramp(1.0) if motion is None else motion), "motor")
        return self.model


@dataclass(frozen=True)
class Bad:
    """Input that must be rejected, and the words its message must contain."""

    name: str
    state: Callable[[Any], Any]
    words: tuple[str, ...]
    kind: type[Exception] = ModelError

    def __str__(self) -> str:
        return self.name


def lines(group: str, *cases: tuple[Any, ...], kind: type[Exception] = ModelError) -> list[Bad]:
    """One case per line: the input, and the words its message must contain."""
    numbered = enumerate(cases)
    return [Bad(f"{group}: {' '.join(words)} ({k})", state, tuple(words), kind) for k, (state, *words) in numbered]


def check_rejected(case: Bad, monkeypatch: pytest.MonkeyPatch, bench: Callable[[], Any] = Bench) -> None:
    """The case raises its error, in one sentence with all its words, before any assembly, and quickly."""
    for module in ("assembly.assemble", "driven.kinematics", "assembly.mobility"):
        monkeypatch.setattr(f"cardan.analysis.{module}.assembled", _solved)
    begun = time.process_time()
    with pytest.raises(case.kind) as caught:
        case.state(bench())
    assert time.process_time() - begun < 5.0  # a user's function may have to be compiled first
    message = str(caught.value)
    one_sentence(message)
    missing = [word for word in case.words if word not in message]
    assert not missing, f"{missing} not in: {message}"


def one_sentence(message: str) -> None:
    assert "\n" not in message and not re.search(r"[.!?]\s+[A-Z]", message), f"not one sentence: {message}"


def _solved(*_: Any, **__: Any) -> None:
    pytest.fail("bad input must be rejected before anything is solved")
