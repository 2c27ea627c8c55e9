"""Pages in a real browser: Chromium opens them from disk with the network off, plays, scrubs, drags, clicks, and the
numbers that the page shows are those of Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardan import equilibrium, inverse_dynamics, kinematics, linearize, mobility
from cardan.examples import load
from pages import Watched, from_disk

SCENE = 1e-4  # of the size of a scene: what an exported page promises of positions


@pytest.fixture(scope="module")
def run() -> Any:
    return inverse_dynamics(load("slider-crank").build(), np.linspace(0.0, 0.6, 121))


@pytest.fixture(scope="module")
def file(run, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "slider-crank.html"
    run.save(path, show=["slider.x", "A.fx"])
    return path


@pytest.fixture(scope="module")
def opened(browser, file) -> Iterator[Any]:
    with from_disk(browser, file) as page:
        yield page


@pytest.fixture
def page(opened) -> Any:
    """One page for all tests of this file, at rest at its first instant."""
    opened.evaluate("cardan.play(false); cardan.seek(0); cardan.show(['slider.x', 'A.fx'])")
    opened.mouse.move(5, 300)
    return opened


def test_positions_and_curves_are_those_of_python(run, page) -> None:
    for name in ("crank", "rod", "slider"):
        k = run.system.body_number(run.model[name])
        shown = np.array([page.evaluate(f"cardan.stored('{name}', {frame})") for frame in range(0, 121, 10)])
        off = shown - run.q[::10, 3 * k : 3 * k + 3]
        assert np.abs(off[:, :2]).max() < SCENE * 0.7  # m, of a mechanism 0.7 m long
        assert np.abs(off[:, 2] - 2.0 * np.pi * np.round(off[:, 2] / (2.0 * np.pi))).max() < 1e-4
    for name in ("slider.x", "A.fx", "motor.force"):
        shown = np.array(page.evaluate(f"cardan.values('{name}')"))
        assert np.array_equal(shown, run.table()[name].astype(np.float32).astype(float)), name
    page.evaluate("cardan.seek(0.25)")
    page.wait_for_timeout(200)
    tip = page.evaluate("cardan.place('crank', [0.1, 0])")
    assert tip[:2] == pytest.approx(run.at(0.25)[run.model["B"].a].position, abs=SCENE * 0.7)


def test_it_plays_scrubs_and_obeys_keys(page) -> None:
    page.keyboard.press("Space")
    page.wait_for_function("cardan.time > 0.02")
    assert page.evaluate("cardan.playing")
    page.click("#play")
    assert not page.evaluate("cardan.playing")
    page.locator("#time").fill("5000")  # of 10000
    assert page.evaluate("cardan.time") == pytest.approx(0.3, abs=1e-9)
    page.locator("#glass").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("cardan.time") == pytest.approx(0.305, abs=1e-9)
    page.keyboard.press("End")
    assert page.evaluate("cardan.time") == pytest.approx(0.6, abs=1e-12)
    assert page.locator("#clock").inner_text() == "t = 0.6000 s"


def test_a_curve_moves_the_mechanism(run, page) -> None:
    box = page.locator(".u-over").first.bounding_box()
    x, y = box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"]
    page.mouse.move(x - 30, y)
    page.mouse.move(x, y)  # the cursor leads
    page.wait_for_function("cardan.time > 0.25")
    hovered = page.evaluate("cardan.time")
    page.mouse.click(x, y)  # a click stays
    page.mouse.move(5, 300)
    page.wait_for_timeout(300)
    time = page.evaluate("cardan.time")
    assert time == pytest.approx(hovered, abs=0.02)
    page.wait_for_function("cardan.drawn > 1")
    shown = page.evaluate("cardan.place('slider', [0, 0])")
    assert shown[:2] == pytest.approx(run.at(time)[run.model["slider"]].position, abs=2e-4)


def test_curves_are_chosen(page) -> None:
    assert sorted(page.evaluate("cardan.shown")) == ["A.fx", "slider.x"]
    page.click("#curves summary")
    page.click('#chooser label[data-name="motor.force"]')
    assert "motor.force" in page.evaluate("cardan.shown")
    assert page.locator(".u-over").count() == 3  # m, N, N m


def test_dragging_follows_the_computed_motion(run, page) -> None:
    x, y = page.evaluate("cardan.pixels('crank', [0.02, 0])")
    page.mouse.move(x, y)
    page.mouse.down()
    for frame in range(1, 12):  # along the path of the point, an eighth of a turn
        place = run.at(0.006 * frame)[run.model["crank"].at(0.02, 0.0)].position
        page.mouse.move(*page.evaluate(f"cardan.screen([{place[0]}, {place[1]}, 0])"))
    page.mouse.up()
    assert page.evaluate("cardan.time") == pytest.approx(0.066, abs=0.006)


def test_picking_names_a_body_and_its_numbers(page) -> None:
    page.mouse.click(*page.evaluate("cardan.pixels('rod', [0, 0])"))
    page.wait_for_selector("#info h2")
    text = page.locator("#info").inner_text()
    assert text.startswith("rod")
    assert "0.45000 m" in text  # of the middle of the rod, at the outer dead point
    assert "1 kg" in text


def test_spatial_pages_turn(browser, tmp_path) -> None:
    run = kinematics(load("spatial-slider-crank").build(), np.linspace(0.0, 0.3, 31))
    run.save(tmp_path / "space.html")
    names = [body.name for body in run.system.bodies]
    with from_disk(browser, tmp_path / "space.html") as page:
        for k, name in enumerate(names, start=1):
            shown = np.array([page.evaluate(f"cardan.stored('{name}', {frame})") for frame in (0, 17, 30)])
            stored = run.q[[0, 17, 30], 7 * k : 7 * k + 7]
            assert np.abs(shown[:, :3] - stored[:, :3]).max() < SCENE * 0.3
            assert np.abs(np.abs(np.sum(shown[:, 3:] * stored[:, 3:], axis=1)) - 1.0).max() < 1e-4
        before = page.evaluate(f"cardan.pixels('{names[0]}', [0.05, 0, 0])")
        page.mouse.move(60, 700)
        page.mouse.down()
        page.mouse.move(200, 640, steps=5)
        page.mouse.up()
        after = page.evaluate(f"cardan.pixels('{names[0]}', [0.05, 0, 0])")
        assert np.hypot(after[0] - before[0], after[1] - before[1]) > 5.0  # pixels


def test_ghost_and_modes_play(browser, run, tmp_path) -> None:
    other = kinematics(load("slider-crank").build(rod=0.6), np.linspace(0.0, 0.6, 61))
    run.save(tmp_path / "ghost.html", ghost=other)
    with from_disk(browser, tmp_path / "ghost.html") as page:
        assert page.evaluate("cardan.document.ghost") == 1
        page.wait_for_function("cardan.drawn > 0")
    model = load("double-pendulum").build()
    linearize(model, at=equilibrium(model)).modes().save(tmp_path / "modes.html")
    with from_disk(browser, tmp_path / "modes.html") as page:
        page.select_option("#clip", "1")
        page.click("#play")
        page.wait_for_function("cardan.time > 0.1")


def test_why_marks_and_wiggles(browser, tmp_path) -> None:
    mobility(load("four-bar").build()).save(tmp_path / "why.html")
    with from_disk(browser, tmp_path / "why.html") as page:
        page.click("#findings button.free")
        page.wait_for_function("cardan.playing && cardan.time > 0.05")


def test_old_browser_is_told_what_it_needs(browser, file) -> None:
    context = browser.new_context(offline=True)
    context.add_init_script("delete window.DecompressionStream")
    page = context.new_page()
    page.goto(file.as_uri())
    assert "DecompressionStream: Chrome or Edge 80" in page.locator("#trouble").inner_text()
    context.close()


def test_live_page_answers_a_hand(browser) -> None:
    pytest.importorskip("websockets", reason="live pages need websockets")
    from cardan.view.web.live import live

    model = load("quick-return").build()
    with live(kinematics(model, np.linspace(0.0, 0.5, 51)), open=False) as served:
        with Watched(browser, served.url, offline=False) as page:
            page.wait_for_function("cardan.line.open")
            served._warm()
            x, y = page.evaluate("cardan.pixels('crank', [0.5, 0])")
            page.mouse.move(x, y)
            page.mouse.down()
            for k in range(20):
                page.mouse.move(x - 3 * k, y - 4 * k)
                page.wait_for_timeout(15)
            page.wait_for_function("cardan.line.answers > 3")
            page.wait_for_timeout(300)
            page.mouse.up()
            held = served.hand.snapshot()
            assert held.violation < 1e-9  # m, and rad
            for name in ("crank", "rocker", "tool"):
                shown = page.evaluate(f"cardan.place('{name}', [0, 0])")
                assert shown[:2] == pytest.approx(held[model[name]].position, rel=2e-7, abs=1e-7)  # float32
            move_a_pivot(page, served)


def move_a_pivot(page: Any, served: Any) -> None:
    """Curves and motion follow a pivot that was dragged and dropped."""
    x, y = page.evaluate("cardan.pivotPixels(0)")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 8, y - 6)
    page.mouse.move(x + 16, y - 12)
    page.wait_for_timeout(200)
    page.mouse.up()
    page.wait_for_function("cardan.document.ghost === 1", timeout=30_000)
    curve = page.evaluate("cardan.curves")[0]
    shown = np.array(page.evaluate(f"cardan.values('{curve}')"))
    table = served.result.table()[curve]
    assert np.array_equal(shown, table.astype(np.float32).astype(float))
    assert np.abs(table - served.first.table()[curve]).max() > 1e-3 * np.ptp(table)  # it is another motion
