"""Point masses: closed forms, every analysis, two or three coordinates and no angle, and what rejects them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from cardan import (
    assemble,
    equations,
    equilibrium,
    inverse_dynamics,
    kinematics,
    linearize,
    load_model,
    mobility,
    motion_sensitivities,
    planar,
    quasi_static,
    save_model,
    simulate,
    spatial,
)
from cardan.analysis.checks.self_check import self_check
from cardan.errors import ModelError
from cardan.view.web.page import page

G = 9.81
SPACES = {"planar": planar, "spatial": spatial}
ANGULAR = ("angle", "angular", "e0", "wx", "wz", "alpha", "turn", "rotation")


def _vector(space: Any, x: float, up: float) -> tuple[float, ...]:
    """A vector in the vertical xz plane of space, or in the plane."""
    return (x, up) if space is planar else (x, 0.0, up)


def _model(space: Any, name: str = "particle") -> Any:
    return space.Model(name, gravity=_vector(space, 0.0, -G))


def _pendulum(space: Any, length: float = 0.7, angle: float = 0.0, mass: float = 0.5) -> tuple[Any, Any]:
    model = _model(space, "pendulum")
    place = _vector(space, length * math.sin(angle), -length * math.cos(angle))
    bob = model.add(space.PointMass(mass, place), name="bob")
    model.add(space.Distance(model.ground.at(), bob.at(), length), name="rod")
    return model, bob


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
@pytest.mark.parametrize("space", SPACES)
def test_projectile(space: str, coordinates: str) -> None:
    """r = r0 + v0 t + g t^2 / 2; the methods integrate a parabola exactly."""
    module = SPACES[space]
    model = _model(module)
    stone = model.add(module.PointMass(0.2, _vector(module, 0.0, 1.0), _vector(module, 3.0, 4.0)), name="stone")
    run = simulate(model, 0.5, output=0.1, coordinates=coordinates)
    t = run.times[:, None]
    r0, v0, g = (np.array(_vector(module, *pair)) for pair in ((0.0, 1.0), (3.0, 4.0), (0.0, -G)))
    np.testing.assert_allclose(run[stone].position, r0 + v0 * t + g * t**2 / 2, rtol=0, atol=1e-13)
    np.testing.assert_allclose(run[stone].velocity, v0 + g * t, rtol=0, atol=1e-13)


@pytest.mark.parametrize("space", SPACES)
def test_it_has_no_angle(space: str) -> None:
    """Coordinates, columns, tables and printed positions have two or three numbers of a point."""
    module = SPACES[space]
    model, bob = _pendulum(module, angle=0.5)
    count = 2 if module is planar else 3
    report = mobility(model)
    assert (report.coordinates, report.equations, report.degrees_of_freedom) == (count, 1, count - 1)
    assert mobility(model, imperfect=True).imperfect_degrees_of_freedom == count - 1
    run = simulate(model, 0.1, output=0.05)
    assert [name for name in run.columns if name.startswith("bob.")] == [
        f"bob.{prefix}{axis}" for prefix in ("", "v", "a") for axis in "xyz"[:count]
    ]
    shown = assemble(model)
    assert not any(word in repr(shown).lower() for word in ANGULAR)
    with pytest.raises(ModelError, match="'bob' has no 'angular_velocity'"):
        _ = run[bob].angular_velocity
    found = equations(model)
    assert found.columns == tuple(f"{axis} of 'bob'" for axis in "xyz"[:count])
    assert len(found.rows) == 1 and found.M.shape == (count, count)
    assert np.abs(found.residuals.force).max() < 1e-12
    assert len(found.newton_iterates().names) == found.newton_iterates()[0].q.size == count
    assert run.to_xarray()["multiplier"].sizes["equation"] == 1


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
@pytest.mark.parametrize("space", SPACES)
def test_pendulum_conserves_energy_and_swings_with_its_period(space: str, coordinates: str) -> None:
    """T = 4 sqrt(l / g) K(sin(a / 2)) = 2 pi sqrt(l / g) / agm(1, cos(a / 2)) for amplitude a."""
    module, amplitude, length = SPACES[space], 1.2, 0.7
    model, bob = _pendulum(module, length, amplitude)
    first, second = 1.0, math.cos(amplitude / 2)
    for _ in range(8):
        first, second = (first + second) / 2, math.sqrt(first * second)
    period = 2.0 * math.pi * math.sqrt(length / G) / first
    run = simulate(model, period, output=period / 8, rtol=1e-10, coordinates=coordinates)
    np.testing.assert_allclose(run[bob].position[-1], run[bob].position[0], atol=1e-8)  # flat there: error squared
    np.testing.assert_allclose(run.energy.total, run.energy.total[0], rtol=0, atol=1e-8)
    assert self_check(run).good


@pytest.mark.parametrize("space", SPACES)
def test_equilibrium_and_frequency(space: str) -> None:
    """A pendulum at rest: omega = sqrt(g / l), once in the plane and twice in space, and nothing else."""
    module, length = SPACES[space], 0.7
    model, bob = _pendulum(module, length, 0.3)
    rest = equilibrium(model)
    np.testing.assert_allclose(rest[bob].position, _vector(module, 0.0, -length), atol=1e-7)
    assert rest.stable
    found = linearize(model, at=rest).eigenvalues()
    count = 1 if module is planar else 2
    np.testing.assert_allclose(
        np.sort(found.imag), [*[-math.sqrt(G / length)] * count, *[math.sqrt(G / length)] * count]
    )


def test_spring_and_mass() -> None:
    """omega^2 = k / m along the spring; the force of the spring is k times its stretch."""
    model = planar.Model("spring")
    bob = model.add(planar.PointMass(2.0, (1.1, 0.0)), name="bob")
    model.add(planar.Hold(planar.y(bob.at()), 0.0), name="guide")
    spring = model.add(planar.Spring(planar.length(model.ground.at(), bob.at()), 50.0, rest_length=1.0), name="spring")
    run = simulate(model, 1.0, output=0.1, rtol=1e-10)
    np.testing.assert_allclose(run["bob.x"], 1.0 + 0.1 * np.cos(5.0 * run.times), atol=1e-9)
    np.testing.assert_allclose(run[spring].force, 5.0 * np.cos(5.0 * run.times), atol=1e-7)


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
def test_inverse_dynamics_of_a_driven_point(coordinates: str) -> None:
    """A point driven along x = a cos(w t), y = 0 needs F = -m a w^2 cos(w t) and m g."""
    model, w = _model(planar), 3.0
    bob = model.add(planar.PointMass(2.0), name="bob")
    model.add(planar.Driver(planar.x(bob.at()), planar.Harmonic(0.4, w, math.pi / 2)), name="across")
    model.add(planar.Driver(planar.y(bob.at()), planar.Constant(0.0)), name="up")
    run = inverse_dynamics(model, np.linspace(0.0, 1.0, 5), coordinates=coordinates)
    np.testing.assert_allclose(run["bob.x"], 0.4 * np.cos(w * run.times), atol=1e-14)
    np.testing.assert_allclose(run["across.force"], -2.0 * 0.4 * w**2 * np.cos(w * run.times), atol=1e-12)
    np.testing.assert_allclose(run["up.force"], 2.0 * G, atol=1e-12)
    again = kinematics(model, run.times, coordinates=coordinates)
    np.testing.assert_allclose(again[bob].acceleration[:, 0], -0.4 * w**2 * np.cos(w * run.times), atol=1e-12)


def test_pinned_to_a_body_it_is_a_lumped_mass() -> None:
    """A bar with a point mass pinned to its tip: I theta'' = -m g l cos(theta), I = m l^2 + I_bar."""
    for space, pin in ((planar, "Revolute"), (spatial, "Spherical")):
        model = _model(space)
        inertia = 0.2 if space is planar else (0.2, 0.2, 0.2)
        bar = model.add(space.Body(mass=1.0, inertia=inertia), name="bar")
        axis = {} if space is planar else {"z": (0, -1, 0), "x": (1, 0, 0)}
        model.add(space.Revolute(model.ground.at(**axis), bar.at(**axis)), name="hinge")
        tip = model.add(space.PointMass(0.5, _vector(space, 0.8, 0.0)), name="tip")
        model.add(getattr(space, pin)(bar.at(*_vector(space, 0.8, 0.0)), tip.at()), name="pin")
        assert mobility(model).degrees_of_freedom == 1
        expected = -0.5 * G * 0.8 / (0.5 * 0.8**2 + 0.2)
        for coordinates in ("cartesian", "joint"):
            run = simulate(model, 0.01, output=0.01, coordinates=coordinates)
            assert run["hinge.angle.acceleration"][0] == pytest.approx(expected, rel=1e-12)
        assert not [name for name in run.columns if name.startswith("pin.angle")]


def test_sensitivity_of_a_particle() -> None:
    """dx/dm of a mass on a spring: x = x0 cos(w t) with w^2 = k / m, so dx/dm = x0 sin(w t) w t / (2 m)."""
    model = planar.Model("spring")
    bob = model.add(planar.PointMass(2.0, (1.1, 0.0)), name="bob")
    model.add(planar.Hold(planar.y(bob.at()), 0.0), name="guide")
    model.add(planar.Spring(planar.length(model.ground.at(), bob.at()), 50.0, rest_length=1.0), name="spring")
    run = simulate(model, 0.5, output=0.5, rtol=1e-10)
    found = motion_sensitivities(run, "bob.mass", planar.x(bob.at()))
    t, w = 0.5, 5.0
    slope = found.derivatives[-1, 0, 0]
    assert slope == pytest.approx(0.1 * math.sin(w * t) * w * t / (2 * 2.0), rel=1e-6)


def test_quasi_static_and_contact() -> None:
    """A point lowered by a soft spring onto a floor: the floor takes what the spring does not."""
    model = _model(planar)
    bob = model.add(planar.PointMass(1.0, (0.0, 0.1)), name="bob")
    model.add(planar.Hold(planar.x(bob.at()), 0.0), name="guide")
    disk, floor = planar.Disk(bob.at(), 0.1), planar.Face(model.ground.at())
    model.add(planar.Contact(disk, floor, stiffness=1e4, exponent=1.0), name="touch")
    run = quasi_static(model, [0.0, 1.0])
    np.testing.assert_allclose(run["bob.y"], 0.1 - G / 1e4, atol=1e-9)


@pytest.mark.parametrize("space", SPACES)
def test_files_and_pages(space: str, tmp_path: Any) -> None:
    module = SPACES[space]
    model, bob = _pendulum(module, angle=0.4)
    save_model(model, tmp_path / "pendulum.yaml")
    assert "point_mass" in (tmp_path / "pendulum.yaml").read_text()
    again = load_model(tmp_path / "pendulum.yaml").model
    assert isinstance(again["bob"], module.PointMass) and again["bob"].mass == 0.5
    run = simulate(again, 0.3, output=0.1)
    np.testing.assert_allclose(run[again["bob"]].position, simulate(model, 0.3, output=0.1)[bob].position, atol=1e-12)
    page(run, tmp_path / "page.html")
    run.save(tmp_path / "run.nc")
    run.plot("bob.x")


def test_what_needs_an_orientation_names_it() -> None:
    for space in (planar, spatial):
        model = _model(space)
        bob = model.add(space.PointMass(1.0), name="bob")
        bar = model.add(space.Body(mass=1.0, inertia=1.0 if space is planar else (1, 1, 1)), name="bar")
        ground = model.ground.at()
        torque = 1.0 if space is planar else (0, 0, 1.0)
        for element in (
            space.Fixed(ground, bob.at()),
            space.Translational(bar.at(), bob.at()),
            space.Torque(bob.at(), torque),
            space.Gauge(space.angle(ground, bob.at())),
            space.Driver(space.angle(bob.at(), bar.at()), space.Ramp(1.0)),
        ):
            with pytest.raises(ModelError, match="needs the orientation of PointMass 'bob'.*use an element"):
                model.add(element)
        for make in (bob.at, bob.world):
            with pytest.raises(ModelError, match="'bob' is a point without orientation.*use a Body"):
                make(*[0.2 for _ in ground.place])
        with pytest.raises(ModelError, match="cannot have a profile"):
            bob.profile(space.Circle(0.1))
        with pytest.raises(ModelError, match="mass of a PointMass must be positive"):
            space.PointMass(0.0)
    flat = _model(planar)
    flat.add(planar.PointMass(1.0), name="bob")
    with pytest.raises(ModelError, match="'bob' cannot be lifted"):
        spatial.lift(flat)


def test_joints_between_bodies_accept_it() -> None:
    """`between` takes bodies of one space, whatever their kind."""
    model = _model(spatial)
    bob = model.add(spatial.PointMass(1.0, (0.0, 0.0, -1.0)), name="bob")
    rod = model.add(spatial.Distance.between(model.ground, bob, (0, 0, 0), to=(0, 0, -1.0)), name="rod")
    assert rod.length == 1.0
