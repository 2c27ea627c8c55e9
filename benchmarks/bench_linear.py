"""Linearization and gradients: what they cost, counted in evaluations and in simulations of the same mechanism.

M, C, K and J of chains of 1,000 links with loops, springs and dampers, at rest and in motion, against one evaluation of
their equations (rows, forces, factorization, solution, as an integrator makes them) and against central differences of
the same functions; linearize() as a whole; and the gradient of a functional of a motion by 20 parameters, which alone
is measured by `python benchmarks/bench_linear.py gradients`.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from linear_models import Task, chain_task, planar_chain, slider_crank_task, spatial_chain, spatial_task
from timing import at_least, at_most, conclude, interleaved, repeated, table

from cardan import CardanWarning, gradient, linearize, simulate
from cardan.analysis.linear.equations import Equations
from cardan.analysis.linear.pattern import MatrixPattern
from cardan.analysis.linear.point import LinearizationPoint, point_at
from cardan.analysis.steady.balance import unbalanced
from cardan.model.model import Model
from cardan.numerics.compiled.jit import kernel
from cardan.system.mechanism import cartesian_mechanism, decide_rank, rates

LINKS, REPETITIONS = 1000, 15


def main() -> None:
    warnings.simplefilter("ignore", CardanWarning)  # the chains stand straight, which is no equilibrium
    verdicts = []
    if "gradients" not in sys.argv[1:]:
        for name, model in (("planar", planar_chain(LINKS)), ("spatial", spatial_chain(LINKS))):
            verdicts += _matrices(name, model)
    lines = []
    for what, task in (
        ("slider-crank, masses and springs", slider_crank_task(0, 80.0)),
        ("slider-crank, two of them places", slider_crank_task(2, 80.0)),
        ("slider-crank, ten of them places", slider_crank_task(10, 80.0)),
        ("slider-crank, two places, a short run", slider_crank_task(2, 5.0)),
        ("chain of five, masses and springs", chain_task(40.0)),
        ("slider-crank in space, two places", spatial_task(2, 20.0)),
        ("slider-crank in space, ten places", spatial_task(10, 20.0)),
    ):
        steps, *seconds = _gradient(task)
        lines.append((what, steps, *(1e3 * s for s in seconds), seconds[1] / seconds[0]))
    table("gradient by 20 parameters", ("", "steps", "simulation ms", "gradient ms", "simulations"), lines)
    verdicts += [at_most(f"gradient of {line[0]}, in simulations", line[4], 6.0) for line in lines]
    conclude(verdicts)


def _matrices(name: str, model: Model) -> list[bool]:
    """M, C, K and J at rest and in motion, and the reduced matrices."""
    point = point_at(model, None, 0.0, [])
    moving = point_at(model, None, 0.0, [])
    moving.v[moving.system.width :] = np.random.default_rng(1).normal(size=moving.system.coordinates)
    patterns = [MatrixPattern(p.system, p.machine) for p in (point, moving)]
    seconds = interleaved(
        {
            "evaluation": repeated(_evaluation(point), 5),
            "at rest": repeated(lambda: Equations(point, [], patterns[0]), 5),
            "in motion": repeated(lambda: Equations(moving, [], patterns[1]), 5),
            "unbalanced": repeated(lambda: _forces(point), 5),
        },
        REPETITIONS,
    )
    whole = {"pattern": lambda: MatrixPattern(point.system, point.machine), "linearize()": lambda: linearize(model)}
    each = {name: s / 5 for name, s in seconds.items()} | interleaved(whole, 3)
    differences = 2 * 2 * point.system.coordinates * each["unbalanced"]  # by displacements and by speeds
    lines = [(k, 1e3 * s, s / each["evaluation"]) for k, s in each.items()]
    lines.append(("central differences", 1e3 * differences, differences / each["evaluation"]))
    table(f"{name} chain of {LINKS} links, {point.free.count} freedoms", ("", "CPU ms", "evaluations"), lines)
    return [
        at_most(f"{name}: M, C, K, J at rest, in evaluations", each["at rest"] / each["evaluation"], 5.0),
        at_most(f"{name}: M, C, K, J in motion, in evaluations", each["in motion"] / each["evaluation"], 5.0),
        at_least(f"{name}: central differences against them", differences / each["in motion"], 20.0, "x"),
        at_most(f"{name}: linearize() with {point.free.count} freedoms, CPU time", each["linearize()"], 2.0, " s"),
    ]


def _evaluation(point: LinearizationPoint) -> Any:
    """One stage of an integrator: rows, forces, factorization, speeds projected, accelerations."""
    made = point.machine
    y = np.zeros_like(made.spare)
    y[: point.q.size], y[point.q.size : point.q.size + point.v.size] = point.q, point.v
    dy, mechanism = np.zeros_like(y), cartesian_mechanism(made)
    made.settings.project_stages = 1.0
    _decide_rank(mechanism, 0.0, y, dy)
    return lambda: _rates(mechanism, 0.0, y, dy)


def _forces(point: LinearizationPoint) -> None:
    """Forces and rows alone: what differences are taken of."""
    unbalanced(point.machine, 0.0, point.q, point.v, point.a)


@kernel
def _decide_rank(mechanism, t, y, dy):
    return decide_rank(mechanism, t, y, dy)


@kernel
def _rates(mechanism, t, y, dy):
    return rates(mechanism, t, y, dy)


def _gradient(task: Task) -> tuple[int, float, float]:
    """Steps of a simulation, and CPU seconds of it and of the gradient."""
    run = simulate(task.model, task.until)
    times = 1 if run.stats.steps > 1000 else 5
    seconds = interleaved(
        {
            "simulation": repeated(lambda: simulate(task.model, task.until), times),
            "gradient": repeated(lambda: gradient(run, task.parameters, task.output, running=task.running), times),
        },
        5,
    )
    return run.stats.steps, seconds["simulation"] / times, seconds["gradient"] / times


if __name__ == "__main__":
    main()
