"""Random mechanisms through every analysis: each returns a sound result or an error that says why it cannot.

Sound means: every number is finite, joints are closed, the energy of a simulation adds up, and the call ends within a
minute of CPU time. An error is one of Cardan's own, with a message; a warning may stand in for a loose balance. Results
of different analyses agree where they are of the same thing: steps of a stepper, runs of a study and a file that was
read back are those of `simulate`.
"""

from __future__ import annotations

import re
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import cardan
import cardan.planar as plane
import cardan.spatial as space
from cardan.view.web.page import page
from invariants.population import random_case

LONGEST = 60.0  # s of CPU time for one call
CLOSED = 1e-7  # of the mechanism's size: what simulate() leaves at its default tolerance of 1e-8, and ten times that
BALANCED = 1e-5  # of the largest energy: 1000 times the default tolerance; beyond it the run must have warned

ROOTS = 1e-5  # of the largest eigenvalue: double ones move by the root of rounding, times a condition of a thousand
SAME = 1e-6  # of a position: two runs at the default tolerance of 1e-8, whose errors are some ten times that


def _grid(case: Any, count: int = 11) -> np.ndarray:
    return np.linspace(0.0, case.until, count)


def _coordinate(model: Any) -> Any:
    """The global x of the last rigid body."""
    words = plane if model.space.dimensions == 2 else space
    return words.x(model[f"body {sum(body.name.startswith('body ') for body in model.bodies)}"].at())


def _reached(case: Any, model: Any) -> Any:
    """A path of the last body, 2 cm along x."""
    measure = _coordinate(model)
    here = float(cardan.assemble(model)[measure].value)
    return cardan.inverse_kinematics(model, {measure: np.linspace(here, here + 0.02, 3)})


def _stepped(case: Any, model: Any) -> np.ndarray:
    """Steps of a tenth of a second, one of them twice."""
    sim = cardan.stepper(model, outputs=["body 1.x", "body 1.vx"])
    first = sim.step(0.1)
    kept = sim.save()
    once = sim.step(0.1)
    sim.restore(kept)
    assert np.array_equal(sim.step(0.1), once), "a restored step is another one"
    run = cardan.simulate(case.build(), 0.2, output=[0.1, 0.2], progress=False)
    away = np.abs(np.array([first, once]) - np.stack([run["body 1.x"], run["body 1.vx"]], axis=1)).max()
    assert not away > SAME * max(1.0, np.abs(once).max()), f"steps differ from simulate() by {away:.1e}"
    return np.array([first, once])


def _studied(case: Any, model: Any) -> np.ndarray:
    """Three masses of the first body, of which one is that of the model."""
    masses = float(model["body 1"].mass) * np.array([0.9, 1.0, 1.1])
    outputs = ["body 1.x:last", "body 1.vx:last"]
    found = cardan.study(model, {"body 1.mass": masses}, "simulate", outputs, until=0.1, threads=1)
    if found.failures:
        return np.zeros(0)
    run = cardan.simulate(case.build(), 0.1, output=[0.1], progress=False)
    away = max(abs(float(found[name][1]) - float(run[name.partition(":")[0]][-1])) for name in outputs)
    assert not away > SAME * max(1.0, np.abs(run.v).max()), f"a study differs from simulate() by {away:.1e}"
    return np.array([found[name] for name in outputs])


def _filed(case: Any, model: Any) -> Any:
    """A run and its tables, written and read."""
    run = cardan.simulate(model, 0.1, output=0.05, progress=False)
    with TemporaryDirectory() as folder:
        for name in ("run.nc", "run.csv"):
            run.save(Path(folder) / name)
        again = cardan.load_result(Path(folder) / "run.nc", model=case.build())
        written = np.genfromtxt(Path(folder) / "run.csv", delimiter=",", skip_header=1)
    assert np.array_equal(again.q, run.q), "a file has other positions than its run"
    assert written.shape[0] == len(run) and np.isfinite(written).all(), "a table has no numbers"
    return again


def _shown(case: Any, model: Any) -> str:
    """A page of a motion that has started; its text is not read, but scripts do not know the word NaN."""
    with TemporaryDirectory() as folder:
        page(cardan.assemble(model), Path(folder) / "page.html")
        return re.sub(r"<script.*?</script>", "", (Path(folder) / "page.html").read_text("utf-8"), flags=re.DOTALL)


