"""Rotors that joints turn: equal to rotors on ground that couplers tie to the joints, which have coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cardan import (
    ModelError,
    equilibrium,
    gradient,
    inverse_dynamics,
    joint_space,
    linearize,
    load_model,
    planar,
    save_model,
    simulate,
    spatial,
    symbolic_equations,
)
from cardan.analysis.linear.slopes import rotor_slopes
from cardan.model.space import advance, inertia_forces
from cardan.system.cartesian.masses import mass_matrix
from cardan.system.compile import compile

INERTIA = (0.3, 0.7, 0.2, 0.5)
SLIDING = 2  # the joint that slides
NAMES = ("planar", "spatial")


def chain(space: str, rotors: str, springs: bool = False) -> Any:
    """Three hinges and a slide between them, with rotors as `elements`, as `bodies`, or without any."""
    if space == "planar":
        lib = planar
        model = lib.Model("chain")
        before = model.ground.at(0.3, -0.2, angle=0.4)
    else:
        lib = spatial
        model = lib.Model("chain")
        before = model.ground.at(0.1, 0.2, 0.3, orientation=(0.5, 0.5, 0.5, 0.5))
    for k, J in enumerate(INERTIA):
        name = f"b{k}"
        if space == "planar":
            body = model.add(lib.Body(mass=1.0 + k, inertia=0.2, center=(0.1, 0.05)), name=name)
            inner, outer = body.at(0.1, 0.2, angle=0.3), body.at(0.4, 0.1, angle=0.2 * k)
        else:
            body = model.add(lib.Body(mass=1.0 + k, inertia=(0.1, 0.2, 0.25), center=(0.1, 0.05, 0.2)), name=name)
            odd = k % 2
            inner = body.at(0.05, -0.1, 0.0, orientation=(0.8, 0.6 * odd, 0.6 * (1 - odd), 0.0))
            outer = body.at(0.4, 0.1, 0.2, orientation=(0.6, 0.0, 0.8 * odd, 0.8 * (1 - odd)))
        kind = lib.Translational if k == SLIDING else lib.Revolute
        joint = model.add(kind(before, inner), name=f"j{k}")
        z = joint.travel if k == SLIDING else joint.angle
        if rotors == "elements":
            model.add(lib.Armature(z, J), name=f"rotor{k}")
        elif rotors == "bodies":
            moments = J if space == "planar" else (J / 2.0, J / 2.0, J)
            wheel = model.add(lib.Body(mass=0.0, inertia=moments), name=f"wheel{k}")
            bearing = model.add(lib.Revolute(model.ground.at(), wheel.at()), name=f"bearing{k}")
            model.add(lib.Coupler(bearing.angle - z), name=f"tie{k}")
        if springs:
            rest = {"rest_length": 0.3} if k == SLIDING else {"rest_angle": 0.2}
            model.add(lib.Spring(z, 50.0 * (k + 1), 1.0, **rest), name=f"spring{k}")
        before = outer
    return model


@pytest.mark.parametrize("space", NAMES)
@pytest.mark.parametrize("coordinates", ["joint", "cartesian"])
def test_motion_is_that_of_a_rotor_on_ground(space: str, coordinates: str) -> None:
    runs = [simulate(chain(space, how), 0.5, rtol=1e-10, coordinates=coordinates) for how in ("elements", "bodies")]
    for name in ("b1", "b3"):
        ours, theirs = (run[name].position[-1] for run in runs)
        assert ours == pytest.approx(theirs, abs=3e-8)  # the tolerance of two runs
    ours, theirs = (run.energy.kinetic[-1] for run in runs)
    assert ours == pytest.approx(theirs, rel=1e-7)
    assert runs[0].energy.drift < 1e-7
    assert len(runs[0].model.bodies) == 4


@pytest.mark.parametrize("space", NAMES)
def test_loads_of_a_driven_motion(space: str) -> None:
    lib = planar if space == "planar" else spatial
    runs = []
    for how in ("elements", "bodies"):
        model = chain(space, how)
        for k in range(4):
            z = model[f"j{k}"].travel if k == SLIDING else model[f"j{k}"].angle
            motion = lib.Polynomial(0.1 * k + 0.1, 0.5 + 0.3 * k, 0.7 - 0.4 * k)
            model.add(lib.Driver(z, motion), name=f"drive{k}")
        runs.append(inverse_dynamics(model, [0.0, 0.3]))
    for k in range(4):
        assert runs[0][f"drive{k}"].force == pytest.approx(runs[1][f"drive{k}"].force, rel=1e-10)
        assert runs[0][f"j{k}"].force == pytest.approx(runs[1][f"j{k}"].force, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("space", NAMES)
def test_equations_in_joint_coordinates(space: str) -> None:
    with_rotors, without = (joint_space(chain(space, how)) for how in ("elements", "none"))
    order = [int(name[1]) for name in with_rotors.speeds]
    assert order == [int(name[1]) for name in without.speeds]
    J = np.diag(np.array(INERTIA)[order])
    random = np.random.default_rng(1)
    q, v, a = random.uniform(-1.0, 1.0, (3, 4))
    assert with_rotors.mass_matrix(q) == pytest.approx(without.mass_matrix(q) + J, abs=1e-13)
    assert with_rotors.torques(q, v, a) == pytest.approx(without.torques(q, v, a) + J @ a, abs=1e-12)
    assert with_rotors.accelerations(q, v, with_rotors.torques(q, v, a)) == pytest.approx(a, abs=1e-11)


@pytest.mark.parametrize("space", NAMES)
def test_mass_matrix_and_slopes_are_those_of_the_forces(space: str) -> None:
    system = compile(chain(space, "elements"), forces=True)
    width, size = system.width, system.speeds().size
    random, matter = np.random.default_rng(3), 0.0 * system.space.matter((system.model.ground, *system.bodies))
    gravity, h = np.array(system.model.gravity, float), 1e-6
    q = system.start.copy()
    shift, v, a = (np.concatenate([np.zeros(width), random.normal(size=size - width)]) for _ in range(3))
    advance(system.geometry, q, shift)

    def force(q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        out = np.zeros(size)
        inertia_forces(system.geometry, matter, gravity, q, v, a, out)
        return out[width:]

    M = mass_matrix(system, matter, q).toarray()
    K, C = (slopes.toarray() for slopes in rotor_slopes(system, q, v, a))
    for i in range(size - width):
        along = np.zeros(size)
        along[width + i] = 1.0
        assert M[:, i] == pytest.approx(-force(q, 0.0 * v, along), abs=1e-14)
        sides = [q.copy(), q.copy()]
        advance(system.geometry, sides[0], h * along)
        advance(system.geometry, sides[1], -h * along)
        by_place = (force(sides[1], v, a) - force(sides[0], v, a)) / (2.0 * h)
        by_speed = (force(q, v - h * along, a) - force(q, v + h * along, a)) / (2.0 * h)
        assert K[:, i] == pytest.approx(by_place, abs=1e-8)  # of central differences
        assert C[:, i] == pytest.approx(by_speed, abs=1e-8)


@pytest.mark.parametrize("space", NAMES)
def test_vibrations_at_an_equilibrium(space: str) -> None:
    found = []
    for how in ("elements", "bodies"):
        model = chain(space, how, springs=True)
        found.append(np.sort_complex(linearize(model, at=equilibrium(model)).eigenvalues()))
    assert found[0] == pytest.approx(found[1], abs=1e-9)


def test_gradient_with_respect_to_the_inertia() -> None:
    """z = 3 t^2 / (2 (1 + J)) under a constant torque of 3 N m: dz/dJ = -3 t^2 / (2 (1 + J)^2)."""
    model = planar.Model("drive")
    arm = model.add(planar.Body(mass=0.0, inertia=1.0), name="arm")
    hinge = model.add(planar.Revolute(model.ground.at(), arm.at()), name="hinge")
    model.add(planar.Armature(hinge.angle, 0.5), name="rotor")
    model.add(planar.Torque(arm.at(), 3.0), name="push")
    found = gradient(simulate(model, 1.0), ["rotor.inertia"], hinge.angle, final=lambda y: y[0])
    assert found.value == pytest.approx(1.0, rel=1e-7)
    assert found["rotor.inertia"] == pytest.approx(-1.5 / 1.5**2, rel=1e-5)


def test_file(tmp_path: Any) -> None:
    path = tmp_path / "chain.yaml"
    save_model(chain("planar", "elements"), path)
    again = load_model(path).model
    assert [again[f"rotor{k}"].inertia for k in range(4)] == list(INERTIA)


def test_rejected_input() -> None:
    model = planar.Model("drive")
    arm = model.add(planar.Body(mass=1.0, inertia=1.0), name="arm")
    hinge = model.add(planar.Revolute(model.ground.at(), arm.at()), name="hinge")
    with pytest.raises(ModelError, match="'rotor' must have a positive inertia, got -1"):
        model.add(planar.Armature(hinge.angle, -1.0), name="rotor")
    with pytest.raises(ModelError, match="the coordinate of an Armature"):
        planar.Armature(hinge, 1.0)
    model.add(planar.Armature(planar.length(model.ground.at(2, 0), arm.at(1, 0)), 1.0), name="winch")
    with pytest.raises(ModelError, match="'winch' needs the coordinate of a joint of the model"):
        simulate(model, 0.1)


@pytest.mark.parametrize("space", NAMES)
@pytest.mark.parametrize("coordinates", ["joint", "cartesian"])
def test_symbolic_equations(space: str, coordinates: str) -> None:
    """Terms of a polar robot against those that are computed."""
    lib = planar if space == "planar" else spatial
    model = lib.Model("polar")
    arm = model.add(lib.Body(mass=1.0, inertia=0.2 if space == "planar" else (0.2, 0.2, 0.2)), name="arm")
    hand = model.add(lib.Body(mass=2.0, inertia=0.1 if space == "planar" else (0.1, 0.1, 0.1)), name="hand")
    hinge = model.add(lib.Revolute(model.ground.at(), arm.at()), name="hinge")
    ends = (
        (arm.at(0.3, 0.0), hand.at(0.1, 0.2))
        if space == "planar"
        else (arm.at(0.3, 0, 0, z=(1, 0, 0), x=(0, 1, 0)), hand.at(0.1, 0.2, 0.0))
    )
    guide = model.add(lib.Translational(*ends), name="guide")
    model.add(lib.Armature(hinge.angle, 0.7), name="turning")
    model.add(lib.Armature(guide.travel, 0.4), name="sliding")
    made = symbolic_equations(model, coordinates=coordinates, simplify=False)
    random = np.random.default_rng(4)
    if coordinates == "joint":
        rules = joint_space(model)
        q, v = random.uniform(-1.0, 1.0, (2, 2))
        found = made.numbers(q, v)
        assert found["M"] == pytest.approx(rules.mass_matrix(q), abs=1e-12)
        assert np.ravel(found["b"]) == pytest.approx(rules.bias(q, v), abs=1e-12)
        return
    system = compile(model, forces=True)
    q = system.start[system.space.stored :]
    v = random.uniform(-1.0, 1.0, system.coordinates)
    matter, gravity = system.space.matter((model.ground, *model.bodies)), np.zeros(len(model.gravity))
    forces = np.zeros((2, system.speeds().size))
    speeds = np.concatenate([np.zeros(system.width), v])
    inertia_forces(system.geometry, matter, gravity, system.start, speeds, 0.0 * speeds, forces[0])
    found = made.numbers(q, v)
    assert found["M"] == pytest.approx(mass_matrix(system, matter, system.start).toarray(), abs=1e-12)
    assert np.ravel(found["b"]) == pytest.approx(-forces[0, system.width :], abs=1e-12)
