"""The planar vocabulary: bodies, markers, measures, joints, gears and cams of the plane, and what acts on measures."""

from cardan.elements.distance import Distance
from cardan.elements.distance import Distance as RevoluteRevolute
from cardan.elements.driver import Coupler, Driver, Hold
from cardan.elements.friction import Friction
from cardan.elements.gear import Gear
from cardan.elements.impact import Impact
from cardan.elements.knife_edge import KnifeEdge
from cardan.elements.load import Action, Load
from cardan.elements.point import Point
from cardan.elements.rack_pinion import RackPinion
from cardan.elements.spring import Spring
from cardan.elements.torque import Torque
from cardan.elements.user import constraint
from cardan.elements.user_velocity import velocity_constraint
from cardan.model.matter import plane as matter
from cardan.model.motion import Constant, Function, Harmonic, Polynomial, Ramp, Spline, Step
from cardan.model.profile import Circle, Curve, CurveThrough, Polar, PolarTable
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

__all__ = [
    "Action",
    "Body",
    "CamFlat",
    "CamPair",
    "CamRoller",
    "Circle",
    "Constant",
    "Coupler",
    "Curve",
    "CurveThrough",
    "Distance",
    "Driver",
    "Fixed",
    "Friction",
    "Function",
    "Gear",
    "Harmonic",
    "Hold",
    "Impact",
    "KnifeEdge",
    "Load",
    "Marker",
    "Model",
    "PinInSlot",
    "Point",
    "PointFollower",
    "Polar",
    "PolarTable",
    "Polynomial",
    "RackPinion",
    "Ramp",
    "Revolute",
    "RevoluteRevolute",
    "RevoluteTranslational",
    "RollingWheel",
    "Spline",
    "Spring",
    "Step",
    "Torque",
    "Translational",
    "angle",
    "bearing",
    "component",
    "constraint",
    "dot",
    "glide",
    "length",
    "matter",
    "velocity_constraint",
    "x",
    "y",
]
