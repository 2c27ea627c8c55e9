"""Writing models: readable text, parameters, analyses, and what cannot be written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cardan import ModelError, load_model, parameter, save_model, tied
from cardan.examples import load
from cardan.files.writing.save import document
from cardan.files.writing.yaml_text import yaml_text
from cardan.planar import Body, Function, Harmonic, Load, Model, Ramp, Revolute, Spring, length
from cardan.spatial import lift


def pendulum() -> Model:
    model = Model("pendulum", gravity=(0.0, -9.81))
    rod = model.add(Body(mass=2.0, inertia=0.1, position=(0.5, 0.0)), name="rod")
    model.add(Revolute(model.ground.at(), rod.at(-0.5, 0.0)), name="pin")
    model.add(Spring(length(model.ground.at(0.0, 1.0), rod.at(0.5, 0.0)), 30.0, rest_length=1.0), name="tie rod")
    model.add(Load(rod.at(0.5, 0.0), (1.0, 2.0 * Ramp(3.0) + Harmonic(1.0, 2.0))), name="push")
    return model


def test_what_is_written_can_be_read_by_people() -> None:
    assert yaml_text(document(pendulum(), [{"type": "simulate", "until": 1.0}]), "schema") == (
        "# yaml-language-server: $schema=schema\n"
        "cardan: 1\nname: pendulum\nspace: planar\ngravity: [0.0, -9.81]\n\n"
        "bodies:\n  rod: {mass: 2.0, inertia: 0.1, position: [0.5, 0.0]}\n\n"
        "joints:\n  pin: {type: revolute, a: ground, b: {rod: [-0.5, 0.0]}}\n\n"
        "forces:\n"
        '  tie rod: {type: spring, measure: "length(ground@(0.0, 1.0), rod@(0.5, 0.0))", stiffness: 30.0, '
        "rest_length: 1.0}\n"
        "  push:\n    type: load\n    marker: {rod: [0.5, 0.0]}\n"
        '    force: [1.0, "2.0*(ramp(rate=3.0)) + harmonic(amplitude=1.0, frequency=2.0)"]\n\n'
        "analyses:\n  - {type: simulate, until: 1.0}\n"
    )


def test_parameters_move_what_they_moved_in_the_model(tmp_path: Path) -> None:
    model = pendulum()
    moved = [parameter(model, path) for path in ("tie rod.b.x", "pin.b.x", "rod.position.x")]
    half = tied("half", moved[0], (-1.0, moved[1]), moved[2])
    path = save_model(model, tmp_path / "m.yaml", parameters=[half, parameter(model, "rod.mass", name="mass")])
    assert document(load_model(path).model) == document(model)
    longer = load_model(path, parameters={"half": 0.7, "mass": 3}).model
    assert longer["pin"].b.x == pytest.approx(-0.7) and longer["rod"].position == (pytest.approx(0.7), 0.0)
    assert longer["tie rod"].measure.b.x == pytest.approx(0.7) and longer["rod"].mass == 3.0
    with pytest.raises(ModelError, match="must be a word"):
        save_model(model, tmp_path / "m.yaml", parameters=[parameter(model, "rod.mass")])


def test_analyses_are_written_and_read(tmp_path: Path) -> None:
    model = pendulum()
    angle = model["pin"].angle
    analyses = [
        {"type": "initial_conditions", "name": "start", "positions": {angle: -0.5}},
        {"type": "simulate", "name": "fall", "until": 1.0, "output": np.linspace(0.0, 1.0, 11), "start": "start"},
        {"type": "linearize", "outputs": [angle]},
    ]
    file = load_model(save_model(model, tmp_path / "m.json", analyses, show=["rod.x"]))
    assert [a.name for a in file.analyses] == ["start", "fall", "linearize"] and file.show == ("rod.x",)
    assert np.array_equal(file.analyses[1].arguments["output"], np.linspace(0.0, 1.0, 11))
    assert file.analyses[0].arguments["positions"] == {file.model["pin"].angle: -0.5}
    again = load_model(save_model(file.model, tmp_path / "n.yaml", file.analyses))
    assert [a.kind for a in again.analyses] == ["initial_conditions", "simulate", "linearize"]


def test_functions_are_collected_under_names_that_differ(tmp_path: Path) -> None:
    model = pendulum()
    one, two = (lambda t: t), (lambda t: 2.0 * t)
    model.add(Load(model["rod"].at(), (Function(one), two)), name="pushes")
    functions: dict[str, object] = {}
    path = save_model(model, tmp_path / "m.yaml", functions=functions)
    assert sorted(functions.values(), key=id) == sorted([one, two], key=id)
    assert load_model(path, functions=functions).model["pushes"].motions[1](1.0) == 2.0


def test_what_cannot_be_written(tmp_path: Path) -> None:
    model = pendulum()
    with pytest.raises(ModelError, match=r"must end in \.yaml or \.json, got 'm.txt'"):
        save_model(model, tmp_path / "m.txt")
    with pytest.raises(ModelError, match="type of an analysis must be"):
        save_model(model, tmp_path / "m.yaml", [{"until": 1.0}])
    with pytest.raises(ModelError, match="simulate has no argument 'untl'"):
        save_model(model, tmp_path / "m.yaml", [{"type": "simulate", "untl": 1.0}])
    with pytest.raises(ModelError, match="cannot be written to a file"):
        save_model(lift(load("geneva").build()), tmp_path / "m.yaml")
    assert list(tmp_path.iterdir()) == []  # nothing is left of what failed
