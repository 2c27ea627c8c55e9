"""Planar rods: one call lays nodes and beams along points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.elements.rods.rod import Rod, attached, checked, directions, node_points, pieces
from cardan.elements.rods.section import Section
from cardan.model.body import Vector
from cardan.model.dimensions import Duration
from cardan.planar.beam import Beam
from cardan.planar.body import Body, Marker
from cardan.planar.joints.fixed import Fixed
from cardan.planar.model import Model


def add_rod(
    model: Model,
    points: Sequence[Vector],
    section: Section,
    *,
    name: str = "rod",
    elements: int | None = None,
    start: Body | None = None,
    end: Body | None = None,
    damping: Duration = 0.0,
) -> Rod:
    """Lay an elastic rod of any deflection along points, free of stress as laid.

    With `elements` it consists of so many beams of equal length along a smooth curve through the points; otherwise
    nodes are the points themselves. Nodes are bodies with the mass of the rod, "rod 0", "rod 1", ...; between them are
    `Beam`s, "rod beam 1", ... `start` and `end` are bodies to which an end is clamped, such as `model.ground`;
    joints, loads and contacts take `rod.start`, `rod.end` and `rod.nodes[k].at()`. `damping` is that of `Beam`.

    >>> from cardan import eigenmodes
    >>> from cardan.planar import Model, Section, add_rod
    >>> model = Model("cantilever")
    >>> section = Section.rectangle(0.02, 0.001, E=210e9, density=7850.0)
    >>> rod = add_rod(model, [(0, 0), (0.3, 0)], section, elements=16, start=model.ground)
    >>> f"{eigenmodes(model).frequencies[0]:.2f} rad/s; closed form: 1.8751^2 sqrt(EI / m L^4) = 58.33 rad/s"
    '58.23 rad/s; closed form: 1.8751^2 sqrt(EI / m L^4) = 58.33 rad/s'
    """
    name = checked(model, Model, name, section, "add_rod()")
    held = [attached(b, model, f"the {side} of rod '{name}'") for b, side in ((start, "start"), (end, "end"))]
    places = node_points(points, 2, elements, name)
    along = directions(places)
    angles = np.unwrap(np.arctan2(along[:, 1], along[:, 0]))
    shapes = [_arc(places[k : k + 2], angles[k : k + 2]) for k in range(len(places) - 1)]
    ground = [held[0] and start is model.ground, held[1] and end is model.ground]
    bodies: dict[int, Body] = {}
    for k, share in pieces([length for length, _, _ in shapes], *ground):
        mass, inertia = section.mass_per_length * share, section.density * section.Iz * share
        node = Body(mass=mass, inertia=inertia, position=tuple(places[k].tolist()), angle=float(angles[k]))
        bodies[k] = model.add(node, name=f"{name} {k}")

    def marker(k: int, turned: float = 0.0) -> Marker:
        if k in bodies:
            return bodies[k].at(angle=turned)
        x, y = places[k].tolist()
        return model.ground.at(x, y, float(angles[k]) + turned)

    data: dict[str, Any] = {"E": section.E, "A": section.A, "I": section.Iz, "damping": damping}
    if section.shear_factor is not None:
        data |= {"G": section.G, "shear_factor": _first(section.shear_factor)}
    beams = []
    for k, (length, turned, curvature) in enumerate(shapes):
        beam = Beam(marker(k, turned), marker(k + 1, turned), length, **data, curvature=curvature)
        beams.append(model.add(beam, name=f"{name} beam {k + 1}"))
    last = len(places) - 1
    for k, body, side in ((0, start, "start"), (last, end, "end")):
        if body is not None and k in bodies:
            point = tuple(places[k].tolist())
            model.add(Fixed(body.world(point, angle=float(angles[k])), marker(k)), name=f"{name} {side}")
    return Rod(model, name, section, tuple(bodies.values()), tuple(beams), marker(0), marker(last))


def _arc(places: np.ndarray, angles: np.ndarray) -> tuple[float, float, float]:
    """Length and curvature of the arc between two nodes, and its direction from the axes of both."""
    d, theta = places[1] - places[0], float(angles[1] - angles[0])
    c, s = math.cos(angles[0]), math.sin(angles[0])
    p = c * d[0] + s * d[1], c * d[1] - s * d[0]
    k = 0.5 * theta / math.tan(0.5 * theta) if abs(theta) > 1e-9 else 1.0
    u = k * p[0] + 0.5 * theta * p[1], k * p[1] - 0.5 * theta * p[0]
    length, turned = math.hypot(*u), math.atan2(u[1], u[0])
    return length, turned if abs(turned) > 1e-13 else 0.0, theta / length


def _first(factor: float | Sequence[float]) -> float:
    return factor[0] if isinstance(factor, Sequence) else factor
