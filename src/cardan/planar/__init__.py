"""The planar elements: bodies, markers, measures, joints, gears, cams, and forces and drivers that act on measures."""

from typing import TYPE_CHECKING

from cardan.deprecation import CLASSES, renamed_names
from cardan.lazy import lazy_imports

if TYPE_CHECKING:
    from cardan.elements.constraints.curve_coupler import CurveCoupler
    from cardan.elements.constraints.distance import Distance, Distance as RevoluteRevolute
    from cardan.elements.constraints.driver import Coupler, Driver, Hold
    from cardan.elements.constraints.gear import Gear
    from cardan.elements.constraints.knife_edge import KnifeEdge
    from cardan.elements.constraints.rack_pinion import RackPinion
    from cardan.elements.constraints.user_constraint import constraint
    from cardan.elements.constraints.user_velocity_constraint import velocity_constraint
    from cardan.elements.contact.contact import Contact
    from cardan.elements.contact.friction import Friction
    from cardan.elements.contact.impact import Impact
    from cardan.elements.control.actuator import Actuator
    from cardan.elements.control.controller import Controller, controller
    from cardan.elements.control.hydraulic import HydraulicCylinder
    from cardan.elements.control.linear import Integrator, Lag, StateSpace, Sum, TransferFunction
    from cardan.elements.control.motor import ElectricMotor
    from cardan.elements.control.pid import PID
    from cardan.elements.control.sampled import Sampled
    from cardan.elements.control.second_order import SecondOrder
    from cardan.elements.control.shaping import LookupTable, Saturation, Sensor
    from cardan.elements.control.signals import (
        rate,
        reaction,
        time as time,  # not in __all__: too common a name
    )
    from cardan.elements.forces.air import Drag
    from cardan.elements.forces.armature import Armature
    from cardan.elements.forces.buoyancy import Buoyancy
    from cardan.elements.forces.bushing import Bushing
    from cardan.elements.forces.load import Action, Load
    from cardan.elements.forces.servo import Servo
    from cardan.elements.forces.spring import Spring
    from cardan.elements.forces.stop import Stop
    from cardan.elements.forces.torque import Torque
    from cardan.elements.gauge import Gauge
    from cardan.elements.gears.gear_mesh import GearMesh
    from cardan.elements.gears.shaft_bearing import ShaftBearing
    from cardan.elements.gears.shared_gear import SharedGear
    from cardan.elements.point import Point
    from cardan.elements.rods.section import Section
    from cardan.elements.ropes.belt import Belt
    from cardan.elements.ropes.cable import Cable
    from cardan.elements.ropes.capstan import Capstan
    from cardan.elements.ropes.pulley import Pulley, Rope
    from cardan.model.curves.motion import Constant, Function, Harmonic, Polynomial, Ramp, Spline, Step
    from cardan.model.curves.motion_program import MotionProgram
    from cardan.model.curves.motion_segments import Condition, Dwell, Move, MoveThrough
    from cardan.model.curves.profile import Circle, Curve, CurveThrough, Polar, PolarTable
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
    "PID",
    "Action",
    "Armature",
    "Beam",
    "Belt",
    "Actuator",
    "Body",
    "Buoyancy",
    "Bushing",
    "Cable",
    "CamFlat",
    "CamPair",
    "CamProfile",
    "CamRoller",
    "Capstan",
    "Circle",
    "Condition",
    "Constant",
    "Contact",
    "Controller",
    "Coupler",
    "Curve",
    "CurveCoupler",
    "CurveThrough",
    "Disk",
    "Distance",
    "Drag",
    "Driver",
    "Dwell",
    "Face",
    "ElectricMotor",
    "Fixed",
    "FlexibleBody",
    "Friction",
    "Function",
    "Gauge",
    "Gear",
    "GearMesh",
    "Harmonic",
    "Hold",
    "HydraulicCylinder",
    "Integrator",
    "Impact",
    "Junction",
    "KnifeEdge",
    "Lag",
    "Load",
    "LookupTable",
    "Marker",
    "Model",
    "MotionProgram",
    "Move",
    "MoveThrough",
    "PinInSlot",
    "Point",
    "PointMass",
    "PointFollower",
    "Polar",
    "PolarTable",
    "Polynomial",
    "Pulley",
    "RackPinion",
    "Ramp",
    "Revolute",
    "RevoluteRevolute",
    "RevoluteTranslational",
    "Rim",
    "RockerCamProfile",
    "RollingWheel",
    "Rope",
    "Servo",
    "ShaftBearing",
    "SharedGear",
    "Sampled",
    "Saturation",
    "Section",
    "SecondOrder",
    "Sensor",
    "Spline",
    "Spring",
    "StateSpace",
    "Step",
    "Stop",
    "Sum",
    "SwingingFlat",
    "SwingingRoller",
    "Torque",
    "TransferFunction",
    "Translational",
    "TranslatingFlat",
    "TranslatingRoller",
    "Wing",
    "add_planetary",
    "add_rod",
    "angle",
    "bearing",
    "component",
    "constraint",
    "controller",
    "dot",
    "velocity_along",
    "helix_component",
    "helix_length",
    "length",
    "matter",
    "rate",
    "reaction",
    "velocity_constraint",
    "x",
    "y",
]

_OLD_NAMES = {old: new for old, new in CLASSES.items() if new in __all__}
__getattr__ = renamed_names(__name__, _OLD_NAMES, lazy_imports(__name__, __file__))


def __dir__() -> list[str]:
    return __all__
