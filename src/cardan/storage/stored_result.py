"""Writing a result as netCDF, and reading it back."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.atomic_file import atomic_write
from cardan.errors import ModelError
from cardan.files.model_file import load_model
from cardan.files.writing.save import model_text
from cardan.netcdf import Fixed, Reader, Writer
from cardan.results.trajectory import Trajectory
from cardan.storage.content import Content
from cardan.storage.dataset import variables
from cardan.storage.kinds import KINDS, content_of, result_of
from cardan.storage.model_description import description, difference
from cardan.storage.states import Recorded

if TYPE_CHECKING:
    from cardan.model.model import Model


VERSION = "1"  # of the file format; others are rejected


def save_netcdf(result: object, path: Path) -> None:
    """Write a result; the file is complete or absent."""
    found = content_of(result)
    if isinstance(result, Trajectory) and len(result):
        _add_labeled(found, result)
    with atomic_write(path, result) as beside, closing(Writer(beside, found.layout(attributes_of(found)))) as writer:
        writer.append(found.values, found.records)
        writer.finish({})


def attributes_of(found: Content, complete: bool = True) -> dict[str, str]:
    """The attributes of a file."""
    about = {"cardan_result": VERSION, "kind": found.kind, "complete": "yes" if complete else "no"}
    if found.model is not None:
        about["model"] = found.model.name
        functions: dict[str, Any] = {}
        about["model_file"] = model_text(found.model, functions)
        about["model_functions"] = ", ".join(functions)
        about["model_description"] = description(found.model)
    for name in ("analysis", "stopped", "not_assembled"):
        if name in found.facts:
            fact = found.facts[name]
            about[name] = fact["text"] if isinstance(fact, dict) else fact or ""
    return about | {"facts": text_of(found.facts)}


def _model_from(text: str, options: dict[str, Any]) -> Any:
    """The model of a model file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.yaml"
        path.write_text(text, encoding="utf-8")
        return load_model(path, **options).model


def read_netcdf(path: Path, model: Model | None = None, **options: Any) -> Any:
    """The result in a file; `options` are those of `load_model`, for models with user functions."""
    with Stored(path, model, **options) as stored:
        return stored[:]


class Stored:
    """A result in a file; data are read on demand.

    `stored.times` are its output times; `stored[1000:2000]` is a result with these, `stored.parts(n)` iterates over all
    with n output times in memory at a time, `stored.read("position", body="crank")` is one variable.
    """

    def __init__(self, path: Path, model: Model | None = None, **options: Any) -> None:
        self.path = path
        self._systems: dict[str, Any] = {}
        self._reader = Reader(path)
        try:
            self._about = checked(self._reader, path)
            self._facts = _facts_in(self._about, path)
            self.model = model_of(self._about, path, model, options) if "model" in self._about else None
        except BaseException:
            self.close()
            raise

    @property
    def times(self) -> np.ndarray:
        """The output times."""
        return self._reader.read(0, len(self), ["time"])["time"] if "time" in self._reader.along else np.zeros(0)

    def __len__(self) -> int:
        return self._reader.records

    def __getitem__(self, part: slice) -> Any:
        first, last, step = part.indices(len(self))
        if step != 1:
            raise ModelError(f"'{self.path}' is read in consecutive output times, not with a step of {step}")
        return self._result(first, last)

    def parts(self, rows: int = 10_000) -> Iterator[Any]:
        """The result in pieces of `rows` output times."""
        for first in range(0, len(self), rows):
            yield self._result(first, min(first + rows, len(self)))

    def read(self, name: str, body: str | None = None) -> np.ndarray:
        """A variable at all output times, for one body if it is named."""
        if name not in self._reader.along:
            raise ModelError(f"'{self.path}' has no variable '{name}'; it has: {', '.join(self._reader.along)}")
        variable = self._reader.along[name]
        if body is None:
            return self._reader.read(0, len(self), [name])[name]
        names = self._reader.fixed("body")
        if body not in names or variable.dims[:1] != ("body",):
            raise ModelError(f"'{self.path}' has no '{name}' of '{body}'; bodies are: {', '.join(names)}")
        width = variable.width // len(names)
        first = width * names.index(body)
        found = self._reader.columns(name, slice(first, first + width), 0, len(self))
        return found.reshape(len(self), *variable.shape[1:])

    def _result(self, first: int, last: int) -> Any:
        reader, kind = self._reader, self._about["kind"]
        values = reader.read(first, last)
        along = {name: Recorded(reader.along[name].dims, table, {}) for name, table in values.items()}
        fixed = {name: Fixed((), reader.fixed(name)) for name in reader.names()}
        whole, facts = self._about.get("complete") == "yes", self._facts
        if first and facts.get("shifts"):
            facts = facts | {"shifts": [[t, max(k - first, 0), *rest] for t, k, *rest in facts["shifts"]]}
        content = Content(kind, reader.dimension, along, fixed, facts, self.model, whole, self._systems)
        try:
            return result_of(content)
        except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError) as error:
            raise ModelError(f"'{self.path}' is broken: the data of a {kind} are inconsistent") from error

    def close(self) -> None:
        self._reader.close()

    def __enter__(self) -> Stored:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        about = self._about
        return f"<{about['kind']} of '{about.get('model', '')}' in '{self.path}', {len(self)} records>"


