"""Beams against closed forms of elastic beams (Timoshenko, Strength of Materials): small loads, but for the ring.

Deflections are about 1e-4 of the length, so that what the linear formulas leave out is about 1e-8.
"""

import math

import numpy as np
import pytest

import cardan.planar as plane
import cardan.spatial as space
from cardan import ModelError, equilibrium, simulate

L, E, G, A, IY, IZ, J = 2.0, 210e9, 81e9, 1.2e-3, 4e-7, 1e-7, 2.3e-7
LINEAR = 1e-7  # relative
SECTION = {"E": E, "G": G, "A": A, "Iy": IY, "Iz": IZ, "J": J}


def cantilever(*loads, **beam):
    """A spatial cantilever with a light tip; loads are a force and a torque on it."""
    model = space.Model("cantilever")
    tip = model.add(space.Body(1.0, (0.01, 0.01, 0.01), position=(L, 0, 0)), name="tip")
    beam = model.add(space.Beam(model.ground.at(), tip.at(), L, **(SECTION | beam)), name="beam")
    force, torque = loads
    model.add(space.Load(tip.at(), force), name="force")
    model.add(space.Torque(tip.at(), torque), name="torque")
    rest = equilibrium(model, method="newton")
    turn = [rest[space.rotation_component(model.ground.at(), tip.at(), axis)].value for axis in "xyz"]
    return np.array(rest[tip].position) - (L, 0.0, 0.0), np.array(turn), rest[beam].force


def test_tip_force_in_both_planes():
    """F L^3 / 3 E I and F L^2 / 2 E I; up along y turns about +z, up along z about -y."""
    F = 3.0
    moved, turned, force = cantilever((0.0, F, 0.0), (0.0, 0.0, 0.0))
    assert moved[1] == pytest.approx(F * L**3 / (3 * E * IZ), rel=LINEAR)
    assert turned[2] == pytest.approx(F * L**2 / (2 * E * IZ), rel=LINEAR)
    assert 2.0 * force[3] / L == pytest.approx(-F, rel=1e-6)  # the shear force, along b's axes
    assert force[2] - force[3] == pytest.approx(F * L, rel=LINEAR)  # the moment at the root
    moved, turned, _ = cantilever((0.0, 0.0, F), (0.0, 0.0, 0.0))
    assert moved[2] == pytest.approx(F * L**3 / (3 * E * IY), rel=LINEAR)
    assert turned[1] == pytest.approx(-F * L**2 / (2 * E * IY), rel=LINEAR)


def test_end_moments_and_axial_force():
    T = (0.0, 0.0, 2.0)
    moved, turned, force = cantilever((0.0, 0.0, 0.0), T)
    assert moved[1] == pytest.approx(2.0 * L**2 / (2 * E * IZ), rel=LINEAR)
    assert turned[2] == pytest.approx(2.0 * L / (E * IZ), rel=LINEAR)
    assert force[2] == pytest.approx(2.0, rel=1e-9) and abs(force[3]) < 1e-6
    moved, turned, force = cantilever((1000.0, 0.0, 0.0), (5.0, 0.0, 0.0))
    assert moved[0] == pytest.approx(1000.0 * L / (E * A), rel=LINEAR)
    assert turned[0] == pytest.approx(5.0 * L / (G * J), rel=LINEAR)
    assert force[:2] == pytest.approx([1000.0, 5.0], rel=1e-9)


def test_shear_of_a_short_beam():
    """Timoshenko: F L^3 / 3 E I + F L / kappa G A, each axis with its own factor."""
    F, thick = 1e4, {"Iy": 4e-3, "Iz": 1e-3, "A": 0.1, "shear_factor": (5 / 6, 0.5)}
    moved, turned, _ = cantilever((0.0, F, 0.0), (0.0, 0.0, 0.0), **thick)
    assert moved[1] == pytest.approx(F * L**3 / (3 * E * 1e-3) + F * L / (5 / 6 * G * 0.1), rel=LINEAR)
    assert turned[2] == pytest.approx(F * L**2 / (2 * E * 1e-3), rel=LINEAR)
    moved, _, _ = cantilever((0.0, 0.0, F), (0.0, 0.0, 0.0), **thick)
    assert moved[2] == pytest.approx(F * L**3 / (3 * E * 4e-3) + F * L / (0.5 * G * 0.1), rel=LINEAR)


