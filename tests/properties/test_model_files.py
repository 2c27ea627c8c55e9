"""Model files: what is written and read again is the same model, for every public element and every example."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardan
import catalogs
from cardan import assemble, load_model, save_model
from cardan.elements.control.source import Source
from cardan.examples import load, names
from cardan.files import schema
from cardan.files.vocabulary import samples
from cardan.files.vocabulary.describe import LEFT_OUT, snake, vocabulary
from cardan.files.vocabulary.json_schema import schema_of
from cardan.files.vocabulary.types import PATH, vocabulary as shipped
from cardan.files.writing.save import document
from cardan.model.element import Element
from cardan.model.model import Model
from cardan.system.compile import compile

MODELS: dict[str, Callable[[], Model]] = {case.name: case.model for case in catalogs.CASES + catalogs.ROLLING}
BESIDE = names("flexible_bodies")  # whose parts are files of their own: see tests/unit/files
MODELS |= {f"example {name}": lambda name=name: load(name).build() for name in names() if name not in BESIDE}


def there_and_back(model: Model, path: Path) -> tuple[Model, dict[str, Any]]:
    """The model that a file gives back, and the functions that it needs."""
    functions: dict[str, Any] = {}
    return load_model(save_model(model, path, functions=functions), functions=functions).model, functions


@pytest.mark.parametrize("name", MODELS)
def test_nothing_is_lost(name: str, tmp_path: Path) -> None:
    """The same document, element by element, with all digits; in YAML and in JSON; and names in the same order."""
    model = MODELS[name]()
    before = document(model)
    for suffix in (".yaml", ".json"):
        back, _ = there_and_back(model, tmp_path / f"m{suffix}")
        assert document(back) == before
        assert [element.name for element in back] == [element.name for element in model]
        assert back.gravity == model.gravity and back.name == model.name


@pytest.mark.parametrize("name", [*MODELS][::6])
def test_results_are_equal(name: str, tmp_path: Path) -> None:
    """The same tables lead to the same numbers, to the last digit: nothing in between depends on how a model came."""
    model = MODELS[name]()
    back, _ = there_and_back(model, tmp_path / "m.yaml")
    first, second = assemble(model), assemble(back)
    assert np.array_equal(first.q, second.q)
    assert np.array_equal(compile(model).start, compile(back).start)


def test_the_shipped_vocabulary_is_that_of_the_classes() -> None:
    """`python -m cardan.files.vocabulary.describe` writes both files."""
    made_now = vocabulary()
    assert json.loads(PATH.read_text()) == json.loads(json.dumps(made_now))
    assert schema() == json.loads(json.dumps(schema_of(made_now)))


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_every_public_name_can_be_stated(space: str) -> None:
    module = import_module(f"cardan.{space}")
    assert {snake(name) for name in set(module.__all__) - LEFT_OUT} <= set(shipped(space).names())


def test_every_analysis_can_be_stated() -> None:
    """All functions of the package that take a model and give a result; imports, files and parameters do not."""
    others = {
        "axle_sweep",
        "steady_cornering",
        "design_cam",
        "equations",
        "export_c",
        "export_fmu",
        "from_mjcf",
        "from_sdf",
        "from_urdf",
        "gradient",
        "identify_inertia",
        "inverse_kinematics",
        "joint_space",
        "load_model",
        "load_result",
        "open_result",
        "parameter",
        "peak_sensitivities",
        "plan_motion",
        "reaction",
        "recording",
        "road_spectrum",
        "save_model",
        "stepper",
        "symbolic_equations",
        "task_space",
        "study",
        "tied",
    }
    functions = {name for name in cardan.__all__ if inspect.isfunction(getattr(cardan, name))}
    assert functions - others == set(shipped("analyses").names())


ELEMENTS = [
    (space, name)
    for space in ("planar", "spatial")
    for name in shipped(space).names("element")
    if name not in ("body", "flexible_body", "constraint", "velocity_constraint")  # parts: tests/unit/files
]


# What a sample needs beyond the roles of its arguments to be a sensible element.
PLAIN_BEARING = ("axial_clearance", "axial_damping", "tilt_stiffness", "tilt_damping")
SENSIBLE: dict[str, Callable[[Any], dict[str, Any]]] = {
    "beam": lambda stage: {
        "shear_factor": 1.2 if stage.flat else None,
        "E": 1.0,
        "G": 1.0,
        "A": 1.0,
        "J": 1.0,
        "I": 1.0,
        "Iy": 1.0,
        "Iz": 1.0,
    },
    "belt": lambda stage: {"stiffness": 1.0},
    "buoyancy": lambda stage: {"radius": 1.0},
    "cable": lambda stage: {"points": (stage.body.at(), stage.other.at())},
    "capstan": lambda stage: {"drum": stage.model.ground.at()},
    "coupler": lambda stage: {"measure": stage.module.x(stage.body.at()) - 2.0 * stage.module.y(stage.other.at())},
    "drag": lambda stage: {"area": 1.0},
    "gear_mesh": lambda stage: {
        "a": stage.body.at(*((0.09, 0.0) if stage.flat else (0.09, 0.0, 0.0))),
        "teeth_a": 20,
        "teeth_b": 40,
        "module": 0.003,
        "internal": False,
    },
    "shaft_bearing": lambda stage: (
        dict.fromkeys(PLAIN_BEARING, 0.0) | {"axial_stiffness": None} if stage.flat else {"axial_stiffness": 1.0}
    ),
    "rolling_wheel": lambda stage: {} if stage.flat else {"b": stage.other.at(z=(0, 1, 0))},
    "shared_gear": lambda stage: {"gears": (stage.other.at(),)},
    "torque": lambda stage: {} if stage.flat else {"torque": (1.0, 2.0, stage.module.Ramp(3.0))},
    "wing": lambda stage: {"area": 1.0},
}


@pytest.mark.parametrize(("space", "name"), ELEMENTS, ids=lambda word: word)
def test_every_element_is_written_and_read(space: str, name: str, tmp_path: Path) -> None:
    """One of each class, also of those that no catalog has, with the measures that it offers used by another."""
    stage, kind = samples.Stage(space), shipped(space)[name]
    thing: Any = stage.module
    for part in kind.path.partition(":")[2].split("."):
        thing = getattr(thing, part)
    arguments = {key: [a.kind] if a.required else [a.kind, a.default] for key, a in kind.arguments.items()}
    element = samples.sample(thing, arguments, space, stage)
    more = SENSIBLE[name](stage) if name in SENSIBLE else {}
    element = replace(element, **{key: value for key, value in more.items() if key in kind.arguments})
    carried = [
        v for v in (getattr(element, key, None) for key in kind.arguments) if isinstance(v, Element) and not v.name
    ]
    for part in carried:  # the joint of a friction
        stage.model.add(part, name="carried")
    stage.model.add(element, name="it")
    if isinstance(element, Source):
        stage.model.add(stage.module.Actuator(stage.module.x(stage.body.at()), -element), name="reader")
    back, _ = there_and_back(stage.model, tmp_path / "m.yaml")
    assert document(back) == document(stage.model)


def test_the_schema_accepts_what_is_written() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(schema())
    judge = jsonschema.Draft202012Validator(schema())
    for build in [*MODELS.values()][::5]:
        assert not [*judge.iter_errors(json.loads(json.dumps(document(build()))))]
    wrong = json.loads(json.dumps(document(MODELS["revolute"]())))
    wrong["elements"]["knee"]["typ"] = "revolute"
    assert [*judge.iter_errors(wrong)]
