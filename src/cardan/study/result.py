"""The result of a study: parameter values, outputs of each sample, and the reasons of failed samples.

found["slider.ax:peak"]     one number, or curve, for each sample; NaN if it failed
found.values["rod.length"]  the values of a parameter
found.failures              {17: "the mechanism does not close ...", ...}
found.to_xarray()           one labeled data set; optionally with the parameters of a grid as dimensions
found.plot("slider.x")      curves overlaid; .surface(), .parallel(), .tornado(), .envelope()
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from cardan.atomic_file import atomic_write
from cardan.errors import ModelError
from cardan.output_path import free, in_folder
from cardan.shortcuts import StudyShortcuts
from cardan.study.batch.chunk import DIMENSION, Chunk, empty_chunk, joined
from cardan.study.sampling import Plan
from cardan.study.store import Store, opened


class Study(StudyShortcuts):
    """Samples computed so far, in memory or in a store."""

    def __init__(self, about: dict[str, Any], plan: Plan | None, store: Store | None) -> None:
        self.about, self.plan, self.store = about, plan, store
        self.one_by_one = ""  # why no compiled loop served the samples
        self._parts: dict[int, Chunk] = {}
        self._all: Chunk | None = None
        self.computed = 0 if store is None else sum(last - first for first, last in map(store.span, store.done()))

    def take(self, part: int, chunk: Chunk) -> None:
        """Keep a part."""
        self._all = None
        if self.store is not None:
            self.store.write(part, chunk)
        else:
            self._parts[part] = chunk
        self.computed += len(chunk.reasons)

    @property
    def parameters(self) -> list[str]:
        return list(self.about["plan"]["parameters"])

    @property
    def outputs(self) -> list[str]:
        return list(self.about["outputs"])

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Of each output, for one sample."""
        return [np.shape(value) for value in self.about["probe"]]

    @property
    def units(self) -> dict[str, str]:
        """The unit of each output; empty if unknown."""
        return dict(zip(self.outputs, self.about["units"], strict=True))

    @property
    def times(self) -> np.ndarray:
        """The output times of curves; empty if the study does not state them."""
        return np.array(self.about["times"])

    def __len__(self) -> int:
        """The number of samples of the plan."""
        return int(self.about["plan"]["count"])

    def chunks(self) -> Iterator[Chunk]:
        """The computed parts, one at a time: memory does not grow with the number of samples."""
        if self.store is not None:
            yield from self.store.chunks()
        else:
            for part in sorted(self._parts):
                yield self._parts[part]

    @property
    def complete(self) -> bool:
        """Whether all samples are there."""
        return self.computed == len(self)

    @property
    def samples(self) -> Chunk:
        """All samples as one chunk, in memory; those that are not computed yet have the reason 'not computed'."""
        if self._all is None:
            found = [*self.chunks()]
            known = sum(len(chunk.reasons) for chunk in found)
            self._all = joined(found, self.shapes, len(self.parameters)) if known == len(self) else self._spread(found)
        return self._all

    def _spread(self, found: list[Chunk]) -> Chunk:
        count = len(self)
        values = np.full((count, len(self.parameters)), np.nan) if self.plan is None else self.plan.values(0, count)
        whole = empty_chunk(0, values, self.shapes)
        whole.reasons[:] = ["not computed"] * count
        for chunk in found:
            part = slice(chunk.first, chunk.last)
            whole.values[part], whole.reasons[part] = chunk.values, chunk.reasons
            for k, array in enumerate(chunk.outputs):
                whole.outputs[k][part] = array
        return whole

    @property
    def values(self) -> dict[str, np.ndarray]:
        """The values of each parameter."""
        return {name: self.samples.values[:, k] for k, name in enumerate(self.parameters)}

    @property
    def failures(self) -> dict[int, str]:
        """The samples that failed, with their reasons."""
        return {k: reason for k, reason in enumerate(self.samples.reasons) if reason}

    @property
    def fine(self) -> np.ndarray:
        """Which samples did not fail."""
        return np.array([not reason for reason in self.samples.reasons], bool)

    def __getitem__(self, name: str) -> np.ndarray:
        """An output, or the values of a parameter, one for each sample."""
        if name in self.outputs:
            return self.samples.outputs[self.outputs.index(name)]
        if name in self.parameters:
            return self.values[name]
        from difflib import get_close_matches

        near = get_close_matches(str(name), [*self.outputs, *self.parameters], 1)
        hint = f"did you mean '{near[0]}'?" if near else f"it has {', '.join([*self.outputs, *self.parameters])}"
        raise ModelError(f"the study has no output or parameter '{name}'; {hint}")

    def _ipython_key_completions_(self) -> list[str]:
        return [*self.outputs, *self.parameters]

    def best(self, name: str, *, largest: bool = False) -> dict[str, float]:
        """The parameters of the sample with the least, or largest, number of an output."""
        numbers = self[name]
        if numbers.ndim != 1:
            raise ModelError(f"'{name}' is a curve; state how it counts, such as '{name}:peak', in the outputs")
        if not np.isfinite(numbers).any():
            raise ModelError(f"no sample has a finite '{name}'")
        k = int(np.nanargmax(numbers) if largest else np.nanargmin(numbers))
        return {parameter: float(values[k]) for parameter, values in self.values.items()} | {name: float(numbers[k])}

    def to_xarray(self, *, as_grid: bool = False) -> Any:
        """A labeled data set (needs xarray) along `sample`; with `as_grid` along the parameters of a grid."""
        xarray = _xarray()
        whole = self.samples
        coords: dict[str, Any] = {DIMENSION: np.arange(len(self))}
        coords |= {name: (DIMENSION, whole.values[:, k]) for k, name in enumerate(self.parameters)}
        if self.times.size:
            coords["time"] = ("time", self.times, {"units": "s"})
        data: dict[str, Any] = {
            name: ((DIMENSION, *dims), array, {"units": self.units[name]} if self.units[name] else {})
            for name, dims, array in zip(self.outputs, self.about["dimensions"], whole.outputs, strict=True)
        }
        data["failure"] = (DIMENSION, np.array(whole.reasons, dtype=object))
        about = {"model": self.about["model"], "analysis": self.about["analysis"], "plan": self.about["plan"]["kind"]}
        found = xarray.Dataset(data, coords=coords, attrs=about)
        if not as_grid:
            return found
        if self.about["plan"]["kind"] != "grid":
            raise ModelError(f"the samples of this study are {self.about['plan']['kind']}, no grid")
        return found.drop_vars(DIMENSION).set_index({DIMENSION: self.parameters}).unstack(DIMENSION)

    def save(self, path: str | Path, overwrite: bool = True) -> None:
        """Write a table: .csv with the numbers of each sample, or .nc with curves, too."""
        target = in_folder(path)
        free(target, overwrite)
        if target.suffix == ".nc":
            memory = io.BytesIO()  # where a disk is full, HDF5 ends the process
            self.to_xarray().to_netcdf(memory, engine="h5netcdf")
            with atomic_write(target, self) as beside:
                beside.write_bytes(memory.getvalue())
        elif target.suffix == ".csv":
            with atomic_write(target, self) as beside:
                self._write(beside)
        else:
            raise ModelError(f"unknown format of '{target.name}': a study ends in .csv or, for netCDF, in .nc")

    def _write(self, path: Path) -> None:
        numbers = [k for k, shape in enumerate(self.shapes) if shape == ()]
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([DIMENSION, *self.parameters, *(self.outputs[k] for k in numbers), "failure"])
            for chunk in self.chunks():
                columns = [chunk.values, *(chunk.outputs[k][:, None] for k in numbers)]
                lines = np.concatenate(columns, axis=1).tolist()
                for k, (line, reason) in enumerate(zip(lines, chunk.reasons, strict=True), chunk.first):
                    writer.writerow([k, *line, reason])

    def __repr__(self) -> str:
        count, failed = 0, 0
        first_reason = ""
        for chunk in self.chunks():
            count += len(chunk.reasons)
            reasons = [reason for reason in chunk.reasons if reason]
            failed += len(reasons)
            first_reason = first_reason or (reasons[0] if reasons else "")
        said = [
            f"study of '{self.about['model']}' ({self.about['analysis']}): {count} of {len(self)} samples, "
            f"{self.about['plan']['kind']}, of {', '.join(self.parameters)}",
            f"outputs {', '.join(self.outputs)}",
            f"{failed} failed, the first because {first_reason}" if failed else "none failed",
        ]
        if self.one_by_one:
            said.append(f"samples ran one by one: {self.one_by_one}")
        return "; ".join([*said, f"kept in '{self.store.path}'"] if self.store else said)


def open_study(path: str | Path) -> Study:
    """The study in a folder, whole or as far as it came."""
    store = opened(path)
    return Study(store.about, None, store)


def _xarray() -> Any:
    try:
        import xarray
    except ImportError as error:
        raise ImportError("labeled data sets and netCDF need xarray: pip install 'cardan[data]'") from error
    return xarray
