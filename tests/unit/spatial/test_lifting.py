"""Lifting a planar model: what becomes of each element, and what is rejected."""

import copy
import math
import pickle
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from cardan import ModelError, kinematics, mobility
from cardan.elements.constraints.driver import Coupler, Driver, Hold
from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.examples import load
from cardan.model.element import Constraint, Element, Equation
from cardan.planar import (
    Body,
    CamRoller,
    Circle,
    Curve,
    Distance,
    Fixed,
    Gear,
    Model,
    PinInSlot,
    Point,
    PointFollower,
    RackPinion,
    Ramp,
    Revolute,
    Translational,
    angle,
    component,
    constraint,
    length,
    x,
    y,
)
from cardan.spatial import rotation
from cardan.spatial.joints.cylindrical import Translational as SpatialTranslational
from cardan.spatial.joints.directions import Planar
from cardan.spatial.joints.fixed import Fixed as SpatialFixed
from cardan.spatial.joints.revolute import Revolute as SpatialRevolute
from cardan.spatial.lifting import InPlane, lift

UPRIGHT = {"origin": (1.0, 2.0, 3.0), "x": (0.0, 1.0, 0.0), "z": (1.0, 0.0, 0.0)}  # x is world y, y is world z


def crank(**stated) -> tuple[Model, Body]:
    """A body that a hinge turns about the origin."""
    model = Model("crank", gravity=(0.0, -9.81))
    arm = model.add(Body(**stated), name="arm")
    model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    return model, arm


def test_body():
    outline = [(0.0, 0.0), (0.5, 0.1)]
    stated = {"position": (0.3, -0.4), "angle": 0.7, "velocity": (1.0, 2.0), "angular_velocity": 5.0}
    model, _ = crank(mass=2.0, inertia=0.1, outline=outline, **stated)
    body = lift(model, **UPRIGHT)["arm"]
    assert body.mass == 2.0 and body.inertia == (0.05, 0.05, 0.1)
    assert body.position == pytest.approx((1.0, 2.3, 2.6), abs=1e-15)
    assert body.velocity == pytest.approx((0.0, 1.0, 2.0), abs=1e-15)
    assert body.angular_velocity == pytest.approx((5.0, 0.0, 0.0), abs=1e-15)
    c, s = math.cos(0.7), math.sin(0.7)
    assert np.abs(rotation.matrix(body.parameters) - [[0, 0, 1], [c, -s, 0], [s, c, 0]]).max() < 1e-15
    assert np.array_equal(body.outlines(), [[(0.0, 0.0, 0.0), (0.5, 0.1, 0.0)]])


def test_as_it_stands_the_plane_is_that_of_world_x_and_y():
    model, arm = crank(position=(0.3, -0.4), angle=0.7)
    body = lift(model)["arm"]
    assert body.position == (*arm.position, 0.0)
    assert body.parameters == pytest.approx((math.cos(0.35), 0.0, 0.0, math.sin(0.35)), abs=1e-15)


def test_gravity_lies_in_the_plane():
    model, _ = crank()
    assert lift(model, **UPRIGHT).gravity == pytest.approx((0.0, 0.0, -9.81), abs=1e-15)
    assert lift(Model("weightless")).gravity == (0.0, 0.0, 0.0)


@constraint
def parabola(across, along, height=1.5):
    return along - height * across * across


def everything() -> Model:
    """One element of each kind; it need not close."""
    model, arm = crank()
    ground = model.ground
    other = model.add(Body(position=(1.0, 0.0)), name="other")
    eye, tip = other.at(0.1, 0.2, 0.3), arm.at(0.4, 0.5, 0.6)
    elements = {
        "guide": Translational(ground.at(), other.at()),
        "weld": Fixed(tip, eye),
        "rod": Distance(tip, eye, 1.0),
        "mesh": Gear(tip, eye, radius_a=0.3, radius_b=0.2),
        "rack": RackPinion(tip, eye, radius=-0.2),
        "hold": Hold(x(tip) - 2.0 * y(eye), 0.4),
        "motor": Driver(length(tip, eye), Ramp(1.0)),
        "tie": Coupler(angle(ground.at(), tip) + 2.0 * angle(ground.at(), eye), value=0.3),
        "wire": parabola(component(tip, eye, "x"), component(tip, eye, "y"), height=2.0),
        "slot": PinInSlot(tip, eye),
        "cam": CamRoller(arm.profile(Circle(0.1)), eye, 0.1),
        "point": Point(tip, trace=False),
    }
    for name, element in elements.items():
        model.add(element, name=name)
    return model


