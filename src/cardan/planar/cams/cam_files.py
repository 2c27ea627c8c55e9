"""Outlines of cams as files for CAD and machining, in mm: tables (.csv), drawings (.dxf) and pictures (.svg)."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cardan.atomic_file import atomic_write
from cardan.errors import ModelError
from cardan.model import check
from cardan.output_path import free, in_folder

if TYPE_CHECKING:
    from cardan.planar.cams.cam_design import CamDesign

MM = 1e3


def write_cam(design: CamDesign, path: str | Path, points: int = 720, overwrite: bool = True) -> Path:
    """Write `points` points of the outline, evenly spaced in the parameter of the profile, counterclockwise."""
    target = in_folder(path)
    writers = {".csv": _table, ".dxf": _drawing, ".svg": _picture}
    if target.suffix.lower() not in writers:
        raise ModelError(f"a cam is written as {', '.join(writers)}, not as '{target.suffix}'")
    count = check.count(points, "the points of a cam")
    if count < 8:
        raise ModelError(f"a cam needs at least 8 points, got {count}")
    free(target, overwrite)
    u = np.linspace(0.0, 2.0 * math.pi, count, endpoint=False)
    outline = MM * design.profile.points(u)
    text = writers[target.suffix.lower()](design, u, outline)
    with atomic_write(target) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return target


def _table(design: CamDesign, u: np.ndarray, outline: np.ndarray) -> str:
    """One line per point, with the angle of the cam at which it is touched."""
    profile = design.profile
    angles = np.mod(-profile.sense * u, 2.0 * math.pi)
    found = profile.geometry(angles)
    unit, scale = ("deg", math.degrees(1.0)) if design.follower.swings else ("mm", MM)
    center = MM * found.center
    head = f"cam_angle [deg],x [mm],y [mm],lift [{unit}],center_x [mm],center_y [mm],radius_of_curvature [mm]"
    curvature = profile.curvature(u)
    with np.errstate(divide="ignore"):
        radius = MM / curvature
    columns = np.degrees(angles), *outline.T, scale * found.lift[0], center.real, center.imag, radius
    rows = [",".join(f"{value:.9g}" for value in row) for row in zip(*columns, strict=True)]
    return "\n".join([head, *rows]) + "\n"


def _drawing(design: CamDesign, u: np.ndarray, outline: np.ndarray) -> str:
    """DXF R12, which every CAD program reads: a closed polyline, the shaft's center and the base circle."""
    pairs: list[tuple[int, object]] = [(0, "SECTION"), (2, "HEADER"), (9, "$ACADVER"), (1, "AC1009")]
    low, high = outline.min(axis=0), outline.max(axis=0)
    pairs += [(9, "$EXTMIN"), (10, low[0]), (20, low[1]), (9, "$EXTMAX"), (10, high[0]), (20, high[1]), (0, "ENDSEC")]
    pairs += [(0, "SECTION"), (2, "ENTITIES"), (0, "POLYLINE"), (8, "CAM"), (66, 1), (70, 1)]
    pairs += [(10, 0.0), (20, 0.0), (30, 0.0)]
    for x, y in outline:
        pairs += [(0, "VERTEX"), (8, "CAM"), (10, x), (20, y), (30, 0.0)]
    pairs += [(0, "SEQEND"), (8, "CAM"), (0, "POINT"), (8, "SHAFT"), (10, 0.0), (20, 0.0), (30, 0.0)]
    pairs += [(0, "CIRCLE"), (8, "BASE"), (10, 0.0), (20, 0.0), (30, 0.0), (40, MM * design.base_radius)]
    pairs += [(0, "ENDSEC"), (0, "EOF")]
    return "".join(f"{code:>3}\n{f'{value:.9f}' if isinstance(value, float) else value}\n" for code, value in pairs)


def _picture(design: CamDesign, u: np.ndarray, outline: np.ndarray) -> str:
    """SVG at full size: y points down there."""
    edge = 0.05 * float(np.ptp(outline, axis=0).max())
    x0, y0 = outline.min(axis=0) - edge
    width, height = np.ptp(outline, axis=0) + 2.0 * edge
    path = "L".join(f"{x:.6f},{-y:.6f}" for x, y in outline)
    view = f"{x0:.6f} {-(y0 + height):.6f} {width:.6f} {height:.6f}"
    line, cross = 0.002 * max(width, height), 0.5 * edge
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.6f}mm" height="{height:.6f}mm" viewBox="{view}">\n'
        f'<path d="M{path}Z" fill="none" stroke="black" stroke-width="{line:.6f}"/>\n'
        f'<path d="M{-cross:.6f},0H{cross:.6f}M0,{-cross:.6f}V{cross:.6f}" stroke="black" stroke-width="{line:.6f}"/>\n'
        "</svg>\n"
    )
