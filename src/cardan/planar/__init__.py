"""The planar elements: bodies, markers, measures, joints, gears, cams, and forces and drivers that act on measures."""

from typing import TYPE_CHECKING

import cardan.elements as elements
from cardan.deprecation import CLASSES, renamed_names
from cardan.lazy import lazy_imports

if TYPE_CHECKING:
    from cardan.elements import *  # noqa: F403
    from cardan.elements.constraints.distance import Distance as RevoluteRevolute
    from cardan.elements.control.signals import time as time  # not in __all__: too common a name
    from cardan.model.curves.profile import Curve, CurveThrough, Polar, PolarTable
    from cardan.model.matter import plane as matter
    from cardan.planar.beam import Beam
    from cardan.planar.body import Body, Marker
    from cardan.planar.cams.cam_followers import SwingingFlat, SwingingRoller, TranslatingFlat, TranslatingRoller
    from cardan.planar.cams.cam_profile import CamProfile, RockerCamProfile
    from cardan.planar.cams.flat import CamFlat
    from cardan.planar.cams.follower import PointFollower
    from cardan.planar.cams.pair import CamPair
    from cardan.planar.cams.roller import CamRoller
    from cardan.planar.flexible_body import FlexibleBody
    from cardan.planar.joints.fixed import Fixed
    from cardan.planar.joints.planetary import add_planetary
    from cardan.planar.joints.revolute import Revolute
    from cardan.planar.joints.revolute_translational import PinInSlot, RevoluteTranslational
    from cardan.planar.joints.rolling_wheel import RollingWheel
    from cardan.planar.joints.translational import Translational
    from cardan.planar.measures import (
        angle,
        bearing,
        component,
        dot,
        helix_component,
        helix_length,
        length,
        velocity_along,
        x,
        y,
    )
    from cardan.planar.model import Model
    from cardan.planar.point_mass import Junction, PointMass
    from cardan.planar.rod import add_rod
    from cardan.planar.surfaces import Disk, Face, Rim
    from cardan.planar.wing import Wing

__all__ = [
    "Beam",
    "Body",
    "CamFlat",
    "CamPair",
    "CamProfile",
    "CamRoller",
    "Curve",
    "CurveThrough",
    "Disk",
    "Face",
    "Fixed",
    "FlexibleBody",
    "Junction",
    "Marker",
    "Model",
    "PinInSlot",
    "PointMass",
    "PointFollower",
    "Polar",
    "PolarTable",
    "Revolute",
    "RevoluteRevolute",
    "RevoluteTranslational",
    "Rim",
    "RockerCamProfile",
    "RollingWheel",
    "SwingingFlat",
    "SwingingRoller",
    "Translational",
    "TranslatingFlat",
    "TranslatingRoller",
    "Wing",
    "add_planetary",
    "add_rod",
    "angle",
    "bearing",
    "component",
    "dot",
    "velocity_along",
    "helix_component",
    "helix_length",
    "length",
    "matter",
    "x",
    "y",
]
__all__ += elements.__all__

_OLD_NAMES = {old: new for old, new in CLASSES.items() if new in __all__}
__getattr__ = renamed_names(__name__, _OLD_NAMES, lazy_imports(__name__, __file__, str(elements.__file__)))


def __dir__() -> list[str]:
    return __all__