def test_elements_keep_names_order_and_kinds():
    model = everything()
    lifted = lift(model)
    assert lifted.name == model.name
    assert [element.name for element in lifted] == [element.name for element in model]
    for name, kind in {"hinge": SpatialRevolute, "guide": SpatialTranslational, "weld": SpatialFixed}.items():
        assert type(lifted[name]) is kind
    for name in ("rod", "mesh", "rack", "hold", "motor", "tie", "wire", "point"):
        assert type(lifted[name]) is type(model[name])
    assert type(lifted["slot"]) is type(lifted["cam"]) is InPlane
    assert (lifted["rod"].length, lifted["mesh"].radius_a, lifted["rack"].radius) == (1.0, 0.3, -0.2)
    assert (lifted["hold"].value, lifted["tie"].value) == (0.4, 0.3)
    assert lifted["motor"].motion is model["motor"].motion
    assert lifted["wire"].parameters == (("height", 2.0),)
    assert lifted["point"].trace is False


def test_the_planar_model_stays_as_it_is():
    model = everything()
    before = {element.name: element for element in model}
    lift(model)
    assert {element.name: element for element in model} == before
    assert all(body in model for element in model for body in element.bodies())


def test_global_coordinates_become_those_of_the_plane():
    model = everything()
    (first, one), (second, two) = lift(model, **UPRIGHT)["hold"].measure.parts()
    assert (first, one.kind, one.axes, second, two.axes) == (1.0, "component", "x", -2.0, "y")
    assert one.a.body.name == "ground" and one.a.place == UPRIGHT["origin"]
    assert np.abs(rotation.matrix(one.a.orientation) - [[0, 0, 1], [1, 0, 0], [0, 1, 0]]).max() < 1e-15


def test_joined_bodies_need_no_plane():
    model, arm = crank()
    names = ["second", "third"]
    last = arm
    for name, joint in zip(names, (Translational, Fixed), strict=True):
        body = model.add(Body(), name=name)
        model.add(joint(body.at(), last.at()), name=f"to {name}")
        last = body
    assert not any(isinstance(element, Planar) for element in lift(model))


def test_one_plane_for_each_loose_group():
    """Two bodies hinged to each other, a third on a rod, a fourth that nothing holds."""
    model, arm = crank()
    upper, lower, hanging, _ = (model.add(Body(), name=name) for name in ("upper", "lower", "hanging", "stray"))
    model.add(Revolute(lower.at(), upper.at()), name="knee")
    model.add(PinInSlot(arm.at(), lower.at()), name="slot")
    model.add(Distance(arm.at(), hanging.at(1.0, 0.0), 0.5), name="rod")
    lifted = lift(model, **UPRIGHT)
    planes = [element for element in lifted if isinstance(element, Planar)]
    assert len(planes) == 3
    assert {plane.name for plane in planes} > {"plane of 'hanging'", "plane of 'stray'"}
    assert all(plane.a.place == UPRIGHT["origin"] for plane in planes)
    flat, spatial = mobility(model), mobility(lifted)
    assert (spatial.degrees_of_freedom, spatial.redundant) == (flat.degrees_of_freedom, ())


def test_wrapped_elements_offer_their_coordinates():
    model = load("cam-roller").build()
    lifted = lift(model)
    contact = lifted["contact"].contact
    assert (contact.kind, contact.b.body) == ("contact", lifted["cam"])
    assert list(lifted["contact"].coordinates()) == ["contact"]
    run = kinematics(lifted, np.linspace(0.0, 1.0, 21))
    assert np.array_equal(run["contact"].contact.value, run[contact].value)
    assert "contact.contact" in run.table()
    with pytest.raises(ModelError, match="CamRoller 'contact' has no coordinate 'travel'; its coordinates: contact"):
        _ = run["contact"].travel
    with pytest.raises(AttributeError, match="travel"):
        _ = lifted["contact"].travel


def test_driven_contact():
    """A measure of a cam may be driven, whichever of the two is stated first."""
    model, plate = crank()
    pin = model.add(Body(position=(0.3, 0.0)), name="pin")
    model.add(Translational(model.ground.at(), pin.at()), name="guide")
    slot = PointFollower(plate.profile(Circle(0.2, center=(0.1, 0.0))), pin.at())
    model.add(slot, name="slot")
    model.add(Driver(slot.contact, Ramp(1.0)), name="push")
    times = np.linspace(0.0, 1.0, 11)
    flat, run = kinematics(model, times), kinematics(lift(model, **UPRIGHT), times)
    assert np.abs(run["push"].measure.value - times).max() < 1e-12
    assert np.abs(run["pin"].position[:, 1] - 2.0 - flat["pin"].position[:, 0]).max() < 1e-12


