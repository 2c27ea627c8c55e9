"""What each compiled kernel costs, on the slider-cranks and on ladders and chains of growing length.

Not part of `make bench`: a look inside the loop for those who change it. Each kernel is repeated inside compiled code,
because the way from Python into compiled code costs more than a kernel of a small mechanism.
"""

from __future__ import annotations

import numpy as np
from marching import Loop
from mechanisms import ladder, slider_crank
from spatial_mechanisms import chain, spatial_slider_crank
from timing import interleaved, table

from cardan.model.model import Model
from cardan.model.space import advance, displacement, step_rates
from cardan.numerics.compiled.jit import kernel
from cardan.system.evaluate import evaluate_position, evaluate_velocity, factorize, solve_rows


def main() -> None:
    cranks, sizes = (slider_crank(), spatial_slider_crank()), (10, 100, 1000)
    models = {model.name: model for model in (*cranks, *map(ladder, sizes), *map(chain, sizes))}
    lines = [(name, *costs(model)) for name, model in models.items()]
    head = ("", "bodies", "position", "velocity", "factorize", "solve", "advance", "way back", "one instant")
    table("CPU time of kernels in ns per body", head, lines)


def costs(model: Model) -> tuple[float, ...]:
    """Nanoseconds per body of each kernel, and of one instant of the whole loop."""
    bodies = len(model.bodies)
    loop = Loop(model, np.linspace(0.0, 0.5, max(20000 // bodies, 21)))
    system, work = loop.system, loop.run.work
    geometry, rows, solver, weights, active, _ = loop.run.tables
    q, v, right, step = loop.start, system.speeds(), np.ones(system.row_count), system.speeds()
    moved, count = q.copy(), max(20000 // bodies, 4)
    advance(geometry, moved, 1e-2 + 0.0 * step)
    seconds = interleaved(
        {
            "position": lambda: _position(count, geometry, rows, q, 0.0, system.reference, work),
            "velocity": lambda: _velocity(count, geometry, rows, v, 0.0, work),
            "factorize": lambda: _factorize(count, rows, solver, weights, active, work),
            "solve": lambda: _solve(count, rows, solver, active, right, work, step, system.width),
            "advance": lambda: _advance(count, geometry, q.copy(), 1e-3 + 0.0 * step),
            "way back": lambda: _way_back(count, geometry, moved, q, step, 1.0 + v, v, 0.0 * v, 0.0 * v),
        },
        repetitions=9,
    )
    instant = interleaved({"loop": loop}, repetitions=5)["loop"] / (loop.times.size - 1)
    return bodies, *(1e9 * s / count / bodies for s in seconds.values()), 1e9 * instant / bodies


@kernel
def _position(count, geometry, rows, q, t, reference, work):
    for _ in range(count):
        evaluate_position(geometry, rows, q, t, reference, work)


@kernel
def _velocity(count, geometry, rows, v, t, work):
    for _ in range(count):
        evaluate_velocity(geometry, rows, v, t, work)


@kernel
def _factorize(count, rows, solver, weights, active, work):
    for _ in range(count):
        factorize(rows, solver, weights, active, 0.0, work)


@kernel
def _solve(count, rows, solver, active, right, work, step, width):
    for _ in range(count):
        solve_rows(rows, solver, active, right, work, step, width)


@kernel
def _advance(count, geometry, q, step):
    for _ in range(count):
        advance(geometry, q, step)


@kernel
def _way_back(count, geometry, q, last, step, v, a, rate, second):
    for _ in range(count):
        displacement(geometry, q, last, step)
        step_rates(geometry, q, step, v, a, rate, second)


if __name__ == "__main__":
    main()
