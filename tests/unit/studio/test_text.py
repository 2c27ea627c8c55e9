"""Edits of a text change what they name, and nothing else."""

from __future__ import annotations

import json
import random

import pytest
import yaml

from cardan.errors import ModelError
from cardan.studio.text import ModelText

FILE = """# a comment at the top
cardan: 1
name: press   # of the shop
vendor-extension: {color: red, "kept": [1, 2,
    3]}
bodies:
  crank:              # steel
    mass: 1 kg
    position: [0, 0]

    markers: {A: [0, 0], B: [r, 0]}   # pins
  rod: {mass: 2, position: [1, 2]}
  # the last body
joints:
  A: revolute(ground, crank@A)

analyses:
  - {type: mobility}
  - type: kinematics
    times: {to: 1, count: 11}
show: [rod.x]
"""


def test_a_value_is_replaced_in_place() -> None:
    text = ModelText(FILE)
    text.put(("bodies", "crank", "mass"), "2 kg")
    assert text.text == FILE.replace("mass: 1 kg", 'mass: "2 kg"')


def test_comments_blank_lines_and_unknown_parts_stay() -> None:
    text = ModelText(FILE)
    text.put(("bodies", "wheel"), {"mass": 3})
    text.put(("bodies", "crank", "markers", "C"), [1, "r/2"])
    text.drop(("joints", "A"))
    text.append(("analyses",), {"type": "assemble"})
    for line in FILE.splitlines():
        if line.strip() and "revolute" not in line and line != "joints:" and "markers" not in line:
            assert line in text.text.splitlines(), line
    assert text.data("bodies", "crank", "markers") == {"A": ["0", "0"], "B": ["r", "0"], "C": ["1", "r/2"]}
    assert "  # the last body\n" in text.text and "# pins" in text.text
    assert text.data("analyses")[-1] == {"type": "assemble"}
    assert not text.has("joints")  # it was empty


def test_sections_are_added_in_their_usual_order() -> None:
    text = ModelText("cardan: 1\nname: a\nanalyses:\n  - {type: mobility}\n")
    text.put(("joints", "A"), "revolute(ground, crank)")
    text.put(("bodies", "crank"), {"mass": 1})
    assert list(yaml.safe_load(text.text)) == ["cardan", "name", "bodies", "joints", "analyses"]


def test_json_stays_json() -> None:
    text = ModelText('{\n "cardan": 1,\n "bodies": {\n  "a": {"mass": 1, "x": null}\n }\n}\n')
    text.put(("bodies", "b"), {"mass": "2 kg"})
    text.put(("joints", "pin"), "revolute(a, b)")
    text.drop(("bodies", "a", "x"))
    text.rename(("bodies", "a"), "crank")
    found = json.loads(text.text)
    assert found == {
        "cardan": 1,
        "bodies": {"crank": {"mass": 1}, "b": {"mass": "2 kg"}},
        "joints": {"pin": "revolute(a, b)"},
    }


def test_what_is_not_a_model_file_is_rejected() -> None:
    with pytest.raises(ModelError, match="not YAML in line"):
        ModelText("a: 1\nb: [1, 2\n")
    with pytest.raises(ModelError, match="mapping"):
        ModelText("- 1\n- 2\n")
    text = ModelText("a: &x {b: 1}\nc: *x\n")
    with pytest.raises(ModelError, match="alias"):
        text.put(("c",), 3)


def test_random_edits_change_only_what_they_name() -> None:
    """The data of all other paths is the same after each of many random edits."""
    luck = random.Random(7)
    text = ModelText(FILE)
    for step in range(300):
        before = yaml.safe_load(text.text)
        bodies = [*before.get("bodies", {})]
        choice, body = luck.choice(["put", "new", "drop", "rename"]), luck.choice(bodies)
        if choice == "put":
            text.put(("bodies", body, "position"), [luck.random(), f"{step} mm"])
            before["bodies"][body]["position"] = yaml.safe_load(text.text)["bodies"][body]["position"]
        elif choice == "new":
            text.put(("bodies", f"n{step}", "markers", "Ä ü"), [step, "a, b"])
            before["bodies"][f"n{step}"] = {"markers": {"Ä ü": [step, "a, b"]}}
        elif choice == "drop" and len(bodies) > 2:
            text.drop(("bodies", body))
            del before["bodies"][body]
        elif choice == "rename":
            text.rename(("bodies", body), f"r{step}")
            before["bodies"] = {f"r{step}" if k == body else k: v for k, v in before["bodies"].items()}
        assert yaml.safe_load(text.text) == before, choice
    assert "# a comment at the top" in text.text and "vendor-extension" in text.text
