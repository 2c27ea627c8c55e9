"""The teeth of gears and racks in pictures: trapezoids as high as a module, flanks of 20 degrees.

     ___       ___        tip     R + m         m = 2 R / z    module, z teeth
    /   \\     /   \\       pitch   R             a tooth is half a pitch wide on the pitch circle
___/     \\___/     \\___   root    R - 1.25 m
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

PITCH = 1.1  # the way from tooth to tooth that pictures aim at, in terms of the size of symbols
MIN_TEETH, MAX_TEETH = 12, 120  # teeth of the smallest wheel, of the largest
AT_ODDS = 4  # teeth by which other counts must be closer than a multiple of six: planets come in twos, threes and sixes
ROUGH = 0.02  # of a tooth: a wheel whose radius asks for less than a whole tooth more still meshes well to the eye
# half the width of a tooth in terms of the pitch, and its height in modules: root, pitch circle, tip
PROFILE = ((0.37, -1.25), (0.25, 0.0), (0.14, 1.0))


def module_for(radii: Sequence[float], unit: float) -> float:
    """The module with which wheels of these radii have whole numbers of teeth, or nearly so, of a size to be seen."""
    least, largest = min(radii), max(radii)
    wanted = round(2.0 * math.pi * least / (PITCH * unit)) if unit > 0.0 else 2 * MIN_TEETH
    wanted = min(max(wanted, MIN_TEETH), max(int(MAX_TEETH * least / largest), MIN_TEETH))
    nearby = sorted(
        range(MIN_TEETH, 2 * wanted + 1), key=lambda count: abs(count - wanted) + AT_ODDS * (count % 6 != 0)
    )
    rest = {count: max(_fraction(count * radius / least) for radius in radii) for count in nearby}
    whole = [count for count in nearby if rest[count] < ROUGH]
    return 2.0 * least / (whole[0] if whole else min(nearby, key=lambda count: rest[count]))


def tooth_count(radius: float, module: float) -> int:
    return max(round(2.0 * radius / module), 3)


def toothed_wheel(radius: float, count: int, phase: float, inward: bool = False) -> np.ndarray:
    """The closed outline of a wheel, the middle of a tooth at the angle `phase`; teeth of rings point inward."""
    pitch, module = 2.0 * math.pi / count, 2.0 * radius / count
    sides = [(-half, high) for half, high in PROFILE] + [(half, high) for half, high in PROFILE[::-1]]
    turns = phase + pitch * (np.arange(count)[:, None] + np.array([side for side, _ in sides]))
    far = radius + (-module if inward else module) * np.array([high for _, high in sides])
    points = np.stack([far * np.cos(turns), far * np.sin(turns)], axis=2).reshape(-1, 2)
    return np.vstack([points, points[:1]])


def toothed_ring(radius: float, count: int, phase: float, thickness: float) -> np.ndarray:
    """A ring with teeth inside: its outer edge and, by a seam, its inner one."""
    inner = toothed_wheel(radius, count, phase, inward=True)
    outer = radius * (1.0 + 2.5 / count) + thickness
    start = math.atan2(inner[0, 1], inner[0, 0])
    turn = start + np.linspace(0.0, 2.0 * math.pi, 97)
    return np.vstack([outer * np.stack([np.cos(turn), np.sin(turn)], axis=1), inner[::-1]])


def toothed_rack(low: float, high: float, pitch: float, start: float, side: float, depth: float) -> np.ndarray:
    """The outline of a rack along x, the middle of a tooth at `start`; teeth point away from `side`, its material."""
    module = pitch / math.pi
    first, last = math.ceil((low - start) / pitch + 0.5), math.floor((high - start) / pitch - 0.5)
    sides = [(-half, rise) for half, rise in PROFILE] + [(half, rise) for half, rise in PROFILE[::-1]]
    root = -PROFILE[0][1] * side * module
    points = [
        (start + pitch * (k + across), -side * module * rise) for k in range(first, last + 1) for across, rise in sides
    ]
    back = root + depth
    return np.array([(low, root), *points, (high, root), (high, back), (low, back)])


def _fraction(count: float) -> float:
    return abs(count - round(count))
