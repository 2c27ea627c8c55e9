"""Feedback control: controllers on a mass, continuous and sampled, against linear systems theory."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from cardan import simulate
from cardan.planar import PID, Actuator, Body, Model, Sampled, TransferFunction, Translational, rate
from verification.manual import Within

M, KP, KI, KD = 2.0, 50.0, 30.0, 10.0
RTOL = 1e-10
NEAR = Within(1e-8, "100 rtol")


@pytest.mark.parametrize("tau", [0.0, 0.05])
def test_pid_on_a_mass(record, tau):
    """PID on a mass of 2 kg: a step of the setpoint to 1 m, kp = 50, ki = 30, kd = 10.

    m x'' = kp (1 - x) + i - kd d, i' = ki (1 - x), d = x' or tau d' + d = x'. The closed loop is linear: its matrix
    exponential is the solution.
    """
    model, travel = _mass()
    pid = model.add(PID(travel, 1.0, KP, KI, KD, tau=tau), name="pid")
    model.add(Actuator(travel, pid), name="drive")
    run = simulate(model, 5.0, output=0.05, rtol=RTOL)
    A = np.zeros((5, 5))  # of x, v, i, d, 1
    A[0, 1] = 1.0
    A[1, [0, 2, 4]] = -KP / M, 1.0 / M, KP / M
    A[1, 3 if tau else 1] = -KD / M
    A[2, [0, 4]] = -KI, KI
    A[3, [1, 3]] = (1.0 / tau, -1.0 / tau) if tau else (0.0, 0.0)
    exact = np.array([expm(A * t) @ [0, 0, 0, 0, 1] for t in run.times])
    case = f"tau = {tau:g} s"
    record(f"x in m, {case}", run[travel].value, exact[:, 0], NEAR, "matrix exponential", "closed form")
    record(f"x' in m/s, {case}", run[travel].rate, exact[:, 1], NEAR, "matrix exponential", "closed form")
    record(
        f"i in N, {case}", run[pid]["i"], exact[:, 2], Within(1e-7, NEAR.reason), "matrix exponential", "closed form"
    )


def test_limited_pid_on_a_mass(record):
    """The same controller limited to 8 N, its integral taken back at the limits (back-calculation).

    Recomputed by another integrator, whose steps are kept below 1 ms because the law has corners.
    """
    low, high, tracking = -8.0, 8.0, 0.3
    model, travel = _mass()
    pid = model.add(PID(travel, 1.0, KP, KI, KD, limits=(low, high), tracking=tracking), name="pid")
    model.add(Actuator(travel, pid), name="drive")
    run = simulate(model, 6.0, output=0.05, rtol=RTOL)

    def rates(t, y):
        x, v, i = y
        wanted = KP * (1.0 - x) + i - KD * v
        u = min(max(wanted, low), high)
        return v, u / M, KI * (1.0 - x) + (u - wanted) / tracking

    way = {"rtol": 1e-11, "atol": 1e-12, "max_step": 1e-3}
    found = solve_ivp(rates, (0.0, 6.0), (0.0, 0.0, 0.0), "DOP853", run.times, **way).y
    near = Within(1e-7, "both integrators pass corners of the law, where they lose digits")
    record("x in m", run[travel].value, found[0], near, "scipy's DOP853", "recomputed")
    record("i in N", run[pid]["i"], found[2], Within(1e-6, near.reason), "scipy's DOP853", "recomputed")
    overshoot = float(run[travel].value.max())
    record("largest u in N", float(run[pid].value.max()), high, Within(1e-12, "it is cut there"), "limit", "statement")
    model, travel = _mass()
    wound = model.add(PID(travel, 1.0, KP, KI, KD, limits=(low, high), tracking=1e6), name="pid")
    model.add(Actuator(travel, wound), name="drive")
    more = float(simulate(model, 6.0, output=0.05)[travel].value.max()) > overshoot
    record("whether the overshoot is larger without taking back", more, True, Within(0.0, "a word"), "", "statement")


@pytest.mark.parametrize("method", ["auto", "dop853", "sampled"])
def test_sampled_pd_on_an_oscillator(record, method):
    """A PD law sampled at 100 Hz on a mass with a spring of 800 N/m: exact in discrete time.

    Over each period the force is constant, so that the state at the next instant is a matrix times state and force.
    """
    period, k = 0.01, 800.0
    model, travel = _mass()
    computer = model.add(Sampled(_law, [travel, rate(travel)], period=period), name="computer")
    model.add(Actuator(travel, computer), name="drive")
    stiff = TransferFunction(travel, [k], [1.0])
    model.add(stiff, name="stiff")
    model.add(Actuator(-1.0 * travel, stiff), name="spring")
    run = simulate(model, 3.0, output=period, rtol=RTOL, method=method)
    step = expm(np.array([[0, 1, 0], [-k / M, 0, 1 / M], [0, 0, 0]]) * period)
    state, found = np.zeros(3), []
    for _ in run.times:
        state[2] = _law(state[0], state[1])
        found.append(state[:2].copy())
        state = step @ state
    exact = np.array(found)
    record(f"x in m, {method}", run[travel].value, exact[:, 0], NEAR, "discrete-time solution", "closed form")
    record(
        f"x' in m/s, {method}", run[travel].rate, exact[:, 1], Within(2e-7, "speeds of 20 rad/s times it"),
        "discrete-time solution", "closed form",
    )  # fmt: skip


def test_transfer_function_of_fifth_order(record):
    """The step response of a Chebyshev filter of order 5, 2 Hz."""
    num, den = signal.cheby1(5, 0.5, 2.0 * np.pi * 2.0, analog=True)
    model, _ = _mass()
    block = model.add(TransferFunction(1.0, num, den), name="filter")
    run = simulate(model, 3.0, output=0.02, rtol=RTOL)
    _, expected = signal.step(signal.StateSpace(*signal.tf2ss(num, den)), T=run.times)
    near = Within(1e-7, "1000 rtol: it rings")
    record("output", run[block].value, expected, near, "scipy.signal.step", "recomputed")


def _law(x, v):
    return 300.0 * (1.0 - x) - 20.0 * v


def _mass():
    model = Model("mass")
    body = model.add(Body(mass=M, inertia=1.0), name="body")
    return model, model.add(Translational(model.ground.at(), body.at()), name="rail").travel