def _loaded(case: Any, model: Any) -> Any:
    """The path of an equilibrium under the first load."""
    loads = [force for force in model.forces if force.name.startswith(("load", "program"))]
    return cardan.equilibrium_path(model, loads[0], points=20) if loads else None


def _differentiated(case: Any, model: Any) -> np.ndarray:
    run = cardan.simulate(model, 0.1, output=0.05, progress=False)
    measure = _coordinate(model)
    return np.asarray(cardan.motion_sensitivities(run, "body 1.mass", measure)[measure, "body 1.mass"])


def _slowest_modes(case: Any, model: Any) -> np.ndarray:
    """The eigenvalues of an equilibrium, from the full equations and from those of independent coordinates."""
    rest = cardan.equilibrium(model)
    free = np.linalg.eigvals(cardan.linearize(model, rest).A)
    if not free.size:
        return free
    found = cardan.eigenmodes(model, rest).eigenvalues
    away = max((float(np.abs(free - value).min()) for value in found), default=0.0)
    size = max(1.0, float(np.abs(found).max()))
    assert not away > ROOTS * size, f"eigenmodes {found} are not among those of linearize(): {free}"
    return np.asarray(found)


ANALYSES: dict[str, Callable[[Any, Any], Any]] = {
    "mobility": lambda case, model: cardan.mobility(model),
    "assemble": lambda case, model: cardan.assemble(model),
    "initial_conditions": lambda case, model: cardan.initial_conditions(model),
    "equilibrium": lambda case, model: cardan.equilibrium(model),
    "equilibrium_path": _loaded,
    "quasi_static": lambda case, model: cardan.quasi_static(model, _grid(case, 5), progress=False),
    "linearize": lambda case, model: cardan.linearize(model),
    "eigenmodes": lambda case, model: cardan.eigenmodes(model, count=4),
    "eigenmodes at rest": _slowest_modes,
    "equations": lambda case, model: cardan.equations(model),
    "joint_space": lambda case, model: cardan.joint_space(model),
    "task_space": lambda case, model: cardan.task_space(model, [_coordinate(model)]),
    "inverse_kinematics": _reached,
    "kinematics": lambda case, model: cardan.kinematics(model, _grid(case), progress=False),
    "kinematics, joint": lambda case, model: cardan.kinematics(model, _grid(case), coordinates="joint", progress=False),
    "inverse_dynamics": lambda case, model: cardan.inverse_dynamics(model, _grid(case), progress=False),
    "inverse_dynamics, joint": lambda case, model: cardan.inverse_dynamics(
        model, _grid(case), coordinates="joint", progress=False
    ),
    "simulate": lambda case, model: cardan.simulate(model, case.until, output=0.05, progress=False),
    "simulate, joint": lambda case, model: cardan.simulate(
        model, case.until, output=0.05, coordinates="joint", progress=False
    ),
    "simulate, radau": lambda case, model: cardan.simulate(
        model, case.until, output=0.05, method="radau", progress=False
    ),
    "motion_sensitivities": _differentiated,
    "stepper": _stepped,
    "study": _studied,
    "file": _filed,
    "page": _shown,
}
MOTIONS = ("kinematics", "inverse_dynamics", "simulate", "file")
SNAPSHOTS = ("assemble", "initial_conditions", "equilibrium")


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
    if isinstance(result, np.ndarray):
        return "" if np.isfinite(result).all() else f"not finite: {result}"
    if analysis in ("quasi_static", "inverse_kinematics", *MOTIONS, *SNAPSHOTS):
        return _unsound_motion(analysis, result)
    return "" if not re.search(r"\bnan\b", repr(result), re.IGNORECASE) else "NaN in its print"


def _unsound_motion(analysis: str, result: Any) -> str:
    for name in ("q", "v", "a") if analysis in MOTIONS else ("q",):
        if not np.isfinite(getattr(result, name)).all():
            return f"{name} is not finite"
    worst = float(result.violation if analysis in SNAPSHOTS else result.violations().max())
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
