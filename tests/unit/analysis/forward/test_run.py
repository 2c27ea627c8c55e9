"""Runs of forward dynamics: turns of angles, and bodies without mass or inertia."""

import math

import numpy as np
import pytest

import cardan.spatial as space
from cardan import SimulationError, simulate
from cardan.analysis.forward.state import settings_of
from cardan.methods import Auto
from cardan.planar import Body, Fixed, Load, Model, Revolute, Spring, Torque, length
from closed_forms import pendulum
from simple_motions import G, swinging

METHODS = ("auto", "dop853")


class TestTurns:
    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("speed", [3.0, 30.0, 150.0])
    def test_a_rotor_on_a_coil(self, method, speed):
        """theta = w/2 sin 2t: up to 12 turns each way, of which the orientation alone knows nothing."""
        model = space.Model("rotor")
        rotor = model.add(space.Body(mass=1.0, inertia=(1, 1, 1), angular_velocity=(0, 0, speed)), name="rotor")
        hinge = model.add(space.Revolute(model.ground.at(), rotor.at()), name="hinge")
        model.add(space.Spring(hinge.angle, 4.0, rest_angle=0.0), name="coil")
        run = simulate(model, 5.0, output=0.05, rtol=1e-10, method=method)
        # Relative error per rad turned of about rtol.
        assert np.abs(run[hinge.angle].value - 0.5 * speed * np.sin(2 * run.times)).max() < 1e-7 * speed
        assert run.energy.drift < 1e-8

    def test_a_fast_rotor(self):
        """3000 rad/s for 1 s: 477 turns, none of them lost between outputs 0.5 s apart."""
        model = space.Model("rotor")
        rotor = model.add(space.Body(mass=1.0, inertia=(1, 1, 1), angular_velocity=(0, 0, 3000.0)), name="rotor")
        hinge = model.add(space.Revolute(model.ground.at(), rotor.at()), name="hinge")
        run = simulate(model, 1.0, output=0.5, method="dop853")
        assert run[hinge.angle].value == pytest.approx([0.0, 1500.0, 3000.0], abs=1e-5)


