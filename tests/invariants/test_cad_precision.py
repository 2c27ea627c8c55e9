"""Redundant joints whose data are rounded, as in a CAD file, act like those of the exact model."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from cardan import CardanError, assemble, equilibrium, inverse_dynamics, kinematics, mobility, simulate
from cardan.errors import CardanWarning
from cardan.spatial import Body, Model, Revolute
from invariants.imprecise import crank_rocker, door, four_bar_in_space

BOTH = ("cartesian", "joint")
TIMES = np.linspace(0.0, 2.0, 5)
MISSES = "ignore:.*do not fit exactly"


def rounded_models(seed: int, size: float, driven: bool) -> list[tuple[Model, Model]]:
    """Pairs of an exact and a rounded model."""
    links = crank_rocker(np.random.default_rng(seed))
    return [
        (door(0.0, seed, driven), door(size, seed, driven)),
        (four_bar_in_space(0.0, seed, driven, links), four_bar_in_space(size, seed, driven, links)),
    ]


@pytest.mark.filterwarnings(MISSES)
@pytest.mark.parametrize("size", [1e-7, 1e-6, 1e-5])
def test_reactions_are_those_of_the_exact_model(size, invariant_count, invariant_seed):
    """Loads shared by redundant joints differ by about the size of the rounding, magnified by the lever arms of the
    linkage and its transmission angles: less than 30 times in four-bars that Grashof's rule keeps away from change
    points. Positions differ less."""
    for seed in range(invariant_seed, invariant_seed + (invariant_count or 4)):
        for exact, rough in rounded_models(seed, size, driven=True):
            plain = inverse_dynamics(exact, TIMES)
            scale = max(np.abs(plain[joint.name].force).max() for joint in exact.constraints if not joint.drives)
            for coordinates in BOTH:
                found = inverse_dynamics(rough, TIMES, coordinates=coordinates)
                for joint in exact.constraints:
                    for name in ("force",) if joint.drives else ("force", "torque"):
                        gap = np.abs(getattr(found[joint.name], name) - getattr(plain[joint.name], name)).max()
                        assert gap <= 30.0 * size * scale, (seed, joint.name, name, coordinates)
                assert found.violations().max() <= 30.0 * size  # GROWTH in assembly/misfit.py


@pytest.mark.filterwarnings(MISSES)
@pytest.mark.parametrize("size", [1e-6, 1e-5])
def test_motions_and_reactions_of_simulations(size, invariant_count, invariant_seed):
    for seed in range(invariant_seed, invariant_seed + (invariant_count or 4)):
        for exact, rough in rounded_models(seed, size, driven=False):
            assert mobility(rough).degrees_of_freedom == mobility(exact).degrees_of_freedom == 1
            plain = simulate(exact, 0.2, output=[0.2], progress=False)
            scale = max(np.abs(plain[joint.name].force).max() for joint in exact.constraints)
            for coordinates in BOTH:
                found = simulate(rough, 0.2, output=[0.2], coordinates=coordinates, progress=False)
                for body in exact.bodies:
                    gap = np.abs(found[body.name].angular_velocity - plain[body.name].angular_velocity).max()
                    assert gap <= 30.0 * size, (seed, body.name)
                for joint in exact.constraints:
                    gap = np.abs(found[joint.name].force - plain[joint.name].force).max()
                    assert gap <= 30.0 * size * scale, (seed, joint.name, coordinates)


@pytest.mark.filterwarnings(MISSES)
@pytest.mark.parametrize("build", [door, four_bar_in_space])
def test_redundant_joints_share_the_load_at_an_equilibrium(build):
    exact, rough = (equilibrium(build(size, driven=False)) for size in (0.0, 1e-5))
    weight = 9.81 * sum(body.mass for body in exact.model.bodies)
    for joint in exact.model.constraints:
        assert np.abs(rough[joint.name].force - exact[joint.name].force).max() <= 30.0 * 1e-5 * weight
        assert np.abs(rough[joint.name].torque - exact[joint.name].torque).max() <= 30.0 * 1e-5 * weight


def out_of_line(offset: float, tilt: float) -> Model:
    """A leaf on two hinges that close exactly, but whose axes are not one line."""
    model = Model("door", gravity=(0.0, -9.81, 0.0))
    leaf = model.add(Body(mass=10.0, inertia=(1, 1, 1), center=(0.5, 0, 0)), name="leaf")
    model.add(Revolute(model.ground.at(), leaf.at()), name="lower")
    axis = (tilt, 0.0, 1.0)
    model.add(Revolute(model.ground.at(offset, 0, 2, z=axis), leaf.at(offset, 0, 2, z=axis)), name="upper")
    return model


@pytest.mark.filterwarnings(MISSES)
@pytest.mark.parametrize("size", [1e-7, 1e-6, 1e-5, 2e-5, 5e-5, 7e-5, 1.5e-4, 5e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("kind", ["offset", "tilt"])
def test_mobility_counts_the_degrees_of_freedom_that_a_simulation_has(kind, size):
    """One rank decision: the leaf falls if, and only if, mobility() counts a degree of freedom."""
    arguments = (size, 0.0) if kind == "offset" else (0.0, size)
    degrees_of_freedom = mobility(out_of_line(*arguments)).degrees_of_freedom
    for coordinates in BOTH:
        run = simulate(out_of_line(*arguments), 0.1, coordinates=coordinates, progress=False)
        assert (np.abs(run["leaf"].angular_velocity).max() > 1.0) == (degrees_of_freedom == 1), coordinates


def test_the_misfit_is_reported_and_absorbed_once():
    model = four_bar_in_space(1e-5, 0, driven=True)
    with pytest.warns(CardanWarning, match="do not fit exactly.*differ from what the other joints imply.*absorb"):
        start = assemble(model)
    assert 0.0 < max(start.misfits.values()) < 1e-4
    assert start.violation < 1e-11  # of all equations, those that absorb the misfit included
    for coordinates in BOTH:
        run = kinematics(model, TIMES, start=start, coordinates=coordinates)
        assert run.violations()[0].max() < 1e-10


def test_a_misfit_that_grows_along_the_motion_is_reported():
    """Rows that absorb a misfit may miss by 1e-4 of their scale later on; beyond that the run warns."""
    links = crank_rocker(np.random.default_rng(0))
    times = np.linspace(0.0, 6.3, 60)
    for size, warns in ((1e-5, False), (3e-5, True)):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            run = kinematics(four_bar_in_space(size, 0, True, links), times)
        assert any("'D' (turn x), redundant" in str(w.message) for w in said) == warns
        assert (run.violations().max() > 1e-4) == warns


@pytest.mark.filterwarnings(MISSES)
def test_a_large_misfit_is_an_error():
    for build in (door, four_bar_in_space):
        with pytest.raises(CardanError):
            assemble(build(1e-2))
