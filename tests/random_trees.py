"""Random mechanisms in space: trees on joints of all kinds, and such with a loop."""

import numpy as np

from cardan import spatial as space

JOINTS = (
    space.Revolute,
    space.Translational,
    space.Cylindrical,
    space.Spherical,
    space.Universal,
    space.Planar,
    space.Fixed,
    space.Screw,
)


def tensor(random):
    spread = random.standard_normal((3, 3))
    second = 0.1 * spread @ spread.T
    return np.trace(second) * np.eye(3) - second


def random_mechanism(seed, loop=False):
    """A tree of bodies anywhere in space, on joints of all kinds stated either way round, with a spring; or with a rod
    between two of its bodies that closes a loop."""
    random = np.random.default_rng(seed)
    model = space.Model(f"tree {seed}", gravity=(0.3, 0.1, -9.81))
    bodies = [model.ground]
    for k in range(6):
        parent = bodies[random.integers(max(0, k - 1), k + 1)]
        place, e = random.standard_normal(3), random.standard_normal(4)
        matter = {"mass": random.uniform(0.5, 2.0), "inertia": tensor(random)}
        center = tuple(0.1 * random.standard_normal(3))
        body = space.Body(**matter, center=center, position=tuple(place), orientation=e / np.linalg.norm(e))
        model.add(body, name=f"body {k}")
        kind = JOINTS[random.integers(len(JOINTS))]
        z = random.standard_normal(3)
        x = np.cross(z, random.standard_normal(3))
        axes = {"z": tuple(z), "z_b" if kind is space.Universal else "x": tuple(x)}
        stated = {} if kind is space.Spherical else axes
        if kind is space.Screw:
            stated = {**axes, "pitch": 0.3}
        ends = (parent, body) if random.integers(2) else (body, parent)
        model.add(kind.between(*ends, tuple(place + 0.2 * random.standard_normal(3)), **stated), name=f"joint {k}")
        bodies.append(body)
    spring = space.length(model.ground.at(1.0, 2.0, 3.0), bodies[-1].at(0.1, 0.0, 0.2))
    model.add(space.Spring(spring, stiffness=50.0, damping=3.0, rest_length=1.0), name="spring")
    if loop:
        a, b = bodies[1].at(0.2, 0.1, 0.0), bodies[-1].at(0.0, 0.3, 0.1)
        places = [np.array(m.body.position) + rotation_of(m.body) @ np.array(m.place) for m in (a, b)]
        model.add(space.Distance(a, b, float(np.linalg.norm(places[1] - places[0]))), name="rod")
    return model


def rotation_of(body):
    return space.rotation.matrix(np.array(body.parameters))
