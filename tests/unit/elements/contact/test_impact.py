"""Impacts with restitution, contacts at rest, and how they open again."""

import math

import numpy as np
import pytest

import cardan.spatial as space
from cardan import Change, Event, ModelError, SimulationError, simulate
from cardan.planar import (
    Body,
    Driver,
    Harmonic,
    Impact,
    Load,
    Model,
    Ramp,
    Revolute,
    Translational,
    angle,
    length,
    x,
    y,
)
from simple_motions import G, falling


def dropped(height=1.0, **contact):
    model, ball = falling(height)
    return model, ball, model.add(Impact(y(ball.at()), **contact), name="floor")


def bounces(count, keeps, height=1.0):
    """T (1 + 2 e + 2 e^2 + ...), T = sqrt(2 h / g)."""
    return math.sqrt(2.0 * height / G) * (2.0 * np.cumsum(keeps ** np.arange(count)) - 1.0)


def cradle(count, gap=1e-4, radius=0.02, keeps=1.0):
    """Pendulums of 0.5 m side by side, the first one raised by 0.3 rad."""
    model, balls = Model("cradle", gravity=(0, -G)), []
    for k in range(count):
        place, swing = k * (2 * radius + gap), -0.3 if k == 0 else 0.0
        at = (place + 0.5 * math.sin(swing), -0.5 * math.cos(swing))
        balls.append(model.add(Body(mass=0.1, inertia=1e-5, position=at, angle=swing), name=f"ball {k}"))
        model.add(Revolute(model.ground.at(place, 0), balls[-1].at(0, 0.5)), name=f"pin {k}")
    pairs = zip(balls, balls[1:], strict=False)
    contacts = [model.add(Impact(length(a.at(), b.at()), keeps, below=2 * radius)) for a, b in pairs]
    return model, balls, contacts


class TestBall:
    @pytest.mark.parametrize("method", ["auto", "radau", "generalized-alpha", "partition"])
    def test_times_of_impacts(self, method):
        """A parabola is integrated exactly by all of them."""
        model, _, floor = dropped(restitution=0.5)
        run = simulate(model, 1.3, method=method)
        struck = [h.time for h in run.events if h.event.element is floor]
        assert struck == pytest.approx(bounces(5, 0.5).tolist(), abs=1e-11)

    def test_comes_to_rest(self):
        """After T (1 + e) / (1 - e), all energy dissipated, the floor carries the weight."""
        model, ball, floor = dropped(restitution=0.5)
        run = simulate(model, 3.0, output=0.1)
        end = math.sqrt(2.0 / G) * 3.0
        assert run.events[-1].time == pytest.approx(end, abs=1e-4)  # rebounds below 1e-4 m/s are not followed
        resting = run.times > end
        np.testing.assert_allclose(run[floor].force, np.where(resting, G, 0.0), atol=1e-12)
        assert np.abs(run[ball].position[resting]).max() < 1e-13
        assert run.energy.dissipated[-1] == pytest.approx(G, rel=1e-12) and run.energy.drift < 1e-12

    def test_starts_at_rest_on_the_floor(self):
        model, ball, floor = dropped(0.0, restitution=0.5)
        run = simulate(model, 1.0, output=0.5)
        assert run[floor].force == pytest.approx([G] * 3) and not run[ball].position.any() and run.events == []

    def test_an_event_at_the_same_instant_hides_nothing(self):
        model, ball, _ = dropped(restitution=0.5)
        told = Event(y(ball.at()), 0.0, "falling", action=lambda snapshot: None, name="told")
        run = simulate(model, 1.3, events=[told])
        assert run[ball].position[:, 1].min() > -1e-12
        assert len([h for h in run.events if h.event is told]) >= 5

    def test_two_that_strike_together(self):
        model, ball = falling(1.0)
        other = model.add(Body(mass=3.0, inertia=1.0, position=(2.0, 1.0)), name="other")
        for body, keeps in ((ball, 0.5), (other, 0.8)):
            model.add(Impact(y(body.at()), keeps), name=f"floor of {body.name}")
        run = simulate(model, 1.0, output=[0.0, 0.5])
        t = 0.5 - math.sqrt(2.0 / G)
        for body, keeps in ((ball, 0.5), (other, 0.8)):
            height = keeps * math.sqrt(2.0 * G) * t - 0.5 * G * t * t
            assert run[body].position[1, 1] == pytest.approx(height, abs=1e-12)

    def test_goes_on_from_a_checkpoint(self):
        model, ball, _ = dropped(restitution=0.7)
        full, half = simulate(model, 2.0), simulate(model, 1.1)
        rest = simulate(model, 2.0, start=half.checkpoint)
        np.testing.assert_array_equal(full[ball].position[-1], rest[ball].position[-1])


