"""The live page's end in Python: the page for those with the token, answers to a hand, frames of a run."""

from __future__ import annotations

import gzip
import json
import time
import urllib.error
import urllib.request

import numpy as np
import pytest

from cardan import kinematics, simulate
from cardan.examples import load
from cardan.planar import Body, Model, RollingWheel
from cardan.view.web.live import live

client = pytest.importorskip("websockets.sync.client", reason="live pages need websockets")


@pytest.fixture(scope="module")
def page():
    model = load("quick-return").build()  # six links: ground, crank, block, rocker, rod, tool
    with live(kinematics(model, np.linspace(0.0, 0.5, 51)), open=False) as found:
        yield found


def connect(page):
    return client.connect(f"ws://127.0.0.1:{page.port}/{page.token}/line")


def answer(line, timeout: float = 30.0) -> tuple[dict, np.ndarray]:
    data = line.recv(timeout=timeout)
    size = int.from_bytes(data[:4], "little")
    return json.loads(data[4 : 4 + size]), np.frombuffer(data[4 + size :], "<f4")


def test_page_is_served_to_who_knows_the_token(page) -> None:
    with urllib.request.urlopen(page.url) as reply:
        assert b"data-live=" in reply.read()
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"http://127.0.0.1:{page.port}/")


def test_other_pages_are_turned_away(page) -> None:
    address = f"ws://127.0.0.1:{page.port}/{page.token}/line"
    with pytest.raises(Exception, match="403"):
        client.connect(address, origin="http://elsewhere.example")


def test_a_hand_is_answered_in_time_with_closed_joints(page) -> None:
    model = page.page.scene.snapshot.model
    crank = [body.name for body in page.page.scene.bodies].index("crank")
    radius = 1.0
    times = []
    with connect(page) as line:
        for k in range(30):
            turn = 0.03 * k
            target = [2.5 * radius * np.cos(turn), 2.0 + 2.5 * radius * np.sin(turn)]
            question = {"do": "drag", "body": crank, "pivot": -1, "point": [radius, 0.0], "target": target}
            begun = time.process_time()
            line.send(json.dumps(question | {"time": 0.0, "begin": k == 0}))
            words, numbers = answer(line)
            times.append(time.process_time() - begun)
            assert not words["locked"], words["text"]
            held = page.hand.snapshot()
            assert held.violation < 1e-9  # m, and rad
            assert numbers == pytest.approx(held.q[3 : 3 + numbers.size].astype(np.float32), abs=0.0)
    assert np.median(times) < 0.05  # s of the processor, both ends of the line; the benchmark takes the clock's
    assert model["crank"] is page.page.scene.bodies[crank]


def test_a_pivot_follows_the_hand(page) -> None:
    pivots = [joint.name for joint in page.page.scene.pivots]
    with connect(page) as line:
        question = {"do": "drag", "body": 0, "pivot": 0, "point": [0.0, 0.0], "target": [0.05, -0.03]}
        line.send(json.dumps(question | {"time": 0.0, "begin": True}))
        words, _ = answer(line)
    place = page.page.scene.pivots[0].a.place
    assert words["shifts"][0] == pytest.approx([0.05 - place[0], -0.03 - place[1]], abs=1e-12), pivots
    assert page.hand.snapshot().violation < 1e-9
    page.hand = None  # the next hand takes the mechanism as it was


def document(line) -> dict:
    """The next document that is sent, whatever is told before."""
    for _ in range(10):
        data = line.recv(timeout=60.0)
        size = int.from_bytes(data[:4], "little")
        if json.loads(data[4 : 4 + size])["type"] == "document":
            plain = gzip.decompress(data[4 + size :])
            return json.loads(plain[4 : 4 + int.from_bytes(plain[:4], "little")])
    raise AssertionError("no document came")