def flat_chain(count, length, start, angles, mass=1.0, inertia=1.0, **beam):
    """Beams in a row from ground, each ending in a body."""
    model = plane.Model("chain")
    nodes, root = [], model.ground.at()
    for k in range(count):
        node = plane.Body(mass, inertia, position=tuple(start[k]), angle=float(angles[k]))
        nodes.append(model.add(node, name=f"node {k}"))
        model.add(plane.Beam(root, nodes[-1].at(), length / count, **beam), name=f"beam {k}")
        root = nodes[-1].at()
    return model, nodes


@pytest.mark.parametrize("shear", [{}, {"G": G, "shear_factor": 0.85}])
def test_plane_cantilever_from_either_end(shear):
    """The same with a and b exchanged: the free x axes then point backwards."""
    F, stated = 3.0, {"E": E, "A": A, "I": IZ, **shear}
    expected = F * L**3 / (3 * E * IZ) + (F * L / (0.85 * G * A) if shear else 0.0)
    for swapped in (False, True):
        model = plane.Model("m")
        tip = model.add(plane.Body(1.0, 0.01, position=(L, 0.0)), name="tip")
        ends = [model.ground.at(angle=math.pi * swapped), tip.at(angle=math.pi * swapped)]
        model.add(plane.Beam(*(reversed(ends) if swapped else ends), L, **stated), name="beam")
        model.add(plane.Load(tip.at(), (0.0, F)), name="force")
        assert equilibrium(model, method="newton")[tip].position[1] == pytest.approx(expected, rel=LINEAR)


def test_end_moment_bends_a_chain_into_a_ring():
    """M = 2 pi E I / L: each of n beams is an n-th of a circle of radius L / 2 pi, which closes exactly."""
    n, length = 12, 3.0
    M = 2.0 * math.pi * E * IZ / length
    turns = 2.0 * math.pi / n * np.arange(1, n + 1)
    corners = length / (2.0 * math.pi) * np.stack([np.sin(turns), 1.0 - np.cos(turns)], axis=1)
    shaken = corners + 0.01 * np.random.default_rng(1).uniform(-1, 1, corners.shape)
    model, nodes = flat_chain(n, length, shaken, 0.97 * turns, E=E, A=A, I=IZ)
    model.add(plane.Torque(nodes[-1].at(), M), name="moment")
    rest = equilibrium(model, method="newton")
    assert rest[nodes[-1]].angle == pytest.approx(2.0 * math.pi, rel=1e-9)
    assert np.abs(rest[nodes[-1]].position).max() < 1e-8 * length
    assert np.array([rest[node].position for node in nodes]) == pytest.approx(corners, abs=1e-8)


def frequency(count):
    """The first frequency of a cantilever of lumped masses, from the motion of its first shape after release."""
    beta, density, length = 1.875104068711961, 8.0, 1.0
    stiffness = 50.0  # E I
    x = length * np.arange(1, count + 1) / count
    ratio = (math.cosh(beta) + math.cos(beta)) / (math.sinh(beta) + math.sin(beta))
    shape = np.cosh(beta * x) - np.cos(beta * x) - ratio * (np.sinh(beta * x) - np.sin(beta * x))
    slope = beta * (np.sinh(beta * x) + np.sin(beta * x) - ratio * (np.cosh(beta * x) - np.cos(beta * x)))
    model = plane.Model("cantilever")
    nodes, root = [], model.ground.at()
    for k in range(count):
        mass = density / count * (0.5 if k == count - 1 else 1.0)
        body = plane.Body(mass, mass / count**2 / 12.0, position=(x[k], 1e-5 * shape[k]), angle=1e-5 * slope[k])
        nodes.append(model.add(body, name=f"node {k}"))
        beam = plane.Beam(root, nodes[-1].at(), length / count, E=5e4, A=0.1, I=stiffness / 5e4)
        model.add(beam, name=f"beam {k}")
        root = nodes[-1].at()
    exact = beta**2 * math.sqrt(stiffness / density)
    run = simulate(model, 2.2 * math.pi / exact, output=0.002, rtol=1e-9)
    weight = np.array([node.mass for node in nodes]) * shape  # other shapes are nearly orthogonal to it
    first = sum(w * run[node].position[:, 1] for w, node in zip(weight, nodes, strict=True))
    down = np.flatnonzero(np.diff(np.sign(first)))
    crossing = [run.times[i] + 0.002 * first[i] / (first[i] - first[i + 1]) for i in down]
    return math.pi / (crossing[1] - crossing[0]) / exact


