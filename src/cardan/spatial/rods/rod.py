"""Spatial rods: one call lays nodes and beams along points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.elements.rods.rod import Rod, attached, checked, directions, node_points, pieces
from cardan.elements.rods.section import Section
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import Vector
from cardan.model.dimensions import Duration
from cardan.spatial import rotation
from cardan.spatial.body import Body, Marker
from cardan.spatial.joints.fixed import Fixed
from cardan.spatial.model import Model
from cardan.spatial.rods.beam import Beam

UNTURNED = np.array([1.0, 0.0, 0.0, 0.0])
STEEP = 1e-6  # sine of the angle to the vertical below which a rod counts as vertical


def add_rod(
    model: Model,
    points: Sequence[Vector],
    section: Section,
    *,
    name: str = "rod",
    elements: int | None = None,
    start: Body | None = None,
    end: Body | None = None,
    y: Vector | None = None,
    damping: Duration = 0.0,
) -> Rod:
    """Lay an elastic rod of any deflection along points, free of stress as laid.

    With `elements` it consists of so many beams of equal length along a smooth curve through the points; otherwise
    nodes are the points themselves. Nodes are bodies with the mass of the rod, "rod 0", "rod 1", ...; between them are
    `Beam`s, "rod beam 1", ... `start` and `end` are bodies to which an end is clamped, such as `model.ground`;
    joints, loads and contacts take `rod.start`, `rod.end` and `rod.nodes[k].at()`. `y` is the direction of the
    section's y axis at the start, by default horizontal; along the rod the section does not turn about its axis.
    `damping` is that of `Beam`.

    >>> from cardan import equilibrium
    >>> from cardan.spatial import Model, Section, add_rod
    >>> model = Model("blade", gravity=(0.0, 0.0, -9.81))
    >>> section = Section.rectangle(0.02, 0.04, E=70e9, density=2700.0)
    >>> rod = add_rod(model, [(0, 0, 0), (6, 0, 0)], section, elements=12, start=model.ground)
    >>> f"the tip hangs {-equilibrium(model)[rod.nodes[-1]].position[2]:.4f} m; linear: m g L^4 / 8 E Iy = 1.8390 m"
    'the tip hangs 1.7201 m; linear: m g L^4 / 8 E Iy = 1.8390 m'
    """
    name = checked(model, Model, name, section, "add_rod()")
    if section.Iy is None or section.J is None or section.G is None:
        raise ModelError(f"the section of rod '{name}' needs Iy, J and G for bending and torsion in space")
    held = [attached(b, model, f"the {side} of rod '{name}'") for b, side in ((start, "start"), (end, "end"))]
    places = node_points(points, 3, elements, name)
    frames = _frames(directions(places), y, name)
    shapes = [_helix(places[k : k + 2], frames[k : k + 2]) for k in range(len(places) - 1)]
    ground = [held[0] and start is model.ground, held[1] and end is model.ground]
    per_length = section.density * np.array([section.Iy + section.Iz, section.Iy, section.Iz])
    bodies: dict[int, Body] = {}
    for k, share in pieces([length for length, _, _ in shapes], *ground):
        inertia = tuple((share * per_length).tolist())
        node = Body(section.mass_per_length * share, inertia, tuple(places[k].tolist()), tuple(frames[k].tolist()))
        bodies[k] = model.add(node, name=f"{name} {k}")

    def marker(k: int, turned: np.ndarray = UNTURNED) -> Marker:
        if k in bodies:
            return bodies[k].at(orientation=tuple(turned.tolist()))
        axes = rotation.multiply(frames[k], turned)
        return model.ground.at(places[k].tolist(), orientation=tuple(axes.tolist()))

    data: dict[str, Any] = {name: getattr(section, name) for name in ("E", "G", "A", "Iy", "Iz", "J", "shear_factor")}
    beams = []
    for k, (length, turned, curvature) in enumerate(shapes):
        beam = Beam(marker(k, turned), marker(k + 1, turned), length, **data, damping=damping, curvature=curvature)
        beams.append(model.add(beam, name=f"{name} beam {k + 1}"))
    last = len(places) - 1
    for k, body, side in ((0, start, "start"), (last, end, "end")):
        if body is not None and k in bodies:
            there = body.world(places[k].tolist(), orientation=tuple(frames[k].tolist()))
            model.add(Fixed(there, marker(k)), name=f"{name} {side}")
    return Rod(model, name, section, tuple(bodies.values()), tuple(beams), marker(0), marker(last))


def _frames(along: np.ndarray, y: Vector | None, name: str) -> np.ndarray:
    """Euler parameters of the nodes: x along the rod, each turned from the previous one without rotation about x."""
    if y is not None:
        first = rotation.from_axes(
            x=along[0], y=check.vector(y, 3, f"y of rod '{name}'"), what=f"the start of rod '{name}'"
        )
    elif np.hypot(along[0][0], along[0][1]) > STEEP:
        first = rotation.from_axes(x=along[0], y=(-along[0][1], along[0][0], 0.0))
    else:
        first = rotation.from_axes(x=along[0], y=(0.0, 1.0, 0.0))
    found = [np.asarray(first)]
    for before, after in zip(along[:-1], along[1:], strict=True):
        found.append(rotation.multiply(_swing(before, after, name), found[-1]))
    return np.array(found)


def _swing(before: np.ndarray, after: np.ndarray, name: str = "") -> np.ndarray:
    """Euler parameters of the rotation from one unit vector to another about their common normal."""
    cosine = 1.0 + before @ after
    if cosine < 1e-6:
        raise ModelError(f"rod '{name}' turns back on itself between two nodes; use more elements or other points")
    p = np.concatenate([[cosine], np.cross(before, after)])
    return np.asarray(p / np.linalg.norm(p))


def _helix(places: np.ndarray, frames: np.ndarray) -> tuple[float, np.ndarray, tuple[float, ...]]:
    """Length and curvature of the helix between two nodes, and the rotation from the axes of both to its direction."""
    back = rotation.inverse(frames[0])
    theta = rotation.rotation_vector(rotation.multiply(back, frames[1]))
    u = rotation.tangent_inverse(theta).T @ rotation.rotate(back, places[1] - places[0])
    length = float(np.linalg.norm(u))
    turned = _swing(np.array([1.0, 0.0, 0.0]), u / length)
    if np.abs(turned[1:]).max() < 1e-13:
        turned = UNTURNED
    bent = rotation.rotate(rotation.inverse(turned), theta) / length
    return length, turned, tuple(bent.tolist())
