"""solving_page(result, path): a saved page that solves, without Python and without a network.

The page holds the kernels that the model enters as WebAssembly, and its tables as memory:

    parameters --> tables --> the analysis of the result --> motion and curves           in a millisecond or a few
    a body that is dragged --> joints closed                                             in a fraction of one

Results agree with those of Python to rounding: they come from the same kernels, with the sines of the browser.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cardan.errors import ModelError, warn
from cardan.output_path import in_folder
from cardan.results.simulation import Simulation
from cardan.results.snapshot import Snapshot
from cardan.solving.solver import Solver
from cardan.view.web.clip import FRAMES, frames_of
from cardan.view.web.page import made, write_page


def solving_page(result: Any, path: Any, *, parameters: Any = None, source: str | None = None, **options: Any) -> Path:
    """Write a page of a result that solves, and return its path.

    In the page, bodies can be dragged, and the numbers in `parameters` changed: names such as "motor.motion.rate",
    "spring.stiffness" or "B.a.x", or a dictionary with their ranges, {"rod.mass": (0.5, 2.0)}. Unless stated, these are
    drivers, forces, gravity, masses and points of joints, forty at most. The analysis of the result, `kinematics`,
    `inverse_dynamics` or `simulate`, is repeated after each change. Compiled functions of the user are part of the
    page; those that run in the interpreter need Python. Where an analysis cannot be repeated, such as one with events,
    bodies can still be dragged, and a note in the page says why. Further options are those of `page`.
    """
    target = in_folder(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise ModelError(f"unknown format of '{target.name}': a page ends in .html")
    found = made(result, **options)
    run = result.as_trajectory() if isinstance(result, Snapshot) else result
    solver = Solver(run, [curve["name"] for curve in found.clips[0]["curves"]], parameters, drag_alone=True)
    if isinstance(solver.run, Simulation) and solver.run is not run:
        found = made(solver.run, **options)
        assert isinstance(run, Simulation)
        joint = ", in coordinates of bodies" if run.options.get("coordinates") == "joint" else ""
        method = solver.run.stats.method
        found.scene.notes.append(f"Simulated by method '{method}'{joint}, as this page does after a change.")
        run = result = solver.run
    if solver.why:
        note = f"Bodies can be dragged, but the analysis is not repeated in this page: {solver.why}"
        found.scene.notes.append(note)
        if not isinstance(result, Snapshot):
            warn(note)
    if solver.without_forces:
        found.scene.notes.append(f"Forces are not computed again after a change: {solver.without_forces}.")
    frames = frames_of(run, options.get("frames", FRAMES))
    return write_page(found, result, target, source, solver.packed(frames))
