"""A store: a folder that keeps a study while it grows.

    my-study/study.json         what is studied: parameters, plan, outputs, and by which version
    my-study/part-00000012.nc   samples 12 n .. 13 n - 1 as netCDF, complete or not there at all

A part is written to a temporary file and renamed: it is complete or absent. Absent parts are computed when the study is
resumed. Every sample is in one part.
"""

from __future__ import annotations

import errno
import io
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from cardan.atomic_file import atomic_write
from cardan.errors import CardanError, WriteError
from cardan.model import check
from cardan.study.batch.chunk import DIMENSION, Chunk
from cardan.untrusted import contents, open_regular
from cardan.version import __version__

FORMAT = 1
MANIFEST = "study.json"
ABOUT = ("plan", "analysis", "options", "model", "outputs", "units", "dimensions", "probe", "chunk", "times")
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
ALIKE = 1e-9  # relative difference of the stated model's outputs up to which a model is the one of a store


class StoreError(CardanError):
    """A store that cannot be used, or a disk that takes no more; what is stored stays."""


class Store:
    """The folder of a study."""

    def __init__(self, path: str | Path, about: dict[str, Any]) -> None:
        self.path, self.about = Path(path), about

    @property
    def size(self) -> int:
        """Samples in a part."""
        return int(self.about["chunk"])

    @property
    def count(self) -> int:
        return int(self.about["plan"]["count"])

    @property
    def parts(self) -> int:
        return -(-self.count // self.size)

    def span(self, part: int) -> tuple[int, int]:
        """First and last sample of a part."""
        return part * self.size, min((part + 1) * self.size, self.count)

    def done(self) -> list[int]:
        """The parts that are there."""
        found = [path.stem.removeprefix("part-") for path in self.path.glob("part-*.nc")]
        return sorted(int(number) for number in found if number.isdecimal() and int(number) < self.parts)

    def write(self, part: int, chunk: Chunk) -> None:
        """Put a part into its place, whole."""
        target = self._file(part)
        beside = target.with_name(f"{target.stem}.{os.getpid()}.tmp")
        try:
            with beside.open("wb") as file:
                file.write(_netcdf(chunk, self.about))
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, target)
        except OSError as error:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
            why = "is full" if error.errno in FULL else f"takes no more ({error.strerror or error})"
            raise StoreError(
                f"the disk of '{self.path}' {why}: {len(self.done())} of {self.parts} parts are stored and stay; "
                "make room and go on with resume=True"
            ) from error

    def read(self, part: int) -> Chunk:
        """One part."""
        first, last = self.span(part)
        try:
            return _from_netcdf(self._file(part), first, last, self.about)
        except (OSError, KeyError, ValueError, TypeError, AttributeError, IndexError, RuntimeError) as error:
            raise StoreError(
                f"'{self._file(part)}' cannot be read ({error}); remove it and go on with resume=True"
            ) from error

    def chunks(self) -> Iterator[Chunk]:
        """All parts that are there, one by one."""
        for part in self.done():
            yield self.read(part)

    def _file(self, part: int) -> Path:
        return self.path / f"part-{part:08d}.nc"


def opened(path: str | Path) -> Store:
    """The store in a folder, if this version can use it."""
    folder = Path(path)
    try:
        about = json.loads(contents(folder / MANIFEST))
        version = (about["format"], about["version"])
        lost = [name for name in ABOUT if name not in about] if version[0] == FORMAT else []
    except FileNotFoundError:
        raise StoreError(f"'{folder}' holds no study: it has no {MANIFEST}") from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise StoreError(f"{MANIFEST} in '{folder}' cannot be read: {error}") from error
    if version != (FORMAT, __version__):
        raise StoreError(
            f"the study in '{folder}' was written by Cardan {version[1]} (format {version[0]}), this is {__version__} "
            f"(format {FORMAT}): numbers would not compare; finish it there, or start again in another folder"
        )
    if lost:
        raise StoreError(f"{MANIFEST} in '{folder}' cannot be read: it does not state {', '.join(lost)}")
    if wrong := _wrong(about):
        raise StoreError(f"{MANIFEST} in '{folder}' cannot be read: its {wrong} makes no sense")
    return Store(folder, about)


def _wrong(about: dict[str, Any]) -> str:
    """Which entry of a manifest is not what this program writes."""
    plan, outputs = about["plan"], about["outputs"]
    if not isinstance(plan, dict) or not _words(plan.get("parameters")) or not _whole(plan.get("count")):
        return "plan"
    if not _words(outputs) or len(outputs) != len(set(outputs)):
        return "outputs"
    for name in ("dimensions", "probe"):
        if not isinstance(about[name], list) or len(about[name]) != len(outputs):
            return name
    if not all(_words(dims) for dims in about["dimensions"]):
        return "dimensions"
    return "" if _whole(about["chunk"]) and about["chunk"] >= 1 else "chunk"


def _words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def prepared(path: Any, about: dict[str, Any], resume: bool) -> Store:
    """A new store, or the store of the study that is resumed."""
    folder = Path(check.instance(path, (str, os.PathLike), "the store of study()", hint="the name of a folder"))
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"no study can be kept in '{folder}': it is a file; state a folder")
    if (folder / MANIFEST).exists():
        store = opened(folder)
        if not resume:
            raise StoreError(
                f"'{folder}' holds a study already, {len(store.done())} of {store.parts} parts done: go on with "
                "resume=True, or state another folder"
            )
        _require_same(store, about)
        for rest in folder.glob("part-*.tmp"):  # of a process that was killed
            rest.unlink(missing_ok=True)
        return store
    if folder.exists() and any(folder.iterdir()):
        raise StoreError(f"'{folder}' is not empty and holds no study; state another folder")
    complete = {"format": FORMAT, "version": __version__, **about}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with atomic_write(folder / MANIFEST) as beside:
            beside.write_text(json.dumps(complete, indent=1), encoding="utf-8")
    except (OSError, WriteError) as error:
        reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        raise StoreError(f"no study can be kept in '{folder}': {reason}") from error
    return Store(folder, complete)


