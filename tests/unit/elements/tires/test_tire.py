"""Tires: slopes, the friction ellipse, relaxation, braking, standing, lift-off, in closed form; and what is refused."""

from __future__ import annotations

import math
from dataclasses import astuple, replace

import numpy as np
import pytest
from scipy.optimize import brentq

from cardan import CardanWarning, ModelError, SimulationError, simulate
from cardan.elements.tires.book_tire import book_tire_forces
from cardan.elements.tires.tire import steady_forces, tire_forces
from cardan.model.device import Clock, Device
from cardan.spatial import (
    Body,
    BookTire,
    Driver,
    Hold,
    Model,
    Ramp,
    Revolute,
    Road,
    Servo,
    Spring,
    Tire,
    TireData,
    Translational,
    rotation_component,
    x,
    y,
    z,
)  # fmt: skip
from folding import folded

AXLE = (0.0, 1.0, 0.0)
DATA = TireData()
G = 9.81


def _forces(data, gap=-0.02, gap_rate=0.0, slide=(0.0, 0.0), advance=20.0, camber=0.0, u=0.0, v=0.0):
    names = ("Fz", "Fx", "Fy", "Mz", "drag", "kappa", "alpha", "u'", "v'")
    found = tire_forces(gap, gap_rate, *slide, advance, camber, u, v, *astuple(data)[1:-1])
    return dict(zip(names, found, strict=True))


def _steady(data, load, kappa, alpha, advance=20.0):
    """Forces in steady slip: the deflections are those at which they rest."""
    pace = advance / (1.0 - max(kappa, 0.0))  # of the tread, if it is driven
    slide = (-kappa * pace, -math.tan(alpha) * pace)
    u, v = kappa * data.relaxation_x, math.tan(alpha) * data.relaxation_y
    return _forces(data, -load / data.stiffness, 0.0, slide, advance, 0.0, u, v)


def test_slopes_are_the_stated_stiffnesses():
    for load in (1000.0, 4000.0, 8000.0):
        small = 1e-5  # times K / D about 20: the curves bend by the square of that, 4e-8 to 4e-7
        assert _steady(DATA, load, small, 0.0)["Fx"] / small == pytest.approx(22.0 * load, rel=1e-6)
        assert _steady(DATA, load, 0.0, small)["Fy"] / small == pytest.approx(DATA.cornering(load), rel=1e-6)
    assert DATA.cornering(4000.0 * 2.2) == pytest.approx(75e3, rel=1e-15)


def test_pure_slip_is_the_magic_formula():
    """D sin(C arctan(B s - E (B s - arctan(B s)))) with B = K / (C D), written once more."""
    load = 5000.0
    (peak_x, peak_y), data = DATA.peak(load), DATA
    for s in np.linspace(-0.3, 0.3, 13):
        for peak, shape, curvature, stiffness, ours in (
            (peak_x, data.shape_x, data.curvature_x, 22.0 * load, _steady(data, load, s, 0.0)["Fx"]),
            (
                peak_y,
                data.shape_y,
                data.curvature_y,
                data.cornering(load),
                _steady(data, load, 0.0, math.atan(s))["Fy"],
            ),
        ):
            b = stiffness / (shape * peak) * s
            expected = peak * math.sin(shape * math.atan(b - curvature * (b - math.atan(b))))
            assert ours == pytest.approx(expected, abs=1e-9 * load)


def test_forces_stay_inside_the_ellipse():
    random = np.random.default_rng(5)
    for _ in range(2000):
        load = random.uniform(10.0, 12e3)
        slips = random.uniform(-1.0, 1.0, 2) * 10.0 ** random.uniform(-4.0, 0.0)
        data = replace(DATA, shape_x=random.uniform(1.0, 2.0), curvature_y=random.uniform(-3.0, 1.0))
        found = _steady(data, load, slips[0], math.atan(slips[1]))
        peak_x, peak_y = data.peak(found["Fz"])
        assert math.hypot(found["Fx"] / peak_x, found["Fy"] / peak_y) <= 1.0 + 1e-12
        assert found["Fx"] * slips[0] >= 0.0 and found["Fy"] * slips[1] >= 0.0


