"""Joints that are engaged and released at events, without a new model."""

import math

import numpy as np
import pytest

import cardan.spatial as space
from cardan import Change, Event, ModelError, SimulationError, reaction, simulate
from cardan.model.device import Device, Held, Value
from cardan.model.force import Force, Law
from cardan.planar import Body, Driver, Fixed, Hold, Model, Revolute, Translational, x, y
from simple_motions import G, falling, swinging


def released_pendulum():
    """A bob with inertia that lets go of its pin an eighth of a turn below the level."""
    model = Model("sling", gravity=(0, -G))
    bob = model.add(Body(mass=1.0, inertia=0.1, position=(1, 0)), name="bob")
    pin = model.add(Revolute(model.ground.at(), bob.at(-1, 0)), name="pin")
    let_go = Event(pin.angle, -0.25 * math.pi, "falling", action=lambda s: Change(release=[pin]), name="let go")
    return model, bob, pin, let_go


def colliding_cars():
    """Two cars on a rail, 2 kg at 3 m/s behind 1 kg at rest, and a hook that keeps them 1 m apart."""
    model = Model("cars")
    a = model.add(Body(mass=2.0, inertia=1.0, velocity=(3.0, 0)), name="a")
    b = model.add(Body(mass=1.0, inertia=1.0, position=(2.0, 0)), name="b")
    for car in (a, b):
        model.add(Translational(model.ground.at(), car.at()), name=f"rail {car.name}")
    between = x(b.at()) - x(a.at())
    return model, a, b, between, model.add(Hold(between, 1.0), name="hook")


class TestRelease:
    def test_flies_on_a_parabola(self):
        """Of w^2 = 2 m g sin / (J + m) at the pin nothing is lost, and then there is gravity alone."""
        model, bob, pin, let_go = released_pendulum()
        run = simulate(model, 1.5, output=0.01, events=[let_go], rtol=1e-10)
        (event,) = run.events
        assert event.after[bob].angular_velocity == pytest.approx(-math.sqrt(math.sqrt(2) * G / 1.1), rel=1e-8)
        flying = run.times > event.time
        t = run.times[flying, None] - event.time
        path = event.after[bob].position + event.after[bob].velocity * t + 0.5 * t**2 * np.array([0.0, -G])
        np.testing.assert_allclose(run[bob].position[flying], path, atol=1e-12)
        assert run.energy.drift < 1e-9

    def test_reactions_and_violations_are_zero_then(self):
        model, _, pin, let_go = released_pendulum()
        run = simulate(model, 1.5, output=0.01, events=[let_go])
        flying = run.times > run.events[0].time
        assert not run[pin].force[flying].any() and np.linalg.norm(run[pin].force[~flying], axis=1).min() > 0.5
        assert not run[pin].violation[flying].any()
        np.testing.assert_array_equal(run.loads.multipliers[flying], 0.0)

    def test_goes_on_from_a_checkpoint_to_the_last_digit(self):
        model, bob, _, let_go = released_pendulum()
        full = simulate(model, 2.0, events=[let_go])
        half = simulate(model, 1.2, events=[let_go])
        rest = simulate(model, 2.0, events=[let_go], start=half.checkpoint)
        np.testing.assert_array_equal(full[bob].position[-1], rest[bob].position[-1])
        assert not rest.shifts[-1].engaged.any()

    def test_read_between_instants(self):
        """`at` moves on from the instant before with the joints that were engaged then."""
        model, bob, _, let_go = released_pendulum()
        coarse = simulate(model, 1.5, output=0.5, events=[let_go])
        fine = simulate(model, 1.5, output=[0.0, 0.3, 0.4, 1.3], events=[let_go])
        for k, time in ((1, 0.3), (2, 0.4), (3, 1.3)):
            np.testing.assert_allclose(coarse.at(time)[bob].position, fine[bob].position[k], atol=1e-7)

    @pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
    def test_a_body_without_mass_that_is_let_go_is_named(self, coordinates):
        """A link without mass hangs between two pins; where one lets go, nothing says how it turns."""
        model = Model("parted", gravity=(0, -G))
        link = model.add(Body(mass=0.0, inertia=0.0, position=(0.5, 0)), name="link")
        bob = model.add(Body(mass=1.0, inertia=0.1, position=(1, 0)), name="bob")
        pin = model.add(Revolute(model.ground.at(), link.at(-0.5, 0)), name="pin")
        eye = model.add(Revolute(link.at(0.5, 0), bob.at()), name="eye")
        let_go = Event(pin.angle, -0.3, "falling", action=lambda s: Change(release=[eye]), name="let go")
        with pytest.raises(
            SimulationError, match=r"at t = 0\.\d+ s nothing resists .*(link|pin).* without mass"
        ) as stop:
            simulate(model, 1.0, output=0.01, events=[let_go], coordinates=coordinates)
        assert 0.2 < stop.value.time < 0.3  # cos is near 1: t = sqrt(2 * 0.3 / g) = 0.247 s
        assert stop.value.partial[bob].position[-1, 1] < -0.2


