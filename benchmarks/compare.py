"""Two checkouts of Cardan, measured alternately: is one slower than the other?

    git worktree add ../before some-commit
    .venv/bin/python benchmarks/compare.py ../before            # this checkout against that one

Each side runs in a process of its own, with its own sources; the two take turns, task by task, so that a change of the
machine's speed meets both. The table has the median of the ratios of neighboring runs, new to old. The run ends with an
error if a median exceeds `--limit`.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

HERE = Path(__file__).resolve().parent


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("before", type=Path, help="the folder of the other checkout")
    parser.add_argument("--pairs", type=int, default=15, help="how many pairs of runs of each task (15)")
    parser.add_argument("--limit", type=float, default=1.05, help="the largest median ratio allowed (1.05)")
    parser.add_argument("--only", default="", help="tasks whose names contain this")
    given = parser.parse_args()
    sides = [_Side(HERE.parent), _Side(given.before.resolve())]
    slow = []
    for name in [name for name in TASKS if given.only in name]:
        for side in sides:
            side.measure(name)  # compiles, if it has to
        ratios, times = [], []
        for k in range(given.pairs):
            order = sides if k % 2 else sides[::-1]
            found = {side: side.measure(name) for side in order}
            ratios.append(found[sides[0]] / found[sides[1]])
            times.append(found[sides[0]])
        ratio = statistics.median(ratios)
        low, high = sorted(ratios)[len(ratios) // 4], sorted(ratios)[-1 - len(ratios) // 4]
        line = f"{name:32} {1e3 * statistics.median(times):9.2f} ms   ratio {ratio:.3f}"
        print(f"{line}  (half of all: {low:.3f} to {high:.3f})", flush=True)
        if ratio > given.limit:
            slow.append(name)
    print(f"FAIL: slower by more than {given.limit - 1:.0%}: {', '.join(slow)}" if slow else "PASS")
    sys.exit(bool(slow))


class _Side:
    """A process that runs tasks with the sources of one checkout."""

    def __init__(self, checkout: Path) -> None:
        environment = dict(os.environ, PYTHONPATH=str(checkout / "src"), OPENBLAS_NUM_THREADS="1")
        command = [sys.executable, str(HERE / "compare.py"), "--serve"]
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def measure(self, name: str) -> float:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"the process that runs '{name}' ended; see above")
        return float(answer)


def _serve() -> None:
    made: dict[str, Callable[[], float | None]] = {}
    for line in sys.stdin:
        name = line.strip()
        task = made.setdefault(name, TASKS[name]()) if name not in made else made[name]
        start = process_time()
        told = task()
        print(told or process_time() - start, flush=True)


def _kinematics() -> Callable[[], None]:
    import numpy as np
    from mechanisms import slider_crank

    from cardan import kinematics

    model, times = slider_crank(), np.linspace(0.0, 20.0 * np.pi, 36_001)
    return lambda: kinematics(model, times, progress=False) and None


def _inverse_dynamics() -> Callable[[], None]:
    import numpy as np

    from cardan import inverse_dynamics
    from cardan.examples import load

    model, times = load("slider-crank-forces").build(), np.linspace(0.0, 0.0314, 20_001)
    return lambda: inverse_dynamics(model, times, progress=False) and None


def _simulated(
    problem: Callable[[], Any], until: float | None = None, **options: Any
) -> Callable[[], Callable[[], float]]:
    def make() -> Callable[[], float]:
        from dynamics_models import state

        from cardan import simulate

        stated = problem()
        model, end = state(stated).model, until or stated.until

        def seconds() -> float:
            run = simulate(model, end, output=end, progress=False, **options)
            return float((run.stats if hasattr(run, "stats") else run.account).seconds)  # an older checkout

        return seconds

    return make


def _problem(name: str, *arguments: Any) -> Callable[[], Any]:
    def make() -> Any:
        import dynamics_problems

        return getattr(dynamics_problems, name)(*arguments)

    return make


def _tree(what: str) -> Callable[[], Callable[[], None]]:
    def make() -> Callable[[], None]:
        import numpy as np
        from bench_tree import _model, _tree as parents

        from cardan import joint_space

        space = joint_space(_model(parents(30)))
        random = np.random.default_rng(1)
        q, v, tau = random.uniform(-3.0, 3.0, (2000, 30)), *random.standard_normal((2, 2000, 30))
        return lambda: getattr(space, what)(q, v, tau) is None or None

    return make


TASKS: dict[str, Callable[[], Callable[[], float | None]]] = {
    "kinematics, slider-crank": _kinematics,
    "inverse dynamics, slider-crank": _inverse_dynamics,
    "two four-bars": _simulated(_problem("n_four_bar", 2)),
    "forty four-bars": _simulated(_problem("n_four_bar", 40), until=4.0),
    "Bricard": _simulated(_problem("bricard"), rtol=1e-8),
    "planar chain of 100": _simulated(_problem("planar_chain", 100), method="generalized-alpha", step=1e-3),
    "spatial chain of 100": _simulated(_problem("spatial_chain", 100), method="generalized-alpha", step=1e-3),
    "governor, radau": _simulated(_problem("governor")),
    "tree, accelerations": _tree("accelerations"),
    "tree, torques": _tree("torques"),
}


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        sys.path.insert(0, str(HERE))
        _serve()
    else:
        main()
