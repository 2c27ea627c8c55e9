"""Elements that act on measures, in the plane and in space: drivers, gears, user constraints, forces, controllers.

`cardan.planar` and `cardan.spatial` offer them under their own names.
"""

from typing import TYPE_CHECKING

from cardan.lazy import lazy_imports

if TYPE_CHECKING:
    from cardan.elements.constraints.curve_coupler import CurveCoupler
    from cardan.elements.constraints.distance import Distance
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
    from cardan.elements.control.signals import rate, reaction
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
    from cardan.model.curves.profile import Circle

__all__ = [
    "PID",
    "Action",
    "Armature",
    "Belt",
    "Actuator",
    "Buoyancy",
    "Bushing",
    "Cable",
    "Capstan",
    "Circle",
    "Condition",
    "Constant",
    "Contact",
    "Controller",
    "Coupler",
    "CurveCoupler",
    "Distance",
    "Drag",
    "Driver",
    "Dwell",
    "ElectricMotor",
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
    "KnifeEdge",
    "Lag",
    "Load",
    "LookupTable",
    "MotionProgram",
    "Move",
    "MoveThrough",
    "Point",
    "Polynomial",
    "Pulley",
    "RackPinion",
    "Ramp",
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
    "Torque",
    "TransferFunction",
    "constraint",
    "controller",
    "rate",
    "reaction",
    "velocity_constraint",
]

__getattr__ = lazy_imports(__name__, __file__)


def __dir__() -> list[str]:
    return __all__
