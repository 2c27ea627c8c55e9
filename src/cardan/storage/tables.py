"""Tables of named columns for other programs: CSV, Parquet, MAT."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np

from cardan.display_units import DisplayUnits
from cardan.errors import ModelError
from cardan.results.linear.linearization import Linearization
from cardan.results.linear.modes import Modes
from cardan.results.snapshot import Snapshot
from cardan.results.steady.equilibrium import Equilibria, Equilibrium
from cardan.results.steady.load_path import LoadPath
from cardan.results.steady.periodic_motion import PeriodicMotion
from cardan.results.trajectory import Trajectory
from cardan.table import Table

MAX_NAME = 63  # characters of a name in MATLAB


def save_table(result: object, path: Path) -> None:
    """Write the columns of a result, or the matrices of a linear model to .mat."""
    if isinstance(result, Linearization):
        if path.suffix != ".mat":
            raise ModelError(
                f"a linear model is written as .mat or .nc: its matrices are not a table for '{path.name}'"
            )
        _write_matrices(result, path)
        return
    {".csv": _write_csv, ".parquet": _write_parquet, ".mat": _write_mat}[path.suffix](table_of(result), path)


def table_of(result: object) -> Table:
    """The columns of a result, in the units in which the model shows results."""
    if isinstance(result, PeriodicMotion):
        result = result.run
    if isinstance(result, Snapshot) and not isinstance(result, Equilibrium):
        result = result.as_trajectory()
    if isinstance(result, Modes):
        lines = result.table()
        return Table({name: np.array([line[name] for line in lines]) for name in lines[0]} if lines else {}, _MODES)
    if isinstance(result, Equilibria):
        return _shown(result.table(), result[0].model.display) if len(result) else result.table()
    if isinstance(result, Equilibrium | LoadPath | Trajectory):
        return _shown(result.table(), result.model.display)
    raise ModelError(f"a {type(result).__name__} has no table: save it as .nc")


def _shown(table: Table, display: DisplayUnits) -> Table:
    """The columns in these units; names have units if these are not SI."""
    if not display.changed:
        return table
    columns, units = {}, {}
    for name, values in table.items():
        shown, unit = display.values(values, table.units.get(name, ""))
        title = f"{name} [{unit}]" if unit else name
        columns[title], units[title] = shown, unit
    return Table(columns, units)


_MODES = {"real": "1/s", "imaginary": "1/s", "hertz": "Hz", "undamped_hertz": "Hz", "half": "s"}


def _write_csv(table: Table, path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*(np.asarray(column).tolist() for column in table.values()), strict=True))


def _write_parquet(table: Table, path: Path) -> None:
    """Columns have their units as metadata of their fields."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise ImportError("Parquet files need pyarrow: pip install 'cardan[data]'") from None
    arrays = [pyarrow.array(np.asarray(column)) for column in table.values()]
    fields = [
        pyarrow.field(name, array.type, metadata={"units": table.units.get(name, "")})
        for name, array in zip(table, arrays, strict=True)
    ]
    parquet.write_table(pyarrow.table(arrays, schema=pyarrow.schema(fields)), path)


def _write_mat(table: Table, path: Path) -> None:
    """A variable for each column, dots as underscores, and cell arrays `names` and `units` in their order."""
    from scipy.io import savemat

    words = dict(zip(table, _names([*table]), strict=True))
    found: dict[str, Any] = {words[name]: np.asarray(column)[:, None] for name, column in table.items()}
    found["names"] = _cells([*words.values()])
    found["units"] = _cells([table.units.get(name, "") for name in table])
    savemat(path, found, long_field_names=True)


def _write_matrices(linear: Linearization, path: Path) -> None:
    from scipy.io import savemat

    found: dict[str, Any] = {name: getattr(linear, name) for name in "ABCD"}
    found |= {name: _cells([*getattr(linear, name)]) for name in ("states", "inputs", "outputs")}
    savemat(path, found, long_field_names=True)


def _cells(words: list[str]) -> np.ndarray:
    found = np.empty(len(words), object)
    found[:] = words
    return found


def _names(names: list[str]) -> list[str]:
    """Unique names that MATLAB accepts."""
    found: list[str] = []
    for name in names:
        word = re.sub(r"\W", "_", name, flags=re.ASCII)
        word = (word if word[:1].isalpha() else f"x{word}")[: MAX_NAME - 4]
        number = 2
        free = word
        while free in found:
            free, number = f"{word}_{number}", number + 1
        found.append(free)
    return found
