"""Curves on a terminal: braille letters, each a field of two by four dots.

2.4 |      .*''*.
    |    .*      '.
0.1 |_.*'          '*.___
     0                  1
"""

from __future__ import annotations

import numpy as np

WIDTH, HEIGHT = 64, 12  # letters
BLANK = 0x2800  # the letter without dots
DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])  # of row and column in a letter


def dotted(x: np.ndarray, y: np.ndarray, width: int = WIDTH, height: int = HEIGHT) -> list[str]:
    """Lines of text that show the points (x, y) with the ends of both axes; points that are not finite are omitted."""
    fine = np.isfinite(x) & np.isfinite(y)
    if not fine.any():
        return []
    columns, (left, right) = _places(x[fine], 2 * width)
    rows, (low, high) = _places(y[fine], 4 * height)
    rows = 4 * height - 1 - rows
    letters = np.zeros((height, width), int)
    np.bitwise_or.at(letters, (rows // 4, columns // 2), DOTS[rows % 4, columns % 2])
    margin = max(len(low), len(high))
    edge = [high, *[""] * (height - 2), low]
    lines = [
        f"{text:>{margin}} |{''.join(chr(BLANK + letter) for letter in line)}"
        for text, line in zip(edge, letters, strict=True)
    ]
    return [*lines, f"{'':>{margin}}  {left}{right:>{width - len(left)}}"]


def _places(values: np.ndarray, count: int) -> tuple[np.ndarray, tuple[str, str]]:
    """Where values stand among `count` places, and the ends of their range in words."""
    low, high = float(values.min()), float(values.max())
    share = (values - low) / (high - low) if high > low else np.full(values.shape, 0.5)
    return np.minimum((share * count).astype(int), count - 1), (f"{low:.4g}", f"{high:.4g}")
