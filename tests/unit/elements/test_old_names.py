"""Renamed classes, arguments and attributes: the old names work, with a warning."""

from __future__ import annotations

from importlib import import_module

import pytest

from cardan import LockUp, kinematics, linearize, load_model, mobility, planar, spatial
from cardan.errors import CardanWarning
from cardan.examples import load
from cardan.planar import Body, Bushing, Friction, HydraulicCylinder, Impact, Model, Spring, Translational, length, y


def parts():
    model = Model("old names")
    block = model.add(Body(mass=1.0, inertia=1.0), name="block")
    return model, block, model.add(Translational(model.ground.at(), block.at()), name="guide")


def test_arguments():
    model, block, guide = parts()
    ends = model.ground.at(), block.at(0.3, 0.0)
    cylinder = {"valve": 0.0, "supply": 2e7, "areas": (1e-3, 1e-3), "volumes": (1e-4, 1e-4), "flow": 1e-7}
    cases = [
        (Spring, (length(*ends), 5.0), {"free_length": 0.2}, {"rest_length": 0.2}),
        (Bushing, ends, {"free": (1.0, 2.0, 0.0)}, {"rest_displacement": (1.0, 2.0, 0.0)}),
        (Impact, (y(block.at()), 0.5), {"rest": 0.1}, {"rest_speed": 0.1}),
        (HydraulicCylinder, (guide.travel,), cylinder | {"rest": 0.1}, cylinder | {"reference": 0.1}),
        (
            Friction,
            (guide,),
            {"mu": 0.2, "static": 0.3, "stribeck": 0.1, "speed": 0.01},
            {"friction": 0.2, "static_friction": 0.3, "stribeck_speed": 0.1, "creep_speed": 0.01},
        ),
        (
            planar.Capstan,
            (block.at(), model.ground.at()),
            {"drum": model.ground.at(1.0, 0.0), "wrap": 1.0, "friction": 0.1, "stiffness": 1e3, "rest_a": 1.0},
            {"drum": model.ground.at(1.0, 0.0), "wrap": 1.0, "friction": 0.1, "stiffness": 1e3, "rest_length_a": 1.0},
        ),
    ]
    for kind, places, old, new in cases:
        with pytest.warns(DeprecationWarning, match=f"of {kind.__name__} is now") as caught:
            before = kind(*places, **old)
        assert caught[0].filename == __file__
        after = kind(*places, **new)
        for name in new:
            assert getattr(before, name) == getattr(after, name)


def test_attribute():
    model, block, _ = parts()
    spring = Spring(length(model.ground.at(), block.at()), 5.0, rest_length=0.2)
    with pytest.warns(DeprecationWarning, match="Spring.free_length is now 'rest_length'"):
        assert spring.free_length == 0.2


@pytest.mark.parametrize(
    "space, old", [(planar, "Disc"), (spatial, "Tyre"), (spatial, "TyreData"), (spatial, "BookTyre")]
)
def test_classes(space, old):
    new = {"Disc": "Disk"}.get(old, old.replace("Tyre", "Tire"))
    with pytest.warns(DeprecationWarning, match=f"{old} is now '{new}'"):
        assert getattr(space, old) is getattr(space, new)


def test_measures():
    with pytest.warns(DeprecationWarning, match="glide is now 'velocity_along'"):
        assert planar.glide is planar.velocity_along
    with pytest.warns(DeprecationWarning, match="swivel is now 'angular_velocity_about'"):
        assert spatial.swivel is spatial.angular_velocity_about


def test_analyses():
    model = load("pendulum").build()
    with pytest.warns(DeprecationWarning, match="argument 'freedoms' of linearize is now 'degrees_of_freedom'"):
        assert linearize(model, freedoms=[next(iter(model.constraints)).angle]).mass.shape == (1, 1)
    report = mobility(model)
    with pytest.warns(DeprecationWarning, match="Mobility.freedoms is now 'degrees_of_freedom'"):
        assert report.freedoms == report.degrees_of_freedom == 1
    crank = load("slider-crank").build()
    with pytest.warns(DeprecationWarning, match="argument 'at_fork' of kinematics is now 'at_bifurcation'"):
        run = kinematics(crank, [0.0, 0.1], at_fork="stop")
    with pytest.warns(DeprecationWarning, match="forks is now 'bifurcations'"):
        assert run.forks == run.bifurcations == []
    with pytest.warns(DeprecationWarning, match="is_fork is now 'is_bifurcation'"):
        assert LockUp("stop", kind="bifurcation").is_fork


@pytest.mark.parametrize(
    "module, old, new",
    [
        ("cardan.results.steady.equilibrium", "Rest", "Equilibrium"),
        ("cardan.results.simulation", "Happening", "EventRecord"),
        ("cardan.results.special_points", "Fork", "Bifurcation"),
    ],
)
def test_results(module, old, new):
    found = import_module(module)
    with pytest.warns(DeprecationWarning, match=f"{old} is now '{new}'"):
        assert getattr(found, old) is getattr(found, new)


def test_model_file(tmp_path):
    path = tmp_path / "old.yaml"
    path.write_text(
        "cardan: 1\nname: old\nspace: planar\nbodies: {ball: {mass: 1, inertia: 1, position: [0, 1]}}\n"
        "forces:\n  spring: {type: spring, measure: 'length(ground, ball)', stiffness: 10, free_length: 0.5}\n"
        "  floor: {type: contact, a: face(ground), b: {type: disc, marker: ball, radius: 0.1}, stiffness: 1e5}\n"
    )
    with pytest.warns(
        CardanWarning, match="old.yaml:6:.*C111: argument 'free_length' of spring is now called 'rest_length'.*1 more"
    ):
        model = load_model(path).model
    assert model["spring"].rest_length == 0.5 and isinstance(model["floor"].b, planar.Disk)
