"""lane_change(model, body, ...): a driver takes a vehicle through a double lane change of ISO 3888.

The next run aims at  aim(x) + 0.7 (plan(x) - driven(x)),  which learns the delays of driver and vehicle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cardan.analysis.forward.events.event import Event
from cardan.errors import SimulationError
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.element import Constraint
from cardan.model.measure import Measure
from cardan.model.model import Model
from cardan.vehicles.handling import HandlingMotion
from cardan.vehicles.iso_tracks import LaneTrack, lane_track
from cardan.vehicles.path_driver import PathDriver
from cardan.vehicles.prepared_car import PreparedCar, SpeedControl

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLEARANCE_STEP = 0.02  # m between the places at which clearances are computed
MIN_SPEED_SHARE = 0.5  # of the speed at the start: a vehicle that is slower does not reach the end of the track in time
LEARNING = 0.7  # share of the distance from the planned path by which the driver aims elsewhere in the next run
Points = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LaneChange:
    """The result of `lane_change`: `motion` has all quantities over time.

    `track` begins at the `origin`; `outline` is the distance of the front and rear end from the body's point, and the
    width of the vehicle.
    """

    motion: HandlingMotion
    track: LaneTrack
    origin: tuple[float, float]
    outline: tuple[float, float, float]
    planned: tuple[Points, Points]

    @property
    def clearances(self) -> tuple[float, ...]:
        """The least distance in m between vehicle and cone lines in each lane; negative where cones are hit."""
        return tuple(_clearance(self, k) for k in range(len(self.track.lanes)))

    @property
    def inside(self) -> bool:
        """Whether no cone is hit."""
        return min(self.clearances) >= 0.0

    @property
    def corners(self) -> Points:
        """x and y of the four corners, front left first, then clockwise, relative to the origin: (times, 4, 2)."""
        front, rear, width = self.outline
        places = np.array([(front, 0.5 * width), (front, -0.5 * width), (-rear, -0.5 * width), (-rear, 0.5 * width)])
        c, s = np.cos(self.motion.yaw), np.sin(self.motion.yaw)
        turned = np.stack([
            c[:, None] * places[:, 0] - s[:, None] * places[:, 1], s[:, None] * places[:, 0] + c[:, None] * places[:, 1]
        ], axis=2)  # fmt: skip
        return np.asarray(turned + (self.motion.path - np.array(self.origin))[:, None, :])

    @property
    def entry_speed(self) -> float:
        """The speed in m/s at which the front passes the first cones."""
        return float(np.interp(0.0, self.corners[:, 0, 0], self.motion.speed))

    @property
    def exit_speed(self) -> float:
        return float(self.motion.speed[-1])

    def plot(self) -> Figure:
        """A figure of cones and the vehicle's path, steering angle, yaw rate and lateral acceleration."""
        from cardan.shortcuts import one_page

        return one_page(self)

    def __repr__(self) -> str:
        words = "inside" if self.inside else "cones are hit"
        distances = ", ".join(f"{each:.3g}" for each in self.clearances)
        side = float(np.abs(self.motion.lateral_acceleration).max())
        return (
            f"<LaneChange {self.track.name} at {self.entry_speed:.3g} m/s: {words}, clearances {distances} m; lateral "
            f"acceleration up to {side:.3g} m/s2>"
        )