class TestContact:
    def test_lifts_off_a_shaking_table(self):
        """A sin(w t) throws it off where the table is slowed down by more than g: sin(w t) = g / (A w^2)."""
        A, w = 0.1, 15.0
        model, ball = falling(0.0, velocity=(0, A * w))
        table = model.add(Body(mass=1.0, inertia=1.0, velocity=(0, A * w)), name="table")
        way = model.add(Translational(model.ground.at(angle=0.5 * math.pi), table.at(angle=0.5 * math.pi)), name="way")
        model.add(Driver(way.travel, Harmonic(A, w)), name="shaker")
        rest = model.add(Impact(y(ball.at()) - y(table.at()), 0.2), name="rest")
        run = simulate(model, 0.15, output=0.001, rtol=1e-10)
        first = run.events[0]
        assert (first.event.element, first.event.word) == (rest, "lifts off")
        assert first.time == pytest.approx(math.asin(G / (A * w * w)) / w, abs=1e-9)
        lying = run.times < first.time
        np.testing.assert_allclose(run[rest].force[lying], G - A * w * w * np.sin(w * run.times[lying]), atol=1e-8)
        assert run[rest].force.min() > -1e-9 and run[rest.measure].value.min() > -1e-12

    def test_a_box_on_four_corners(self):
        """One contact more than the box has degrees of freedom against it: it rests, and the corners carry its
        weight."""
        model = space.Model("box", gravity=(0, 0, -G))
        turned = (math.cos(0.05), math.sin(0.05), 0.0, 0.0)
        body = space.Body(mass=2.0, inertia=(0.2, 0.2, 0.2), position=(0, 0, 1), orientation=turned)
        box = model.add(body, name="box")
        ends = [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)]
        corners = [model.add(space.Impact(space.z(box.at(*end, -0.5)), 0.3)) for end in ends]
        run = simulate(model, 2.0, output=0.05)
        assert run.energy.kinetic[-1] < 1e-12 and run.energy.drift < 1e-8
        assert sum(run[corner].force[-1] for corner in corners) == pytest.approx(2 * G, rel=1e-9)
        assert min(run[corner.measure].value.min() for corner in corners) > -1e-12

    @pytest.mark.parametrize(("mu", "speed", "spin"), [(0.1, 1.46, -13.5), (0.9, 2 / 1.4, -20 / 1.4)])
    def test_friction_of_an_oblique_impact(self, mu, speed, spin):
        """A ball (1 kg, J = 0.4 m r^2) at (2, -3) m/s, e = 0.8: it slides on with mu p = 0.54 N s, or begins to roll:
        v (1 + 0.4) = 2."""
        model = Model("oblique")
        ball = model.add(Body(mass=1.0, inertia=0.4e-2, position=(0, 1), velocity=(2.0, -3.0)), name="ball")
        rolled = x(ball.at()) + 0.1 * angle(model.ground.at(), ball.at())
        model.add(Impact(y(ball.at()), 0.8, below=0.1, friction=mu, along=rolled), name="floor")
        run = simulate(model, 1.0, output=0.5)
        assert run[ball].velocity[-1].tolist() == pytest.approx([speed, 2.4], rel=1e-12)
        assert run[ball].angular_velocity[-1] == pytest.approx(spin, rel=1e-12)
        assert run.energy.drift < 1e-12

    def test_cradle(self):
        """Equal balls without loss hand their speed on: the last one swings up as high as the first one was."""
        model, balls, contacts = cradle(5)
        run = simulate(model, 0.7, output=0.001, rtol=1e-10)
        assert [h.event.element for h in run.events[:4]] == contacts
        height = 0.5 * (1.0 - math.cos(0.3))
        risen = run[balls[-1]].position[:, 1].max() + 0.5
        assert risen == pytest.approx(height, rel=5e-3)  # they strike 0.1 mm beside the lowest place
        assert run.energy.drift < 1e-8

    def test_a_chain_falls_on_a_floor(self):
        """Nothing falls through, and all energy is accounted for: that of 0.6 kg, from about 0.3 m, ends in impacts."""
        model, links, size = Model("chain", gravity=(0, -G)), [], 0.1
        end, contacts = np.array([0.0, 0.3]), []
        for k in range(6):
            tilt = 0.3 * math.sin(k)
            along = size * np.array([math.cos(tilt), math.sin(tilt)])
            stated = Body(mass=0.1, inertia=0.1 * size**2 / 12, position=tuple(end + 0.5 * along), angle=tilt)
            links.append(model.add(stated, name=f"link {k}"))
            if k:
                model.add(Revolute(links[k - 1].at(0.05, 0), links[k].at(-0.05, 0)), name=f"pin {k}")
            contacts.append(model.add(Impact(y(links[k].at(0.05, 0)), 0.2)))
            end = end + along
        contacts.append(model.add(Impact(y(links[0].at(-0.05, 0)), 0.2)))
        run = simulate(model, 0.8, output=0.01)
        assert len(run.events) > 20 and run.energy.drift < 1e-8
        assert min(run[contact.measure].value.min() for contact in contacts) > -1e-12
        assert run.energy.kinetic[-1] < 1e-6 * run.energy.dissipated[-1]
        assert sum(run[contact].force[-1] for contact in contacts) == pytest.approx(0.6 * G, rel=1e-6)

    @pytest.mark.parametrize("mass", [0.1, 0.2, 0.4, 1.0])
    def test_a_linkage_on_two_feet_folds(self, mass):
        """Foot - apex - foot, folding at 6 rad/s: folded, one contact says to first order what the other one does. A
        step that begins there, for an event has stopped it, must not do without it: the energy adds up all the same."""
        size, tilt, spin = 0.1, 0.3, -6.0
        model, links = Model("fold", gravity=(0, -G)), []
        for side, m in ((1.0, 0.1), (-1.0, mass)):
            turn = side * tilt - 0.5 * math.pi
            along, across = np.array([math.cos(turn), math.sin(turn)]), np.array([-math.sin(turn), math.cos(turn)])
            place = (0.0, size * math.cos(tilt)) + 0.5 * size * along
            speed = (0.0, -size * math.sin(tilt) * spin) + 0.5 * size * side * spin * across
            moving = {
                "position": tuple(place),
                "angle": turn,
                "velocity": tuple(speed),
                "angular_velocity": side * spin,
            }
            link = model.add(Body(mass=m, inertia=m * size**2 / 12, **moving), name=f"link {len(links)}")
            model.add(Impact(y(link.at(0.05, 0)), 0.0), name=f"foot {len(links)}")
            links.append(link)
        model.add(Revolute(links[0].at(-0.05, 0), links[1].at(-0.05, 0)), name="apex")
        fold = Event(angle(links[0].at(), links[1].at()), 0.0, action=lambda snapshot: Change())
        run = simulate(model, 0.15, output=0.001, rtol=1e-8, events=[fold])
        assert any(happening.event is fold for happening in run.events)
        assert run.energy.drift < 1e-8
        assert run.energy.dissipated[-1] < 1e-9 * run.energy.kinetic.max()  # both feet slide on: nothing strikes