def line(u):
    return u, 0.1 * u * u


def test_leaving_a_slot_is_reported():
    model = Model("slot")
    pin = model.add(Body(), name="pin")
    model.add(PointFollower(model.ground.profile(Curve(line, (-1.0, 1.0), closed=False)), pin.at()), name="slot")
    model.add(Hold(angle(model.ground.at(), pin.at()), 0.0), name="upright")
    model.add(Driver(x(pin.at()), Ramp(1.0)), name="push")
    for stated in (model, lift(model, **UPRIGHT)):
        with pytest.warns(UserWarning, match="the pin of PointFollower 'slot' has left its slot"):
            kinematics(stated, np.linspace(0.0, 1.5, 16))


@dataclass(frozen=True, eq=False)
class Sliding(TwoMarkerJoint):
    """A user's own joint: b's point follows a's at a height that rises with its distance."""

    @property
    def across(self):
        return component(self.a, self.b, "y")

    def equations(self):
        return (Equation("ramp", (self.across - 0.5 * component(self.a, self.b, "x")).parts()),)


@dataclass(frozen=True, eq=False)
class Motor(Constraint):
    """A user's own driver."""

    hinge: Revolute
    drives: ClassVar[bool] = True

    def equations(self):
        return (Equation("speed", self.hinge.angle.parts(), motion=Ramp(2.0)),)


@dataclass(frozen=True, eq=False)
class Stiff(Revolute):
    """A user's own hinge, which does not turn."""

    def equations(self):
        return (*super().equations(), Equation("stiff", angle(self.a, self.b).parts(), offset=0.25))


def test_constraints_of_a_user():
    model, arm = crank()
    block = model.add(Body(position=(0.1, 0.0)), name="block")
    model.add(Motor(model["hinge"]), name="motor")
    model.add(Sliding(arm.at(0.0, 0.1), block.at()), name="ramp")
    model.add(Driver(component(arm.at(), block.at(), "x"), Ramp(0.1, start=0.1)), name="feed")
    model.add(Hold(angle(arm.at(), block.at()), 0.0), name="upright")
    tail = model.add(Body(position=(0.1, 0.0)), name="tail")
    model.add(Stiff(block.at(), tail.at(-0.2, 0.0)), name="stiff")
    lifted = lift(model, **UPRIGHT)
    assert {element.name for element in lifted if isinstance(element, Planar)} == {
        "plane of 'block'",
        "plane of 'tail'",
    }
    assert mobility(lifted).driver_equations == 2 and mobility(lifted).undriven == 0
    times = np.linspace(0.0, 1.0, 11)
    flat, run = kinematics(model, times), kinematics(lifted, times)
    for name in ("block", "tail"):
        here, there = flat[name], run[name]
        assert np.abs(there.position[:, 1:] - (2.0, 3.0) - here.position).max() < 1e-12
        assert np.abs(there.acceleration[:, 1:] - here.acceleration).max() < 1e-10
    assert np.abs(run["ramp"].across.value - 0.5 * (0.1 + 0.1 * times)).max() < 1e-12


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))], ids=["copy", "file"]
)
def test_a_copy_moves_alike(copied):
    lifted = lift(load("cam-roller").build(), **UPRIGHT)
    times = np.linspace(0.0, 1.0, 11)
    assert np.array_equal(kinematics(lifted, times).q, kinematics(copied(lifted), times).q)


def test_messages_name_the_element():
    lifted = lift(everything())
    assert str(lifted["slot"]) == "RevoluteTranslational 'slot'"
    assert lifted["cam"].contact_coordinates()[0].name == "cam.contact"


@dataclass(frozen=True, eq=False)
class Gust(Element):
    """An element that is not a constraint."""

    def bodies(self):
        return ()


def test_rejected():
    model, _ = crank()
    with pytest.raises(ModelError, match=r"must be a planar Model, got .*spatial model 'crank'"):
        lift(lift(model))
    with pytest.raises(ModelError, match="the model for lift\\(\\) must be a planar Model, got"):
        lift("crank")
    with pytest.raises(ModelError, match="the z and x axes of the plane are parallel"):
        lift(model, z=(2.0, 0.0, 0.0))
    with pytest.raises(ModelError, match="the z axis of the plane"):
        lift(model, z=(0.0, 0.0, 0.0))
    with pytest.raises(ModelError, match="the origin of the plane must be 3 numbers"):
        lift(model, origin=(0.0, 0.0))
    model.add(Gust(), name="wind")
    with pytest.raises(ModelError, match="Gust 'wind' cannot be lifted"):
        lift(model)
