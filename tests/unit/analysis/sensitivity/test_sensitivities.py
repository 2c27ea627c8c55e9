"""Sensitivities of positions, driven motions, rests, modes and simulated motions, against closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from cardan import (
    ModelError,
    SimulationError,
    assemble,
    equilibrium,
    gradient,
    inverse_dynamics,
    kinematics,
    linearize,
    modal_sensitivities,
    motion_sensitivities,
    parameter,
    reaction,
    sensitivities,
    simulate,
    spatial as space,
    tied,
)
from cardan.model.parameter import changed
from cardan.planar import PID, Actuator, Body, Distance, Driver, Model, Revolute, Spring, Translational, x

CLOSED = 1e-10  # rounding of sixth order differences, 256 times that of a number, with joints closed to 1e-11


def complex_step(f: Callable[[complex], complex], at: float) -> float:
    return (f(at + 1e-30j) / 1e-30).imag


def four_bar(angle: float = 1.2) -> Model:
    model = Model("four-bar")
    crank = model.add(Body(angle=0.5), name="crank")
    rocker = model.add(Body(position=(2.0, 0.0), angle=angle), name="rocker")
    model.add(Revolute(model.ground.at(0, 0), crank.at(0, 0)), name="pivot")
    model.add(Revolute(model.ground.at(2, 0), rocker.at(0, 0)), name="other")
    model.add(Distance(crank.at(1, 0), rocker.at(1.5, 0), 2.0), name="rod")
    return model


def test_assembled_four_bar_follows_its_coupler() -> None:
    """Of |B - A| = l with A = a (cos t, sin t), B = (2, 0) + b (cos u, sin u): du/dl = l / ((B - A) . B'(u))."""
    model = four_bar()
    here = assemble(model, hold=[model["pivot"].angle])  # type: ignore[attr-defined]
    s = sensitivities(here, ["rod.length", "rod.a.x"], model["other"].angle)  # type: ignore[attr-defined]
    u = float(here[model["other"].angle].value)  # type: ignore[attr-defined]
    A = np.array([math.cos(0.5), math.sin(0.5)])
    way = np.array([2.0 + 1.5 * math.cos(u), 1.5 * math.sin(u)]) - A
    turning = way @ np.array([-1.5 * math.sin(u), 1.5 * math.cos(u)])
    np.testing.assert_allclose(s.derivatives[0], [2.0 / turning, way @ A / turning], rtol=CLOSED)
    assert s["other.angle", "rod.length"] == s.derivatives[0, 0]
    np.testing.assert_allclose(s.coordinates[model["rocker"]][2], s.derivatives[0], rtol=CLOSED)


def slider_crank() -> Model:
    model = Model("slider-crank", gravity=(0.0, -9.81))
    crank = model.add(Body(mass=2.0, inertia=0.05), name="crank")
    slider = model.add(Body(mass=1.0, inertia=0.01, position=(1.3, 0.0)), name="slider")
    pivot = model.add(Revolute(model.ground.at(), crank.at()), name="pivot")
    model.add(Translational(model.ground.at(), slider.at()), name="guide")
    model.add(Distance(crank.at(0.3, 0.0), slider.at(), 1.0), name="rod")
    model.add(Driver(pivot.angle, lambda t: 0.4 + 3.0 * t), name="motor")
    return model


def test_driven_slider_crank_follows_crank_and_rod() -> None:
    """x = r cos u + sqrt(l^2 - r^2 sin^2 u), with its rates, differentiated by the complex step."""
    model, times = slider_crank(), [0.0, 0.3, 0.7]
    place = x(model["slider"].at())  # type: ignore[attr-defined]
    run = kinematics(model, times)
    s = sensitivities(run, ["rod.a.x", "rod.length"], [place, (place, "rate"), (place, "acceleration")])

    def closed(r: complex, rod: complex, t: float, level: int) -> complex:
        u, w = 0.4 + 3.0 * t, 3.0
        root = np.sqrt(rod**2 - (r * np.sin(u)) ** 2)
        slope = -(r**2) * np.sin(u) * np.cos(u) / root
        bend = -(r**2) * np.cos(2.0 * u) / root - (r**2 * np.sin(u) * np.cos(u)) ** 2 / root**3
        return (
            r * np.cos(u) + root,
            w * (slope - r * np.sin(u)),
            w**2 * (bend - r * np.cos(u)),
        )[level]

    for k, t in enumerate(times):
        for level in range(3):
            by_crank = complex_step(lambda r, t=t, level=level: closed(r, 1.0, t, level), 0.3)
            by_rod = complex_step(lambda d, t=t, level=level: closed(0.3, d, t, level), 1.0)
            np.testing.assert_allclose(s.derivatives[k, level], [by_crank, by_rod], rtol=1e-8, atol=1e-9)


def test_torque_of_a_driver_follows_mass() -> None:
    """Reactions are linear in the mass of the slider: their derivative is their difference for one kilogram."""
    model = slider_crank()
    motor = reaction(model["motor"], "angle")
    run = inverse_dynamics(model, [0.2, 0.5])
    s = sensitivities(run, "slider.mass", motor)
    with changed(model, {parameter(model, "slider.mass"): 2.0}):
        heavier = inverse_dynamics(model, [0.2, 0.5])[model["motor"]].force
    np.testing.assert_allclose(s.derivatives[:, 0, 0], heavier - run[model["motor"]].force, rtol=1e-9)


def scale() -> Model:
    model = Model("scale", gravity=(-9.81, 0.0))
    pan = model.add(Body(mass=2.0, inertia=1.0), name="pan")
    guide = model.add(Translational(model.ground.at(), pan.at()), name="guide")
    model.add(Spring(guide.travel, 80.0, 3.0, rest_length=0.0), name="spring")
    return model


def test_rest_and_reaction_follow_weight() -> None:
    """A rod on a pin with a spring at its end: k l^2 u = -m g l cos(u)/2, and the pin carries m g."""
    model = Model("lever", gravity=(0.0, -9.81))
    rod = model.add(Body(mass=2.0, inertia=0.1, position=(0.5, 0.0)), name="rod")
    pin = model.add(Revolute(model.ground.at(), rod.at(-0.5, 0.0)), name="pin")
    model.add(Spring(pin.angle, 40.0, rest_angle=0.0), name="spring")
    rest = equilibrium(model)
    u = float(rest[pin.angle].value)
    s = sensitivities(rest, ["rod.mass", "spring.stiffness"], [pin.angle, reaction(pin, "y"), model["spring"]])
    stiffness = 40.0 - 2.0 * 9.81 * 0.5 * math.sin(u)
    by_mass, by_stiffness = -9.81 * 0.5 * math.cos(u) / stiffness, -u / stiffness
    np.testing.assert_allclose(s.derivatives[0], [by_mass, by_stiffness], rtol=1e-8)
    np.testing.assert_allclose(np.abs(s.derivatives[1]), [9.81, 0.0], atol=1e-8)
    np.testing.assert_allclose(s.derivatives[2], [40.0 * by_mass, u + 40.0 * by_stiffness], rtol=1e-8)
    np.testing.assert_allclose(s.relative[0, 1], 40.0 * by_stiffness / u, rtol=1e-8)


def test_eigenvalue_of_an_oscillator() -> None:
    """m s^2 + c s + k = 0, differentiated: ds/dk = -1/(2 m s + c), ds/dc = s ds/dk, ds/dm = s^2 ds/dk."""
    found = modal_sensitivities(scale(), ["spring.stiffness", "spring.damping", "pan.mass"])
    s = found.modes.eigenvalues[0]
    slope = -1.0 / (4.0 * s + 3.0)
    np.testing.assert_allclose(found.eigenvalues[0], [slope, s * slope, s**2 * slope], rtol=1e-9)
    ratio, omega = 3.0 / (2.0 * math.sqrt(160.0)), math.sqrt(40.0)
    np.testing.assert_allclose(found.frequencies[0], [omega / 160.0, 0.0, -omega / 4.0], atol=1e-10)
    np.testing.assert_allclose(found.damping_ratios[0], [-ratio / 160.0, ratio / 3.0, -ratio / 4.0], rtol=1e-8)


def test_frequency_of_a_pendulum_follows_its_length() -> None:
    """w = sqrt(g/l) of a point mass: dw/dl = -w/2l; the pin moves in the body, so that all points of it are stated."""
    model = Model("pendulum", gravity=(0.0, -9.81))
    bob = model.add(Body(mass=1.0, inertia=0.0, position=(0.0, -0.8)), name="bob")
    pin = model.add(Revolute(model.ground.at(), bob.at(0.0, 0.8)), name="pin")
    long = tied("length", parameter(pin.b, "y"))
    found = modal_sensitivities(model, [long, "gravity.y"])
    omega = math.sqrt(9.81 / 0.8)
    np.testing.assert_allclose(found.frequencies[0], [-omega / 1.6, -omega / 19.62], rtol=1e-8)


def test_modes_follow_a_rest_that_moves() -> None:
    """Two rods on springs, sagging: eigenvalues and shapes against differences of the whole chain."""
    model = Model("arm", gravity=(0.0, -9.81))
    end = model.ground.at()
    for k in (0, 1):
        rod = model.add(Body(mass=1.0 + k, inertia=0.1, position=(0.5 + k, 0.0)), name=f"rod{k}")
        pin = model.add(Revolute(end, rod.at(-0.5, 0.0)), name=f"pin{k}")
        model.add(Spring(pin.angle, 60.0, 2.0, rest_angle=0.0), name=f"spring{k}")
        end = rod.at(0.5, 0.0)
    names = ["rod1.mass", "spring0.stiffness", "pin1.a.x"]
    found = modal_sensitivities(model, names)

    def chain(name: str, step: float) -> tuple[np.ndarray, np.ndarray]:
        one = parameter(model, name)
        with changed(model, {one: one.value + step}):
            modes = linearize(model, equilibrium(model)).modes()
            return modes.eigenvalues, modes.shape(1)[model["rod1"]]

    for k, name in enumerate(names):
        h = 2e-3 * parameter(model, name).value
        ahead, behind, far, back = (chain(name, step) for step in (h, -h, 2.0 * h, -2.0 * h))
        values, shapes = (
            (8.0 * (a - b) - (f - c)) / (12.0 * h) for a, b, f, c in zip(ahead, behind, far, back, strict=True)
        )
        np.testing.assert_allclose(found.eigenvalues[:, k], values, rtol=2e-6, atol=1e-7)  # a rest is found to 1e-9
        np.testing.assert_allclose(found.shapes[1][model["rod1"]][:, k], shapes, rtol=2e-5, atol=1e-6)


def test_neutral_rests_follow_by_the_least_displacement() -> None:
    """A pendulum on a ball may spin: w = sqrt(m g l / (I + m l^2)) of both ways to swing, differentiated by m and g."""
    model = space.Model("bob", gravity=(0.0, 0.0, -9.81))
    body = space.Body(mass=2.0, inertia=(0.1, 0.2, 0.15), position=(0.0, 0.0, -1.0))
    bob = model.add(body, name="bob")
    model.add(space.Spherical(model.ground.at(), bob.at(0, 0, 1)), name="ball")
    found = modal_sensitivities(model, ["bob.mass", "gravity.z"])
    for inertia in (0.1, 0.2):
        square = 2.0 * 9.81 / (inertia + 2.0)
        k = int(np.argmin(np.abs(found.modes.eigenvalues - 1j * math.sqrt(square))))
        slopes = [9.81 * inertia / (inertia + 2.0) ** 2, -2.0 / (inertia + 2.0)]
        np.testing.assert_allclose(found.eigenvalues[k].imag, np.array(slopes) / (2.0 * math.sqrt(square)), rtol=1e-8)


def test_equal_eigenvalues_part() -> None:
    """Two equal oscillators: a stiffness of one moves one eigenvalue alone, gravity of a round bob both alike."""
    model = Model("twins")
    for k in (0, 1):
        mass = model.add(Body(mass=2.0, inertia=1.0, position=(0.0, 1.0 * k)), name=f"mass{k}")
        guide = model.add(Translational(model.ground.at(0.0, 1.0 * k), mass.at()), name=f"guide{k}")
        model.add(Spring(guide.travel, 50.0, rest_length=0.0), name=f"spring{k}")
    found = modal_sensitivities(model, ["spring0.stiffness", "mass1.mass"])
    np.testing.assert_allclose(found.eigenvalues, 1j * np.array([[0.0, -1.25], [0.05, 0.0]]), atol=1e-9)
    assert np.isnan(found.shapes[0][model["mass0"]]).all()
    round_ = space.Model("round", gravity=(0.0, 0.0, -9.81))
    bob = round_.add(space.Body(mass=2.0, inertia=(0.1, 0.1, 0.15), position=(0.0, 0.0, -1.0)), name="bob")
    round_.add(space.Spherical(round_.ground.at(), bob.at(0, 0, 1)), name="ball")
    found = modal_sensitivities(round_, "gravity.z")
    swings = found.modes.oscillating
    slope = -1j * 2.0 / 2.1 / (2.0 * math.sqrt(2.0 * 9.81 / 2.1))
    np.testing.assert_allclose(found.eigenvalues[swings, 0], [slope, slope], rtol=1e-8)
    assert np.isnan(found.eigenvalues[~swings]).all()  # a double zero of a free spin has one shape alone


def test_what_has_no_derivative_is_named() -> None:
    model = Model("slide")
    block = model.add(Body(mass=1.0, inertia=1.0), name="block")
    model.add(Translational(model.ground.at(), block.at()), name="guide")
    with pytest.warns(UserWarning, match="no force acts"):
        rest = equilibrium(model)
    assert sensitivities(rest, "block.mass").coordinates[block].tolist() == [[0.0], [0.0], [0.0]]  # it rests anywhere
    with pytest.raises(
        SimulationError,
        match="no derivative with respect to 'gravity.x': it has a neutral motion that this would start",
    ):
        sensitivities(rest, "gravity.x")
    with pytest.raises(ModelError, match=r"motion_sensitivities\(\)"):
        sensitivities(simulate(scale(), 0.1), "pan.mass")
    with pytest.raises(ModelError, match="did you mean 'stiffness'"):
        sensitivities(equilibrium(scale()), "spring.stifness")


def pendulum(size: float = 0.8) -> tuple[Model, Revolute]:
    model = Model("pendulum", gravity=(0.0, -9.81))
    bob = model.add(
        Body(mass=1.0, inertia=0.0, angle=1.2, position=(size * math.sin(1.2), -size * math.cos(1.2))), name="bob"
    )
    pin = model.add(Revolute(model.ground.at(), bob.at(0.0, size)), name="pin")
    return model, pin


def test_motion_of_a_pendulum_follows_gravity() -> None:
    """From rest, u depends on t sqrt(g) alone: du/dg = t u'/(2 g), however large the swing."""
    model, pin = pendulum()
    run = simulate(model, 2.0, output=0.5, rtol=1e-10)
    s = motion_sensitivities(run, ["gravity.y", "bob.mass"], pin.angle)
    slope = run.times * run[pin.angle].rate / (2.0 * -9.81)
    np.testing.assert_allclose(s.derivatives[:, 0, 0], slope, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(s.derivatives[:, 0, 1], 0.0, atol=1e-9)


def test_motion_of_a_loop_follows_its_rod() -> None:
    """Against differences of runs, joints closed anew for each length."""
    rough = four_bar()
    here = assemble(rough, hold=[rough["pivot"].angle])  # type: ignore[attr-defined]
    model = four_bar(float(here[rough["rocker"]].angle))  # closed: the start follows by the least displacement
    for body in ("crank", "rocker"):
        for name, value in (("mass", 1.0), ("inertia", 0.2), ("center", (0.5, 0.0))):
            object.__setattr__(model[body], name, value)
    model.gravity = (0.0, -9.81)
    turn = model["pivot"].angle  # type: ignore[attr-defined]
    run = simulate(model, 0.8, output=0.4, rtol=1e-10)
    s = motion_sensitivities(run, ["rod.length", "crank.mass"], turn)
    for k, (name, h) in enumerate((("rod.length", 4e-4), ("crank.mass", 2e-3))):
        one, found = parameter(model, name), []
        for step in (h, -h, 2.0 * h, -2.0 * h):
            with changed(model, {one: one.value + step}):
                found.append(simulate(model, 0.8, output=0.4, rtol=1e-11)[turn].value)
        difference = (8.0 * (found[0] - found[1]) - (found[2] - found[3])) / (12.0 * h)
        np.testing.assert_allclose(s.derivatives[:, 0, k], difference, rtol=1e-6, atol=1e-7)
    g = gradient(run, ["rod.length", "crank.mass"], turn, final=lambda y: y[0])
    np.testing.assert_allclose(g.derivatives, s.derivatives[-1, 0], rtol=1e-5)


def test_gradient_of_an_integral() -> None:
    """G = int x^2 dt of x = x0 cos(w t): the closed form differentiated by k, w = sqrt(k/m)."""
    model = Model("oscillator")
    mass = model.add(Body(mass=1.0, inertia=1.0, position=(0.1, 0.0)), name="mass")
    guide = model.add(Translational(model.ground.at(), mass.at()), name="guide")
    model.add(Spring(guide.travel, 4.0, rest_length=0.0), name="spring")

    whole = 0.01 * (1.0 + math.sin(8.0) / 8.0)
    g = gradient(simulate(model, 2.0), ["spring.stiffness", "mass.mass"], guide.travel, lambda y, t: y[0] ** 2)
    assert g.value == pytest.approx(whole, rel=1e-7)
    by_k = complex_step(lambda k: 0.01 * (1.0 + np.sin(4.0 * np.sqrt(k)) / (4.0 * np.sqrt(k))), 4.0)
    np.testing.assert_allclose(g.derivatives, [by_k, -4.0 * by_k], rtol=1e-5)  # windows of two steps


def test_motion_with_a_state_of_a_controller() -> None:
    """A wheel under PID: the integral is a state, which deviates as well. Against differences of runs."""
    model = Model("drive")
    wheel = model.add(Body(mass=1.0, inertia=0.5), name="wheel")
    hinge = model.add(Revolute(model.ground.at(), wheel.at()), name="hinge")
    pid = model.add(PID(hinge.angle, 1.0, 20.0, 5.0, 3.0), name="pid")
    model.add(Actuator(hinge.angle, pid), name="motor")
    run = simulate(model, 1.0, output=0.5, rtol=1e-10)
    s = motion_sensitivities(run, "wheel.inertia", hinge.angle)
    one, h, found = parameter(model, "wheel.inertia"), 1e-3, []
    for step in (h, -h, 2.0 * h, -2.0 * h):
        with changed(model, {one: one.value + step}):
            found.append(simulate(model, 1.0, output=0.5, rtol=1e-11)[hinge.angle].value)
    difference = (8.0 * (found[0] - found[1]) - (found[2] - found[3])) / (12.0 * h)
    np.testing.assert_allclose(s.derivatives[:, 0, 0], difference, rtol=1e-6, atol=1e-8)
    g = gradient(run, "wheel.inertia", hinge.angle, final=lambda y: y[0])
    np.testing.assert_allclose(g.derivatives, s.derivatives[-1, 0], rtol=1e-5)


def test_motions_that_jump_are_rejected() -> None:
    model, pin = pendulum()
    with pytest.raises(ModelError, match="nothing to differentiate"):
        gradient(simulate(model, 0.1), "bob.mass", pin.angle)
