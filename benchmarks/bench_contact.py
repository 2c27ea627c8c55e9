"""Contact: a cradle of 100 balls a tenth of a millimeter apart, and chains of 100 links that fall on a plane.

    python benchmarks/bench_contact.py

No ball passes through another, and the energy, with what impacts and friction took, adds up to 1e-6 at rtol 1e-8. The
first chain, straight, falls on Hertz's contacts with friction. The others are zigzags at random with Newton's impact at
every pin: more than a thousand impacts each, contacts that close and open, and pairs of links that fold between two.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from timing import at_most, conclude, table

from cardan import simulate
from cardan.examples.contact import chain_on_plane, newtons_cradle
from cardan.planar import Body, Impact, Model, Revolute, y

HEAD = ("", "CPU s", "steps", "evaluations", "events", "energy left over", "deepest / depth")
COUNT = 100
LINK, MASS, HEIGHT, STEEP = 0.04, 0.01, 0.02, 1.0  # m, kg, m above the plane, rad at most
SEEDS = (0, 1, 5)


def main() -> None:
    cradle, lossy = (newtons_cradle.build(balls=COUNT, restitution=e) for e in (1.0, 0.9))
    chain = chain_on_plane.build(links=COUNT)
    falls = [("cradle", cradle, 2.0), ("cradle, e = 0.9", lossy, 2.0), ("chain", chain, 1.0)]
    falls += [(f"zigzag {seed}", zigzag(COUNT, seed), 0.4) for seed in SEEDS]
    rows, verdicts = [], []
    for name, model, until in falls:
        run = simulate(model, until, output=until / 2000, rtol=1e-8)
        deepest, count = _deepest(run, model), run.stats
        drift = run.energy.drift
        rows.append((name, count.seconds, count.steps, count.evaluations, len(run.events), drift, deepest))
        verdicts.append(at_most(f"{name}: energy left over", drift, 1e-6))
        verdicts.append(at_most(f"{name}: deepest penetration over the depth allowed", deepest, 1.0))
    table("contact at rtol 1e-8", HEAD, rows)
    conclude(verdicts)


def zigzag(links: int, seed: int, restitution: float = 0.4) -> Model:
    """A chain whose links stand at random angles, let go above the plane; all its pins strike it."""
    angles = np.random.default_rng(seed).uniform(-STEEP, STEEP, links)
    pins = np.zeros((links + 1, 2))
    pins[1:] = np.cumsum(LINK * np.column_stack([np.cos(angles), np.sin(angles)]), axis=0)
    pins[:, 1] += HEIGHT - pins[:, 1].min()
    model, last = Model("zigzag", gravity=(0.0, -9.81)), None
    for k, turn in enumerate(angles):
        place = tuple(0.5 * (pins[k] + pins[k + 1]))
        link = model.add(Body(mass=MASS, inertia=MASS * LINK**2 / 12.0, position=place, angle=turn), name=f"link {k}")
        if last is not None:
            model.add(Revolute(last.at(0.5 * LINK, 0.0), link.at(-0.5 * LINK, 0.0)), name=f"pin {k}")
        model.add(Impact(y(link.at(-0.5 * LINK, 0.0)), restitution), name=f"floor {k}")
        last = link
    model.add(Impact(y(last.at(0.5 * LINK, 0.0)), restitution), name=f"floor {links}")
    return model


def _deepest(run: Any, model: Model) -> float:
    """The deepest that one body was inside another, over what may come out on the other side; hard bodies may be
    inside each other by the tolerance times a link."""
    contacts = [element for element in model.forces if element.guards()]
    depth = [-float(np.min(run[contact.gap].value)) / contact.pair.depth for contact in contacts]
    impacts = [element for element in model if isinstance(element, Impact)]
    depth += [-float(np.min(run[impact.measure].value)) / (1e-8 * LINK) for impact in impacts]
    return max(depth)


if __name__ == "__main__":
    main()
