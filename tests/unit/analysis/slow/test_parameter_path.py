"""quasi_static(parameter=...): equilibria along a parameter against closed forms, jumps, and what is rejected."""

import math

import numpy as np
import pytest

from cardan import CardanWarning, ModelError, SimulationError, equilibrium, quasi_static
from cardan.model.parameter import changed, parameters_of
from cardan.planar import (
    Body,
    Bushing,
    Distance,
    Driver,
    Gear,
    Load,
    Model,
    Ramp,
    Revolute,
    Spring,
    Torque,
    Translational,
    length,
)

G = 9.81


def balance():
    """A mass on a spring: x = m g / k below the length at rest, with slope -m g / k^2."""
    model = Model("balance", gravity=(0, -G))
    pan = model.add(Body(mass=2.0), name="pan")
    guide = model.add(Translational.between(model.ground, pan, at=(0, 0), angle=math.pi / 2), name="guide")
    model.add(Spring(guide.travel, 500.0, rest_length=0.3), name="spring")
    return model


@pytest.mark.parametrize("sense", [1, -1])
def test_stiffness_against_a_closed_form(sense):
    k = np.linspace(200.0, 900.0, 15)[::sense]
    model = balance()
    path = quasi_static(model, k, parameter="spring.stiffness")
    assert np.allclose(path["pan.y"], 0.3 - 2.0 * G / k, rtol=0, atol=1e-11)  # 1e-12 of the spring's forces
    assert np.allclose(path.slope("pan.y"), 2.0 * G / k**2, rtol=1e-9, atol=0)  # sixth-order differences of a formula
    assert np.allclose(path[model["spring"]].force, -2.0 * G, rtol=1e-12)
    assert np.allclose(path.slope("spring.force"), 0.0, atol=1e-10)  # rounding of 270 N by a short step
    assert np.allclose(path.lowest_stiffness, k, rtol=1e-9) and set(path.stable) == {True}
    assert np.array_equal(path.values, k) and model["spring"].stiffness == 500.0
    assert path.rests[3].model["spring"].stiffness == k[3] and path.rests[3].stable


def four_bar():
    """With a spring on the crank; the point C of the rocker coincides with another one at its stated place."""
    model = Model("four-bar", gravity=(0, -G))
    crank = model.add(Body(mass=2.0, inertia=0.1, center=(0.5, 0), angle=1.0), name="crank")
    place = (math.cos(1.0), math.sin(1.0))
    coupler = model.add(Body(mass=3.0, inertia=0.2, center=(1.0, 0.1), position=place), name="coupler")
    rocker = model.add(Body(mass=1.0, inertia=0.1, center=(0.7, 0), position=(2.0, 0), angle=1.3), name="rocker")
    A = model.add(Revolute(model.ground.at(), crank.at()), name="A")
    model.add(Revolute(crank.at(1, 0), coupler.at()), name="B")
    model.add(Revolute(coupler.at(2.2, 0), rocker.at(1.5, 0)), name="C")
    model.add(Revolute(model.ground.at(2.0, 0), rocker.at()), name="D")
    model.add(Spring(A.angle, 3000.0, rest_angle=1.0), name="spring")
    model.add(Load(rocker.at(1.5, 0), (40.0, -30.0)), name="load")
    return model


@pytest.mark.parametrize("name", ["C.b.x", "coupler.mass", "gravity.y", "spring.rest_angle", "rocker.center.x"])
def test_each_point_is_the_equilibrium_of_its_model(name):
    """Positions, reactions and slopes against equilibrium() of models with each value and beside it."""
    model = four_bar()
    (one,) = parameters_of(model, name, "a test")
    values = one.value + np.linspace(0.0, 0.1, 5) * (abs(one.value) or 1.0)
    path = quasi_static(model, values, parameter=name)

    def at(value, column):
        with changed(model, {one: value}):
            return equilibrium(model)[column]

    for column in ("crank.angle", "C.fx", "rocker.y"):
        found, slopes = path[column], path.slope(column)
        h = 1e-4 * (values[-1] - values[0])
        for k in (0, 3):
            assert found[k] == pytest.approx(at(values[k], column), rel=1e-8, abs=1e-8)
            beside = [at(values[k] + side * h, column) for side in (1.0, -1.0)]  # errors of h^2, and of rounding / h
            assert slopes[k] == pytest.approx((beside[0] - beside[1]) / (2.0 * h), rel=1e-5, abs=1e-5)


def test_read_quantities_use_the_model_of_each_value():
    """A point that moves with the parameter is read where it is."""
    model = four_bar()
    path = quasi_static(model, [1.5, 1.55], parameter="C.b.x")
    marker = model["C"].b
    angle, origin = path["rocker.angle"], np.array([2.0, 0.0])
    there = origin + np.column_stack([np.cos(angle), np.sin(angle)]) * path.values[:, None]
    assert np.allclose(path[marker].position, there, atol=1e-12)
    assert path.table()["C.b.x"].tolist() == [1.5, 1.55]


