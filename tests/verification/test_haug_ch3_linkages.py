"""Haug, chapter 3: the same linkage in several models, and its drivers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import ModelError, assemble, kinematics, mobility
from cardan.planar import (
    Body,
    Distance,
    Driver,
    Fixed,
    Model,
    Ramp,
    Revolute,
    RevoluteTranslational,
    Translational,
    angle,
    length,
)
from verification.manual import digits, rounding


def test_four_bar_four_models(record):
    """Examples 3.3.2, 3.3.3 and 3.5.2: the four-bar mechanism in five models.

    Links 4, 6, 6, ground pivots (0, 0) and (4, 0). Three bodies; bodies 1 and 3; bodies 1 and 2; body 2 alone; and with
    ground as a fourth body. phi1 = pi t where a model has body 1; the coupler must move alike in all of them.
    """
    models = {name: _four_bar(name) for name in ("123", "13", "12", "2", "1234")}
    counts = {name: mobility(model) for name, model in models.items()}
    expected = {"123": (9, 8), "13": (6, 5), "12": (6, 5), "2": (3, 2), "1234": (12, 11)}
    for name, (coordinates, equations) in expected.items():
        found = counts[name].coordinates, counts[name].equations, counts[name].degrees_of_freedom
        source = "Example 3.3.3" if name == "1234" else "Example 3.3.2"
        record.fact(f"nc, nh, degrees of freedom, bodies {name}", found, (coordinates, equations, 1), source)
    t = np.linspace(0.2, 1.2, 21)
    phi1 = math.pi * t
    phi2, phi3 = _four_bar_angles(phi1)
    rate2 = 2 * math.pi * np.sin(phi3 - phi1) / (3 * np.sin(phi2 - phi3))
    rate3 = -2 / 3 * math.pi * np.sin(phi1 - phi2) / np.sin(phi2 - phi3)
    for name in ("123", "13", "12", "1234"):
        model = models[name]
        model.add(Driver(angle(model.ground.at(), model["body 1"].at()), Ramp(math.pi)), name="motor")
        run = kinematics(model, t)
        if "2" in name:
            record(f"phi2, bodies {name}", run["body 2"].angle, phi2, rounding(10), "Example 3.5.2", "closed form")
            ours = run["body 2"].angular_velocity
            record(f"phi2', bodies {name}", ours, rate2, rounding(10), "Example 3.5.2", "closed form")
        if "3" in name:
            ours = run["body 3"].angular_velocity
            record(f"phi3', bodies {name}", ours, rate3, rounding(10), "Example 3.5.2", "closed form")
    record.erratum(
        "Haug, Example 3.5.2",
        "the rate of phi3 lacks the factor 1/3: it is -(2/3) omega sin(phi1 - phi2) / sin(phi2 - phi3).",
    )
    spot = kinematics(models["123"], [0.2, 1 / 3]).at(1 / 3)
    coupler, follower = spot["body 2"], spot["body 3"]
    record(
        "x2', y2', phi2', phi3' at phi1 = pi/3",
        [*coupler.velocity, coupler.angular_velocity, follower.angular_velocity],
        [-11.21658, 8.07908, 0.608883, 2.532708],
        digits(5),
        "Example 3.5.2",
        "recomputed",
    )


def test_driver_needs_its_body(record):
    """Example 3.3.2: a driver on a body that the model does not have.

    The model with body 2 alone has no phi1 to drive: the error names the body.
    """
    model, crank = _four_bar("2"), Body()
    with pytest.raises(ModelError) as refused:
        model.add(Driver(angle(model.ground.at(), crank.at()), Ramp(1.0)), name="motor")
    record.fact("refused, naming the driver", "'motor'" in str(refused.value), True, "Example 3.3.2", "statement")


def test_slider_crank_two_models(record):
    """Examples 3.3.4 and 3.3.5: slider-crank with a slider, and with a pin in a slot instead.

    Ground as body 4; crank 4, rod 6; the second model replaces the slider by a revolute-translational joint.
    """
    full, short = _slider_crank_on_ground(True), _slider_crank_on_ground(False)
    for model, nc, nh, source in ((full, 12, 11, "Example 3.3.4"), (short, 9, 8, "Example 3.3.5")):
        found = mobility(model)
        counts = found.coordinates, found.equations, found.degrees_of_freedom
        record.fact(f"nc, nh, degrees of freedom, {nc // 3} bodies", counts, (nc, nh, 1), source)
        model.add(Driver(model["A"].angle, Ramp(-1.0, -0.3)), name="motor")
    t = np.linspace(0, 6, 31)
    slider, pin = kinematics(full, t)["slider"], kinematics(short, t)[short["rod"].at(3, 0)]
    phi = t + 0.3
    exact = 4 * np.cos(phi) + np.sqrt(36 - 16 * np.sin(phi) ** 2)
    record("slider", slider.position[:, 0], exact, rounding(10), "Example 3.3.4", "closed form")
    record(
        "acceleration, both models", pin.acceleration, slider.acceleration, rounding(100), "Example 3.3.5", "statement"
    )


@pytest.mark.parametrize("second", ["distance", "angle"])
def test_excavator(record, second):
    """Examples 3.5.3 and 3.5.4: excavator boom on hydraulic actuators.

    Boom of length 2 sqrt 3, actuator from (0.5, -0.5) on ground to sqrt 3 along the boom, length t/5 + 1.8; the second
    from the point at 2 and +pi/6 of the boom to 0.5 above the joint on body 2, length t/10 + 1.9, or in Example 3.5.4 a
    rotational driver t/10.
    """
    model = _excavator(second)
    start = kinematics(model, np.linspace(0.0, 1.0, 11))
    boom, arm = start["boom"], start["arm"]
    phi1 = boom.angle
    root3 = math.sqrt(3)
    turned = (root3 * np.cos(phi1) - 0.5) * np.sin(phi1) - (root3 * np.sin(phi1) + 0.5) * np.cos(phi1)
    exact = (start.times + 9) / (-25 * root3 * turned)
    record(f"phi1', second driver {second}", boom.angular_velocity, exact, rounding(10), "Example 3.5.3", "closed form")
    if second == "angle":
        record("phi2' - phi1'", arm.angular_velocity - exact, np.full(11, 0.1), rounding(10), "Example 3.5.4")
        return
    first = [phi1[0], *arm.position[0], arm.angle[0]]
    record(
        "phi1, x2, y2, phi2 at t = 0",
        first,
        [0.679053, 2.695652, 2.175652, 0.481184],
        digits(6),
        "Example 3.5.3",
        "recomputed",
    )
    rates = [boom.angular_velocity[0], *arm.velocity[0], arm.angular_velocity[0]]
    expected = [0.295609, -0.643142, 0.796858, 0.095064]
    record("their rates", rates, expected, digits(6), "Example 3.5.3", "recomputed")
    other = _excavator("distance", arm_angle=2.9)
    record("phi2 on the other branch", assemble(other)["arm"].angle, 2.971318, digits(6), "Example 3.5.3", "recomputed")
    record.erratum(
        "Haug, Example 3.5.3",
        "the right side of 3.5.10 must have t/5 + 1.8 instead of t/3 + 1.8, and "
        "the formula for the rate of phi2 lacks brackets.",
    )


def test_crane(record):
    """Example 3.5.5: crane boom with rotational and translational driver.

    phi1 = 0.025 t, slide 0.1 t, from t = 1 s to 41 s.
    """
    model = Model("crane")
    boom = model.add(Body(angle=0.025), name="boom")
    tip = model.add(Body(position=(0.1, 0.0), angle=0.025), name="tip")
    hinge = model.add(Revolute(model.ground.at(), boom.at()), name="hinge")
    slide = model.add(Translational(boom.at(), tip.at()), name="slide")
    model.add(Driver(hinge.angle, Ramp(0.025)), name="turn")
    model.add(Driver(slide.travel, Ramp(0.1)), name="stretch")
    run = kinematics(model, np.linspace(1.0, 41.0, 41))
    t, ours = run.times, run[tip]
    position = 0.1 * t[:, None] * np.stack([np.cos(0.025 * t), np.sin(0.025 * t)], axis=1)
    across = np.stack([-position[:, 1], position[:, 0]], axis=1)
    velocity = 0.025 * across + 0.1 * np.stack([np.cos(0.025 * t), np.sin(0.025 * t)], axis=1)
    record("position", ours.position, position, rounding(10), "equations 3.5.14 to 3.5.17", "closed form")
    record("velocity", ours.velocity, velocity, rounding(10), "Example 3.5.5", "closed form")
    record("phi2'", ours.angular_velocity, np.full(41, 0.025), rounding(), "Example 3.5.5")
    record.erratum(
        "Haug, Example 3.5.5", "the middle expressions -y2 phi1' and x2 phi1' of the solution do not belong."
    )


def _four_bar_angles(phi1):
    """Coupler and follower of links 4, 6, 6 on pivots 4 apart, the open branch."""
    bx, by = 4 * np.cos(phi1), 4 * np.sin(phi1)
    reach, lean = np.hypot(bx - 4, by), np.arctan2(by, bx - 4)
    phi3 = lean - np.arccos(reach / 12)  # both links are 6 long: an isosceles triangle
    return np.arctan2(6 * np.sin(phi3) - by, 4 + 6 * np.cos(phi3) - bx), phi3


def _four_bar(bodies):
    """Example 3.3.2 with the moving bodies named; "4" is ground as a body of its own. Starts at phi1 = 0.2 pi."""
    model = Model(f"four-bar {bodies}")
    phi1 = 0.2 * math.pi
    phi2, phi3 = (float(phi) for phi in _four_bar_angles(np.array(phi1)))
    b = 4 * np.array([math.cos(phi1), math.sin(phi1)])
    poses = {
        "1": (b / 2, phi1),
        "2": (b + 3 * np.array([math.cos(phi2), math.sin(phi2)]), phi2),
        "3": (np.array([4 + 3 * math.cos(phi3), 3 * math.sin(phi3)]), phi3),
        "4": (np.zeros(2), 0.0),
    }
    part = {
        n: model.add(Body(position=tuple(r), angle=a), name=f"body {n}") for n, (r, a) in poses.items() if n in bodies
    }
    if "4" in part:
        model.add(Fixed(model.ground.at(), part["4"].at()), name="ground body")
    ground = part.get("4", model.ground)
    pivot1, pivot3 = ground.at(0, 0), ground.at(4, 0)
    if "1" in part:
        model.add(Revolute(pivot1, part["1"].at(-2, 0)), name="A")
    if "3" in part:
        model.add(Revolute(part["3"].at(-3, 0), pivot3), name="D")
    if "1" in part and "2" in part:
        model.add(Revolute(part["1"].at(2, 0), part["2"].at(-3, 0)), name="B")
    elif "2" in part:
        model.add(Distance(pivot1, part["2"].at(-3, 0), 4.0), name="B")
    if "2" in part and "3" in part:
        model.add(Revolute(part["2"].at(3, 0), part["3"].at(3, 0)), name="C")
    elif "2" in part:
        model.add(Distance(pivot3, part["2"].at(3, 0), 6.0), name="C")
    else:
        model.add(Distance(part["1"].at(2, 0), part["3"].at(3, 0), 6.0), name="coupler")
    return model


def _slider_crank_on_ground(with_slider):
    """Examples 3.3.4 and 3.3.5, starting at a crank angle of 0.3."""
    model = Model("slider-crank")
    s, c = math.sin(0.3), math.cos(0.3)
    rod_angle = -math.asin(4 * s / 6)
    reach = 4 * c + 6 * math.cos(rod_angle)
    ground = model.add(Body(), name="ground body")
    model.add(Fixed(model.ground.at(), ground.at()), name="fixed")
    crank = model.add(Body(position=(2 * c, 2 * s), angle=0.3), name="crank")
    rod = model.add(Body(position=(reach - 3 * math.cos(rod_angle), 2 * s), angle=rod_angle), name="rod")
    model.add(Revolute(crank.at(-2, 0), ground.at(0, 0)), name="A")
    model.add(Revolute(crank.at(2, 0), rod.at(-3, 0)), name="B")
    axis = ground.at(2, 0, toward=(3, 0))
    if not with_slider:
        model.add(RevoluteTranslational(axis, rod.at(3, 0), 0.0), name="C")
        return model
    slider = model.add(Body(position=(reach, 0.0)), name="slider")
    model.add(Revolute(rod.at(3, 0), slider.at()), name="C")
    model.add(Translational(slider.at(0, 0, toward=(1, 0)), axis), name="guide")
    return model


def _excavator(second, arm_angle=0.48):
    model = Model("excavator")
    root3 = math.sqrt(3)
    boom = model.add(Body(angle=0.68), name="boom")
    arm = model.add(Body(position=(2.7, 2.2), angle=arm_angle if second == "distance" else 0.68), name="arm")
    model.add(Revolute(model.ground.at(), boom.at()), name="foot")
    elbow = model.add(Revolute(boom.at(2 * root3, 0), arm.at()), name="elbow")
    model.add(Driver(length(model.ground.at(0.5, -0.5), boom.at(root3, 0)), Ramp(0.2, 1.8)), name="lift")
    if second == "angle":
        model.add(Driver(elbow.angle, Ramp(0.1)), name="bend")
    else:
        corner = boom.at(2 * math.cos(math.pi / 6), 2 * math.sin(math.pi / 6))
        model.add(Driver(length(corner, arm.at(0, 0.5)), Ramp(0.1, 1.9)), name="bend")
    return model
