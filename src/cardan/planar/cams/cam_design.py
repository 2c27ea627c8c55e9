r"""design_cam(law, follower, base_radius): a cam from its lift, with what decides whether it works.

         n  ^  / v          pressure angle       between the normal n of the cam and the velocity v of the follower
            | / phi         radius of curvature  of the outline, negative where it is concave
          .-o-.             undercut             where the outline would cross itself
         (     )            sliding speed        of the follower on the cam, for an angular velocity of 1 rad/s
          '---'             spring               that keeps the follower on the cam

For a translating roller tan(phi) = (y' - e) / (y + sqrt(R_p^2 - e^2)), with the radius R_p of the prime circle and the
offset e of the follower; the radius of curvature under a flat face is R_b + y + y'' (Norton, Cam Design and
Manufacturing Handbook, chapter 7).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.motion_program import MotionProgram, program_of
from cardan.planar.cams.cam_files import write_cam
from cardan.planar.cams.cam_followers import Follower
from cardan.planar.cams.cam_loads import CamLoads, CamSpring, least_spring, loads_of
from cardan.planar.cams.cam_mechanism import cam_mechanism
from cardan.planar.cams.cam_profile import (
    ROTATIONS,
    TURN,
    CamGeometry,
    CamProfile,
    RockerCamProfile,
    edges_of,
    geometry,
    one_turn,
)
from cardan.planar.model import Model
from cardan.shortcuts import one_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS_OF_TURN = 1440
USUAL = {False: math.radians(30.0), True: math.radians(35.0)}  # largest pressure angle, translating and swinging
BISECTIONS_OF_RADIUS = 60


@dataclass(frozen=True, eq=False)
class CamDesign:
    """A cam and its follower over one turn: arrays over `angles` of the cam, in m, rad and per rad of the cam.

    The rows of `svaj` are lift, velocity, acceleration and jerk. `sliding` is the sliding speed for a cam that turns at
    1 rad/s, zero for a roller; `roller_speed` the speed of the roller about its pin; `touch` the place of the contact
    on a face, from the middle of a translating one or from the pivot of a swinging one.
    """

    law: MotionProgram
    follower: Follower
    base_radius: float
    rotation: str
    angles: np.ndarray = field(repr=False)
    svaj: np.ndarray = field(repr=False)
    pressure_angle: np.ndarray = field(repr=False)
    radius_of_curvature: np.ndarray = field(repr=False)
    sliding: np.ndarray = field(repr=False)
    roller_speed: np.ndarray = field(repr=False)
    touch: np.ndarray = field(repr=False)
    outline: np.ndarray = field(repr=False)
    undercut: tuple[float, ...] = ()

    @property
    def profile(self) -> CamProfile:
        """The outline, for the elements `CamRoller`, `CamFlat` and `PointFollower`; an undercut cam is an error."""
        kind = RockerCamProfile if self.follower.swings else CamProfile
        return kind(self.law, self.follower, self.base_radius, self.rotation)

    @property
    def largest_pressure_angle(self) -> float:
        """The largest magnitude of the pressure angle."""
        return float(np.abs(self.pressure_angle).max())

    @property
    def smallest_radius(self) -> float:
        """The smallest radius of curvature of the convex parts of the outline."""
        convex = self.radius_of_curvature[self.radius_of_curvature > 0.0]
        return float(convex.min())

    @property
    def smallest_concave_radius(self) -> float:
        """The smallest radius of the hollow parts of the outline, a positive number; inf for a convex cam. A roller and
        the grinding wheel must be smaller."""
        hollow = self.radius_of_curvature[self.radius_of_curvature < 0.0]
        return float(-hollow.max()) if hollow.size and not self.undercut else math.inf

    @property
    def face(self) -> tuple[float, float]:
        """The part of a face that is touched, for `CamFlat(length=...)`."""
        if not math.isnan(self.follower.roller):
            raise ModelError(f"a {type(self.follower).__name__} has no face")
        return float(self.touch.min()), float(self.touch.max())

    def least_base_radius(self, pressure_angle: float | None = None) -> float:
        """The smallest base radius without undercut whose pressure angle stays below the given one, by default 30
        degrees for a translating and 35 for a swinging follower."""
        limit = USUAL[self.follower.swings] if pressure_angle is None else pressure_angle
        check.positive(limit, "the pressure_angle of least_base_radius()")

        def works(radius: float) -> bool:
            try:
                one = design_cam(self.law, self.follower, radius, rotation=self.rotation)
            except ModelError:  # the follower does not reach
                return False
            return not one.undercut and one.largest_pressure_angle <= limit

        high = next((self.base_radius * 1.2**k for k in range(-30, 60) if works(self.base_radius * 1.2**k)), None)
        if high is None:
            raise ModelError(
                f"no base radius keeps the pressure angle below {math.degrees(limit):.4g} degrees; change the "
                "follower, or give the lift more of the turn"
            )
        low = high / 1.2
        for _ in range(BISECTIONS_OF_RADIUS):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if works(middle) else (middle, high)
        return high

    def loads(self, mass: float, speed: float, **options: float) -> CamLoads:
        """Contact force and shaft torque at a constant speed in rad/s; see `loads_of`."""
        return loads_of(self, mass, speed, **options)

    def spring(self, mass: float, speed: float, **options: Any) -> CamSpring:
        """The spring that keeps the follower on the cam; see `least_spring`."""
        return least_spring(self, mass, speed, **options)

    def mechanism(self, speed: float, mass: float = 0.0) -> Model:
        """A model of shaft, cam and follower, driven at a speed in rad/s; see `cam_mechanism`."""
        return cam_mechanism(self, speed, mass)

    def save(self, path: str | Path, points: int = 720, overwrite: bool = True) -> Path:
        """Write the outline in mm: .csv (with lift and pressure angle), .dxf or .svg."""
        return write_cam(self, path, points, overwrite)

    def draw(self) -> Figure:
        """A figure with outline, lift, velocity, acceleration, jerk, pressure angle and curvature."""
        return one_page(self)

    def _repr_html_(self) -> str:
        return f"<pre>{self}</pre>"

    def __str__(self) -> str:
        unit, per = ("rad", 1.0) if self.follower.swings else ("mm", 1e3)
        peaks = np.abs(self.svaj).max(axis=1) * per
        lines = [
            f"cam for a {type(self.follower).__name__}, base radius {1e3 * self.base_radius:.6g} mm, {self.rotation}",
            f"  lift                      {peaks[0]:.6g} {unit}",
            f"  velocity, acceleration    {peaks[1]:.6g} {unit}/rad, {peaks[2]:.6g} {unit}/rad2",
            f"  largest pressure angle    {math.degrees(self.largest_pressure_angle):.4g} degrees",
            f"  smallest convex radius    {1e3 * self.smallest_radius:.6g} mm",
        ]
        if math.isfinite(self.smallest_concave_radius):
            lines.append(f"  smallest concave radius   {1e3 * self.smallest_concave_radius:.6g} mm")
        if math.isnan(self.follower.roller):
            low, high = self.face
            lines.append(f"  touched part of the face  {1e3 * low:.6g} to {1e3 * high:.6g} mm")
        jumps = self.law.acceleration_jumps
        if jumps:
            lines.append(f"  the acceleration jumps at {', '.join(f'{math.degrees(x):.4g}' for x in jumps)} degrees")
        if self.undercut:
            where = f"{math.degrees(self.undercut[0]):.4g} to {math.degrees(self.undercut[-1]):.4g}"
            lines.append(f"  undercut between {where} degrees: increase the base radius")
        return "\n".join(lines)


def design_cam(
    law: MotionProgram, follower: Follower, base_radius: float, *, rotation: str = "counterclockwise"
) -> CamDesign:
    """The cam that gives a follower the lift `law`, a `MotionProgram` over the angle of the cam.

    `follower` is a `TranslatingRoller`, `TranslatingFlat`, `SwingingRoller` or `SwingingFlat`; the lift of a swinging
    one is an angle. The lift is zero on the base circle. `design.profile` is the outline for cam elements,
    `design.mechanism(speed)` a model with them.

    >>> import math
    >>> from cardan import design_cam
    >>> from cardan.planar import Dwell, MotionProgram, Move, TranslatingRoller
    >>> law = MotionProgram([Move(0.02, math.pi / 2), Dwell(math.pi / 2), Move(0.0, math.pi / 2), Dwell(math.pi / 2)])
    >>> design = design_cam(law, TranslatingRoller(radius=0.01), base_radius=0.04)
    >>> round(math.degrees(design.largest_pressure_angle), 2), round(design.smallest_radius, 5)
    (23.23, 0.02942)
    >>> round(design.least_base_radius(math.radians(20)), 5)
    0.05054
    """
    law = one_turn(program_of(law, "the law of a cam"))
    check.instance(follower, Follower, "the follower of a cam", hint="for example TranslatingFlat()")
    base_radius = check.positive(base_radius, "the base_radius of a cam")
    check.choice(rotation, tuple(ROTATIONS), "the rotation of a cam")
    sense = ROTATIONS[rotation]
    edges = edges_of(law)
    angles = np.unique(np.concatenate([np.linspace(0.0, TURN, POINTS_OF_TURN + 1), edges[1:-1]]))
    found = geometry(law, follower, base_radius, sense, angles, 1.0)
    curvature = (np.conj(found.point[1]) * found.point[2]).imag / np.abs(found.point[1]) ** 3
    with np.errstate(divide="ignore"):
        radius = np.sign(found.rising) / curvature
    return CamDesign(
        law,
        follower,
        base_radius,
        rotation,
        angles=angles,
        svaj=found.lift,
        pressure_angle=np.angle(found.normal / found.carried),
        radius_of_curvature=radius,
        **_contact(found, follower, sense),
        outline=np.stack([found.point[0].real, found.point[0].imag], axis=1),
        undercut=tuple(angles[found.rising <= 0.0].tolist()),
    )


def _contact(found: CamGeometry, follower: Follower, sense: float) -> dict[str, np.ndarray]:
    """Relative velocity of cam and follower where they touch, for a cam at 1 rad/s, and the touched place."""
    tangent = 1j * found.normal
    rolled = math.isfinite(follower.roller) and follower.roller > 0.0
    # the roller turns about its center, which has the follower's velocity
    carried = found.carried * found.lift[1]
    relative = ((1j * sense * found.touched - carried) * np.conj(tangent)).real
    zero = np.zeros_like(relative)
    along = tangent if follower.swings else -tangent  # the face, to the right of the follower or away from its pivot
    touch = ((found.touched - follower.pivot) * np.conj(along)).real
    return {
        "sliding": zero if rolled else np.abs(relative),
        "roller_speed": relative / follower.roller if rolled else zero,
        "touch": touch if math.isnan(follower.roller) else zero,
    }
