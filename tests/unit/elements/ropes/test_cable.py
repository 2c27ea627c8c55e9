"""Cables and ropes around drums: slack and taut, tackles, drums, and the formula of Euler and Eytelwein."""

import math

import numpy as np
import pytest

import cardan.planar as plane
import cardan.spatial as space
from cardan import ModelError, equilibrium, simulate

G = 9.81


def jumper(**cable):
    """A mass on a rope of 10 m, let go beside its upper end."""
    model = plane.Model("jump", gravity=(0.0, -G))
    body = model.add(plane.Body(80.0, 5.0), name="body")
    rope = model.add(plane.Cable([model.ground.at(), body.at()], rest_length=10.0, **cable), name="rope")
    return model, body, rope


def test_jump_into_a_rope():
    """Free fall of h, then half an oscillation: e = m g / k (1 + sqrt(1 + 2 k h / m g)) at most."""
    k, h, m = 200.0, 10.0, 80.0
    model, body, rope = jumper(stiffness=k)
    run = simulate(model, 6.0, output=0.001, rtol=1e-9)
    still = m * G / k
    assert run[rope].length.max() - h == pytest.approx(still * (1 + math.sqrt(1 + 2 * h / still)), abs=1e-4)
    assert run[rope].force.max() == pytest.approx(m * G * (1 + math.sqrt(1 + 2 * h / still)), abs=0.02)
    slack = run.times < math.sqrt(2 * h / G)
    assert not run[rope].force[slack].any() and run[rope].force[~slack][1] > 0.0
    assert run[body].position[slack, 1] == pytest.approx(-0.5 * G * run.times[slack] ** 2, abs=1e-8)
    assert run.energy.drift < 1e-6 and run.energy.work_of(rope).min() < 0.0


def test_damping_does_not_jump_and_never_pushes():
    model, _, rope = jumper(EA=2e4, damping=300.0)
    run = simulate(model, 8.0, output=0.002, rtol=1e-8)
    force, stretch = run[rope].force, run[rope].length - 10.0
    assert force.min() > -1e-11 and run.energy.drift < 1e-6  # rounding of k e
    assert (force[stretch > 0.0] <= 2000.0 * stretch[stretch > 0.0] + 300.0 * 15.0).all()
    assert force.max() > 2000.0 * stretch.max()  # it is damped on the way down
    rate = run[rope.measure].rate
    full = (stretch > 1e-3) & (2000.0 * stretch + 300.0 * rate > 0.0)
    assert force[full] == pytest.approx(2000.0 * stretch[full] + 300.0 * rate[full], rel=1e-9)
    upwards = (stretch > 1e-3) & (2000.0 * stretch + 300.0 * rate < 0.0)
    assert upwards.any() and np.abs(force[upwards]).max() < 1e-11


@pytest.mark.parametrize("height", [-1.0, -0.3])
def test_rests_by_energy_even_from_where_it_is_slack(height):
    """2 T sin = m g with the sine that the stretched halves make over half a meter."""
    model = plane.Model("sling", gravity=(0.0, -G))
    body = model.add(plane.Body(10.0, 1.0, position=(0.2, height)), name="body")
    points = [model.ground.at(-0.5, 0.0), body.at(), model.ground.at(0.5, 0.0)]
    rope = model.add(plane.Cable(points, stiffness=1e4, rest_length=2.0), name="rope")
    rest = equilibrium(model)
    half = 0.5 * rest[rope].length
    assert rest[rope].force == pytest.approx(1e4 * (2.0 * half - 2.0), rel=1e-9)
    assert 2.0 * rest[rope].force * math.sqrt(1.0 - 0.25 / half**2) == pytest.approx(10.0 * G, rel=1e-8)


@pytest.mark.parametrize("parts", [1, 2, 3])
def test_tackle(parts):
    """A load on 2 n vertical strands: the tension is m g / 2 n, and it sinks by T / k / 2 n."""
    m, k = 100.0, 1e6
    model = space.Model("tackle", gravity=(0, 0, -G))
    block = model.add(space.Body(m, (1.0, 1.0, 1.0), position=(0, 0, -1.0)), name="block")
    model.add(space.Translational(model.ground.at(), block.at()), name="guide")
    points = [end.at() for _ in range(parts) for end in (model.ground, block)] + [model.ground.at()]
    rope = model.add(space.Cable(points, stiffness=k, rest_length=2.0 * parts), name="rope")
    rest = equilibrium(model)
    assert rest[rope].force == pytest.approx(m * G / (2 * parts), rel=1e-9)
    assert rest[block].position[2] == pytest.approx(-1.0 - m * G / (2 * parts) ** 2 / k, abs=1e-10)


