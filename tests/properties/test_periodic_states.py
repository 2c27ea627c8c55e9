"""Periodic motions with states of devices, sampled controllers, impacts and sticking friction."""

import math

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg

from cardan import ModelError, SimulationError, periodic_motion, simulate
from cardan.planar import (
    Action,
    Actuator,
    Body,
    Driver,
    Friction,
    Harmonic,
    Impact,
    Lag,
    Load,
    Model,
    Sampled,
    Spring,
    Translational,
    rate,
    y,
)

G = 9.81
OMEGA = 3.0
PERIOD = 2.0 * math.pi / OMEGA
CLOSE = 1e-8  # motions close to 1e-9, multipliers come from differences of runs to 1e-8


def oscillator(stiffness=4.0, damping=0.4, load=1.0):
    """m x'' + c x' + k x = sin 3 t with m = 1."""
    model = Model("oscillator")
    mass = model.add(Body(mass=1.0, inertia=1.0), name="mass")
    guide = model.add(Translational(model.ground.at(), mass.at()), name="guide")
    model.add(Spring(guide.travel, stiffness, damping, rest_length=0.0), name="spring")
    model.add(Load(mass.at(), (Harmonic(load, OMEGA), 0.0)), name="push")
    return model, guide.travel


def sorted_by_size(values):
    return np.array(sorted(values, key=lambda value: (-round(abs(value), 6), value.imag)))


def test_a_lag_in_the_loop():
    """x'' = -4 x - 0.4 x' + w + sin 3 t,  0.5 w' = -3 x - w: three multipliers exp(s T), amplitude |(3i - A)^-1 b|."""
    model, travel = oscillator()
    lag = model.add(Lag(travel, 0.5, gain=-3.0), name="lag")
    model.add(Actuator(travel, lag), name="drive")
    motion = periodic_motion(model, PERIOD)
    A = np.array([[0.0, 1.0, 0.0], [-4.0, -0.4, 1.0], [-6.0, 0.0, -2.0]])
    answer = np.linalg.solve(1j * OMEGA * np.eye(3) - A, [0.0, 1.0, 0.0])
    expected = np.imag(np.outer(answer, np.exp(1j * OMEGA * motion.run.times)))
    assert abs(motion[travel].value - expected[0]).max() < CLOSE
    assert abs(motion[lag].value - expected[2]).max() < CLOSE
    multipliers = np.exp(np.linalg.eigvals(A) * PERIOD)
    assert motion.multipliers.size == 3 and motion.stable is False
    assert abs(sorted_by_size(motion.multipliers) - sorted_by_size(multipliers)).max() < 1e-6
    assert abs(answer[0]) == pytest.approx(0.24503, abs=5e-6)


def test_a_limit_cycle_with_a_state():
    """x'' = (1 - x^2) x' - x + 0.3 w,  0.7 w' = x - w: the period and both other multipliers by a reference solver."""
    model = Model("cycle")
    mass = model.add(Body(mass=1.0, inertia=1.0, position=(2.0, 0.0)), name="mass")
    guide = model.add(Translational(model.ground.at(), mass.at()), name="guide")
    model.add(Action(guide.travel, lambda x, v: (1.0 - x * x) * v - x), name="feed")
    lag = model.add(Lag(guide.travel, 0.7, gain=0.3), name="lag")
    model.add(Actuator(guide.travel, lag), name="drive")
    motion = periodic_motion(model, 7.0, autonomous=True)

    def flow(_, x):
        return [x[1], (1.0 - x[0] ** 2) * x[1] - x[0] + x[2], (0.3 * x[0] - x[2]) / 0.7]

    start = [motion[guide.travel].value[0], motion[guide.travel].rate[0], motion[lag].value[0]]

    def end(x):
        solution = scipy.integrate.solve_ivp(flow, (0.0, motion.period), x, method="DOP853", rtol=1e-12, atol=1e-13)
        return solution.y[:, -1]

    assert end(start) == pytest.approx(start, abs=1e-7)
    columns = [(end(start + h) - end(start - h)) / 2e-5 for h in 1e-5 * np.eye(3)]
    expected = np.linalg.eigvals(np.array(columns).T)
    assert abs(sorted_by_size(motion.multipliers) - sorted_by_size(expected)).max() < 1e-6 and motion.stable


