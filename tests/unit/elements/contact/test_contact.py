"""Contacts and stops in motion: what impacts leave, friction, thin bodies at high speed, and what is rejected."""

import math

import numpy as np
import pytest

import cardan.spatial as spatial
from cardan import Event, equilibrium, simulate
from cardan.elements.contact.contact import damping_of
from cardan.errors import CardanWarning, ModelError, SimulationError
from cardan.planar import Body, Contact, Disk, Face, Model, Revolute, Spring, Stop, Translational, matter
from folding import folded

G = 9.81


def restitution_of(damping: float, speed: float) -> float:
    """What chi leaves of an impact at a speed: the same equation, solved for e."""
    x, low, high = damping * speed, 0.0, 1.0
    if x == 0.0:
        return 1.0
    high = min(1.0, 1.0 / x)
    for _ in range(200):
        e = 0.5 * (low + high)
        if e in (low, high):
            break
        if e * x < 1.0 and math.log1p(x) - math.log1p(-e * x) < (1.0 + e) * x:
            low = e
        else:
            high = e
    return 0.5 * (low + high)


def _drop(speed, **law):
    """A ball of 2 kg that meets a floor, without gravity."""
    model = Model("impact")
    ball = model.add(Body(mass=2.0, inertia=0.01, position=(0.0, 0.15), velocity=(0.0, -speed)), name="ball")
    touch = model.add(Contact(Face(model.ground.at()), Disk(ball.at(), 0.1), 1e7, **law), name="floor")
    return simulate(model, 0.1 / speed + 0.05, rtol=1e-10), ball, touch


@pytest.mark.parametrize("restitution", [0.1, 0.5, 0.8, 0.99])
@pytest.mark.parametrize("speed", [0.2, 1.0, 6.0])
def test_restitution_at_any_speed(restitution, speed):
    """e holds at 1 m/s, elsewhere the exact relation; the run has rtol 1e-10, an impact some ten steps."""
    run, ball, touch = _drop(speed, restitution=restitution)
    left = float(run[ball].velocity[-1, 1]) / speed
    expected = restitution if speed == 1.0 else restitution_of(damping_of(restitution, 1.0), speed)
    assert left == pytest.approx(expected, abs=1e-8)
    lost = speed**2 * (1.0 - expected**2)  # of m v^2 / 2 with 2 kg
    assert float(run.energy.work_of(touch)[-1]) == pytest.approx(-lost, abs=1e-7 * speed**2)
    assert run.energy.drift < 1e-7


@pytest.mark.parametrize("exponent", [1.0, 1.5, 3.0])
def test_restitution_does_not_depend_on_the_exponent(exponent):
    run, ball, _ = _drop(1.0, restitution=0.6, exponent=exponent)
    assert float(run[ball].velocity[-1, 1]) == pytest.approx(0.6, abs=1e-8)


def test_slow_impacts_lose_two_thirds_of_the_damping():
    """1 - e = 2/3 x - 4/9 x^2 + ..., the first term of Hunt and Crossley's expansion; the second by the equation."""
    for x in (1e-2, 1e-3, 1e-4):
        assert 1.0 - restitution_of(x, 1.0) == pytest.approx(2.0 / 3.0 * x, rel=x)


def test_contact_never_pulls():
    """A ball that is torn out faster than the material springs back."""
    model = Model("torn out")
    ball = model.add(Body(mass=1.0, inertia=0.01, position=(0.0, 0.12), velocity=(0.0, -2.0)), name="ball")
    touch = model.add(Contact(Face(model.ground.at()), Disk(ball.at(), 0.1), 1e5, damping=5.0), name="floor")
    model.add(Spring(touch.gap, law=lambda gap: -5e5 * max(-gap, 0.0)), name="kicker")
    run = simulate(model, 0.1)
    normal, gap = run[touch.normal].value, run[touch.gap]
    assert normal.min() == 0.0
    assert normal.max() > 50.0
    fast = (gap.value < 0.0) & (gap.rate > 0.21)  # 1 / chi, above which the law would pull
    assert fast.sum() > 3
    assert (normal[fast] == 0.0).all()