class TestBadInput:
    def test_bodies_inside_each_other(self):
        model, *_ = dropped(-0.1, restitution=0.5)
        with pytest.raises(SimulationError, match="bodies of Impact 'floor' are inside each other by 0.1 m") as caught:
            simulate(model, 1.0)
        assert caught.value.elements == ("floor",)

    def test_numbers(self):
        with pytest.raises(ModelError, match="restitution of Impact 'floor' must be between 0 and 1, got 1.2"):
            dropped(restitution=1.2)
        with pytest.raises(ModelError, match="friction of Impact 'floor' must not be negative, got -0.1; pass"):
            dropped(restitution=0.5, friction=-0.1)
        with pytest.raises(ModelError, match="needs both friction= and along="):
            dropped(restitution=0.5, friction=0.1)
        with pytest.raises(ModelError, match="rest_speed of .* must not be negative"):
            dropped(restitution=0.5, rest_speed=-1.0)

    def test_a_method_without_events(self):
        model, *_ = dropped(restitution=0.5)
        with pytest.raises(ModelError, match="'bdf' is a cross-check without events, impacts and sticking"):
            simulate(model, 1.0, method="bdf")

    def test_hops_without_end(self):
        """Without loss, a hop of 1e-9 m takes 3e-5 s: a run of 1e4 s would have 3e8 of them."""
        model, *_ = dropped(1e-9, restitution=1.0, rest_speed=0.0)
        with pytest.raises(
            SimulationError, match="Impact 'floor' \\(struck\\) chatters: it occurred 200 times"
        ) as caught:
            simulate(model, 1e4)
        assert caught.value.elements == ("floor",) and len(caught.value.partial) > 0

    def test_a_press_that_never_ends(self):
        """A load that pulls the ball down does not matter; the contact stays closed."""
        model, ball, floor = dropped(0.0, restitution=0.5)
        model.add(Load(ball.at(), (0.0, lambda t: -5.0 * t)), name="press")
        run = simulate(model, 1.0, output=0.5)
        assert run[floor].force == pytest.approx([G, G + 2.5, G + 5.0])


def test_ball_between_walls_that_close_in_is_given_up_soon():
    """Its speed grows with each impact, so that it never comes to rest; after 200 in 1e-4 of what is left it is named.

    v g = 0.75 m2/s stays, so that impacts follow each other in 2 g^2 / 0.75: about 5000 until then.
    """
    model = Model("press")
    ball = model.add(Body(mass=1.0, inertia=1.0, position=(0, 0.5), velocity=(0, 1.0)), name="ball")
    plate = model.add(Body(mass=1.0, inertia=1.0, position=(0, 1.0)), name="plate")
    up = math.pi / 2.0
    guide = model.add(Translational(model.ground.at(angle=up), plate.at(angle=up)), name="guide")
    model.add(Driver(guide.travel, Ramp(-0.5, 1.0)), name="press")
    model.add(Impact(y(ball.at()), 1.0), name="floor")
    model.add(Impact(y(plate.at()) - y(ball.at()), 1.0), name="ceiling")
    with pytest.raises(SimulationError, match="chatters: it occurred 200 times") as caught:
        simulate(model, 2.5, output=0.1)
    assert caught.value.time == pytest.approx(2.0, abs=5e-3) and len(caught.value.partial.events) < 8000
