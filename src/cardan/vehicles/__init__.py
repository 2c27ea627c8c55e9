"""Vehicles: random roads, ride comfort, standard maneuvers and drivers.

    road = random_road(500.0, "C").road(start=5.0)               ISO 8608
    ride_comfort(run, {"chassis.az": "Wk"})                       ISO 2631-1
    step_steer(model, chassis, steering=rack, angle=0.02)         ISO 7401; also pulse_, random_ and sine_steer
    lane_change(model, chassis, steering=rack, driver=driver)     ISO 3888

Tires are elements of `cardan.spatial`; `steady_cornering`, `axle_sweep` and `road_spectrum` are analyses of `cardan`.
"""

from typing import TYPE_CHECKING

from cardan.lazy import lazy_imports

if TYPE_CHECKING:
    from cardan.vehicles.comfort import RideComfort, WeightedVibration, ride_comfort
    from cardan.vehicles.handling import HandlingMotion
    from cardan.vehicles.iso_tracks import Lane, LaneTrack, lane_track
    from cardan.vehicles.lane_changes import LaneChange, lane_change
    from cardan.vehicles.path_driver import PathDriver
    from cardan.vehicles.prepared_car import SpeedControl
    from cardan.vehicles.road_profile import RoadProfile, random_road
    from cardan.vehicles.roughness import roughness_index
    from cardan.vehicles.steering_response import SteeringResponse, pulse_steer, random_steer
    from cardan.vehicles.steering_steps import StepResponse, StepSteer, step_steer
    from cardan.vehicles.steering_waves import SineResponse, SineSteer, sine_steer
    from cardan.vehicles.weighting import WEIGHTINGS, Weighting

__all__ = [
    "WEIGHTINGS",
    "HandlingMotion",
    "Lane",
    "LaneChange",
    "LaneTrack",
    "PathDriver",
    "RideComfort",
    "RoadProfile",
    "SineResponse",
    "SineSteer",
    "SpeedControl",
    "SteeringResponse",
    "StepResponse",
    "StepSteer",
    "WeightedVibration",
    "Weighting",
    "lane_change",
    "lane_track",
    "pulse_steer",
    "random_road",
    "random_steer",
    "ride_comfort",
    "roughness_index",
    "sine_steer",
    "step_steer",
]

__getattr__ = lazy_imports(__name__, __file__)