def test_machine_of_atwood_with_a_heavy_pulley():
    """Two ropes on one drum: a = (m2 - m1) g / (m1 + m2 + J / R^2); the ropes are stiff and start at rest."""
    m1, m2, J, R, k = 1.0, 1.5, 0.02, 0.1, 1e5
    model = plane.Model("atwood", gravity=(0.0, -G))
    drum = model.add(plane.Body(1.0, J), name="drum")
    pin = model.add(plane.Revolute(model.ground.at(), drum.at()), name="pin")
    a = (m2 - m1) * G / (m1 + m2 + J / R**2)
    for side, mass, pull in ((-1, m1, m1 * (G + a)), (1, m2, m2 * (G - a))):
        body = plane.Body(mass, 1.0, position=(side * R, -1.0 - pull / k))
        body = model.add(body, name=f"mass {side}")
        ends = [model.ground.at(side * R, 0.0), body.at()]
        wound = (1.0 if side > 0 else -1.0) * R * pin.angle
        model.add(plane.Cable(ends, stiffness=k, rest_length=1.0, wound=wound), name=f"rope {side}")
    run = simulate(model, 0.5, output=0.05, rtol=1e-9)
    assert run["mass 1"].position[:, 1] - run["mass 1"].position[0, 1] == pytest.approx(
        -0.5 * a * run.times**2, abs=1e-7
    )
    assert run[drum].angle == pytest.approx(-0.5 * a / R * run.times**2, abs=1e-6)
    assert run.energy.drift < 1e-6


def straight(heavy, light, friction, wrap, settling, k=1e5):
    """Two masses that slide on one line through the drum, pulled apart by loads: nothing slants."""
    model = plane.Model("drum")
    rail = model.ground.at()
    bodies = []
    for name, side, load in (("a", -1.0, light), ("b", 1.0, heavy)):
        body = model.add(plane.Body(1.0, 1.0, position=(side * (1.0 + load / k), 0.0)), name=name)
        model.add(plane.Translational(rail, body.at()), name=f"rail {name}")
        model.add(plane.Load(body.at(), (side * load, 0.0)), name=f"load {name}")
        bodies.append(body)
    rope = plane.Capstan(
        *(body.at() for body in bodies), drum=rail, wrap=wrap, friction=friction, stiffness=k, rest_length_a=1.0,
        damping=100.0, settling=settling,
    )  # fmt: skip
    return model, *bodies, model.add(rope, name="rope")


def test_rope_sticks_below_the_ratio():
    """T_b / T_a below exp(mu phi) by 1 %: nothing slips, nothing moves, to rounding."""
    ratio = math.exp(0.25 * math.pi)
    model, a, _, rope = straight(9.9 * ratio, 10.0, 0.25, math.pi, 1e-3)
    run = simulate(model, 1.0, output=0.1)
    assert not run[rope.device]["slipped"].any()
    assert np.abs(run[a].velocity).max() < 1e-9
    assert run[rope].force[-1] == pytest.approx([10.0, 9.9 * ratio], rel=1e-6)


@pytest.mark.parametrize(("friction", "wrap"), [(0.25, math.pi), (0.1, 4.0 * math.pi), (0.0, 1.0)])
def test_rope_slides_by_the_formula(friction, wrap):
    """F_b - T_b = m a, T_a - F_a = m a, T_b = T_a exp(mu phi): a = (F_b - E F_a) / (m (1 + E))."""
    ratio, light = math.exp(friction * wrap), 10.0
    heavy = 2.0 * ratio * light
    model, _, b, rope = straight(heavy, light, friction, wrap, 1e-3)
    run = simulate(model, 0.5, output=0.01, rtol=1e-8)
    a = (heavy - ratio * light) / (1.0 + ratio)
    late = run.times > 0.2
    T = run[rope].force
    assert T[late, 1] == pytest.approx(ratio * T[late, 0], rel=1e-6)
    assert run[b].acceleration[late, 0] == pytest.approx(a, rel=1e-3)  # the ropes still swing a little
    assert run[rope.device]["slipped"][-1] == pytest.approx(0.5 * a * 0.5**2, rel=1e-2)  # it starts stretched
    assert run.energy.drift < 1e-6


