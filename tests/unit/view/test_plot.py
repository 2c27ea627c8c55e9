"""Plots: the curves are the numbers, the axes say what they are."""

from __future__ import annotations

import numpy as np
import pytest

from cardan import ModelError, kinematics
from cardan.examples import load
from cardan.planar import x
from cardan.view.figures.overview import overview
from cardan.view.plot import plot
from folding import folded

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def run():
    return kinematics(load("slider-crank").build(), np.linspace(0.0, 0.6, 31))


@pytest.fixture(scope="module")
def longer():
    return kinematics(load("slider-crank").build(rod=0.8), np.linspace(0.0, 0.6, 31))


def test_a_column_over_time(run) -> None:
    ax = run.plot("slider.ax")
    (line,) = ax.lines
    assert np.array_equal(line.get_xdata(), run.times)
    assert np.array_equal(line.get_ydata(), run["slider"].acceleration[:, 0])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time [s]", "slider.ax [m/s2]")
    assert ax.get_legend() is None


@pytest.mark.parametrize(
    ("item", "quantity", "label", "expected"),
    [
        ("motor", "value", "motor [rad]", lambda r: 10.0 * r.times),
        ("guide", "rate", "rate of guide.travel [m/s]", lambda r: r["slider"].velocity[:, 0]),
        ("A", "acceleration", "acceleration of A.angle [rad/s2]", lambda r: 0.0 * r.times),
        ("C", "violation", "violation of C", lambda r: r["C"].violation),
    ],
)
def test_elements_and_quantities(run, item, quantity, label, expected) -> None:
    ax = run.plot(item, quantity=quantity)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), expected(run), atol=1e-10)
    assert ax.get_ylabel().replace("\n", " ") == label


def test_a_body_gives_x_and_y(run) -> None:
    ax = run.plot(run.model["rod"], quantity="rate")
    assert [line.get_label() for line in ax.lines] == ["rod.vx", "rod.vy"]
    assert np.array_equal(ax.lines[1].get_ydata(), run["rod"].velocity[:, 1])
    assert ax.get_legend() is not None


def test_units_get_panels_of_their_own(run) -> None:
    axes = run.plot("slider.x", "A.angle", "slider.y")
    assert [ax.get_ylabel() for ax in axes] == ["slider [m]", "A.angle [rad]"]
    assert [len(ax.lines) for ax in axes] == [2, 1]


def test_one_quantity_against_another(run) -> None:
    ax = run.plot("slider.vx", against="slider.x")
    assert np.array_equal(ax.lines[0].get_xdata(), run["slider"].position[:, 0])
    assert ax.get_xlabel() == "slider.x [m]"
    with pytest.raises(ModelError, match="one quantity"):
        run.plot("slider.vx", against="slider")


def test_a_path_is_drawn_to_scale(run) -> None:
    ax = run.plot("rod", as_path=True)
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), run["rod"].position)
    assert ax.get_aspect() == 1.0
    with pytest.raises(ModelError, match="against="):
        run.plot("motor", as_path=True)
    with pytest.warns(DeprecationWarning, match="argument 'path' of plot is now 'as_path'"):
        assert run.plot("rod", path=True).get_aspect() == 1.0


def test_runs_lie_over_each_other(run, longer) -> None:
    slider = run.model["slider"]
    ax = run.plot(x(slider.at()), runs=[longer], labels=["l = 0.5 m", "l = 0.8 m"])
    assert np.array_equal(ax.lines[0].get_ydata(), run["slider"].position[:, 0])
    assert np.array_equal(ax.lines[1].get_ydata(), longer["slider"].position[:, 0])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["l = 0.5 m", "l = 0.8 m"]
    same = plot({"l = 0.5 m": run, "l = 0.8 m": longer}, "slider.x")
    assert np.array_equal(same.lines[1].get_ydata(), ax.lines[1].get_ydata())


@folded(
    ("what", "options", "message"),
    [
        ((), {}, "needs something to show"),
        (("slider.xx",), {}, "nothing called 'slider.xx'.*did you mean 'slider"),
        (("slider",), {"quantity": "jerk"}, "'jerk'"),
        (("slider",), {"labels": ["a", "b"]}, "1 results need 1 labels"),
        ((3.0,), {}, "not float 3.0"),
        (("crank",), {"quantity": "violation"}, "only joints"),
    ],
)
def test_wrong_requests_are_one_sentence(run, what, options, message) -> None:
    with pytest.raises(ModelError, match=message):
        run.plot(*what, **options)


def test_axes_of_the_user_are_used(run) -> None:
    first = run.plot("slider.x")
    assert run.plot("rod.x", ax=first) is first
    assert len(first.lines) == 2
    with pytest.raises(ModelError, match="2 different units"):
        run.plot("slider.x", "A.angle", ax=first)


def test_overview_shows_mechanism_and_curves(run) -> None:
    figure = overview(run, "slider.x", "slider.ax", time=0.2)
    upper, lower, sketch = figure.axes
    assert np.array_equal(upper.lines[0].get_ydata(), run["slider"].position[:, 0])
    assert lower.lines[-1].get_xdata()[0] == 0.2  # the instant that the sketch shows
    assert sketch.get_title() == "slider-crank, t = 0.2 s"
