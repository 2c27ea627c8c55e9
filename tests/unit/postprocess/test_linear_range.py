"""Warnings about flexible bodies beyond the range of linear modes."""

import warnings

import numpy as np
import pytest

import cardan.planar as plane
from cardan import equilibrium, linearize, simulate, steady_motion
from cardan.errors import CardanWarning
from cardan.flexible import beam, rectangle
from cardan.model.flexible.linear_range import (
    BY_ACCELERATION,
    BY_DEFLECTION,
    BY_ROTATION,
    BY_SPIN,
    held_stiffness,
    neglected_stiffness,
    part_size,
)
from cardan.spatial import Driver, Fixed, FlexibleBody, Load, Model, Ramp, Revolute
from flexible_beams import ROOTS, cantilever_part

ENDS = {"root": "left", "tip": "right"}
BLADE = beam(1.0, rectangle(0.04, 0.004), "aluminum")


def test_coefficients_are_those_of_the_uniform_cantilever() -> None:
    """The integrals of the shortening Gamma of the first mode; the shape of a cantilever under a load at its tip."""
    first, second = cantilever_part(1, 2).stiffening
    assert -first[0, 0, 0] == pytest.approx(BY_ACCELERATION, rel=1e-3)
    assert -second[0, 0, 0, 0] == pytest.approx(BY_SPIN + 0.5 * BY_ACCELERATION, rel=1e-3)
    x, weights = np.polynomial.legendre.leggauss(8)
    x, weights = 0.5 * (x + 1.0), 0.5 * weights
    slope = x - 0.5 * x**2  # w = x^2 / 2 - x^3 / 6: 1/3 and slope 1/2 at the tip
    short = 0.5 * weights @ slope**2
    assert short == pytest.approx(BY_DEFLECTION / 9.0, rel=1e-12)
    assert short == pytest.approx(BY_ROTATION / 4.0, rel=1e-12)


def test_estimate_does_not_depend_on_the_frame_and_is_none_about_the_axis_of_a_shaft() -> None:
    parts = [BLADE.reduce(ENDS, modes=4, frame=frame) for frame in ("mean", "tangent")]
    clamped = 2.0 * np.pi * BLADE.reduce(ENDS, modes=4, method="clamped", frame="tangent").frequencies[0]
    for part in parts:
        assert np.sqrt(held_stiffness(part, ["root"])) == pytest.approx(clamped, rel=1e-6)
        assert part_size(part) == pytest.approx(1.0, rel=1e-2)
        about_itself = neglected_stiffness(part, np.array([[100.0, 0, 0]]), np.zeros((1, 3)))
        across = neglected_stiffness(part, np.array([[0, 0, 100.0]]), np.zeros((1, 3)))
        assert about_itself[0] < 0.01 * across[0]
    euler = cantilever_part(2, 2)
    assert held_stiffness(euler, ["root"]) == pytest.approx(ROOTS[0] ** 4, rel=1e-9)


def spinning(part: object, **options: object) -> tuple[Model, FlexibleBody]:
    model = Model("rotor")
    blade = model.add(FlexibleBody(part, **options), name="blade")
    hub = model.add(Revolute(model.ground.at(), blade.at("root")), name="hub")
    model.add(Driver(hub.angle, Ramp(8.0)), name="motor")
    return model, blade


@pytest.mark.parametrize("analysis", ["simulate", "steady_motion", "linearize"])
def test_a_spinning_blade_without_stiffening_warns(analysis: str) -> None:
    """At 8 rad/s the flap frequency of 3.3 Hz would rise by 1.193 (8 / 20.7)^2 / 2 = 9 %."""
    part = BLADE.reduce(ENDS, modes=2, method="clamped", frame="tangent")
    model, _ = spinning(part, damping=0.02)

    def analyze() -> None:
        if analysis == "simulate":
            simulate(model, 0.02, output=[0.02])
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore" if analysis == "linearize" else "default")
                motion = steady_motion(model, spin=8.0)
            if analysis == "linearize":
                linearize(model, at=motion)

    words = "FlexibleBody 'blade' has no geometric stiffening, .* t = .* spins at 8 rad/s .* about 1[78] %.*stiffening="
    with pytest.warns(CardanWarning, match=words):
        analyze()


def test_stiffened_and_slow_blades_do_not_warn() -> None:
    stiffened = BLADE.reduce(ENDS, modes=2, method="clamped", frame="tangent", stiffening=True)
    for options in ({}, {"stiffening": False}):  # the latter is a choice
        model, _ = spinning(stiffened, **options)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            steady_motion(model, spin=8.0)


def test_large_deflections_warn_with_body_time_value_and_remedy() -> None:
    part = BLADE.reduce(ENDS, modes=2)
    model = Model("cantilever")
    body = model.add(FlexibleBody(part), name="arm")
    model.add(Fixed(model.ground.at(), body.at("root")), name="clamp")
    force = 0.35 * 3.0 * 70e9 * 0.04 * 0.004**3 / 12.0  # a deflection of 0.35 m: 0.35 rad from the mean axes
    model.add(Load(body.at("tip"), (0, 0, force)), name="load")
    words = (
        r"FlexibleBody 'arm' deforms beyond .* at t = 0 s: by 0.049\d+ m, 5 % of its size, and 'root' by 0.35 rad"
        r".* about 0.03\d+ m, are neglected; .*add_rod"
    )
    with pytest.warns(CardanWarning, match=words):
        equilibrium(model)


def test_planar_bodies_warn() -> None:
    part = beam(1.0, rectangle(0.004, 0.04), "aluminum").reduce(ENDS, modes=2, planar=True)
    model = plane.Model("rotor")
    blade = model.add(plane.FlexibleBody(part, angular_velocity=8.0, position=(-0.5, 0.0)), name="blade")
    model.add(plane.Revolute(model.ground.at(), blade.at("root")), name="hub")
    with pytest.warns(CardanWarning, match="FlexibleBody 'blade' has no geometric stiffening"):
        simulate(model, 0.01, output=[0.01])
