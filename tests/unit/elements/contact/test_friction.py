"""Friction: that of joints from what they carry, sticking and sliding."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cardan.spatial as space
from cardan import ModelError, equilibrium, inverse_dynamics, reaction, simulate
from cardan.planar import (
    Body,
    Driver,
    Friction,
    Impact,
    Load,
    Model,
    Ramp,
    Revolute,
    Spring,
    Translational,
    x,
    y,
)
from simple_motions import G, falling


def incline(slope, mu, **options):
    """A block of 2 kg on a guide that falls by `slope`."""
    tilt = math.atan(slope)
    model = Model("incline", gravity=(0, -G))
    block = model.add(Body(mass=2.0, inertia=1.0, angle=-tilt), name="block")
    guide = model.add(Translational(model.ground.at(angle=-tilt), block.at()), name="guide")
    return model, guide, model.add(Friction(guide, mu, **options), name="dry")


def rotor(**options):
    """A wheel of 2 kg and 0.1 kg m2 that turns at 10 rad/s in a bearing of 5 cm radius."""
    model = Model("rotor", gravity=(0, -G))
    wheel = model.add(Body(mass=2.0, inertia=0.1, angular_velocity=10.0), name="wheel")
    hinge = model.add(Revolute(model.ground.at(), wheel.at()), name="hinge")
    return model, wheel, hinge, model.add(Friction(hinge, 0.2, radius=0.05, **options), name="dry")


class TestIncline:
    @pytest.mark.parametrize("method", ["auto", "radau", "generalized-alpha", "partition"])
    def test_sticks_below_the_friction_angle(self, method):
        """Not by a hair: what is left after 2 s is far below the rounding of any length."""
        model, guide, dry = incline(0.29, 0.3, sticks=True)
        run = simulate(model, 2.0, output=0.1, method=method)
        assert np.abs(run[guide.travel].value).max() < 1e-30 and run.events == []
        holding = 2.0 * G * math.sin(math.atan(0.29))
        np.testing.assert_allclose(run[dry].force, holding, rtol=1e-12)

    def test_does_not_move_at_all(self):
        """Where no rounding takes place, on a level guide under a slanted gravity, displacements are zero."""
        model = Model("level", gravity=(0.29 * G, -G))
        block = model.add(Body(mass=2.0, inertia=1.0), name="block")
        guide = model.add(Translational(model.ground.at(), block.at()), name="guide")
        model.add(Friction(guide, 0.3, sticks=True), name="dry")
        run = simulate(model, 100.0)
        assert not run[block].position.any() and not run[block].velocity.any()

    @pytest.mark.parametrize("method", ["auto", "radau", "generalized-alpha", "partition"])
    def test_slides_above_it(self, method):
        model, guide, _ = incline(0.5, 0.3, sticks=True)
        run = simulate(model, 2.0, output=0.1, method=method)
        a = G * (math.sin(math.atan(0.5)) - 0.3 * math.cos(math.atan(0.5)))
        np.testing.assert_allclose(run[guide.travel].value, 0.5 * a * run.times**2, atol=1e-12)
        assert run.energy.drift < 1e-12

    def test_comes_to_rest_and_stays(self):
        """Thrown upward: s = v^2 / (2 g (sin + mu cos)), and there it sticks."""
        model, guide, _ = incline(0.2, 0.3, sticks=True)
        tilt = math.atan(0.2)
        object.__setattr__(model["block"], "velocity", (-2.0 * math.cos(tilt), 2.0 * math.sin(tilt)))
        run = simulate(model, 3.0, output=0.5)
        slowed = G * (math.sin(tilt) + 0.3 * math.cos(tilt))
        (rest,) = run.events
        assert rest.time == pytest.approx(2.0 / slowed, rel=1e-12)
        assert run[guide.travel].value[-1] == pytest.approx(-2.0 / slowed, rel=1e-12)

    def test_smooth_friction_creeps(self):
        """tanh(v / creep_speed) = tan / mu: slow, but it moves."""
        model, guide, _ = incline(0.29, 0.3, creep_speed=1e-3)
        run = simulate(model, 2.0, output=0.5)
        assert run[guide.travel].rate[-1] == pytest.approx(1e-3 * math.atanh(0.29 / 0.3), rel=1e-6)

    def test_static_holds_more(self):
        """A load that grows by 1 N/s overcomes static, not kinetic friction: 0.4 and 0.3 of the weight of 2 kg."""
        model, guide, _ = incline(0.0, 0.3, static_friction=0.4, sticks=True)
        model.add(Load(model["block"].at(), (lambda t: t, 0.0)), name="pull")
        run = simulate(model, 10.0, output=0.5)
        (loose,) = run.events
        start = 0.4 * 2.0 * G
        assert loose.event.word == "breaks away" and loose.time == pytest.approx(start, rel=1e-11)
        s = 10.0 - start
        moved = 0.5 * (0.1 * G) * s**2 + s**3 / 12.0  # 2 x'' = 0.2 g + (t - start)
        assert run[guide.travel].value[-1] == pytest.approx(moved, rel=1e-9)


class TestJoints:
    def test_a_wheel_comes_to_rest(self):
        """J w' = -mu r m g."""
        model, wheel, _, dry = rotor(sticks=True)
        run = simulate(model, 8.0, output=0.5)
        slowed = 0.2 * 0.05 * 2.0 * G / 0.1
        assert run.events[0].time == pytest.approx(10.0 / slowed, rel=1e-12)
        assert run[wheel].angle[-1] == pytest.approx(50.0 / slowed, rel=1e-12)
        assert run[dry].force[[0, -1]] == pytest.approx([0.2 * 0.05 * 2.0 * G, 0.0], abs=1e-12)

    def test_goes_on_from_a_checkpoint_to_the_last_digit(self):
        """Also where it sticks, and though forces and reactions are found together, by iteration."""
        model = Model("swing", gravity=(0, -G))
        rod = model.add(Body(mass=1.0, inertia=0.1, position=(1, 0)), name="rod")
        hinge = model.add(Revolute(model.ground.at(), rod.at(-1, 0)), name="hinge")
        model.add(Friction(hinge, 0.3, static_friction=0.4, radius=0.1, sticks=True), name="dry")
        full = simulate(model, 40.0)
        assert full.events[-1].event.word == "comes to rest" and full.events[-1].time < 39.0
        for end in (3.0, 39.0):
            half = simulate(model, end)
            rest = simulate(model, 40.0, start=half.checkpoint)
            np.testing.assert_array_equal(full[rod].position[-1], rest[rod].position[-1])

    def test_in_inverse_dynamics(self):
        """The motor overcomes friction; the smooth law is 1 at 3000 times its speed."""
        model, _, hinge, _ = rotor(sticks=True)
        motor = model.add(Driver(hinge.angle, Ramp(3.0)), name="motor")
        run = inverse_dynamics(model, [0.0, 0.1])
        assert run[motor].force == pytest.approx([0.2 * 0.05 * 2.0 * G] * 2, rel=1e-12)

    def test_at_rest_it_is_nothing(self):
        model, guide, _ = incline(0.5, 0.9, sticks=True)
        model.add(Spring(guide.travel, 100.0, rest_length=0.0), name="spring")
        found = equilibrium(model)
        assert found[guide.travel].value == pytest.approx(2.0 * G * math.sin(math.atan(0.5)) / 100.0, rel=1e-9)

    def test_edges_of_a_slider(self):
        """10 N above a guide by 0.5 m press its edges, 0.2 m apart, with 25 N each."""
        model = Model("slider")
        block = model.add(Body(mass=1.0, inertia=1.0), name="block")
        guide = model.add(Translational(model.ground.at(), block.at()), name="guide")
        model.add(Load(block.at(0, 0.5), (10.0, 0.0)), name="push")
        model.add(Friction(guide, 0.1, lever=0.2, sticks=True), name="dry")
        run = simulate(model, 1.0, output=0.5)
        assert run[block].acceleration[:, 0] == pytest.approx([10.0 - 0.1 * 50.0] * 3, rel=1e-12)

    def test_a_hinge_in_space(self):
        """All three components of the force count: weight along the axis here."""
        model = space.Model("turntable", gravity=(0, 0, -G))
        plate = model.add(space.Body(mass=2.0, inertia=(1, 1, 0.1), angular_velocity=(0, 0, 10.0)), name="plate")
        hinge = model.add(space.Revolute(model.ground.at(), plate.at()), name="hinge")
        model.add(space.Friction(hinge, 0.2, radius=0.05, sticks=True), name="dry")
        run = simulate(model, 8.0)
        assert run.events[0].time == pytest.approx(10.0 * 0.1 / (0.2 * 0.05 * 2.0 * G), rel=1e-11)

    def test_of_a_contact(self):
        """A block dropped on a floor and dragged along: friction is there while the contact is closed."""
        model, block = falling(0.0, velocity=(3.0, 0.0))
        floor = model.add(Impact(y(block.at()), 0.0), name="floor")
        model.add(Friction(x(block.at()), 0.25, normal=floor.push, sticks=True), name="dry")
        run = simulate(model, 3.0, output=0.1)
        assert run.events[-1].time == pytest.approx(3.0 / (0.25 * G), rel=1e-12)
        assert run[block].position[-1, 0] == pytest.approx(4.5 / (0.25 * G), rel=1e-12)


