"""Writing a model to a model file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from cardan.atomic_file import atomic_write
from cardan.errors import ModelError
from cardan.files.model_file import FileAnalysis
from cardan.files.vocabulary.json_schema import beside
from cardan.files.vocabulary.kind import parse_kind
from cardan.files.vocabulary.types import vocabulary
from cardan.files.writing.elements import Writer
from cardan.files.writing.flexible import PartWriter
from cardan.files.writing.yaml_text import yaml_text
from cardan.methods import Method
from cardan.model import check
from cardan.model.element import Element
from cardan.model.model import Model
from cardan.model.parameter import Parameter

SECTIONS = ("bodies", "joints", "drivers", "forces", "control")


def save_model(
    model: Model,
    path: str | Path,
    analyses: Iterable[Mapping[str, Any]] = (),
    *,
    parameters: Sequence[Parameter] = (),
    show: Sequence[str] = (),
    about: str = "",
    functions: dict[str, Any] | None = None,
) -> Path:
    """Write a model to a .yaml or .json file, in SI; `load_model` restores it without loss.

    `analyses` are mappings such as {"type": "simulate", "until": 2.0}. `parameters`, from `cardan.parameter` and
    `cardan.tied`, become parameters of the file. Functions of the model are written by name; they are added to the
    dictionary `functions`, which `load_model(path, functions=...)` takes. Parts of flexible bodies that no model file
    states are saved beside it, as `<name of the file>-<body>.nc`.

    If the schema is in the same folder, see `cardan.files.write_schema`, the first line of the file names it.

    >>> from cardan import load_model, save_model
    >>> from cardan.planar import Body, Model, Revolute
    >>> model = Model("pendulum", gravity=(0, -9.81))
    >>> rod = model.add(Body(mass=2.0, inertia=0.1, position=(0, -0.5)), name="rod")
    >>> pin = model.add(Revolute(model.ground.at(), rod.at(0, 0.5)), name="pin")
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save_model(model, f"{folder}/pendulum.yaml", [{"type": "simulate", "until": 1.0}])
    ...     load_model(path).model
    <planar model 'pendulum': 1 bodies, 1 constraints>
    """
    target = check.path(path, "the path of save_model()")
    if target.suffix.lower() not in (".yaml", ".yml", ".json"):
        raise ModelError(f"a model file must end in .yaml or .json, got '{target.name}'")
    parts = PartWriter(target)
    data = document(model, analyses, parameters=parameters, show=show, about=about, functions=functions, parts=parts)
    if target.suffix.lower() == ".json":
        known = {"$schema": beside(target)} if beside(target) else {}
        text = json.dumps(known | data, indent=1, ensure_ascii=False) + "\n"
    else:
        text = yaml_text(data, beside(target))
    parts.write()
    with atomic_write(target) as partial:
        partial.write_text(text, encoding="utf-8")
    return target


def text_of_model(model: Model, functions: dict[str, Any] | None = None) -> str:
    """The text that `save_model` writes to a .yaml file."""
    return yaml_text(document(model, functions=functions), "")


def model_text(model: Model, functions: dict[str, Any] | None = None) -> str:
    """The model as a model file, or "" if it cannot be written; `functions` receives the user functions it names."""
    try:
        return text_of_model(model, functions)
    except (ModelError, AttributeError):
        return ""


def document(
    model: Model,
    analyses: Iterable[Mapping[str, Any]] = (),
    *,
    parameters: Sequence[Parameter] = (),
    show: Sequence[str] = (),
    about: str = "",
    functions: dict[str, Any] | None = None,
    parts: PartWriter | None = None,
) -> dict[str, Any]:
    """The content of a model file as plain data."""
    check.instance(model, Model, "the model of save_model()")
    writer = Writer(model, {} if functions is None else functions, _tied(parameters), parts)
    data: dict[str, Any] = {"cardan": 1, "name": model.name}
    if about:
        data["about"] = about
    data["space"] = model.space.name
    if model.display.changed:
        data["display"] = model.display.changed
    if any(model.gravity):
        data["gravity"] = [float(value) for value in model.gravity]
    if parameters:
        data["parameters"] = {one.name: one.value for one in parameters}
    data |= _sections(model, writer)
    if isinstance(analyses, str | Mapping) or not isinstance(analyses, Iterable):
        raise ModelError(f"the analyses of a model file must be a list, got {check.short_repr(analyses)}")
    stated = [_analysis(writer, analysis) for analysis in analyses]
    if stated:
        data["analyses"] = stated
    if show:
        data["show"] = list(show)
    return data


def _sections(model: Model, writer: Writer) -> dict[str, Any]:
    """Elements by section if that keeps their order, otherwise all under `elements`."""
    written = {element.name: writer.element(element) for element in model}
    groups = [writer.known[entry["type"]].group for entry in written.values()]
    order = [SECTIONS.index(group) for group in groups]
    if order != sorted(order):
        return {"elements": written}
    found: dict[str, Any] = {}
    for (name, entry), group in zip(written.items(), groups, strict=True):
        if group in ("bodies", "drivers") and entry["type"] in ("body", "driver"):
            entry = {key: value for key, value in entry.items() if key != "type"}
        found.setdefault(group, {})[name] = entry
    return found


def _tied(parameters: Sequence[Parameter]) -> dict[Any, str]:
    """The expression of every number that depends on a parameter."""
    found: dict[Any, str] = {}
    for one in parameters:
        check.instance(one, Parameter, "a parameter of save_model()", hint="use cardan.parameter(...)")
        if not one.name.isidentifier():
            raise ModelError(f"the name of a parameter must be a word, got '{one.name}': pass parameter(..., name=)")
        for factor, place in one.places:
            rest = place.read() - factor * one.value
            text = one.name if factor == 1.0 else f"{factor!r}*{one.name}"
            found[(id(place.holder), place.attribute, place.index)] = text if rest == 0.0 else f"{text} + {rest!r}"
    return found


def _analysis(writer: Writer, analysis: Any) -> dict[str, Any]:
    """An analysis as plain data; measures and elements are converted."""
    if not isinstance(analysis, Mapping):
        what, hint = "an analysis of save_model()", "or {'type': 'simulate', 'until': 2.0}"
        check.instance(analysis, FileAnalysis, what, hint)
        analysis = {"type": analysis.kind, "name": analysis.name, **analysis.arguments}
    known, kind = vocabulary("analyses"), analysis.get("type")
    if kind not in known:
        raise ModelError(f"the type of an analysis must be one of {', '.join(known.names())}; got {kind!r}")
    found: dict[str, Any] = {"type": kind}
    for name, value in analysis.items():
        if name in ("type", "name"):
            found[name] = value
        elif name not in known[kind].arguments:
            raise ModelError(f"{kind} has no argument '{name}' in model files")
        else:
            found[name] = _argument(writer, known[kind].arguments[name].kind, value)
    return found


def _argument(writer: Writer, kind: str, value: Any) -> Any:
    if kind == "times" and isinstance(value, np.ndarray):
        start, end, count = float(value[0]), float(value[-1]), len(value)
        even = np.array_equal(np.linspace(start, end, count), value)
        return {"from": start, "to": end, "count": count} if even else value.tolist()
    if isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Method):
        known, options = vocabulary("methods"), {field.name: getattr(value, field.name) for field in fields(value)}
        name = next(name for name in known.names() if known[name].path.endswith(f":{type(value).__name__}"))
        return {"type": name} | {key: option for key, option in options.items() if option is not None}
    if kind in ("settings", "ranges"):
        return {_key(writer, key): np.asarray(item).tolist() for key, item in value.items()}
    return writer.value(parse_kind(kind), value)


def _key(writer: Writer, key: Any) -> str:
    if isinstance(key, str):
        return key
    return key.name if isinstance(key, Element | Parameter) else str(writer.measure(key))