def test_combined_slip_takes_from_both():
    alone, both = _steady(DATA, 4000.0, 0.0, 0.1), _steady(DATA, 4000.0, 0.2, 0.1)
    assert 0.0 < both["Fy"] < 0.7 * alone["Fy"]
    assert _steady(DATA, 4000.0, -0.2, 0.1)["Fy"] == pytest.approx(both["Fy"], rel=1e-12)


def test_aligning_torque_and_camber():
    """Mz = -t Fy for small slip; a camber of 1 acts like a slip angle of 0.06 to the side of the lean."""
    small = _steady(DATA, 4000.0, 0.0, 1e-6)
    assert small["Mz"] == pytest.approx(-0.03 * small["Fy"], rel=1e-6)
    assert _steady(DATA, 4000.0, 0.0, 0.2)["Mz"] / _steady(DATA, 4000.0, 0.0, 0.2)["Fy"] > -0.01
    leaning = _forces(DATA, camber=0.01)
    assert leaning["Fy"] == pytest.approx(-0.0006 * DATA.cornering(4000.0), rel=1e-4)


def test_never_pulls():
    assert _forces(DATA, gap=1e-9)["Fz"] == 0.0
    assert _forces(DATA, gap=-1e-3, gap_rate=50.0) | {"v'": 0.0} == _forces(DATA, gap=1.0) | {"v'": 0.0}
    assert _forces(DATA, gap=-1e-12, gap_rate=-1.0)["Fz"] < 1e-6  # nothing jumps at touch-down
    assert _forces(DATA, gap_rate=-0.5)["Fz"] == pytest.approx(4000.0 + 400.0 * 0.5)  # the stated damping


def test_no_speed_is_divided_by():
    still = _forces(DATA, advance=0.0, slide=(0.0, 0.0), u=0.001, v=-0.002)
    assert all(math.isfinite(value) for value in still.values()) and still["u'"] == still["v'"] == 0.0
    spinning = _forces(DATA, advance=0.0, slide=(-30.0, 0.0), u=DATA.relaxation_x)  # on the spot
    assert spinning["kappa"] == 1.0 and spinning["u'"] == pytest.approx(0.0, abs=1e-12)


def _rig(speed, data=DATA, mass=400.0, spins=True, road=None, pitch=0.0):
    """A wheel under a carriage that moves along x and z but does not turn."""
    g = (-G * math.sin(pitch), 0.0, -G * math.cos(pitch))
    model = Model("rig", gravity=g)
    wheel_mass = 20.0
    height = data.radius - data.deflection((mass + wheel_mass) * G * math.cos(pitch))
    stated = {"position": (0.0, 0.0, height), "velocity": (speed, 0.0, 0.0)}
    carriage = model.add(Body(mass=mass, inertia=(9.0, 9.0, 9.0), **stated), name="carriage")
    for axis in "xyz":
        model.add(Hold(rotation_component(model.ground.at(), carriage.at(), axis)), name=f"level {axis}")
    model.add(Hold(y(carriage.at())), name="line")
    turning = {"angular_velocity": (0.0, speed / height if spins else 0.0, 0.0)}
    wheel = model.add(Body(mass=wheel_mass, inertia=(0.6, 1.0, 0.6), **stated, **turning), name="wheel")
    hinge = model.add(Revolute.between(carriage, wheel, at=stated["position"], z=AXLE), name="hinge")
    if not spins:
        model.add(Hold(hinge.angle), name="lock")
    model.add(Tire(model.ground.at(), wheel.at(z=AXLE), road or Road.flat(), data), name="tire")
    return model


def test_free_rolling_has_no_slip():
    model = _rig(20.0, replace(DATA, rolling=0.0))
    run = simulate(model, 1.0, output=0.1, rtol=1e-8)
    found = run[model["tire"].device]
    assert abs(found["kappa"]).max() < 1e-9 and abs(found["Fx"]).max() < 1e-4
    assert run["carriage"].velocity[-1, 0] == pytest.approx(20.0, abs=1e-9)


