"""Motors and cylinders: closed forms, stiff ones, energy, and what they reject."""

import math

import numpy as np
import pytest

from cardan import Event, ModelError, SimulationError, simulate
from cardan.planar import (
    PID,
    Body,
    ElectricMotor,
    HydraulicCylinder,
    Model,
    Revolute,
    Step,
    Translational,
)
from folding import folded

RTOL = 1e-9
NEAR = 1e-6  # 1000 rtol: speeds of 100 rad/s over seconds
R, K, J, V = 2.0, 0.1, 0.01, 24.0


def fan(inductance, gear=1.0, **options):
    model = Model("fan")
    rotor = model.add(Body(mass=1.0, inertia=J), name="rotor")
    hinge = model.add(Revolute(model.ground.at(), rotor.at()), name="hinge")
    return (
        model,
        hinge.angle,
        model.add(ElectricMotor(hinge.angle, V, R, inductance, K, gear=gear, **options), name="m"),
    )


def spin_up(times, inductance, gear=1.0):
    """Current and speed from rest, by the eigenvalues of L i' = V - R i - k n w, J w' = n k i."""
    k = gear * K
    A = np.array([[-R / inductance, -k / inductance], [k / J, 0.0]])
    values, vectors = np.linalg.eig(A)
    end = np.array([0.0, V / k])
    return np.real(end[:, None] + vectors @ (np.linalg.solve(vectors, -end)[:, None] * np.exp(np.outer(values, times))))


@pytest.mark.parametrize("gear", [1.0, 3.0])
@pytest.mark.parametrize("method", ["auto", "radau"])
def test_a_motor_spins_up(method, gear):
    """At the ends of steps: between them explicit steps as long as stability allows are less exact."""
    model, angle, motor = fan(0.05, gear)
    run = simulate(model, 5.0, rtol=RTOL, method=method)
    current, speed = spin_up(run.times, 0.05, gear)
    assert np.abs(run[angle].rate - speed).max() < NEAR
    assert np.abs(run[motor]["current"] - current).max() < NEAR
    assert np.abs(run[motor].force - gear * K * current).max() < NEAR
    assert np.abs(run[motor]["power"] - V * current).max() < 100 * NEAR


def test_a_motor_without_inductance():
    """J w' = k (V - k w) / R"""
    model, angle, motor = fan(0.0)
    run = simulate(model, 5.0, output=0.1, rtol=RTOL)
    speed = V / K * (1.0 - np.exp(-(K**2) / (R * J) * run.times))
    assert np.abs(run[angle].rate - speed).max() < NEAR
    assert np.abs(run[motor]["current"] - (V - K * speed) / R).max() < NEAR


@pytest.mark.parametrize("method", ["auto", "radau"])
def test_the_current_of_a_small_coil_is_stiff(method):
    """L/R = 1e-5 s: an explicit method would take 80,000 steps for 5 s."""
    model, angle, motor = fan(2e-5)
    run = simulate(model, 5.0, output=0.5, rtol=1e-8, method=method)
    current, speed = spin_up(run.times, 2e-5)
    assert run.stats.steps < 1000
    assert np.abs(run[angle].rate - speed).max() < NEAR
    assert np.abs(run[motor]["current"] - current)[1:].max() < NEAR
    assert method == "radau" or any("radau" in note for note in run.stats.notes)


def test_the_energy_of_a_motor_adds_up():
    """What it takes from its supply is heat, the field of its coil, and the work that turns the fan."""
    model, _, motor = fan(0.05)
    run = simulate(model, 5.0, output=0.001, rtol=RTOL)
    current = run[motor]["current"]
    supplied, heat = (np.trapezoid(p, run.times) for p in (V * current, R * current**2))
    work = run.energy.work_of(motor)[-1]
    assert work == pytest.approx(run.energy.kinetic[-1], rel=1e-8)
    assert np.array_equal(run.table()[f"{motor.name}.current"], current)
    assert supplied == pytest.approx(heat + 0.5 * 0.05 * current[-1] ** 2 + work, rel=1e-5)  # trapezoids of 1 ms


SUPPLY, AREA, VOLUME, BULK = 2e7, 2e-3, 1e-3, 1.4e9