def _require_same(store: Store, about: dict[str, Any]) -> None:
    """A study can only be resumed with the same model and settings."""
    labels = {"plan": "samples", "outputs": "outputs", "analysis": "analysis", "options": "options", "model": "model"}
    for key, what in labels.items():
        if store.about[key] != about[key]:
            raise StoreError(
                f"the study in '{store.path}' has other {what}: {_short_text(store.about[key])}, "
                f"not {_short_text(about[key])}; "
                "state the same, or another folder"
            )
    for name, old, new in zip(about["outputs"], store.about["probe"], about["probe"], strict=True):
        a, b = np.array(old, float), np.array(new, float)
        size = float(np.nanmax(np.abs(a), initial=0.0))
        if a.shape != b.shape or not np.allclose(a, b, rtol=ALIKE, atol=ALIKE * size, equal_nan=True):
            raise StoreError(
                f"the model '{about['model']}' is not that of the study in '{store.path}': its '{name}' differs; "
                "restore it, or state another folder"
            )


def _short_text(value: object) -> str:
    return json.dumps(value)[:120]


def _netcdf(chunk: Chunk, about: dict[str, Any]) -> bytes:
    """A chunk as the bytes of a netCDF file."""
    h5netcdf, h5py = _libraries()
    memory = io.BytesIO()
    with h5netcdf.File(memory, "w") as file:
        file.dimensions[DIMENSION] = len(chunk.reasons)
        index = np.arange(chunk.first, chunk.last)
        file.create_variable(DIMENSION, (DIMENSION,), "i8", data=index)
        for k, name in enumerate(about["plan"]["parameters"]):
            file.create_variable(variable("parameter", name), (DIMENSION,), "f8", data=chunk.values[:, k])
        for name, dims, array in zip(about["outputs"], about["dimensions"], chunk.outputs, strict=True):
            for dim, length in zip(dims, array.shape[1:], strict=True):
                if dim not in file.dimensions:
                    file.dimensions[dim] = length
            file.create_variable(variable("output", name), (DIMENSION, *dims), "f8", data=array)
        reasons = np.array(chunk.reasons, dtype=object)
        file.create_variable("failure", (DIMENSION,), h5py.string_dtype(), data=reasons)
    return memory.getvalue()


def _from_netcdf(path: Path, first: int, last: int, about: dict[str, Any]) -> Chunk:
    h5netcdf, h5py = _libraries()
    with h5py.File(open_regular(path), "r") as file:
        _reject_elsewhere(file, h5py, last - first)
    with h5netcdf.File(path, "r") as file:
        index = np.array(file.variables[DIMENSION][:])
        if not np.array_equal(index, np.arange(first, last)):
            raise ValueError(f"it holds other samples than {first} to {last - 1}")
        names = about["plan"]["parameters"]
        values = np.column_stack([file.variables[variable("parameter", name)][:] for name in names])
        outputs = [np.array(file.variables[variable("output", name)][:]) for name in about["outputs"]]
        failures = [text.decode() if isinstance(text, bytes) else str(text) for text in file.variables["failure"][:]]
    return Chunk(first, values, outputs, failures)


def _reject_elsewhere(file: Any, h5py: Any, samples: int) -> None:
    """Reject variables whose numbers are not in the file: HDF5 can read them from other files, or generate them."""
    for name in file:
        if not isinstance(file.get(name, getlink=True), h5py.HardLink):
            raise ValueError(f"'{name}' lies elsewhere")
        found = file[name]
        if not isinstance(found, h5py.Dataset):
            raise ValueError(f"'{name}' is not a variable")
        if found.external or found.is_virtual:
            raise ValueError(f"the numbers of '{name}' are in another file")
        stored = found.id.get_storage_size()
        scale = found.attrs.get("CLASS") == b"DIMENSION_SCALE"  # a dimension without numbers may have no room
        if stored < found.size * found.dtype.itemsize and not (scale and found.size <= 10_000_000):
            raise ValueError(f"the numbers of '{name}' are not all there")
        if name != "failure" and found.dtype.kind not in "iuf":
            raise ValueError(f"'{name}' holds no numbers")
        if name == "failure" and found.shape != (samples,):
            raise ValueError("it says of other samples why they failed")


def variable(kind: str, name: str) -> str:
    """The name of a variable in a file: slashes would make groups."""
    return f"{kind} {name}".replace("/", "|")


def dimensions_of(names: Sequence[str], shapes: Sequence[tuple[int, ...]], times: int) -> list[list[str]]:
    """Names of the dimensions of outputs beside the samples: time, where that is what a curve runs along."""
    found = []
    for name, shape in zip(names, shapes, strict=True):
        plain = name.replace("/", "|")
        found.append(["time" if k == 0 and n == times else f"{plain} axis {k}" for k, n in enumerate(shape)])
    return found


def _libraries() -> tuple[Any, Any]:
    try:
        import h5netcdf
        import h5py
    except ImportError as error:
        raise ImportError("studies in a store need h5netcdf and h5py: pip install 'cardan[study]'") from error
    return h5netcdf, h5py


def require_libraries() -> None:
    """Say before anything is computed that something is missing."""
    _libraries()
