"""Random mechanisms through every analysis: each returns a sound result or an error that says why it cannot.

Sound means: every number is finite, joints are closed, the energy of a simulation adds up, and the call ends within a
minute of CPU time. An error is one of Cardan's own, with a message; a warning may stand in for a loose balance.
"""

from __future__ import annotations

import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import cardan
from invariants.population import random_case

LONGEST = 60.0  # s of CPU time for one call
CLOSED = 1e-7  # of the mechanism's size: what simulate() leaves at its default tolerance of 1e-8, and ten times that
BALANCED = 1e-5  # of the largest energy: 1000 times the default tolerance; beyond it the run must have warned

ANALYSES: dict[str, Callable[[Any, Any], Any]] = {
    "mobility": lambda case, model: cardan.mobility(model),
    "assemble": lambda case, model: cardan.assemble(model),
    "initial_conditions": lambda case, model: cardan.initial_conditions(model),
    "equilibrium": lambda case, model: cardan.equilibrium(model),
    "linearize": lambda case, model: cardan.linearize(model),
    "kinematics": lambda case, model: cardan.kinematics(model, np.linspace(0.0, case.until, 11), progress=False),
    "kinematics, joint": lambda case, model: cardan.kinematics(
        model, np.linspace(0.0, case.until, 11), coordinates="joint", progress=False
    ),
    "inverse_dynamics": lambda case, model: cardan.inverse_dynamics(
        model, np.linspace(0.0, case.until, 11), progress=False
    ),
    "simulate": lambda case, model: cardan.simulate(model, case.until, output=0.05, progress=False),
    "simulate, joint": lambda case, model: cardan.simulate(
        model, case.until, output=0.05, coordinates="joint", progress=False
    ),
}


@pytest.mark.parametrize("analysis", ANALYSES)
def test_sound_result_or_error_that_says_why(analysis: str, invariant_seeds: range) -> None:
    failures = []
    for seed in invariant_seeds:
        case = random_case(seed)
        model = case.build()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            fault = _fault(analysis, case, model)
        if fault and not (fault.startswith("energy") and any("energy" in str(w.message) for w in said)):
            failures.append(f"seed {seed}: {fault}")
    assert not failures, "\n".join(failures)


def _fault(analysis: str, case: Any, model: Any) -> str:
    """What is wrong with the result of an analysis, or nothing."""
    try:
        with cpu_limit(LONGEST):
            result = ANALYSES[analysis](case, model)
    except cardan.CardanError as error:
        return "" if len(str(error)) > 20 else f"an error without a message: {error!r}"
    except TimeoutError:
        return f"no end within {LONGEST:.0f} s of CPU time"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return _unsound(analysis.partition(",")[0], result)


def _unsound(analysis: str, result: Any) -> str:
    if analysis in ("mobility", "linearize"):
        return "" if "nan" not in repr(result).lower() else "NaN in its print"
    names = ("q", "v", "a") if analysis in ("kinematics", "inverse_dynamics", "simulate") else ("q",)
    for name in names:
        if not np.isfinite(getattr(result, name)).all():
            return f"{name} is not finite"
    worst = float(
        result.violation if analysis in ("assemble", "initial_conditions", "equilibrium") else result.violations().max()
    )
    if worst > CLOSED * max(result.system.length, 1.0):
        return f"joints stay open by {worst:.1e}"
    if analysis == "simulate" and not result.energy.drift <= BALANCED:
        return f"energy does not add up: {result.energy.drift:.1e}"
    return ""


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """TimeoutError once the process has used so much CPU time; compiled loops return to Python often enough for it."""

    def expired(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, expired)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)
