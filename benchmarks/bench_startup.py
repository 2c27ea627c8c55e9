"""New process to first result: cold, with an empty cache of compiled kernels, and warm, with a filled one.

Each process imports Cardan, states a slider-crank, of the plane or of space, and analyzes it. Of the cold start CPU
time is judged, which is the same as wall time on an idle machine; of the warm start wall time, which is what a user
waits for. Each space has a cache of its own, whose list of kernels shows that it pays for no kernel of the other.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from timing import at_most, conclude, table

FOLDER = Path(__file__).parent
ANALYSIS = """
import numpy as np
from cardan import kinematics
from {module} import {mechanism}
kinematics({mechanism}(), np.linspace(0.0, 0.6, 361), progress=False)
"""
SPACES = {  # the module of the mechanism, the mechanism
    "planar": ("mechanisms", "slider_crank"),
    "spatial": ("spatial_mechanisms", "spatial_slider_crank"),
}
IMPORTS = {
    "import cardan, cardan.planar": "import cardan, cardan.planar",
    "import cardan, cardan.spatial": "import cardan, cardan.spatial",
    "import numpy, numba": "import numpy, numba",
    "python": "pass",
}
RUNS = 7


def main() -> None:
    processes: dict[str, list[tuple[float, float]]] = {}
    kernels: dict[str, Counter[str]] = {}
    for space, (module, mechanism) in SPACES.items():
        code = ANALYSIS.format(module=module, mechanism=mechanism)
        with tempfile.TemporaryDirectory() as cache:
            processes[f"{space}, cold"] = [process(code, cache)]
            processes[f"{space}, warm"] = [process(code, cache) for _ in range(RUNS)]
            kernels[space] = rooms(Path(cache))
    with tempfile.TemporaryDirectory() as cache:
        processes |= {name: [process(code, cache) for _ in range(RUNS)] for name, code in IMPORTS.items()}
    lines = [(name, len(runs), *medians(runs), spread(runs)) for name, runs in processes.items()]
    head = ("process", "runs", "wall s", "CPU s", "wall from - to")
    table("slider-cranks, new process to first result (medians)", head, lines)
    for space, counts in kernels.items():
        print(f"  kernels compiled for the {space} one:", ", ".join(f"{n} in {room}" for room, n in counts.items()))
    verdicts = [
        at_most("kernels of space that the planar one compiled", kernels["planar"]["spatial"], 0),
        at_most("kernels of the plane that the spatial one compiled", kernels["spatial"]["planar"], 0),
    ]
    for space in SPACES:
        verdicts += [
            at_most(f"{space}, cold compilation", medians(processes[f"{space}, cold"])[1], 30.0, " s"),
            at_most(f"{space}, warm start", medians(processes[f"{space}, warm"])[0], 1.5, " s"),
        ]
    conclude(verdicts)


def process(code: str, cache: str) -> tuple[float, float]:
    """Wall and CPU time of a new interpreter that runs `code`."""
    paths = [str(FOLDER), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "CARDAN_CACHE": cache, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    before, begun = os.times(), time.perf_counter()
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    wall, after = time.perf_counter() - begun, os.times()
    return wall, after.children_user + after.children_system - before.children_user - before.children_system


def medians(runs: Iterable[tuple[float, float]]) -> tuple[float, float]:
    wall, cpu = zip(*runs, strict=True)
    return statistics.median(wall), statistics.median(cpu)


def spread(runs: Iterable[tuple[float, float]]) -> str:
    wall = [run[0] for run in runs]
    return f"{min(wall):.2f} - {max(wall):.2f}"


def rooms(cache: Path) -> Counter[str]:
    """How many compiled kernels the cache holds, by the room of their source."""
    return Counter(sorted(path.parent.name.split("_")[0] for path in cache.rglob("*.nbc")))


if __name__ == "__main__":
    main()
