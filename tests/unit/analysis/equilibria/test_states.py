"""Rest with the states of devices: integrals that carry weight, locked rotors, what cannot be at rest, stability."""

import math

import pytest

from cardan import CardanWarning, SimulationError, equilibrium, simulate, steady_motion
from cardan.planar import (
    PID,
    Actuator,
    Body,
    ElectricMotor,
    Hold,
    Integrator,
    Lag,
    Model,
    Revolute,
    Sampled,
    Spring,
    Sum,
    Translational,
    rate,
    reaction,
)

G = 9.81
EXACT = 1e-10  # forces balance to 1e-12 of themselves


def lift(mass=1.0):
    """A mass that moves up and down."""
    model = Model("lift", gravity=(0.0, -G))
    cage = model.add(Body(mass=mass, inertia=1.0), name="cage")
    upward = {"angle": math.pi / 2.0}
    guide = model.add(Translational(model.ground.at(**upward), cage.at(**upward)), name="guide")
    return model, guide.travel


def held(kp=100.0, ki=50.0, kd=20.0):
    model, height = lift()
    pid = model.add(PID(height, 1.0, kp=kp, ki=ki, kd=kd), name="pid")
    model.add(Actuator(height, pid), name="drive")
    return model, height, pid


def test_an_integral_carries_the_weight():
    model, height, pid = held()
    rest = equilibrium(model, "newton")
    assert rest[height].value == pytest.approx(1.0, abs=EXACT)
    assert rest[pid]["i"] == pytest.approx(G, abs=1e-9) and rest[pid].value == pytest.approx(G, abs=1e-9)
    run = simulate(model, 2.0, start=rest)
    assert abs(run[height].value - 1.0).max() < 1e-9


@pytest.mark.parametrize("mass", [1e-6, 1e3, 1e6])
def test_machines_of_any_size(mass):
    """Whatever the units of a state, it is found as exactly."""
    model, height = lift(mass)
    pid = model.add(PID(height, 1.0, kp=100.0 * mass, ki=50.0 * mass, kd=20.0 * mass), name="pid")
    model.add(Actuator(height, pid), name="drive")
    rest = equilibrium(model)
    assert rest[height].value == pytest.approx(1.0, abs=EXACT) and rest.stable
    assert rest[pid].value == pytest.approx(mass * G, rel=1e-9)


def test_signals_add_up_with_numbers_and_measures():
    """u = (2 - pid / 2) + travel of a controller that gives a constant."""
    model, height = lift()
    constant = model.add(PID(height, 0.0, kp=-1.0, ki=0.0, kd=0.0), name="constant")
    total = sum([2.0 - constant / 2.0, height]) + 1.0 - height
    model.add(Actuator(height, total), name="drive")
    rest = equilibrium(model, "newton")  # 3 - z / 2 = G
    assert rest[height].value == pytest.approx(2.0 * (3.0 - G), abs=1e-9)


@pytest.mark.parametrize(("ki", "stable"), [(1.0, True), (1.9, True), (2.1, False), (50.0, False)])
def test_stability_is_that_of_the_whole(ki, stable):
    """s^3 + kd s^2 + kp s + ki with kd = 1, kp = 2: all roots lie to the left while ki < kd kp (Routh, Hurwitz)."""
    model, height, _ = held(kp=2.0, ki=ki, kd=1.0)
    rest = equilibrium(model, "newton")
    assert rest[height].value == pytest.approx(1.0, abs=EXACT) and rest.stable is stable


def test_a_locked_rotor():
    """k phi = k_t V / R."""
    model = Model("locked")
    rotor = model.add(Body(mass=1.0, inertia=0.01), name="rotor")
    hinge = model.add(Revolute(model.ground.at(), rotor.at()), name="hinge")
    model.add(Spring(hinge.angle, 2.4, rest_angle=0.0), name="spring")
    motor = ElectricMotor(hinge.angle, 24.0, resistance=2.0, inductance=0.01, torque_constant=0.1)
    model.add(motor, name="motor")
    rest = equilibrium(model, "newton")
    assert rest[hinge.angle].value == pytest.approx(0.5, abs=EXACT) and rest.stable
    assert rest[motor.device]["current"] == pytest.approx(12.0, abs=1e-9)


def test_what_settles_rests_with_its_states():
    model, height, pid = held()
    rest = equilibrium(model, "settle")
    assert rest[height].value == pytest.approx(1.0, abs=EXACT) and rest[pid]["i"] == pytest.approx(G, abs=1e-9)


