"""inverse_dynamics(): drivers and joints of small machines against closed forms, redundancy, contacts that lift off."""

import math
import re
import warnings

import numpy as np
import pytest

from cardan import CardanWarning, inverse_dynamics
from cardan.model.matter import PlanarMatter
from cardan.planar import (
    Body,
    CamFlat,
    CamRoller,
    Circle,
    Coupler,
    Driver,
    Fixed,
    Gear,
    Hold,
    Load,
    Model,
    Polynomial,
    Ramp,
    Revolute,
    Spring,
    Translational,
    angle,
    constraint,
    x,
    y,
)
from cardan.spatial import Body as Body3, Model as Model3, Revolute as Revolute3, lift, matter, rotation

G = 9.81
TIMES = np.linspace(0.0, 1.0, 21)
NEAR = 1e-8  # forces of order 1000 from equations closed to 1e-11


def pendulum(**stated):
    """Phi = 0.4 + 0.3 t + 0.9 t^2 about the origin, gravity along -y."""
    model = Model("pendulum", gravity=(0, -G))
    arm = model.add(Body(angle=0.4, **stated), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    model.add(Driver(hinge.angle, Polynomial(0.4, 0.3, 0.9)), name="motor")
    return model


PHI, W, ALPHA = 0.4 + 0.3 * TIMES + 0.9 * TIMES**2, 0.3 + 1.8 * TIMES, 1.8


@pytest.mark.parametrize(
    "stated",
    [
        {"mass": 2.0, "inertia": 0.1, "center": (0.5, 0.0)},
        {"mass": 2.0, "inertia": 0.6, "center": (0.5, 0.0), "inertia_at": "origin"},
        {"mass": PlanarMatter(mass=2.0, center=(0.5, 0.0), inertia=0.1)},
    ],
)
def test_pendulum(stated):
    run = inverse_dynamics(pendulum(**stated), TIMES)
    assert run["motor"].force == pytest.approx(0.6 * ALPHA + 2.0 * G * 0.5 * np.cos(PHI), abs=NEAR)
    assert run["motor"].power == pytest.approx(run["motor"].force * W, abs=NEAR)
    s, c = np.sin(PHI), np.cos(PHI)
    ax, ay = 0.5 * (-ALPHA * s - W**2 * c), 0.5 * (ALPHA * c - W**2 * s)
    assert run["hinge"].force == pytest.approx(np.stack([2.0 * ax, 2.0 * (ay + G)], axis=1), abs=NEAR)
    assert run["hinge"].torque == pytest.approx(np.zeros(21), abs=NEAR)
    assert run.loads.indeterminate == ()


def test_center_is_a_moved_frame():
    """A body stated about its mass center and one stated about its pivot need the same forces."""
    model = Model("pendulum", gravity=(0, -G))
    place = 0.5 * math.cos(0.4), 0.5 * math.sin(0.4)
    arm = model.add(Body(mass=2.0, inertia=0.1, position=place, angle=0.4), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at(-0.5, 0)), name="hinge")
    model.add(Driver(hinge.angle, Polynomial(0.4, 0.3, 0.9)), name="motor")
    moved = inverse_dynamics(model, TIMES)
    stated = inverse_dynamics(pendulum(mass=2.0, inertia=0.1, center=(0.5, 0.0)), TIMES)
    assert moved["motor"].force == pytest.approx(stated["motor"].force, abs=NEAR)
    assert moved["hinge"].force == pytest.approx(stated["hinge"].force, abs=NEAR)


def test_kinematics_come_along():
    run = inverse_dynamics(pendulum(mass=1.0, inertia=1.0), TIMES)
    assert run["arm"].angle == pytest.approx(PHI, abs=1e-11)
    assert run.analysis == "inverse dynamics"


