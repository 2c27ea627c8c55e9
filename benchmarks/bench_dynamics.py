"""Forward dynamics: against exact laws, and against Exudyn 1.13.6 (generalized-alpha, from PyPI) at the same error.

    python benchmarks/bench_dynamics.py                     everything, some minutes
    python benchmarks/bench_dynamics.py --only four-bar     one contest of: four-bar, four-bar-40, bricard, governor,
                                                            chains, pendulum
    python benchmarks/bench_dynamics.py --stored            Exudyn's numbers from its last run, where there are any

Both sides get the same data (`dynamics_problems.py`) and are timed without building the model, in CPU time, which
counts all threads.
Exudyn is given the fastest of several settings (`exudyn_rival.py`) with its own tolerances of Newton's method; how it
does with looser ones is shown without a verdict.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import reference
from cardan_side import Measured, cost_at, final, measured
from chains import chains
from dynamics_models import state
from dynamics_problems import Problem, bricard, governor, n_four_bar, pendulum
from exudyn_rival import LARGE_PLANE, LOOSE, SMALL_PLANE, SMALL_SPACE, fastest, measured as exudyn
from timing import at_least, at_most, conclude, table

from cardan import mobility, simulate

HEAD = ("", "error in m", "CPU ms", "whole call ms", "steps", "iterations")
STEPS = (1e-2, 5e-3, 2e-3, 1e-3)  # s, of Exudyn
JUDGED = 1e-3  # s


def main() -> None:
    contests: dict[str, Callable[[bool], list[bool]]] = {
        "four-bar": four_bar,
        "four-bar-40": four_bar_40,
        "bricard": bricard_linkage,
        "governor": stiff_governor,
        "chains": chains,
        "pendulum": plain_pendulum,
    }
    parser = argparse.ArgumentParser(description="Forward dynamics against exact laws and Exudyn.")
    parser.add_argument("--only", choices=contests, nargs="+", default=list(contests), help="these contests alone")
    parser.add_argument("--stored", action="store_true", help="take Exudyn's numbers from an earlier run")
    asked = parser.parse_args()
    conclude([verdict for name in asked.only for verdict in contests[name](asked.stored)])


def four_bar(stored: bool) -> list[bool]:
    """Two four-bars, 10 s: errors, no stall at any of 40 tolerances, CPU at the error of Exudyn with 1 ms."""
    problem, exact = n_four_bar(2, 10.0), reference.n_four_bar_tip(2, 10.0)
    ours = measured(problem, exact, _tolerances(1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11), repetitions=9)
    verdicts = _against_exudyn(problem, exact, ours, SMALL_PLANE, 100.0, stored)
    for rtol, allowed in ((1e-8, 1e-6), (1e-10, 1e-8), (1e-11, 1e-9)):
        verdicts.append(at_most(f"tip error at rtol {rtol:g}", _error_at(rtol, ours), allowed, " m"))
    many = measured(problem, exact, _tolerances(*np.logspace(-5, -11, 40)), repetitions=1)
    stalled = [run for run in many if run.stopped or run.steps > 1500]
    worst = max((run.error / run.options["rtol"] for run in many if not run.stopped), default=math.nan)
    print(f"  40 tolerances: largest error {worst:.0f} times rtol, most steps {max(run.steps for run in many)}")
    return [*verdicts, at_most("of 40 tolerances stalled (stopped, or more than 1500 steps)", len(stalled), 0)]


def four_bar_40(stored: bool) -> list[bool]:
    """Forty four-bars, 20 s."""
    problem, exact = n_four_bar(40, 20.0), reference.n_four_bar_tip(40, 20.0)
    ours = measured(problem, exact, _tolerances(1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10))
    verdicts = _against_exudyn(problem, exact, ours, LARGE_PLANE, 60.0, stored)
    return [*verdicts, at_most("tip error at rtol 1e-08", _error_at(1e-8, ours), 1e-5, " m")]


def bricard_linkage(stored: bool) -> list[bool]:
    """A redundant equation everywhere. Exudyn needs a dense solver that is told to overlook singular matrices."""
    problem = bricard()
    report = mobility(state(problem).model)
    print("  redundant:", ", ".join(f"{element} ({equation})" for element, equation in report.redundant))
    exact = final(problem, rtol=1e-11)
    ours = measured(problem, exact, _tolerances(1e-6, 1e-8, 1e-9))
    rival = {"linear": "EigenDense", "rotation": "rotation vector, Lie group", "singular": True}
    theirs = exudyn(problem, [{"h": h, **rival} for h in (1e-2, JUDGED)], stored)
    table("Bricard's linkage, 10 s", HEAD, [*_lines(ours), *_their_lines(theirs, exact)])
    return [
        at_most("redundant equations named, besides one", abs(len(report.redundant) - 1), 0),
        at_most("tip error at rtol 1e-08, against a fine run", _error_at(1e-8, ours), 1e-8, " m"),
    ]


def stiff_governor(stored: bool) -> list[bool]:
    """Stiff springs and dampers: `auto` has to notice."""
    problem, exact = governor(), reference.governor_tip(10.0)
    chosen = repr(simulate(state(problem).model, 1.0, output=1.0))
    print(f"  {chosen}")
    ours = measured(problem, exact, _tolerances(1e-5, 1e-6, 1e-7, 1e-8))
    explicit = measured(problem, exact, _tolerances(1e-3, 1e-5, 1e-7, method="dop853"), repetitions=1)
    theirs = [fastest(problem, SMALL_SPACE, h, stored) for h in (2e-3, JUDGED, 5e-4)]
    table("governor, 10 s", HEAD, [*_lines(ours), *_lines(explicit), *_their_lines(theirs, exact)])
    gain = cost_at(1e-6, explicit) / cost_at(1e-6, ours)
    return [
        at_least("auto says that it took Radau", float("radau" in chosen.lower()), 1.0),
        at_least("CPU of explicit against auto at error 1e-6", gain, 3.0, "x"),
    ]


def plain_pendulum(stored: bool) -> list[bool]:
    """A point mass, from the horizontal, 10 s: every method at rtol 1e-10; fixed steps show their order."""
    problem, exact = pendulum(), reference.pendulum_tip(10.0)
    allowed = {"auto": 5e-9, "radau": 1e-7, "partition": 1e-7, "hybrid": 1e-7, "direct": 1e-7, "baumgarte": 1e-7}
    allowed["bdf"] = 1e-6
    ours = measured(problem, exact, [{"method": method, "rtol": 1e-10} for method in allowed])
    fixed = {
        method: measured(problem, exact, [{"method": method, "step": h} for h in (4e-3, 2e-3, 1e-3)])
        for method in ("generalized-alpha", "hht")
    }
    theirs = [fastest(problem, SMALL_PLANE, h, stored) for h in STEPS]
    shown = [*ours, *(run for runs in fixed.values() for run in runs)]
    table("pendulum, 10 s", HEAD, [*_lines(shown), *_their_lines(theirs, exact)])
    verdicts = [
        at_most(f"tip error of {run.options['method']} at rtol 1e-10", run.error, allowed[run.options["method"]], " m")
        for run in ours
    ]
    for method, runs in fixed.items():
        order = math.log2(runs[-2].error / runs[-1].error)
        verdicts.append(at_most(f"observed order of {method}, {order:.3f}, off 2 by", abs(order - 2.0), 0.1))
    return verdicts


def _against_exudyn(
    problem: Problem, exact: np.ndarray, ours: list[Measured], settings: Any, asked: float, stored: bool
) -> list[bool]:
    """The table, and the ratio of CPU times at the error that Exudyn reaches with 1 ms."""
    theirs = [fastest(problem, settings, h, stored, repetitions=3 if len(problem.bodies) < 10 else 1) for h in STEPS]
    loose = fastest(problem, [{**chosen, **LOOSE} for chosen in settings[:1]], JUDGED, stored)
    lines = [*_lines(ours), *_their_lines(theirs, exact), *_their_lines([loose], exact, ", loose")]
    table(f"{problem.name}, {problem.until:g} s", HEAD, lines)
    judged = theirs[STEPS.index(JUDGED)]
    tuned = loose["cpu"] / cost_at(_their_error(loose, exact), ours)
    print(f"  against Exudyn with Newton's tolerances loosened to 1e-5: {tuned:.3g}x")
    gain = judged["cpu"] / cost_at(_their_error(judged, exact), ours)
    return [at_least(f"CPU of Exudyn at its error with h = {JUDGED:g} s against ours", gain, asked, "x")]


def _tolerances(*rtol: float, method: str = "auto") -> list[dict[str, Any]]:
    return [{"method": method, "rtol": float(value)} for value in rtol]


def _error_at(rtol: float, runs: list[Measured]) -> float:
    return next(run.error for run in runs if run.options["rtol"] == rtol)


def _lines(runs: list[Measured]) -> list[tuple[Any, ...]]:
    lines = []
    for run in runs:
        how = run.options["method"], *(f"{k} {v:g}" for k, v in run.options.items() if k in ("rtol", "step"))
        name = f"cardan, {', '.join(how)}"
        if run.stopped:
            lines.append((name, f"stopped: {run.stopped[:60]}", "", "", "", ""))
        else:
            lines.append((name, f"{run.error:.1e}", 1e3 * run.cpu, 1e3 * run.call, run.steps, run.iterations))
    return lines


def _their_lines(runs: list[dict[str, Any]], exact: np.ndarray, note: str = "") -> list[tuple[Any, ...]]:
    lines = []
    for run in runs:
        name = f"exudyn, h {run['h']:g}{note}"
        if run["stopped"]:
            lines.append((name, f"stopped: {run['stopped'][:60]}", "", "", "", ""))
        else:
            error = f"{_their_error(run, exact):.1e}"
            lines.append((name, error, 1e3 * run["cpu"], "", run["steps"], run["newton"]))
    return lines


def _their_error(run: dict[str, Any], exact: np.ndarray) -> float:
    return float(np.abs(np.array(run["tip"])[: exact.size] - exact).max()) if run["stopped"] is None else math.nan


if __name__ == "__main__":
    main()
