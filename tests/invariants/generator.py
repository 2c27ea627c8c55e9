"""Random mechanisms for the invariants: chains, trees and closed loops, in the plane and in space.

    mechanism = random_mechanism(seed)      the same seed gives the same mechanism
    mechanism.model                         a fresh model
    mechanism.driven                        whether drivers prescribe every degree of freedom
    mechanism.equipment                     kinds of `equipment` that one in three mechanisms has

A mechanism grows body by body. Every joint is placed where its bodies stand, so a loop closes as stated. What varies:
body frames are placed and rotated at random; joints are stated in either order; some joints are doubled, which makes
their constraints redundant; some bodies carry springs, dampers, torsion springs or loads. Friction, stops
and contacts are left to the catalogs; `equipment` has point masses, junctions, tooth forces, bearings, cams,
second-order devices, motion programs and flexible bodies.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import cardan.planar as plane
import cardan.spatial as space
from invariants.equipment import put_on

PLANAR_JOINTS = (plane.Revolute, plane.Revolute, plane.Revolute, plane.Translational, plane.Fixed)
SPATIAL_JOINTS = (
    space.Revolute,
    space.Revolute,
    space.Translational,
    space.Cylindrical,
    space.Spherical,
    space.Universal,
    space.Screw,
    space.Fixed,
)


@dataclass(frozen=True)
class Mechanism:
    """A random model, and what was put into it."""

    model: Any
    driven: bool
    doubled: tuple[str, ...]  # joints that are stated twice
    loops: int
    equipment: tuple[str, ...] = ()  # kinds of equipment


def random_mechanism(
    seed: int, spatial: bool | None = None, driven: bool | None = None, equipped: bool | None = None
) -> Mechanism:
    """The mechanism of a seed; `spatial`, `driven` and `equipped` fix what is otherwise chosen at random."""
    random = np.random.default_rng(seed)
    in_space, prescribed = bool(random.integers(2)), bool(random.integers(2))
    in_space = in_space if spatial is None else spatial
    prescribed = prescribed if driven is None else driven
    kind = _Spatial if in_space else _Planar
    grown = kind(random, f"random {seed}")
    mechanism = grown.grow(prescribed)
    if prescribed and not mechanism.driven:  # its joints offer too few coordinates to drive, or a loop locks it
        grown = kind(np.random.default_rng(seed), f"random {seed}")
        mechanism = grown.grow(False)
    equips = bool(np.random.default_rng([seed, 3]).integers(3) == 0) if equipped is None else equipped
    return replace(mechanism, equipment=put_on(grown, seed, mechanism.driven)) if equips else mechanism


class _Growing:
    """What both spaces share: a list of bodies in exact places, and the elements between them."""

    words: Any
    dimensions: int

    def __init__(self, random: np.random.Generator, name: str) -> None:
        self.random = random
        gravity = (0.0, -9.81) if self.dimensions == 2 else (0.3, 0.1, -9.81)
        self.model = self.words.Model(name, gravity=gravity)
        self.bodies = [self.model.ground]
        self.hinges: list[Any] = []  # revolute joints of the tree
        self.coordinates: list[tuple[Any, float]] = []  # measures that drivers may take, with their values as stated
        self.doubled: list[str] = []

    def grow(self, driven: bool) -> Mechanism:
        random = self.random
        for _ in range(int(random.integers(1, 6))):
            self.attach(self.bodies[int(random.integers(max(0, len(self.bodies) - 2), len(self.bodies)))])
        loops = int(random.integers(0, 3)) if len(self.bodies) > 2 else 0
        for k in range(loops):
            self.close(k)
        drives = driven and self.drive(loops)
        for k in range(int(random.integers(0, 3))):
            self.load(k)
        return Mechanism(self.model, drives, tuple(self.doubled), loops)

    def point(self) -> np.ndarray:
        return self.random.uniform(-1.0, 1.0, self.dimensions)

    def pair(self, a: Any, b: Any) -> tuple[Any, Any]:
        return (a, b) if self.random.integers(2) else (b, a)

    def join(self, joint: Any, name: str, twice: Any = None) -> Any:
        added = self.model.add(joint, name=name)
        if twice is not None and self.random.random() < 0.15:
            self.model.add(twice, name=f"{name} again")
            self.doubled.append(name)
        return added

    def attach(self, parent: Any) -> None:
        raise NotImplementedError

    def close(self, k: int) -> None:
        """A rod between two bodies, of the length that fits."""
        one, two = self.random.choice(len(self.bodies), 2, replace=False)
        a, b = self.bodies[int(one)], self.bodies[int(two)]
        at, to = self.point(), self.point() + 1.5
        self.join(self.words.Distance(self.on(a, at), self.on(b, to), float(np.linalg.norm(to - at))), f"rod {k}")

    def drive(self, loops: int) -> bool:
        """Drive coordinates of joints, one fewer for each loop; whether that prescribes every degree of freedom."""
        from cardan import CardanError, mobility

        for k, (measure, start) in enumerate(self.coordinates[: max(0, len(self.coordinates) - loops)]):
            ramp = self.words.Ramp(self.random.uniform(-0.8, 0.8), start=start)
            self.model.add(self.words.Driver(measure, ramp), name=f"motor {k}")
        try:
            report = mobility(self.model)
        except CardanError:
            return False
        return report.undriven == 0 and not report.redundant_drivers

    def load(self, k: int) -> None:
        """A force between two bodies that are not the same."""
        words, random = self.words, self.random
        one, two = random.choice(len(self.bodies), 2, replace=False)
        a, b = self.bodies[int(one)], self.bodies[int(two)]
        kind = random.integers(3)
        if kind == 0 and self.hinges:
            hinge = self.hinges[int(random.integers(len(self.hinges)))]
            stated = {"stiffness": random.uniform(1.0, 50.0), "damping": random.uniform(0.0, 1.0)}
            self.model.add(
                words.Spring(hinge.angle, **stated, rest_angle=random.uniform(-1.0, 1.0)), name=f"torsion {k}"
            )
        elif kind == 1 and b is not self.model.ground:
            self.model.add(
                words.Load(self.on(b, self.point()), tuple(random.uniform(-5.0, 5.0, self.dimensions))),
                name=f"load {k}",
            )
        else:
            reach = words.length(self.on(a, self.point()), self.on(b, self.point() + 2.0))
            stated = {"stiffness": random.uniform(5.0, 200.0), "damping": random.uniform(0.0, 5.0)}
            self.model.add(words.Spring(reach, **stated, rest_length=random.uniform(0.5, 2.0)), name=f"spring {k}")


class _Planar(_Growing):
    words = plane
    dimensions = 2

    def attach(self, parent: Any) -> None:
        random, k = self.random, len(self.bodies)
        place, phi = self.point(), random.uniform(-math.pi, math.pi)
        body = plane.Body(
            mass=random.uniform(0.5, 2.0),
            inertia=random.uniform(0.05, 0.3),
            position=tuple(place),
            angle=phi,
            center=tuple(random.uniform(-0.1, 0.1, 2)),
        )
        self.bodies.append(self.model.add(body, name=f"body {k}"))
        kind = PLANAR_JOINTS[int(random.integers(len(PLANAR_JOINTS)))]
        a, b = self.pair(parent, body)
        at, along = self.point(), random.uniform(-math.pi, math.pi)
        ends = (self.on(a, at, along), self.on(b, at, along))
        joint = self.join(kind(*ends), f"joint {k}", twice=kind(*ends))
        if kind is plane.Revolute:
            self.hinges.append(joint)
            self.coordinates.append((joint.angle, self.angle_of(joint)))
        elif kind is plane.Translational:
            self.coordinates.append((joint.travel, 0.0))

    def on(self, body: Any, point: np.ndarray, along: float = 0.0) -> Any:
        """The marker of a body at a point and direction of the world."""
        if body is self.model.ground:
            return body.at(*point, along)
        c, s = math.cos(body.angle), math.sin(body.angle)
        dx, dy = point - np.asarray(body.position)
        return body.at(c * dx + s * dy, -s * dx + c * dy, along - body.angle)

    def angle_of(self, hinge: Any) -> float:
        ends = [
            marker.angle + (0.0 if marker.body is self.model.ground else marker.body.angle)
            for marker in (hinge.a, hinge.b)
        ]
        return ends[1] - ends[0]


class _Spatial(_Growing):
    words = space
    dimensions = 3

    def attach(self, parent: Any) -> None:
        random, k = self.random, len(self.bodies)
        spread = random.standard_normal((3, 3))
        second = 0.1 * spread @ spread.T
        e = random.standard_normal(4)
        body = space.Body(
            mass=random.uniform(0.5, 2.0),
            inertia=np.trace(second) * np.eye(3) - second,
            position=tuple(self.point()),
            orientation=e / np.linalg.norm(e),
            center=tuple(random.uniform(-0.1, 0.1, 3)),
        )
        self.bodies.append(self.model.add(body, name=f"body {k}"))
        kind = SPATIAL_JOINTS[int(random.integers(len(SPATIAL_JOINTS)))]
        a, b = self.pair(parent, body)
        at, z = self.point(), random.standard_normal(3)
        x = np.cross(z, random.standard_normal(3))
        stated = {"z": tuple(z), "z_b" if kind is space.Universal else "x": tuple(x)}
        if kind is space.Spherical:
            stated = {}
        if kind is space.Screw:
            stated["pitch"] = 0.3
        joints = [kind.between(a, b, tuple(at), **stated) for _ in range(2)]
        joint = self.join(joints[0], f"joint {k}", twice=joints[1])
        if kind is space.Revolute:
            self.hinges.append(joint)
        if kind in (space.Revolute, space.Cylindrical):
            self.coordinates.append((joint.angle, 0.0))  # `between` gives both markers the same axes
        if kind in (space.Translational, space.Cylindrical, space.Screw):
            self.coordinates.append((joint.travel, 0.0))

    def on(self, body: Any, point: np.ndarray) -> Any:
        return body.world(tuple(point))
