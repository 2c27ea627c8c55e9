"""Hydraulic cylinders telescope, and pins outside of an outline are joined to it."""

import numpy as np
import pytest

from cardan import kinematics
from cardan.examples import load
from cardan.view.shapes.lines import surrounds
from cardan.view.sketch import make_scene


@pytest.fixture(scope="module")
def run():
    return kinematics(load("excavator").build(), np.linspace(0.0, 2.5, 51), progress=False)


def ends(scene, k):
    return [np.array(artist.get_xydata()) for artist in scene.rods[k][1:]]


def test_a_cylinder_keeps_its_length_and_holds_the_stroke(run):
    scene = make_scene(run.at(0.0), run=run)
    assert [rod.kind for rod, *_ in scene.rods] == ["actuator", "actuator"]
    lengths = np.zeros((len(run), 2, 2))
    for i, time in enumerate(run.times):
        scene.place(run.at(float(time)))
        for k in range(2):
            lengths[i, k] = [np.linalg.norm(line[1] - line[0]) for line in ends(scene, k)]
    rods, barrels = lengths[:, :, 0], lengths[:, :, 1]
    assert np.ptp(barrels, axis=0).max() < 1e-9 and np.ptp(rods, axis=0).min() > 0.1
    assert (barrels[0] < rods.min(axis=0)).all()
    assert (barrels[0] >= np.minimum(0.92 * rods.min(axis=0), np.ptp(rods, axis=0)) - 1e-9).all()


def test_a_pin_outside_of_an_outline_is_joined_to_it(run):
    """The hinge of the bucket, its origin, lies beside its outline."""
    scene = make_scene(run.at(0.0), run=run)
    bucket = run.model["bucket"]
    areas = [shape.points for shape in scene.drawing.shapes if shape.body is bucket and shape.kind == "area"]
    assert any(surrounds(area, np.zeros(2), 1e-9) for area in areas)
    assert not surrounds(np.array(bucket.outline), np.zeros(2), 1e-2)
