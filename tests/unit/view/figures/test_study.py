"""Pictures of studies: what they show, and what they reject."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from cardan import ModelError, parameter, study, tied  # noqa: E402
from cardan.examples import load  # noqa: E402
from cardan.study import grid, pareto_front, random_samples, tolerances  # noqa: E402
from cardan.view.figures.study_live import live  # noqa: E402

TIMES = np.linspace(0.0, 0.6, 21)
OUTPUTS = ["slider.x", "slider.ax:peak", "slider.x:range"]


@pytest.fixture(scope="module")
def machine() -> Any:
    model = load("slider-crank").build()
    rod = tied("rod", parameter(model, "C.a.x"), (-1.0, parameter(model, "B.b.x")))
    crank = tied("crank", parameter(model, "B.a.x"), (-1.0, parameter(model, "A.b.x")))
    return model, rod, crank


@pytest.fixture(scope="module")
def swept(machine: Any) -> Any:
    model, rod, crank = machine
    return study(model, grid({rod: [0.08, 0.2, 0.3], crank: [0.05, 0.08, 0.1]}), "kinematics", OUTPUTS, times=TIMES)


def test_curves_are_overlaid(swept: Any) -> None:
    ax = swept.plot("slider.x", by="crank")
    drawn = [line.get_ydata() for line in ax.lines]
    assert len(drawn) == swept.fine.sum() == 7
    np.testing.assert_array_equal(drawn[0], swept["slider.x"][np.flatnonzero(swept.fine)[0]])
    assert "2 of 9 samples have no curve" in ax.get_title()


def test_numbers_are_drawn_over_a_parameter(swept: Any) -> None:
    ax = swept.plot("slider.ax:peak")
    assert ax.get_xlabel() == "rod" and ax.get_ylabel() == "slider.ax:peak in m/s2"
    assert len(ax.collections[0].get_offsets()) == 9
    (failed,) = (line for line in ax.lines if line.get_label() == "failed")
    assert failed.get_xdata().tolist() == [0.08]


def test_a_surface_marks_failures(swept: Any) -> None:
    ax = swept.surface("slider.ax:peak")
    crosses = [line for line in ax.lines if line.get_marker() == "x"]
    assert crosses[0].get_xdata().tolist() == [0.08, 0.08]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("rod", "crank")


def test_parallel_coordinates_have_an_axis_for_each_number(swept: Any) -> None:
    ax = swept.parallel()
    assert [text.get_text() for text in ax.get_xticklabels()] == ["rod", "crank", "slider.ax:peak", "slider.x:range"]
    assert sum(line.get_xdata()[0] == 0 and len(line.get_xdata()) == 4 for line in ax.lines) == 7


def test_a_tornado_is_longest_at_the_top(machine: Any) -> None:
    model, rod, crank = machine
    found = study(model, tolerances(model, {rod: 0.01, crank: 0.01}, "each"), "kinematics", OUTPUTS, times=TIMES)
    ax = found.tornado("slider.ax:peak")
    assert [text.get_text() for text in ax.get_yticklabels()] == ["rod", "crank"]
    widths = {round(bar.get_y() + 0.3): abs(bar.get_width()) for bar in ax.patches}
    assert widths[1] > widths[0]
    peak = found["slider.ax:peak"]
    ends = sorted(bar.get_x() + bar.get_width() for bar in ax.patches)
    np.testing.assert_allclose(ends, np.sort(peak[1:]), rtol=1e-12)


def test_an_envelope_holds_all_curves(machine: Any) -> None:
    model, rod, crank = machine
    found = study(model, random_samples({rod: (0.2, 0.3), crank: (0.05, 0.1)}, 30), "kinematics", OUTPUTS, times=TIMES)
    ax = found.envelope("slider.x")
    corners = ax.collections[0].get_paths()[0].vertices
    for k, t in enumerate(TIMES):
        here = corners[np.isclose(corners[:, 0], t), 1]
        assert here.min() == pytest.approx(found["slider.x"][:, k].min())
        assert here.max() == pytest.approx(found["slider.x"][:, k].max())


def test_a_front_and_a_live_picture(machine: Any, tmp_path: Path) -> None:
    model, rod, crank = machine
    objectives = ["slider.ax:peak", "slider.x:max"]
    options: dict[str, Any] = {"times": TIMES, "population": 6, "generations": 2}
    front = pareto_front(model, {rod: (0.2, 0.3), crank: (0.05, 0.1)}, objectives, **options)
    assert len(front.plot().collections[0].get_offsets()) == len(front)
    watch = live("slider.x", path=tmp_path / "now.png")
    study(model, {rod: [0.2, 0.3]}, "kinematics", OUTPUTS, times=TIMES, watch=watch)
    assert (tmp_path / "now.png").stat().st_size > 5000


def test_a_notebook_shows_samples_and_a_picture(swept: Any) -> None:
    page = swept._repr_html_()
    assert page.count("<tr>") == 10 and "locks up" in page and "data:image/png;base64," in page
    assert "<th" in page and "slider.ax:peak" in page


def test_what_has_no_picture_is_rejected(swept: Any) -> None:
    for ask, message in (
        (lambda: swept.surface("slider.x"), "is a curve"),
        (lambda: swept.surface("slider.ax:peak", "rod", "rod"), "twice"),
        (lambda: swept.tornado("slider.ax:peak"), "one at a time"),
        (lambda: swept.envelope("slider.ax:peak"), "is not a curve"),
        (lambda: swept.plot("slider.q"), "has no output or parameter 'slider.q'"),
        (lambda: swept.parallel("rod"), "two parameters"),
    ):
        with pytest.raises(ModelError, match=message):
            ask()
