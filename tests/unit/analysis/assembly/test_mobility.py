"""The coordinates that a mobility report offers to drivers."""

from __future__ import annotations

from cardan import mobility
from cardan.planar import Body, Model, Revolute


def four_bar(coupler: float) -> Model:
    """A crank of 1 along x, a coupler, a rocker of 2, pivots 3 apart."""
    model = Model("four-bar")
    crank, bar, rocker = (model.add(Body(), name=name) for name in ("crank", "coupler", "rocker"))
    model.add(Revolute(model.ground.at(), crank.at()), name="A")
    model.add(Revolute(crank.at(1.0, 0.0), bar.at()), name="B")
    model.add(Revolute(bar.at(coupler, 0.0), rocker.at(2.0, 0.0)), name="C")
    model.add(Revolute(model.ground.at(3.0, 0.0), rocker.at()), name="D")
    return model


def test_every_hinge_of_a_four_bar_can_be_driven() -> None:
    """Also those of bodies whose coordinates depend on the one that is chosen; those on the ground first."""
    report = mobility(four_bar(2.7))
    assert report.free_coordinates == ("A.angle", "D.angle", "B.angle", "C.angle")
    assert "can be driven: A.angle, D.angle" in repr(report)


def test_a_hinge_that_stands_still_is_not_offered() -> None:
    """A second, rigid frame: its hinges have no rate."""
    model = four_bar(2.7)
    frame, brace = (model.add(Body(position=(5.0, 0.0)), name=name) for name in ("frame", "brace"))
    model.add(Revolute(model.ground.at(5.0, 0.0), frame.at()), name="E")
    model.add(Revolute(frame.at(1.0, 0.0), brace.at()), name="F")
    model.add(Revolute(brace.at(1.0, 0.0), model.ground.at(5.0, 1.0)), name="G")
    model.add(Revolute(frame.at(0.0, 0.5), model.ground.at(5.5, 0.0)), name="H")
    assert mobility(model).free_coordinates == ("A.angle", "D.angle", "B.angle", "C.angle")
