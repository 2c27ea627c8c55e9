"""one_page(result): the figure with all curves of a result, chosen by its class."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cardan.planar.cams.cam_design import CamDesign
from cardan.postprocess.suspension import AxleMotion
from cardan.postprocess.vehicle import VehicleMotion
from cardan.results.steady.cornering import Cornering
from cardan.vehicles.handling import HandlingMotion
from cardan.vehicles.lane_changes import LaneChange
from cardan.vehicles.steering_response import SteeringResponse
from cardan.view.figures.cam import cam_page
from cardan.view.figures.cornering import cornering_figure
from cardan.view.figures.maneuver import lane_change_figure, maneuver_figure
from cardan.view.figures.steering_response import steering_response_figure
from cardan.view.figures.suspension import axle_page
from cardan.view.figures.vehicle import vehicle_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES: dict[type, Callable[[Any], Figure]] = {
    CamDesign: cam_page,
    AxleMotion: axle_page,
    VehicleMotion: vehicle_page,
    Cornering: cornering_figure,
    HandlingMotion: maneuver_figure,
    LaneChange: lane_change_figure,
    SteeringResponse: steering_response_figure,
}


def one_page(result: object) -> Figure:
    """The figure of a result, such as a `CamDesign` or a `LaneChange` (needs matplotlib)."""
    return FIGURES[type(result)](result)