def test_body_without_mass_adds_nothing():
    """A rod without mass between a crank and a slider carries force along itself alone."""
    model = Model("slider-crank")
    crank = model.add(Body(), name="crank")
    rod = model.add(Body(position=(0.2, 0.0)), name="rod")
    slider = model.add(Body(mass=3.0, inertia=0.1, position=(0.6, 0.0)), name="slider")
    A = model.add(Revolute(model.ground.at(), crank.at()), name="A")
    model.add(Revolute(crank.at(0.2, 0), rod.at()), name="B")
    pin = model.add(Revolute(rod.at(0.4, 0), slider.at()), name="C")
    model.add(Translational(model.ground.at(), slider.at()), name="guide")
    model.add(Driver(A.angle, Ramp(5.0)), name="motor")
    run = inverse_dynamics(model, TIMES)
    phi, r, L, w = 5.0 * TIMES, 0.2, 0.4, 5.0
    sine = -r / L * np.sin(phi)
    root = np.sqrt(1 - sine**2)
    rate = -r / L * w * np.cos(phi) / root
    speed = -r * w * np.sin(phi) - L * sine * rate
    growth = (r / L * w * w * np.sin(phi) + sine * rate**2) / root
    acceleration = -r * w * w * np.cos(phi) - L * (root * rate**2 + sine * growth)
    assert run["motor"].force == pytest.approx(3.0 * acceleration * speed / w, abs=NEAR)  # virtual work
    on_slider = run[pin].in_frame(rod).force
    assert on_slider[:, 0] == pytest.approx(3.0 * acceleration / root, abs=NEAR)
    assert on_slider[:, 1] == pytest.approx(np.zeros(21), abs=NEAR)


def test_kinetostatics():
    """Without any mass forces alone remain: a lever with 10 N at 0.3 m, gravity or not."""
    model = pendulum()
    model.add(Load(model["arm"].at(0.3, 0), (0.0, -10.0)), name="load")
    run = inverse_dynamics(model, TIMES)
    assert run["motor"].force == pytest.approx(3.0 * np.cos(PHI), abs=NEAR)
    assert run["hinge"].force == pytest.approx(np.tile((0.0, 10.0), (21, 1)), abs=NEAR)


def test_rotor_out_of_balance():
    """A disk tilted by 0.2 rad on its shaft, its mass center 1 mm off: the bearings turn with it.

    About the shaft z the disk has J_xz = (A - C) sin cos; the bearing supplies omega x J omega and m e omega^2.
    """
    m, A, C, tilt, e, w = 4.0, 0.03, 0.05, 0.2, 1e-3, 100.0
    turned = rotation.matrix(np.array(rotation.from_axis_angle((0, 1, 0), tilt)))
    J = turned @ np.diag([A, A, C]) @ turned.T
    model = Model3("rotor")
    rotor = model.add(Body3(mass=m, inertia=J, center=(e, 0, 0)), name="rotor")
    hinge = model.add(Revolute3(model.ground.at(), rotor.at()), name="bearing")
    model.add(Driver(hinge.angle, Ramp(w)), name="motor")
    run = inverse_dynamics(model, 0.1 * TIMES)
    found = run[hinge].in_frame(rotor)
    assert found.force == pytest.approx(np.tile((-m * e * w * w, 0, 0), (21, 1)), abs=NEAR)
    across = (C - A) * math.sin(tilt) * math.cos(tilt)  # J_xz
    assert found.torque == pytest.approx(np.tile((0, across * w * w, 0), (21, 1)), abs=NEAR)
    assert run["motor"].force == pytest.approx(np.zeros(21), abs=NEAR)


def test_gyroscope_on_a_turntable():
    """A wheel that spins with w about x' on a table that turns with Omega about z: torque J Omega w about y'."""
    J, spin, Omega = 0.02, 300.0, 2.0
    model = Model3("turntable")
    table = model.add(Body3(), name="table")
    wheel = model.add(Body3(mass=1.0, inertia=(J, 0.6 * J, 0.6 * J)), name="wheel")
    yaw = model.add(Revolute3(model.ground.at(), table.at()), name="yaw")
    axle = model.add(Revolute3(table.at(z=(1, 0, 0)), wheel.at(z=(1, 0, 0))), name="axle")
    model.add(Driver(yaw.angle, Ramp(Omega)), name="turn")
    model.add(Driver(axle.angle, Ramp(spin)), name="spin")
    run = inverse_dynamics(model, 0.1 * TIMES)
    torque = run[axle].in_frame(table).torque
    assert torque == pytest.approx(np.tile((0.0, J * Omega * spin, 0.0), (21, 1)), abs=NEAR)
    assert run["turn"].force == pytest.approx(np.zeros(21), abs=NEAR)
    assert run[yaw].in_frame(table).torque == pytest.approx(np.tile((0.0, J * Omega * spin, 0.0), (21, 1)), abs=NEAR)


