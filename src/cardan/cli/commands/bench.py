"""Measure this machine: import time, speed of kinematics and dynamics, speed of writing and reading results."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from cardan.cli.arguments import add_json

HELP = "measure the speed of this machine in a few seconds"
TIMES = 20_000


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--folder", metavar="DIR", default=".", help="folder on the disk to measure (default: here)")
    add_json(command)


def execute(arguments: argparse.Namespace) -> int:
    import platform
    import sys

    output = arguments.output
    output.add(machine=platform.machine(), system=platform.system(), python=sys.version.split()[0])
    figures = {"start": _start(), **_solve(), **_disk(Path(arguments.folder))}
    units = {"start": "s", "kinematics": "times/s", "dynamics": "steps/s", "write": "MB/s", "read": "MB/s"}
    words = {
        "start": "import",
        "kinematics": "slider-crank, kinematics",
        "dynamics": "double pendulum, dynamics",
        "write": "writing a result",
        "read": "reading it back",
    }
    for name, value in figures.items():
        output.line(f"{words[name]:<36}{value:>12.4g} {units[name]}")
    output.add(figures=figures, units=units)
    return 0


def _timed(task: Callable[[], object]) -> float:
    begun = time.perf_counter()
    task()
    return time.perf_counter() - begun


def _start() -> float:
    import subprocess
    import sys

    return _timed(lambda: subprocess.run([sys.executable, "-c", "from cardan import kinematics"], check=True))


def _solve() -> dict[str, float]:
    import numpy as np

    from cardan import kinematics, simulate
    from cardan.examples import load

    crank, pendulum = load("slider-crank").build(), load("double-pendulum").build()
    kinematics(crank, np.linspace(0.0, 0.1, 10))  # compile first
    simulate(pendulum, 0.1)
    times = np.linspace(0.0, 10.0, TIMES)
    elapsed = _timed(lambda: kinematics(crank, times))
    begun = time.perf_counter()
    steps = simulate(pendulum, 60.0).stats.steps
    return {"kinematics": TIMES / elapsed, "dynamics": steps / (time.perf_counter() - begun)}


def _disk(folder: Path) -> dict[str, float]:
    import tempfile

    import numpy as np

    from cardan import kinematics, open_result
    from cardan.examples import load
    from cardan.storage.recorder import save_parts

    model = load("slider-crank").build()
    run = kinematics(model, np.linspace(0.0, 10.0, TIMES))
    with tempfile.TemporaryDirectory(dir=folder) as inside:
        path = Path(inside) / "bench.nc"
        wrote = _timed(lambda: save_parts([run] * 20, path))
        size = path.stat().st_size / 1e6
        with open_result(path, model=model) as stored:
            read = _timed(lambda: [len(part) for part in stored.parts(TIMES)])
    return {"write": size / wrote, "read": size / read}
