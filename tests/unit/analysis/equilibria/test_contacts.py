"""Rest against what only pushes: stops and contacts by their energy, hard contacts by the set that is closed."""

import math

import numpy as np
import pytest

import cardan.spatial as deep
from cardan import ModelError, SimulationError, equilibrium, simulate, steady_motion
from cardan.planar import (
    Action,
    Actuator,
    Body,
    Contact,
    Disk,
    Face,
    Impact,
    Model,
    Revolute,
    Spring,
    Stop,
    Translational,
    x,
    y,
)

G = 9.81
EXACT = 1e-10  # forces balance to 1e-12 of themselves


def hung(height, free, stiffness=50.0):
    """A mass of 2 kg on a vertical spring, and its height."""
    model = Model("hung", gravity=(0.0, -G))
    mass = model.add(Body(mass=2.0, inertia=1.0, position=(0.0, height)), name="mass")
    upward = {"angle": math.pi / 2.0}
    model.add(Translational(model.ground.at(**upward), mass.at(**upward)), name="guide")
    model.add(Spring(y(mass.at()), stiffness, rest_length=free), name="spring")
    return model, mass


@pytest.mark.parametrize("method", ["auto", "energy", "newton"])
def test_a_mass_rests_on_the_floor(method):
    """The spring would let it hang at free - m g / k = 0.1 - 0.3924 m: the floor carries m g - k free."""
    model, mass = hung(1.0, 0.1)
    floor = model.add(Impact(y(mass.at()), 0.5), name="floor")
    rest = equilibrium(model, method=method)
    assert rest[mass].position[1] == pytest.approx(0.0, abs=EXACT)
    assert rest[floor].force == pytest.approx(2.0 * G - 50.0 * 0.1, abs=1e-9)
    run = simulate(model, 1.0, start=rest)
    assert abs(run[mass].position[:, 1]).max() < 1e-9


@pytest.mark.parametrize("height", [1.0, 0.0, -0.2])
def test_a_mass_hangs_above_the_floor(height):
    model, mass = hung(height, 1.0)
    floor = model.add(Impact(y(mass.at()), 0.5), name="floor")
    rest = equilibrium(model)
    assert rest[mass].position[1] == pytest.approx(1.0 - 2.0 * G / 50.0, abs=EXACT) and rest[floor].force == 0.0


def test_a_ball_in_a_corner():
    """Gravity and a spring press it against floor and wall, which carry one each."""
    model = Model("corner", gravity=(0.0, -G))
    ball = model.add(Body(mass=1.0, inertia=0.1, position=(2.0, 3.0)), name="ball")
    floor = model.add(Impact(y(ball.at()), 0.0, below=0.1), name="floor")
    wall = model.add(Impact(x(ball.at()), 0.0, below=0.2), name="wall")
    model.add(Spring(x(ball.at()), 7.0, rest_length=-1.0), name="spring")
    rest = equilibrium(model)
    assert rest[ball].position == pytest.approx([0.2, 0.1], abs=EXACT)
    assert (rest[floor].force, rest[wall].force) == pytest.approx((G, 7.0 * 1.2), abs=1e-9)
    assert rest.stable is None  # it may turn


def test_a_plank_across_two_posts():
    """Each post carries half of the weight, as the plank lies with its middle between them."""
    model = Model("plank", gravity=(0.0, -G))
    plank = model.add(Body(mass=3.0, inertia=1.0, position=(0.0, 0.5), angle=0.1), name="plank")
    model.add(Spring(x(plank.at()), 1.0, rest_length=0.0), name="tie")
    left, right = (model.add(Impact(y(plank.at(s, 0.0)), 0.0), name=n) for n, s in (("left", -1.0), ("right", 1.0)))
    rest = equilibrium(model)
    assert rest[plank].angle == pytest.approx(0.0, abs=EXACT) and rest.stable
    assert (rest[left].force, rest[right].force) == pytest.approx((1.5 * G, 1.5 * G), abs=1e-9)


def test_what_is_not_done_with_impacts_is_named():
    model, mass = hung(1.0, 0.1)
    model.add(Impact(y(mass.at()), 0.5), name="floor")
    with pytest.raises(ModelError, match="'hung', which has impacts, does not support method='settle'"):
        equilibrium(model, "settle")
    with pytest.raises(ModelError, match="does not support starts=3"):
        equilibrium(model, starts=3)


