"""Compile ahead what analyses need, so that the first run of a model does not wait for it."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from cardan.cli.arguments import add_json
from cardan.cli.usage import UsageError, words

HELP = "compile ahead what analyses need"
SPACES = ("planar", "spatial")
EXAMPLES = {"planar": "slider-crank", "spatial": "spatial-slider-crank"}  # driven mechanisms
FREE = {"planar": "double-pendulum", "spatial": "heavy-top"}  # such as move under forces
ANALYSES = ("kinematics", "inverse_dynamics", "simulate", "equilibrium", "linearize")


def add(command: argparse.ArgumentParser) -> None:
    what = f"of {', '.join(ANALYSES)} (default: all)"
    command.add_argument("--analyses", type=words, default=list(ANALYSES), metavar="NAME,...", help=what)
    command.add_argument("--space", choices=SPACES, action="append", help="default: both")
    add_json(command)


def act(arguments: argparse.Namespace) -> int:
    for name in arguments.analyses:
        if name not in ANALYSES:
            raise UsageError(f"--analyses are of {', '.join(ANALYSES)}, not {name!r}")
    says = arguments.says
    tasks = [(space, name) for space in arguments.space or SPACES for name in arguments.analyses]
    begun, seconds = time.perf_counter(), {}
    for k, (space, name) in enumerate(tasks):
        _tell(k, len(tasks), f"{space} {name}", begun)
        start = time.perf_counter()
        _compile(space, name)
        seconds[f"{space} {name}"] = time.perf_counter() - start
        says.say(f"{space} {name}: {seconds[f'{space} {name}']:.1f} s")
    says.fact(seconds=seconds)
    return 0


def _tell(done: int, total: int, title: str, begun: float) -> None:
    """How far it is, on terminals."""
    if sys.stderr.isatty():
        left = (time.perf_counter() - begun) / done * (total - done) if done else float("nan")
        rest = f", about {left:.0f} s left" if done else ""
        print(f"{done} of {total}: {title}{rest} ...", file=sys.stderr)


def _compile(space: str, name: str) -> None:
    """Run an analysis once, on little."""
    import numpy as np

    import cardan
    from cardan.examples import load

    driven = name in ("kinematics", "inverse_dynamics")
    model: Any = load((EXAMPLES if driven else FREE)[space]).build()
    if driven:
        getattr(cardan, name)(model, np.linspace(0.0, 0.01, 3), progress=False)
    elif name == "simulate":
        run = cardan.simulate(model, 0.01, output=0.005, progress=False)
        assert run.loads is not None and run.energy is not None
        cardan.simulate(model, 0.01, output=0.005, method="radau", progress=False)
    elif name == "linearize":
        cardan.linearize(model, at=cardan.simulate(model, 0.01, progress=False).at(0.01))
    else:
        cardan.equilibrium(load("lamp-equilibrium" if space == "planar" else "governor").build(), progress=False)