class TestWithoutMass:
    """What has no mass, or no inertia, is led by joints; what nothing leads is named."""

    @pytest.mark.parametrize("method", METHODS)
    def test_a_rod_between_two_point_masses(self, method):
        """1 kg and 2 kg, 3 m/s apart: the pair turns at 3 rad/s about its mass center, which flies on a parabola."""
        model = Model("pair", gravity=(0, -G))
        one = model.add(Body(mass=1.0, position=(0, 0), velocity=(0, 1.0), angular_velocity=-3.0), name="one")
        two = model.add(Body(mass=2.0, position=(1, 0), velocity=(0, -2.0), angular_velocity=-3.0), name="two")
        rod = model.add(Body(mass=0.0, position=(0.5, 0), velocity=(0, -0.5), angular_velocity=-3.0), name="rod")
        model.add(Fixed(rod.at(-0.5, 0), one.at()), name="left")
        model.add(Fixed(rod.at(0.5, 0), two.at()), name="right")
        run = simulate(model, 2.0, output=0.1, rtol=1e-10, method=method)
        t = run.times
        center = np.stack([2 / 3 + 0 * t, -t - 0.5 * G * t**2], axis=1)
        arm = np.stack([np.cos(3 * t), -np.sin(3 * t)], axis=1)
        assert np.abs(run[one].position - center + 2 / 3 * arm).max() < 1e-8
        assert np.abs(run[rod].angle + 3 * t).max() < 1e-8

    @pytest.mark.parametrize("method", METHODS)
    def test_a_massless_coupler(self, method):
        """A parallelogram of two bars of 1 kg and a coupler without mass: each bar is a pendulum of its own."""
        model = Model("four-bar", gravity=(0, -G))
        bars = []
        for k, base in enumerate((0.0, 2.0)):
            place = (base + 0.5 * math.sin(1.0), -0.5 * math.cos(1.0))
            bar = model.add(Body(mass=1.0, inertia=1 / 12, position=place, angle=1 - 0.5 * math.pi), name=f"bar {k}")
            model.add(Revolute(model.ground.at(base, 0), bar.at(-0.5, 0)), name=f"pivot {k}")
            bars.append(bar)
        coupler = model.add(Body(mass=0.0, position=(1 + math.sin(1.0), -math.cos(1.0))), name="coupler")
        model.add(Revolute(bars[0].at(0.5, 0), coupler.at(-1, 0)), name="P")
        model.add(Revolute(bars[1].at(0.5, 0), coupler.at(1, 0)), name="Q")
        run = simulate(model, 3.0, output=0.05, rtol=1e-10, method=method)
        exact = pendulum(run.times, math.sqrt(1.5 * G), 1.0)
        assert np.abs(run[bars[1]].angle + 0.5 * math.pi - exact.value).max() < 1e-8
        assert np.abs(run[coupler].angle).max() < 1e-10

    @pytest.mark.parametrize("method", METHODS)
    def test_a_pendulum_of_point_masses(self, method):
        model, _, pin = swinging()
        run = simulate(model, 3.0, output=0.05, rtol=1e-10, method=method)
        exact = pendulum(run.times, math.sqrt(G), 1.0)
        assert np.abs(run[pin.angle].value + 0.5 * math.pi - exact.value).max() < 1e-8

    @pytest.mark.parametrize("free", ["body", "turn"])
    def test_nothing_resists(self, free):
        model = Model("ghost")
        ghost = model.add(Body(mass=0.0 if free == "body" else 1.0, inertia=0.0), name="ghost")
        model.add(Load(ghost.at(), (1.0, 0)) if free == "body" else Torque(ghost.at(), 1.0), name="push")
        with pytest.raises(SimulationError, match="nothing resists the .* of body 'ghost'.*add some, or constrain it"):
            simulate(model, 1.0)

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("holds", ["nothing", "hinge on a spring"])
    def test_nothing_resists_though_nothing_acts(self, method, holds):
        """A point that is free to turn, without any torque: its turning is undetermined all the same."""
        model = Model("ghost", gravity=(0, -G))
        point = model.add(Body(mass=1.0, position=(1, 0), angular_velocity=2.0), name="point")
        if holds != "nothing":
            model.add(Spring(length(model.ground.at(), point.at()), 100.0, rest_length=1.0), name="spring")
        with pytest.raises(SimulationError, match="at t = 0 s nothing resists the angle of body 'point'") as caught:
            simulate(model, 1.0, method=method)
        assert caught.value.elements == ("point",) and caught.value.time == 0.0

    def test_points_in_space_turn_about_their_rod(self):
        """A rod without inertia about its own axis, on a ball joint: nothing resists its spin."""
        model = space.Model("rod", gravity=(0, 0, -G))
        rod = model.add(space.Body(mass=1.0, inertia=(0.0, 1.0, 1.0), position=(1, 0, 0)), name="rod")
        model.add(space.Spherical(model.ground.at(), rod.at(-1, 0, 0)), name="ball")
        with pytest.raises(SimulationError, match="nothing resists the turn .*of body 'rod'"):
            simulate(model, 1.0)


def test_states_between_outputs_have_the_tolerances_of_the_run() -> None:
    model = Model("pendulum", gravity=(0, -G))
    bob = model.add(Body(mass=1.0, position=(1.0, 0.0)), name="bob")
    model.add(Revolute(model.ground.at(), bob.at(-1.0, 0.0)), name="pin")
    run = simulate(model, 1.0, output=1.0, rtol=1e-9, atol=1e-7, rank_tolerance=1e-11)
    settings = settings_of(run, Auto())
    assert (settings.rtol, settings.atol, settings.rank_tolerance) == (1e-9, 1e-7, 1e-11)
    steps = simulate(model, 1.0, rtol=1e-9, atol=1e-7)
    assert abs(run.at(0.5)["bob"].angle - steps.at(0.5)["bob"].angle) < 1e-6
