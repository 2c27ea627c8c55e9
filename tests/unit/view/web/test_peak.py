"""Click the peak: free bodies, polygons and poles in a page are those of Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardan import inverse_dynamics, kinematics
from cardan.examples import load
from cardan.view.web import cuts
from cardan.view.web.document import page_of
from pages import Watched, from_disk

FLOAT32 = 1e-6  # of the largest: numbers of single precision, summed


@pytest.fixture(scope="module")
def run() -> Any:
    return inverse_dynamics(load("slider-crank-forces").build(), np.linspace(0.0, np.pi / 100.0, 61))


@pytest.fixture(scope="module")
def file(run, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "engine.html"
    run.save(path, show=["B.fy", "motor.force"])
    return path


@pytest.fixture(scope="module")
def page(browser, file) -> Iterator[Any]:
    """One page for the tests of this file."""
    with from_disk(browser, file) as opened:
        yield opened


def click_on(page: Any, unit: str, share: float) -> None:
    """A click on a panel of curves, at a share of its width."""
    box = page.locator(f'.u-over[data-unit="{unit}"]').bounding_box()
    page.mouse.click(box["x"] + share * box["width"], box["y"] + 0.5 * box["height"])


def compare(page: Any, run: Any, body: str) -> None:
    """The free body in the page against the one of Python at the same instant."""
    shown = page.evaluate("cardan.cut")
    cut = run.free_body(body, at=shown["time"])
    largest = max(float(np.linalg.norm(acting.force)) for acting in cut)
    assert shown["left"] < FLOAT32
    assert np.hypot(*shown["force"]) < FLOAT32 * largest
    assert [acting["name"] for acting in shown["acting"]] == [acting.name for acting in cut]
    for told, acting in zip(shown["acting"], cut, strict=True):
        assert told["force"] == pytest.approx(acting.force, rel=1e-6, abs=1e-6 * largest)
        assert told["point"] == pytest.approx(acting.point, rel=1e-6, abs=1e-7)
        assert told["torque"] == pytest.approx([acting.torque], rel=1e-6, abs=1e-7 * largest)


def test_a_click_on_a_curve_cuts_the_link_free(run, page) -> None:
    click_on(page, "N", 0.3)
    page.wait_for_function("cardan.cut !== null")
    time = page.evaluate("cardan.cut.time")
    assert time == page.evaluate("cardan.time")
    assert np.abs(run.times - time).min() < 1e-12
    assert time == pytest.approx(0.3 * run.times[-1], abs=0.02 * run.times[-1])
    compare(page, run, "crank")
    named = {text.split()[0] for text in page.locator("#diagram text").all_text_contents()}
    assert named == {"weight", "inertia", "A", "B", "motor"}
    assert "in balance" in page.locator("#sentence").inner_text()
    page.select_option("#link", label="rod")
    page.wait_for_function("cardan.cut.body === 2")
    compare(page, run, "rod")
    page.click("#close")
    assert page.evaluate("cardan.picture") is None


def test_the_peak_is_found_beside_the_click(run, page) -> None:
    peak = float(run.times[np.argmax(np.abs(run.table()["motor.force"]))])
    click_on(page, "N m", peak / run.times[-1] + 0.012)
    page.wait_for_function(f"cardan.cut !== null && Math.abs(cardan.cut.time - {peak}) < 1e-12")


def test_polygons_and_poles_are_those_of_python(run, page) -> None:
    page.click("#velocity")
    page.evaluate("cardan.seek(0.0103)")
    page.click("#poles")
    page.wait_for_function("cardan.picture === 'velocity'")
    time, shown = page.evaluate("cardan.time"), page.evaluate("cardan.lecture")
    assert np.abs(run.times - time).min() < 1e-12  # the mechanism stands where the polygon was computed
    for kind in ("velocity", "acceleration"):
        polygon = getattr(run, f"{kind}_polygon")(time)
        assert [c["name"] for c in shown[kind]["corners"]] == [c.name for c in polygon.corners]
        for told, corner in zip(shown[kind]["corners"], polygon.corners, strict=True):
            assert told["value"] == pytest.approx(corner.value, rel=1e-7, abs=1e-8)
        assert [side["words"] for side in shown[kind]["sides"]] == [side.words for side in polygon.sides]
    poles = run.instant_centers(time)
    for told, pole in zip(shown["poles"], poles, strict=True):
        assert (told["point"] is None) == (pole.point is None)
        if pole.point is not None:
            assert told["point"] == pytest.approx(pole.point, rel=1e-7, abs=1e-9)
    assert "velocity polygon" in page.locator("#picture-title").inner_text()
    page.click("#acceleration")
    page.wait_for_function("document.getElementById('picture-title').textContent.startsWith('acceleration')")
    assert page.locator("#diagram path").count() > 3


def test_a_live_page_asks_python_where_a_file_keeps_no_forces(browser, run, monkeypatch) -> None:
    pytest.importorskip("websockets", reason="live pages need websockets")
    from cardan.view.web.live import live

    monkeypatch.setattr(cuts, "MOST_ENTRIES", 3)
    with live(run, open=False, show=["B.fy"]) as served, Watched(browser, served.url, offline=False) as page:
        page.wait_for_function("cardan.line.open")
        click_on(page, "N", 0.5)
        page.wait_for_function("cardan.cut !== null", timeout=20_000)
        compare(page, run, "crank")


def test_what_a_file_keeps(run, tmp_path, monkeypatch) -> None:
    clip = page_of(run).clips[0]
    assert clip["cuts"]["frames"] == list(range(61))
    assert [len(acting) for acting in clip["cuts"]["bodies"]] == [5, 5, 4, 5]
    assert len(clip["lecture"]["frames"]) == 60
    monkeypatch.setattr(cuts, "MOST_NUMBERS", 19 * 5 * 10)  # ten instants of all forces
    few = page_of(run).clips[0]["cuts"]["frames"]
    assert few[0] == 0
    assert len(few) <= 10
    monkeypatch.setattr(cuts, "MOST_ENTRIES", 18)
    assert page_of(run).clips[0]["cuts"] == {"frames": [], "bodies": []}
    space = kinematics(load("spatial-slider-crank").build(), np.linspace(0.0, 0.3, 5))
    clip = page_of(space).clips[0]
    assert clip["cuts"] is None  # no forces were computed
    assert clip["lecture"] is None


def test_the_model_is_inside(run, file) -> None:
    text = file.read_text(encoding="utf-8")
    model = text.partition('id="model" hidden>')[2].partition("</div>")[0]
    assert "name: slider-crank-forces" in model
    assert "piston" in model
