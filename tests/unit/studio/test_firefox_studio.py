"""The studio in Firefox: drawn with mouse, keys and a finger."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import firefox
from cardan.studio.document import Document
from cardan.studio.server import Studio
from pages import READY

pytest.importorskip("websockets")


@pytest.fixture(scope="module")
def browser() -> Iterator[firefox.Firefox]:
    yield from firefox.fixture()


class Hand:
    def __init__(self, browser: firefox.Firefox, studio: Studio) -> None:
        self.browser, self.studio = browser, studio
        browser.errors.clear()
        browser.goto(studio.url)
        browser.wait_for(READY)
        browser.evaluate("(studio.view(3000, 220, 480), 0)")

    def pixel(self, place: tuple[float, float]) -> tuple[float, float]:
        x, y = self.browser.evaluate(f"studio.pixels([{place[0]}, {place[1]}])")
        return float(x), float(y)

    def stroke(self, *places: tuple[float, float], pointer: str = "mouse") -> None:
        self.browser.stroke([self.pixel(place) for place in places], pointer)
        self.browser.wait_for("studio.waiting === 0")

    def key(self, key: str) -> None:
        self.browser.press(key)
        self.browser.wait_for("studio.waiting === 0")


def test_a_crank_rocker_by_keys_and_mouse(browser) -> None:
    """Tools by their keys; the motion plays with the space bar, undo takes the motor back, a hand turns the crank."""
    with Studio(document=Document()) as studio:
        hand = Hand(browser, studio)
        hand.key("b")
        for place in ((0.0, 0.0), (0.02, 0.05), (0.15, 0.09), (0.14, 0.0)):
            hand.stroke(place)
        hand.key("\ue007")  # Enter
        hand.key("g")
        hand.stroke((0.0, 0.0))
        hand.stroke((0.14, 0.0))
        hand.key("m")
        hand.stroke((0.0, 0.0))
        browser.wait_for("studio.state.motion && studio.state.status.driven")
        hand.key("\ue00c")  # Escape
        hand.key(" ")
        browser.wait_for("studio.frame > 5")
        hand.key(" ")
        browser.evaluate("(document.getElementById('undo').click(), 0)")
        browser.wait_for("studio.state.status.undriven === 1")
        hand.key("h")
        hand.stroke((0.02, 0.05), (0.01, 0.053), (0.0, 0.054), (-0.01, 0.053))
        browser.wait_for("studio.held")
        poses = browser.evaluate("studio.poses")
        assert poses[1][2] > 1.4  # rad: the crank was at 1.19
        assert browser.errors == []


def test_a_finger_draws_a_bar(browser) -> None:
    with Studio(document=Document()) as studio:
        hand = Hand(browser, studio)
        hand.key("b")
        hand.stroke((0.0, 0.0), (0.02, 0.01), (0.04, 0.02), (0.05, 0.02), pointer="touch")
        browser.wait_for("studio.state.elements.length === 1")
        assert browser.errors == []