def press(valve=0.0, mass=100.0, **options):
    model = Model("press")
    ram = model.add(Body(mass=mass, inertia=1.0, velocity=options.pop("velocity", (0.0, 0.0))), name="ram")
    travel = model.add(Translational(model.ground.at(), ram.at()), name="guide").travel
    stated = {"areas": (AREA, AREA), "volumes": (VOLUME, VOLUME), "flow": 1e-7, "start": (1e7, 1e7)} | options
    return model, travel, model.add(HydraulicCylinder(travel, valve, SUPPLY, **stated), name="cylinder")


def test_a_closed_cylinder_is_a_spring():
    """Small oscillations at w = sqrt(2 bulk A^2 / (V m)); the volumes change by 1e-4, so does w by its square."""
    model, travel, _ = press(velocity=(0.01, 0.0))
    zero = Event(travel, 0.0, "falling")
    run = simulate(model, 1.0, rtol=1e-10, events=[zero])
    w = math.sqrt(2.0 * BULK * AREA**2 / (VOLUME * 100.0))
    assert run.times[-1] == pytest.approx(math.pi / w, rel=1e-6)


@pytest.mark.parametrize("method", ["auto", "radau"])
def test_an_open_valve_lets_the_ram_run(method):
    """Without load p1 = p2 = supply/2 and A v = flow u sqrt(supply/2); `smooth` takes (1e-3)^2 of it."""
    model, travel, cylinder = press(Step(0.0, 0.1, 0.0, 0.5), mass=1.0, leakage=1e-12)
    run = simulate(model, 1.0, output=0.1, rtol=1e-7, method=method)
    assert run[travel].rate[-1] == pytest.approx(1e-7 * 0.5 * math.sqrt(SUPPLY / 2) / AREA, rel=2e-6)
    assert run[cylinder]["p1"][-1] == pytest.approx(SUPPLY / 2, rel=1e-5)
    assert run[cylinder]["q1"][-1] == pytest.approx(AREA * run[travel].rate[-1], rel=1e-6)
    assert run.stats.steps < 400  # explicit: 800, and ten times as many where the ram is lighter


def test_a_ram_is_positioned():
    model = Model("positioned")
    ram = model.add(Body(mass=50.0, inertia=1.0), name="ram")
    travel = model.add(Translational(model.ground.at(), ram.at()), name="guide").travel
    servo = model.add(PID(travel, 0.05, kp=40.0, limits=(-1.0, 1.0)), name="servo")
    stated = {"areas": (AREA, AREA), "volumes": (VOLUME, VOLUME), "flow": 1e-7, "leakage": 2e-11, "start": (1e7, 1e7)}
    cylinder = model.add(HydraulicCylinder(travel, servo, SUPPLY, **stated), name="cylinder")
    run = simulate(model, 4.0, output=0.5)
    assert run[travel].value[-1] == pytest.approx(0.05, abs=1e-6)
    assert np.abs(run[servo].value).max() <= 1.0
    assert abs(run[cylinder].force[-1]) < 1.0


def test_a_piston_that_comes_to_an_end_is_named():
    model, _, _ = press(1.0, volumes=(1e-4, 1e-4))
    words = "HydraulicCylinder 'cylinder' .*the piston has reached an end of its cylinder"
    with pytest.raises(SimulationError, match=words) as stop:
        simulate(model, 20.0, output=0.1)
    assert stop.value.partial.times[-1] > 0.1


BAD = {
    "resistance": (
        lambda s: ElectricMotor(s, 1.0, -2.0, 0.1, 0.1),
        "resistance of .* must not be negative",
    ),
    "no coil": (lambda s: ElectricMotor(s, 1.0, 0.0, 0.0, 0.1), "neither resistance nor inductance"),
    "voltage": (lambda s: ElectricMotor(s, "V", 2.0, 0.1, 0.1), "the voltage of an ElectricMotor must be a measure"),
    "supply": (lambda s: HydraulicCylinder(s, 0.0, 1e5, (1, 1), (1, 1), 1e-7, tank=2e5), "must be above its tank"),
    "areas": (lambda s: HydraulicCylinder(s, 0.0, 1e5, (0, 1), (1, 1), 1e-7), "areas of .* must be positive, got 0"),
    "volumes": (lambda s: HydraulicCylinder(s, 0.0, 1e5, (1, 1), (1, -1), 1e-7), "volumes of .* must be positive"),
}


@folded("name", BAD)
def test_wrong_numbers_are_rejected_by_name(name):
    build, words = BAD[name]
    with pytest.raises(ModelError, match=words):
        build(press()[1])
