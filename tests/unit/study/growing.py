"""A study in a process of its own, slow enough to be killed: `python growing.py STORE [resume]`.

Every sample that is computed leaves a line in STORE.log, so that a test can count them.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from cardan import study
from cardan.planar import Body, Model, Revolute
from cardan.study import random_samples

SAMPLES, CHUNK = 60, 3


def build(mass: float = 1.0) -> Model:
    model = Model("arm")
    body = model.add(Body(mass=mass, inertia=1.0), name="arm")
    model.add(Revolute(model.ground.at(), body.at()), name="pin")
    return model


def grow(store: Path, *, pause: float = 0.05, **options: Any) -> Any:
    """The study of 60 masses in parts of three; each takes `pause` seconds."""
    log = store.with_suffix(".log")

    def weigh(model: Any) -> float:
        time.sleep(pause)
        with log.open("a") as file:
            file.write(f"{model['arm'].mass!r}\n")
        return float(model["arm"].mass)

    plan = random_samples({"mass": (1.0, 2.0)}, SAMPLES, seed=7)
    return study(build, plan, weigh, {"weight": lambda value: value}, store=store, chunk=CHUNK, **options)


if __name__ == "__main__":
    grow(Path(sys.argv[1]), resume=len(sys.argv) > 2, threads=1)
