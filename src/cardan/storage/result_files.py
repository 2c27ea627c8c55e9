"""Results in files; the suffix of the path selects the format.

    .nc                      netCDF: the whole result and its model; `load_result` returns the same object
    .csv  .parquet  .mat     a table of named columns, for other programs
    .html  .pdf              an animated page, a report

An existing file is overwritten unless overwrite=False.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardan.atomic_file import atomic_write
from cardan.errors import ModelError
from cardan.model import check
from cardan.output_path import free, in_folder

if TYPE_CHECKING:
    from cardan.model.model import Model
    from cardan.storage.stored_result import Stored


def save(result: object, path: str | Path, overwrite: bool = True, **options: Any) -> None:
    """Write a result in the format of the suffix, see above; `options` are those of pages and reports."""
    target = in_folder(path)
    if target.suffix not in _WAYS:
        raise ModelError(
            f"unknown format of '{target.name}': tables end in .csv, .parquet or .mat, netCDF in .nc, pages in .html, "
            "a report in .pdf; plot() draws pictures, animate() writes .gif and .mp4"
        )
    free(target, overwrite)
    if options and target.suffix not in _PAGES:
        raise ModelError(
            f"'{target.name}' takes no options, got {', '.join(options)}: they are for pages, .html and .pdf"
        )
    _WAYS[target.suffix](result, target, **options)


def load_result(path: str | Path, model: Model | None = None, **options: Any) -> Any:
    """The result in a netCDF file that `save` wrote, as the same object: `run[body].position`, `run[joint].force`.

    The model is read from the file. If it uses Python functions, pass the model as `model`, or their module as
    `functions=module`, as for `load_model`.

    The file of a killed run, `name.partial.nc`, is read up to its last output time.

    >>> import tempfile, pathlib
    >>> from cardan import kinematics, load_result
    >>> from cardan.planar import Body, Driver, Model, Ramp, Revolute
    >>> model = Model("fan")
    >>> rotor = model.add(Body(), name="rotor")
    >>> hinge = model.add(Revolute(model.ground.at(), rotor.at()), name="hinge")
    >>> motor = model.add(Driver(hinge.angle, Ramp(2.0)), name="motor")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "fan.nc"
    ...     kinematics(model, [0.0, 0.5, 1.0]).save(path)
    ...     load_result(path, model=model)[rotor].angle.tolist()
    [0.0, 1.0, 2.0]
    """
    from cardan.storage.stored_result import read_netcdf

    return read_netcdf(_source(path), model, **options)


def open_result(path: str | Path, model: Model | None = None, **options: Any) -> Stored:
    """A result in a file that may be larger than memory: `with open_result("run.nc") as run: ...`.

    `run[1000:2000]` is a result with these output times, `run.parts(n)` iterates over all with n in memory at a time,
    `run.read("position", body="crank")` is one variable. Other arguments are those of `load_result`.
    """
    from cardan.storage.stored_result import Stored

    return Stored(_source(path), model, **options)


def _source(path: str | Path) -> Path:
    source = check.path(path, "where a result is read from")
    if not source.is_file():
        raise ModelError(f"file '{source}' does not exist")
    if source.suffix != ".nc":
        raise ModelError(f"'{source.name}' is not a netCDF file: results are read from .nc, tables are only written")
    return source


def _netcdf(result: object, path: Path) -> None:
    from cardan.storage.stored_result import save_netcdf

    save_netcdf(result, path)


def _table(result: object, path: Path) -> None:
    from cardan.storage.tables import save_table

    with atomic_write(path, result) as beside:
        save_table(result, beside)


def _page(result: object, path: Path, **options: Any) -> None:
    from cardan.view.web.page import page

    page(result, path, **options)


def _report(result: object, path: Path, **options: Any) -> None:
    from cardan.view.report import report

    report(result, path, **options)


_WAYS: dict[str, Callable[..., None]] = {
    ".nc": _netcdf,
    ".csv": _table,
    ".parquet": _table,
    ".mat": _table,
    ".html": _page,
    ".pdf": _report,
}
_PAGES = (".html", ".pdf")
