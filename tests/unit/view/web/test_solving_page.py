"""A page that solves, in a browser: numbers typed, a body and a pivot dragged, without Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import Dop853, kinematics, simulate
from cardan.examples import load
from cardan.model.parameter import changed, parameter

TIMES = np.linspace(0.0, 0.5, 51)


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    run = kinematics(load("slider-crank").build(), TIMES, progress=False)
    path = tmp_path_factory.mktemp("solving") / "crank.html"
    run.save(path, solve=True, show=["slider.x"])
    return path


def opened(browser, path):
    """The page of a file, paused; errors of its scripts fail the test."""
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_function("document.documentElement.dataset.ready === 'yes'")
    page.evaluate("cardan.play(false)")
    yield page
    page.close()
    assert not failures


@pytest.fixture()
def page(browser, page_file):
    yield from opened(browser, page_file)


def type_number(page, name: str, value: float) -> None:
    box = page.locator("#parameters label", has_text=name).locator("input[type=number]")
    box.fill(repr(value))
    box.press("Enter")
    page.wait_for_function("cardan.solver.solutions > 0")


def test_page_is_small(page_file) -> None:
    assert page_file.stat().st_size < 500_000  # the target for planar mechanisms


def test_typed_numbers_give_the_result_of_python(page) -> None:
    type_number(page, "motor.motion.rate", 13.0)
    model = load("slider-crank").build()
    with changed(model, {parameter(model["motor"], "motion.rate"): 13.0}):
        expected = kinematics(model, TIMES, progress=False)
    row = np.array(page.evaluate("cardan.solver.row(37)"))
    assert np.abs(row - expected.q[37]).max() < 1e-9 * expected.system.length
    assert np.abs(np.array(page.evaluate("cardan.values('slider.x')")) - expected["slider"].position[:, 0]).max() < 1e-9
    page.locator("#parameters button").click()
    page.wait_for_function("cardan.solver.solutions > 1")
    assert page.evaluate("cardan.solver.values[0]") == 10.0


# The median time of 31 drags, in ms: single ones depend on what else the machine does.
MEDIAN = """() => {
  const spent = Array.from({ length: 31 }, (_, k) => {
    cardan.solver.drag(1, -1, [0.05, 0], [0.1, 0.1 + 0.002 * k]);
    return cardan.solver.lastMs;
  });
  return spent.sort((a, b) => a - b)[15];
}"""


def seek(page, time: float) -> None:
    """Show a time, and wait until it is drawn: places on the screen are those of the last frame."""
    page.evaluate("cardan.seek", time)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def test_a_body_follows_the_hand_with_joints_closed(page) -> None:
    seek(page, 0.1)
    x, y = page.evaluate("cardan.pixels('crank', [0.05, 0])")
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(20):
        page.mouse.move(x + 2 * k, y - 2 * k)
    page.wait_for_function("cardan.solver.answers > 3")
    q = page.evaluate("cardan.solver.position")
    page.mouse.up()
    usual = page.evaluate(MEDIAN)
    # The crank has its pivot at the origin and its pin 0.1 m from its middle; the rod reaches 0.25 m to both sides.
    crank, rod, slider = q[3:6], q[6:9], q[9:12]
    assert math.hypot(crank[0], crank[1]) == pytest.approx(0.1, abs=1e-9)
    pin = crank[0] + 0.1 * math.cos(crank[2]), crank[1] + 0.1 * math.sin(crank[2])
    assert rod[0] - 0.25 * math.cos(rod[2]) == pytest.approx(pin[0], abs=1e-9)
    assert rod[1] - 0.25 * math.sin(rod[2]) == pytest.approx(pin[1], abs=1e-9)
    assert slider[1] == pytest.approx(0.0, abs=1e-9) and rod[0] + 0.25 * math.cos(rod[2]) == pytest.approx(slider[0])
    assert usual < 16.0  # ms: 60 frames per second


def test_a_dragged_pivot_changes_its_coordinates(page) -> None:
    seek(page, 0.1)
    x, y = page.evaluate("cardan.pivotPixels(0)")
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(8):
        page.mouse.move(x - 2 * k, y - 3 * k)
    page.mouse.up()
    page.wait_for_function("cardan.solver.solutions > 0")
    names = page.evaluate("cardan.solver.parameters.map((p) => p.name)")
    values = dict(zip(names, page.evaluate("cardan.solver.values"), strict=True))
    assert values["A.a.x"] < -0.005 and values["A.a.y"] > 0.005
    place = page.evaluate("cardan.solver.row(0)")
    turn = place[5]
    assert place[3] - 0.1 * math.cos(turn) == pytest.approx(values["A.a.x"], abs=1e-9)


# --- simulations that take longer than a picture ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def long_page_file(tmp_path_factory):
    """A pendulum in 200,000 steps: about half a second, whatever the machine."""
    method = Dop853(max_step=5e-5)
    run = simulate(load("pendulum").build(), 10.0, output=0.02, method=method, progress=False)
    path = tmp_path_factory.mktemp("solving") / "pendulum.html"
    run.save(path, solve=True, parameters=["gravity.y"])
    return path


@pytest.fixture()
def long_page(browser, long_page_file):
    yield from opened(browser, long_page_file)


# Notes what the panel says, and how often a timer is served meanwhile.
LISTEN = """() => {
  const said = document.querySelector('#parameters summary span');
  window.heard = [];
  window.beats = 0;
  new MutationObserver(() => heard.push(said.textContent)).observe(said, { childList: true });
  setInterval(() => (beats += 1), 5);
}"""
SOLVED = "heard.some((text) => text.startsWith('solved'))"


@pytest.fixture(scope="module")
def fallen():
    """The pendulum with the gravity that is typed."""
    model = load("pendulum").build()
    with changed(model, {parameter(model, "gravity.y"): -5.0}):
        return simulate(model, 10.0, output=0.02, progress=False)


def assert_fallen(page, fallen) -> None:
    found = np.array([page.evaluate("(k) => cardan.solver.row(k)", k) for k in (250, 500)])
    # Both are exact to rtol = 1e-8 per second; 200,000 steps add their rounding, 1e-16 each, of an angle of a few rad.
    assert np.abs(found - fallen.q[[250, 500]]).max() < 1e-6


def test_a_long_simulation_shows_how_far_it_is_and_listens(long_page, fallen) -> None:
    long_page.evaluate(LISTEN)
    type_number(long_page, "gravity.y", -5.0)
    long_page.wait_for_function(SOLVED, timeout=60_000)
    heard, beats = long_page.evaluate("[heard, beats]")
    assert any(text.endswith("% ...") for text in heard) and beats > 3
    assert_fallen(long_page, fallen)


def test_a_body_can_be_dragged_while_a_simulation_is_under_way(long_page, fallen) -> None:
    """It begins again when the hand lets go."""
    long_page.evaluate(LISTEN)
    type_number(long_page, "gravity.y", -5.0)
    long_page.wait_for_function("heard.length > 0")
    longest, solved = long_page.evaluate(
        """() => {
          for (let k = 0; k < 9; k++) cardan.solver.drag(1, -1, [1, 0], [Math.cos(0.1 * k), Math.sin(0.1 * k)]);
          const before = heard.some((text) => text.startsWith('solved'));
          cardan.solver.drop();
          return [cardan.solver.slowest, before];
        }"""
    )
    assert longest < 100.0 and not solved  # ms; the simulation itself takes several times as long
    long_page.wait_for_function(SOLVED, timeout=60_000)
    assert_fallen(long_page, fallen)
