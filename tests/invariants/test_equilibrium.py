"""Equilibria of random mechanisms: stability agrees with dense eigenvalues, neutral directions stay where they were
placed, and the equilibrium found is the one that a small disturbance, or a parameter that moves on, leads back to."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import cardan.planar as plane
import cardan.spatial as space
from cardan import CardanError, CardanWarning, equilibrium, linearize
from invariants.generator import random_mechanism

NEAR = 1e-8  # m or rad: forces balance to 1e-12 of themselves, stiffnesses are 1e-3 of the largest or more
CLEAR = 1e-6  # of the fastest eigenvalue: a growth rate that is not rounding of a double zero, which is 1e-8


def sprung(seed: int, spatial: bool) -> Any:
    """A random mechanism, each body in a spring without free length: its energy has a minimum."""
    model = random_mechanism(seed, spatial, driven=False, equipped=False).model
    words, random = (space, np.random.default_rng(seed)) if spatial else (plane, np.random.default_rng(seed))
    n = model.space.dimensions
    for body in list(model.bodies):
        at, point = random.uniform(-1.0, 1.0, n), random.uniform(-0.3, 0.3, n)
        measure = words.length(model.ground.at(*at), body.at(*point))
        model.add(words.Spring(measure, random.uniform(5.0, 50.0), rest_length=0.0), name=f"held {body.name}")
    return model


def found(model: Any, method: str, **options: Any) -> Any:
    """The equilibrium, or None where the mechanism has none that this method finds, which it must say."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CardanWarning)
        try:
            return equilibrium(model, method, **options)
        except CardanError as error:
            assert len(str(error)) > 20
            return None


@pytest.mark.parametrize("spatial", [False, True], ids=["planar", "spatial"])
def test_stability_agrees_with_eigenvalues(spatial: bool, invariant_seeds: range) -> None:
    """Of the motion: growing, or not. Where the verdict is open, an eigenvalue is zero, and coordinates are named."""
    judged = 0
    for seed in invariant_seeds:
        model = sprung(seed, spatial)
        for method in ("energy", "newton"):
            rest = found(model, method)
            if rest is None or not rest.system.coordinates:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CardanWarning)
                try:
                    values = linearize(model, at=rest).eigenvalues()
                except CardanError:  # a body without inertia, a stop that is just met
                    continue
            fastest = float(np.abs(values).max(initial=0.0))
            growing = bool(values.real.max(initial=-np.inf) > CLEAR * fastest)
            zero = bool(np.abs(values).min(initial=np.inf) <= CLEAR * fastest)
            judged += 1
            told = f"seed {seed}, {method}: {rest.stable}, {rest.reason}, growing {growing}"
            assert growing == (rest.stable is False), told
            assert zero or rest.stable is not None, told
            assert bool(rest.neutral or rest.reason) == (rest.stable is None) or rest.stable is False, told
            assert method != "energy" or rest.stable is not False, told
    assert judged >= len(invariant_seeds)


def sprung_sledge(seed: int) -> tuple[Any, list[Any]]:
    """Masses on a sledge that nothing holds along its rail, each in four springs without free length; its bodies."""
    random = np.random.default_rng(seed)
    model = plane.Model("sledge", gravity=(0.0, -9.81))
    at = float(random.uniform(-5.0, 5.0))
    sledge = model.add(plane.Body(mass=2.0, inertia=1.0, position=(at, 0.0)), name="sledge")
    model.add(plane.Translational(model.ground.at(), sledge.at()), name="rail")
    bodies = [sledge]
    for k in range(int(random.integers(1, 4))):
        place = random.uniform(-0.4, 0.4, 2)
        body = plane.Body(mass=1.0, inertia=0.1, position=(at + place[0], 0.5 + place[1]))
        bodies.append(model.add(body, name=f"mass {k}"))
        for u in (-1.0, 1.0):
            for arm in (-0.1, 0.1):
                measure = plane.length(bodies[int(random.integers(k + 1))].at(u, 1.0), bodies[-1].at(arm, arm))
                stated = {"stiffness": random.uniform(50.0, 500.0), "rest_length": 0.0, "damping": 5.0}
                model.add(plane.Spring(measure, **stated), name=f"spring {k} {u} {arm}")
    return model, bodies


