"""The same pages in Firefox: they open from disk, show the numbers of Python, obey keys, and draw in color."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import firefox
from cardan import inverse_dynamics, kinematics
from cardan.examples import load
from pages import READY

pytest.importorskip("websockets")
Image = pytest.importorskip("PIL.Image")


@pytest.fixture(scope="module")
def browser() -> Iterator[firefox.Firefox]:
    yield from firefox.fixture()


def opened(browser: firefox.Firefox, path: Path) -> None:
    browser.errors.clear()
    browser.goto(f"{path.as_uri()}#still")
    browser.wait_for(READY)


def test_planar_page(browser, tmp_path) -> None:
    run = inverse_dynamics(load("slider-crank").build(), np.linspace(0.0, 0.6, 61))
    run.save(tmp_path / "crank.html", show=["slider.x"])
    opened(browser, tmp_path / "crank.html")
    shown = np.array(browser.evaluate("cardan.values('slider.x')"))
    assert np.array_equal(shown, run.table()["slider.x"].astype(np.float32).astype(float))
    browser.evaluate("(cardan.seek(0.25), 0)")
    browser.wait_for("cardan.time === 0.25")
    assert not browser.evaluate("cardan.playing")
    browser.press(" ")
    browser.wait_for("cardan.playing && cardan.drawn > 3")
    browser.press(" ")
    browser.wait_for("!cardan.playing")
    assert browser.errors == []


def test_spatial_page(browser, tmp_path) -> None:
    """The red cylinders of the legs are drawn, and the page has no errors."""
    kinematics(load("stewart-platform").build(), np.linspace(0.0, 1.0, 11)).save(tmp_path / "platform.html")
    opened(browser, tmp_path / "platform.html")
    browser.wait_for("cardan.drawn > 0")
    seen = np.asarray(Image.open(io.BytesIO(browser.screenshot())).convert("RGB"), float)
    assert ((seen[..., 0] > 150.0) & (seen[..., 1] < 60.0)).sum() > 500
    assert browser.errors == []
