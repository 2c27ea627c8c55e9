"""plan_motion(): closed forms of bang-bang motions; inverse dynamics confirms that limits are reached, not exceeded."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from cardan import ModelError, inverse_dynamics, plan_motion
from cardan.planar import Body, Drag, Driver, Model, Revolute, Spring, Translational, x, y


def _cart(mass: float = 2.0) -> tuple[Model, Translational]:
    model = Model("cart")
    cart = model.add(Body(mass=mass, inertia=1.0), name="cart")
    return model, model.add(Translational(model.ground.at(), cart.at()), name="rail")


def _loads(model: Model, plan: Any, measures: list[Any], count: int = 2001) -> tuple[np.ndarray, list[np.ndarray]]:
    """Forces of drivers with the planned motions at evenly spaced times, which are not those of the plan."""
    motors = [model.add(Driver(m, plan.motion(m)), name=f"motor {k}") for k, m in enumerate(measures)]
    times = np.linspace(0.0, plan.duration, count)
    run = inverse_dynamics(model, times, progress=False)
    return times, [run[motor].force for motor in motors]


def test_a_mass_moves_bang_bang() -> None:
    """T = 2 sqrt(m L / F): full force to the middle, full braking after it."""
    model, rail = _cart()
    plan = plan_motion(model, {rail.travel: [0.5, 2.0]}, forces={rail.travel: 3.0})
    assert plan.duration == pytest.approx(2.0 * math.sqrt(2.0 * 1.5 / 3.0), rel=1e-7)
    times, (force,) = _loads(model, plan, [rail.travel])
    away = (np.abs(times - plan.duration / 2) > 1e-6) & (times < plan.duration)  # at rest at the end
    expected = np.where(times < plan.duration / 2, 3.0, -3.0)
    assert force[away] == pytest.approx(expected[away], rel=1e-5)
    assert set(plan.limiting) == {f"the force along {rail.travel}"}


def test_a_speed_limit_gives_a_trapezoid_and_limits_may_differ_by_direction() -> None:
    """Rise at a1, speed V, fall at a2: T = L / V + V / (2 a1) + V / (2 a2)."""
    model, rail = _cart()
    stated = {"speeds": {rail.travel: 0.8}, "accelerations": {rail.travel: (-4.0, 2.0)}}
    plan = plan_motion(model, {rail.travel: [0.0, 1.5]}, points=2000, **stated)
    expected = 1.5 / 0.8 + 0.8 / (2 * 2.0) + 0.8 / (2 * 4.0)
    assert plan.duration == pytest.approx(expected, rel=1e-6)  # the corners lie within intervals of 1/2000
    run = plan.run
    assert run[rail.travel].rate.max() == pytest.approx(0.8, rel=1e-6)


def test_damping_reduces_acceleration() -> None:
    """m v' = F - c v: v(t) = F/c (1 - exp(-c t / m)); braking from v1: v = -F/c + (v1 + F/c) exp(-c t / m)."""
    mass, force, c, length = 2.0, 3.0, 1.5, 4.0
    model, rail = _cart(mass)
    model.add(Spring(rail.travel, 0.0, damping=c), name="damper")
    plan = plan_motion(model, {rail.travel: [0.0, length]}, forces={rail.travel: force}, points=1000)

    def distance(t1: float) -> tuple[float, float]:
        tau, end = mass / c, force / c
        v1 = end * (1 - math.exp(-t1 / tau))
        t2 = tau * math.log((v1 + end) / end)
        gone = end * (t1 - tau * (1 - math.exp(-t1 / tau)))
        return gone - end * t2 + (v1 + end) * tau * (1 - math.exp(-t2 / tau)), t1 + t2

    t1 = brentq(lambda t: distance(t)[0] - length, 0.1, 20.0, xtol=1e-12)
    assert plan.duration == pytest.approx(distance(t1)[1], rel=1e-5)  # second order in 1/1000
    _, (driven,) = _loads(model, plan, [rail.travel])
    assert np.abs(driven).max() <= force * (1 + 1e-3)  # in the first interval, 2.5e-6 long, s' is a root of s


