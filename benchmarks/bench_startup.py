"""New process to first result: cold, with an empty cache of compiled kernels, and warm, with a filled one.

Each process imports Cardan, states the slider-crank and analyzes it. Of the cold start CPU time is judged, which is
the same as wall time on an idle machine; of the warm start wall time, which is what a user waits for.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from timing import at_most, conclude, table

FOLDER = Path(__file__).parent
ANALYSIS = """
import numpy as np
from cardan import kinematics
from mechanisms import slider_crank
kinematics(slider_crank(), np.linspace(0.0, 0.6, 361), progress=False)
"""
OTHERS = {
    "warm": ANALYSIS,
    "import cardan": "import cardan, cardan.planar",
    "import numpy and numba": "import numpy, numba",
    "python": "pass",
}
RUNS = 7


def main() -> None:
    with tempfile.TemporaryDirectory() as cache:
        processes = {"cold, empty cache": [process(ANALYSIS, cache)]}
        processes |= {name: [process(code, cache) for _ in range(RUNS)] for name, code in OTHERS.items()}
        files, size = contents(Path(cache))
    lines = [(name, len(runs), *medians(runs)) for name, runs in processes.items()]
    head = ("process", "runs", "wall s", "CPU s")
    table("slider-crank, new process to first result (medians)", head, lines)
    print(f"  the cache holds {files} files, {size / 1e6:.1f} MB")
    conclude(
        [
            at_most("cold compilation", medians(processes["cold, empty cache"])[1], 30.0, " s"),
            at_most("warm start", medians(processes["warm"])[0], 1.5, " s"),
        ]
    )


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


def contents(folder: Path) -> tuple[int, int]:
    """Number and total size of the files in a folder."""
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return len(sizes), sum(sizes)


if __name__ == "__main__":
    main()
