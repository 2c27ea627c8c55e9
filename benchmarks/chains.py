"""Chains of 10 to 10,000 bodies, planar and spatial, with generalized-alpha at a fixed step of 1 ms, beside Exudyn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from cardan_side import Measured, measured
from dynamics_problems import Problem, planar_chain, spatial_chain
from exudyn_rival import LARGE_PLANE, LARGE_SPACE, fastest
from timing import at_least, at_most, table

STEP = 1e-3  # s
STEPS = {10: 1000, 100: 300, 1000: 100, 10000: 100}  # of Cardan
THEIR_STEPS = {10: 1000, 100: 300, 1000: 100, 10000: 50}  # enough to see what a step costs


class Cost(NamedTuple):
    """Of one length: CPU seconds per step, and per iteration and body."""

    ours: float
    iteration: float
    theirs: float


def chains(stored: bool) -> list[bool]:
    """Time per Newton iteration and body as chains grow, and per step against Exudyn."""
    plane = _costs("planar chain", planar_chain, LARGE_PLANE, stored)
    space = _costs("spatial chain", spatial_chain, LARGE_SPACE, stored)
    verdicts = []
    for name, costs, asked in (("planar", plane, 15.0), ("spatial", space, 8.0)):
        base = costs[100].iteration
        what = f"{name} chain, CPU per iteration and body of"
        verdicts.append(at_most(f"{what} 1,000 against 100", costs[1000].iteration / base, 1.3, "x"))
        verdicts.append(at_most(f"{what} 10,000 against 100", costs[10000].iteration / base, 2.0, "x"))
        for n, cost in costs.items():
            what = f"{name} chain of {n}, CPU per step of Exudyn against ours"
            verdicts.append(at_least(what, cost.theirs / cost.ours, asked, "x"))
    return verdicts


def _costs(title: str, build: Callable[[int, float], Problem], settings: Any, stored: bool) -> dict[int, Cost]:
    found, lines = {}, []
    for n, steps in STEPS.items():
        ours = _ours(build(n, steps * STEP))
        theirs = fastest(build(n, THEIR_STEPS[n] * STEP), settings, STEP, stored, repetitions=3 if n < 1000 else 1)
        if ours.stopped or theirs["stopped"]:
            raise SystemExit(f"{title} of {n}: {ours.stopped or theirs['stopped']}")
        per_step = ours.cpu / steps, theirs["cpu"] / theirs["steps"]
        each = ours.cpu / ours.iterations / n, theirs["cpu"] / theirs["newton"] / n
        found[n] = Cost(per_step[0], each[0], per_step[1])
        counts = ours.iterations / steps, theirs["newton"] / theirs["steps"]
        lines.append((n, *(1e6 * s for s in per_step), *(1e9 * s for s in each), *counts, per_step[1] / per_step[0]))
    head = ("bodies", "us/step", "Exudyn", "ns/iteration/body", "Exudyn", "iterations/step", "Exudyn", "ratio per step")
    table(f"{title}, generalized-alpha, h = {STEP:g} s", head, lines)
    return found


def _ours(problem: Problem) -> Measured:
    repetitions = 3 if len(problem.bodies) <= 1000 else 1
    nowhere = np.full(len(problem.gravity), np.nan)  # the cost is asked for, not the place
    return measured(problem, nowhere, [{"method": "generalized-alpha", "step": STEP}], repetitions)[0]
