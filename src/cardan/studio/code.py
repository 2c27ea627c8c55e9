"""The same model as Python code.

    link1 = model.add(Body(mass=matter.rounded_bar(0.06, ...), position=(0.0, 0.0)), name="link1")

The code is written from what the file states, in SI. A model that uses what only files have, such as instances or
user functions, is loaded from its file instead.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from typing import Any

from cardan.display_units import display_units
from cardan.files.model_file import ModelFile
from cardan.files.reading import parsed
from cardan.files.vocabulary.types import vocabulary
from cardan.files.writing.yaml_text import flow


class _OnlyInFilesError(Exception):
    """Something that the code cannot state."""


def python_code(file: ModelFile) -> str:
    """Python that builds the model of a file and runs its analyses."""
    content: parsed.ParsedFile = file._builder.file
    try:
        if content.lift is not None or any(element.pose is not None for element in content.elements.values()):
            raise _OnlyInFilesError
        return _Code(content).text()
    except _OnlyInFilesError:
        return _loaded(content)


def _loaded(content: parsed.ParsedFile) -> str:
    lines = [
        "# this model uses instances, control blocks or functions: Python loads it from its file",
        "from cardan import load_model",
        "",
        f"file = load_model({content.path!r})",
        "model = file.model",
    ]
    lines += [f"result = file.run({analysis.name!r})" for analysis in content.analyses]
    return "\n".join(lines) + "\n"


class _Code:
    """Writes one model."""

    def __init__(self, content: parsed.ParsedFile) -> None:
        self.content, self.known = content, vocabulary(content.space)
        self.used: set[str] = {"Model"}
        self.numpy = False
        self.names: dict[str, str] = {"ground": "model.ground"}
        for name in content.elements:
            self.names[name] = self._variable(name)

    def _variable(self, name: str) -> str:
        plain = re.sub(r"\W+", "_", name)
        plain = f"_{plain}" if plain[:1].isdigit() else plain
        taken = {*self.names.values(), "model", "matter", "np", "result", *keyword.kwlist}
        while plain in taken:
            plain += "_"
        return plain

    def text(self) -> str:
        content = self.content
        gravity = f", gravity={self.value(content.gravity)}" if content.gravity else ""
        body = [f"model = Model({content.name!r}{gravity})"]
        display = display_units(**(content.display or {})).changed
        if display:
            body.append(f"model.show_in({', '.join(f'{what}={unit!r}' for what, unit in display.items())})")
        body.append("")
        for name in self._ordered():
            element = content.elements[name]
            body.append(f"{self.names[name]} = model.add({self._element(element)}, name={name!r})")
        runs = [*self._analyses()]
        classes = ", ".join(sorted(self.used))
        head = [f"from cardan.{content.space} import {classes}", ""]
        if runs:
            called = sorted({analysis.type for analysis in content.analyses})
            head = [f"from cardan import {', '.join(called)}", *head]
        if self.numpy:
            head = ["import numpy as np", "", *head]
        return "\n".join([*head, *body, *([""] if runs else []), *runs]) + "\n"

    def _ordered(self) -> Iterator[str]:
        """Elements after those that they refer to."""
        done: set[str] = {"ground"}

        def visit(name: str) -> Iterator[str]:
            if name in done:
                return
            done.add(name)
            for reference in parsed.references(self.content.elements[name].arguments):
                yield from visit(reference.name)
            yield name

        for name in self.content.elements:
            yield from visit(name)

    def _element(self, element: parsed.Element) -> str:
        if element.type in ("constraint", "velocity_constraint") or self.known[element.type].group == "control":
            raise _OnlyInFilesError
        arguments = dict(element.arguments)
        if "between" in arguments:
            first, second = arguments.pop("between")
            bodies = f"{self.value(first)}, {self.value(second)}"
            return f"{self._class(element.type)}.between({bodies}{self._named(arguments)})"
        return f"{self._class(element.type)}({self._named(arguments)[2:]})"

    def _class(self, kind: str) -> str:
        module, _, path = self.known[kind].path.partition(":")
        if module not in ("planar", "spatial"):
            raise _OnlyInFilesError
        self.used.add(path.partition(".")[0])
        return path

    def _named(self, arguments: dict[str, Any]) -> str:
        return "".join(f", {key}={self.value(value)}" for key, value in arguments.items())

    def value(self, value: Any) -> str:
        if isinstance(value, bool) or value is None or isinstance(value, str | int):
            return repr(value)
        if isinstance(value, float):
            return repr(value)
        if isinstance(value, parsed.Object):
            return self._object(value)
        if isinstance(value, parsed.Reference):
            return self.names[value.name] + (f".{value.offered}" if value.offered else "")
        if isinstance(value, parsed.Marker):
            return self._marker(value)
        if isinstance(value, parsed.Combination):
            return self._combination(value)
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key!r}: {self.value(item)}" for key, item in value.items()) + "}"
        if type(value) in (tuple, list):
            inside = ", ".join(self.value(item) for item in value)
            return f"({inside},)" if len(value) == 1 else f"({inside})"
        raise _OnlyInFilesError

    def _combination(self, combined: parsed.Combination) -> str:
        if combined.left is None:
            return f"-{self.value(combined.right)}"
        return f"({self.value(combined.left)} {combined.sign} {self.value(combined.right)})"

    def _object(self, made: parsed.Object) -> str:
        if made.type == "times":
            self.numpy = True
            limits = [self.value(made.arguments[key]) for key in ("from", "to", "count")]
            return f"np.linspace({', '.join(limits)})"
        if made.of is not None:
            return f"{self.value(made.of)}.{made.type[1:]}({self._named(made.arguments)[2:]})"
        if made.type == "profile":
            on, curve = made.arguments["on"], self.value(made.arguments["curve"])
            if not isinstance(on, parsed.Marker) or set(on.arguments) - {"at"}:
                raise _OnlyInFilesError
            at = on.arguments.get("at", ())
            where = "" if not any(at) else "".join(f", {self.value(x)}" for x in at)
            return f"{self.names[on.body]}.profile({curve}{where})"
        if made.type not in self.known or self.known[made.type].gives in ("device", "signal", "event", "touch"):
            raise _OnlyInFilesError
        if made.type == "polynomial":
            return f"{self._class(made.type)}({', '.join(self.value(c) for c in made.arguments['coefficients'])})"
        return f"{self._class(made.type)}({self._named(made.arguments)[2:]})"

    def _marker(self, at: parsed.Marker) -> str:
        body, arguments = self.names[at.body], dict(at.arguments)
        if at.method == "marker":
            return f"{body}.marker({self._named(arguments)[2:]})"
        flat = self.content.space == "planar"
        point = arguments.pop(at.method, None)
        words = "" if point is None else ", ".join(self.value(x) for x in point) if flat else self.value(point)
        more = self._named(arguments)
        return f"{body}.{at.method}({(words + more).removeprefix(', ')})"

    def _analyses(self) -> Iterator[str]:
        for analysis in self.content.analyses:
            results = [v for v in analysis.arguments.values() if isinstance(v, parsed.Object) and v.type == "result"]
            if results or analysis.type in ("root_locus", "optimize"):
                stated = flow({"type": analysis.type, "name": analysis.name})
                yield f"# {stated}: starts from another result, see the file"
                continue
            yield f"result = {analysis.type}(model{self._named(analysis.arguments)})"