def test_door_on_two_hinges():
    """Their sum is determined, how they share it is not: equal shares of the weight, and all of it is named."""
    m, half, w = 20.0, 0.4, 1.5
    model = Model3("door", gravity=(0, 0, -G))
    door = model.add(Body3(mass=matter.box(0.8, 0.04, 2.0, mass=m).moved((half, 0, 1.0))), name="door")
    low = model.add(Revolute3(model.ground.at(0, 0, 0.2), door.at(0, 0, 0.2)), name="low")
    high = model.add(Revolute3(model.ground.at(0, 0, 1.8), door.at(0, 0, 1.8)), name="high")
    model.add(Driver(low.angle, Ramp(w)), name="hand")
    run = inverse_dynamics(model, TIMES)
    both = [run[hinge].in_frame(door).at(door.at()) for hinge in (low, high)]
    force, torque = sum(f.force for f in both), sum(f.torque for f in both)
    expected = np.array([-m * half * w * w, 0.0, m * G])
    assert force == pytest.approx(np.tile(expected, (21, 1)), abs=NEAR)
    moment = np.cross((half, 0, 1.0), expected)
    assert torque == pytest.approx(np.tile(moment, (21, 1)), abs=NEAR)
    assert both[0].force[:, 2] == pytest.approx(np.full(21, m * G / 2), abs=NEAR)
    assert {name for name, _ in run.loads.indeterminate} == {"low", "high"}
    assert run["hand"].force == pytest.approx(np.zeros(21), abs=NEAR)  # the driver is determined


def test_parallel_cranks():
    """A platform on three equal cranks: the sum of the pins is m (a - g), the pins of the third crank are open."""
    model = Model("parallel cranks", gravity=(0, -G))
    platform = model.add(Body(mass=5.0, inertia=0.3, position=(0.3, 0.0)), name="platform")
    cranks = []
    for k in range(3):
        crank = model.add(Body(position=(k, 0.0)), name=f"crank {k}")
        cranks.append(model.add(Revolute(model.ground.at(k, 0), crank.at()), name=f"foot {k}"))
        model.add(Revolute(crank.at(0.3, 0), platform.at(k, 0)), name=f"pin {k}")
    model.add(Driver(cranks[0].angle, Polynomial(0.3, 1.0, 0.5)), name="motor")
    run = inverse_dynamics(model, TIMES)
    phi, w, alpha = 0.3 + TIMES + 0.5 * TIMES**2, 1.0 + TIMES, 1.0
    s, c = np.sin(phi), np.cos(phi)
    a = 0.3 * np.stack([-alpha * s - w**2 * c, alpha * c - w**2 * s], axis=1)
    total = sum(run[f"pin {k}"].in_frame("global").force for k in range(3))
    assert total == pytest.approx(5.0 * (a + (0, G)), abs=NEAR)
    about = sum(run[f"pin {k}"].at(platform.at()).torque for k in range(3))
    assert about == pytest.approx(np.zeros(21), abs=NEAR)
    power = 5.0 * np.sum((a + (0, G)) * 0.3 * w[:, None] * np.stack([-s, c], axis=1), axis=1)
    assert run["motor"].power == pytest.approx(power, abs=NEAR)
    named = {name for name, _ in run.loads.indeterminate}
    assert "pin 2" in named and "motor" not in named


def cam(w, spring=0.0, kind=CamFlat):
    """A follower of 0.5 kg on an eccentric disk: y = 0.02 sin(w t) + 0.05 for a flat face."""
    model = Model("cam", gravity=(0, -G))
    disk = model.add(Body(), name="disk")
    follower = model.add(
        Body(mass=0.5, inertia=0.01, position=(0.0, 0.07 if kind is CamRoller else 0.05)), name="follower"
    )
    hinge = model.add(Revolute(model.ground.at(), disk.at()), name="hinge")
    guide = model.add(Translational(model.ground.at(0, 0, math.pi / 2), follower.at(0, 0, math.pi / 2)), name="guide")
    outline = disk.profile(Circle(0.05), 0.02, 0.0)
    touch = CamFlat(outline, follower.at()) if kind is CamFlat else CamRoller(outline, follower.at(), 0.02)
    model.add(touch, name="contact")
    model.add(Driver(hinge.angle, Ramp(w)), name="motor")
    if spring:
        model.add(Spring(guide.travel, spring, rest_length=-0.1), name="spring")
    return model


