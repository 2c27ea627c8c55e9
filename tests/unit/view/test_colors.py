"""Colors that mean something differ for readers with any kind of color vision.

The three kinds of color blindness are simulated with the matrices of Machado, Oliveira and Fernandes (2009), severity
1; colors are compared by their distance in CIELAB, where 2.3 is just noticeable. Here 15 are required between curves,
30 between kinds of arrows, and 8 between fills of bodies, which outlines and shapes distinguish as well.
"""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from cardan.view.style import BODIES, CURVES

ROOT = Path(__file__).resolve().parents[3]
VISION = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])


def lab(color: str, vision: str) -> np.ndarray:
    shares = np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)]) / 255.0
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(np.array(VISION[vision]) @ linear, 0.0, 1.0) / WHITE
    f = np.where(xyz > 0.008856, np.cbrt(np.maximum(xyz, 1e-9)), 7.787 * xyz + 16.0 / 116.0)
    return np.array([116.0 * f[1] - 16.0, 500.0 * (f[0] - f[1]), 200.0 * (f[1] - f[2])])


def arrows() -> list[str]:
    """The colors of reactions, drivers and applied forces, from the source of the page."""
    line = re.search(r"function arrowColor.*", (ROOT / "web" / "src" / "build.ts").read_text(encoding="utf-8"))
    assert line is not None
    return re.findall(r"#[0-9a-f]{6}", line[0])


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize(
    ("colors", "least"),
    [(CURVES, 15.0), (arrows(), 30.0), ([fill for fill, _ in BODIES[:6]], 8.0)],
    ids=("curves", "arrows", "bodies"),
)
def test_colors_differ(colors, least, vision) -> None:
    for a, b in combinations(colors, 2):
        assert np.linalg.norm(lab(a, vision) - lab(b, vision)) >= least, (a, b)
