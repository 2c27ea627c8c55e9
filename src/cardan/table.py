"""Tables of results: columns by name, shown as a table in notebooks, and as a pandas data frame on request."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas

SHOWN_ROWS, SHOWN_COLUMNS = 10, 12  # shown in a notebook: the first and last rows, and the first columns


class Table(dict[str, np.ndarray]):
    """A dictionary of columns; `units` has the unit of each.

    >>> table = Table({"time": np.array([0.0, 0.1]), "crank.x": np.array([0.0, 0.2])}, {"time": "s", "crank.x": "m"})
    >>> table["crank.x"].tolist(), list(table)
    ([0.0, 0.2], ['time', 'crank.x'])
    """

    def __init__(self, columns: Mapping[str, np.ndarray], units: Mapping[str, str] | None = None) -> None:
        super().__init__(columns)
        self.units: dict[str, str] = {name: unit for name, unit in (units or {}).items() if name in self}

    def __missing__(self, name: str) -> np.ndarray:
        from difflib import get_close_matches

        near = get_close_matches(str(name), list(self), 1)
        raise KeyError(f"the table has no column {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))

    def to_pandas(self) -> pandas.DataFrame:
        """A `pandas.DataFrame` with time as its index, if there is one; `frame.attrs["units"]` has the units."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("a data frame needs pandas: pip install pandas") from error
        frame = pandas.DataFrame(dict(self))
        frame.attrs["units"] = dict(self.units)
        return frame.set_index("time") if "time" in self else frame

    def _repr_html_(self) -> str:
        """The first and last rows, with units; all columns fit, or the rest is counted."""
        count, names = len(next(iter(self.values()), ())), list(self)[:SHOWN_COLUMNS]
        rows = (
            list(range(count))
            if count <= SHOWN_ROWS
            else [*range(SHOWN_ROWS // 2), None, *range(count - SHOWN_ROWS // 2, count)]
        )
        cells = ["".join(f"<th>{escape(name)}</th>" for name in names)]
        cells += ["".join(f"<td><i>{escape(self.units.get(name, ''))}</i></td>" for name in names)]
        cells += [
            "".join(f"<td>{'...' if k is None else escape(_cell(self[name][k]))}</td>" for name in names) for k in rows
        ]
        more = (
            f" of {len(self)}: {', '.join(list(self)[SHOWN_COLUMNS : SHOWN_COLUMNS + 4])} ..."
            if len(self) > SHOWN_COLUMNS
            else ""
        )
        size = f"<p>{count} rows, {len(names)} columns{escape(more)}</p>"
        return "<table>" + "".join(f"<tr>{line}</tr>" for line in cells) + f"</table>{size}"


def _cell(value: Any) -> str:
    return f"{value:.6g}" if np.issubdtype(type(value), np.number) else str(value)
