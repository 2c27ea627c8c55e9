"""solving_page(result, path): a saved page that solves, without Python and without a network.

The page holds the kernels that the model enters as WebAssembly, and its tables as memory:

    parameters --> tables --> the analysis of the result --> motion and curves           in a millisecond or a few
    a body that is dragged --> joints closed                                             in a fraction of one

Results agree with those of Python to rounding: they come from the same kernels, with the sines of the browser.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.settings import CHECKED, COMPILED
from cardan.output_path import in_folder
from cardan.results.trajectory import Trajectory
from cardan.solving.driven import DrivenTables, driven_batch
from cardan.solving.hand_kernels import close_hand, drag
from cardan.solving.parameters import Range, ranges_of, that_follow
from cardan.solving.program import Program, interpreted_function
from cardan.system.system import System
from cardan.view.web.clip import frames_of
from cardan.view.web.document import Page
from cardan.view.web.page import made, write_page

SAME = 1e-9  # of the size of the model: difference of positions up to which the page repeats a result


class Tables(NamedTuple):
    """All blocks of a page."""

    desk: Any
    hand: Any


class Solver:
    """What solves in a page: the program, and a description of where things are in its memory."""

    def __init__(self, run: Trajectory, curves: Sequence[str], parameters: Any = None) -> None:
        check.instance(run, Trajectory, "the result of a page that solves", hint="kinematics or inverse_dynamics")
        if not COMPILED or CHECKED:
            raise ModelError("pages that solve contain machine code: unset NUMBA_DISABLE_JIT and CARDAN_BOUNDSCHECK")
        self.run = run
        self.ranges, self.tables = _driven(run, curves, parameters)
        tables = self.tables
        self._require_same()
        root = block(Tables(tables.desk, tables.hand))
        self.program = Program(
            root,
            [
                ("solve", type(tables).entry, tables.desk),
                ("drag", drag, tables.hand),
                ("close", close_hand, tables.hand),
            ],
        )

    def _require_same(self) -> None:
        """Solve here, with the parameters as they are: the result must be that of the analysis."""
        run, tables = self.run, self.tables
        type(tables).entry(tables.desk)
        count = run.system.space.stored * (1 + len(run.system.bodies))
        reached = int(tables.control.reached)
        if (
            reached == len(run)
            and np.abs(tables.q[:reached, :count] - run.q[:, :count]).max() <= SAME * run.system.length
        ):
            return
        raise ModelError(
            f"the {run.analysis} of '{run.model.name}' cannot be repeated in a page: the page starts where the model "
            "is stated, with the tolerances of this analysis; omit start= and other options of the analysis"
        )

    def description(self, frames: np.ndarray) -> dict[str, Any]:
        """Where the page reads and writes, as JSON."""
        program, tables, system = self.program, self.tables, self.tables.system
        control, hand = tables.control.array, tables.hand.control.array
        return {
            "analysis": self.run.analysis,
            "desk": program.block(tables.desk),
            "hand": program.block(tables.hand),
            "values": program.address(tables.desk.values) if self.ranges else 0,
            "times": len(self.run),
            "frames": frames.tolist() if frames.size < len(self.run) else [],
            "q": [program.address(tables.q), tables.q.shape[1]],
            "turns": [program.address(tables.turns), tables.turns.shape[1]] if tables.turns.size else [0, 0],
            "winding": system.winding.tolist(),
            "curves": [program.address(tables.desk.curves), tables.desk.curves.shape[1]] if tables.curves else [0, 0],
            "names": tables.curves,
            "control": {
                name: program.address(control) + int(control.dtype.fields[name][1]) for name in control.dtype.names
            },
            "held": {name: program.address(hand) + int(hand.dtype.fields[name][1]) for name in hand.dtype.names},
            "point": program.address(tables.hand.point),
            "target": program.address(tables.hand.target),
            "handQ": [program.address(tables.hand.q), tables.hand.q.size],
            "handTurns": program.address(tables.hand.reference) if tables.hand.reference.size else 0,
            "parameters": [_described(one) for one in self.ranges],
        }

    def packed(self, frames: np.ndarray) -> bytes:
        """What a page carries: the length of the description, the description, the program."""
        words = json.dumps(self.description(frames), separators=(",", ":"), allow_nan=False).encode()
        words += b" " * (-len(words) % 8)
        return gzip.compress(len(words).to_bytes(4, "little") + words + self.program.module, 9, mtime=0)


def solving_page(result: Any, path: Any, *, parameters: Any = None, source: str | None = None, **options: Any) -> Path:
    """Write a page of a result that solves, and return its path.

    In the page, bodies can be dragged, and the numbers in `parameters` changed: names such as "motor.motion.rate",
    "spring.stiffness" or "B.a.x", or a dictionary with their ranges, {"rod.mass": (0.5, 2.0)}. Unless stated, these are
    drivers, forces, gravity, masses and points of joints, forty at most. The analysis of the result is repeated after
    each change. Further options are those of `page`.
    """
    target = in_folder(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise ModelError(f"unknown format of '{target.name}': a page ends in .html")
    found = made(result, **options)
    solver = Solver(result, [curve["name"] for curve in found.clips[0]["curves"]], parameters)
    return write_page(found, result, target, source, solver.packed(_frames(found, result, options)))


def _frames(found: Page, run: Trajectory, options: dict[str, Any]) -> np.ndarray:
    return frames_of(run, options["frames"]) if "frames" in options else frames_of(run)


def _driven(run: Trajectory, curves: Sequence[str], parameters: Any) -> tuple[list[Range], DrivenTables]:
    if run.analysis not in ("kinematics", "inverse dynamics"):
        raise ModelError(f"a page repeats kinematics and inverse dynamics, not {run.analysis}")
    _require_compiled(run.system)
    ranges = ranges_of(run.model, parameters, run.system.length)

    def follows(some: Sequence[Range]) -> Any:
        found = driven_batch(run, some, curves, forces=False)
        return None if found is None else found.law

    if follows([]) is None:
        raise ModelError(
            f"the {run.analysis} of '{run.model.name}' cannot be repeated in a page: rolling, singular positions and "
            "functions that run in the interpreter need Python"
        )
    kept = that_follow(ranges, follows, parameters is not None)
    batch = driven_batch(run, kept, curves, forces=False)
    assert batch is not None
    return kept, DrivenTables(batch, curves, np.array([one.parameter.value for one in kept], float))


def _require_compiled(system: System) -> None:
    """Reject functions that need Python, by name."""
    stated: list[Any] = [*system.equations, *system.laws]
    functions = [part.function for part in stated if part.function is not None]
    motions = [part.motion for part in stated if part.motion is not None]
    functions += [term.function for motion in motions for term in motion.terms() if term.function is not None]
    for function in functions:
        if not function.compiled:
            raise interpreted_function(function.name)


def _described(one: Range) -> dict[str, Any]:
    name = one.parameter.name
    unit = "kg" if name.endswith(".mass") else "m" if one.parameter.is_length else ""
    return {
        "name": name,
        "value": one.parameter.value,
        "low": one.low,
        "high": one.high,
        "unit": "m/s^2" if name.startswith("gravity.") else unit,
    }
