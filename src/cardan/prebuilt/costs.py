"""Measure what compilation of each kernel costs, for the announcement of compilation.

python -m cardan.prebuilt.costs            writes numerics/kernel_costs.json; four minutes of CPU

Each analysis runs in a process of its own, one after the other with one cache of kernels: costs are those of kernels
that earlier ones did not need, calls are recorded also where the kernel called is in the cache.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import cardan
from cardan.examples import load
from cardan.numerics.announcement import COSTS, Recorded, announcement
from cardan.prebuilt.models import _pendulum

TIMES = np.linspace(0.0, 0.01, 3)
QUIET: Any = {"progress": False}
SPACES = ("spatial", "planar")  # the second compiles again what depends on the space
DRIVEN = {"planar": "slider-crank", "spatial": "spatial-slider-crank"}
FREE = {"planar": "double-pendulum", "spatial": "heavy-top"}


def groups() -> dict[str, Callable[[], Any]]:
    """The analyses that are announced with their time, in both spaces."""
    found: dict[str, Callable[[], Any]] = {}
    for space in SPACES:
        driven, free = (partial(_example, names[space]) for names in (DRIVEN, FREE))
        pendulum = partial(_pendulum, getattr(cardan, space))
        found |= {
            f"assemble {space}": lambda driven=driven: cardan.assemble(driven()),
            f"mobility {space}": lambda driven=driven: cardan.mobility(driven()),
            f"kinematics {space}": lambda driven=driven: cardan.kinematics(driven(), TIMES, **QUIET),
            f"inverse_dynamics {space}": lambda driven=driven: cardan.inverse_dynamics(driven(), TIMES, **QUIET),
            f"simulate {space}": lambda free=free: cardan.simulate(free(), 0.02, output=0.01, **QUIET),
            f"equilibrium {space}": lambda pendulum=pendulum: cardan.equilibrium(pendulum(), **QUIET),
            f"linearize {space}": lambda pendulum=pendulum: cardan.linearize(pendulum()),
            f"kinematics joint {space}": lambda driven=driven: cardan.kinematics(
                driven(), TIMES, coordinates="joint", **QUIET
            ),
            f"simulate joint {space}": lambda free=free: cardan.simulate(
                free(), 0.02, output=0.01, coordinates="joint", **QUIET
            ),
            f"study kinematics {space}": partial(_study, driven, "kinematics", times=TIMES),
            f"study equilibrium {space}": partial(_study, pendulum, "equilibrium"),
            f"study simulate {space}": partial(_study, pendulum, "simulate", until=0.02, output=0.01),
        }
    return found


def measure() -> dict[str, Any]:
    """Costs, calls and groups of all kernels, by processes that share an empty cache."""
    costs: dict[str, float] = {}
    calls: dict[str, dict[str, None]] = {}
    entered: dict[str, dict[str, None]] = {}
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"CARDAN_CACHE": cache, "CARDAN_PREBUILT": "0"}
        for group in groups():
            command = [sys.executable, "-m", "cardan.prebuilt.costs", group]
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
            part = json.loads(done.stdout)
            entered.setdefault(group.rpartition(" ")[0], {}).update(part["calls"].pop("", {}))
            costs |= part["costs"]
            for caller, names in part["calls"].items():
                calls.setdefault(caller, {}).update(names)
            print(f"{sum(part['costs'].values()):8.2f} s  {group}", file=sys.stderr, flush=True)
    first, second = ({key.partition(" ")[0] for key in costs if key.endswith(space)} for space in SPACES)
    shared = sorted(name for name in first - second if not name.startswith(f"cardan.{SPACES[0]}."))
    return {
        "costs": {key: round(cost, 3) for key, cost in sorted(costs.items())},
        "shared": shared,
        "calls": {key: sorted(names) for key, names in sorted(calls.items())},
        "groups": {group: sorted(names) for group, names in entered.items()},
    }


def _example(name: str) -> Any:
    return load(name).build()


def _study(build: Callable[[], Any], analysis: str, **options: Any) -> None:
    model = build()
    plan = {"gravity.y": [-9.0, -10.0]}
    cardan.study(model, plan, analysis, [f"{model.bodies[0].name}.x"], threads=1, progress=False, **options)


def main() -> None:
    """Measure all groups, or record one."""
    if len(sys.argv) > 1:
        announcement.recorded = recorded = Recorded(sys.argv[1].rpartition(" ")[2])
        groups()[sys.argv[1]]()
        print(json.dumps({"costs": recorded.costs, "calls": recorded.calls}))
        return
    COSTS.write_text(json.dumps(measure(), separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