def test_rolling_resistance_slows_down():
    """f Fz against the motion; the spin of the wheel counts as J / rho^2 more mass."""
    model = _rig(20.0)
    run = simulate(model, 1.0, output=0.1, rtol=1e-8)
    rho = run["wheel"].position[-1, 2]
    expected = DATA.rolling * 420.0 * G / (420.0 + 1.0 / rho**2)
    assert -run["carriage"].acceleration[-1, 0] == pytest.approx(expected, rel=1e-3)  # it rolls with a little slip


def test_brake_locks_the_wheel_until_it_stands():
    """Locked, the force is that at kappa = -1; then the carriage stops, and stays."""
    model = _rig(15.0, replace(DATA, rolling=0.0))
    brake = Spring(model["hinge"].angle, law=lambda angle, rate: 2500.0 * math.tanh(rate / 0.05))
    model.add(brake, name="brake")
    run = simulate(model, 4.0, output=0.05, rtol=1e-6)
    found = run[model["tire"].device]
    locked = (run.times > 0.4) & (run.times < 1.2)
    assert found["kappa"][locked] == pytest.approx(-1.0, abs=1e-2)  # the brake lets the wheel creep
    expected = -_steady(DATA, 420.0 * G, -1.0, 0.0)["Fx"] / 420.0
    assert -run["carriage"].acceleration[locked, 0] == pytest.approx(expected, rel=5e-3)
    assert abs(run["carriage"].velocity[-1, 0]) < 1e-3
    assert abs(run.energy.drift) < 1e-5  # what brake and tire take is accounted for


def test_traction_from_standstill_is_bounded():
    model = _rig(0.0)
    model.add(Spring(model["hinge"].angle, force=-3000.0), name="engine")  # more than friction can hold
    run = simulate(model, 1.0, output=0.05, rtol=1e-6)
    found = run[model["tire"].device]
    assert 0.5 < found["kappa"].max() <= 1.0 + 1e-6
    peak = DATA.peak(found["Fz"].max())[0]
    assert found["Fx"].max() <= peak and run["carriage"].velocity[-1, 0] > 5.0


def test_stands_on_a_slope():
    """Locked on a slope of 0.2 the tread holds like a spring: Fx(u) = m g sin."""
    pitch = 0.2
    model = _rig(0.0, spins=False, pitch=pitch)
    run = simulate(model, 6.0, output=0.1, rtol=1e-8)
    found = run[model["tire"].device]
    load, pull = 420.0 * G * math.cos(pitch), 420.0 * G * math.sin(pitch)
    u = brentq(lambda u: _forces(DATA, -load / DATA.stiffness, advance=0.0, u=u)["Fx"] - pull, 0.0, 0.1, xtol=1e-15)
    assert found["u"][-1] == pytest.approx(u, abs=1e-8)
    assert abs(run["carriage"].velocity[-1]).max() < 1e-7
    assert run["carriage"].position[-1, 0] == pytest.approx(-u, rel=0.05)  # deflections leak a little while it moves


def test_side_force_builds_up_over_the_relaxation_length():
    """Drawn along at (V, w): v = -sigma w / V (1 - exp(-V t / sigma))."""
    V, w = 10.0, 0.2
    model = Model("drawn")
    hub = model.add(Body(mass=20.0, inertia=(1.0, 1.0, 1.0), position=(0, 0, 0.3), velocity=(V, w, 0)), name="hub")
    for k, (measure, rate, start) in enumerate(((x, V, 0.0), (y, w, 0.0), (z, 0.0, 0.3))):
        model.add(Driver(measure(hub.at()), Ramp(rate, start)), name=f"way {k}")
    for axis in "xyz":
        model.add(Hold(rotation_component(model.ground.at(), hub.at(), axis)), name=f"level {axis}")
    spin = (0.0, V / 0.3, 0.0)
    wheel = model.add(
        Body(mass=9.0, inertia=(0.6, 1.0, 0.6), position=(0, 0, 0.3), velocity=(V, w, 0), angular_velocity=spin),
        name="wheel",
    )
    model.add(Revolute.between(hub, wheel, at=(0, 0, 0.3), z=AXLE), name="hinge")
    data = replace(DATA, rolling=0.0)
    tire = model.add(Tire(model.ground.at(), wheel.at(z=AXLE), data=data), name="tire")
    run = simulate(model, 0.3, output=0.01, rtol=1e-10)
    sigma = data.relaxation_y
    expected = -sigma * w / V * (1.0 - np.exp(-V * run.times / sigma))
    assert run[tire.device]["v"] == pytest.approx(expected, abs=1e-11)


