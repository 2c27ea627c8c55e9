"""Load cases of a running machine are in equilibrium: forces, accelerations and modes belong together."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import planar, simulate, spatial
from cardan.errors import ModelError
from cardan.flexible import beam, instant_of, load_case, rectangle


def test_connecting_rod_of_a_running_machine() -> None:
    source = beam(0.45, rectangle(0.012))
    found = source.reduction({"big end": "left", "small end": "right"}, modes=6, planar=True, damping=0.05)
    model = planar.Model("slider-crank", gravity=(0.0, -9.81))
    arm = model.add(planar.Body(mass=1.0, inertia=0.01, angular_velocity=30.0), name="crank")
    rod = model.add(planar.FlexibleBody(found.part, position=(0.15, 0.0)), name="rod")
    piston = model.add(planar.Body(mass=0.2, inertia=1e-3, position=(0.6, 0.0)), name="piston")
    hinge = model.add(planar.Revolute(model.ground.at(), arm.at()), name="A")
    model.add(planar.Revolute(arm.at(0.15, 0.0), rod.at("big end")), name="B")
    model.add(planar.Revolute(rod.at("small end"), piston.at()), name="C")
    model.add(planar.Translational(model.ground.at(), piston.at()), name="guide")
    model.add(planar.Driver(hinge.angle, planar.Ramp(30.0)), name="motor")
    run = simulate(model, 0.25, output=0.01, method="radau", rtol=1e-7)
    instant = instant_of(run, rod, 0.23)
    case = load_case(source, found, instant)
    assert case.unbalanced < 1e-6  # the tolerance of the run
    modal = np.einsum("idk,id->k", found.modes, case.loads)
    elastic = found.part.stiffness @ instant.eta
    assert np.allclose(modal, elastic, atol=1e-3 * np.abs(elastic).max())  # the body has masses lumped at 21 nodes
    with pytest.raises(ModelError, match="is not a flexible body"):
        instant_of(run, arm, 0.23)


def test_pendulum_in_space() -> None:
    source = beam(0.8, rectangle(0.02, 0.01))
    found = source.reduction({"pivot": "left"}, modes=3, damping=0.02)
    model = spatial.Model("pendulum", gravity=(0.0, 0.0, -9.81))
    bar = model.add(spatial.FlexibleBody(found.part, angular_velocity=(0.3, 1.0, 2.0)), name="bar")
    model.add(spatial.Spherical(model.ground.at(), bar.at("pivot")), name="ball")
    run = simulate(model, 0.2, output=0.02, method="radau", rtol=1e-7)
    case = load_case(source, found, instant_of(run, bar, 0.2))
    assert case.unbalanced < 1e-5
    weight = found.part.mass * 9.81
    assert math.isfinite(weight) and np.abs(case.loads).sum() > 0.1 * weight
