"""A user's constraint against the built-in combination of the same measures, in the plane and in space.

The first body is driven; the coordinates of every other body, x, y and angle or x, y, z and three direction cosines,
follow those of the bodies before it,

    z_i - 0.98 z_(i-1) = 0            two measures        Coupler(z_i - 0.98 z_j, 0)     against  follow2(z_i, z_j)
    z_i - 0.7 z_(i-1) - 0.28 z_(i-2)  three measures      Coupler(z_i - ..., 0)          against  follow3(z_i, z_j, z_k)

so that nothing but these constraints, 102 of them in the plane and 204 in space, and the drivers hold the bodies. The
measures (global coordinates, angles, direction cosines) are the cheapest there are, which leaves the user's function
nothing to hide behind.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from marching import Loop
from timing import at_most, conclude, interleaved, table

from cardan import planar, spatial
from cardan.model.model import Model
from cardan.numerics.compiled.jit import kernel
from cardan.planar import Coupler, Driver, Harmonic, constraint
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
    conclude([verdict for space in (planar, spatial) for verdict in compared(space, ties)])


def compared(space: ModuleType, ties: dict[str, Callable]) -> list[bool]:
    """Time all ties in one space, print the table and return the verdicts."""
    where = space.__name__.rpartition(".")[2]
    loops = {name: Loop(followers(space, tie), TIMES) for name, tie in ties.items()}
    steps = interleaved(loops, repetitions=9)
    passes = interleaved({name: lambda loop=loop: evaluated(loop) for name, loop in loops.items()}, repetitions=9)
    count, lines = loops["user's, 2 measures"].system.width * (BODIES - 1), []
    for name in ties:
        rival = name.replace("user's", "built-in")
        ratios = steps[name] / steps[rival], passes[name] / passes[rival]
        step, evaluation = steps[name] / (TIMES.size - 1) / count, passes[name] / EVALUATIONS / count
        lines.append((name, 1e9 * step, ratios[0], 1e9 * evaluation, ratios[1]))
    table(
        f"{where}, {count} constraints, CPU time in ns per constraint (medians of 9 interleaved runs)",
        ("", "kinematic step", "ratio", "one evaluation", "ratio"),
        lines,
    )
    difference = max(
        float(np.abs(loops[f"user's, {n} measures"]().a - loops[f"built-in, {n} measures"]().a).max()) for n in (2, 3)
    )
    return [
        at_most(f"{where}, user's constraint of 2 measures, kinematic step", lines[1][2], 2.0, "x"),
        at_most(f"{where}, user's constraint of 3 measures, kinematic step", lines[3][2], 2.0, "x"),
        at_most(f"{where}, largest difference of accelerations in m/s2, rad/s2", difference, 1e-9),
    ]


def followers(space: ModuleType, tie: Callable) -> Model:
    """Bodies that follow the first one; `tie` makes a constraint of a coordinate and those before it."""
    model = space.Model("followers")
    bodies = [model.add(space.Body(), name=f"body {k}") for k in range(BODIES)]
    coordinates = [_coordinates(space, model, body) for body in bodies]
    width = len(coordinates[0])
    for k, z in enumerate(coordinates[0]):
        model.add(Driver(z, Harmonic(0.5 - 0.05 * k, 3.0 + k)), name=f"motor {k}")
    for i in range(1, BODIES):
        for k in range(width):
            before = [coordinates[max(i - j, 0)][k] for j in range(3)]
            if i == 1:  # there is no second body before: the third measure is another one of the first
                before[2] = coordinates[0][(k + 1) % width]
            model.add(tie(before), name=f"tie {i} {k}")
    return model


def _coordinates(space: ModuleType, model: Model, body: Any) -> tuple[Any, ...]:
    """As many measures of a body as it has freedoms."""
    ground, marker = model.ground.at(), body.at()
    if space is planar:
        return planar.x(marker), planar.y(marker), planar.angle(ground, marker)
    places = (spatial.x, spatial.y, spatial.z)
    return *(place(marker) for place in places), *(spatial.dot(ground, marker, *axes) for axes in ("xy", "yz", "zx"))


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