def test_a_pendulum_follows_its_closed_form() -> None:
    """I w^2 / 2 = T (q - q0) - m g l (sin q - sin q0) up to the switch, then the mirror image from the end."""
    inertia, weight, torque, first, last = 0.6, 9.81, 14.0, -1.2, 1.4
    model = Model("pendulum", gravity=(0, -9.81))
    arm = model.add(Body(mass=2.0, inertia=0.1, center=(0.5, 0)), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    plan = plan_motion(model, {hinge.angle: [first, last]}, forces={hinge.angle: torque}, points=1000)
    switch = 0.5 * (first + last) + weight * (math.sin(last) - math.sin(first)) / (2 * torque)

    def rate(q: float, end: float, sign: float) -> float:
        work = sign * torque * (q - end) - weight * (math.sin(q) - math.sin(end))
        return math.sqrt(2 * work / inertia)

    rise = quad(lambda u: 2 * u / rate(first + u * u, first, 1.0), 0.0, math.sqrt(switch - first))[0]
    fall = quad(lambda u: 2 * u / rate(last - u * u, last, -1.0), 0.0, math.sqrt(last - switch))[0]
    assert plan.duration == pytest.approx(rise + fall, rel=1e-5)  # second order in 1/1000
    _, (driven,) = _loads(model, plan, [hinge.angle])
    assert np.abs(driven).max() <= torque * (1 + 1e-4)
    assert np.median(np.abs(driven)) == pytest.approx(torque, rel=1e-4)  # always at one of the limits


A1, A2, L1, L2, M1, M2, I1, I2, G = 1.0, 0.8, 0.45, 0.35, 5.0, 3.0, 0.4, 0.2, 9.81


def _arm() -> tuple[Model, Revolute, Revolute, Any]:
    model = Model("arm", gravity=(0, -G))
    upper = model.add(Body(mass=M1, inertia=I1, center=(L1, 0)), name="upper")
    fore = model.add(Body(mass=M2, inertia=I2, center=(L2, 0), position=(A1, 0), angle=0.6), name="fore")
    shoulder = model.add(Revolute(model.ground.at(), upper.at()), name="shoulder")
    elbow = model.add(Revolute(upper.at(A1, 0), fore.at()), name="elbow")
    return model, shoulder, elbow, fore.at(A2, 0)


def _closed_form(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """B, C v and g of the arm (Siciliano 7.3.2)."""
    c2, s2 = math.cos(q[1]), math.sin(q[1])
    b12 = I2 + M2 * (L2**2 + A1 * L2 * c2)
    b11 = I1 + M1 * L1**2 + I2 + M2 * (A1**2 + L2**2 + 2 * A1 * L2 * c2)
    h = -M2 * A1 * L2 * s2
    c1, c12 = math.cos(q[0]), math.cos(q[0] + q[1])
    return (
        np.array([[b11, b12], [b12, I2 + M2 * L2**2]]),
        np.array([2 * h * v[0] * v[1] + h * v[1] ** 2, -h * v[0] ** 2]),
        np.array([(M1 * L1 + M2 * A1) * G * c1 + M2 * L2 * G * c12, M2 * L2 * G * c12]),
    )


def _phase_plane(first: np.ndarray, last: np.ndarray, limits: np.ndarray, steps: int = 4000) -> float:
    """The duration along a straight joint path by integration of the phase plane (Bobrow et al. 1985).

    Greatest acceleration from the start, greatest deceleration from the end; s'^2 is the lower of both. Valid where
    neither meets the curve of highest speed, which is checked.
    """
    along, s = last - first, np.linspace(0.0, 1.0, steps + 1)

    def extremes(place: float, square: float) -> tuple[float, float]:
        B, Cv, g = _closed_form(first + place * along, along)
        a, b = B @ along, Cv
        low, high = (-limits - b * square - g) / a, (limits - b * square - g) / a
        least, most = np.minimum(low, high).max(), np.maximum(low, high).min()
        assert least <= most
        return float(least), float(most)

    def integrated(forward: bool) -> np.ndarray:
        square, h = np.zeros(steps + 1), 1.0 / steps
        order = range(steps) if forward else range(steps, 0, -1)
        for k in order:
            sign = 1 if forward else -1
            pick = 1 if forward else 0
            one = 2 * sign * h * extremes(s[k], square[k])[pick]  # Heun
            try:
                two = 2 * sign * h * extremes(s[k + sign], max(square[k] + one, 0.0))[pick]
            except AssertionError:
                square[k + sign :: sign] = np.inf
                break
            square[k + sign] = square[k] + 0.5 * (one + two)
        return square

    x2 = np.minimum(integrated(True), integrated(False))
    rate = np.sqrt(x2)
    return float(np.sum(2.0 / steps / (rate[1:] + rate[:-1])))


def test_an_arm_agrees_with_the_phase_plane_and_inverse_dynamics() -> None:
    first, last, limits = np.array([-1.2, 0.4]), np.array([0.3, 1.5]), np.array([110.0, 35.0])
    model, shoulder, elbow, _ = _arm()
    path = {shoulder.angle: [first[0], last[0]], elbow.angle: [first[1], last[1]]}
    stated = {shoulder.angle: limits[0], elbow.angle: limits[1]}
    plan = plan_motion(model, path, forces=stated, points=1000)
    assert plan.duration == pytest.approx(_phase_plane(first, last, limits), rel=1e-4)  # both second order
    times, torques = _loads(model, plan, [shoulder.angle, elbow.angle])
    use = np.max([np.abs(part) / limit for part, limit in zip(torques, limits, strict=True)], axis=0)
    assert use.max() <= 1.0 + 2e-3  # between the points of the plan
    assert np.mean(use > 0.99) > 0.98  # a limit is reached nearly always: not in the intervals of a switch


@pytest.mark.parametrize("seed", range(12))
def test_motions_along_winding_paths_stay_within_limits(seed: int) -> None:
    """At ten times in each interval, closed forms of speeds, accelerations and torques are at most 1.001 limits."""
    rng = np.random.default_rng(seed)
    model, shoulder, elbow, _ = _arm()
    joints = (shoulder.angle, elbow.angle)
    turns = rng.uniform(-1.5, 1.5, (2, rng.integers(2, 9)))
    sizes = {"speeds": (0.5, 3.0), "accelerations": (2.0, 20.0), "forces": (75.0, 200.0)}
    chosen = [kind for kind in sizes if rng.random() < 0.6] or ["forces"]
    limits = {kind: dict(zip(joints, rng.uniform(*sizes[kind], 2) * (1.0, 0.5), strict=True)) for kind in chosen}
    profile = ("fastest", "fastest", "quintic", "septic")[seed % 4]
    points = int(rng.choice([60, 200]))
    path = dict(zip(joints, turns, strict=True))
    plan = plan_motion(model, path, profile=profile, points=points, **limits)  # type: ignore[arg-type]
    times = (plan.times[:-1, None] + np.multiply.outer(np.diff(plan.times), np.arange(0.0, 1.0, 0.1))).ravel()
    q, v, a = np.moveaxis(np.array([plan.motions[joint].derivatives(times) for joint in joints]), 1, 0)
    torques = []
    for now, rate, push in zip(q.T, v.T, a.T, strict=True):
        B, Cv, g = _closed_form(now, rate)
        torques.append(B @ push + Cv + g)
    reached = {"speeds": v, "accelerations": a, "forces": np.array(torques).T}
    uses = [np.abs(reached[kind][k]).max() / limits[kind][joint] for kind in limits for k, joint in enumerate(joints)]
    assert max(uses) <= 1.0 + 1e-3
    assert max(uses) >= 1.0 - 1e-3  # and one of them is reached
    assert max(plan.excess.values()) <= 1e-4


WINDING = [-1.2, 0.5, -0.6, 0.3], [0.4, 1.5, 0.2, 1.2]


def test_an_excess_that_remains_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 12 points and no repair, limits are exceeded in between; with repair they are not."""
    model, shoulder, elbow, _ = _arm()
    path = dict(zip((shoulder.angle, elbow.angle), WINDING, strict=True))
    limits = {shoulder.angle: 110.0, elbow.angle: 35.0}
    plan = plan_motion(model, path, forces=limits, speeds={elbow.angle: 2.0}, points=12)
    assert max(plan.excess.values()) <= 1e-4
    assert set(plan.excess) == {f"the force along {m}" for m in limits} | {f"the speed of {elbow.angle}"}
    monkeypatch.setattr(sys.modules[plan_motion.__module__], "REPAIRS", 1)
    with pytest.warns(UserWarning, match="exceeds limits between its points: the"):
        rough = plan_motion(model, path, forces=limits, speeds={elbow.angle: 2.0}, points=12)
    assert max(rough.excess.values()) > 1e-4
    assert rough.duration < plan.duration


def test_a_straight_line_of_the_hand_with_torques_of_the_joints() -> None:
    """The path is that of the hand, the actuators are in the joints: planned forces are those of inverse dynamics."""
    model, shoulder, elbow, hand = _arm()
    path = {x(hand): [1.2, 0.5], y(hand): [0.4, 1.2]}
    torques = {shoulder.angle: 120.0, elbow.angle: 40.0}
    plan = plan_motion(model, path, forces=torques, speeds={x(hand): 2.5}, points=500)
    times = plan.times[:-1] + 0.5 * np.diff(plan.times)
    motors = [model.add(Driver(m, plan.motion(m)), name=f"motor {k}") for k, m in enumerate(torques)]
    run = inverse_dynamics(model, times, progress=False)
    line = (run[x(hand)].value - 1.2) / -0.7 - (run[y(hand)].value - 0.4) / 0.8
    assert np.abs(line).max() < 1e-6
    for motor, (measure, limit) in zip(motors, torques.items(), strict=True):
        planned = plan.values[f"the force along {measure}"]
        assert np.abs(run[motor].force).max() <= limit * (1 + 5e-3)
        middle = 0.5 * (planned[:-1] + np.roll(planned, -1)[:-1])
        usual = np.abs(np.diff(plan.acceleration[:-1], prepend=plan.acceleration[0])) < 0.5
        assert np.median(np.abs(run[motor].force - middle)[usual]) < 5e-3 * limit


@pytest.mark.parametrize(
    ("profile", "peaks"), [("quintic", (1.875, 5.7735027, 60.0)), ("septic", (2.1875, 7.5131884, 52.5))]
)
def test_smooth_profiles_have_their_known_peaks(profile: str, peaks: tuple[float, float, float]) -> None:
    """C_v, C_a and C_j of the 3-4-5 and 4-5-6-7 polynomials (Norton, Cam Design): T from each limit alone."""
    model, rail = _cart()
    L, V, A, J = 1.5, 0.7, 2.0, 9.0
    path = {rail.travel: [0.0, L]}
    for name, limit, power, peak in (
        ("speeds", V, 1, peaks[0]),
        ("accelerations", A, 2, peaks[1]),
        ("jerks", J, 3, peaks[2]),
    ):
        plan = plan_motion(model, path, profile=profile, **{name: {rail.travel: limit}})  # type: ignore[arg-type]
        assert plan.duration == pytest.approx((peak * L / limit) ** (1 / power), rel=2e-5), name  # 400 intervals
    force = plan_motion(model, path, profile=profile, forces={rail.travel: 2.0 * A})
    assert force.duration == pytest.approx(math.sqrt(peaks[1] * L / A), rel=2e-5)


def test_a_smooth_motion_through_points_of_a_closed_loop() -> None:
    """A four-bar linkage with drag on a spline path: inverse dynamics reaches the torque limit, within 1e-3."""
    model = Model("four-bar", gravity=(0, -9.81))
    spots = np.array([(0.0, 0.0), (0.0, 0.3), (0.85, 0.75), (1.0, 0.0)])
    links = []
    for k in range(3):
        to = spots[k + 1] - spots[k]
        body = Body(mass=1.0 + k, inertia=0.1, position=tuple(spots[k]), angle=math.atan2(to[1], to[0]))
        links.append((model.add(body, name=f"link {k}"), float(np.linalg.norm(to))))
    marker, joints = model.ground.at(), []
    for k, (link, reach) in enumerate(links):
        joints.append(model.add(Revolute(marker, link.at()), name=f"pin {k}"))
        marker = link.at(reach, 0)
    model.add(Revolute(marker, model.ground.at(1.0, 0.0)), name="last")
    model.add(Drag(links[1][0].at(0.4, 0), area=0.4, coefficient=1.0, density=5.0), name="air")
    crank = joints[0].angle
    start = math.pi / 2
    model.add(Driver(crank, start), name="brake")  # replaced by the plan
    plan = plan_motion(model, {crank: start + np.array([0.0, 1.0, 2.5, 3.0])}, profile="quintic", forces={crank: 40.0})
    planned = plan.values[f"the force along {crank}"]
    assert np.abs(planned).max() <= 40.0 * (1 + 1e-6)
    for element in list(model.constraints):
        if element.name == "brake":
            object.__setattr__(element, "motion", plan.motion(crank))
    run = inverse_dynamics(
        model, np.interp(np.arange(0.0, plan.s.size - 0.9, 0.25), np.arange(plan.s.size), plan.times)
    )
    force = run[model["brake"]].force
    assert np.abs(force).max() == pytest.approx(40.0, rel=1e-4)  # the allowed excess
    assert force[::4] == pytest.approx(planned, abs=0.04)


def test_wrong_input_is_rejected() -> None:
    model, rail = _cart()
    path = {rail.travel: [0.0, 1.0]}
    for options, words in (
        ({}, "no limits"),
        ({"speeds": {rail.travel: -1.0}}, "speeds of"),
        ({"speeds": {rail.travel: (0.1, 1.0)}}, "low limit below"),
        ({"speeds": {rail.travel: 1.0}, "points": 3}, "at least 10 points"),
        ({"jerks": {rail.travel: 1.0}}, "jumps of acceleration"),
        ({"profile": "linear", "speeds": {rail.travel: 1.0}}, "profile"),
        ({"accelerations": {rail.travel: 1.0}, "profile": "quintic", "jerks": {x(model["cart"].at()): 1.0}}, "jerks"),
    ):
        with pytest.raises(ModelError, match=words):
            plan_motion(model, path, **options)  # type: ignore[arg-type]
    limits = {"speeds": {rail.travel: 1.0}}
    for wrong, words in (
        ({}, "empty"),
        ({rail.travel: [1.0]}, "at least 2"),
        ({rail.travel: [1.0, 1.0]}, "are the same"),
        ({rail.travel: 3.0}, "list of values"),
    ):
        with pytest.raises(ModelError, match=words):
            plan_motion(model, wrong, **limits)  # type: ignore[arg-type]
    arm, shoulder, elbow, _ = _arm()
    with pytest.raises(ModelError, match="needs 1 more driver"):
        plan_motion(arm, {shoulder.angle: [0.0, 1.0]}, speeds={shoulder.angle: 1.0})
    held = {shoulder.angle: [0.0, 1.0], elbow.angle: [0.0, 1.0]}
    with pytest.raises(ModelError, match=r"at rest at 0 % of the path, outside its limits -40 to 40"):
        plan_motion(arm, held, forces={shoulder.angle: 40.0, elbow.angle: 30.0})
