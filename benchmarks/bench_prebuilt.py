"""Prebuilt kernels: new process to first result, a tour of ten analyses in both spaces, imports, and calls of kernels.

Needs the library of kernels (`make kernels`), and runs with CARDAN_PREBUILT=require: nothing is compiled. If there is
bitcode (`python -m cardan.prebuilt --platform any`), the tour is also measured with it: the first time, and with the
machine code of the first time.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import timeit
from pathlib import Path

import numpy as np
from bench_startup import medians, process, spread
from timing import at_most, conclude, table

import cardan
from cardan.examples import load
from cardan.numerics.bitcode import CODE
from cardan.numerics.compiled.library import BITCODE, FOLDER, open_library

FIRST = """
import numpy as np
from cardan import {analysis}
from cardan.examples import load
{analysis}(load("{example}").build(), {arguments}, progress=False)
"""
FIRST_RESULTS = {
    "slider-crank, kinematics": ("kinematics", "slider-crank", "np.linspace(0.0, 0.6, 361)"),
    "double pendulum, simulate 5 s": ("simulate", "double-pendulum", "5.0"),
    "spatial slider-crank, kinematics": ("kinematics", "spatial-slider-crank", "np.linspace(0.0, 0.6, 361)"),
    "heavy top, joint coordinates": ("simulate", "heavy-top", "0.5, coordinates='joint'"),
}
TOUR = """
import warnings
import numpy as np
import cardan
from cardan.examples import load
warnings.simplefilter("ignore")
times = np.linspace(0.0, 0.1, 11)
for driven, free, still in (("slider-crank", "double-pendulum", "lamp-equilibrium"),
                            ("spatial-slider-crank", "heavy-top", "governor")):
    model = load(driven).build()
    cardan.mobility(model)
    cardan.assemble(model)
    cardan.kinematics(model, times, progress=False)
    cardan.inverse_dynamics(model, times, progress=False).table()
    model = load(free).build()
    run = cardan.simulate(model, 0.1, output=0.01, progress=False)
    cardan.simulate(model, 0.1, method="radau", progress=False)
    cardan.simulate(model, 0.1, coordinates="joint", progress=False)
    cardan.linearize(model, at=run.at(0.1))
    cardan.motion_sensitivities(run, ["gravity.y"])
    cardan.equilibrium(load(still).build(), progress=False)
"""
RUNS = 9


def main() -> None:
    if open_library() is None:
        sys.exit("no library of kernels: make kernels")
    os.environ["CARDAN_PREBUILT"] = "require"
    cache = os.environ.get("CARDAN_CACHE", "")
    processes = {
        name: [
            process(FIRST.format(analysis=analysis, example=example, arguments=arguments), cache) for _ in range(RUNS)
        ]
        for name, (analysis, example, arguments) in FIRST_RESULTS.items()
    }
    processes["tour of ten analyses in both spaces"] = [process(TOUR, cache) for _ in range(3)]
    lines = [(name, len(runs), *medians(runs), spread(runs)) for name, runs in processes.items()]
    table("new process to result (medians)", ("process", "runs", "wall s", "CPU s", "wall from - to"), lines)
    ratio = import_ratio()
    call = entry_time()
    print(f"  a kernel with four blocks is entered in {call:.2f} us")
    conclude(
        [
            *bitcode(),
            at_most("first result", medians(processes["slider-crank, kinematics"])[0], 0.6, " s"),
            at_most("tour", medians(processes["tour of ten analyses in both spaces"])[0], 2.0, " s"),
            at_most("import cardan, cardan.planar relative to import numpy", ratio, 1.5),
            at_most("entering a kernel", call, 1.0, " us"),
        ]
    )


def bitcode() -> list[bool]:
    """The tour with bitcode, in CPU time: on an idle machine that is the time to wait."""
    if not (FOLDER / CODE).exists():
        return []
    print(f"  bitcode has {(FOLDER / CODE).stat().st_size / 1e6:.2f} MB")
    os.environ["CARDAN_CPU_LEVEL"] = BITCODE
    with tempfile.TemporaryDirectory() as cache:
        first, *others = [process(TOUR, cache)[1] for _ in range(4)]
        pieces = list(Path(cache).glob("kernels-*/*.o"))
        print(f"  the tour compiles {len(pieces)} pieces, {sum(path.stat().st_size for path in pieces) / 1e6:.2f} MB")
    del os.environ["CARDAN_CPU_LEVEL"]
    print(f"  tour with bitcode: {first:.1f} s of CPU the first time, then {statistics.median(others):.1f}")
    return [
        at_most("tour with bitcode, the first time", first, 12.0, " s"),
        at_most("bitcode", (FOLDER / CODE).stat().st_size / 1e6, 3.0, " MB"),
    ]


def import_ratio() -> float:
    """The time of `import cardan, cardan.planar` relative to `import numpy`, of pairs of processes."""
    code = "import time; a = time.perf_counter(); import {}; print(time.perf_counter() - a)"

    def seconds(modules: str) -> float:
        return float(
            subprocess.run([sys.executable, "-c", code.format(modules)], capture_output=True, check=True).stdout
        )

    return statistics.median(seconds("cardan, cardan.planar") / seconds("numpy") for _ in range(RUNS))


def entry_time() -> float:
    """Microseconds of a call from Python, of a kernel that does next to nothing."""
    from cardan.model.space import displacement
    from cardan.system.compile import compile

    system = compile(load("double-pendulum").build())
    q, step = system.start, np.zeros(system.speeds().size)
    number = 20000
    with_call = min(timeit.repeat(lambda: displacement(system.geometry, q, q, step), number=number, repeat=5))
    return with_call / number * 1e6


if __name__ == "__main__":
    assert cardan
    main()
