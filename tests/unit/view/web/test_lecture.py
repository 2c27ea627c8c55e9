"""Figures of a lecture: free bodies, polygons, poles, load diagrams show what their data say."""

import numpy as np
import pytest

from cardan import ModelError, inverse_dynamics, kinematics
from cardan.examples import load

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def engine():
    example = load("slider-crank-forces")
    return inverse_dynamics(example.build(), np.linspace(*example.TIMES[:2], 41))


@pytest.fixture(scope="module")
def shaper():
    return kinematics(load("quick-return").build(), np.linspace(0.0, 1.0, 101))


def words(figure):
    return [text.get_text() for ax in figure.axes for text in ax.texts]


def test_a_free_body_shows_every_force_with_its_size(engine):
    cut = engine.free_body("rod", at=0.004)
    figure = cut.draw()
    said = " ".join(words(figure))
    for acting in cut:
        assert acting.name in said
    size = np.hypot(*cut["B"].force)
    assert f"B  {size / 1e3:.3g} kN" in said
    assert "left over" in figure.axes[1].get_title()


def test_the_force_polygon_closes_on_the_page(engine):
    """Arrows tip to tail: they end where they began, as far as they are drawn."""
    from matplotlib.patches import FancyArrowPatch

    cut = engine.free_body("rod", at=0.004)
    arrows = [patch for patch in cut.draw().axes[1].patches if isinstance(patch, FancyArrowPatch)]
    ends = [np.array(patch._posA_posB) for patch in arrows]
    assert len(ends) == len(cut)
    for one, two in zip(ends[:-1], ends[1:], strict=True):
        assert one[1] == pytest.approx(two[0])
    assert ends[-1][1] == pytest.approx(ends[0][0], abs=1e-6)


def test_the_rest_of_the_mechanism_is_a_shadow(engine):
    ax = engine.free_body("rod", at=0.004).draw(engine.at(0.004).draw().figure.add_subplot())
    own = [line for line in ax.lines if str(line.get_gid()).startswith("rod:")]
    other = [line for line in ax.lines if str(line.get_gid()).startswith("crank:")]
    assert all(line.get_alpha() is None for line in own)
    assert other
    assert all(line.get_alpha() < 0.2 for line in other)


def test_a_polygon_names_its_corners_and_coriolis(shaper):
    said = words(shaper.acceleration_polygon(0.1).draw())
    assert any(word.startswith("Coriolis 25.2") for word in said)  # 2 x 2.57926 rad/s x 4.87711 m/s
    assert "o" in said
    assert any(word in ("c", "c'") for word in said)
    alone = shaper.velocity_polygon(0.1).draw(sketch=False)
    assert len(alone.axes) == 1
    assert alone.axes[0].get_xlabel() == "vx [m/s]"


def test_poles_are_drawn_with_their_lines(shaper):
    ax = shaper.instant_centers(0.1).draw()
    assert {"12", "23", "24", "34"} <= {text.get_text() for text in ax.texts}
    assert "at infinity" in ax.get_xlabel()


def test_load_diagrams_have_both_frames(engine):
    figure = engine.bearings()["B"].draw()
    assert [ax.name for ax in figure.axes] == ["polar", "polar"]
    assert "frame of the pin" in figure.axes[0].get_title()
    radii = figure.axes[0].lines[0].get_ydata()
    assert radii.max() == pytest.approx(engine.bearings()["B"].largest)
    assert engine.bearings()["B"].draw(frame="world").name == "polar"
    with pytest.raises(ModelError, match="must be 'pin', 'journal' or 'world'"):
        engine.bearings()["B"].draw(frame="moon")