def test_steady_motion_without_spin_is_rest():
    model, height, pid = held()
    motion = steady_motion(model, 0.0)
    assert motion[height].value == pytest.approx(1.0, abs=1e-8) and motion[pid]["i"] == pytest.approx(G, abs=1e-7)


def test_an_integrator_with_a_constant_input_is_named():
    model, height = lift()
    model.add(Spring(height, 100.0, rest_length=0.0), name="spring")
    ramp = model.add(Integrator(3.0), name="ramp")
    model.add(Actuator(height, ramp), name="drive")
    with pytest.raises(SimulationError, match="state 'y' of Integrator 'ramp' keeps changing, at 3 per second"):
        equilibrium(model, "newton")


def test_states_that_nothing_decides_keep_their_start():
    """An integral of the speed is at rest whatever it is."""
    model, height = lift()
    model.add(Spring(height, 100.0, rest_length=0.0), name="spring")
    way = model.add(Integrator(rate(height), start=7.0), name="way")
    rest = equilibrium(model, "newton")
    assert rest[way].value == pytest.approx(7.0, abs=EXACT) and rest.stable is None
    assert rest[height].value == pytest.approx(-G / 100.0, abs=EXACT)


def test_a_filter_shows_what_it_is_given():
    model, height = lift()
    model.add(Spring(height, 100.0, rest_length=0.0), name="spring")
    smooth = model.add(Lag(height, 0.05, gain=2.0), name="smooth")
    rest = equilibrium(model, "newton")
    assert rest[smooth].value == pytest.approx(-2.0 * G / 100.0, abs=EXACT) and rest.stable


def test_a_sampled_integral_carries_the_weight():
    """A digital PI law at rest: its error is nothing, and what it holds is the weight."""
    model, height = lift()

    def law(position, speed, total):
        total = total + 0.5 * (0.3 - position)
        return 80.0 * (0.3 - position) - 15.0 * speed + total, total

    computer = Sampled(law, [height, rate(height)], period=0.01, states={"total": 0.0})
    model.add(computer, name="computer")
    model.add(Actuator(height, computer), name="drive")
    rest = equilibrium(model, "newton")
    assert rest[height].value == pytest.approx(0.3, abs=EXACT) and rest.stable
    assert rest[computer].value == pytest.approx(G, abs=1e-9) and rest[computer]["total"] == pytest.approx(G, abs=1e-9)
    run = simulate(model, 1.0, start=rest)
    assert abs(run[height].value - 0.3).max() < 1e-9


def test_a_controller_with_a_memory_of_its_own_is_not_asked():
    class Law:
        def __call__(self, position):
            raise AssertionError("must not be called")

    model, height = lift()
    model.add(Spring(height, 100.0, rest_length=0.0), name="spring")
    computer = model.add(Sampled(Law(), [height], period=0.01, start=[4.0]), name="computer")
    model.add(Actuator(height, computer), name="drive")
    with pytest.warns(CardanWarning, match="cannot call sampled 'computer' repeatedly"):
        rest = equilibrium(model, "newton")
    assert rest[height].value == pytest.approx((4.0 - G) / 100.0, abs=EXACT)


def test_a_force_that_follows_a_reaction():
    """A jack pushes with half of what the hold carries: P + 0.5 P = m g at the same guide."""
    model, height = lift(mass=2.0)
    hold = model.add(Hold(height, 0.0), name="hold")
    (label,) = (equation.label for equation in hold.equations())
    half = model.add(Sum([reaction(hold, label)], gains=[0.5]), name="half")
    jack = model.add(Actuator(height, half), name="jack")
    rest = equilibrium(model)
    assert rest[hold].force == pytest.approx(2.0 * G / 1.5, rel=1e-9)
    assert abs(rest[jack].force) == pytest.approx(G / 1.5, rel=1e-9)


def test_what_drives_is_named():
    """Beside a lift that a controller holds, a wheel that nothing holds: a drive of 3 N m turns it on and on."""
    model, _, _ = held()
    wheel = model.add(Body(mass=1.0, inertia=0.1), name="wheel")
    hinge = model.add(Revolute(model.ground.at(), wheel.at()), name="hinge")
    model.add(Spring(hinge.angle, damping=0.5, force=-3.0), name="drive of the wheel")
    words = "along the angle of 'wheel', where Spring 'drive of the wheel' has the largest force, 3 N m"
    with pytest.raises(SimulationError, match=words) as caught:
        equilibrium(model)
    assert caught.value.elements == ("wheel", "drive of the wheel")