def test_balls_exchange_momentum():
    """Unequal balls head on: velocities by momentum and restitution."""
    model = spatial.Model("balls")
    masses, speeds, e = (1.0, 3.0), (2.0, -1.0), 0.7
    bodies = [
        model.add(
            spatial.Body(mass=m, inertia=(1e-3,) * 3, position=(x, 0.0, 0.0), velocity=(v, 0.0, 0.0)), name=f"ball {m}"
        )
        for m, v, x in zip(masses, speeds, (-0.2, 0.2), strict=True)
    ]
    one, two = (spatial.Ball(body.at(), 0.1) for body in bodies)
    model.add(spatial.Contact(one, two, 1e8, restitution=e, speed=3.0), name="touch")
    run = simulate(model, 0.3, rtol=1e-10)
    found = [float(run[body].velocity[-1, 0]) for body in bodies]
    common = (masses[0] * speeds[0] + masses[1] * speeds[1]) / 4.0
    expected = [common - masses[1] / 4.0 * 3.0 * e, common + masses[0] / 4.0 * 3.0 * e]
    assert found == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("space", ["plane", "space"])
def test_a_sliding_wheel_begins_to_roll(space):
    """It rolls with 2/3 of its speed as a disk and with 5/7 as a ball, whatever the friction. It sinks in by 1e-4 of
    its 0.1 m, and the point where it rubs lies half as deep: 5e-4."""
    mu, speed, radius = 0.3, 2.0, 0.1
    if space == "plane":
        model = Model("bowling", gravity=(0, -G))
        disk = matter.disk(radius, mass=1.0)
        ball = model.add(Body(mass=disk, position=(0.0, radius), velocity=(speed, 0.0)), name="ball")
        floor, rim, share = Face(model.ground.at()), Disk(ball.at(), radius), 2.0 / 3.0
    else:
        model = spatial.Model("bowling", gravity=(0, 0, -G))
        full = spatial.matter.sphere(radius, mass=1.0)
        ball = model.add(spatial.Body(mass=full, position=(0.0, 0.0, radius), velocity=(0.0, speed, 0.0)), name="ball")
        floor, rim, share = spatial.Face(model.ground.at()), spatial.Ball(ball.at(), radius), 5.0 / 7.0
    law = {"friction": mu, "creep_speed": 1e-4, "damping": 1.0}
    model.add((Contact if space == "plane" else spatial.Contact)(floor, rim, 1e7, **law), name="touch")
    run = simulate(model, 1.0)
    velocity = run[ball].velocity[:, 0 if space == "plane" else 1]
    assert velocity[-1] == pytest.approx(share * speed, rel=5e-4)
    early = run.times < 0.1  # it slides: a = mu g on the average; at first it bounces, with up to 0.03 m/s
    assert velocity[early] == pytest.approx(speed - mu * G * run.times[early], abs=mu * 0.04)


def test_creep_below_the_friction_angle():
    """On a slope of tan = 0.2 with mu = 0.5: m g sin = mu m g cos v / sqrt(v^2 + v0^2), so v = v0 0.2 / sqrt(0.21)."""
    slope, mu, creep = math.atan(0.2), 0.5, 1e-3
    model = Model("slope", gravity=(-G * math.sin(slope), -G * math.cos(slope)))
    block = model.add(Body(mass=1.0, inertia=1.0, position=(0.0, 0.0)), name="block")
    model.add(Translational(block.at(0, 0, math.pi / 2), model.ground.at()), name="upright")
    law = {"friction": mu, "creep_speed": creep, "damping": 10.0}
    touch = Contact(Face(model.ground.at()), Disk(block.at(), 0.0), 1e6, 1.0, **law)
    with pytest.raises(ModelError, match="restitution or damping"):
        Contact(touch.a, touch.b, 1.0, restitution=0.5, damping=1.0)
    free = Model("slope", gravity=(-G * math.sin(slope), -G * math.cos(slope)))
    block = free.add(Body(mass=1.0, inertia=1.0), name="block")
    feet = [free.add(Contact(Face(free.ground.at()), Disk(block.at(x, 0.0)), 1e6, 1.0, **law)) for x in (-0.2, 0.2)]
    run = simulate(free, 0.5)
    assert float(run[block].velocity[-1, 0]) == pytest.approx(-creep * 0.2 / math.sqrt(0.21), rel=1e-3)
    assert sum(float(run[foot.normal].value[-1]) for foot in feet) == pytest.approx(G * math.cos(slope), rel=1e-4)


