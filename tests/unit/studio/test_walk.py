"""Walks through the studio with mouse, keyboard and touch, as a newcomer would; clicks and entries are counted."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from cardan import kinematics, load_model
from cardan.studio.document import Document
from cardan.studio.server import Studio
from pages import READY

pytest.importorskip("websockets")


class Hand:
    """A user of the page: every click, key and typed value counts."""

    def __init__(self, browser: Any, studio: Studio, **options: Any) -> None:
        self.context = browser.new_context(viewport={"width": 1300, "height": 820}, bypass_csp=True, **options)
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(studio.url)
        self.page.wait_for_function(READY, timeout=60_000)
        self.page.evaluate("studio.view(3000, 220, 480)")
        self.studio, self.count = studio, 0

    def idle(self) -> None:
        self.page.wait_for_function("studio.waiting === 0", timeout=60_000)

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        found = self.page.evaluate("place => studio.pixels(place)", [x, y])
        return float(found[0]), float(found[1])

    def click(self, x: float, y: float) -> None:
        self.page.mouse.move(*self.pixel(x, y))
        self.page.mouse.click(*self.pixel(x, y))
        self.count += 1
        self.idle()

    def tool(self, name: str) -> None:
        self.press(f"#tools [data-tool={name}]")

    def press(self, selector: str) -> None:
        self.page.click(selector)
        self.count += 1
        self.idle()

    def key(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.count += 1
        self.idle()

    def enter(self, label: str, text: str) -> None:
        """Type a value into a field."""
        self.page.fill(f'input[aria-label="{label}"]:visible', text)
        self.page.keyboard.press("Enter")
        self.count += 1
        self.idle()

    def read(self, expression: str) -> Any:
        return self.page.evaluate(f"() => {expression}")

    def close(self) -> None:
        self.context.close()
        assert self.errors == []


@pytest.fixture
def hand(browser: Any) -> Iterator[Hand]:
    with Studio(document=Document()) as studio:
        found = Hand(browser, studio)
        yield found
        found.close()


def crank_rocker(hand: Hand) -> None:
    hand.tool("bar")
    for place in ((0, 0), (0.02, 0.05), (0.15, 0.09), (0.14, 0)):
        hand.click(*place)
    hand.key("Enter")
    hand.tool("pivot")
    hand.click(0, 0)
    hand.click(0.14, 0)
    hand.tool("motor")
    hand.click(0, 0)
    hand.tool("trace")
    hand.click(0.085, 0.07)
    hand.click(0.07, 0.12)


def test_crank_rocker_with_a_coupler_curve_in_25_steps(hand: Hand, tmp_path: Path) -> None:
    crank_rocker(hand)
    hand.press("#play")
    assert hand.count <= 25, hand.count
    hand.page.wait_for_function("studio.frame > 5")
    assert hand.read("studio.state.status.dof") == 1 and "moves" in hand.read("studio.state.status.text")
    line = np.array(hand.read("studio.state.motion.traces[0].line"))
    path = tmp_path / "drawn.yaml"
    hand.studio.session.document.save(path)
    run = kinematics(load_model(path).model, hand.read("studio.state.motion.times"))
    x, y, angle = *run["link2"].position.T, run["link2"].angle
    place = load_model(path).model["E"].marker.place
    wanted = np.stack(
        [
            x + np.cos(angle) * place[0] - np.sin(angle) * place[1],
            y + np.sin(angle) * place[0] + np.cos(angle) * place[1],
        ],
        1,
    )
    assert np.abs(line - wanted).max() < 1e-6  # the page has 7 decimals
    assert np.hypot(*(line[0] - line[-1])) < 1e-6  # a full turn


def test_spring_loaded_toggle_in_45_steps(hand: Hand) -> None:
    hand.tool("bar")
    for place in ((0, 0), (0.02, 0.06), (0, 0.12)):
        hand.click(*place)
    hand.key("Enter")
    hand.tool("pivot")
    hand.click(0, 0)
    hand.tool("slider")
    hand.click(0, 0.12)
    hand.click(0, 0.14)
    hand.tool("spring")
    hand.click(0.02, 0.06)
    hand.click(0.1, 0.06)
    hand.tool("load")
    hand.click(0, 0.12)
    hand.click(0, 0.05)
    hand.tool("stop")
    hand.click(0, 0)
    hand.tool("select")
    hand.click(0.06, 0.06)
    hand.enter("stiffness", "5")
    hand.enter("rest_length", "120 mm")
    hand.press("#tabs [data-tab=analyses]")
    hand.page.select_option("#analysis", "simulate")
    hand.count += 1
    hand.enter("until", "0.2")
    hand.press("#run")
    assert hand.count <= 45, hand.count
    hand.page.wait_for_function("studio.runs.length > 0", timeout=120_000)
    run = hand.studio.session.runs.runs[-1]
    assert run.trouble == "" and len(run.result) > 5
    assert run.result.model["spring1"].stiffness == pytest.approx(5000.0)
    lower, upper = run.result.model["stop1"].lower, run.result.model["stop1"].upper
    assert math.degrees(upper - lower) == pytest.approx(60.0)


def test_moving_typing_undo_and_keys(hand: Hand) -> None:
    crank_rocker(hand)
    text = hand.studio.session.document.text
    hand.tool("select")
    start, end = hand.pixel(0.15, 0.09), hand.pixel(0.16, 0.08)
    hand.page.mouse.move(*start)
    assert hand.page.evaluate("document.getElementById('board').style.cursor") == "move"
    hand.page.mouse.down()
    hand.page.mouse.move(*end, steps=8)
    hand.page.mouse.up()
    hand.idle()
    assert hand.read("studio.point('C')") == pytest.approx([0.16, 0.08], abs=1e-6)
    hand.page.keyboard.press("Control+z")
    hand.page.wait_for_function("text => studio.state.text === text", arg=text, timeout=20_000)
    hand.click(0.15, 0.09)  # select C, then move it by the keyboard
    hand.key("ArrowUp")
    assert hand.read("studio.point('C')")[1] > 0.0905
    hand.key("Control+z")
    hand.click(0.07, 0.0645)  # the coupler
    hand.enter("length", "140")
    assert hand.studio.session.document.text.count("C: [140, 0]") == 1
    hand.page.select_option('select[aria-label="material"]', "aluminum")
    hand.idle()
    hand.enter("thickness", "10")
    body = hand.studio.session.solved.model["link2"]
    assert body.matter.mass == pytest.approx(2700 * 0.01 * (0.14 * 0.01 + math.pi * 0.01**2 / 4), rel=1e-9)
    hand.enter("name", "coupler")
    assert "coupler" in hand.read("studio.state.elements.map(e => e.name)")
    hand.key("Delete")
    assert "coupler" not in hand.read("studio.state.elements.map(e => e.name)")
    for _ in range(5):
        hand.key("Control+z")
    assert hand.studio.session.document.text == text


def test_a_bar_of_a_typed_length(hand: Hand) -> None:
    hand.key("b")
    hand.click(0, 0)
    hand.page.mouse.move(*hand.pixel(0.02, 0.03))
    for sign in "75.5 30":
        hand.page.keyboard.press(sign if sign != " " else "Space")
    hand.key("Enter")
    entry = yaml.safe_load(hand.studio.session.document.text)["bodies"]["link1"]
    assert entry["markers"]["B"] == [75.5, 0] and entry["angle"] == 30


def test_a_cam_with_a_chosen_law(hand: Hand) -> None:
    hand.tool("cam")
    hand.page.select_option('select[aria-label="law of motion"]', "3-4-5")
    hand.page.fill('input[aria-label="lift of the cam"]', "12")
    hand.page.fill('input[aria-label="points of the cam"]', "144")
    hand.click(0.05, 0.02)
    hand.click(0.05, 0.06)
    hand.tool("motor")
    hand.click(0.05, 0.02)
    run = hand.studio.session.solved.run
    assert run is not None
    heights = run["follower1"].position[:, 1]
    assert np.ptp(heights) == pytest.approx(0.012, abs=1e-7)  # m: the cam is a spline through 144 points
    touch = yaml.safe_load(hand.studio.session.document.text)["joints"]["touch1"]
    assert len(touch["cam"]["curve"]["points"]) == 144


def test_parameters_slide_and_variants_stay(hand: Hand) -> None:
    crank_rocker(hand)
    hand.press("#tabs [data-tab=parameters]")
    hand.page.fill('input[aria-label="name of a new parameter"]', "rocker")
    hand.enter("value of a new parameter", "95 mm")
    hand.studio.session.answer(
        json.dumps({"do": "edit", "edit": "length", "with": {"body": "link3", "stated": "rocker"}})
    )
    hand.press("#tabs [data-tab=curves]")
    hand.press("#pin")
    before = hand.read("studio.state.motion.traces[0].line[20]")
    hand.press("#tabs [data-tab=parameters]")
    slider = hand.page.locator('input[aria-label="rocker slider"]')
    slider.evaluate("node => { node.value = 110; node.dispatchEvent(new Event('input')); }")
    hand.page.wait_for_function("before => studio.state.motion.traces[0].line[20][0] !== before[0]", arg=before)
    assert "rocker: 95 mm" in hand.studio.session.document.text.replace('"', "")  # a preview only
    slider.evaluate("node => node.dispatchEvent(new Event('change'))")
    hand.idle()
    assert "rocker: 110 mm" in hand.studio.session.document.text.replace('"', "")
    assert hand.read("studio.variants") == 1


def test_a_pendulum_falls_in_the_curves(hand: Hand) -> None:
    """Without a motor, Curves simulates: the motion plays in the drawing, and is hidden again."""
    hand.tool("bar")
    hand.click(0, 0)
    hand.click(0.1, 0)
    hand.key("Enter")
    hand.tool("pivot")
    hand.click(0, 0)
    hand.press("#tabs [data-tab=curves]")
    hand.enter("duration of the free motion", "0.4")
    hand.page.wait_for_function("studio.state.motion && studio.state.motion.times.at(-1) === 0.4", timeout=300_000)
    assert hand.page.locator("#plots .uplot").count() >= 1
    hand.press("#play")
    hand.page.wait_for_function("studio.frame > 3")
    assert hand.page.get_attribute("#status", "class") == "free"
    hand.press("#hide-simulation")
    hand.page.wait_for_function("studio.state.motion === null")


def test_the_hand_drags_with_joints_closed(hand: Hand) -> None:
    crank_rocker(hand)
    hand.tool("hand")
    x, y = hand.pixel(0.02, 0.05)
    hand.page.mouse.move(x, y)
    assert hand.page.evaluate("document.getElementById('board').style.cursor") == "grab"
    hand.page.mouse.down()
    for k in range(30):
        turn = math.atan2(0.05, 0.02) + 0.03 * k
        hand.page.mouse.move(*hand.pixel(0.054 * math.cos(turn), 0.054 * math.sin(turn)))
    hand.page.mouse.up()
    hand.idle()
    hand.page.wait_for_function("studio.held")
    poses = np.array(hand.read("studio.poses"))
    tips = [
        poses[b, :2] + length * np.array([np.cos(poses[b, 2]), np.sin(poses[b, 2])])
        for b, length in ((1, math.hypot(0.02, 0.05)), (2, math.hypot(0.13, 0.04)))
    ]
    assert np.abs(tips[0] - poses[2, :2]).max() < 1e-6 and np.abs(tips[1] - poses[3, :2]).max() < 1e-6  # 8 digits
    # one turn per second: the clock shows the time at which the motor brings the crank to this angle
    phase = (poses[1, 2] - math.atan2(0.05, 0.02)) / (2.0 * math.pi) % 1.0
    assert hand.read("studio.time") == pytest.approx(phase, abs=1e-4)  # poses of 180 frames are interpolated
    assert hand.page.inner_text("#clock") == f"{hand.read('studio.time'):.3f} s"
    assert hand.page.is_visible("#keep") and hand.page.is_visible("#reset")
    assert hand.studio.session.document.undo() == "traced point link2"  # a drag changes nothing
    hand.key("Escape")
    assert not hand.read("studio.held")


def test_touch_draws_a_bar_in_one_stroke(browser: Any) -> None:
    with Studio(document=Document()) as studio:
        hand = Hand(browser, studio, has_touch=True)
        hand.tool("bar")
        line = hand.context.new_cdp_session(hand.page)
        (x, y), (u, v) = hand.pixel(0, 0), hand.pixel(0.05, 0.02)
        line.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        for k in range(1, 6):
            place = {"x": x + k * (u - x) / 5, "y": y + k * (v - y) / 5}
            line.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [place]})
        line.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        hand.page.wait_for_function("studio.state.elements.length === 1")
        hand.close()


def test_a_killed_server_is_reported_and_nothing_is_lost(browser: Any, tmp_path: Path) -> None:
    path, journal = tmp_path / "a.yaml", tmp_path / "j"
    studio = Studio(document=Document.open(path, journal=journal))
    hand = Hand(browser, studio)
    crank_rocker(hand)
    text = studio.session.document.text
    studio._server.shutdown()
    for line in [*studio._lines]:
        line.socket.shutdown(2)
    hand.page.wait_for_function("!document.getElementById('lost').hidden", timeout=20_000)
    assert "Nothing is lost" in hand.page.inner_text("#lost")
    assert hand.read("studio.state.text") == text
    again = Document.open(path, journal=journal)
    assert again.text == text and again.recovered > 5
    hand.context.close()


def test_a_second_tab_sees_the_same_drawing(hand: Hand, browser: Any) -> None:
    other = Hand(browser, hand.studio)
    crank_rocker(hand)
    other.page.wait_for_function("studio.state.motion && studio.state.elements.length > 8")
    other.key("Control+z")
    hand.page.wait_for_function("studio.state.motion && studio.state.motion.traces.length === 0")
    other.close()
