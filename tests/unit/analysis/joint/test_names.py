"""Joint coordinates by name: places in q and in v, and q by a dictionary."""

from __future__ import annotations

import pytest

from cardan import ModelError, joint_space
from cardan.spatial import Body, Model, Revolute, Spherical


@pytest.fixture(scope="module")
def space():
    model = Model("arm", gravity=(0, 0, -9.81))
    upper, lower, drone = (Body(mass=1.0, inertia=(0.1, 0.1, 0.1), position=(k, 0, 0)) for k in range(3))
    for body, name in ((upper, "upper"), (lower, "lower"), (drone, "drone")):
        model.add(body, name=name)
    model.add(Spherical(model.ground.at(), upper.at()), name="ball")
    model.add(Revolute(upper.at(1, 0, 0), lower.at()), name="elbow")
    return joint_space(model)


def test_places_of_joints_and_of_what_floats(space) -> None:
    for names, places in ((space.coordinates, space.places), (space.speeds, space.speed_places)):
        assert [names[k] for k in places("elbow")] == ["elbow.angle"]
        assert [names[k] for k in places("ball", "elbow")][-1] == "elbow.angle"
    assert len(space.places("ball")) == 4 and len(space.speed_places("ball")) == 3
    assert len(space.places("drone")) == 7 and len(space.speed_places("drone")) == 6
    assert space.coordinates[space.places("ball.e2")[0]] == "ball.e2"


def test_values_by_name(space) -> None:
    q = space.with_values({"elbow": 0.3, "drone.x": 5.0})
    assert q[space.places("elbow", "drone.x")].tolist() == [0.3, 5.0]
    assert space.q[space.places("elbow")].tolist() != [0.3]  # the original stays
    again = space.with_values({"ball": (0.6, 0.8, 0.0, 0.0)}, q)
    assert again[space.places("elbow")].tolist() == [0.3] and again[space.places("ball.e1")].tolist() == [0.8]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"elbo": 0.3}, r"no coordinate of 'arm' belongs to 'elbo'; did you mean 'elbow'\?"),
        ({"elbow": "much"}, r"the value of 'elbow' must be a number, got 'much'"),
        ({"ball": 0.3}, r"the value of 'ball' must be 4 numbers"),
        ([0.3], r"values of joints must be a dictionary"),
    ],
)
def test_wrong_names_and_values(space, values, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        space.with_values(values)