class TestEngage:
    def test_is_a_plastic_impact(self):
        """Momentum 6 N s on 3 kg: 2 m/s; the energy 9 J falls to 6 J."""
        model, a, b, between, hook = colliding_cars()
        event = Event(between, 1.0, "falling", action=lambda s: Change(engage=[hook]))
        run = simulate(model, 2.0, output=0.1, released=[hook], events=[event])
        assert run.events[0].time == pytest.approx(1.0 / 3.0, rel=1e-12)
        assert run[a].velocity[-1, 0] == pytest.approx(2.0, rel=1e-12)
        assert run[b].velocity[-1, 0] == pytest.approx(2.0, rel=1e-12)
        assert run.energy.dissipated[-1] == pytest.approx(3.0, rel=1e-12) and run.energy.drift < 1e-12

    def test_takes_no_part_while_released(self):
        """Otherwise the start could not be closed: the hook wants 1 m, the cars stand 2 m apart."""
        model, a, b, between, hook = colliding_cars()
        run = simulate(model, 0.2, output=0.1, released=[hook])
        assert run[between].value[0] == pytest.approx(2.0, abs=1e-15) and not run[hook].violation.any()

    def test_must_fit(self):
        model, *_, between, hook = colliding_cars()
        event = Event(between, 1.25, "falling", action=lambda s: Change(engage=[hook]))
        with pytest.raises(SimulationError, match="at t = 0.25 s Hold 'hook' cannot be engaged: it is open by 0.25 m"):
            simulate(model, 1.0, released=[hook], events=[event])

    def test_a_hold_as_it_is(self):
        model, a, b, between, hook = colliding_cars()
        event = Event(between, 1.25, "falling", action=lambda s: Change(engage=[hook], where="as it is"))
        run = simulate(model, 1.0, released=[hook], events=[event])
        assert run[between].value[-1] == pytest.approx(1.25, abs=1e-12) and run.violations().max() < 1e-12

    def test_pick_and_place(self):
        """An arm takes a part from a shelf, held as it lies there, and puts it down elsewhere: it keeps its place in
        the arm, then that on the shelf; the grip carries weight and inertia of the part."""
        model = Model("robot", gravity=(0, -G))
        arm = model.add(Body(mass=1.0, inertia=0.1, center=(0.5, 0)), name="arm")
        part = model.add(Body(mass=0.5, inertia=0.01, position=(0.9, 0.5), angle=0.3), name="part")
        hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
        model.add(Driver(hinge.angle, lambda t: 0.5 * math.sin(t)), name="motor")
        shelf = model.add(Fixed(model.ground.at(0.9, 0.5, angle=0.3), part.at()), name="shelf")
        grip = model.add(Fixed(arm.at(1, 0), part.at(0.01, 0)), name="grip")
        events = [
            Event(hinge.angle, 0.49, "rising", name="take",
                  action=lambda s: Change(release=[shelf], engage=[grip], where="as it is")),
            Event(hinge.angle, 0.1, "falling", name="put",
                  action=lambda s: Change(release=[grip], engage=[shelf], where="as it is")),
        ]  # fmt: skip
        run = simulate(model, 3.5, output=0.01, released=[grip], events=events)
        taken, put = (happening.time for happening in run.events)
        held, down = (run.times > taken) & (run.times < put), run.times > put
        c, s = np.cos(run[arm].angle), np.sin(run[arm].angle)
        across = run[part].position - run[arm].position
        inside = np.stack([c * across[:, 0] + s * across[:, 1], c * across[:, 1] - s * across[:, 0]], axis=1)
        assert np.ptp(inside[held], axis=0).max() < 1e-12 and np.ptp(run[part].position[down], axis=0).max() < 1e-12
        weight = 0.5 * (run[part].acceleration[held] + (0.0, G))
        np.testing.assert_allclose(run[grip].in_frame("global").force[held], weight, atol=1e-9)
        assert run.violations().max() < 1e-12 and run.energy.drift < 1e-7

    def test_a_grip_in_space(self):
        """The part keeps its place and its direction in the arm that has taken it."""
        model = space.Model("turner", gravity=(0, 0, -G))
        arm = model.add(space.Body(mass=1.0, inertia=(0.1, 0.1, 0.1), center=(0.5, 0, 0)), name="arm")
        tilted = (math.cos(0.2), 0.0, math.sin(0.2), 0.0)
        stated = space.Body(mass=0.5, inertia=(0.01, 0.02, 0.02), position=(0.8, 0.1, 0.3), orientation=tilted)
        part = model.add(stated, name="part")
        hinge = model.add(space.Revolute(model.ground.at(), arm.at()), name="hinge")
        model.add(space.Driver(hinge.angle, space.Ramp(1.0)), name="motor")
        shelf = model.add(space.Fixed(model.ground.at(0.8, 0.1, 0.3, orientation=tilted), part.at()), name="shelf")
        grip = model.add(space.Fixed(arm.at(0.9, 0, 0), part.at(0, 0.01, 0)), name="grip")
        change = Change(release=[shelf], engage=[grip], where="as it is")
        take = Event(hinge.angle, 0.5, "rising", action=lambda snapshot: change)
        run = simulate(model, 1.5, output=0.05, released=[grip], events=[take])
        held = run.times > 0.5
        turned = np.swapaxes(run[arm].matrix[held], 1, 2)
        place = np.einsum("nij,nj->ni", turned, (run[part].position - run[arm].position)[held])
        assert np.ptp(place, axis=0).max() < 1e-12
        assert np.ptp(turned @ run[part].matrix[held], axis=0).max() < 1e-12
        weight = 0.5 * (run[part].acceleration[held] + (0.0, 0.0, G))
        np.testing.assert_allclose(run[grip].in_frame("global").force[held], weight, atol=1e-9)


