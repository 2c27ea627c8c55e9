"""A user's constraint against the built-in combination of the same measures.

The first body is driven; x, y and angle of every other body follow those of the bodies before it,

    z_i - 0.98 z_(i-1) = 0            two measures        Coupler(z_i - 0.98 z_j, 0)     against  follow2(z_i, z_j)
    z_i - 0.7 z_(i-1) - 0.28 z_(i-2)  three measures      Coupler(z_i - ..., 0)          against  follow3(z_i, z_j, z_k)

so that nothing but these constraints, 102 of them, and three drivers holds the bodies. The measures (global
coordinates, angles) are the cheapest there are, which leaves the user's function nothing to hide behind.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from marching import Loop
from timing import at_most, conclude, interleaved, table

from cardan.numerics.jit import kernel
from cardan.planar import Body, Coupler, Driver, Harmonic, Model, angle, constraint, x, y
from cardan.system.evaluate import evaluate_position, evaluate_velocity

BODIES = 35
TIMES = np.linspace(0.0, 1.0, 1001)
EVALUATIONS = 2000


@constraint
def follow2(z0, z1, c=0.98):
    return z0 - c * z1


@constraint
def follow3(z0, z1, z2, c=0.7, d=0.28):
    return z0 - c * z1 - d * z2


def main() -> None:
    ties: dict[str, Callable] = {
        "built-in, 2 measures": lambda z: Coupler(z[0] - 0.98 * z[1], 0.0),
        "user's, 2 measures": lambda z: follow2(z[0], z[1]),
        "built-in, 3 measures": lambda z: Coupler(z[0] - 0.7 * z[1] - 0.28 * z[2], 0.0),
        "user's, 3 measures": lambda z: follow3(*z),
    }
    loops = {name: Loop(followers(tie), TIMES) for name, tie in ties.items()}
    steps = interleaved(loops, repetitions=9)
    passes = interleaved({name: lambda loop=loop: evaluated(loop) for name, loop in loops.items()}, repetitions=9)
    count, lines = 3 * (BODIES - 1), []
    for name in ties:
        rival = name.replace("user's", "built-in")
        ratios = steps[name] / steps[rival], passes[name] / passes[rival]
        step, evaluation = steps[name] / (TIMES.size - 1) / count, passes[name] / EVALUATIONS / count
        lines.append((name, 1e9 * step, ratios[0], 1e9 * evaluation, ratios[1]))
    table(
        f"{count} constraints, CPU time in ns per constraint (medians of 9 interleaved runs)",
        ("", "kinematic step", "ratio", "one evaluation", "ratio"),
        lines,
    )
    difference = max(
        float(np.abs(loops[f"user's, {n} measures"]().a - loops[f"built-in, {n} measures"]().a).max()) for n in (2, 3)
    )
    print(f"  largest difference of accelerations: {difference:.1e}")
    conclude(
        [
            at_most("user's constraint of 2 measures, kinematic step", lines[1][2], 2.0, "x"),
            at_most("user's constraint of 3 measures, kinematic step", lines[3][2], 2.0, "x"),
        ]
    )


def followers(tie: Callable) -> Model:
    """Bodies that follow the first one; `tie` makes a constraint of a coordinate and those before it."""
    model = Model("followers")
    bodies = [model.add(Body(), name=f"body {k}") for k in range(BODIES)]
    coordinates = [(x(b.at()), y(b.at()), angle(model.ground.at(), b.at())) for b in bodies]
    for k, z in enumerate(coordinates[0]):
        model.add(Driver(z, Harmonic(0.5 + 0.1 * k, 3.0 + k)), name=f"motor {k}")
    for i in range(1, BODIES):
        for k in range(3):
            before = [coordinates[max(i - j, 0)][k] for j in range(3)]
            if i == 1:  # there is no second body before: the third measure is another one of the first
                before[2] = coordinates[0][(k + 1) % 3]
            model.add(tie(before), name=f"tie {i} {k}")
    return model


def evaluated(loop: Loop) -> None:
    """Many evaluations of all equations, without the way from Python into compiled code."""
    system, work = loop.system, loop.run.work
    _repeat(EVALUATIONS, system.geometry, system.rows, loop.start, system.speeds(), 0.1, system.reference, work)


@kernel
def _repeat(count, geometry, rows, q, v, t, reference, work):
    for _ in range(count):
        evaluate_position(geometry, rows, q, t, reference, work)
        evaluate_velocity(geometry, rows, v, t, work)


if __name__ == "__main__":
    main()
