"""Joints in world coordinates, and what is said where they do not fit."""

import numpy as np
import pytest

from cardan import CardanWarning, ModelError, assemble, kinematics, mobility
from cardan.spatial import (
    BevelGear,
    Body,
    Driver,
    Fixed,
    Gear,
    Model,
    Perpendicular,
    Ramp,
    Revolute,
    RevoluteCylindrical,
    RevoluteRevolute,
    RevoluteTranslational,
    Spherical,
    Universal,
)


@pytest.fixture
def pair():
    """Body a welded to ground, body b stated exactly where it belongs."""
    model = Model("pair")
    a = model.add(Body(), name="a")
    model.add(Fixed(model.ground.at(), a.at()), name="weld")
    return model, a, model.add(Body(position=(1, 0, 0), orientation=(0.1, 0.2, 0.3)), name="b")


CROSSED = [
    (Universal, {"z_b": (0, 1, 0)}),
    (Universal, {"z_b": (0, 1, 0), "x": (1, 0, 0)}),
    (Perpendicular, {"z_b": (1, 0, 0)}),
    (RevoluteCylindrical, {"z_b": (1, 0, 0)}),
    (RevoluteTranslational, {"z_b": (1, 0, 0)}),
    (RevoluteRevolute, {"to": (0.7, 0, 0), "axes": "orthogonal"}),
    (BevelGear, {"z_b": (1, 0, 0), "radius_a": 1.0, "radius_b": 2.0}),
]


@pytest.mark.parametrize(("joint", "stated"), CROSSED, ids=lambda value: getattr(value, "__name__", ""))
def test_joints_with_crossed_axes_stay_where_they_are_stated(pair, joint, stated):
    model, a, b = pair
    model.add(joint.between(a, b, at=(0.0, 0.0, 0.0), z=(0, 0, 1), **stated), name="joint")
    found = assemble(model)
    assert found[b].position == pytest.approx((1, 0, 0), abs=1e-9)
    assert found[b].orientation == pytest.approx(b.parameters, abs=1e-9)


@pytest.mark.parametrize("joint", [Universal, Perpendicular, RevoluteCylindrical, RevoluteTranslational, BevelGear])
def test_crossed_axes_need_both(pair, joint):
    _, a, b = pair
    with pytest.raises(ModelError, match=rf"{joint.__name__}.between\(\) needs z_b="):
        joint.between(a, b, at=(0, 0, 0), z=(0, 0, 1))


def gears(tilt: float, height: float) -> Model:
    model = Model("gears")
    a, b = model.add(Body(), name="a"), model.add(Body(position=(3, 0, 0)), name="b")
    axis = (0.0, np.sin(tilt), np.cos(tilt))
    hinge = model.add(Revolute(model.ground.at(), a.at()), name="A")
    model.add(Revolute(model.ground.at(3, 0, 0, z=axis), b.at(z=axis)), name="B")
    model.add(Gear(a.at(), b.at(0, 0, height, z=axis), radius_a=1, radius_b=2), name="mesh")
    model.add(Driver(hinge.angle, Ramp(1.0)), name="motor")
    return model


def test_gears_on_shafts_that_are_not_parallel_are_reported():
    with pytest.warns(CardanWarning, match="the shafts of Gear 'mesh', the z axes of its markers, are not parallel"):
        kinematics(gears(0.3, 0.0), np.linspace(0.0, 0.5, 5))


def test_gears_may_stand_at_different_heights(recwarn):
    kinematics(gears(0.0, 0.5), np.linspace(0.0, 0.5, 5))
    assert len(recwarn) == 0


def door(gap: float = 0.0, aside: float = 0.0, joint=Revolute) -> Model:
    """A leaf on two hinges 1.6 m apart, the upper one set wrong."""
    model = Model("door")
    leaf = model.add(Body(position=(0.4, 0, 1)), name="leaf")
    low = model.add(Revolute.between(model.ground, leaf, at=(0, 0, 0.2), z=(0, 0, 1)), name="low")
    model.add(joint(model.ground.at(aside, 0, 1.8), leaf.at(-0.4 + aside, 0, 0.8 + gap)), name="high")
    model.add(Driver(low.angle, Ramp(1.0)), name="hand")
    return model


def test_a_redundant_hinge_may_miss_by_little():
    """1 nm on a drawing: closed without the redundant equation, and told; 1 mm is rejected."""
    with pytest.warns(CardanWarning, match=r"'door' do not fit exactly: .*, 'high' \(z\) by 1e-09 m\. The offsets"):
        run = kinematics(door(gap=1e-9), [0.0, 1.0])
    assert run["leaf"].position[1] == pytest.approx((0.4 * np.cos(1), 0.4 * np.sin(1), 1.0), abs=1e-8)


def test_joints_that_leave_no_freedom_are_not_blamed_on_the_driver():
    with pytest.raises(ModelError, match="the joints of 'door' have no degree of freedom .* Driver 'hand' could drive"):
        kinematics(door(aside=0.01), [0.0, 1.0])
    with pytest.raises(ModelError, match="have no degree of freedom"):
        kinematics(door(aside=0.01, joint=Spherical), [0.0, 1.0])


def bevels() -> tuple[Model, Revolute]:
    """Bevel gears on parallel shafts: their equation has no gradient there."""
    model = Model("bevels")
    a, b = model.add(Body(), name="a"), model.add(Body(position=(1, 0, 0)), name="b")
    hinge = model.add(Revolute(model.ground.at(), a.at()), name="A")
    model.add(Revolute(model.ground.at(1, 0, 0), b.at()), name="B")
    model.add(BevelGear(a.at(), b.at(), 1.0, 2.0), name="bevel")
    return model, hinge


def test_an_equation_that_holds_nothing_is_named():
    model, hinge = bevels()
    model.add(Driver(hinge.angle, Ramp(1.0)), name="motor")
    report = mobility(model)
    assert report.ineffective == (("bevel", "rolling"),)
    assert "Ineffective: 'bevel' (rolling) constrains nothing in this configuration." in repr(report)
    with pytest.raises(ModelError, match=r"needs 1 more driver: .* 'bevel' \(rolling\) constrains nothing in this"):
        kinematics(model, [0.0, 1.0])


def test_missing_drivers_are_offered_by_joints():
    model = Model("door")
    leaf = model.add(Body(), name="leaf")
    model.add(Revolute(model.ground.at(), leaf.at()), name="hinge")
    assert mobility(model).free_coordinates == ("hinge.angle",)
    with pytest.raises(ModelError, match="needs 1 more driver: .*; joint coordinates that can be driven: hinge.angle"):
        kinematics(model, [0.0, 1.0])