def test_capstan_winch():
    """A hand that pulls with 10 N holds 10 exp(mu phi) N by a drum that turns under the rope, which stands still."""
    ratio = math.exp(0.25 * math.pi)
    model = plane.Model("winch")
    rail = model.ground.at()
    drum = model.add(plane.Body(1.0, 1.0), name="drum")
    pin = model.add(plane.Revolute(rail, drum.at()), name="pin")
    motor = model.add(plane.Driver(pin.angle, plane.Ramp(-20.0)), name="motor")
    ends = []
    for name, side, load in (("hand", -1.0, 10.0), ("load", 1.0, 10.0 * ratio)):
        body = model.add(plane.Body(1.0, 1.0, position=(side * (1.0 + load / 1e5), 0.0)), name=name)
        model.add(plane.Translational(rail, body.at()), name=f"rail of {name}")
        model.add(plane.Load(body.at(), (side * load, 0.0)), name=f"pull at {name}")
        ends.append(body.at())
    stated = {"wrap": math.pi, "friction": 0.25, "stiffness": 1e5, "rest_length_a": 1.0, "damping": 100.0}
    rope = model.add(plane.Capstan(*ends, drum=rail, wound=0.1 * pin.angle, **stated), name="rope")
    run = simulate(model, 0.3, output=0.01, rtol=1e-8)
    T = run[rope].force[-1]
    assert T[:2] == pytest.approx([10.0, 10.0 * ratio], rel=1e-6)
    assert run[motor].force[-1] == pytest.approx(-0.1 * 10.0 * (ratio - 1.0), rel=1e-6)
    assert run[rope.device]["slipped"][-1] == pytest.approx(20.0 * 0.1 * 0.3, rel=1e-6)
    assert np.abs(run["load"].velocity[-1]).max() < 1e-6


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"rest_length": 0.0, "stiffness": 1.0}, "the rest_length of Cable 'c' must be positive"),
        ({"rest_length": 1.0}, "needs its stiffness or EA, one of the two"),
        ({"rest_length": 1.0, "stiffness": 1.0, "EA": 1.0}, "one of the two"),
        ({"rest_length": 1.0, "stiffness": -1.0}, "stiffness or EA of Cable 'c' must be positive"),
        ({"rest_length": 1.0, "stiffness": 1.0, "damping": -1.0}, "must not be negative"),
    ],
)
def test_rejected(stated, message):
    model = plane.Model("m")
    body = model.add(plane.Body(1.0, 1.0), name="body")
    with pytest.raises(ModelError, match=message):
        model.add(plane.Cable([model.ground.at(), body.at()], **stated), name="c")


def test_rejected_points():
    model = plane.Model("m")
    body = model.add(plane.Body(1.0, 1.0), name="body")
    with pytest.raises(ModelError, match="a list of two points or more"):
        plane.Cable([body.at()], 1.0, rest_length=1.0)
    with pytest.raises(ModelError, match="point 2 of a Cable must be a Marker"):
        plane.Cable([body.at(), body], 1.0, rest_length=1.0)
    with pytest.raises(ModelError, match="all points of Cable 'c' are on 'body'"):
        model.add(plane.Cable([body.at(), body.at(1, 0)], 1.0, rest_length=1.0), name="c")
    with pytest.raises(ModelError, match="has an end on 'ground', the body of its drum"):
        data = {"wrap": 1.0, "friction": 0.1, "stiffness": 1.0, "rest_length_a": 1.0}
        model.add(plane.Capstan(model.ground.at(1, 0), body.at(), drum=model.ground.at(), **data), name="r")
    with pytest.raises(ModelError, match="friction of Capstan 'r' must not be negative"):
        ends = body.at(), body.at()
        rope = plane.Capstan(*ends, drum=model.ground.at(), stiffness=1.0, rest_length_a=1.0, friction=-0.1, wrap=1.0)
        model.add(rope, name="r")