def test_cam_that_would_have_to_pull():
    """Force m (g + y'') = m (g - e w^2 sin w t): it pulls from sin w t = g / e w^2 on, at worst at a quarter turn."""
    w = 30.0
    times = np.linspace(0.0, 2 * math.pi / w, 4001)
    with pytest.warns(CardanWarning, match="'contact' would have to pull") as caught:
        run = inverse_dynamics(cam(w), times)
    found = run["contact"].on(run.model["follower"]).in_frame("global").force[:, 1]
    assert found == pytest.approx(0.5 * (G - 0.02 * w * w * np.sin(w * times)), abs=NEAR)
    first, worst, when = map(float, re.findall(r"[\d.]+(?= s| N)", str(caught[0].message)))
    begins = math.asin(G / (0.02 * w * w)) / w
    assert begins <= first < begins + 2.0 * times[1]  # the next instant, told with six digits
    assert worst == pytest.approx(0.5 * (0.02 * w * w - G), abs=5e-4)  # told with four digits
    assert when == pytest.approx(math.pi / 2 / w, abs=1e-6)


@pytest.mark.parametrize("kind", [CamFlat, CamRoller])
@pytest.mark.parametrize(("w", "spring"), [(15.0, 0.0), (30.0, 100.0)])
def test_cam_that_presses(w, spring, kind):
    """Slow enough, e w^2 < g, or with a spring that holds it down, k 0.15 > m (e w^2 - g): no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", CardanWarning)
        run = inverse_dynamics(cam(w, spring, kind), np.linspace(0.0, 2 * math.pi / w, 101))
    assert run["contact"].on(run.model["follower"]).in_frame("global").force[:, 1].min() > 0.0


def test_coupler():
    """angle 1 + 3 angle 2 is kept: f = J2 alpha2 / 3 along the tie, and the motor feels it once."""
    model = Model("coupled wheels")
    wheels = [
        model.add(Body(mass=1.0, inertia=J, position=(k, 0)), name=f"wheel {k}") for k, J in enumerate((0.3, 0.2))
    ]
    hinges = [model.add(Revolute(model.ground.at(k, 0), wheels[k].at()), name=f"hinge {k}") for k in range(2)]
    tie = model.add(Coupler(hinges[0].angle + 3.0 * hinges[1].angle), name="tie")
    model.add(Driver(hinges[0].angle, Polynomial(0.0, 0.0, 1.5)), name="motor")
    run = inverse_dynamics(model, TIMES)
    force = 0.2 * (-3.0 / 3.0) / 3.0
    assert run[tie].force == pytest.approx(np.full(21, force), abs=NEAR)
    assert run["motor"].force == pytest.approx(np.full(21, 0.3 * 3.0 - force), abs=NEAR)
    assert run[tie].on(wheels[1]).torque == pytest.approx(np.full(21, 3.0 * force), abs=NEAR)
    assert run[tie].power == pytest.approx(np.zeros(21), abs=NEAR)


def test_gear():
    """Radii 0.1 and 0.3: tangential force J2 alpha2 / 0.3 at the pitch point, bearings carry it."""
    model = Model("gears")
    small = model.add(Body(mass=1.0, inertia=0.01), name="small")
    large = model.add(Body(mass=1.0, inertia=0.9, position=(0.4, 0)), name="large")
    hinge = model.add(Revolute(model.ground.at(), small.at()), name="A")
    model.add(Revolute(model.ground.at(0.4, 0), large.at()), name="B")
    mesh = model.add(Gear(small.at(), large.at(), 0.1, 0.3), name="mesh")
    model.add(Driver(hinge.angle, Polynomial(0.0, 0.0, 1.5)), name="motor")
    run = inverse_dynamics(model, TIMES)
    tangential = 0.9 * -1.0 / -0.3  # on the large wheel, at (-0.3, 0) from its center, along y
    on_large = run[mesh].on(large).in_frame("global")
    assert on_large.force == pytest.approx(np.tile((0.0, tangential), (21, 1)), abs=NEAR)
    assert on_large.torque == pytest.approx(np.full(21, -0.3 * tangential), abs=NEAR)
    assert run["motor"].force == pytest.approx(np.full(21, 0.01 * 3.0 + 0.1 * tangential), abs=NEAR)
    assert run["B"].force == pytest.approx(np.tile((0.0, -tangential), (21, 1)), abs=NEAR)


def test_hold():
    """A weight on a held height; the force along a measure is positive toward its growth."""
    model = Model("weight", gravity=(0, -G))
    body = model.add(Body(mass=2.0, inertia=0.1), name="body")
    model.add(Hold(y(body.at())), name="height")
    model.add(Hold(-2.0 * x(body.at())), name="side")
    model.add(Driver(angle(model.ground.at(), body.at()), Ramp(1.0)), name="turn")
    model.add(Load(body.at(), (3.0, 0.0)), name="wind")
    run = inverse_dynamics(model, TIMES)
    assert run["height"].force == pytest.approx(np.full(21, 2.0 * G), abs=NEAR)
    assert run["side"].force == pytest.approx(np.full(21, 1.5), abs=NEAR)  # along -2 x: pushes against the wind
    assert run["side"].on(body).force == pytest.approx(np.tile((-3.0, 0.0), (21, 1)), abs=NEAR)


@constraint
def parabola(px, py, c=0.8):
    return py - c * px * px


def test_own_constraint():
    """A bead led along y = c x^2: the wire pushes along its normal."""
    model = Model("bead", gravity=(0, -G))
    bead = model.add(Body(mass=0.4, inertia=0.01, position=(0.5, 0.2)), name="bead")
    wire = model.add(parabola(x(bead.at()), y(bead.at())), name="wire")
    model.add(Hold(angle(model.ground.at(), bead.at())), name="upright")
    model.add(Driver(x(bead.at()), Ramp(2.0, 0.5)), name="lead")
    run = inverse_dynamics(model, TIMES)
    px, up = 0.5 + 2.0 * TIMES, 0.4 * (1.6 * 4.0 + G)  # m (y'' + g)
    expected = np.stack([-1.6 * px * up, np.full(21, up)], axis=1)
    assert run[wire].on(bead).force == pytest.approx(expected, abs=NEAR)
    assert run["lead"].force == pytest.approx(1.6 * px * up, abs=NEAR)


def test_lifted_model_has_the_same_reactions():
    """A slider-crank in the plane and the same in space: what the plane determines is equal."""
    model = Model("slider-crank", gravity=(0, -G))
    crank = model.add(Body(mass=1.0, inertia=0.02, center=(0.1, 0.0)), name="crank")
    rod = model.add(Body(mass=0.5, inertia=0.01, position=(0.4, 0.0)), name="rod")
    slider = model.add(Body(mass=3.0, inertia=0.1, position=(0.6, 0.0)), name="slider")
    A = model.add(Revolute(model.ground.at(), crank.at()), name="A")
    model.add(Revolute(crank.at(0.2, 0), rod.at(-0.2, 0)), name="B")
    model.add(Revolute(rod.at(0.2, 0), slider.at()), name="C")
    guide = model.add(Translational(model.ground.at(), slider.at()), name="guide")
    model.add(Driver(A.angle, Ramp(5.0)), name="motor")
    model.add(Spring(guide.travel, 100.0, 2.0, rest_length=0.5), name="spring")
    flat, space = inverse_dynamics(model, TIMES), inverse_dynamics(lift(model), TIMES)
    assert space["motor"].force == pytest.approx(flat["motor"].force, abs=NEAR)
    assert space["spring"].force == pytest.approx(flat["spring"].force, abs=NEAR)
    for name in "ABC":
        found = space[name].in_frame("global").force
        assert found[:, :2] == pytest.approx(flat[name].in_frame("global").force, abs=NEAR)
        assert found[:, 2] == pytest.approx(np.zeros(21), abs=NEAR)
    assert space["guide"].in_frame("global").force[:, 1] == pytest.approx(flat["guide"].force[:, 1], abs=NEAR)


def test_weld_carries_force_and_moment():
    model = Model("shelf", gravity=(0, -G))
    shelf = model.add(Body(mass=2.0, inertia=0.1, center=(0.3, 0.0)), name="shelf")
    weld = model.add(Fixed(model.ground.at(), shelf.at()), name="weld")
    run = inverse_dynamics(model, [0.0])
    assert run[weld].force[0] == pytest.approx((0.0, 2.0 * G), abs=NEAR)
    assert run[weld].torque[0] == pytest.approx(0.6 * G, abs=NEAR)
