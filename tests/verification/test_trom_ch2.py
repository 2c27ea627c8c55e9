"""Trom, chapter 2: velocity transformation matrices of joints.

    [v; w] = B q',      [v'; w'] = B q'' + B' q'                                                          (2.36, 2.37)

B and B' are never formed by the program: its recursions are compared with the blocks that the chapter prints, computed
from axes and points of the joints as they are stated. v is the velocity of a mass centre.
"""

from __future__ import annotations

import numpy as np
import pytest

from cardan import joint_space
from cardan.spatial import Body, Cylindrical, Model, Revolute, Spherical, Translational, Universal
from verification.manual import rounding

JOINTS = {
    "revolute": Revolute,
    "translational": Translational,
    "cylindrical": Cylindrical,
    "universal": Universal,
    "spherical": Spherical,
}


class Column:
    """A column of B: a turn or a slide about or along u at a point, with u carried by body number `carrier`, from 0."""

    def __init__(self, speed, turns, u, point, joint, carrier):
        self.speed, self.turns, self.u = speed, turns, np.array(u) / np.linalg.norm(u)
        self.point, self.joint, self.carrier = np.array(point), joint, carrier


def mechanism(kind, seed):
    """A revolute, the joint in question, and a spherical joint in series; places, axes and mass centres at random."""
    random = np.random.default_rng(seed)
    model, columns, centers = Model(kind), [], []
    before = model.ground
    for k, name in enumerate(("revolute", kind, "spherical"), start=1):
        e, place = random.standard_normal(4), random.standard_normal(3)
        center = 0.2 * random.standard_normal(3)
        body = Body(
            mass=1.0,
            inertia=(0.4, 0.5, 0.6),
            center=tuple(center.tolist()),
            position=tuple(place.tolist()),
            orientation=tuple((e / np.linalg.norm(e)).tolist()),
        )
        model.add(body, name=f"body {k}")
        z, point = random.standard_normal(3), random.standard_normal(3)
        across = np.cross(z, random.standard_normal(3))
        axes = {"z": tuple(z.tolist()), "z_b" if name == "universal" else "x": tuple(across.tolist())}
        joint = JOINTS[name].between(before, body, tuple(point.tolist()), **({} if name == "spherical" else axes))
        model.add(joint, name=f"joint {k}")
        columns += _columns(name, k, z, across, point)
        centers.append(place + turned(e) @ center)
        before = body
    return model, columns, np.array(centers)


def _columns(name, k, z, across, point):
    """Columns of the joint between bodies k - 1 and k, by Table 2.2; a ball has the axes of the world."""
    if name == "revolute":
        return [Column(f"joint {k}.angle", True, z, point, k, k)]
    if name == "translational":
        return [Column(f"joint {k}.travel", False, z, point, k, k)]
    if name == "cylindrical":
        return [
            Column(f"joint {k}.angle", True, z, point, k, k),
            Column(f"joint {k}.travel", False, z, point, k, k),
        ]
    if name == "universal":
        return [
            Column(f"joint {k}.angle_a", True, z, point, k, k - 1),
            Column(f"joint {k}.angle_b", True, -across, point, k, k),  # of the cross, as seen from body k
        ]
    return [Column(f"joint {k}.w{axis}", True, u, point, k, k) for axis, u in zip("xyz", np.eye(3), strict=True)]


def turned(e):
    e = e / np.linalg.norm(e)
    x = np.array([[0, -e[3], e[2]], [e[3], 0, -e[1]], [-e[2], e[1], 0]])
    return (e[0] ** 2 - e[1:] @ e[1:]) * np.eye(3) + 2 * np.outer(e[1:], e[1:]) + 2 * e[0] * x


def table_2_2(columns, center, body):
    """B of a body's mass centre: [u x d; u] for turns, [u; 0] for slides, of joints on the way to it."""
    B = np.zeros((6, len(columns)))
    for j, column in enumerate(columns):
        if column.joint <= body:
            B[:3, j] = np.cross(column.u, center - column.point) if column.turns else column.u
            B[3:, j] = column.u if column.turns else 0.0
    return B


