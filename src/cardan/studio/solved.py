"""The model of a text: whether it moves, and if not the first reason; where its bodies are; its motion.

solved = Solved(text, path)
solved.status       {"dof": 1, "undriven": 0, "moves": True, "text": "1 degree of freedom, driven by 'motor1'"}
"""

from __future__ import annotations

import math
import time as clock
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cardan.analysis.assembly.assemble import assemble
from cardan.analysis.assembly.mobility import Mobility, mobility
from cardan.analysis.drag.grab import Grab
from cardan.analysis.driven.kinematics import kinematics
from cardan.analysis.forward.simulate import simulate
from cardan.counts import counted
from cardan.errors import AssemblyError, CardanError, CardanWarning
from cardan.files.faults import FileError
from cardan.files.model_file import ModelFile, load_model
from cardan.model.curves.motion import Harmonic, Ramp
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory
from cardan.studio.places import Pose

SOLVED_FRAMES = 181  # of the motion that is shown while drawing
DURATION = 2.0  # s of a free motion, unless the file or the user states another
SLOW_MOTION = 0.4  # s: a motion that takes longer is not computed while something is moved


class Solved:
    """A text, solved as far as it can be; `fault` says what is wrong with the file itself."""

    def __init__(
        self,
        text: str,
        path: Path,
        *,
        functions: Any = None,
        allow: Sequence[Path] = (),
        motion: bool = True,
        free: float = 0.0,
    ) -> None:
        self.text, self.fault, self.warnings = text, "", []
        self.file: ModelFile | None = None
        self.mobility: Mobility | None = None
        self.snapshot: Snapshot | None = None
        self.run: Trajectory | None = None
        self.trouble = ""  # why the motion ends
        self.stopped = ""  # why a free motion ends early, or was not computed
        self.took = 0.0
        self._hand: Grab | None = None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", CardanWarning)
            try:
                self.file = load_model(path, functions=functions, allow=allow, text=text)
                self._place()
                if motion:
                    self.move()
                if motion and free:
                    self.simulate(free)
            except FileError as error:
                self.fault = _short(error, path)
            except CardanError as error:
                self.trouble = str(error)
            except (ArithmeticError, ValueError, np.linalg.LinAlgError) as error:
                self.trouble = f"the equations cannot be evaluated here: {error}"
        self.warnings = list(dict.fromkeys(str(one.message) for one in caught))[:5]

    @property
    def model(self) -> Any:
        return None if self.file is None else self.file.model

    @property
    def dimensions(self) -> int:
        return 2 if self.model is None else int(self.model.space.dimensions)

    def _place(self) -> None:
        """Where bodies are, and how they can move."""
        if not len(self.model.bodies):
            return
        try:
            self.snapshot = assemble(self.model)
        except AssemblyError as error:
            self.snapshot, self.trouble = error.partial, str(error)
        self.mobility = mobility(self.model)

    def move(self) -> None:
        """The motion that the drivers prescribe, over a cycle or the times of the file."""
        if self.mobility is None or self.trouble or self.mobility.undriven or not self.mobility.driver_equations:
            return
        begun = clock.perf_counter()
        try:
            self.run = kinematics(self.model, self.times())
        except CardanError as error:
            partial = getattr(error, "partial", None)
            if isinstance(partial, Trajectory) and len(partial) > 1:
                self.run = partial
            self.trouble = str(error)
        self.took = clock.perf_counter() - begun

    @property
    def is_free(self) -> bool:
        """Whether there is a motion that motors do not determine."""
        found = self.mobility
        return found is not None and found.undriven > 0 and not self.trouble and not self.fault

    def simulate(self, duration: float, progress: Callable[[Any], None] | None = None) -> None:
        """The free motion from the initial position under gravity, springs and motors, for `duration` seconds."""
        if not self.is_free:
            return
        begun = clock.perf_counter()
        self.run, self.stopped = None, ""
        try:
            self.run = simulate(
                self.model, duration, output=np.linspace(0.0, duration, SOLVED_FRAMES), progress=progress
            )
        except CardanError as error:
            partial = getattr(error, "partial", None)
            self.run = partial if isinstance(partial, Trajectory) and len(partial) > 1 else None
            self.stopped = str(error)
        except (ArithmeticError, ValueError, np.linalg.LinAlgError) as error:
            self.stopped = f"the free motion cannot be computed: {error}"
        self.took = clock.perf_counter() - begun

    @property
    def duration(self) -> float:
        """Seconds of the first simulation of the file, else `DURATION`."""
        for analysis in self.file.analyses if self.file is not None else ():
            stated = analysis.arguments.get("duration") if analysis.kind == "simulate" else None
            if isinstance(stated, int | float) and stated > 0.0:
                return float(stated)
        return DURATION

    def times(self) -> np.ndarray:
        """Output times: those of the first driven analysis of the file, else a cycle of the slowest motor."""
        assert self.file is not None
        for analysis in self.file.analyses:
            if analysis.kind in ("kinematics", "inverse_dynamics"):
                return np.atleast_1d(np.asarray(analysis.arguments["times"], float))
        return np.linspace(0.0, self.cycle(), SOLVED_FRAMES)

    def cycle(self) -> float:
        """The period of the slowest driver, 1 s if there is none."""
        found = []
        for element in self.model:
            motion = getattr(element, "motion", None)
            rate = getattr(motion, "rate", 0.0) if isinstance(motion, Ramp) else 0.0
            rate = motion.frequency if isinstance(motion, Harmonic) else rate
            if isinstance(rate, int | float) and rate:
                found.append(2.0 * math.pi / abs(rate))
        return float(min(max(found), 1e4)) if found else 1.0

    # --- where things are ------------------------------------------------------------------------------------------

    @property
    def poses(self) -> dict[str, Pose]:
        """Of the bodies of a planar model, by name."""
        return {} if self.snapshot is None or self.dimensions != 2 else poses_of(self.snapshot)

    @property
    def hand(self) -> Grab:
        """The mechanism for dragging."""
        if self._hand is None:
            self._hand = Grab(self.model, self.snapshot)
        return self._hand

    # --- what to say about it --------------------------------------------------------------------------------------

    @property
    def status(self) -> dict[str, Any]:
        found = self.mobility
        return {
            "dof": None if found is None else found.degrees_of_freedom,
            "undriven": None if found is None else found.undriven,
            "moves": found is not None and not self.trouble and found.degrees_of_freedom > 0,
            "driven": self.run is not None and not self.is_free,
            "empty": self.model is not None and not len(self.model.bodies),
            "text": self.reason(),
            "warnings": self.warnings,
            "report": "" if found is None else repr(found),
        }

    def reason(self) -> str:
        """The first reason why the mechanism does not move, or what moves it."""
        if self.fault:
            return self.fault
        found = self.mobility
        if found is None:
            return self.trouble or "Draw a link: choose Bar and click two points."
        if found.conflicting and not found.redundant_drivers:
            element, label, _ = max(found.conflicting, key=lambda one: one[2])
            return f"It cannot be assembled: '{element}' ({label}) stays open. {self.trouble}".strip()
        if found.redundant_drivers:
            return f"'{found.redundant_drivers[0][0]}' is one motor too many: joints and other motors determine it."
        if self.trouble:
            return self.trouble
        if found.unconstrained_bodies:
            return f"'{found.unconstrained_bodies[0]}' is not attached to anything: pin it to a link or to the ground."
        if found.degrees_of_freedom == 0:
            return f"It is rigid: no degree of freedom is left.{_redundant(found)}"
        if found.undriven == 0:
            return f"It moves: {counted(found.driver_equations, 'motor')} drive it.".replace(
                "1 motor drive", "1 motor drives"
            )
        free = "Nothing drives it" if not found.driver_equations else f"{found.undriven} of them without a motor"
        return f"{free}: add a motor, drag it, or simulate it.{_redundant(found)}"


def poses_of(snapshot: Snapshot) -> dict[str, Pose]:
    """Position and angle of every body of a planar snapshot, by name."""
    system = snapshot.system
    stored = snapshot.q[: 3 * (1 + len(system.bodies))].reshape(-1, 3)
    return {body.name: _pose(stored[system.number[id(body)]]) for body in system.bodies}


def _pose(row: np.ndarray) -> Pose:
    return float(row[0]), float(row[1]), float(row[2])


def _redundant(found: Mobility) -> str:
    if not found.redundant:
        return ""
    element, label = found.redundant[0]
    return f" '{element}' ({label}) is redundant."


def _short(error: FileError, path: Path) -> str:
    """The first fault, without the path."""
    text = str(error).splitlines()[0]
    return text.removeprefix(f"{path}:")
