"""Exudyn as a rival: a throw-away environment of its own, one process per problem, one thread.

`measured` hands a problem to `exudyn_side.py` in that environment, which is made on first use (`python -m venv`, then
`pip install`) in the folder for temporary files. Every answer is kept there; with `stored=True` an answer to the same
question is taken from there, so that one can work on our side of a contest without running the other side again.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dynamics_problems import Problem

VERSION = "1.13.6"
SIDE = Path(__file__).with_name("exudyn_side.py")
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
NOT_PART_OF_IT = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")

# As good as Exudyn gets, tried on every problem: a dense solver up to some ten bodies, beyond them the sparse one with
# its pattern kept. Modified Newton pays where Jacobians are dear, as in space, and with many bodies.
SMALL_PLANE = ({"linear": "EigenDense", "modified": False}, {"linear": "EigenSparse", "reuse": True})
LARGE_PLANE = ({"linear": "EigenSparse", "reuse": True}, {"linear": "EigenSparse", "reuse": True, "modified": False})
SMALL_SPACE = tuple(
    {"linear": "EigenDense", "rotation": rotation}
    for rotation in ("rotation vector, Lie group", "Euler parameters", "Tait-Bryan angles")
)
LARGE_SPACE = tuple({**settings, "linear": "EigenSparse", "reuse": True} for settings in SMALL_SPACE)
LOOSE = {"modified": False, "newton_relative": 1e-5}  # one iteration a step, a thousand times Exudyn's own tolerance


def measured(problem: Problem, runs: Sequence[dict[str, Any]], stored: bool = False) -> list[dict[str, Any]]:
    """CPU and wall seconds, steps, Newton iterations, tip and what stopped it, of each run."""
    request = json.dumps({"problem": asdict(problem), "runs": list(runs)})
    folder = environment_of()
    kept = folder / f"{hashlib.sha256((request + SIDE.read_text()).encode()).hexdigest()[:16]}.json"
    if stored and kept.exists():
        return json.loads(kept.read_text())["runs"]
    environment = {name: value for name, value in os.environ.items() if name not in NOT_PART_OF_IT} | ONE_THREAD
    command = [str(python_of(folder)), str(SIDE)]
    answer = subprocess.run(command, input=request, env=environment, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise SystemExit(f"Exudyn failed on {problem.name}:\n{answer.stderr}")
    last = answer.stdout.strip().splitlines()[-1]  # Exudyn prints what it has to say before
    kept.write_text(last)
    return json.loads(last)["runs"]


def fastest(problem: Problem, settings: Sequence[dict[str, Any]], h: float, stored: bool = False, **more: Any) -> Any:
    """Of several settings the run that took least CPU time, or one that stopped if all did."""
    found = measured(problem, [{"h": h, **chosen, **more} for chosen in settings], stored)
    return min(found, key=lambda run: (run["stopped"] is not None, run["cpu"]))


def environment_of() -> Path:
    """The folder of the environment, made if it is missing."""
    folder = Path(tempfile.gettempdir()) / f"cardan-rivals-{os.getuid()}" / f"exudyn-{VERSION}"
    if not (folder / "ready").exists():
        print(f"  making an environment for Exudyn {VERSION} in {folder}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        install = ["-m", "pip", "install", "-qq", "--disable-pip-version-check", f"exudyn=={VERSION}"]
        if subprocess.run([str(python_of(folder)), *install], check=False).returncode:
            raise SystemExit(f"Exudyn {VERSION} could not be installed with pip: is there a network?")
        (folder / "ready").touch()
    return folder


def python_of(folder: Path) -> Path:
    return folder / "bin" / "python"