def test_a_door_against_its_stop():
    """k (phi - end) = M: a spring of torque M holds the door in the stop; the energy of the stop counts."""
    model = Model("door")
    door = model.add(Body(mass=20.0, inertia=5.0), name="door")
    hinge = model.add(Revolute(model.ground.at(), door.at()), name="hinge")
    model.add(Spring(hinge.angle, 10.0, rest_angle=2.5), name="opener")
    stop = model.add(Stop(hinge.angle, lower=0.0, upper=1.5, stiffness=990.0), name="stop")
    rest = equilibrium(model)
    assert rest.method == "energy" and rest.stable
    assert rest[hinge.angle].value == pytest.approx(1.51, abs=EXACT) and rest[stop].force == pytest.approx(9.9)
    assert rest.energy == pytest.approx(0.5 * 10.0 * 0.99**2 + 0.5 * 990.0 * 0.01**2, rel=1e-9)


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_a_ball_falls_to_a_soft_floor(friction):
    """k d^1.5 = m g; it starts far above, where no force holds it."""
    model = Model("ball", gravity=(0.0, -G))
    ball = model.add(Body(mass=1.0, inertia=0.01, position=(0.0, 2.0)), name="ball")
    model.add(Spring(x(ball.at()), 10.0, rest_length=0.0), name="tie")
    model.add(
        Contact(Face(model.ground.at()), Disk(ball.at(), 0.1), stiffness=1e5, restitution=0.5, friction=friction),
        name="floor",
    )
    rest = equilibrium(model)
    assert rest.method == "energy"
    assert rest[ball].position[1] == pytest.approx(0.1 - (G / 1e5) ** (2.0 / 3.0), abs=1e-9)


def test_forces_without_energy_are_balanced_by_newton():
    """What a device gives has no potential: 30 phi = 6."""
    model = Model("pushed")
    arm = model.add(Body(mass=1.0, inertia=0.1), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    model.add(Spring(hinge.angle, 30.0, rest_angle=0.0), name="spring")
    model.add(Actuator(hinge.angle, 6.0), name="drive")
    rest = equilibrium(model)
    assert rest.method == "newton" and rest[arm].angle == pytest.approx(0.2, abs=EXACT)


def test_an_unstable_rest_is_left():
    """Newton's method ends upright; as no potential exists, the pendulum is let go instead and hangs."""
    model = Model("pendulum", gravity=(0.0, -G))
    arm = model.add(Body(mass=1.0, inertia=0.1, center=(0.5, 0.0), angle=1.5), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    model.add(Action(hinge.angle, lambda a, b: 0.0 * a * b, of=[hinge.angle, x(arm.at(1.0, 0.0))]), name="nothing")
    upright, hanging = equilibrium(model, "newton"), equilibrium(model)
    assert upright[arm].angle == pytest.approx(0.5 * math.pi, abs=1e-8) and upright.stable is False
    assert hanging.method == "settle" and hanging.stable
    assert math.sin(hanging[arm].angle) == pytest.approx(-1.0, abs=1e-12)


def test_what_falls_for_ever_is_told():
    model = Model("stone", gravity=(0.0, -G))
    stone = model.add(Body(mass=1.0, inertia=1.0), name="stone")
    model.add(Impact(-1.0 * y(stone.at()), 0.0, below=-5.0), name="ceiling")
    with pytest.raises(SimulationError, match="falls away"):
        equilibrium(model)
    assert np.isfinite(stone.mass)


@pytest.mark.parametrize(("spin", "limited"), [(6.0, True), (4.0, False)])
def test_a_rotating_pendulum_at_its_stop(spin, limited):
    """cos theta = g / (l W^2) while the bob hangs below z = -0.6; there p = m (W^2 l cos theta - g)."""
    model = deep.Model("pendulum", gravity=(0.0, 0.0, -G))
    bob = model.add(deep.Body(mass=1.0, position=(0.8, 0.0, -0.6)), name="bob")
    model.add(deep.Spherical(model.ground.at(), bob.at(-0.8, 0.0, 0.6)), name="string")
    stop = model.add(deep.Impact(-1.0 * deep.z(bob.at()), 0.0, below=0.6), name="stop")
    motion = steady_motion(model, spin)
    height = 0.6 if limited else G / spin**2
    assert motion[bob].position[2] == pytest.approx(-height, abs=1e-9)
    assert motion[stop].force == pytest.approx(spin**2 * 0.6 - G if limited else 0.0, abs=1e-8)
