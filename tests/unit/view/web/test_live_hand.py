"""A live page under a hand: everything on it belongs to the position that is shown."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from cardan import inverse_dynamics, kinematics, simulate
from cardan.examples import load
from cardan.view.web.live import Live, live
from pages import Watched

pytest.importorskip("websockets", reason="live pages need websockets")
SPEED, CRANK = 10.0, 0.2  # rad/s and m, of the slider-crank


@pytest.fixture
def served() -> Iterator[Live]:
    run = inverse_dynamics(load("slider-crank").build(), np.linspace(0.0, 0.6, 121))
    with live(run, open=False) as found:
        yield found


def watched(browser: Any, page: Live) -> Watched:
    found = Watched(browser, page.url, offline=False)
    found.page.wait_for_function("cardan.line && cardan.line.open")
    return found


def drag(page: Any, start: list[float], places: list[list[float]]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    for place in places:
        page.mouse.move(*place)
        page.wait_for_timeout(30)
    page.mouse.up()
    page.wait_for_timeout(400)


def turned(page: Any, angle: float) -> list[list[float]]:
    """Pixels of the crank pin on its way to an angle."""
    return [
        page.evaluate(
            "at => cardan.screen(at)", [CRANK * math.cos(k * angle / 12), CRANK * math.sin(k * angle / 12), 0]
        )
        for k in range(1, 13)
    ]


def test_polygon_clock_and_values_follow_the_hand(served: Live, browser: Any) -> None:
    """The crank turns at 10 rad/s: at an angle phi the time is phi / 10, and the velocity of the pin B is 2 m/s,
    perpendicular to the crank."""
    shown = watched(browser, served)
    page = shown.page
    page.click("#velocity")
    drag(page, page.evaluate("cardan.pixels('crank', [0.1, 0])"), turned(page, 0.9))
    tip = page.evaluate("cardan.place('crank', [0.1, 0])")
    phi = math.atan2(tip[1], tip[0])
    assert phi == pytest.approx(0.9, abs=0.02)  # a pixel is 2 mm
    time = page.evaluate("cardan.time")
    assert time == pytest.approx(phi / SPEED, abs=2e-5)  # poses between frames 5 ms apart are interpolated
    corner = next(c for c in page.evaluate("cardan.lecture").get("velocity")["corners"] if c["name"] == "B")
    wanted = [-SPEED * CRANK * math.sin(SPEED * time), SPEED * CRANK * math.cos(SPEED * time)]
    assert corner["value"] == pytest.approx(wanted, rel=1e-6)
    assert f"t = {time:.6g}"[:8] in page.inner_text("#picture-title")
    assert page.inner_text("#clock") == f"t = {time:.4f} s"
    slider = float(page.input_value("#time")) / 1e4 * 0.6
    assert slider == pytest.approx(time, abs=1e-4)
    page.click("#close")
    page.click("#cut")
    page.wait_for_function("cardan.cut")
    assert page.evaluate("cardan.cut.time") == pytest.approx(time, abs=1e-12)
    page.keyboard.press("Escape")
    assert page.evaluate("cardan.time") == pytest.approx(time)
    shown.context.close()
    assert shown.errors == []


def test_off_the_motion_nothing_is_claimed(browser: Any) -> None:
    run = simulate(load("double-pendulum").build(), 1.0, output=0.02)
    with live(run, open=False) as served:
        shown = watched(browser, served)
        page = shown.page
        names = page.evaluate("cardan.document.bodies.map(b => b.name)")
        if page.is_visible("#velocity"):
            page.click("#velocity")
        x, y = page.evaluate(f"cardan.pixels('{names[2]}', [0, 0])")
        drag(page, [x, y], [[x + 6 * k, y - 7 * k] for k in range(1, 12)])
        assert page.inner_text("#clock") == "by hand"
        if page.is_visible("#picture"):
            assert "not known" in page.inner_text("#sentence")
        page.click("#live-reset")
        assert page.inner_text("#clock").startswith("t = ")
        shown.context.close()
        assert shown.errors == []


def test_pivots_are_grabbed_through_arrows_typed_and_undone(served: Live, browser: Any) -> None:
    """x = r cos theta + sqrt(l^2 - (e + r sin theta)^2) for a pivot that lies e above the guide."""
    shown = watched(browser, served)
    page = shown.page
    hint = page.locator("#live-hint").bounding_box()
    assert hint["x"] >= 0.0 and hint["x"] + hint["width"] <= 1280.0
    page.evaluate("document.getElementById('force').value = 1; document.getElementById('force').oninput()")
    page.wait_for_timeout(200)
    page.mouse.move(*page.evaluate("cardan.pivotPixels(0)"))
    page.wait_for_timeout(100)
    page.mouse.move(*[c + 1 for c in page.evaluate("cardan.pivotPixels(0)")])
    page.wait_for_timeout(100)
    assert page.evaluate("document.getElementById('glass').style.cursor") == "grab"
    page.mouse.click(*page.evaluate("cardan.pivotPixels(0)"))
    page.fill('input[aria-label="y of A"]', "0.1")
    page.click("#live-place button")
    page.wait_for_function("!document.getElementById('live-undo').disabled", timeout=30_000)
    theta = SPEED * served.first.times
    moved = CRANK * np.cos(theta) + np.sqrt(0.5**2 - (0.1 + CRANK * np.sin(theta)) ** 2)
    assert served.result["slider"].position[:, 0] == pytest.approx(moved, abs=1e-9)
    page.click("#live-undo")
    page.wait_for_function("document.getElementById('live-undo').disabled", timeout=30_000)
    assert served.result is served.first and served.past == []
    shown.context.close()
    assert shown.errors == []


def test_undo_goes_through_all_changes(served: Live) -> None:
    import json

    with served._lock:  # as for messages of a page: the hand is also made by a thread in the background
        for height in (0.05, 0.1):
            question = {"do": "drag", "body": 0, "pivot": 0, "point": [0.0, 0.0], "target": [0.0, height], "time": 0.0}
            served._reply(json.dumps(question | {"begin": True}))
            asked = served._asked + 1
            model = served._changed({"do": "again"})
            served._asked = asked
            served._again(model, asked)
    assert len(served.past) == 2
    served._reply('{"do": "undo"}')
    assert served.result.model["A"].a.place[1] == pytest.approx(0.05)
    served._reply('{"do": "reset"}')
    assert served.result is served.first
    assert b"nothing was changed" in served._reply('{"do": "undo"}')


SCRIPT = """
import sys, threading, time
import numpy as np
from cardan import kinematics
from cardan.examples import load
from cardan.view.web import live as module
module.AWAY = 0.6
module.opened = lambda address: True
page = module.live(kinematics(load("slider-crank").build(), np.linspace(0, 0.1, 5)))
print("served", flush=True)
def visit():
    from websockets.sync.client import connect
    with connect(f"ws://127.0.0.1:{page.port}/{page.token}/line"):
        print("open", flush=True)
        time.sleep(1.0)
threading.Timer(0.5, visit).start()
print("the script ends here", flush=True)
"""


def test_a_script_waits_until_its_page_is_closed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=180, env=dict(os.environ)
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:3] == ["served", "the script ends here", "open"]


def test_a_script_need_not_wait() -> None:
    with live(kinematics(load("slider-crank").build(), np.linspace(0, 0.1, 5)), open=False) as page:
        assert not page.closed.is_set()
    assert page.closed.is_set()
