"""Messages: whatever a page sends, the drawing stays whole and the answer says what is wrong."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardan.examples import data
from cardan.files.writing.save import text_of_model
from cardan.studio.document import NEW, Document
from cardan.studio.session import Session


class Page:
    """A session without a browser."""

    def __init__(self, document: Document | None = None) -> None:
        self.told: list[dict[str, Any]] = []
        self.session = Session(document or Document(), self.told.append)

    def ask(self, **message: Any) -> dict[str, Any]:
        return self.session.answer(json.dumps(message))

    def edit(self, edit: str, /, **stated: Any) -> Any:
        answer = self.ask(do="edit", edit=edit, **{"with": stated})
        assert answer["type"] == "done", answer
        return answer["made"]


@pytest.fixture
def page() -> Page:
    found = Page()
    found.edit("bar", a={"at": [0, 0]}, b={"at": [0.03, 0.05]})
    found.edit("bar", a={"point": "link1@B"}, b={"at": [0.16, 0.08]})
    found.edit("bar", a={"point": "link2@C"}, b={"at": [0.14, 0.0]})
    found.edit("pivot", end={"point": "link1@A"})
    found.edit("pivot", end={"point": "link3@D"})
    found.edit("motor", joint="A")
    return found


def test_a_preview_changes_nothing(page: Page) -> None:
    text = page.session.document.text
    move = {"name": "link1@B", "to": [0.02, 0.06]}
    answer = page.ask(do="edit", edit="move_point", preview=True, **{"with": move})
    assert answer["type"] == "state" and answer["preview"] and answer["motion"]
    assert page.session.document.text == text
    page.edit("move_point", **move)
    assert page.session.document.text != text
    page.ask(do="undo")
    assert page.session.document.text == text
    page.ask(do="redo")
    assert page.session.document.text != text


def test_dragging_keeps_joints_closed_and_can_be_kept(page: Page) -> None:
    point = [0.0583, 0.0]
    for k in range(20):
        answer = page.ask(do="drag", body="link1", point=point, target=[0.05 - 0.001 * k, 0.03], begin=k == 0, time=0)
        assert answer["type"] == "drag"
    held = page.session.held
    assert page.ask(do="keep")["type"] == "done"
    for body, pose in held.items():
        assert page.session.solved.poses[body] == pytest.approx(pose, abs=1e-6)
    assert page.session.solved.status["driven"]  # the motor starts from there


def test_a_drag_is_answered_before_anything_else() -> None:
    text = Path(data("four-bar.yaml")).read_text(encoding="utf-8")
    page = Page(Document(text, Path(data("four-bar.yaml"))))
    answer = page.ask(do="drag", body="crank", point=[0.1, 0], target=[0.1, 0.2], begin=True, time=0)
    assert answer["type"] == "drag"


def test_malformed_messages_are_answered_and_change_nothing(page: Page, capsys: Any) -> None:
    """Random mutations of valid messages, and messages that are none; none of them finds a fault of the program."""
    before, luck = page.session.document.text, random.Random(3)
    valid = [
        {"do": "edit", "edit": "bar", "with": {"a": {"at": [0, 0]}, "b": {"at": [1e-2, 0]}}, "preview": True},
        {"do": "drag", "body": "link1", "point": [0.01, 0], "target": [0, 0.1], "begin": True, "time": 0},
        {"do": "edit", "edit": "set", "with": {"element": "link1", "argument": "angle", "text": "3"}, "preview": True},
        {"do": "run", "analysis": "kinematics", "arguments": {"times": 3}},
        {"do": "curves", "names": ["B.angle"]},
        {"do": "remove_run", "run": 99},
        {"do": "edit", "edit": "copy", "with": {"names": ["link1"], "by": [0, 1], "turn": 0, "count": 1e9}},
    ]
    junk: list[Any] = [None, True, -1, 1e308, "x", "\0", [], {}, "link1", [1, 2, 3], {"at": [0]}, float("nan"), 10**400]

    def mutated(value: Any) -> Any:
        if luck.random() < 0.25:
            return luck.choice(junk)
        if isinstance(value, dict):
            return {key: mutated(item) for key, item in value.items() if luck.random() > 0.05}
        return [mutated(item) for item in value] if isinstance(value, list) else value

    texts = [json.dumps(mutated(luck.choice(valid))) for _ in range(250)]
    texts += ["", "{", "null", "[]", '"edit"', "\0", "{}" * 3, '{"do": "edit"}', '{"do": "__init__"}', "[" * 5000]
    for text in texts:
        answer = page.session.answer(text)
        assert answer["type"] in ("error", "drag", "state", "done"), text
        if answer["type"] == "done":
            for _ in range(len(page.session.document.done)):
                if page.session.document.text == before:
                    break
                page.ask(do="undo")
    assert page.session.document.text == before
    json.dumps(page.session.state())
    assert "Traceback" not in capsys.readouterr().err


def test_a_text_with_a_fault_is_kept_and_reported(page: Page) -> None:
    text = page.session.document.text.replace("revolute(link1@B", "revolut(link1@B")
    assert page.ask(do="text", text=text)["type"] == "done"
    state = page.told[-1]
    assert "revolut" in state["status"]["text"] and state["picture"] is None
    assert page.ask(do="text", text="a: [")["type"] == "error"  # not YAML: the text stays
    assert page.session.document.text == text
    page.ask(do="undo")
    assert page.session.solved.fault == ""


def test_saving(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert page.ask(do="save")["type"] == "error"  # it has no file yet
    assert page.ask(do="save", name="four-bar")["type"] == "done"
    assert (tmp_path / "four-bar.yaml").read_text() == page.session.document.text
    (tmp_path / "other.yaml").write_text("cardan: 1\n")
    assert page.ask(do="save", name="other.yaml")["type"] == "exists"
    assert (tmp_path / "other.yaml").read_text() == "cardan: 1\n"
    assert page.ask(do="save", name="other.yaml", overwrite=True)["type"] == "done"
    assert page.ask(do="save", name="x.exe")["type"] == "error"
    assert page.ask(do="save", name="no/such/folder/a.yaml")["type"] == "error"


def test_the_python_code_builds_the_same_model(page: Page) -> None:
    page.edit("spring", a={"point": "link1@B"}, b={"at": [0.1, -0.1]})
    page.edit("cam", center={"at": [0.3, 0]}, follower={"at": [0.3, 0.04]}, law="3-4-5", sizes={})
    page.ask(do="text", text=page.session.document.text + "analyses: [{type: mobility}]\n")
    code = page.ask(do="python")["text"]
    names: dict[str, Any] = {}
    exec(code, names)
    assert text_of_model(names["model"]) == text_of_model(page.session.solved.model)


@pytest.mark.parametrize("name", ["four-bar.yaml", "slider-crank.yaml", "pendulum.yaml", "suspension.yaml"])
def test_files_of_the_examples_open_unchanged(name: str, tmp_path: Path) -> None:
    text = Path(data(name)).read_text(encoding="utf-8")
    page = Page(Document(text, Path(data(name))))
    assert page.session.solved.fault == "" and page.session.document.text == text
    json.dumps(page.session.state())
    code = page.ask(do="python")["text"]
    names: dict[str, Any] = {}
    exec(code, names)
    assert text_of_model(names["model"]) == text_of_model(page.session.solved.model)


def test_an_edit_of_a_file_keeps_its_parameters_and_comments() -> None:
    text = "# by hand\n" + Path(data("four-bar.yaml")).read_text(encoding="utf-8") + "# the end\n"
    page = Page(Document(text, Path(data("four-bar.yaml"))))
    page.edit("parameter", name="crank", text="180")
    page.edit("trace", end={"point": "crank@(crank/2, 0)"})
    assert page.session.document.text.startswith("# by hand\n") and page.session.document.text.endswith("# the end\n")
    assert "coupler: 2*crank" in page.session.document.text and "crank: 180" in page.session.document.text
    answer = page.ask(do="edit", edit="move_point", **{"with": {"name": "crank@(crank/2, 0)", "to": [0, 0.3]}})
    assert answer["type"] == "error" and "crank/2" in answer["text"]


def test_runs_beside_the_conversation(page: Page) -> None:
    pytest.importorskip("websockets")
    try:
        answer = page.ask(do="run", analysis="inverse_dynamics", arguments={"times": "{to: 1, count: 21}"})
        assert answer["type"] == "done"
        found = _finished(page)
        assert found["url"].startswith("http://127.0.0.1:") and found["table"] and not found["trouble"]
        page.ask(do="run", analysis="kinematics", arguments={"times": "{to: 1, count: x}"})
        assert "x" in _finished(page)["trouble"]
        page.edit("length", body="link3", stated="90")
        assert all(run["old"] for run in page.session.runs.listed())
    finally:
        page.session.close()


def _finished(page: Page) -> dict[str, Any]:
    for _ in range(600):
        if not page.session.runs.busy and page.session.runs.runs:
            return page.session.runs.listed()[-1]
        time.sleep(0.1)
    raise AssertionError("the run did not end")


def test_models_in_space_are_changed_by_their_values() -> None:
    pytest.importorskip("websockets")
    text = Path(data("suspension.yaml")).read_text(encoding="utf-8")
    page = Page(Document(text, Path(data("suspension.yaml"))))
    try:
        assert page.ask(do="solve")["space"] == "spatial"
        answer = page.ask(do="edit", edit="bar", **{"with": {"a": {"at": [0, 0]}, "b": {"at": [1, 0]}}})
        assert answer["type"] == "error" and "plane" in answer["text"]
        name = page.session.state()["parameters"][0]["name"]
        value = page.session.state()["parameters"][0]["text"]
        page.edit("parameter", name=name, text=value)
        page.session.runs.renew()
        assert page.session.runs.view is not None
    finally:
        page.session.close()


def test_a_new_drawing_has_the_units_of_workshops() -> None:
    page = Page()
    assert page.session.document.text == NEW
    assert page.session.state()["units"] == {"length": "mm", "angle": "deg"}


def pendulum() -> Page:
    found = Page()
    found.edit("bar", a={"at": [0, 0]}, b={"at": [0.3, 0.0]})
    found.edit("pivot", end={"point": "link1@A"})
    return found


def motion_of(page: Page, seconds: float = 300.0) -> dict[str, Any]:
    """The last state with a motion; compiling may come before it."""
    ended = time.monotonic() + seconds
    while time.monotonic() < ended:
        states = [message for message in [*page.told] if message.get("type") == "state"]
        if states and states[-1]["motion"] and not page.session.free.busy:
            return states[-1]["motion"]
        time.sleep(0.02)
    raise TimeoutError("no free motion")


def test_curves_of_a_free_motion() -> None:
    """A bar released level falls without a motor, with its energy; a change of the drawing changes the motion."""
    page = pendulum()
    assert page.ask(do="solve")["motion"] is None
    assert page.ask(do="simulate", duration=0.5)["type"] == "done"
    motion = motion_of(page)
    assert motion["times"][-1] == 0.5 and page.session.state()["free"] == {"duration": 0.5, "shown": True}
    assert page.session.state()["status"]["driven"] is False
    run = page.session.solved.run
    assert run is not None
    body, link = run["link1"], page.session.solved.model["link1"]
    mass, arm, inertia = link.matter.mass, float(link.matter.center[0]), link.matter.inertia
    energy = 0.5 * (inertia + mass * arm**2) * body.angular_velocity**2 + mass * 9.81 * arm * np.sin(body.angle)
    assert np.abs(energy).max() < 1e-5 * mass * 9.81 * arm  # rtol of the simulation is 1e-6
    page.told.clear()
    page.edit("move_point", name="link1@B", to=[0.2, 0.0])
    again = motion_of(page)
    assert again["poses"][-1] != motion["poses"][-1]
    assert page.ask(do="simulate", duration=0)["type"] == "done"
    assert page.session.state()["motion"] is None


def test_a_free_motion_that_does_not_exist(page: Page) -> None:
    """The mechanism of the fixture is driven; a negative and an endless duration are rejected."""
    assert "no free motion" in page.ask(do="simulate", duration=1.0)["text"]
    free = pendulum()
    for wrong in (-1.0, 1e9, "long", None):
        assert free.ask(do="simulate", duration=wrong)["type"] == "error"


def test_curves_and_tables_are_in_the_units_of_the_file(page: Page) -> None:
    """Every curve that can be chosen has the values of its column, converted once."""
    motion_found = page.session.solved.run
    columns = motion_found.columns
    names = [name for name in columns if name not in ("time", "iterations", "steps")]
    page.ask(do="curves", names=names)
    motion = page.session.state()["motion"]
    units = dict(motion["columns"])
    factors = {"mm": 1e3, "mm/s": 1e3, "mm/s2": 1e3} | {f"deg{rest}": 180.0 / np.pi for rest in ("", "/s", "/s2")}
    assert {"mm", "mm/s", "deg", "deg/s"} <= {*units.values()}
    for curve in motion["curves"]:
        assert curve["unit"] == units[curve["name"]]
        wanted = columns[curve["name"]].read(motion_found)
        scale = factors.get(curve["unit"], 1.0)
        assert np.allclose(curve["values"], scale * wanted, rtol=1e-6, atol=1e-6 * scale), curve["name"]
    page.ask(do="run", analysis="kinematics", arguments={"times": "{to: 1, count: 11}"})
    while not page.session.runs.runs:
        time.sleep(0.05)
    run = page.session.runs.runs[-1]
    assert run.table
    for name, unit, low, high in run.table:
        series = factors.get(unit, 1.0) * run.result.columns[name].read(run.result)
        assert (low, high) == pytest.approx((series.min(), series.max()), rel=1e-12, abs=1e-12)


def test_arguments_have_the_units_of_bare_numbers(page: Page) -> None:
    page.edit("spring", a={"point": "link2@C"}, b={"at": [0.2, 0.1]})
    units = {element["name"]: element["units"] for element in page.session.state()["elements"]}
    assert units["spring1"]["stiffness"] == "N/mm" and units["spring1"]["damping"] == "N s/mm"
    assert units["motor1"]["motion.rate"] == "deg/s" and units["motor1"]["motion.start"] == "deg"
    assert units["link1"]["position"] == "mm" and units["link1"]["angular_velocity"] == "deg/s"
    before = page.session.solved.model["spring1"].stiffness
    page.edit("set", element="spring1", argument="stiffness", text="5")
    assert before != page.session.solved.model["spring1"].stiffness == pytest.approx(5e3)  # 5 N/mm