def test_stick_slip_of_a_mass_on_a_belt():
    """Stribeck friction on a belt at 0.2 m/s, a spring of 50 N/m: against the same by SciPy, event by event.

    Sliding is integrated by DOP853 to 1e-12 up to the next rest; sticking ends where the spring reaches mu_s m g.
    """
    k, belt, mu, static, stribeck = 50.0, 0.2, 0.2, 0.35, 0.1
    model = Model("belt", gravity=(0, -G))
    block = model.add(Body(mass=1.0, inertia=1.0), name="block")
    band = model.add(Body(mass=1.0, inertia=1.0), name="band")
    guide, way = (model.add(Translational(model.ground.at(), body.at())) for body in (block, band))
    model.add(Driver(way.travel, Ramp(belt)), name="drive")
    model.add(Spring(guide.travel, k, rest_length=0.0), name="spring")
    slip = x(block.at()) - x(band.at())
    model.add(Friction(slip, mu, static_friction=static, stribeck_speed=stribeck, normal=G, sticks=True), name="dry")
    run = simulate(model, 6.0, output=0.05, rtol=1e-10)
    expected = _stick_slip(6.0, k, belt, mu, static, stribeck)
    assert len(run.events) == len(expected) >= 8
    # Errors of 1e-10 in the speed become 1e-9 in the instants, some of which depend on those before.
    assert [h.time for h in run.events] == pytest.approx(expected, abs=1e-8)
    assert run.energy.drift < 1e-9