@pytest.mark.parametrize("method", ["energy", "newton", "settle"])
def test_neutral_directions_stay_where_they_were_placed(method: str, invariant_seeds: range) -> None:
    """Masses on a sledge that nothing holds along its rail: of all places the one with the least displacement, so that
    the displacements along the rail add up to nothing; and the rail is named."""
    for seed in invariant_seeds:
        model, bodies = sprung_sledge(seed)
        rest = found(model, method)
        assert rest is not None and len(rest.neutral) == 1, f"seed {seed}: {rest}"
        assert rest.stable is None or (method == "newton" and rest.stable is False), f"seed {seed}: {rest}"
        assert rest.neutral[0].startswith("x of"), f"seed {seed}: {rest.neutral}"
        moved = sum(float(rest[body].position[0]) - body.position[0] for body in bodies)
        assert abs(moved) < 1e-6 * len(bodies), f"seed {seed}: moved by {moved:g} m along the rail"


@pytest.mark.parametrize("seed", [30, 159, 188])
def test_minima_of_the_imbalance_are_left(seed: int) -> None:
    """Newton's steps end where 10 %, 0.4 % and 0.3 % of the forces are unbalanced and a body would have to turn past a
    maximum of its moment; the equilibrium lies behind it."""
    rest = found(sprung_sledge(seed)[0], "newton")
    assert rest is not None and rest.imbalance < 1e-12
    assert not rest.stable


@pytest.mark.parametrize("spatial", [False, True], ids=["planar", "spatial"])
def test_the_rest_found_is_the_near_one(spatial: bool, invariant_seeds: range) -> None:
    """From a stable rest itself, and with a stiffness that moves on step by step, few steps lead where many do."""
    for seed in list(invariant_seeds)[: max(4, len(invariant_seeds) // 3)]:
        model = sprung(seed, spatial)
        rest = found(model, "energy")
        if rest is None or rest.stable is not True:
            continue
        for method in ("energy", "newton"):
            again = found(model, method, start=rest)
            assert again is not None and np.abs(again.q - rest.q).max() < NEAR, f"seed {seed}, {method}"
        spring = next(e for e in model.forces if e.name.startswith("held"))
        ends, first = [], float(spring.stiffness)
        for steps in (2, 8):
            here = rest
            for k in range(1, steps + 1):
                object.__setattr__(spring, "stiffness", first * (1.0 + 0.1 * k / steps))
                here = found(model, "newton", start=here)
                assert here is not None, f"seed {seed}: lost at step {k} of {steps}"
            ends.append(here.q)
        assert np.abs(ends[0] - ends[1]).max() < 1e-6, f"seed {seed}"


@pytest.mark.parametrize("spatial", [False, True], ids=["planar", "spatial"])
@pytest.mark.parametrize("count", [4, 16, 40])
@pytest.mark.parametrize("load", [0.9, 1.1, 1.3])
def test_a_column_buckles_at_the_load_of_euler(load: float, count: int, spatial: bool) -> None:
    """A clamped column, P = pi^2 E I / 4 L^2: stable below, unstable above, whatever the number of its beams, though it
    is 1e8 times as stiff along its axis. Beams that bend by a cubic err by less than 1 % of the load."""
    words, length, width, E = (space if spatial else plane), 1.0, 0.005, 210e9
    A, inertia = width**2, width**4 / 12.0
    bent = {"G": 81e9, "Iy": inertia, "Iz": inertia, "J": 2.0 * inertia} if spatial else {"I": inertia}
    model = words.Model("column")
    end, axes = model.ground.at(), model.space.dimensions
    for k in range(count):
        place = (length * (k + 1) / count, 0.0, 0.0)[:axes]
        node = model.add(words.Body(0.01, (1e-6,) * 3 if spatial else 1e-6, position=place), name=f"node {k}")
        model.add(words.Beam(end, node.at(), length / count, E=E, A=A, **bent), name=f"beam {k}")
        end = node.at()
    force = load * math.pi**2 * E * inertia / (4.0 * length**2)
    model.add(words.Load(end, (-force, 0.0, 0.0)[:axes]), name="load")
    assert equilibrium(model, "newton").stable is (load < 1.0)
