"""The spatial elements: bodies, markers, measures, joints, gears, and forces and drivers that act on measures."""

from typing import TYPE_CHECKING

import cardan.elements as elements
from cardan.deprecation import CLASSES, renamed_names
from cardan.lazy import lazy_imports

if TYPE_CHECKING:
    from cardan.elements import *  # noqa: F403
    from cardan.elements.constraints.distance import Distance as SphericalSpherical
    from cardan.elements.control.signals import time as time  # not in __all__: too common a name
    from cardan.elements.tires.book_tire import BookTire
    from cardan.elements.tires.magic_formula_data import MagicFormula
    from cardan.elements.tires.tire import Tire
    from cardan.elements.tires.tire_data import TireData
    from cardan.model.curves.road import Road, wheel_on_road
    from cardan.spatial import matter, rotation
    from cardan.spatial.body import Body, Marker
    from cardan.spatial.curve import Curve, CurveThrough, Helix
    from cardan.spatial.flexible_body import FlexibleBody
    from cardan.spatial.joints.bevel_gear import BevelGear
    from cardan.spatial.joints.composite import (
        RevoluteCylindrical,
        RevoluteRevolute,
        RevoluteSpherical,
        RevoluteTranslational,
    )
    from cardan.spatial.joints.curve import PointOnCurve
    from cardan.spatial.joints.cylindrical import Cylindrical, Screw, Translational
    from cardan.spatial.joints.directions import (
        InLine,
        Parallel,
        Perpendicular,
        Planar,
        PointInPlane,
        PointOnLine,
        Strut,
    )
    from cardan.spatial.joints.fixed import Bracket, Fixed, Orientation
    from cardan.spatial.joints.planetary import add_planetary
    from cardan.spatial.joints.revolute import Revolute
    from cardan.spatial.joints.rolling import RollingBall, RollingWheel
    from cardan.spatial.joints.spherical import Spherical
    from cardan.spatial.joints.universal import ConstantVelocity, Universal
    from cardan.spatial.joints.worm_gear import WormGear
    from cardan.spatial.lifting import lift
    from cardan.spatial.measures import (
        angle,
        angular_velocity_about,
        bearing,
        component,
        dot,
        helix_component,
        helix_length,
        length,
        rotation_component,
        tilt,
        velocity_along,
        x,
        y,
        z,
    )
    from cardan.spatial.model import Model
    from cardan.spatial.point_mass import Junction, PointMass
    from cardan.spatial.rods.beam import Beam
    from cardan.spatial.rods.rod import add_rod
    from cardan.spatial.surfaces import Ball, Face, Mesh
    from cardan.spatial.wing import Wing

__all__ = [
    "Ball",
    "Beam",
    "BevelGear",
    "Body",
    "BookTire",
    "Bracket",
    "ConstantVelocity",
    "Curve",
    "CurveThrough",
    "Cylindrical",
    "Face",
    "Fixed",
    "FlexibleBody",
    "Helix",
    "InLine",
    "Junction",
    "MagicFormula",
    "Marker",
    "Mesh",
    "Model",
    "Orientation",
    "Parallel",
    "Perpendicular",
    "Planar",
    "PointInPlane",
    "PointMass",
    "PointOnCurve",
    "PointOnLine",
    "Revolute",
    "RevoluteCylindrical",
    "RevoluteRevolute",
    "RevoluteSpherical",
    "RevoluteTranslational",
    "Road",
    "RollingBall",
    "RollingWheel",
    "Screw",
    "Spherical",
    "SphericalSpherical",
    "Strut",
    "Translational",
    "Tire",
    "TireData",
    "Universal",
    "Wing",
    "WormGear",
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
    "lift",
    "matter",
    "rotation",
    "rotation_component",
    "angular_velocity_about",
    "tilt",
    "wheel_on_road",
    "x",
    "y",
    "z",
]
__all__ += elements.__all__

_OLD_NAMES = {old: new for old, new in CLASSES.items() if new in __all__}
__getattr__ = renamed_names(__name__, _OLD_NAMES, lazy_imports(__name__, __file__, str(elements.__file__)))


def __dir__() -> list[str]:
    return __all__