def test_a_moved_pivot_and_a_moved_pin_change_the_motion() -> None:
    """x = r cos theta + sqrt(l^2 - (e + r sin theta)^2): a crank whose pivot lies e above the guide."""
    model = load("slider-crank").build()
    run = kinematics(model, np.linspace(0.0, 0.6, 13))
    with live(run, open=False) as page, connect(page) as line:
        question = {"do": "drag", "body": 0, "pivot": 0, "point": [0.0, 0.0], "target": [0.0, 0.1]}
        line.send(json.dumps(question | {"time": 0.0, "begin": True}))
        assert not answer(line)[0]["locked"]
        line.send(json.dumps({"do": "again"}))
        found = document(line)
        theta = 10.0 * run.times
        x = 0.2 * np.cos(theta) + np.sqrt(0.5**2 - (0.1 + 0.2 * np.sin(theta)) ** 2)
        assert page.result["slider"].position[:, 0] == pytest.approx(x, abs=1e-9)
        assert found["ghost"] == 1  # the first motion is there to be compared
        # the pin, seated where the crank is half as long again: on the line from the pivot through the pin
        end = page.result.at(0.0)["crank"].position
        pins = [joint.name for joint in page.page.scene.pins]
        aim = [3.0 * end[0], 0.1 + 3.0 * (end[1] - 0.1)]
        line.send(json.dumps({"do": "again", "pin": pins.index("B"), "target": aim, "time": 0.0}))
        document(line)
        assert page.result.model["B"].a.place == pytest.approx((0.2, 0.0), abs=1e-9)
        assert page.result["slider"].position[0] == pytest.approx(
            [x[0], 0.0], abs=1e-9
        )  # nothing moved at this instant
    assert (model["A"].a.place, model["B"].a.place) == ((0.0, 0.0), (0.1, 0.0))  # the user's model stays


def test_what_a_hand_does_not_feel_is_told() -> None:
    model = Model("unicycle")
    wheel = model.add(Body(mass=5.0, inertia=0.3, position=(0.0, 0.35)), name="wheel")
    model.add(RollingWheel(model.ground.at(), wheel.at(), radius=0.35), name="road")
    with live(model, open=False) as page:
        assert page.page.scene.notes == ["A hand does not feel rolling: what rolls slips under it."]


def test_a_run_that_is_under_way_is_watched() -> None:
    model = load("double-pendulum").build()
    with live(model, open=False) as page, connect(page) as line:
        time.sleep(0.2)
        run = simulate(model, 1.0, output=0.1, progress=page.watch)
        words, numbers = answer(line)
        assert words["type"] == "frame"
        assert numbers.size == 3 * len(run.system.bodies)


POINT = [0.1, 0.2]
MALFORMED = [
    "",
    "{",
    b"\xff\xfe\x00",
    "[" * 60_000,
    "null",
    "[1, 2]",
    '{"do": "fly"}',
    '{"do": ["drag"]}',
    "{}",
    '{"do": "cut"}',
    '{"do": "cut", "body": 1}',
    '{"do": "cut", "body": -1, "time": 0}',
    '{"do": "cut", "body": 99, "time": 0}',
    '{"do": "cut", "body": "crank", "time": 0}',
    '{"do": "cut", "body": 1, "time": NaN}',
    '{"do": "cut", "body": 1.5, "time": 0}',
    '{"do": "drag", "body": 1, "pivot": -2, "point": [0, 0], "target": [0, 0], "begin": false}',
    '{"do": "drag", "body": 1, "pivot": 99, "point": [0, 0], "target": [0, 0], "begin": false}',
    '{"do": "drag", "body": 1, "pivot": -1, "point": [0, 0, 0], "target": [0, 0], "begin": false}',
    '{"do": "drag", "body": 1, "pivot": -1, "point": [0, 0], "target": [Infinity, 0], "begin": false}',
    '{"do": "drag", "body": 1, "pivot": -1, "point": [0, 0], "target": [1e300, 0], "begin": false}',
    f'{{"do": "drag", "body": 1, "pivot": -1, "point": [0, 0], "target": [{"9" * 400}, 0], "begin": false}}',
    '{"do": "drag", "body": 1, "pivot": -1, "point": [0, 0], "target": ["a", 0], "begin": false}',
    '{"do": "drag", "body": 1, "pivot": -1, "point": [0, 0], "target": null, "begin": true}',
    '{"do": "again", "pin": 99, "target": [0, 0], "time": 0}',
    '{"do": "again", "pin": null, "target": [0, 0], "time": 0}',
    '{"do": "again", "pin": 0, "target": 3, "time": 0}',
]


def test_messages_that_make_no_sense_are_answered(page, capfd) -> None:
    """Each gets a sentence, and the line stays open: the next sensible question is answered as ever."""
    with connect(page) as line:
        for message in MALFORMED:
            line.send(message)
            words, _ = answer(line)
            assert words["type"] == "message" and words["text"], message
        line.send(json.dumps({"do": "cut", "body": 1, "time": 0.1}))
        assert answer(line)[0]["type"] == "cut"
        question = {"do": "drag", "body": 1, "pivot": -1, "point": POINT, "target": [1e11, -1e11], "time": -1e9}
        line.send(json.dumps(question | {"begin": True}))  # far away, and long ago, but a question
        assert answer(line)[0]["type"] in ("drag", "message")
    assert "Traceback" not in capfd.readouterr().err
