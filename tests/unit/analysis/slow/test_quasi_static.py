"""quasi_static(): sequences of equilibria against closed forms, jumps, kineto-statics, and what is rejected."""

import math
import sys

import numpy as np
import pytest

from cardan import CardanWarning, ModelError, SimulationError, equilibrium, inverse_dynamics, kinematics, quasi_static
from cardan.analysis.slow import follower
from cardan.planar import (
    PID,
    Actuator,
    Body,
    Bushing,
    Driver,
    Harmonic,
    Hold,
    Impact,
    KnifeEdge,
    Load,
    Model,
    Ramp,
    Revolute,
    Spring,
    angle,
    length,
    x,
    y,
)
from cardan.spatial import (
    Body as Body3,
    Bushing as Bushing3,
    Load as Load3,
    Model as Model3,
)

B, H, K = 1.0, 0.5, 1000.0
L0 = math.hypot(B, H)
G = 9.81


def resistance(w):
    """The load that a ridge of a von Mises truss carries at height w."""
    span = np.hypot(B, w)
    return -2.0 * K * (span - L0) * w / span


FOLD = math.sqrt((B * B * L0) ** (2 / 3) - B * B)  # d resistance / dw = 0: span^3 = b^2 L0


def truss():
    model = Model("truss")
    ridge = model.add(Body(position=(0, H)), name="ridge")
    model.add(Hold(angle(model.ground.at(), ridge.at()), 0.0))
    model.add(Hold(x(ridge.at()), 0.0), name="guide")
    for u in (-B, B):
        model.add(Spring(length(model.ground.at(u, 0), ridge.at()), K, rest_length=L0))
    model.add(Load(ridge.at(), (0, Ramp(-100.0))), name="load")
    return model


def test_snap_through():
    """The truss snaps at the largest load it carries; before and after, its height and its rates are closed forms."""
    with pytest.warns(CardanWarning, match="jumps to another equilibrium at t = 0.4291"):
        run = quasi_static(truss(), np.linspace(0.0, 2.0, 41))
    w, load = run["ridge.y"], 100.0 * run.times
    assert np.allclose(resistance(w), load, rtol=0, atol=1e-8 * 100)  # 1e-12 of the springs' forces
    snap = run.snaps[0]
    assert len(run.snaps) == 1 and snap.unit == "m" and snap.coordinate == "y of 'ridge'"
    assert snap.time == pytest.approx(resistance(FOLD) / 100.0, abs=1e-8)  # 1e-9 of the whole time, and that of folds
    assert set(run.stable) == {True}
    assert np.all(w[run.times < snap.time] > FOLD) and np.all(w[run.times > snap.time] < -H)
    slope, bend = _derivatives(w)
    assert np.allclose(run["ridge.vy"] * slope, 100.0, rtol=1e-7)  # differences of the stiffness have 1e-10
    assert np.allclose(run["ridge.ay"], -(100.0**2) * bend / slope**3, rtol=2e-6)  # second differences: 1e-7
    assert np.allclose(run.lowest_stiffness, -slope, rtol=1e-7)


def _derivatives(w):
    """resistance' and resistance'' by hand: r = -2 k (w - L0 w / s), s' = w / s."""
    s = np.hypot(B, w)
    return -2.0 * K * (1.0 - L0 * B**2 / s**3), -2.0 * K * 3.0 * L0 * B**2 * w / s**5


def test_stop_at_a_snap():
    with pytest.raises(SimulationError, match="would jump at t = 0.4291") as stop:
        quasi_static(truss(), np.linspace(0.0, 2.0, 41), at_snap="stop")
    assert len(stop.value.partial) == 9 and stop.value.partial.stopped is stop.value  # up to t = 0.4
    assert stop.value.time == pytest.approx(resistance(FOLD) / 100.0, abs=1e-8)


def column(load_rate=2.0):
    """A rigid column of length 1 on a torsional spring of stiffness 1 under a load of load_rate t: P_cr = 1."""
    model = Model("column")
    bar = model.add(Body(angle=math.pi / 2), name="bar")
    hinge = model.add(Revolute(model.ground.at(), bar.at()), name="hinge")
    model.add(Spring(hinge.angle, 1.0, rest_angle=math.pi / 2), name="spring")
    model.add(Load(bar.at(1, 0), (0.0, Ramp(-load_rate))), name="load")
    return model


