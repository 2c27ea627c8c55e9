"""What each compiled kernel costs, on the slider-crank and on ladders of growing length.

Not part of `make bench`: a look inside the loop for those who change it. Each kernel is repeated inside compiled code,
because the way from Python into compiled code costs more than a kernel of a small mechanism.
"""

from __future__ import annotations

import numpy as np
from marching import Loop
from mechanisms import ladder, slider_crank
from timing import interleaved, table

from cardan.model.model import Model
from cardan.numerics.jit import kernel
from cardan.system.evaluate import evaluate, factorize, rows_times, solve_rows


def main() -> None:
    models = {"slider-crank": slider_crank(), **{f"ladder {n}": ladder(n) for n in (10, 100, 1000)}}
    lines = [(name, *costs(model)) for name, model in models.items()]
    head = ("", "bodies", "fill of L per body", "evaluate", "factorize", "solve", "J times v", "one instant")
    table("CPU time of kernels in ns per body", head, lines)


def costs(model: Model) -> tuple[float, ...]:
    """Nanoseconds per body of each kernel, and of one instant of the whole loop."""
    bodies = len(model.bodies)
    loop = Loop(model, np.linspace(0.0, 0.5, max(20000 // bodies, 21)))
    system, work = loop.system, loop.work
    geometry, rows, solver, weights, active, _ = loop.tables
    q, v, right, step = loop.start, system.speeds(), np.ones(system.row_count), system.speeds()
    count = max(20000 // bodies, 4)
    seconds = interleaved(
        {
            "evaluate": lambda: _evaluate(count, geometry, rows, q, v, 0.0, system.reference, work),
            "factorize": lambda: _factorize(count, rows, solver, weights, active, work),
            "solve": lambda: _solve(count, solver, active, right, work, step, system.width),
            "product": lambda: _product(count, solver, work, step, right.copy()),
        },
        repetitions=9,
    )
    instant = interleaved({"loop": loop}, repetitions=5)["loop"] / (loop.times.size - 1)
    fill = system.solver.pattern.Li.size / bodies
    return bodies, fill, *(1e9 * s / count / bodies for s in seconds.values()), 1e9 * instant / bodies


@kernel
def _evaluate(count, geometry, rows, q, v, t, reference, work):
    for _ in range(count):
        evaluate(geometry, rows, q, v, t, reference, work)


@kernel
def _factorize(count, rows, solver, weights, active, work):
    for _ in range(count):
        factorize(rows, solver, weights, active, 0.0, work)


@kernel
def _solve(count, solver, active, right, work, step, width):
    for _ in range(count):
        solve_rows(solver, active, right, work, step, width)


@kernel
def _product(count, solver, work, vector, product):
    for _ in range(count):
        rows_times(solver, work, vector, product)


if __name__ == "__main__":
    main()
