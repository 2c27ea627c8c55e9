"""equilibrium_path(): load-deflection curves against closed forms, past folds, in the plane and in space."""

import math

import numpy as np
import pytest

from cardan import CardanWarning, SimulationError, equilibrium, equilibrium_path
from cardan.planar import Action, Body, Hold, Load, Model, Revolute, Spring, angle, length, x
from cardan.spatial import (
    Body as Body3,
    Load as Load3,
    Model as Model3,
    Orientation,
    Spring as Spring3,
    length as length3,
)

B, H, K = 1.0, 0.5, 1000.0
L0 = math.hypot(B, H)
G = 9.81


def resistance(w):
    """The load on a ridge at height w that a single spring of a von Mises truss carries."""
    span = np.hypot(B, w)
    return -K * (span - L0) * w / span


FOLD = math.sqrt((B * B * L0) ** (2 / 3) - B * B)  # d resistance / dw = 0: span^3 = b^2 L0


def truss():
    model = Model("truss")
    ridge = model.add(Body(mass=1.0, inertia=1.0, position=(0, H)), name="ridge")
    model.add(Hold(angle(model.ground.at(), ridge.at()), 0.0))
    model.add(Hold(x(ridge.at()), 0.0))
    for u in (-B, B):
        model.add(Spring(length(model.ground.at(u, 0), ridge.at()), K, rest_length=L0))
    return model, ridge, model.add(Load(ridge.at(), (0, -100.0)), name="load"), 2


def dome():
    model = Model3("dome")
    ridge = model.add(Body3(mass=1.0, inertia=(1, 1, 1), position=(0, 0, H)), name="ridge")
    model.add(Orientation(model.ground.at(), ridge.at()))
    for u in (0.0, 2.0, 4.0):
        foot = B * math.cos(u * math.pi / 3), B * math.sin(u * math.pi / 3), 0.0
        model.add(Spring3(length3(model.ground.at(*foot), ridge.at()), K, rest_length=L0))
    return model, ridge, model.add(Load3(ridge.at(), (0, 0, -100.0)), name="load"), 3


@pytest.mark.parametrize("state", [truss, dome])
def test_snap_through(state):
    """A von Mises truss of two or three springs: the curve, its two folds, and what is stable on it."""
    model, ridge, load, count = state()
    path = equilibrium_path(model, load, (0.0, 3.0))
    w = path[ridge].position[:, -1]
    # forces of the order of 300 N balance to 1e-12
    assert np.abs(100.0 * path.factors - count * resistance(w)).max() < 1e-8
    assert path.factors[0] == 0.0 and abs(path.factors[-1] - 3.0) < 1e-12 and w[-1] < -H
    # at a fold the factor is even in what the fold is missed by
    assert np.abs(100.0 * path.fold_factors / (count * resistance(FOLD)) - (1.0, -1.0)).max() < 1e-12
    assert np.abs([fold[ridge].position[-1] for fold in path.folds] - np.array([FOLD, -FOLD])).max() < 1e-7
    if count == 2:  # the dome may also give way sideways
        assert (np.array(path.stable, bool) == (np.abs(w) > FOLD)).all()
    assert not any(path.stable[k] for k in np.flatnonzero(np.abs(w) < FOLD))
    assert np.abs(path[load].force[:, -1] + 100.0 * path.factors).max() < 1e-9
    assert "folds at factors" in repr(path) and len(path) == path.factors.size


def test_growing_gravity():
    """A pendulum on a torsion spring: k phi + f m g l cos phi = 0 for every factor f of gravity, without any fold."""
    model = Model("lamp", gravity=(0, -G))
    arm = model.add(Body(mass=2.0, inertia=0.1, center=(0.5, 0)), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    model.add(Spring(hinge.angle, 30.0, rest_angle=0.0), name="spring")
    path = equilibrium_path(model, "gravity", (0.0, 2.0))
    phi = path[arm].angle
    assert np.abs(30.0 * phi + path.factors * G * np.cos(phi)).max() < 1e-9
    assert path.folds == () and all(path.stable) and (np.diff(path.factors) > 0.0).all()
    full = equilibrium_path(model, "gravity", (0.0, 1.0))
    assert abs(full[arm].angle[-1] - equilibrium(model)[arm].angle) < 1e-10
    assert np.abs(path[hinge].force[:, 1] - 2.0 * G * path.factors).max() < 1e-8


def test_follower_force():
    """A jet that turns with the body: 2 m g l cos phi = f F s; it has no potential, and a path all the same."""
    model = Model("jet", gravity=(0, -G))
    arm = model.add(Body(mass=2.0, inertia=0.1, center=(0.5, 0), angle=-math.pi / 2), name="arm")
    model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    jet = model.add(Load(arm.at(1, 0), (0.0, 8.0), frame="body"), name="jet")
    path = equilibrium_path(model, jet, method="newton")
    assert np.abs(G * np.cos(path[arm].angle) - 8.0 * path.factors).max() < 1e-9
    assert path.rests[0].energy is None and abs(path.factors[-1] - 1.0) < 1e-12


def test_a_path_that_is_left_too_early_is_told():
    model, _, load, _ = truss()
    with pytest.warns(CardanWarning, match="5 points at a factor of .* points="):
        path = equilibrium_path(model, load, points=5)
    assert len(path) == 5 and path.factors[-1] < 1.0


def test_a_force_that_ends_is_told():
    """A push whose function ends: the path ends there, and what was computed is handed over."""
    model, ridge, load, _ = truss()
    model.add(Action(length(model.ground.at(0, -2), ridge.at()), ending), name="push")
    with pytest.raises(SimulationError, match="cannot be followed beyond") as caught:
        equilibrium_path(model, load, (0.0, 3.0))
    assert len(caught.value.partial) > 3


def ending(z):
    return 0.0 if z > 2.2 else math.sqrt(-1.0)