def test_buckling():
    """The straight column loses its stability at P = k / L; then phi = P sin(phi)."""
    with pytest.warns(CardanWarning, match="jumps"):
        run = quasi_static(column(), np.linspace(0.0, 1.0, 21))
    phi, load = run["bar.angle"] - math.pi / 2, 2.0 * run.times
    assert run.snaps[0].time == pytest.approx(0.5, abs=2e-6)  # where the scaled stiffness is below 1e-6
    assert run.snaps[0].distance < 0.01  # a pitchfork: the new equilibria begin at the old one
    assert np.allclose(phi[load <= 1.0], 0.0, atol=1e-9) and np.all(np.abs(phi[load > 1.0]) > 0.3)
    assert np.allclose(phi, load * np.sin(phi), atol=1e-9)
    assert all(run.stable[k] for k in range(21) if abs(load[k] - 1.0) > 1e-9)


def test_unstable_equilibrium_is_followed():
    """An equilibrium that is unstable from the start is followed as it is."""
    model = column()
    run = quasi_static(model, [0.6, 0.8, 1.0], method="newton")
    assert run.stable == (False,) * 3 and not run.snaps
    assert np.allclose(run["bar.angle"], math.pi / 2, atol=1e-12)


def four_bar(driven, slower=1.0):
    model = Model("four-bar", gravity=(0, -G))
    crank = model.add(Body(mass=2.0, inertia=0.1, center=(0.5, 0), angle=1.0), name="crank")
    coupler = model.add(
        Body(mass=3.0, inertia=0.2, center=(1.0, 0.1), position=(math.cos(1.0), math.sin(1.0))), name="coupler"
    )
    rocker = model.add(Body(mass=1.0, inertia=0.1, center=(0.7, 0), position=(2.0, 0), angle=1.3), name="rocker")
    A = model.add(Revolute(model.ground.at(), crank.at()), name="A")
    model.add(Revolute(crank.at(1, 0), coupler.at()), name="B")
    model.add(Revolute(coupler.at(2.2, 0), rocker.at(1.5, 0)), name="C")
    model.add(Revolute(model.ground.at(2.0, 0), rocker.at()), name="D")
    model.add(Spring(A.angle, damping=50.0), name="damper")
    motion = Harmonic(0.5, 2.0 / slower, offset=1.0)
    if driven:
        model.add(Driver(A.angle, motion), name="motor")
    else:
        model.add(Spring(A.angle, 3000.0, rest_angle=1.0), name="spring")
        model.add(Load(rocker.at(1.5, 0), (Harmonic(200.0, 2.0), -30.0)), name="load")
    return model


def test_driven_mechanism_is_kineto_static():
    """Positions are those of kinematics; the motor balances the weights: virtual work, dV/dt = torque x rate."""
    model, times = four_bar(True), np.linspace(0.0, 3.0, 31)
    run, motion = quasi_static(model, times), kinematics(model, times)
    assert np.array_equal(run.q, motion.q) and np.array_equal(run.v, motion.v)
    power = sum(
        model[name].mass * G * run[model[name].at(*model[name].center)].velocity[:, 1]
        for name in ("crank", "coupler", "rocker")
    )
    rate = run["motor.rate"]
    assert np.allclose(run["motor.force"] * rate, power, rtol=0, atol=1e-10 * 60)
    assert np.all(run["damper.force"] == 0.0) and set(run.stable) == {True}
    slow = inverse_dynamics(four_bar(True, 1e6), times * 1e6)
    assert np.allclose(run["A.fx"], slow["A.fx"], rtol=1e-6)


def test_each_point_is_an_equilibrium():
    """A loop with a spring under a changing load: the same positions and reactions as equilibrium() at each time."""
    model, times = four_bar(False), np.linspace(0.0, 2.0, 9)
    run = quasi_static(model, times)
    for k, time in enumerate(times):
        rest = equilibrium(model, time=time, start=run.at(time), method="newton")
        assert np.allclose(run.q[k], rest.q, rtol=0, atol=1e-9)
        assert run.stable[k] == rest.stable
        assert run.lowest_stiffness[k] == pytest.approx(rest.stiffnesses[0], rel=1e-6)
        for name in ("A.fx", "C.fy", "spring.force"):
            assert run[name][k] == pytest.approx(rest[name], rel=1e-8, abs=1e-7)


def test_interpolation_between_output_times():
    """Exact tangents and second derivatives: between output times quintic interpolation is an equilibrium as well."""
    model = four_bar(False)
    run = quasi_static(model, np.linspace(0.0, 2.0, 41))
    between = run.at(0.725)
    rest = equilibrium(model, time=0.725, start=between, method="newton")
    assert np.allclose(between.q, rest.q, rtol=0, atol=1e-8)


