"""Where the frames of bodies are does not change a motion, even where markers are a hair off the origins."""

from __future__ import annotations

import numpy as np
import pytest

import cardan.planar as plane
from cardan import kinematics, parameter, simulate
from catalogs import CASES

OFF = 1e-9  # m, by which frames are moved


@pytest.mark.parametrize("off", [OFF, 1e3 * OFF])
def test_markers_a_hair_off_the_origin(off):
    """All markers of each body of the catalog are moved, which moves its frame: a radian then counts for a hair's
    breadth, and the mechanism moves all the same. The motion differs by some times as much as the frames."""
    for case in CASES:
        exact, moved = case.model(), case.model()
        _move_frames(moved, off)
        one, two = (kinematics(model, [0.0, 0.1, 0.2], progress=False) for model in (exact, moved))
        assert np.abs(np.abs(one.q) - np.abs(two.q)).max() < 1e3 * off, case.name
        assert np.abs(one.v - two.v).max() < 1e3 * off * max(1.0, np.abs(one.v).max()), case.name


def _move_frames(model, off):
    """Move the markers and outlines of all bodies by off times (1, 2, 3)."""
    sides = [(element, side) for element in model for side in "ab"]
    parts = {id(getattr(element, side, None)): (element, side) for element, side in sides}
    for element, side in parts.values():
        if getattr(getattr(element, side, None), "body", model.ground) is model.ground:
            continue
        for k, axis in enumerate("xyz"[: model.space.dimensions]):
            place = parameter(element, f"{side}.{axis}").places[0][1]
            place.write(place.read() + (k + 1) * off)


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
@pytest.mark.parametrize("eccentricity", [0.0, 1e-9, 1e-6, 4e-5])
def test_a_driven_gear_runs_out(eccentricity, coordinates):
    """The hinge of a driven gear is off its center. The other one follows at half the speed, but for the run-out."""
    model = plane.Model("run-out")
    wheel, other = (model.add(plane.Body(mass=1.0, inertia=0.01, position=(x, 0.0))) for x in (0.0, 0.3))
    hinge = model.add(plane.Revolute(model.ground.at(), wheel.at(0.0, eccentricity)))
    model.add(plane.Revolute(model.ground.at(0.3, 0.0), other.at()))
    model.add(plane.Gear(wheel.at(), other.at(), 0.1, 0.2))
    model.add(plane.Driver(hinge.angle, plane.Harmonic(1.0, 10.0)))
    run = simulate(model, 1.0, output=0.1, coordinates=coordinates, progress=False)
    assert np.abs(run[other].angle + 0.5 * np.sin(10.0 * run.times)).max() < 1e-9 + 10.0 * eccentricity
