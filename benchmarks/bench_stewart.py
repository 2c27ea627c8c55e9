"""A Stewart platform in joint and in Cartesian coordinates: what a step costs.

    python benchmarks/bench_stewart.py

Six legs on crosses, each a cylinder and a rod with a spring and a damper between them, carry a platform of six freedoms
on balls: 13 bodies, 78 Cartesian coordinates and 72 equations, or 21 speeds of joints and 15 equations. DOP853 at 1e-8
for 4 s; CPU time of the loop over steps, the least of runs in turn, as other processes only ever add to it.
"""

from __future__ import annotations

import numpy as np
from timing import at_least, at_most, conclude, table

from cardan import simulate
from cardan.spatial import Body, Model, Spherical, Spring, Translational, Universal

PAIRS = 15


def main() -> None:
    model = platform()
    best: dict[str, float] = {}
    runs = {}
    for _ in range(PAIRS):
        for coordinates in ("cartesian", "joint"):
            run = simulate(model, 4.0, method="dop853", rtol=1e-8, output=0.1, coordinates=coordinates)
            step = 1e6 * run.stats.seconds / run.stats.steps
            best[coordinates] = min(best.get(coordinates, np.inf), step)
            runs[coordinates] = run
    lines = [
        (
            name,
            best[name],
            run.stats.steps,
            run.stats.evaluations,
            1e6 * run.stats.seconds / run.stats.evaluations,
        )
        for name, run in runs.items()
    ]
    table("a step of the platform", ("", "us", "steps", "evaluations", "us each, last run"), lines)
    apart = np.abs(runs["joint"]["platform"].position - runs["cartesian"]["platform"].position).max()
    conclude(
        [
            at_least(
                "Stewart platform, a Cartesian step against one in joint coordinates",
                best["cartesian"] / best["joint"],
                2.0,
                "x",
            ),
            at_most("Stewart platform, positions", float(apart), 1e-7, "m apart"),
        ]
    )


def platform() -> Model:
    """Feet on a circle of 1 m, heads on one of 0.6 m above it."""
    model = Model("Stewart platform", gravity=(0, 0, -9.81))
    moving = {"velocity": (0.3, 0.1, 0.0), "angular_velocity": (0.0, 0.0, 0.5)}
    top = model.add(Body(mass=20.0, inertia=(0.8, 0.8, 1.5), position=(0, 0, 1.0), **moving), name="platform")
    for k in range(6):
        foot, head = (np.deg2rad(120 * (k // 2) + (a if k % 2 else -a)) for a in (10.0, 50.0))
        P = np.array([np.cos(foot), np.sin(foot), 0.0])
        Q = np.array([0.6 * np.cos(head), 0.6 * np.sin(head), 1.0])
        length = float(np.linalg.norm(Q - P))
        z = (Q - P) / length
        x = np.cross([0.0, 0.0, 1.0], z)
        x /= np.linalg.norm(x)
        y = np.cross(z, x)
        axes = np.column_stack([x, y, z])
        place = {"orientation": axes}
        cylinder = Body(mass=2.0, inertia=(0.05, 0.05, 0.005), position=tuple(P + 0.25 * z), **place)
        rod = Body(mass=1.0, inertia=(0.03, 0.03, 0.002), position=tuple(Q - 0.25 * z), **place)
        model.add(cylinder, name=f"cylinder {k}")
        model.add(rod, name=f"rod {k}")
        on_ground = model.ground.at(*P, z=tuple(x), x=tuple(y))
        model.add(Universal(on_ground, cylinder.at(0, 0, -0.25, z=(0, 1, 0), x=(1, 0, 0))), name=f"cross {k}")
        leg = model.add(Translational(cylinder.at(), rod.at()), name=f"leg {k}")
        model.add(Spherical(rod.at(0, 0, 0.25), top.at(*(Q - [0, 0, 1.0]))), name=f"ball {k}")
        model.add(Spring(leg.travel, 2e3, damping=20.0, rest_length=length - 0.5), name=f"spring {k}")
    return model


if __name__ == "__main__":
    main()
