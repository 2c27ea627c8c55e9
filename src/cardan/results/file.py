"""Results in files: the table of columns as `.csv`, the labelled data set as netCDF, `.nc`, and pages, `.html`."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import ModelError
from cardan.results.dataset import dataset
from cardan.results.table import columns

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory


def save(run: Trajectory, path: Any, **options: Any) -> None:
    """Write the table: `.csv` for columns, `.nc` for netCDF (needs xarray); or a page, `.html`, with its options."""
    target = in_folder(path)
    if target.suffix == ".html":
        from cardan.results.registry import view

        view("page")(run, target, **options)
        return
    if options:
        raise ModelError(f"'{target.name}' takes no options, got {', '.join(options)}: they are for pages, .html")
    if target.suffix == ".csv":
        _write_csv(columns(run), target)
    elif target.suffix == ".nc":
        dataset(run).to_netcdf(target, engine=_netcdf_engine())
    else:
        raise ModelError(
            f"cannot tell the format of '{target.name}': a table ends in .csv or, for netCDF, in .nc; a page "
            "ends in .html"
        )


def in_folder(path: Any) -> Path:
    """A path whose folder is there."""
    target = Path(path)
    if not target.parent.is_dir():
        raise ModelError(f"there is no folder '{target.parent}' to write '{target.name}' into; make it first")
    return target


def _write_csv(table: dict[str, np.ndarray], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*(column.tolist() for column in table.values()), strict=True))


def _netcdf_engine() -> str:
    from importlib.util import find_spec

    for engine, modules in (("h5netcdf", ("h5netcdf", "h5py")), ("netcdf4", ("netCDF4",))):
        if all(find_spec(module) for module in modules):
            return engine
    raise ImportError("netCDF files need h5netcdf and h5py: pip install 'cardan[data]'")