def test_book_tire():
    numbers = (2e5, 1e3, 5e4, 0.8, 0.01, 0.5)
    load, side, along, alpha = book_tire_forces(-0.02, 0.0, -0.2, 20.0, *numbers)
    assert (load, alpha) == (4000.0, math.atan(0.01)) and side == 5e4 * alpha and along == -40.0
    assert book_tire_forces(-0.02, 0.0, -5.0, 20.0, *numbers)[1] == 0.8 * 4000.0
    assert book_tire_forces(-0.02, 0.0, 5.0, -20.0, *numbers)[1] == -0.8 * 4000.0
    assert book_tire_forces(-0.02, 5.0, 1.0, 20.0, *numbers)[:3] == (0.0, 0.0, 0.0)  # a damper does not pull
    assert book_tire_forces(0.01, -5.0, 1.0, 20.0, *numbers)[0] == 0.0
    assert math.isfinite(book_tire_forces(-0.02, 0.0, 0.0, 0.0, *numbers)[1])


def test_book_tire_carries_a_body():
    model = Model("wheel", gravity=(0, 0, -G))
    wheel = model.add(Body(mass=400.0, inertia=(9.0, 9.0, 9.0), position=(0, 0, 0.3)), name="wheel")
    model.add(Translational.between(model.ground, wheel, at=(0, 0, 0), z=(0, 0, 1)), name="guide")
    stated = {"radius": 0.32, "stiffness": 2e5, "damping": 9e3}
    tire = model.add(BookTire(model.ground.at(), wheel.at(z=AXLE), **stated), name="tire")
    run = simulate(model, 3.0, output=0.5, rtol=1e-8)
    assert run["wheel"].position[-1, 2] == pytest.approx(0.32 - 400.0 * G / 2e5, abs=1e-9)
    assert run[tire.device]["Fz"][-1] == pytest.approx(400.0 * G, abs=1e-3)


def test_without_relaxation_forces_are_those_of_steady_slip():
    """A wheel drawn along at a slip angle: from the first instant on what the other tire has in the end."""
    slide, pace = (0.3, -0.5), 20.0
    found = steady_forces(-0.02, 0.0, *slide, pace, 0.0, *astuple(DATA)[1:-1])
    u, v = -slide[0] * DATA.relaxation_x / pace, -slide[1] * DATA.relaxation_y / pace
    end = _forces(DATA, slide=slide, advance=pace, u=u, v=v)
    assert end["u'"] == pytest.approx(0.0, abs=1e-14) and end["v'"] == pytest.approx(0.0, abs=1e-14)
    assert found == pytest.approx([end[name] for name in ("Fz", "Fx", "Fy", "Mz", "drag", "kappa", "alpha")], rel=1e-12)
    still = steady_forces(-0.02, 0.0, 0.0, 0.0, 0.0, 0.0, *astuple(DATA)[1:-1])
    assert still[:3] == (4000.0, 0.0, 0.0)


def test_servo_follows():
    """A mass drawn along a ramp: behind by c v / k, once it has settled."""
    model = Model("table")
    table = model.add(Body(mass=2.0, inertia=(1.0, 1.0, 1.0)), name="table")
    guide = model.add(Translational(model.ground.at(), table.at()), name="guide")
    ramp = Device(lambda t: 0.1 * t, (Clock(),), ("place",), name="ramp")
    servo = model.add(Servo(guide.travel, ramp["place"], 1e4, 200.0), name="servo")
    run = simulate(model, 1.0, output=0.1, rtol=1e-9)
    assert run[guide.travel].value[-1] == pytest.approx(0.1 - 200.0 * 0.1 / 1e4, abs=1e-8)
    assert run[servo].force[-1] == pytest.approx(0.0, abs=1e-5)


