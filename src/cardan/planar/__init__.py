"""The planar vocabulary: bodies, markers, measures, joints, gears and cams of the plane, and what acts on measures."""

from cardan.elements.air import Drag
from cardan.elements.belt import Belt
from cardan.elements.buoyancy import Buoyancy
from cardan.elements.bushing import Bushing
from cardan.elements.cable import Cable
from cardan.elements.capstan import Capstan
from cardan.elements.contact import Contact
from cardan.elements.control.actuator import Actuator
from cardan.elements.control.controller import Controller, controller
from cardan.elements.control.hydraulic import HydraulicCylinder
from cardan.elements.control.linear import Integrator, Lag, StateSpace, Sum, TransferFunction
from cardan.elements.control.motor import ElectricMotor
from cardan.elements.control.pid import PID
from cardan.elements.control.sampled import Sampled
from cardan.elements.control.shaping import LookupTable, Saturation, Sensor
from cardan.elements.control.signals import rate, reaction
from cardan.elements.control.signals import time as time  # not in __all__: a name that everybody uses
from cardan.elements.distance import Distance
from cardan.elements.distance import Distance as RevoluteRevolute
from cardan.elements.driver import Coupler, Driver, Hold
from cardan.elements.friction import Friction
from cardan.elements.gear import Gear
from cardan.elements.impact import Impact
from cardan.elements.knife_edge import KnifeEdge
from cardan.elements.load import Action, Load
from cardan.elements.point import Point
from cardan.elements.pulley import Pulley, Rope
from cardan.elements.rack_pinion import RackPinion
from cardan.elements.servo import Servo
from cardan.elements.spring import Spring
from cardan.elements.stop import Stop
from cardan.elements.torque import Torque
from cardan.elements.user import constraint
from cardan.elements.user_velocity import velocity_constraint
from cardan.model.matter import plane as matter
from cardan.model.motion import Constant, Function, Harmonic, Polynomial, Ramp, Spline, Step
from cardan.model.profile import Circle, Curve, CurveThrough, Polar, PolarTable
from cardan.planar.beam import Beam
from cardan.planar.body import Body, Marker
from cardan.planar.cams.flat import CamFlat
from cardan.planar.cams.follower import PointFollower
from cardan.planar.cams.pair import CamPair
from cardan.planar.cams.roller import CamRoller
from cardan.planar.joints.fixed import Fixed
from cardan.planar.joints.revolute import Revolute
from cardan.planar.joints.revolute_translational import PinInSlot, RevoluteTranslational
from cardan.planar.joints.rolling_wheel import RollingWheel
from cardan.planar.joints.translational import Translational
from cardan.planar.measures import angle, bearing, component, dot, glide, length, x, y
from cardan.planar.model import Model
from cardan.planar.touch import Disc, Face, Rim
from cardan.planar.wing import Wing

__all__ = [
    "PID",
    "Action",
    "Beam",
    "Belt",
    "Actuator",
    "Body",
    "Buoyancy",
    "Bushing",
    "Cable",
    "CamFlat",
    "CamPair",
    "CamRoller",
    "Capstan",
    "Circle",
    "Constant",
    "Contact",
    "Controller",
    "Coupler",
    "Curve",
    "CurveThrough",
    "Disc",
    "Distance",
    "Drag",
    "Driver",
    "Face",
    "ElectricMotor",
    "Fixed",
    "Friction",
    "Function",
    "Gear",
    "Harmonic",
    "Hold",
    "HydraulicCylinder",
    "Integrator",
    "Impact",
    "KnifeEdge",
    "Lag",
    "Load",
    "LookupTable",
    "Marker",
    "Model",
    "PinInSlot",
    "Point",
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
    "RollingWheel",
    "Rope",
    "Servo",
    "Sampled",
    "Saturation",
    "Sensor",
    "Spline",
    "Spring",
    "StateSpace",
    "Step",
    "Stop",
    "Sum",
    "Torque",
    "TransferFunction",
    "Translational",
    "Wing",
    "angle",
    "bearing",
    "component",
    "constraint",
    "controller",
    "dot",
    "glide",
    "length",
    "matter",
    "rate",
    "reaction",
    "velocity_constraint",
    "x",
    "y",
]
