"""Random trees of rigid and flexible bodies, in the plane and in space, some with a loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan import assemble, planar as plane, spatial as space
from flexible_parts import Points
from random_trees import tensor

SPATIAL = (space.Revolute, space.Translational, space.Cylindrical, space.Spherical, space.Universal, space.Fixed)
PLANAR = (plane.Revolute, plane.Translational, plane.Fixed)
ENDS = ("first", "second")


def random_flexible_tree(seed: int, spatial: bool, bodies: int = 4, loop: bool = False) -> Any:
    """Bodies on joints stated either way round, at interfaces and at rigid points, deformed and moving.

    The first two bodies are flexible; among the others, one in two. Joints are stated in the position in which they are
    closed, so that deformed bodies of the tree are where their joints place them.
    """
    random = np.random.default_rng(seed)
    library: Any = space if spatial else plane
    gravity = (0.3, 0.1, -9.81) if spatial else (0.3, -9.81)
    model = library.Model(f"flexible tree {seed}", gravity=gravity)
    placed: list[Any] = [model.ground]
    for k in range(bodies):
        parent = placed[int(random.integers(max(0, k - 1), k + 1))]
        body = _body(library, random, flexible=k < 2 or bool(random.integers(2)))
        model.add(body, name=f"body {k}")
        near, far = _marker(parent, random), _marker(body, random)
        ends = (near, far) if random.integers(2) else (far, near)
        kinds = SPATIAL if spatial else PLANAR
        model.add(kinds[int(random.integers(len(kinds)))](*ends), name=f"joint {k}")
        placed.append(body)
    tip = _marker(placed[-1], random)
    anchor = model.ground.at(1.0, 2.0, 3.0) if spatial else model.ground.at(1.0, 2.0)
    spring = library.length(anchor, tip)
    model.add(library.Spring(spring, stiffness=50.0, damping=3.0, rest_length=1.0), name="spring")
    if loop:
        start = assemble(model)
        pairs = [(placed[1].at(a), placed[2].at(b)) for a in ENDS for b in ENDS]
        lengths = [float(start[library.length(*pair)].value) for pair in pairs]  # joints may have joined two ends
        longest = int(np.argmax(lengths))
        model.add(library.Distance(*pairs[longest], lengths[longest]), name="rod")
    return model


def _body(library: Any, random: np.random.Generator, flexible: bool) -> Any:
    spatial = library is space
    if flexible:
        points = Points(int(random.integers(1000)), stiffened=bool(random.integers(2)), flat=not spatial)
        count = points.part.modes
        moving = {"deformation": 0.1 * random.normal(size=count), "deformation_rate": 0.3 * random.normal(size=count)}
        return library.FlexibleBody(points.part, **moving)
    inertia = tensor(random) if spatial else float(random.uniform(0.1, 0.5))
    center = tuple(0.1 * random.normal(size=3 if spatial else 2))
    return library.Body(mass=float(random.uniform(0.5, 2.0)), inertia=inertia, center=center)


def _marker(body: Any, random: np.random.Generator) -> Any:
    """An interface, or a point of a rigid body; axes turned at random."""
    spatial = len(body.position) == 3
    turned = {"z": tuple(random.normal(size=3))} if spatial else {"angle": float(random.normal())}
    if body.modal_coordinates:
        return body.at(ENDS[int(random.integers(2))], **turned)
    return body.at(*random.normal(size=len(body.position)).tolist(), **turned)
