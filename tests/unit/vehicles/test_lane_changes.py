"""Double lane changes: tracks, planned paths, clearances in closed form, drivers, rejected input."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import ModelError, SimulationError, kinematics
from cardan.examples.vehicles.vehicle import build
from cardan.planar import Body, Driver, Load, Model, Ramp, Step, angle, x, y
from cardan.vehicles import HandlingMotion, LaneChange, PathDriver, lane_change, lane_track
from folding import folded
from single_track import A, B, single_track

W = 1.8


@folded(
    "kind, length, widths, gaps",
    [
        ("ISO 3888-1", 125.0, (1.1 * W + 0.25, 1.2 * W + 0.25, 1.3 * W + 0.25), (30.0, 25.0)),
        ("ISO 3888-2", 61.0, (1.1 * W + 0.25, W + 1.0, 3.0), (13.5, 12.5)),
    ],
)
def test_dimensions_of_the_tracks(kind, length, widths, gaps):
    """Table 1 of ISO 3888-1:2018 and of ISO 3888-2:2011."""
    track = lane_track(kind, W)
    one, three, five = track.lanes
    assert track.length == length
    assert [lane.left - lane.right for lane in track.lanes] == pytest.approx(widths)
    assert (three.start - one.end, five.start - three.end) == pytest.approx(gaps)
    if kind == "ISO 3888-1":
        assert three.right - one.right == pytest.approx(3.5) and five.right == one.right
    else:
        assert three.right - one.left == pytest.approx(1.0) and five.left == one.left
        assert lane_track(kind, 2.5).lanes[2].left - lane_track(kind, 2.5).lanes[2].right == pytest.approx(3.5)
    assert track.cones(3).shape == (18, 2)


@folded("kind", ["ISO 3888-1", "ISO 3888-2"])
def test_planned_paths_stay_in_the_lanes_and_are_smooth(kind):
    """Their curvature is below that of a polynomial of degree five between the middles of the lanes, 5.77 h / l^2."""
    track = lane_track(kind, W)
    across, path = track.path()
    for lane in track.lanes:
        inside = path[(across >= lane.start) & (across <= lane.end)]
        room = 0.25 * (lane.left - lane.right - W)
        assert np.abs(inside - lane.middle).max() < room + 1e-9
    one, three, _ = track.lanes
    bend = np.abs(np.diff(path, 2)).max() / (across[1] - across[0]) ** 2
    assert bend < 5.7735 * (three.middle - one.middle) / (three.start - one.end) ** 2


def driven(motions, until):
    """The kinematics of a body whose x, y and angle are prescribed."""
    model = Model("driven")
    car = model.add(Body(velocity=(10.0, 0.0)), name="car")
    measures = x(car.at()), y(car.at()), angle(model.ground.at(), car.at())
    for name, measure, motion in zip("xya", measures, motions, strict=True):
        model.add(Driver(measure, motion), name=name)
    run = kinematics(model, np.arange(0.0, until, 0.01))
    return HandlingMotion(run, car, measures[2], 1.0)


def test_clearances_of_a_straight_path():
    """Between the cones of lane 1 there is half of what the lane is wider; the lines of lane 3 are missed by all of the
    offset; with an angle the corners of lane 1 come closer by the width and length times its cosine and sine."""
    track = lane_track("ISO 3888-1", W)
    motion = driven((Ramp(10.0, -10.0), 0.0, 0.0), 20.0)
    test = LaneChange(motion, track, (0.0, 0.0), (2.0, 2.5, W), track.path())
    room = 0.5 * (0.1 * W + 0.25)
    assert test.clearances[0] == pytest.approx(room) and not test.inside
    assert test.clearances[1] == pytest.approx(-0.5 * W - track.lanes[1].right)
    assert test.clearances[2] == pytest.approx(room) and test.entry_speed == pytest.approx(10.0)
    tilt = 0.02
    tilted = LaneChange(driven((Ramp(10.0, -10.0), 0.0, tilt), 20.0), track, (0.0, 0.0), (2.0, 2.5, W), track.path())
    reach = max(2.0 * math.sin(tilt), 2.5 * math.sin(tilt)) + 0.5 * W * math.cos(tilt)
    assert tilted.clearances[0] == pytest.approx(0.5 * (1.1 * W + 0.25) - reach, abs=1e-6)


def test_a_cone_at_the_side_of_a_turned_vehicle_is_hit():
    """All corners pass the ends of lane 1 at a distance, while a cone is inside the vehicle: it turns by 90 degrees
    where its middle is beside the last cone, 0.4 m away."""
    track = lane_track("ISO 3888-1", W)
    edge = track.lanes[0].left
    motion = driven((Ramp(10.0, -30.0), Step(2.5, 4.4, 0.0, edge + 0.4), Step(4.0, 4.5, 0.0, math.pi / 2)), 17.0)
    test = LaneChange(motion, track, (0.0, 0.0), (2.0, 2.0, W), track.path())
    assert test.clearances[0] < -0.3


def test_a_single_track_car_is_driven_through():
    """20 m/s, where its lateral acceleration is far below any limit: linear tires."""
    model = single_track(20.0, wheel_inertia=0.5)
    driver = PathDriver(stiffness=3e4, damping=300.0, understeer=0.00317)
    test = lane_change(
        model, model["car"], steering=model["steering"], driver=driver, wheelbase=A + B, width=W, front=2.1, rear=2.2,
        rtol=1e-6,
    )  # fmt: skip
    assert test.inside and min(test.clearances) > 0.0
    assert "inside" in repr(test) and test.plot() is not None
    assert test.exit_speed == pytest.approx(20.0, rel=0.03)
    assert np.abs(test.motion.path[-1, 1]) < 1.0 and test.corners.shape == (test.motion.times.size, 4, 2)


def test_a_car_on_four_tires_at_80_kmh():
    model = build(speed=80.0 / 3.6, steer=0.0)
    driver = PathDriver(stiffness=1e6, damping=2e4)
    test = lane_change(
        model, model["chassis"], steering=model["steering"], driver=driver, wheelbase=2.6, width=1.7, front=2.1,
        rear=2.2, steering_ratio=0.12, rtol=1e-4,
    )  # fmt: skip
    assert test.inside and 3.0 < np.abs(test.motion.lateral_acceleration).max() < 9.0


@folded(
    "options, message",
    [
        ({"driver": None}, "driver of lane_change"),
        ({"width": 0.0}, "width"),
        ({"track": "ISO 3888-3"}, "track"),
        ({"runs": 0}, "runs"),
        ({"wheelbase": -1.0}, "wheelbase"),
    ],
)
def test_rejected(options, message):
    model = single_track(20.0, wheel_inertia=0.5)
    stated = {"driver": PathDriver(3e4, 300.0), "wheelbase": 2.6, "width": W, "front": 2.0, "rear": 2.0} | options
    with pytest.raises(ModelError, match=message):
        lane_change(model, model["car"], steering=model["steering"], **stated)


def test_drivers_are_checked():
    with pytest.raises(ModelError, match="preview of a PathDriver"):
        PathDriver(1.0, 1.0, preview=0.0)
    with pytest.raises(ModelError, match="reaction of a PathDriver must not be negative"):
        PathDriver(1.0, 1.0, reaction=-0.1)
    model = single_track(40.0, wheel_inertia=0.5)
    with pytest.raises(ModelError, match="above its critical speed"):
        lane_change(
            model, model["car"], steering=model["steering"], driver=PathDriver(3e4, 300.0, understeer=-0.01),
            wheelbase=2.6, width=W, front=2.0, rear=2.0,
        )  # fmt: skip
    with pytest.raises(ModelError, match="offset of a track must not be negative"):
        lane_track("ISO 3888-2", W, offset=-1.0)


def test_a_car_that_stops_is_reported():
    """A drag of 6000 N stops it after 50 m."""
    model = single_track(20.0, wheel_inertia=0.5)
    model.add(Load(model["car"].at(), (-6000.0, 0.0), "body"), name="drag")
    with pytest.raises(SimulationError, match="does not reach the end of the track"):
        lane_change(
            model, model["car"], steering=model["steering"], driver=PathDriver(3e4, 300.0), wheelbase=2.6, width=W,
            front=2.0, rear=2.0, runs=1, rtol=1e-6,
        )  # fmt: skip
