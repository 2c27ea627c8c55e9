"""The model of a designed cam: shaft, follower, guide or pivot, and the contact."""

from __future__ import annotations

import cmath
import math
from typing import TYPE_CHECKING

from cardan.elements.constraints.driver import Driver
from cardan.model import check
from cardan.model.curves.motion import Ramp
from cardan.model.element import Constraint
from cardan.planar.body import Body, Marker, Outline
from cardan.planar.cams.cam_followers import SwingingFlat, SwingingRoller, TranslatingFlat, TranslatingRoller
from cardan.planar.cams.flat import CamFlat
from cardan.planar.cams.follower import PointFollower
from cardan.planar.cams.roller import CamRoller
from cardan.planar.joints.revolute import Revolute
from cardan.planar.joints.translational import Translational
from cardan.planar.model import Model

if TYPE_CHECKING:
    from cardan.planar.cams.cam_design import CamDesign


def cam_mechanism(design: CamDesign, speed: float, mass: float = 0.0) -> Model:
    """The bodies 'cam' and 'follower', the shaft at the origin, the joints 'shaft', 'guide' or 'pivot', the 'contact'
    and the driver 'motor', which turns the cam at `speed` rad/s in its direction of rotation.

    The lift is `guide.travel`, or minus `pivot.angle` of a swinging follower. `mass` is that of the follower, or its
    moment of inertia about the pivot.
    """
    model = Model("cam")
    speed = check.positive(speed, "the speed of a cam")
    cam = model.add(Body(), name="cam")
    shaft = model.add(Revolute(model.ground.at(), cam.at()), name="shaft")
    lift = float(design.svaj[0, 0])
    follower, profile = design.follower, design.profile
    start = follower.start(design.base_radius)
    if isinstance(follower, TranslatingRoller | TranslatingFlat):
        offset = follower.offset if isinstance(follower, TranslatingRoller) else 0.0
        at = (start - 1j * offset) * cmath.exp(1j * follower.direction)
        here = at + lift * cmath.exp(1j * follower.direction)
        body = model.add(Body(mass=mass, position=(here.real, here.imag)), name="follower")
        ends = model.ground.at(at.real, at.imag, follower.direction), body.at(0.0, 0.0, follower.direction)
        model.add(Translational(*ends), name="guide")
        face = body.at(0.0, 0.0, follower.direction - math.pi / 2)
    else:
        rest = cmath.phase(follower.pivot) + math.pi - start  # the angle of the arm at lift 0
        place = (follower.pivot.real, follower.pivot.imag)
        body = model.add(Body(inertia=mass, position=place, angle=rest - lift), name="follower")
        model.add(Revolute(model.ground.at(*place, rest), body.at()), name="pivot")
        face = body.at(0.0, follower.offset) if isinstance(follower, SwingingFlat) else body.at()
    model.add(_contact(design, cam.profile(profile), body, face), name="contact")
    model.add(Driver(shaft.angle, Ramp(profile.sense * speed)), name="motor")
    return model


def _contact(design: CamDesign, outline: Outline, body: Body, face: Marker) -> Constraint:
    follower = design.follower
    if isinstance(follower, TranslatingFlat | SwingingFlat):
        return CamFlat(outline, face)
    center = body.at(follower.arm, 0.0) if isinstance(follower, SwingingRoller) else body.at()
    if follower.roller == 0.0:
        return PointFollower(outline, center)
    return CamRoller(outline, center, follower.roller)
