"""Every change of a model is noticed, whichever way it was made."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cardan.model.unchanged import remember
from cardan.planar import Body, Load, Model, Revolute, Spring, length
from cardan.spatial import Body as SpatialBody, Model as SpatialModel, rotation


def _model() -> Any:
    model = Model("pendulum", gravity=(0.0, -9.81))
    bob = model.add(Body(mass=1.0, inertia=0.1, position=np.array([1.0, 0.0])), name="bob")
    model.add(Revolute(model.ground.at(), bob.at(-1.0, 0.0)), name="pin")
    model.add(Spring(length(model.ground.at(0.0, 1.0), bob.at()), 10.0, rest_length=1.0), name="spring")
    return model


CHANGES: dict[str, Callable[[Any], Any]] = {
    "gravity": lambda model: setattr(model, "gravity", (0.0, -9.8)),
    "a new element": lambda model: model.add(Load(model["bob"].at(), (1.0, 0.0)), name="load"),
    "an attribute": lambda model: object.__setattr__(model["bob"], "mass", 2.0),
    "of a marker": lambda model: object.__setattr__(model["pin"].b, "y", 0.1),
    "an array": lambda model: model["bob"].position.__setitem__(0, 2.0),
    "another order": lambda model: model._elements.update(bob=model._elements.pop("bob")),
    "another name": lambda model: setattr(model, "name", "another"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_changes_are_noticed(change: str) -> None:
    model = _model()
    object.__setattr__(model["bob"], "position", np.array([1.0, 0.0]))  # arrays given to it are copied and read-only
    seen = remember(model)
    assert seen is not None
    assert seen.holds()
    CHANGES[change](model)
    assert not seen.holds()


def test_turns_of_an_orientation_are_noticed() -> None:
    model = SpatialModel("wheel")
    wheel = model.add(SpatialBody(orientation=rotation.from_axis_angle((0, 0, 1), 7.0)), name="wheel")
    seen = remember(model)
    assert seen is not None
    wheel.orientation.vector = (0.0, 0.0, 1.0)
    assert not seen.holds()


def test_what_cannot_be_compared_is_not_remembered() -> None:
    model = _model()
    model.add(Load(model["bob"].at(), (1.0, 0.0)), name="load")
    assert remember(model) is not None
    object.__setattr__(model["load"], "note", lambda t: t)
    assert remember(model) is None
    object.__setattr__(model["load"], "note", {1, 2})
    assert remember(model) is None