def test_buckling_by_a_soft_spring():
    """A column of length L under P is straight while the torsional stiffness k exceeds P L, then
    k phi = P L sin(phi)."""
    model = Model("column")
    bar = model.add(Body(angle=math.pi / 2), name="bar")
    hinge = model.add(Revolute(model.ground.at(), bar.at()), name="hinge")
    model.add(Spring(hinge.angle, 2.0, rest_angle=math.pi / 2), name="spring")
    model.add(Load(bar.at(1, 0), (0.0, -1.0)), name="load")
    k = np.linspace(2.0, 0.57, 30)
    with pytest.warns(CardanWarning, match=r"jumps to another equilibrium at spring.stiffness = (1|0\.99999)"):
        path = quasi_static(model, k, parameter="spring.stiffness")
    phi = path["bar.angle"] - math.pi / 2
    assert path.snaps[0].value == pytest.approx(1.0, abs=3e-6)  # where the scaled stiffness is below 1e-6
    assert np.allclose(phi[k >= 1.0], 0.0, atol=1e-8) and np.all(np.abs(phi[k < 0.97]) > 0.2)
    assert np.allclose(k * phi, np.sin(phi), atol=1e-9)
    with pytest.raises(SimulationError, match="it would jump at spring.stiffness = ") as stopped:
        quasi_static(model, k, parameter="spring.stiffness", at_snap="stop")
    assert len(stopped.value.partial) == np.sum(k > 1.0)


def test_driven_mechanism_along_a_length():
    """Drivers fix all motion: positions and reactions follow the parameter, with its own slope."""
    model = Model("crank and slider")
    crank = model.add(Body(), name="crank")
    slider = model.add(Body(position=(1.2, 0.0)), name="slider")
    hinge = model.add(Revolute(model.ground.at(), crank.at()), name="hinge")
    model.add(Translational(model.ground.at(), slider.at()), name="guide")
    model.add(Distance(crank.at(0.4, 0.0), slider.at(), 1.0), name="rod")
    model.add(Load(slider.at(), (-50.0, 0.0)), name="force")
    motor = model.add(Driver(hinge.angle, Ramp(1.0)), name="motor")
    rods = np.linspace(1.0, 1.3, 7)
    path = quasi_static(model, rods, parameter="rod.length", time=0.7)
    c, s = 0.4 * math.cos(0.7), 0.4 * math.sin(0.7)
    assert np.allclose(path["slider.x"], c + np.sqrt(rods**2 - s * s), atol=1e-12)
    assert np.allclose(path.slope("slider.x"), rods / np.sqrt(rods**2 - s * s), rtol=1e-9)
    arm = s + c * s / np.sqrt(rods**2 - s * s)  # -dx / d angle
    assert np.allclose(np.abs(path[motor].force), 50.0 * arm, rtol=1e-10)


def test_constants_of_the_assembly_stay():
    """The rolling of a gear pair keeps its constant: torques balance through other radii."""
    model = Model("gears")
    one = model.add(Body(), name="one")
    two = model.add(Body(position=(0.3, 0.0)), name="two")
    first = model.add(Revolute(model.ground.at(), one.at()), name="first")
    model.add(Revolute(model.ground.at(0.3, 0.0), two.at()), name="second")
    model.add(Gear(one.at(), two.at(), 0.1, 0.2), name="mesh")
    model.add(Spring(first.angle, 100.0, rest_angle=0.0), name="spring")
    model.add(Torque(two.at(), 6.0), name="load")
    path = quasi_static(model, [6.0, 9.0, 12.0], parameter="load.torque")
    assert np.allclose(path["first.angle"], -path.values * 0.5 / 100.0, atol=1e-12)


def test_rejected():
    model = balance()
    with pytest.raises(ModelError, match="must be at least two that increase or decrease"):
        quasi_static(model, [500.0, 400.0, 450.0], parameter="spring.stiffness")
    with pytest.raises(ModelError, match=r"no parameter called 'sprung.stiffness'; did you mean 'spring.stiffness'"):
        quasi_static(model, [500.0, 400.0], parameter="sprung.stiffness")
    for several in (["spring.stiffness", "pan.mass"], [], 3):
        with pytest.raises(ModelError, match=r"the parameter of quasi_static\(\) must be a str or Parameter, got"):
            quasi_static(model, [500.0, 400.0], parameter=several)
    with pytest.raises(ModelError, match="time= of quasi_static"):
        quasi_static(model, [0.0, 1.0], time=1.0)
    with pytest.raises(ModelError, match="must not be negative, got -1"):
        quasi_static(model, [1.0, -1.0], parameter="pan.mass")


def test_bushed_double_wishbone_takes_few_iterations():
    """A sweep of 100 points takes one step and at most three corrections at each; time is that of these."""
    model = Model("planar wishbone", gravity=(0, -G))
    parts = {}
    for name, at in (("lower", (0.5, 0.2)), ("upper", (0.55, 0.44)), ("upright", (0.72, 0.32))):
        parts[name] = model.add(Body(mass=4.0, inertia=0.1, position=at), name=name)
    ends = [("lower", None, (0.3, 0.2)), ("upper", None, (0.4, 0.44)), ("lower", "upright", (0.7, 0.18))]
    for a, b, at in (*ends, ("upper", "upright", (0.68, 0.45))):
        other = model.ground.at(*at) if b is None else parts[b].world(*at)
        model.add(Bushing(parts[a].world(*at), other, stiffness=(1e7, 1e7, 50.0)))
    model.add(Spring(length(model.ground.at(0.45, 0.7), parts["lower"].world(0.55, 0.2)), 3e4, rest_length=0.55))
    model.add(Load(parts["upright"].at(0.1, -0.3), (0.0, Ramp(1000.0))), name="wheel")
    run = quasi_static(model, np.linspace(0.0, 1.0, 100))
    assert not run.snaps and run.steps[1:].max() == 1 and run.iterations[1:].max() <= 3