def test_a_sampled_controller():
    """x'' = -4 x - 0.4 x' + u + sin 3 t, u held over n parts of the period: the map of one sample, n times."""
    n = 20
    h = PERIOD / n
    model, travel = oscillator()
    law = model.add(Sampled(lambda p, s: -1.5 * p - 0.8 * s, [travel, rate(travel)], period=h), name="law")
    model.add(Actuator(travel, law), name="drive")
    motion = periodic_motion(model, PERIOD)
    A = np.array([[0.0, 1.0, 0.0], [-4.0, -0.4, 1.0], [0.0, 0.0, 0.0]])
    held = scipy.linalg.expm(A * h)
    sample = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.5, -0.8, 0.0]])
    expected = np.linalg.eigvals(np.linalg.matrix_power(sample @ held, n))
    assert abs(sorted_by_size(motion.multipliers) - sorted_by_size(expected)).max() < 1e-6
    run = simulate(model, 40.0 * PERIOD, output=PERIOD, rtol=1e-10)
    assert run[travel].value[-1] == pytest.approx(motion[travel].value[0], abs=1e-7)
    with pytest.raises(ModelError, match="'law' samples every.*which is 20.06 of its periods"):
        periodic_motion(model, 1.003 * PERIOD)
    with pytest.raises(ModelError, match="'law' samples every.*whose period is unknown"):
        periodic_motion(model, PERIOD, autonomous=True)


def test_a_controller_with_a_memory_is_rejected():
    class Law:
        def __call__(self, position):
            return -position

    model, travel = oscillator()
    model.add(Actuator(travel, model.add(Sampled(Law(), [travel], period=PERIOD / 8.0), name="law")), name="drive")
    with pytest.raises(ModelError, match="'law' is not a plain function"):
        periodic_motion(model, PERIOD)


def test_a_ball_on_a_shaking_table():
    """Once struck in each period: w = g T / 2 after the impact, A W cos phi = (1 - e) / (1 + e) g T / 2.

    Disturbances of the instant and of the speed before the impact, with D = s' - u:
    dw = -e du + (1 + e) s'' dt,   dt <- dt + T dw / D,   du <- (1 - g T / D) dw.
    """
    e, T, A = 0.5, 1.0, 0.3
    W, w = 2.0 * math.pi / T, 0.5 * G * T
    s1 = w * (1.0 - e) / (1.0 + e)
    struck = math.acos(s1 / (A * W)) / W
    s2, D = -A * W**2 * math.sin(W * struck), s1 + w
    dw = np.array([(1.0 + e) * s2, -e])
    expected = np.linalg.eigvals(np.array([np.array([1.0, 0.0]) + T / D * dw, (1.0 - G * T / D) * dw]))

    model = Model("table", gravity=(0.0, -G))
    up = {"angle": math.pi / 2.0}
    flight = T - struck  # since the impact before t = 0
    height = A * math.sin(W * struck) + w * flight - 0.5 * G * flight**2
    ball = model.add(
        Body(mass=1.0, inertia=1.0, position=(0.0, height + 0.02), velocity=(0.0, w - G * flight - 0.03)), name="ball"
    )
    table = model.add(Body(mass=1.0, inertia=1.0), name="table")
    model.add(Translational(model.ground.at(**up), ball.at(**up)), name="tube")
    lift = model.add(Translational(model.ground.at(**up), table.at(**up)), name="lift")
    model.add(Driver(lift.travel, Harmonic(A, W)), name="shaker")
    model.add(Impact(y(ball.at()) - y(table.at()), e), name="touch")
    motion = periodic_motion(model, T)
    assert motion.start[ball].position[1] == pytest.approx(height, abs=CLOSE)
    assert motion.start[ball].velocity[1] == pytest.approx(w - G * flight, abs=CLOSE)
    assert [h.time for h in motion.run.events] == pytest.approx([struck], abs=CLOSE)
    assert motion.stable and abs(motion.multipliers) == pytest.approx([e, e], abs=1e-6)
    assert abs(sorted_by_size(motion.multipliers) - sorted_by_size(expected)).max() < 1e-6


def test_an_oscillator_that_hits_a_wall():
    """Newton's method from rest, and a run long enough for all else to die out, end in one motion."""
    model, travel = oscillator()
    model.add(Impact(travel, 0.8, below=-0.1), name="wall")
    run = simulate(model, 200.0 * PERIOD, output=PERIOD, rtol=1e-10)
    motion = periodic_motion(model, PERIOD, start=run.at(190.0 * PERIOD))
    assert motion.stable and motion[travel].value.min() > -0.1 - 1e-9
    assert motion[travel].value[0] == pytest.approx(run[travel].value[-1], abs=1e-6)


def test_friction_that_sticks_within_the_period():
    model, travel = oscillator(load=3.0)
    model.add(Friction(travel, 0.2, normal=2.0, static_friction=0.3, sticks=True), name="rub")
    run = simulate(model, 60.0 * PERIOD, output=PERIOD, rtol=1e-10)
    motion = periodic_motion(model, PERIOD)
    assert motion.stable
    assert motion[travel].value[0] == pytest.approx(run[travel].value[-1], abs=1e-7)


def test_a_contact_that_is_closed_at_the_start_is_told():
    model, travel = oscillator(load=0.01)
    model.add(Impact(travel, 0.0, below=0.0), name="wall")
    model.add(Load(model["mass"].at(), (-5.0, 0.0)), name="weight")
    with pytest.raises(SimulationError, match="'wall' of 'oscillator' is closed at the start of the period"):
        periodic_motion(model, PERIOD)