class TestSignals:
    def test_an_event_of_a_reaction(self):
        """A bob thrown up at 4 m/s on a rod of 1 m, J = 0.1: the pin begins to pull it down where the vertical force
        m (g + a_y) is zero. With a point mass at the level a_y = -g / 1.1, so that it starts above zero."""
        model = Model("throw", gravity=(0, -G))
        bob = model.add(Body(mass=1.0, inertia=0.1, position=(1, 0), velocity=(0, 4.0)), name="bob")
        pin = model.add(Revolute(model.ground.at(), bob.at(-1, 0)), name="pin")
        run = simulate(model, 1.0, events=[Event(reaction(pin, "y"), 0.0, "falling", name="pulls")])
        # m (g - alpha c - w^2 s) = 0 with alpha = m g c / (J + m), w^2 = w0^2 - 2 m g s / (J + m)
        s = np.sin(run[bob].angle[-1])
        turning = (4.0**2 - 2 * G * s / 1.1) * s
        assert G - G * (1 - s * s) / 1.1 - turning == pytest.approx(0.0, abs=1e-6)
        assert run[pin].in_frame("global").force[-1, 1] == pytest.approx(0.0, abs=1e-6)

    def test_an_event_of_a_device_changes_what_is_held(self):
        """A jet holds 5 N up until the ball has fallen by half a meter, twice that from then on."""
        model, ball = falling(1.0)
        thrust = Held(5.0, "thrust")
        height = y(ball.at())

        def fallen(place):
            return 1.0 - place

        class Jet(Force):
            def laws(self):
                return (Law(((-1.0, height),), signal=thrust),)

        depth = Device(fallen, (Value(height),), ("depth",), name="depth")

        model.add(Jet(), name="jet")
        more = Event(depth["depth"], 0.5, "rising", action=lambda s: Change(hold={thrust: 10.0}), name="more")
        run = simulate(model, 0.6, output=0.1, events=[more])
        first = math.sqrt(2 * 0.5 / (G - 5.0))
        assert run.events[0].time == pytest.approx(first, rel=1e-12)
        t = 0.6 - first
        expected = 0.5 - (G - 5.0) * first * t - 0.5 * (G - 10.0) * t * t
        assert run[ball].position[-1, 1] == pytest.approx(expected, abs=1e-12)
        assert run[thrust].value[[0, -1]].tolist() == [5.0, 10.0]


class TestBadInput:
    def test_of_a_change(self):
        _, ball = falling()
        model, _, pin = swinging()
        with pytest.raises(ModelError, match="engage of a Change must be a list of joints, got Revolute 'pin'"):
            Change(engage=pin)
        with pytest.raises(ModelError, match="a joint to release must be a Constraint"):
            Change(release=[ball])
        with pytest.raises(ModelError, match="where of a Change must be 'stated' or 'as it is', got 'here'"):
            Change(where="here")
        with pytest.raises(ModelError, match="hold of a Change must be a dictionary"):
            Change(hold=3.0)

    def test_a_joint_of_another_model(self):
        model, ball = falling()
        _, _, pin = swinging()
        event = Event(y(ball.at()), 0.5, action=lambda s: Change(engage=[pin]), name="half-way")
        with pytest.raises(ModelError, match="the action of event 'half-way' switches Revolute 'pin', which is not"):
            simulate(model, 1.0, events=[event])
        with pytest.raises(ModelError, match="Revolute 'pin' is to be released, but is not part of model 'fall'"):
            simulate(model, 1.0, released=[pin])

    def test_an_equation_that_a_joint_lacks(self):
        _, _, pin = swinging()
        with pytest.raises(ModelError, match="Revolute 'pin' has no equation called 'z'; it has: 'x', 'y'"):
            reaction(pin, "z")
