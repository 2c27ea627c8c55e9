"""Cantilevers that bend under a tip load, for tests of pictures and pages."""

from __future__ import annotations

from typing import Any

from cardan import equilibrium, planar, spatial
from cardan.flexible import beam, rectangle

LENGTH, HEIGHT, WIDTH, LOAD = 1.0, 0.02, 0.01, 20.0
STRESS = LOAD * LENGTH / (WIDTH * HEIGHT**2 / 6.0)  # at the root: M / W


def bar(**options: Any) -> Any:
    """A bar along x whose tip moves along y, or also along z in space."""
    ends = {"root": "left", "tip": "right"}
    return beam(LENGTH, rectangle(HEIGHT, WIDTH), "steel", name="bar").reduce(ends, modes=2, stress=True, **options)


def planar_cantilever() -> Any:
    """At rest, clamped at (0.2, 0.1)."""
    model = planar.Model("cantilever")
    body = model.add(planar.FlexibleBody(bar(planar=True), position=(0.2, 0.1)), name="bar")
    model.add(planar.Fixed(model.ground.at(0.2, 0.1), body.at("root")), name="clamp")
    model.add(planar.Point(body.at("tip")), name="tip")
    model.add(planar.Load(body.at("tip"), (0.0, -LOAD)), name="load")
    return equilibrium(model)


def spatial_cantilever() -> Any:
    """The same in space; y is up there, too."""
    model = spatial.Model("cantilever in space")
    body = model.add(spatial.FlexibleBody(bar(), position=(0.2, 0.1, 0.3)), name="bar")
    model.add(spatial.Fixed(model.ground.at(0.2, 0.1, 0.3), body.at("root")), name="clamp")
    model.add(spatial.Point(body.at("tip")), name="tip")
    model.add(spatial.Load(body.at("tip"), (0.0, -LOAD, 0.0)), name="load")
    return equilibrium(model)