def _stick_slip(until, k, belt, mu, static, stribeck):
    """The instants at which a mass of 1 kg comes to rest on the belt, and breaks away."""

    def rates(t, state):
        v = state[1] - belt
        return [state[1], -k * state[0] + (mu + (static - mu) * math.exp(-((v / stribeck) ** 2))) * G]

    def rests(t, state):
        return state[1] - belt

    rests.terminal, rests.direction = True, 1.0
    t, place, speed, found = 0.0, 0.0, 0.0, []
    while True:
        tight = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13}
        part = solve_ivp(rates, (t, until), [place, speed], events=[rests], **tight)
        if part.status != 1:
            return found
        t, place, speed = float(part.t[-1]), float(part.y[0, -1]), belt
        found.append(t)
        assert abs(k * place) < static * G
        t, place = t + (static * G / k - place) / belt, static * G / k
        if t > until:
            return found
        found.append(t)


class TestBadInput:
    def test_numbers(self):
        _, ball = falling()
        with pytest.raises(ModelError, match="friction of Friction must not be negative, got -0.1; pass allow_neg"):
            Friction(y(ball.at()), -0.1, normal=1.0)
        with pytest.raises(ModelError, match="must not be less than friction, got 0.1 and 0.2"):
            Friction(y(ball.at()), 0.2, static_friction=0.1, normal=1.0)
        with pytest.raises(ModelError, match="static_friction of smooth Friction needs stribeck_speed="):
            Friction(y(ball.at()), 0.2, static_friction=0.3, normal=1.0)
        with pytest.raises(ModelError, match="the normal force of Friction must not be negative, got -2"):
            Friction(y(ball.at()), 0.2, normal=-2.0)

    def test_what_carries(self):
        _, ball = falling()
        with pytest.raises(ModelError, match="needs normal=, a force or a signal: a measure has none"):
            Friction(y(ball.at()), 0.2)
        model, _, hinge, _ = rotor()
        with pytest.raises(ModelError, match="Friction of Revolute 'hinge' acts against rotation: give the radius="):
            Friction(hinge, 0.2)
        with pytest.raises(ModelError, match="Friction takes a joint or a measure, got"):
            Friction(ball, 0.2)


@pytest.mark.parametrize(("one_sided", "decay"), [(False, 0.2), (True, 0.0)])
def test_normal_force_that_pulls(one_sided, decay):
    """A weight hangs below its guide: the reaction's size rubs, mu g, unless only what presses upward counts."""
    model = Model("crane", gravity=(0, G))  # the guide pushes the block downward
    block = model.add(Body(mass=2.0, inertia=1.0, velocity=(1.0, 0.0)), name="block")
    guide = model.add(Translational(model.ground.at(), block.at()), name="guide")
    label = next(e.label for e in guide.equations() if e.unit == "m")
    push = reaction(guide, label)
    model.add(Friction(guide.travel, 0.2 / G, normal=push, one_sided=one_sided), name="dry")
    run = simulate(model, 1.0, rtol=1e-9)
    assert run[block].velocity[-1, 0] == pytest.approx(1.0 - decay, abs=1e-7)


def test_one_sided_needs_a_signal():
    with pytest.raises(ModelError, match="one_sided of Friction needs a signal that may be negative"):
        incline(0.2, 0.3, normal=10.0, one_sided=True)
