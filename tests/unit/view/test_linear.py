"""Pictures of linearized mechanisms show the numbers that they are made of."""

from __future__ import annotations

import numpy as np
import pytest

import cardan.planar as flat
from cardan import ModelError, linearize, root_locus

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def crane(damping=5.0):
    model = flat.Model("crane", gravity=(0, -9.81))
    slider = model.add(flat.Body(mass=10.0, inertia=1.0), name="slider")
    load = model.add(flat.Body(mass=20.0, inertia=15.0, position=(0, -1), outline=[(0, 1), (0, -1)]), name="load")
    guide = model.add(flat.Translational(model.ground.at(), slider.at()), name="guide")
    model.add(flat.Revolute(slider.at(), load.at(0, 1)), name="hinge")
    model.add(flat.Spring(guide.travel, 20.0, damping=damping, free_length=0.0), name="spring")
    return model, guide


def linear():
    model, guide = crane()
    return linearize(model, inputs=["spring"], outputs=[guide.travel])


def test_bode():
    made = linear()
    gain, phase = made.bode([0.1, 1.0, 10.0])
    expected = np.abs(made.frequency_response([0.1, 1.0, 10.0])[:, 0, 0])
    assert np.allclose(gain.lines[0].get_ydata(), expected)
    assert "rad/s" in phase.get_xlabel()
    assert made.bode()[0].lines[0].get_xdata().size > 100


def test_nyquist():
    made = linear()
    ax = made.nyquist([0.1, 1.0])
    expected = made.frequency_response([0.1, 1.0])[:, 0, 0]
    assert np.allclose(ax.lines[0].get_xdata() + 1j * ax.lines[0].get_ydata(), expected)


def test_a_picture_needs_inputs():
    with pytest.raises(ModelError, match="needs inputs and outputs"):
        linearize(crane()[0]).bode()


def test_bars_show_magnitude_and_phase():
    modes = linear().modes()
    ax = modes.bars(0)
    heights = [bar.get_height() for bar in ax.patches]
    assert max(heights) == pytest.approx(1.0) and len(heights) == 3  # x of both bodies, angle of the load
    assert ax.figure.axes[1].get_ylabel() == "phase in deg"


def test_page():
    made = linear()
    figure = made.page()
    roots = figure.axes[0].lines[0]
    assert np.allclose(roots.get_xdata() + 1j * roots.get_ydata(), made.eigenvalues())
    assert "crane" in figure.axes[0].get_title()


def test_root_locus():
    locus = root_locus(lambda c: crane(c)[0], [1.0, 2.0, 3.0], name="damping")
    dots = locus.draw().collections[0].get_offsets()
    assert np.allclose(np.sort(dots[:, 0]), np.sort(locus.roots.real.ravel()))


def test_modes_on_the_mechanism(tmp_path):
    modes = linear().modes()
    displaced = modes.snapshot(0, size=0.2)
    assert np.abs(displaced["slider"].position).max() <= 0.2 + 1e-12
    assert modes.draw(0) is not None
    modes.animate(0, tmp_path / "mode.gif")
    assert (tmp_path / "mode.gif").stat().st_size > 0
