"""Pictures of linearized mechanisms show the numbers that they are made of."""

from __future__ import annotations

import numpy as np
import pytest

import cardan.planar as flat
from cardan import ModelError, linearize, root_locus

plt = pytest.importorskip("matplotlib.pyplot")

from cardan.view.figures.linear import mode_bars  # noqa: E402
from cardan.view.web.document import page_of  # noqa: E402


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
    model.add(flat.Spring(guide.travel, 20.0, damping=damping, rest_length=0.0), name="spring")
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
    sizes = [bar.get_width() for bar in ax.patches]
    assert max(sizes) == pytest.approx(1.0) and len(sizes) == 3  # x of both bodies, angle of the load
    assert ax.figure.axes[1].get_xlabel() == "phase in deg"


def test_page():
    made = linear()
    figure = made.page()
    roots = figure.axes[0].lines[0]
    assert np.allclose(roots.get_xdata() + 1j * roots.get_ydata(), made.eigenvalues())
    assert "crane" in figure.get_suptitle()


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


def test_bars_leave_out_what_hardly_moves():
    """Of many coordinates those that move most are shown, and how many there are is said."""
    shown = mode_bars(linear().modes(), 0, most=2)
    assert len(shown.patches) == 2 and shown.get_xlabel().startswith("2 of 3 coordinates")


def test_energy_table():
    """All strain of the trolley's spring and of weight, all damping in the damper."""
    modes = linear().modes()
    first, *lines = modes.energy_table(0).splitlines()
    assert first.split() == ["energy", "in", "%", "kinetic", "strain", "lost"]
    energies = modes.energies(0)
    cells = {line.split()[0]: line.split()[1:] for line in lines}
    assert float(cells["spring"][1]) == pytest.approx(100.0) and float(cells["load"][0]) == pytest.approx(
        100.0 * energies["kinetic"]["load"], abs=0.05
    )


def test_names_of_a_page_do_not_overlap():
    """No two texts of a page lie on each other."""
    figure = linear().page()
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    texts = [t for ax in figure.axes for t in (ax.title, ax.xaxis.label, ax.yaxis.label) if t.get_text()]
    boxes = [text.get_window_extent(renderer) for text in texts]
    clashes = [(a.get_text(), b.get_text()) for k, a in enumerate(texts) for j, b in enumerate(texts[:k])
               if boxes[k].overlaps(boxes[j])]  # fmt: skip
    assert not clashes


def test_report_has_one_table_and_one_page_of_pictures(tmp_path):
    """HTML with the moving modes inside, and a PDF; what is said twice is said alike."""
    made = linear()
    page = made.report(tmp_path / "linear.html", date="1 May").read_text()
    assert page.count("<table") >= 3 and "<iframe" in page
    for words in ("damping ratio", "dissipated [%]", "1 May", "All modes decay", "of the largest force"):
        assert words in page
    assert f"{made.modes().table()[0]['hertz']:.6g}" in page
    pytest.importorskip("typst")
    made.save(tmp_path / "linear.pdf")
    assert (tmp_path / "linear.pdf").read_bytes().startswith(b"%PDF")
    made.save(tmp_path / "moving.html")
    assert (tmp_path / "moving.html").stat().st_size > 1e5 and len(page_of(made).clips) == len(made.modes())


def test_report_of_what_does_not_swing(tmp_path):
    model = flat.Model("block")
    block = model.add(flat.Body(mass=1.0, inertia=1.0), name="block")
    model.add(flat.Translational(model.ground.at(), block.at()), name="guide")
    page = linearize(model).report(tmp_path / "still.html", live=False).read_text()
    assert "Some modes neither decay nor grow" in page and "kinetic" not in page
