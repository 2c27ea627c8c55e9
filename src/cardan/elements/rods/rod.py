r"""Rods: chains of node bodies and beams along a curve. Common part of `add_rod` in the plane and in space.

0       1       2       3          nodes: bodies with the mass of half of each adjacent element,
o=======o=======o=======o          axes x along the rod
 beam 1  beam 2  beam 3            beams that are free of stress as laid
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.elements.forces.load import FRAMES, Load
from cardan.elements.rods.section import Section
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.marker import Marker

COINCIDENT = 1e-9  # of the length: points so near are the same


@dataclass(frozen=True, eq=False)
class Rod:
    """The elements of a rod: `nodes` are its bodies, `beams` lie between them, `start` and `end` are markers at its
    ends, with x axes along it.

    If an end is clamped to ground, its marker is on ground and it has no node.
    """

    model: Any
    name: str
    section: Section
    nodes: tuple[Any, ...]
    beams: tuple[Any, ...]
    start: Marker
    end: Marker

    @property
    def length(self) -> float:
        """The length along the undeformed rod."""
        return float(sum(beam.length for beam in self.beams))

    @property
    def mass(self) -> float:
        """The mass of all nodes."""
        return float(sum(node.mass for node in self.nodes))

    def add_load(self, force: Sequence[float], frame: str = "global") -> tuple[Load, ...]:
        """Add a force per length along the rod, in global axes or, with frame="body", in the axes of the nodes, which
        it follows. Each node carries the load of half of each adjacent element."""
        check.choice(frame, FRAMES, f"the frame of a load on rod '{self.name}'")
        size = len(self.start.place)
        along = np.array(check.vector(force, size, f"the force per length on rod '{self.name}'"))
        found = []
        for k, node in enumerate(self.nodes):
            share = 0.5 * sum(beam.length for beam in self.beams if node in (beam.a.body, beam.b.body))
            load = Load(node.at(), tuple((share * along).tolist()), frame)
            found.append(self.model.add(load, name=self._free(f"{self.name} load {k}")))
        return tuple(found)

    def forces(self, result: Any) -> np.ndarray:
        """The section forces of all beams: [..., beam, component], components as those of `result[beam].force`."""
        return np.stack([np.asarray(result[beam].force) for beam in self.beams], axis=-2)

    def positions(self, result: Any) -> np.ndarray:
        """The positions of all nodes in a result: [..., node, axis]."""
        return np.stack([np.asarray(result[node].position) for node in self.nodes], axis=-2)

    def _free(self, name: str) -> str:
        k = 2
        free = name
        while free in self.model:
            free, k = f"{name} ({k})", k + 1
        return free

    def __repr__(self) -> str:
        return f"<rod '{self.name}': {len(self.nodes)} nodes, {len(self.beams)} beams, {self.length:g} m>"


def node_points(points: Any, size: int, elements: int | None, name: str) -> np.ndarray:
    """The places of nodes: the points, or as many as it takes at equal distances along a smooth curve through them."""
    what = f"the points of rod '{name}'"
    if check.shape(points)[1:] != (size,) or len(points) < 2:
        raise ModelError(
            f"{what} must be two or more points of {size} coordinates each, got {check.short_repr(points)}"
        )
    given = np.array([check.vector(point, size, what) for point in points])
    steps = np.linalg.norm(np.diff(given, axis=0), axis=1)
    if not np.all(steps > COINCIDENT * steps.sum()):
        k = int(np.argmin(steps))
        raise ModelError(f"points {k} and {k + 1} of rod '{name}' coincide, at {given[k].tolist()}; remove one of them")
    if elements is None:
        return given
    count = check.count(elements, f"elements of rod '{name}'")
    if len(given) == 2:
        return given[0] + np.linspace(0.0, 1.0, count + 1)[:, None] * (given[1] - given[0])
    from scipy.interpolate import CubicSpline  # slow to import

    curve = CubicSpline(np.concatenate([[0.0], np.cumsum(steps)]), given)
    fine = np.linspace(curve.x[0], curve.x[-1], 1 + 200 * max(len(given), count))
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(curve(fine), axis=0), axis=1))])
    found: np.ndarray = curve(np.interp(np.linspace(0.0, along[-1], count + 1), along, fine))
    return found


def directions(points: np.ndarray) -> np.ndarray:
    """Unit tangents at points: those of the circle through a point and its two neighbors.

    With the chords d and e before and after a point it is d / |d|^2 + e / |e|^2; at an end it is the neighbor's,
    reflected at the chord.
    """
    chords = np.diff(points, axis=0)
    scaled = chords / np.sum(chords**2, axis=1)[:, None]
    inner = _unit(scaled[:-1] + scaled[1:])
    if not len(inner):
        return np.repeat(_unit(chords), 2, axis=0)
    first, last = _unit(chords[:1])[0], _unit(chords[-1:])[0]
    start, end = (2.0 * (t @ n) * n - t for t, n in ((inner[0], first), (inner[-1], last)))
    return np.concatenate([[start], inner, [end]])


def attached(body: Any, model: Any, what: str) -> bool:
    """Whether an end is clamped to a body of the model; reject anything else."""
    if body is None:
        return False
    if not isinstance(body, model.body_type) or body not in model:
        raise ModelError(f"{what} must be a body of model '{model.name}', got {check.describe(body)}")
    return True


def pieces(lengths: Sequence[float], start: bool, end: bool) -> list[tuple[int, float]]:
    """The number of each node that is a body and the length whose mass it has; ends on ground are left out."""
    shares = 0.5 * (np.append(0.0, lengths) + np.append(lengths, 0.0))
    return [(k, float(shares[k])) for k in range(start, len(shares) - end)]


def checked(model: Any, kind: type, name: Any, section: Any, where: str) -> str:
    """Reject a wrong model, name or section; returns the name."""
    check.instance(model, kind, f"the model of {where}")
    check.text(name, f"the name of {where}")
    check.instance(
        section, Section, f"the section of {where}", hint="for example Section.circle(0.01, E=..., density=...)"
    )
    if f"{name} 0" in model or f"{name} 1" in model:
        raise ModelError(f"model '{model.name}' already has a rod called '{name}'; choose another name")
    return str(name)


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