def test_stribeck():
    """mu falls from 0.6 at rest to 0.3: at a speed s it is 0.3 + 0.3 exp(-(s/vs)^2), up to the regularization."""
    model = Model("belt", gravity=(0, -G))
    belt = model.add(Body(mass=1.0, inertia=1.0), name="belt")
    block = model.add(Body(mass=1.0, inertia=1.0), name="block")
    guide = model.add(Translational(model.ground.at(), belt.at()), name="guide")
    feet = [
        model.add(
            Contact(
                Face(belt.at()), Disk(block.at(x, 0)), 1e6, 1.0, damping=10.0, friction=0.3, static_friction=0.6,
                stribeck_speed=0.05, creep_speed=1e-6,
            )
        )
        for x in (-0.2, 0.2)
    ]  # fmt: skip
    from cardan.planar import Driver, Hold, Ramp, x

    model.add(Driver(guide.travel, Ramp(0.04)), name="pull")
    stay = model.add(Hold(x(block.at()), 0.0), name="rope")
    run = simulate(model, 0.2)
    expected = (0.3 + 0.3 * math.exp(-0.64)) * G
    assert abs(float(run[stay].force[-1])) == pytest.approx(expected, rel=1e-4)
    assert len(feet) == 2


def test_thin_bodies_at_high_speed_do_not_pass_through_each_other():
    """Two disks of 1 mm at 200 m/s toward each other, from 3 m away: without a limit steps are longer than that.
    Positions may be wrong by 3e-8 m in a step, of a contact that is 0.9 mm deep: 3e-5."""
    model = Model("bullets")
    bodies = [
        model.add(Body(mass=1e-3, inertia=1e-9, position=(x, 0.0), velocity=(v, 0.0)), name=f"bullet {x}")
        for x, v in ((-1.5, 100.0), (1.5, -100.0))
    ]
    model.add(Contact(*(Disk(body.at(), 1e-3) for body in bodies), 1e9), name="touch")
    run = simulate(model, 0.03, rtol=1e-8)
    assert [float(run[body].velocity[-1, 0]) for body in bodies] == pytest.approx([-100.0, 100.0], rel=3e-5)
    assert run.energy.drift < 1e-6


def test_falling_from_rest_onto_a_thin_target():
    """A parabola is exact for every step: only the accelerations tell how far the next one may go.
    The contact takes 0.2 ms at 10 m/s."""
    model = Model("fall", gravity=(0, -G))
    ball = model.add(Body(mass=1.0, inertia=1e-3, position=(0.0, 5.0)), name="ball")
    model.add(Contact(Disk(model.ground.at(), 0.002), Disk(ball.at(), 0.002), 1e10), name="pin")
    run = simulate(model, 1.2)
    landing = math.sqrt(2.0 * 4.996 / G)
    assert float(run[ball].position[-1, 1]) == pytest.approx(
        0.004 + G * landing * (1.2 - landing) - 0.5 * G * (1.2 - landing) ** 2, abs=3e-3
    )


def test_penetrating_start():
    model = Model("inside")
    ball = model.add(Body(mass=1.0, inertia=1.0, position=(0.0, 0.095)), name="ball")
    model.add(Contact(Face(model.ground.at()), Disk(ball.at(), 0.1), 1e4), name="floor")
    with pytest.raises(SimulationError, match="Contact 'floor' starts with its bodies 0.005 m inside each other") as e:
        simulate(model, 0.1)
    assert e.value.elements == ("floor",)
    allowed = Model("inside")
    ball = allowed.add(Body(mass=1.0, inertia=1.0, position=(0.0, 0.095)), name="ball")
    allowed.add(Contact(Face(allowed.ground.at()), Disk(ball.at(), 0.1), 1e4, allow_penetration=True), name="floor")
    with pytest.warns(CardanWarning, match=r"0\.005 m inside"):
        simulate(allowed, 0.1)


