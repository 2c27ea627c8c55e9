"""Contact: a cradle of 100 balls a tenth of a millimeter apart, and a chain of 100 links that falls on a plane.

    python benchmarks/bench_contact.py

No ball passes through another, and the energy, with what impacts and friction took, adds up to 1e-6 at rtol 1e-8.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from timing import at_most, conclude, table

from cardan import simulate
from cardan.examples import chain_on_plane, newtons_cradle

HEAD = ("", "CPU s", "steps", "evaluations", "energy left over", "deepest / depth")
COUNT = 100


def main() -> None:
    cradle, lossy = (newtons_cradle.build(balls=COUNT, restitution=e) for e in (1.0, 0.9))
    chain = chain_on_plane.build(links=COUNT)
    rows, verdicts = [], []
    for name, model, until in (("cradle", cradle, 2.0), ("cradle, e = 0.9", lossy, 2.0), ("chain", chain, 1.0)):
        run = simulate(model, until, output=until / 2000, rtol=1e-8)
        deepest = _deepest(run, model)
        rows.append((name, run.account.seconds, run.account.steps, run.account.evaluations, run.energy.drift, deepest))
        verdicts.append(at_most(f"{name}: energy left over", run.energy.drift, 1e-6))
        verdicts.append(at_most(f"{name}: deepest penetration over the depth allowed", deepest, 1.0))
    table("contact at rtol 1e-8", HEAD, rows)
    conclude(verdicts)


def _deepest(run: Any, model: Any) -> float:
    """The deepest that one body was inside another, over what may come out on the other side."""
    contacts = [element for element in model.forces if element.guards()]
    depth = [-float(np.min(run[contact.gap].value)) / contact.pair.depth for contact in contacts]
    return max(depth)


if __name__ == "__main__":
    main()
