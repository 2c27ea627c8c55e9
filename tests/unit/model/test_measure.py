"""Measures add up and scale like numbers."""

import pytest

from cardan import ModelError
from cardan.planar import Body, Model, angle, component, length, x, y


@pytest.fixture
def ends():
    model = Model("bench")
    a, b = model.add(Body(), name="a"), model.add(Body(), name="b")
    return a.at(1.0, 0.0), b.at(0.0, 2.0)


def test_equal_measures_are_one(ends):
    a, b = ends
    assert length(a, b) == length(a, b) and hash(length(a, b)) == hash(length(a, b))
    assert length(a, b) != length(b, a) and component(a, b, "x") != component(a, b, "y")


def test_arithmetic(ends):
    a, b = ends
    one, two = x(a), x(b)
    assert (one + two).parts() == ((1.0, one), (1.0, two))
    assert (one - two).parts() == ((1.0, one), (-1.0, two))
    assert (3 * one - two / 4.0).parts() == ((3.0, one), (-0.25, two))
    assert (-(one * 2.0)).parts() == ((-2.0, one),)
    assert (one / -2.0).parts() == ((-0.5, one),)
    assert (one + one + two).parts() == ((2.0, one), (1.0, two))


def test_units(ends):
    a, b = ends
    assert length(a, b).unit == y(a).unit == component(a, b, "x").unit == "m" and angle(a, b).unit == "rad"
    assert (x(a) - y(b)).unit == "m" and (x(a) + 0.2 * angle(a, b)).unit == ""


def test_words(ends):
    a, b = ends
    assert str(length(a, b)) == "length(a(1, 0), b(0, 2))"
    assert str(component(a, b, "y")) == "component(a(1, 0), b(0, 2), y)"
    assert "2 coordinate" in str(2.0 * x(a) + y(b))


@pytest.mark.parametrize("wrong", [1.0, None, "x", (1, 2)])
def test_only_measures_add_up(ends, wrong):
    with pytest.raises(ModelError, match="measure"):
        x(ends[0]) + wrong
