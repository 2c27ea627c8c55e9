"""Energies of a run: each share against a closed form, and what they add up to."""

import numpy as np
import pytest

from cardan import CardanWarning, ModelError, simulate
from cardan.planar import Action, Body, Driver, Harmonic, Impact, Load, Model, Polynomial, Spring, Translational, y
from closed_forms import oscillator
from simple_motions import spinning, swinging

M, K, C = 2.0, 50.0, 1.5


def pushed(force=None):
    """A block on a spring and a damper, from 0.3 m, with a load of 4 cos(3 t)."""
    model = Model("oscillator")
    block = model.add(Body(mass=M, inertia=1.0, position=(0.3, 0)), name="block")
    guide = model.add(Translational(model.ground.at(), block.at()), name="guide")
    model.add(Spring(guide.travel, K, C, rest_length=0.0), name="spring")
    model.add(Load(block.at(), (Harmonic(4.0, 3.0, phase=0.5 * np.pi), 0.0)), name="load")
    if force is not None:
        model.add(Action(guide.travel, force), name="action")
    return model


def test_shares_of_an_oscillator():
    """Kinetic and potential energy instant by instant; work and dissipation by the trapezoidal rule."""
    run = simulate(pushed(), 2.0, output=0.001, rtol=1e-10)
    exact = oscillator(run.times, M, K, C, start=0.3, force=4.0, frequency=3.0)
    energy = run.energy
    assert np.abs(energy.kinetic - 0.5 * M * exact.rate**2).max() < 1e-8
    assert np.abs(energy.potential - 0.5 * K * exact.value**2).max() < 1e-8
    power = 4.0 * np.cos(3.0 * run.times) * exact.rate
    for found, rate in ((energy.work, power), (energy.dissipated, C * exact.rate**2)):
        expected = np.concatenate([[0.0], np.cumsum(0.5e-3 * (rate[1:] + rate[:-1]))])
        assert np.abs(found - expected).max() < 1e-5  # h^2 / 12 times the second derivative
    assert np.abs(energy.driven).max() == 0.0 and energy.drift < 1e-8


def test_work_of_one_force():
    """Each force alone, and all of them together."""

    def drag(place, rate):
        return -0.7 * rate

    model = pushed(drag)
    run = simulate(model, 1.0, output=0.1, rtol=1e-10)
    parts = [run.energy.work_of(model[name]) for name in ("load", "action", "spring")]
    assert np.abs(sum(parts) - run.energy.work).max() < 1e-15
    assert parts[1][-1] < 0.0 and np.abs(parts[2]).max() < 1e-15  # the spring's own shares are elsewhere
    assert np.abs(parts[1] + 0.7 / C * run.energy.dissipated).max() < 1e-8


def test_what_single_dampers_take():
    """Two dampers along one travel share as their constants do, one along another body takes nothing of it."""
    model = pushed()
    guide, block = model["guide"], model["block"]
    model.add(Spring(guide.travel, damping=2.0 * C), name="second")
    other = model.add(Body(mass=1.0, inertia=1.0, velocity=(0.0, 1.0)), name="other")
    model.add(Spring(y(other.at()), damping=2.0), name="third")
    run = simulate(model, 2.0, output=0.02, rtol=1e-10)
    energy = run.energy
    first, second, third = (energy.dissipated_by(model[name]) for name in ("spring", "second", "third"))
    assert np.abs(first + second + third - energy.dissipated).max() < 1e-12
    assert np.abs(second - 2.0 * first).max() < 1e-12 * energy.dissipated[-1]
    slowed = 0.5 * (1.0 - np.exp(-4.0 * run.times))  # of the kinetic energy, with v = exp(-2 t)
    assert np.abs(third - slowed).max() < 1e-7  # h^5 of the rule between the instants
    assert np.abs(energy.dissipated_by(model["load"])).max() == 0.0
    with pytest.raises(ModelError, match="Body 'block' is not a force of 'oscillator'"):
        energy.work_of(block)


def test_what_impacts_took_is_not_that_of_dampers():
    """A ball that bounces in a syrup: with e = 0.8 a blow takes 0.36 of the kinetic energy."""
    model = Model("syrup", gravity=(0, -9.81))
    ball = model.add(Body(mass=1.0, inertia=1.0, position=(0, 1.0)), name="ball")
    drag = model.add(Spring(y(ball.at()), damping=0.2), name="drag")
    floor = model.add(Impact(y(ball.at()), 0.8), name="floor")
    run = simulate(model, 1.5, output=0.01, rtol=1e-10)
    blows = [0.5 * h.snapshot[ball].velocity[1] ** 2 * 0.36 for h in run.events]
    assert run.energy.dissipated_by(floor)[-1] == pytest.approx(sum(blows), rel=1e-12) and len(blows) >= 2
    both = run.energy.dissipated_by(floor) + run.energy.dissipated_by(drag)
    assert np.abs(both - run.energy.dissipated).max() < 1e-12
    with pytest.warns(CardanWarning, match="too far apart"):
        simulate(model, 1.5, output=0.75).energy.dissipated_by(drag)


def test_what_a_driver_puts_in():
    """x = t^2 of 2 kg without spring: the driver gives all the kinetic energy, 4 t^2."""
    model = Model("sledge")
    block = model.add(Body(mass=M, inertia=1.0), name="block")
    guide = model.add(Translational(model.ground.at(), block.at()), name="guide")
    model.add(Driver(guide.travel, Polynomial(0.0, 0.0, 1.0)), name="push")
    run = simulate(model, 1.0, output=0.1)
    assert np.abs(run.energy.driven - 4.0 * run.times**2).max() < 1e-9
    assert np.abs(run.energy.kinetic - 4.0 * run.times**2).max() < 1e-9


def test_weight():
    energy = simulate(swinging()[0], 1.0, output=0.1, rtol=1e-10).energy
    assert np.ptp(energy.total) < 1e-8 and np.ptp(energy.potential) > 1.0
    assert "drift" in repr(energy)


def test_a_first_instant_that_is_not_the_start():
    energy = simulate(spinning(), 2.0, output=[1.0, 1.5, 2.0]).energy
    assert abs(energy.error[0]) == 0.0 and energy.drift < 1e-6


def test_the_paragraph():
    """repr() of a run tells its span, its method and what it is worth."""
    text = repr(simulate(swinging()[0], 1.0, output=0.5, method="dop853"))
    for word in ("'pendulum' by dop853", "0 s to 1 s, 3 output times", "worst constraint violation", "energy drift"):
        assert word in text


def test_at_rest_nothing_drifts():
    """A body that hangs on a spring, and one in empty space: the error is rounding, not all of the energy there is."""
    for gravity in (0.0, -9.81):
        model = Model("still", gravity=(0.0, gravity))
        body = model.add(Body(2.0, 1.0, position=(0.0, -1.0)), name="body")
        model.add(Translational(model.ground.at(angle=np.pi / 2), body.at(angle=np.pi / 2)), name="rail")
        model.add(Spring(y(body.at()), 100.0, rest_length=-1.0 - gravity * 2.0 / 100.0), name="spring")
        assert simulate(model, 1.0).energy.drift < 1e-9