def table_2_3(columns, centers, body, rates):
    """B' of a body's mass centre, each axis turned by the body that carries it."""
    spin = [np.zeros(3)] + [table_2_2(columns, centers[k], k + 1)[3:] @ rates for k in range(len(centers))]
    speed = table_2_2(columns, centers[body - 1], body)[:3] @ rates
    B = np.zeros((6, len(columns)))
    for j, column in enumerate(columns):
        if column.joint > body:
            continue
        turning = np.cross(spin[column.carrier], column.u)
        if column.turns:
            # the point rides on the body before the joint; of a cylinder any point of the axis will do
            ride = table_2_2(columns, column.point, column.joint - 1)[:3] @ rates
            d = centers[body - 1] - column.point
            B[:3, j] = np.cross(turning, d) + np.cross(column.u, speed - ride)
            B[3:, j] = turning
        else:
            B[:3, j] = turning
    return B


@pytest.mark.parametrize("kind", JOINTS)
def test_tables(record, kind):
    """Tables 2.2 and 2.3: B and B' q' of every joint, in a chain between a revolute and a spherical joint."""
    model, columns, centers = mechanism(kind, 5)
    tree = joint_space(model)
    order = [tree.speeds.index(column.speed) for column in columns]
    rates = np.random.default_rng(1).standard_normal(len(columns))
    v = np.zeros(len(columns))
    v[order] = rates
    for k in (2, 3):
        body = model[f"body {k}"]
        marker = body.at(*body.matter.center)
        J = tree.jacobian(marker, tree.q, rotation=True)[:, order]
        bent = tree.jacobian_rate(marker, tree.q, v, rotation=True)
        record(f"B of body {k}, {kind}", J, table_2_2(columns, centers[k - 1], k), rounding(), "Table 2.2")
        rate = table_2_3(columns, centers, k, rates) @ rates
        record(f"B' q' of body {k}, {kind}", bent, rate, rounding(10.0), "Table 2.3")
    record.erratum(
        "Trom, Table 2.3",
        "the first axis of a universal joint, and the first two of a spherical one given by three angles, turn with "
        "the bodies that carry them, not all with body j",
    )


def test_floating_base(record):
    """Tables 2.2 and 2.3: a floating base, [1, -d~; 0, 1], and a revolute on it."""
    random = np.random.default_rng(2)
    model = Model("floating")
    center = np.array([0.1, -0.2, 0.3])
    base = model.add(Body(mass=1.0, inertia=(0.4, 0.5, 0.6), position=(1.0, 2.0, 3.0)), name="base")
    arm = Body(mass=1.0, inertia=(0.4, 0.5, 0.6), center=tuple(center.tolist()), position=(2.0, 2.5, 2.0))
    model.add(arm, name="arm")
    z, point = random.standard_normal(3), np.array([1.5, 2.2, 2.4])
    model.add(Revolute.between(base, arm, tuple(point.tolist()), z=tuple(z.tolist())), name="hinge")
    tree = joint_space(model)
    names = ["base.vx", "base.vy", "base.vz", "base.wx", "base.wy", "base.wz", "hinge.angle"]
    order = [tree.speeds.index(name) for name in names]
    u, end = z / np.linalg.norm(z), np.array([2.0, 2.5, 2.0]) + center
    d = end - np.array([1.0, 2.0, 3.0])
    B = np.zeros((6, 7))
    B[:3, :3], B[3:, 3:6] = np.eye(3), np.eye(3)
    B[:3, 3:6] = -np.array([[0, -d[2], d[1]], [d[2], 0, -d[0]], [-d[1], d[0], 0]])
    B[:3, 6], B[3:, 6] = np.cross(u, end - point), u
    marker = model["arm"].at(*center.tolist())
    record("B of the arm", tree.jacobian(marker, tree.q, rotation=True)[:, order], B, rounding(), "Table 2.2")
    rates = random.standard_normal(7)
    v = np.zeros(7)
    v[order] = rates
    w = rates[3:6]
    speed = (B @ rates)[:3]
    ride = rates[:3] + np.cross(w, point - np.array([1.0, 2.0, 3.0]))
    bent = np.zeros((6, 7))
    gap = speed - rates[:3]
    bent[:3, 3:6] = -np.array([[0, -gap[2], gap[1]], [gap[2], 0, -gap[0]], [-gap[1], gap[0], 0]])
    turning = np.cross(w, u)
    bent[:3, 6], bent[3:, 6] = np.cross(turning, end - point) + np.cross(u, speed - ride), turning
    found = tree.jacobian_rate(marker, tree.q, v, rotation=True)
    record("B' q' of the arm", found, bent @ rates, rounding(10.0), "Table 2.3")
