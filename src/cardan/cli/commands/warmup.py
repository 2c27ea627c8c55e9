"""Compile the kernels of analyses in advance, for a fast first run."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from cardan.cli.arguments import add_json
from cardan.cli.usage import UsageError, words

HELP = "compile the kernels of analyses in advance"
SPACES = ("planar", "spatial")
EXAMPLES = {"planar": "slider-crank", "spatial": "spatial-slider-crank"}  # driven mechanisms
FREE = {"planar": "double-pendulum", "spatial": "heavy-top"}  # mechanisms that move under forces
ANALYSES = ("kinematics", "inverse_dynamics", "simulate", "equilibrium", "linearize")


def add_arguments(command: argparse.ArgumentParser) -> None:
    what = f"some of {', '.join(ANALYSES)} (default: all)"
    command.add_argument("--analyses", type=words, default=list(ANALYSES), metavar="NAME,...", help=what)
    command.add_argument("--space", choices=SPACES, action="append", help="default: both")
    add_json(command)


def execute(arguments: argparse.Namespace) -> int:
    for name in arguments.analyses:
        if name not in ANALYSES:
            raise UsageError(f"--analyses takes {', '.join(ANALYSES)}, not {name!r}")
    output = arguments.output
    tasks = [(space, name) for space in arguments.space or SPACES for name in arguments.analyses]
    begun, seconds = time.perf_counter(), {}
    for k, (space, name) in enumerate(tasks):
        _print_progress(k, len(tasks), f"{space} {name}", begun)
        start = time.perf_counter()
        _compile(space, name)
        seconds[f"{space} {name}"] = time.perf_counter() - start
        output.line(f"{space} {name}: {seconds[f'{space} {name}']:.1f} s")
    output.add(seconds=seconds)
    return 0


def _print_progress(done: int, total: int, title: str, begun: float) -> None:
    if sys.stderr.isatty():
        left = (time.perf_counter() - begun) / done * (total - done) if done else float("nan")
        rest = f", about {left:.0f} s left" if done else ""
        print(f"{done} of {total}: {title}{rest} ...", file=sys.stderr)


def _compile(space: str, name: str) -> None:
    """Run an analysis once on a small model."""
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