def _facts_in(about: dict[str, str], path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = facts_of(about["facts"])
        if not isinstance(found, dict):
            raise ValueError("not a dictionary")
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ModelError(f"'{path}' is broken: its facts cannot be read") from error
    return found


def columns_in(path: Path) -> dict[str, tuple[np.ndarray, list[tuple[str, list[str]]]]]:
    """All numbers of a file by variable, with its dimensions and the names along them; no model is needed."""
    with Reader(path) as reader:
        checked(reader, path)
        values = reader.read(0, reader.records)
        fixed = {name: reader.fixed(name) for name in reader.names()}
        names = {name: found for name, found in fixed.items() if isinstance(found, list)}
        dims = {name: (reader.dimension, *along.dims) for name, along in reader.along.items()}
        dims |= {name: reader.dims(name) for name in fixed}
    found = values | {name: table for name, table in fixed.items() if not isinstance(table, list)}
    return {name: (table, [(dim, names.get(dim, [])) for dim in dims[name]]) for name, table in found.items()}


def checked(reader: Reader, path: Path) -> dict[str, str]:
    """The attributes of a file that is a result of this version."""
    about = reader.attributes
    if "cardan_result" not in about:
        raise ModelError(f"'{path}' is not a Cardan result: it has no format version")
    if about["cardan_result"] != VERSION:
        raise ModelError(
            f"'{path}' has format version {about['cardan_result']}, but this Cardan reads version {VERSION}: read "
            "it with the Cardan that wrote it, or compute it again"
        )
    if about.get("kind") not in KINDS:
        raise ModelError(f"'{path}' holds a result of an unknown kind, {about.get('kind')!r}")
    return about


def model_of(about: dict[str, str], path: Path, model: Any, options: dict[str, Any]) -> Any:
    """The model of a result: the one given, if it is the same, or the one that the file states."""
    description = about.get("model_description", "")
    if model is not None:
        if (other := difference(description, model)) != "":
            raise ModelError(
                f"'{path}' is a result of another model '{about['model']}': {other} differs; give load_result() the "
                "model that it was computed with"
            )
        return model
    if not about.get("model_file") or (about.get("model_functions") and not options.get("functions")):
        raise ModelError(
            f"'{path}' does not hold all of its model '{about['model']}', which names functions of Python, or was "
            "lifted: give it to load_result(path, model=...), or their module, functions=... (--model, --functions)"
        )
    return _model_from(about["model_file"], options)


def _add_labeled(found: Content, run: Trajectory) -> None:
    """The other variables of the labeled data set, for programs that read the file without Cardan.

    The data set does not list the equations of point masses: what it has along other equations than the file is
    omitted.
    """
    data, labels, _ = variables(run)
    named = {name: label if isinstance(label, tuple) else (name, label) for name, label in labels.items()}
    differing = {n for n, (_, words, *_) in named.items() if n in found.fixed and [*words] != [*found.fixed[n].values]}
    for name, (dims, stated, *more) in (named | data).items():
        if name in found.along or name in found.fixed or differing & {*((dims,) if isinstance(dims, str) else dims)}:
            continue
        values, about = np.asarray(stated), dict(more[0]) if more else {}
        dims = (dims,) if isinstance(dims, str) else tuple(dims)
        if dims[0] == "time":
            found.along[name] = Recorded(dims[1:], np.asarray(values, float), about)
        else:
            words = values.dtype.kind in "OU"
            found.fixed[name] = Fixed(dims, [str(word) for word in values] if words else values, about)


MAX_MATRIX_SIZE = 10_000_000  # rows and columns of a matrix


def text_of(facts: Any) -> str:
    """Numbers, strings, lists, dictionaries with string keys, and arrays, as one line of JSON."""
    return json.dumps(facts, default=_stated, separators=(",", ":"), ensure_ascii=False)


def facts_of(text: str) -> Any:
    """The inverse of `text_of`."""
    return json.loads(text, object_hook=_array)


def _stated(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        flat = value.view(float) if value.dtype.kind == "c" else value
        return {"array": flat.ravel().tolist(), "shape": [*value.shape], "type": value.dtype.str[1:]}
    if type(value).__module__.startswith("scipy.sparse"):
        found = value.tocoo()
        return {"sparse": [*found.shape], "row": found.row, "column": found.col, "value": found.data}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, complex):
        return {"array": [value.real, value.imag], "shape": [], "type": "c16"}
    raise TypeError(f"a file cannot store {type(value).__name__}")


def _array(found: dict[str, Any]) -> Any:
    if "array" in found and "type" in found:
        kind = np.dtype(found["type"])
        if kind.kind not in "biufc" or kind.itemsize > 16:
            raise ValueError(f"arrays of {kind} are not numbers")
        flat = np.array(found["array"], float if kind.kind == "c" else kind)
        return (flat.view(kind) if kind.kind == "c" else flat).reshape(found["shape"])
    if "sparse" in found:
        import scipy.sparse as sp  # only linear models have such matrices

        rows, columns = (int(length) for length in found["sparse"])
        if not 0 <= rows <= MAX_MATRIX_SIZE or not 0 <= columns <= MAX_MATRIX_SIZE:
            raise ValueError("a matrix is too large")
        places = found["row"].astype(int), found["column"].astype(int)
        return sp.csr_array((found["value"], places), shape=tuple(found["sparse"]))
    return found
