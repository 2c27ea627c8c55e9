"""How spatial pages look: shadows on the floor, words that keep apart, a picture that the machine fills."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from cardan import kinematics
from cardan.case import load_case
from cardan.examples import load
from pages import from_disk

Image = pytest.importorskip("PIL.Image")


def pixels(page: Any) -> np.ndarray:
    """The stage as it is seen, as gray from 0 to 255."""
    return np.asarray(Image.open(io.BytesIO(page.locator("#view").screenshot())).convert("L"), float)


def at(page: Any, place: list[float]) -> tuple[int, int]:
    """Row and column of a global point in the picture of the stage."""
    box = page.locator("#view").bounding_box()
    x, y = page.evaluate("p => cardan.screen(p)", place)
    return round(y - box["y"]), round(x - box["x"])


@pytest.fixture(scope="module")
def platform(browser, tmp_path_factory) -> Iterator[Any]:
    path = tmp_path_factory.mktemp("look") / "platform.html"
    kinematics(load("stewart-platform").build(), np.linspace(0.0, 1.0, 21)).save(path)
    with from_disk(browser, path) as page:
        page.wait_for_timeout(300)
        yield page


def test_the_floor_has_the_shadow_of_the_platform(platform) -> None:
    """The floor is darker than elsewhere below the platform, moved away from the sun by its height."""
    floor, top = platform.evaluate("cardan.document.floor"), 0.8
    sun = np.array([0.1, -0.62])  # horizontal over vertical way of the light
    drop = -sun * (top - floor)
    shaded, clear = [*drop, floor], [0.3, -0.5, floor]
    seen = pixels(platform)
    patches = [seen[r - 3 : r + 4, c - 3 : c + 4].mean() for r, c in (at(platform, shaded), at(platform, clear))]
    assert patches[0] < patches[1] - 40.0


def test_a_picture_at_rest_is_finer_than_those_of_a_motion(platform) -> None:
    """Without a graphics card, drafts while it plays; the picture at rest is drawn once more, and only once."""
    assert platform.evaluate("cardan.software")
    platform.evaluate("cardan.play(true)")
    platform.wait_for_function("cardan.playing && !cardan.still")
    platform.evaluate("cardan.seek(0)")
    platform.wait_for_function("cardan.still")
    drawn = platform.evaluate("cardan.drawn")
    platform.wait_for_timeout(600)
    assert platform.evaluate("cardan.drawn") == drawn and platform.evaluate("cardan.still")


def test_the_machine_fills_the_picture(platform) -> None:
    """Everything is inside, and the floor's axes and the machine take most of the height or width."""
    seen = pixels(platform)
    dark = np.argwhere(seen < 150.0)
    low, high = dark.min(axis=0), dark.max(axis=0)
    assert (low > 0).all() and (high < np.array(seen.shape) - 1).all()
    assert ((high - low) / seen.shape).max() > 0.6


def test_words_do_not_overlap_and_stay_inside(browser, tmp_path) -> None:
    """Names of joints, forces and torques of a robot arm, while it moves."""
    run = load_case("imported-arm", {}).compute()
    run.save(tmp_path / "arm.html")
    with from_disk(browser, tmp_path / "arm.html") as page:
        size = page.locator("#view").bounding_box()
        for time in np.linspace(0.0, 1.2, 5):
            page.evaluate("t => cardan.seek(t)", float(time))
            page.wait_for_timeout(150)
            boxes = page.evaluate("cardan.labels")
            assert len(boxes) > 6
            for box in boxes:
                assert 0.0 <= box["x"] and box["x"] + box["wide"] <= size["width"]
                assert 0.0 <= box["y"] and box["y"] + box["high"] <= size["height"]
            for a, b in combinations(boxes, 2):
                beside = a["x"] + a["wide"] <= b["x"] or b["x"] + b["wide"] <= a["x"]
                assert beside or a["y"] + a["high"] <= b["y"] or b["y"] + b["high"] <= a["y"]


def test_a_car_is_followed_and_seen_through(browser, tmp_path) -> None:
    """After 200 m the car still fills the picture; seen through, it changes where its door is."""
    run = load_case("vehicle", {}).compute()
    run.save(tmp_path / "car.html", frames=100)
    with from_disk(browser, tmp_path / "car.html") as page:
        page.evaluate("cardan.seek(9)")
        page.wait_for_timeout(300)
        assert page.evaluate("cardan.place('chassis', [0, 0, 0])")[0] > 150.0
        nose, tail = (at(page, page.evaluate("p => cardan.place('chassis', p)", [x, 0.0, 0.0])) for x in (1.9, -2.1))
        assert abs(nose[1] - tail[1]) > 0.4 * page.locator("#view").bounding_box()["width"]
        door = at(page, page.evaluate("p => cardan.place('chassis', p)", [0.0, -0.8, 0.05]))
        before = pixels(page)[door]
        page.keyboard.press("x")
        page.wait_for_timeout(300)
        assert page.locator("#through").get_attribute("aria-pressed") == "true"
        assert abs(pixels(page)[door] - before) > 5.0


def test_a_result_plays_inside_a_notebook(browser, tmp_path) -> None:
    """The HTML that a notebook shows, in a page of its own: the frame is isolated, and draws frame after frame."""
    run = kinematics(load("slider-crank").build(), np.linspace(0.0, 0.6, 61))
    (tmp_path / "cell.html").write_text(f"<!DOCTYPE html><body>{run._repr_html_()}</body>", encoding="utf-8")
    context = browser.new_context(viewport={"width": 900, "height": 700}, offline=True)
    page = context.new_page()
    page.goto((tmp_path / "cell.html").as_uri())
    inner = page.frames[1]
    inner.wait_for_function("window.cardan && cardan.playing && cardan.drawn > 5", timeout=20_000)
    assert (
        inner.evaluate("(() => { try { return parent.document.title } catch { return 'isolated' } })()") == "isolated"
    )
    context.close()