def test_bushings_in_space():
    """A plate on two elastic bushings under a load: closed forms of springs in parallel, and a lever about z."""
    model = Model3("plate")
    plate = model.add(Body3(), name="plate")
    for u in (-1.0, 1.0):
        model.add(Bushing3(model.ground.at(u, 0, 0), plate.at(u, 0, 0), (100.0, 200.0, 300.0, 1.0, 1.0, 1.0)))
    model.add(Load3(plate.at(), (Ramp(1.0), 0.0, Ramp(-6.0))), name="load")
    run = quasi_static(model, [0.0, 0.5, 1.0])
    assert np.allclose(run["plate.x"], run.times / 200.0, atol=1e-12)
    assert np.allclose(run["plate.z"], -6.0 * run.times / 600.0, atol=1e-12)
    assert np.allclose(run["plate.vz"], -0.01, rtol=1e-8) and set(run.stable) == {True}


def test_result_is_independent_of_other_output_times():
    """Some output times, or many: the same equilibria."""
    model = four_bar(False)
    few, many = quasi_static(model, [0.0, 2.0]), quasi_static(model, np.linspace(0.0, 2.0, 33))
    assert np.allclose(few.q[-1], many.q[-1], rtol=0, atol=1e-10)


def test_neutral_motion_stays():
    """A free wheel on a sprung lever: no force turns it, and it stays where it is."""
    model = Model("lever")
    lever = model.add(Body(), name="lever")
    hinge = model.add(Revolute(model.ground.at(), lever.at()), name="hinge")
    model.add(Spring(hinge.angle, 10.0, rest_angle=0.0), name="spring")
    model.add(Load(lever.at(1, 0), (0.0, Ramp(5.0))), name="pull")
    wheel = model.add(Body(position=(1, 0)), name="wheel")
    model.add(Revolute(lever.at(1, 0), wheel.at()), name="axle")
    run = quasi_static(model, np.linspace(0.0, 2.0, 11))
    phi = run[lever].angle
    assert np.allclose(10.0 * phi, 5.0 * run.times * np.cos(phi), atol=1e-9)
    assert set(run.stable) == {None} and "wheel" in run.reasons[0]


def with_states():
    model = column()
    control = model.add(PID(model["hinge"].angle, 1.0, kp=1.0, ki=1.0), name="control")
    model.add(Actuator(model["hinge"].angle, control), name="motor")
    return model


def with_impact():
    model = column()
    model.add(Impact(y(model["bar"].at(1, 0)), restitution=0.5), name="floor")
    return model


def with_knife():
    model = Model("sledge")
    sledge = model.add(Body(mass=1.0, inertia=1.0), name="sledge")
    model.add(KnifeEdge(sledge.at()), name="knife")
    model.add(Bushing(model.ground.at(), sledge.at(), (1.0, 1.0, 1.0)), name="mount")
    return model


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (with_states, "states of devices"),
        (with_impact, "impacts"),
        (with_knife, "velocity constraints, such as 'knife'"),
    ],
)
def test_what_is_rejected(build, words):
    with pytest.raises(ModelError, match=words):
        quasi_static(build(), [0.0, 1.0])


@pytest.mark.parametrize("bad", [{"method": "magic"}, {"at_snap": "jump"}, {"start": 3}])
def test_wrong_options(bad):
    with pytest.raises(ModelError, match=str(*bad)):
        quasi_static(column(), [0.0, 1.0], **bad)


def test_no_python_runs_for_each_output_time(monkeypatch):
    """Three times as many output times: as many calls of Python functions, and few entries of the compiled loop."""
    model, entries = four_bar(False), []
    march = follower.march_equilibria
    monkeypatch.setattr(follower, "march_equilibria", lambda *given: entries.append(1) or march(*given))

    def calls(count):
        found = [0]
        times = np.linspace(0.0, 2.0, count)
        quasi_static(model, times, progress=False)  # what is done once in a process
        entries.clear()
        sys.setprofile(lambda frame, event, argument: found.__setitem__(0, found[0] + (event == "call")))
        try:
            quasi_static(model, times, progress=False)
        finally:
            sys.setprofile(None)
        return found[0], len(entries)

    few, many = calls(121), calls(361)
    assert many[0] - few[0] < 0.5 * (361 - 121), (few, many)  # the interpreted march took some 400 for each
    assert many[1] <= 20, many  # slices of 2, 8, 32, .. steps
