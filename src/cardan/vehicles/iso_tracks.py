r"""lane_track(kind, width): the tracks of ISO 3888 for a double lane change, with cones for a vehicle of a width.

                     3 ._________.                      part        1        2     3        4     5
                       '---------'                      ISO 3888-1  15       30    25       25    15 + 15 m
      1 .______.                       .______. 5                   1.1 w +  -     1.2 w +  -     1.3 w + 0.25 m wide
        '------'                       '------'         ISO 3888-2  12       13.5  11       12.5  12 m
                                                                    1.1 w +  -     w + 1    -     1.3 w + 0.25 m, >= 3 m

x counts from the first cone, y from the middle of lane 1, to the left. Lane 3 of ISO 3888-1 is offset by 3.5 m: here
between the right edges of lanes 1 and 3, and those of lanes 1 and 5 are in line. In ISO 3888-2 there is 1 m between the
left edge of lane 1 and the right edge of lane 3, and the left edges of lanes 1 and 5 are in line. `offset` states
another distance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cardan.errors import ModelError
from cardan.model import check

TRACKS = ("ISO 3888-1", "ISO 3888-2")
SPACING = 1.0  # m between points of a path
USED_WIDTH = 0.5  # share of the room beside the vehicle that a path uses


@dataclass(frozen=True)
class Lane:
    """A lane between two lines of cones: x from `start` to `end`, y from `right` to `left`."""

    start: float
    end: float
    right: float
    left: float

    @property
    def middle(self) -> float:
        return 0.5 * (self.left + self.right)


@dataclass(frozen=True)
class LaneTrack:
    """Three lanes for a vehicle of a `width`; made by `lane_track`."""

    name: str
    width: float
    lanes: tuple[Lane, ...]

    @property
    def length(self) -> float:
        return self.lanes[-1].end

    def cones(self, count: int = 5) -> NDArray[np.float64]:
        """x and y of `count` cones on each side of each lane, shape (cones, 2)."""
        rows = [
            np.column_stack([np.linspace(lane.start, lane.end, count), np.full(count, y)])
            for lane in self.lanes
            for y in (lane.left, lane.right)
        ]
        return np.concatenate(rows)

    def path(self, before: float = 50.0, after: float = 100.0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """x and y of the path of least curvature through all lanes, for the middle of the vehicle.

        It minimizes the sum of squares of second differences and uses half of the room beside the vehicle. It is
        straight `before` the track and `after` it.
        """
        from scipy.optimize import lsq_linear

        count = round((before + self.length + after) / SPACING) + 1
        x = np.linspace(-before, self.length + after, count)
        low, high = np.full(count, -np.inf), np.full(count, np.inf)
        for lane in self.lanes:
            inside = (x >= lane.start - 1e-9) & (x <= lane.end + 1e-9)
            room = USED_WIDTH * 0.5 * (lane.left - lane.right - self.width)
            low[inside], high[inside] = lane.middle - room, lane.middle + room
        ends = (x < self.lanes[0].start - 10.0, self.lanes[0].middle), (x > self.length + 20.0, self.lanes[-1].middle)
        for outside, y in ends:
            low[outside], high[outside] = y - 1e-6, y + 1e-6
        bend = np.diff(np.eye(count), 2, axis=0)
        found = lsq_linear(bend, np.zeros(count - 2), (low, high), method="bvls", tol=1e-14)
        return x, np.asarray(found.x)


def lane_track(kind: str, width: float, offset: float | None = None) -> LaneTrack:
    """The track of ISO 3888-1 (double lane change) or ISO 3888-2 (obstacle avoidance) for a vehicle of a `width`.

    >>> from cardan.vehicles import lane_track
    >>> track = lane_track("ISO 3888-2", 1.8)
    >>> track.length, [round(lane.left - lane.right, 2) for lane in track.lanes]
    (61.0, [2.23, 2.8, 3.0])
    """
    check.choice(kind, TRACKS, "the track of a lane change")
    w = check.positive(width, "the width of the vehicle")
    one = 1.1 * w + 0.25
    if kind == "ISO 3888-1":
        aside = 3.5 if offset is None else check.number(offset, "the offset of the track")
        right = -0.5 * one
        spans = (0.0, 15.0), (45.0, 70.0), (95.0, 125.0)
        three = (right + aside, right + aside + 1.2 * w + 0.25)
        edges = (right, -right), three, (right, right + 1.3 * w + 0.25)
    else:
        aside = 1.0 if offset is None else check.number(offset, "the offset of the track")
        left = 0.5 * one
        spans = (0.0, 12.0), (25.5, 36.5), (49.0, 61.0)
        edges = (-left, left), (left + aside, left + aside + w + 1.0), (left - max(1.3 * w + 0.25, 3.0), left)
    if aside < 0.0:
        raise ModelError(f"the offset of a track must not be negative, got {aside:g} m")
    return LaneTrack(kind, w, tuple(Lane(*span, *edge) for span, edge in zip(spans, edges, strict=True)))
