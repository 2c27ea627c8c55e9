"""The spatial elements: bodies, markers, measures, joints, gears, and forces and drivers that act on measures."""

from typing import TYPE_CHECKING

from cardan.deprecation import CLASSES, renamed_names
from cardan.lazy import lazy_imports

if TYPE_CHECKING:
    from cardan.elements.constraints.curve_coupler import CurveCoupler
    from cardan.elements.constraints.distance import Distance, Distance as SphericalSpherical
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
    from cardan.elements.tires.book_tire import BookTire
    from cardan.elements.tires.magic_formula_data import MagicFormula
    from cardan.elements.tires.tire import Tire
    from cardan.elements.tires.tire_data import TireData
    from cardan.model.curves.motion import Constant, Function, Harmonic, Polynomial, Ramp, Spline, Step
    from cardan.model.curves.motion_program import MotionProgram
    from cardan.model.curves.motion_segments import Condition, Dwell, Move, MoveThrough
    from cardan.model.curves.profile import Circle
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
    "PID",
    "Action",
    "Ball",
    "Armature",
    "Beam",
    "Belt",
    "Actuator",
    "BevelGear",
    "Body",
    "BookTire",
    "Bracket",
    "Buoyancy",
    "Bushing",
    "Cable",
    "Capstan",
    "Circle",
    "Condition",
    "Constant",
    "ConstantVelocity",
    "Contact",
    "Controller",
    "Coupler",
    "Curve",
    "CurveCoupler",
    "CurveThrough",
    "Cylindrical",
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
    "Helix",
    "Hold",
    "HydraulicCylinder",
    "InLine",
    "Integrator",
    "Impact",
    "Junction",
    "KnifeEdge",
    "Lag",
    "Load",
    "LookupTable",
    "MagicFormula",
    "Marker",
    "Mesh",
    "Model",
    "MotionProgram",
    "Move",
    "MoveThrough",
    "Orientation",
    "Parallel",
    "Perpendicular",
    "Planar",
    "Point",
    "PointInPlane",
    "PointMass",
    "PointOnCurve",
    "PointOnLine",
    "Polynomial",
    "Pulley",
    "RackPinion",
    "Ramp",
    "Revolute",
    "RevoluteCylindrical",
    "RevoluteRevolute",
    "RevoluteSpherical",
    "RevoluteTranslational",
    "Road",
    "RollingBall",
    "RollingWheel",
    "Rope",
    "Screw",
    "Servo",
    "ShaftBearing",
    "SharedGear",
    "Sampled",
    "Saturation",
    "Section",
    "SecondOrder",
    "Sensor",
    "Spherical",
    "SphericalSpherical",
    "Spline",
    "Spring",
    "StateSpace",
    "Step",
    "Stop",
    "Strut",
    "Sum",
    "Torque",
    "TransferFunction",
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
    "constraint",
    "controller",
    "dot",
    "velocity_along",
    "helix_component",
    "helix_length",
    "length",
    "lift",
    "matter",
    "rate",
    "reaction",
    "rotation",
    "rotation_component",
    "angular_velocity_about",
    "tilt",
    "velocity_constraint",
    "wheel_on_road",
    "x",
    "y",
    "z",
]

_OLD_NAMES = {old: new for old, new in CLASSES.items() if new in __all__}
__getattr__ = renamed_names(__name__, _OLD_NAMES, lazy_imports(__name__, __file__))


def __dir__() -> list[str]:
    return __all__
