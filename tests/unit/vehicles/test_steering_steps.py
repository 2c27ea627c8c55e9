"""Step steer: the single-track model in closed form, a car on four tires, speed control, warnings, rejected input."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

from cardan import CardanWarning, ModelError
from cardan.examples.vehicles.vehicle import build
from cardan.model.curves.motion import Step
from cardan.planar import Load, velocity_along
from cardan.vehicles import SpeedControl, step_steer
from folding import folded
from single_track import CF, CR, A, B, M, linear_car, single_track

SMALL = 1e-4  # rad: nonlinear terms are of the order of its square


def test_the_single_track_model():
    """The response of the linear equations to the same steering, by scipy.signal.lsim with linear interpolation between
    points 5 ms apart: an error of 1e-4. The model is not linear: 1e-4 again."""
    model, speed = single_track(25.0), 25.0
    test = step_steer(model, model["car"], steering=model["steering"], angle=SMALL, rise_time=0.1, rtol=1e-10)
    t = test.motion.times
    steer = Step(0.2, 0.3, 0.0, SMALL)(t)
    assert test.motion.steering == pytest.approx(steer, abs=1e-12)
    _, exact, _ = signal.lsim(linear_car(speed), steer, t)
    for k, name in enumerate(("yaw_rate", "lateral_acceleration", "side_slip")):
        size = np.abs(exact[:, k]).max()
        assert getattr(test.motion, name) == pytest.approx(exact[:, k], abs=5e-4 * size), name
        column = exact[:, k] * np.sign(exact[-1, k])
        found = test[name]
        assert found.steady == pytest.approx(exact[-1, k], rel=1e-3)
        assert abs(found.peak) == pytest.approx(column[t > 0.25].max(), rel=1e-3)
        reached = t[np.argmax(column >= 0.9 * column[-1])] - 0.25
        assert found.response_time == pytest.approx(reached, abs=0.006)  # one output interval


def test_gain_of_the_yaw_rate():
    """v / (l + K v^2) with K = m (b C_r - a C_f) / (l C_f C_r)."""
    base, speed = A + B, 15.0
    gradient = M * (B * CR - A * CF) / (base * CF * CR)
    model = single_track(speed)
    test = step_steer(model, model["car"], steering=model["steering"], angle=SMALL)
    assert test["yaw_rate"].gain == pytest.approx(speed / (base + gradient * speed**2), rel=1e-3)
    assert test["lateral_acceleration"].gain == pytest.approx(speed * test["yaw_rate"].gain, rel=1e-3)
    assert test["roll"].steady == 0.0 and test.tb_factor > 0.0
    assert test.table()["yaw_rate"]["gain"] == test["yaw_rate"].gain
    assert "StepSteer" in repr(test) and test.plot() is not None
    assert model["steering"].motion(1.0) == 0.0 and len(model) == 6  # unchanged


def test_a_car_on_four_tires():
    """To the right: the car leans to the left, and its yaw rate is negative."""
    model = build(speed=20.0, steer=0.0)
    test = step_steer(
        model, model["chassis"], steering=model["steering"], angle=-0.01, steering_ratio=0.12, until=3.0, rtol=1e-6
    )
    assert test["yaw_rate"].steady < 0.0 and test["roll"].steady < 0.0
    assert test["yaw_rate"].overshoot > 0.0 and 0.05 < test["yaw_rate"].response_time < 0.5
    assert test["lateral_acceleration"].steady == pytest.approx(20.0 * test["yaw_rate"].steady, rel=0.03)


def test_speed_control_keeps_the_speed():
    """Against a constant drag of 500 N the integral of the controller takes over."""
    model = single_track(20.0)
    model.add(Load(model["car"].at(), (-500.0, 0.0), "body"), name="drag")
    options = {"steering": model["steering"], "angle": SMALL, "until": 20.0}
    ahead = model["car"]
    control = SpeedControl(velocity_along(model.ground.at(), ahead.at(), "x"), gain=3000.0, reset=1.0)
    test = step_steer(model, ahead, speed_control=control, **options)
    assert test.motion.speed[-1] == pytest.approx(20.0, abs=1e-3) and test.motion.speed.min() > 19.7
    with pytest.warns(CardanWarning, match="changes from 20 to 13.33 m/s during step_steer.*: state a speed_control"):
        slower = step_steer(model, ahead, **options)
    assert slower.motion.speed[-1] == pytest.approx(20.0 - 500.0 / M * 20.0, rel=1e-3)


@folded(
    "options, message",
    [
        ({"angle": 0.0}, "angle other than zero"),
        ({"until": 1.0}, "at least 1.3 s"),
        ({"rise_time": 0.0}, "rise_time"),
        ({"steering_ratio": 0.0}, "steering_ratio of step_steer.* zero"),
        ({"steering": "fork"}, "steering of step_steer"),
        ({"speed_control": 3.0}, "speed_control"),
    ],
)
def test_rejected(options, message):
    model = single_track(20.0)
    stated = {"steering": model["steering"], "angle": SMALL} | options
    if stated["steering"] == "fork":
        stated["steering"] = model["fork"]
    with pytest.raises(ModelError, match=message):
        step_steer(model, model["car"], **stated)


def test_a_car_that_has_not_settled_is_reported():
    model = single_track(20.0)
    with pytest.warns(CardanWarning, match="yaw rate of 'car' still changes by"):
        step_steer(model, model["car"], steering=model["steering"], angle=SMALL, rise_time=0.05, until=1.25)


def test_a_car_that_stands_or_points_elsewhere_is_rejected():
    from cardan.planar import Body, Hold, Model, angle

    model = Model("parked")
    car = model.add(Body(mass=1.0, inertia=1.0), name="car")
    hold = model.add(Hold(angle(model.ground.at(), car.at()), 0.0), name="steering")
    with pytest.raises(ModelError, match="velocity along the x axis"):
        step_steer(model, car, steering=hold, angle=0.1)
    other = single_track(20.0)
    with pytest.raises(ModelError, match="'steering' of step_steer.* is not part of model"):
        step_steer(other, other["car"], steering=hold, angle=0.1)