def lane_change(
    model: Model,
    body: RigidBody,
    *,
    steering: Constraint,
    driver: PathDriver,
    wheelbase: float,
    width: float,
    front: float,
    rear: float,
    track: str | LaneTrack = "ISO 3888-1",
    approach: float = 20.0,
    runs: int = 6,
    output: float = 0.01,
    steering_ratio: float = 1.0,
    speed_control: SpeedControl | None = None,
    **options: Any,
) -> LaneChange:
    """Drive a vehicle through the track of ISO 3888-1 or ISO 3888-2 and report its distance from the cones.

    The vehicle is as wide as `width` and reaches `front` and `rear` meters before and behind the point of its body; it
    begins `approach` meters before the track, straight ahead along x at its speed. `steering` is the Driver or Hold
    whose value is the steering input, as in `step_steer`; the `driver` and his steering gear replace it. The driver
    practices: after each of at most `runs` runs in which a cone is hit, he aims beside the planned path by what he has
    missed. The best run is returned. The model's own drive stays; `speed_control` adds another. Further options go to
    `simulate`.

    >>> from cardan.examples import load
    >>> from cardan.vehicles import PathDriver, lane_change
    >>> car = load("vehicle").build(speed=18.0, steer=0.0)
    >>> driver = PathDriver(stiffness=1e6, damping=2e4)
    >>> test = lane_change(car, car["chassis"], steering=car["steering"], driver=driver, wheelbase=2.6, width=1.7,
    ...     front=2.1, rear=2.2, steering_ratio=0.12, rtol=1e-5)
    >>> test.inside, len(test.clearances)
    (True, 3)
    """
    check.instance(driver, PathDriver, "the driver of lane_change()")
    size = check.positive(width, "the width of the vehicle")
    ends = check.positive(front, "front"), check.positive(rear, "rear")
    course = track if isinstance(track, LaneTrack) else lane_track(track, size)
    way, interval = check.positive(approach, "the approach of lane_change()"), check.positive(output, "output")
    x, plan = course.path(before=way + ends[0] + 50.0)
    aim, best = plan.copy(), None
    for _ in range(check.count(runs, "runs")):
        car = PreparedCar(model, body, steering, steering_ratio, speed_control, "lane_change()")
        origin = float(car.body.position[0]) + ends[0] + way, float(car.body.position[1])
        driver.drive(car, wheelbase, origin[0] + x, origin[1] + aim)
        motion = _driven(car, origin[0] + course.length + ends[1], interval, options)
        test = LaneChange(motion, course, origin, (*ends, size), (x, plan))
        if best is None or min(test.clearances) > min(best.clearances):
            best = test
        if best.inside:
            break
        path = motion.path - np.array(origin)
        aim = aim + LEARNING * np.where(x < path[-1, 0], plan - np.interp(x, path[:, 0], path[:, 1]), 0.0)
    assert best is not None
    return best


def _driven(car: PreparedCar, goal: float, output: float, options: dict[str, Any]) -> HandlingMotion:
    """One run to the end of the track."""
    start = float(car.body.position[0])
    last = (goal - start) / (MIN_SPEED_SHARE * car.speed)
    arrival = Event(Measure("coordinate", None, car.body.at(), "x"), goal, "rising", name="end of the track")
    motion = car.run(last, output, options | {"events": [arrival]}, steady=False)
    if motion.path[-1, 0] < goal - 1e-3:
        raise SimulationError(
            f"'{car.model.name}' does not reach the end of the track within {last:.3g} s: it ends at x = "
            f"{motion.path[-1, 0]:.4g} m with {motion.speed[-1]:.3g} m/s; the driver has lost control, or the vehicle "
            "needs a speed_control"
        )
    return motion


def _clearance(test: LaneChange, index: int) -> float:
    """Corners against the lines of cones of a lane, and their cones against the vehicle's sides."""
    lane, (front, rear, width) = test.track.lanes[index], test.outline
    margins = []
    for k in range(4):
        x, y = test.corners[:, k].T
        places = np.linspace(lane.start, lane.end, max(2, round((lane.end - lane.start) / CLEARANCE_STEP)))
        between = np.interp(places, x, y)
        margins.append(min(lane.left - between.max(), between.min() - lane.right))
    path = test.motion.path - np.array(test.origin)
    fine = np.arange(path[0, 0], path[-1, 0], CLEARANCE_STEP)
    y, yaw = (np.interp(fine, path[:, 0], values) for values in (path[:, 1], test.motion.yaw))
    for cone in ((lane.start, lane.left), (lane.end, lane.left), (lane.start, lane.right), (lane.end, lane.right)):
        dx, dy = cone[0] - fine, cone[1] - y
        ahead, aside = np.cos(yaw) * dx + np.sin(yaw) * dy, np.cos(yaw) * dy - np.sin(yaw) * dx
        beyond = np.abs(ahead - 0.5 * (front - rear)) - 0.5 * (front + rear), np.abs(aside) - 0.5 * width
        outside = np.hypot(np.maximum(beyond[0], 0.0), np.maximum(beyond[1], 0.0))
        margins.append(float((outside + np.minimum(np.maximum(*beyond), 0.0)).min()))
    return float(min(margins))
