"""How many modules and functions of Cardan a call passes through, counted with `sys.setprofile`.

    python benchmarks/call_path.py          the slider-crank of the README: kinematics and a plot, simulate and a plot
    python benchmarks/call_path.py -v       and the modules of each stage

Only frames of Python count: compiled kernels have none. Each stage counts what the stages before it have not yet
passed through.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("agg")

import cardan
from cardan.examples import load

HOME = Path(cardan.__file__).parent


def passed(call: Callable[[], Any]) -> tuple[Any, set[tuple[str, str]]]:
    """The result of a call, and the functions that it entered, as (module, name)."""
    found: set[tuple[str, str]] = set()

    def note(frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(HOME)) and code.co_name != "<module>":
            found.add((str(Path(code.co_filename).relative_to(HOME)), f"{code.co_qualname}:{code.co_firstlineno}"))

    sys.setprofile(note)
    try:
        result = call()
    finally:
        sys.setprofile(None)
    return result, {one for one in found if not one[0].startswith("examples/")}


def report(title: str, stages: dict[str, Callable[[Any], Any]], verbose: bool) -> None:
    total: set[tuple[str, str]] = set()
    result = None
    for name, stage in stages.items():
        result, found = passed(lambda stage=stage, given=result: stage(given))
        fresh, total = found - total, total | found
        print(f"{title:12} {name:12} {_counts(found)}   new: {_counts(fresh)}")
        for module in sorted({module for module, _ in found}) if verbose else ():
            print(f"    {module}: {', '.join(sorted(n for m, n in found if m == module))}")
    print(f"{title:12} {'all':12} {_counts(total)}")


def _counts(found: set[tuple[str, str]]) -> str:
    modules = {module for module, _ in found}
    packages = {module.split("/")[0] for module in modules}
    return f"{len(modules):3} modules {len(found):4} functions {len(packages):2} packages"


def main() -> None:
    verbose = "-v" in sys.argv[1:]
    times = [0.01 * k for k in range(101)]
    build = load("slider-crank").build
    cardan.kinematics(build(), times, progress=False).plot("slider.ax")  # imports and compiles
    cardan.simulate(build(), 1.0, output=times, progress=False).plot("slider.ax")
    last: dict[str, Callable[[Any], Any]] = {"plot": lambda run: run.plot("slider.ax")}
    first: dict[str, Callable[[Any], Any]] = {"build": lambda _: build()}
    report("kinematics", first | {"analysis": lambda m: cardan.kinematics(m, times, progress=False)} | last, verbose)
    report(
        "simulate",
        first | {"analysis": lambda m: cardan.simulate(m, 1.0, output=times, progress=False)} | last,
        verbose,
    )


if __name__ == "__main__":
    main()