def test_road_that_ends_names_wheel_road_place_and_time():
    model = _rig(20.0, road=Road.along([-1.0, 0.0, 10.0], [0.0, 0.0, 0.0], name="pier"))
    said = r"wheel on 'wheel' has left road 'pier': it is at x = 10.*make it longer, or state ends=\"level\"$"
    with pytest.raises(SimulationError, match=said) as caught:
        simulate(model, 2.0, output=0.1, rtol=1e-6)
    assert caught.value.elements == ("tire",)
    assert caught.value.time == pytest.approx(0.5, abs=0.05)
    assert caught.value.partial.times[-1] == pytest.approx(0.5, abs=0.11)


@folded(
    ("stated", "said"),
    [
        ({"stiffness": -1.0}, "stiffness of a TireData must not be negative, got -1; allow_negative=True allows it"),
        ({"friction_x": -0.1}, "friction_x of a TireData must not be negative"),
        ({"radius": 0.0}, "radius of a TireData must be positive"),
        ({"relaxation_y": 0.0}, "relaxation_y of a TireData must be positive"),
        ({"shape_x": 2.5}, "shape_x of a TireData must be at most 2"),
        ({"curvature_y": 1.5}, "curvature_y of a TireData must be at most 1"),
        ({"decline": 1.0}, "decline of a TireData must be less than 1"),
        ({"load": "much"}, "load of a TireData must be a number"),
    ],
)
def test_bad_data(stated, said):
    with pytest.raises(ModelError, match=said.split(";")[0]):
        TireData(**stated)


def test_bad_tires():
    model = Model("bad")
    body = model.add(Body(mass=1.0, inertia=(1.0, 1.0, 1.0)), name="body")
    ground, wheel = model.ground.at(), body.at(z=AXLE)
    with pytest.raises(ModelError, match="the radius of a wheel must be positive, got -0.3"):
        BookTire(ground, wheel, radius=-0.3)
    with pytest.raises(ModelError, match="friction of a BookTire must not be negative, got -0.5"):
        BookTire(ground, wheel, friction=-0.5)
    assert BookTire(ground, wheel, friction=-0.5, allow_negative=True).friction == -0.5
    assert TireData(stiffness=-1.0, allow_negative=True).stiffness == -1.0
    with pytest.raises(ModelError, match="the data of a Tire must be a TireData"):
        Tire(ground, wheel, data=0.3)
    with pytest.raises(ModelError, match="the road of a wheel must be a Road"):
        Tire(ground, wheel, road="asphalt")
    with pytest.raises(ModelError, match=r"an argument of TireData.scaled\(\) must be"):
        DATA.scaled(grip=2.0)
    with pytest.raises(ModelError, match="the stiffness of a Servo must not be negative"):
        Servo(x(body.at()), Clock(), -1.0)
    with pytest.raises(ModelError, match="the signal of a Servo must be a Signal"):
        Servo(x(body.at()), 1.0, 1.0)


@pytest.mark.parametrize("kind", [Tire, BookTire])
def test_wheel_that_starts_below_the_road_or_lying_on_it(kind):
    """Half of the radius is more than any tire yields; an axle along the normal has no course."""

    def run(height, axle, **options):
        model = Model("start", gravity=(0, 0, -G))
        wheel = model.add(Body(mass=20.0, inertia=(0.6, 1.0, 0.6), position=(0, 0, height)), name="wheel")
        model.add(kind(model.ground.at(), wheel.at(z=axle), **options), name="tire")
        return simulate(model, 1e-3)

    assert len(run(0.29, AXLE)) > 1  # pressed in, as a standing wheel
    for height, gap in ((0.1, 0.2), (-0.5, 0.8)):
        radius = DATA.radius if kind is Tire else 0.3
        with pytest.raises(
            SimulationError, match=f"'tire' starts with its wheel of radius .* {gap + radius - 0.3:.3g}"
        ):
            run(height, AXLE)
    with pytest.warns(CardanWarning, match="below the road at t = 0 s"):
        run(0.1, AXLE, allow_penetration=True)
    with pytest.raises(SimulationError, match="lying flat on the road, its axle 90 degrees off .*: the z axis"):
        run(0.3, (0.0, 0.0, 1.0))