def test_stop_swings_as_half_a_spring():
    """A pendulum arm between two stops, without gravity: half periods pi sqrt(J/k) at the stops, J = 0.5."""
    model = Model("stops")
    arm = model.add(Body(mass=1.0, inertia=0.5, angular_velocity=2.0), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    stop = model.add(Stop(hinge.angle, lower=-0.3, upper=0.2, stiffness=5e3), name="stop")
    period = 2.0 * (0.5 / 2.0 + math.pi * math.sqrt(0.5 / 5e3))
    run = simulate(model, period, rtol=1e-10)
    assert float(run[hinge.angle].value[-1]) == pytest.approx(0.0, abs=1e-8)
    assert float(run[hinge.angle].rate[-1]) == pytest.approx(2.0, abs=1e-7)
    f = run[stop.force].value
    # f >= 0 beyond the upper end, f <= 0 beyond the lower one
    assert f.max() == pytest.approx(2.0 * math.sqrt(0.5 * 5e3), rel=1e-2)
    assert f.min() == pytest.approx(-2.0 * math.sqrt(0.5 * 5e3), rel=1e-2)


def test_stop_only_pushes():
    model = Model("buffer")
    car = model.add(Body(mass=1.0, inertia=1.0, velocity=(1.0, 0.0)), name="car")
    rail = model.add(Translational(model.ground.at(), car.at()), name="rail")
    stop = model.add(Stop(rail.travel, upper=0.1, stiffness=1000.0, damping=50.0), name="stop")
    run = simulate(model, 1.0)
    assert run[stop.force].value.min() == 0.0
    assert -1.0 < float(run[car].velocity[-1, 0]) < -0.1
    assert float(run.energy.work_of(stop)[-1]) == pytest.approx(float(run.energy.kinetic[-1]) - 0.5, abs=1e-7)


def _ends():
    model = Model("bad")
    body = model.add(Body(mass=1.0, inertia=1.0, position=(0.0, 1.0)), name="body")
    return Face(model.ground.at()), Disk(body.at(), 0.1)


REFUSED = [
    ({"stiffness": -1.0}, "stiffness of a Contact must not be negative"),
    ({"stiffness": 1.0, "friction": -0.1}, "friction of a Contact must not be negative"),
    ({"stiffness": 1.0, "damping": -0.1}, "allow_negative=True"),
    ({"stiffness": 1.0, "restitution": 1.5}, "must be greater than 0 and at most 1, got 1.5"),
    ({"stiffness": 1.0, "exponent": 0.0}, "exponent of a Contact must be positive"),
    ({"stiffness": math.nan}, "stiffness of a Contact must be finite"),
    ({"stiffness": 1.0, "creep_speed": 0.0}, "creep_speed of a Contact must be positive"),
]


@folded(("law", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_rejected(law, words):
    with pytest.raises(ModelError, match=words):
        Contact(*_ends(), **law)
    if "negative" in words:
        Contact(*_ends(), **law, allow_negative=True)


def test_stop_rejected():
    model = Model("bad")
    body = model.add(Body(mass=1.0, inertia=1.0), name="body")
    rail = Translational(model.ground.at(), body.at())
    for law, words in (
        ({}, "Stop needs stiffness="),
        ({"stiffness": 1.0}, "needs an end"),
        ({"lower": 1.0, "upper": 0.0, "stiffness": 1.0}, "must be below the upper one, got 1 and 0"),
        ({"upper": 0.0, "stiffness": -1.0}, "stiffness of a Stop must not be negative"),
        ({"upper": 0.0, "stiffness": 0.0, "damping": 1.0}, "stiffness of a Stop is 0: it would have no effect"),
    ):
        with pytest.raises(ModelError, match=words):
            Stop(rail.travel, **law)


def test_stop_that_starts_beyond_its_end_is_named():
    """As with Contact; a preload is stated. Turns of an angle count."""
    model = Model("door")
    door = model.add(Body(mass=1.0, inertia=1.0, angle=1.5), name="door")
    hinge = model.add(Revolute(model.ground.at(), door.at()), name="hinge")
    model.add(Stop(hinge.angle, lower=-1.0, upper=1.2, stiffness=100.0), name="stop")
    with pytest.raises(
        SimulationError, match=r"Stop 'stop' starts 0.3 rad beyond its upper end, 1.2, at t = 0 s: .*or"
    ):
        simulate(model, 0.1)
    model = Model("buffer")
    car = model.add(Body(mass=1.0, inertia=1.0, position=(-0.25, 0.0)), name="car")
    rail = model.add(Translational(model.ground.at(), car.at()), name="rail")
    model.add(Stop(rail.travel, lower=-0.2, stiffness=100.0, allow_penetration=True), name="buffer")
    with pytest.warns(CardanWarning, match="0.05 m beyond its lower end"):
        run = simulate(model, 1.0)
    assert run[car].velocity[-1, 0] == pytest.approx(0.5, abs=1e-5)  # x sqrt(k / m)


def test_wheel_that_leaves_its_road_ends_the_run_with_what_was_computed():
    model = spatial.Model("track", gravity=(0, 0, -G))
    wheel = model.add(
        spatial.Body(mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, 0.3), velocity=(2.0, 0.0, 0.0)),
        name="wheel",
    )
    road = spatial.Road.along(np.linspace(-1.0, 1.0, 5), np.zeros(5), name="short road")
    pair = spatial.wheel_on_road(model.ground.at(), wheel.at(z=(0.0, 1.0, 0.0)), 0.3, road)
    model.add(Spring(pair.gap, 1e4, 10.0, rest_length=0.0), name="tire")
    with pytest.raises(SimulationError, match="the wheel on 'wheel' has left road 'short road'") as e:
        simulate(model, 2.0, output=0.01)
    assert e.value.time == pytest.approx(0.5, abs=1e-6)
    assert float(e.value.partial[wheel].position[-1, 0]) == pytest.approx(1.0, abs=0.021)


METHODS = {name: {} for name in ("dop853", "radau", "partition", "direct", "baumgarte", "hybrid")}
METHODS |= {name: {"step": 2e-5} for name in ("generalized-alpha", "hht")}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_sees_the_same_impacts(method):
    """Three impacts with friction, against the default; fixed steps of second order have 6e-6 left of 0.6 m/s."""
    runs = []
    for chosen, options in (("auto", {}), (method, METHODS[method])):
        model = Model("bounces", gravity=(0, -G))
        ball = model.add(Body(mass=2.0, inertia=0.1, position=(0.0, 0.12), velocity=(0.3, 0.0)), name="ball")
        law = {"restitution": 0.7, "speed": 0.6, "friction": 0.2}
        model.add(Contact(Face(model.ground.at()), Disk(ball.at(), 0.1), 1e6, **law), name="floor")
        run = simulate(model, 0.4, output=0.4, method=chosen, **options)
        runs.append(np.array([*run[ball].position[-1], *run[ball].velocity[-1]]))
    assert runs[1] == pytest.approx(runs[0], abs=1e-5)


def test_rest_on_a_floor():
    """Newton's method finds the depth (m g / k)^(2/3); a run from there stays, in a handful of steps."""
    model = Model("rest", gravity=(0, -G))
    ball = model.add(Body(mass=2.0, inertia=0.1, position=(0.0, 0.0999)), name="ball")
    touch = model.add(Contact(Face(model.ground.at()), Disk(ball.at(), 0.1), 1e6, damping=1.0), name="floor")
    rest = equilibrium(model, method="newton")
    assert float(rest[ball].position[1]) == pytest.approx(0.1 - (2.0 * G / 1e6) ** (2.0 / 3.0), abs=1e-12)
    run = simulate(model, 10.0, start=rest)
    assert run.stats.steps < 1000
    assert float(run[touch.normal].value[-1]) == pytest.approx(2.0 * G, rel=1e-7)


def test_events_see_gaps():
    """The fall from 0.1 m above the floor ends after sqrt(2 h / g)."""
    model = Model("fall", gravity=(0, -G))
    ball = model.add(Body(mass=1.0, inertia=1.0, position=(0.0, 0.2)), name="ball")
    touch = model.add(Contact(Face(model.ground.at()), Disk(ball.at(), 0.1), 1e6), name="floor")
    run = simulate(model, 1.0, events=[Event(touch.gap, 0.0, "falling")])
    assert float(run.times[-1]) == pytest.approx(math.sqrt(0.2 / G), abs=1e-12)
