"""Results in files, by the ending of the path.

    .nc                      netCDF: all of a result and its model; `load_result` gives the same object back
    .csv  .parquet  .mat     a table of columns with names, for other programs
    .html  .pdf              a page that moves, a report

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
    from cardan.storage.stored_result import Stored


def save(result: Any, path: Any, overwrite: bool = True, **options: Any) -> None:
    """Write a result; the ending of the path says how, see above. Pages have options of their own."""
    target = in_folder(path)
    if target.suffix not in _WAYS:
        raise ModelError(
            f"cannot tell the format of '{target.name}': a table ends in .csv, .parquet or .mat, netCDF in .nc, a page "
            "in .html, a report in .pdf; plot() draws pictures, animate() writes .gif and .mp4"
        )
    free(target, overwrite)
    if options and target.suffix not in _PAGES:
        raise ModelError(
            f"'{target.name}' takes no options, got {', '.join(options)}: they are for pages, .html and .pdf"
        )
    _WAYS[target.suffix](result, target, **options)  # each puts a whole file there


def load_result(path: Any, model: Any = None, **options: Any) -> Any:
    """The result that `save` wrote to a netCDF file, as the same object: `run[body].position`, `run[joint].force`.

    The model is the one that the file states. Where it names functions of Python, no file can state it: give it as
    `model`, or say in which module the functions are, `functions=module`, as for `load_model`.

    A file that a killed run left, `name.partial.nc`, is read up to the last instant that it holds.

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


def open_result(path: Any, model: Any = None, **options: Any) -> Stored:
    """A result in a file that may be larger than memory: `with open_result("run.nc") as run: ...`.

    `run[1000:2000]` is a result of these instants alone, `run.parts(n)` goes through all of them with n in memory at a
    time, `run.read("position", body="crank")` is one variable. Other arguments are those of `load_result`.
    """
    from cardan.storage.stored_result import Stored

    return Stored(_source(path), model, **options)


def _source(path: Any) -> Path:
    source = check.path(path, "where a result is read from")
    if not source.is_file():
        raise ModelError(f"there is no file '{source}' that could hold a result")
    if source.suffix != ".nc":
        raise ModelError(f"'{source.name}' is no netCDF file: results are read from .nc, tables only written")
    return source


def _netcdf(result: Any, path: Path) -> None:
    from cardan.storage.stored_result import save_netcdf

    save_netcdf(result, path)


def _table(result: Any, path: Path) -> None:
    from cardan.storage.tables import save_table

    with atomic_write(path, result) as beside:
        save_table(result, beside)


def _page(result: Any, path: Path, **options: Any) -> None:
    from cardan.view.web.page import page

    page(result, path, **options)


def _report(result: Any, path: Path, **options: Any) -> None:
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
