"""Work against precision: CPU time and error of every integrator on six problems, as a picture and as a table.

    python benchmarks/work_precision.py                                      all, some minutes
    python benchmarks/work_precision.py --problems pendulum --methods radau  a part, printed only

Writes docs/images/work-precision.svg and docs/work-precision.md. Methods with error control run at falling tolerances,
generalized-alpha and HHT at falling steps, each until a run takes longer than `PATIENCE`. Errors are those of a tip at
the end, against `reference.py`; for Bricard's linkage against a tight run. CPU time is that of the run alone.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import reference
from cardan_side import Measured, cost_at, final, measured
from dynamics_problems import (
    Problem,
    bricard,
    double_pendulum,
    governor,
    n_four_bar,
    pendulum,
    slider_crank_light_rod,
)

DOCS = Path(__file__).parents[1] / "docs"
TOLERANCES = tuple(10.0**-k for k in (4, 6, 8, 10))
STEPS = (1e-2, 5e-3, 2e-3, 1e-3, 5e-4)  # s
PATIENCE = 0.7  # s of CPU time of a single run
WANTED = 1e-6  # m: the error at which the table compares

CONTROLLED = ("dop853", "radau", "partition", "direct", "baumgarte", "hybrid", "bdf")
FIXED = ("generalized-alpha", "hht")
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#8c564b", "#000000", "#7f7f7f")


class Case(NamedTuple):
    """A problem and where its tip ends."""

    problem: Problem
    exact: Callable[[], np.ndarray]


Curves = dict[str, dict[str, list[Measured]]]  # problem, method, runs


def cases() -> dict[str, Case]:
    return {
        "pendulum": Case(pendulum(), lambda: reference.pendulum_tip(10.0)),
        "double pendulum": Case(double_pendulum(), lambda: reference.double_pendulum_tip(5.0)),
        "2-four-bar": Case(n_four_bar(2), lambda: reference.n_four_bar_tip(2, 10.0)),
        "Bricard": Case(bricard(), lambda: final(bricard(), method="dop853", rtol=1e-11)),
        "governor": Case(governor(), lambda: reference.governor_tip(10.0)),
        "light-rod slider-crank": Case(slider_crank_light_rod(), lambda: reference.slider_crank_tip(5.0)),
    }


def main() -> None:
    known = cases()
    parser = argparse.ArgumentParser(description="CPU time against error of every integrator.")
    parser.add_argument("--problems", choices=known, nargs="+", default=list(known))
    parser.add_argument("--methods", choices=CONTROLLED + FIXED, nargs="+", default=list(CONTROLLED + FIXED))
    asked = parser.parse_args()
    found: Curves = {}
    for name in asked.problems:
        exact = known[name].exact()
        found[name] = {method: curve(known[name].problem, exact, method) for method in asked.methods}
    text = page(found)
    print(text)
    if set(asked.problems) == set(known) and set(asked.methods) == set(CONTROLLED + FIXED):
        draw(found, DOCS / "images" / "work-precision.svg")
        (DOCS / "work-precision.md").write_text(text)


def curve(problem: Problem, exact: np.ndarray, method: str) -> list[Measured]:
    """Runs of falling tolerance or step, until one takes too long."""
    name, values = ("step", STEPS) if method in FIXED else ("rtol", TOLERANCES)
    found: list[Measured] = []
    for value in values:
        found += measured(problem, exact, [{"method": method, name: value}], repetitions=1)
        if found[-1].call > PATIENCE:
            break
    return found


def page(found: Curves) -> str:
    """The documentation page: the picture, and for each problem what an error of `WANTED` costs."""
    lines = [
        "# Work and precision",
        "",
        "CPU time of a run against the error of a tip at its end, in one process and without preparing the model. All",
        "methods but generalized-alpha and HHT control their error; those two have fixed steps here. Made by",
        "`python benchmarks/work_precision.py`.",
        "",
        "![CPU time against error](images/work-precision.svg)",
        "",
        f"CPU time in ms for an error of {WANTED:g} m, read off these curves; in parentheses the least error reached",
        "where that is larger; *stops* where no run came to its end.",
        "",
        f"| | {' | '.join(found)} |",
        f"|---|{'---|' * len(found)}",
    ]
    methods = list(next(iter(found.values())))
    lines += [f"| {m} | {' | '.join(_entry(curves[m]) for curves in found.values())} |" for m in methods]
    sentences = list(_stops(found))
    if sentences:
        lines += ["", "Runs that stopped:", "", *sentences]
    return "\n".join(lines) + "\n"


def draw(found: Curves, path: Path) -> None:
    """One set of axes for each problem; methods that stop are named in its corner."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "cardan"  # the same picture gives the same file
    figure, grid = plt.subplots(2, 3, figsize=(12, 7.5), layout="constrained")
    for axes, (name, curves) in zip(grid.flat, found.items(), strict=True):
        for color, (method, runs) in zip(COLORS, curves.items(), strict=True):
            done = [run for run in runs if run.stopped is None and run.error > 0.0]
            points = [run.error for run in done], [1e3 * run.cpu for run in done]
            axes.loglog(*points, "s--" if method in FIXED else "o-", ms=3.5, lw=1.2, c=color, label=method)
        stopped = [method for method, runs in curves.items() if all(run.stopped for run in runs)]
        if stopped:
            axes.text(0.97, 0.03, "stops: " + ", ".join(stopped), transform=axes.transAxes, fontsize=8, ha="right")
        axes.set_title(name)
        axes.invert_xaxis()
        axes.grid(True, which="major", lw=0.4)
    figure.supxlabel("error of the tip at the end, m")
    figure.supylabel("CPU time, ms")
    handles, labels = grid.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), fontsize=8, frameon=False)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def _entry(runs: Sequence[Measured]) -> str:
    cost = cost_at(WANTED, runs)
    if math.isfinite(cost):
        return f"{1e3 * cost:.3g}"
    errors = [run.error for run in runs if run.stopped is None]
    return f"({min(errors):.1e})" if errors else "*stops*"


def _stops(found: Curves) -> Iterable[str]:
    """For each problem and method that stopped, at which settings, and with which sentence at the first."""
    for name, curves in found.items():
        for method, runs in curves.items():
            stopped = [run for run in runs if run.stopped]
            if stopped:
                yield f"- {name}, {method}, {len(stopped)} of {len(runs)} runs: {_shown(stopped[0])}"


def _shown(run: Measured) -> Any:
    return f"at {', '.join(f'{k} {v:g}' for k, v in run.options.items() if k != 'method')}: {run.stopped}"


if __name__ == "__main__":
    main()