def test_first_frequency_of_a_chain_converges():
    """beta L = 1.875104: lumped masses are off by a share of (1/n)^2, which 8 and 16 of them tell from the limit."""
    coarse, fine = (frequency(count) - 1.0 for count in (8, 16))
    assert coarse / fine == pytest.approx(4.0, rel=0.03)
    assert (4.0 * fine - coarse) / 3.0 == pytest.approx(0.0, abs=1e-4)  # the next term, (1/n)^4, is 2e-4 of 8


def test_damping_of_the_material():
    """A free oscillation dies as exp(-damping k t / 2 m), k = 3 E I / L^3 of a tip that can turn."""
    stiffness, damping, mass = 3.0 * 50.0, 2e-3, 0.5
    model = plane.Model("m")
    tip = model.add(plane.Body(mass, 1e-7, position=(1.0, 1e-3), angle=1.5e-3), name="tip")
    model.add(plane.Beam(model.ground.at(), tip.at(), 1.0, E=5e4, A=0.1, I=1e-3, damping=damping), name="beam")
    run = simulate(model, 2.0, output=0.05, rtol=1e-8)
    decay, omega = 0.5 * damping * stiffness / mass, math.sqrt(stiffness / mass)
    swing = math.sqrt(omega**2 - decay**2)
    exact = np.exp(-decay * run.times) * (np.cos(swing * run.times) + decay / swing * np.sin(swing * run.times))
    assert run[tip].position[:, 1] == pytest.approx(1e-3 * exact, abs=1e-8)  # rtol; bending by 1e-3 adds 1e-9
    assert run.energy.drift < 1e-4  # of energies that are squares of displacements known to 1e-5


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"length": 0.0}, "length of Beam 'b' must be positive"),
        ({"E": -1.0}, "E of Beam 'b' must be positive"),
        ({"G": 1.0}, "needs both G and shear_factor"),
        ({"damping": -0.1}, "damping of Beam 'b' must not be negative"),
        ({"I": float("inf")}, "must be finite"),
    ],
)
def test_rejected(stated, message):
    model = plane.Model("m")
    body = model.add(plane.Body(1.0, 1.0), name="body")
    with pytest.raises(ModelError, match=message):
        beam = plane.Beam(model.ground.at(), body.at(), **({"length": 1.0, "E": 1.0, "A": 1.0, "I": 1.0} | stated))
        model.add(beam, name="b")


def test_columns_of_tables():
    model = space.Model("m")
    tip = model.add(space.Body(1.0, (1.0, 1.0, 1.0), position=(L, 0, 0)), name="tip")
    model.add(space.Beam(model.ground.at(), tip.at(), L, **SECTION), name="beam")
    columns = [name for name in simulate(model, 0.01, output=0.01).table() if name.startswith("beam")]
    parts = ("axial", "torque", "moment z", "end moment z", "moment y", "end moment y")
    assert columns == [f"beam.{part}" for part in parts]


def test_rejected_in_space():
    model = space.Model("m")
    body = model.add(space.Body(1.0, (1.0, 1.0, 1.0)), name="body")
    with pytest.raises(ModelError, match="the shear_factor of Beam 'b' must be one number or two"):
        model.add(space.Beam(model.ground.at(), body.at(), 1.0, **SECTION, shear_factor=(1, 2, 3)), name="b")
    with pytest.raises(ModelError, match="J of Beam 'b' must be positive"):
        model.add(space.Beam(model.ground.at(), body.at(), 1.0, **(SECTION | {"J": 0.0})), name="b")
