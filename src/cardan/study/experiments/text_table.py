"""A small table as text: names on the left, numbers on the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def text_table(titles: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Columns of equal width; the first is aligned to the left."""
    cells = [list(titles), *([cell if isinstance(cell, str) else f"{cell:.4g}" for cell in row] for row in rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(titles))]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))])
        for row in cells
    ]
    return "\n".join(line.rstrip() for line in lines)
