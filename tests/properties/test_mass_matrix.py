"""Mass matrices and rates of positions: they must be derivatives of inertia forces and of displacements."""

from __future__ import annotations

import numpy as np
import pytest

import cardan.planar as plane
import cardan.spatial as space
from cardan.model.space import (
    advance,
    displacement,
    inertia_forces,
    mass_blocks,
    normalize,
    position_rates,
    speeds_of,
)
from cardan.results.energy import kinetic_energy
from cardan.system.compile import compile


def moving(vocabulary):
    """Two bodies with mass centers and axes anywhere, at a place and a speed that mean nothing."""
    model = vocabulary.Model("loose")
    if vocabulary is plane:
        model.add(plane.Body(2.0, 0.3, center=(0.2, -0.1), angle=0.4), name="a")
        model.add(plane.Body(1.0, 0.1, position=(1.0, 2.0), angle=-1.0), name="b")
    else:
        J = np.array([[0.5, 0.1, -0.05], [0.1, 0.6, 0.07], [-0.05, 0.07, 0.7]])
        model.add(space.Body(2.0, J, center=(0.2, -0.1, 0.3), orientation=(0.5, 0.5, -0.5, 0.5)), name="a")
        model.add(space.Body(1.0, (0.1, 0.2, 0.25), position=(1.0, 2.0, 3.0)), name="b")
    system = compile(model, forces=True)
    v = system.speeds()
    v[system.width :] = np.random.default_rng(3).normal(size=system.coordinates)
    return system, v


@pytest.fixture(params=[plane, space], ids=["plane", "space"])
def case(request):
    return moving(request.param)


def matrix(system):
    matter = system.space.matter((system.model.ground, *system.bodies))
    matter[0] = 0.0
    blocks = np.zeros((matter.shape[0], system.width * (system.width + 1) // 2))
    mass_blocks(system.geometry, matter, system.start, blocks)
    M = np.zeros((system.coordinates, system.coordinates))
    rows, columns = np.tril_indices(system.width)
    for k in range(len(system.bodies)):
        M[system.width * k + rows, system.width * k + columns] = blocks[k + 1]
        M[system.width * k + columns, system.width * k + rows] = blocks[k + 1]
    return M, matter


def test_mass_is_the_slope_of_inertia_forces(case):
    """inertia_forces = ... - M a is linear in a: differences give M to rounding."""
    system, v = case
    M, matter = matrix(system)
    gravity = np.zeros(system.space.dimensions)

    def force(a):
        out = system.speeds()
        inertia_forces(system.geometry, matter, gravity, system.start, v, a, out)
        return out[system.width :]

    still = force(system.speeds())
    for i in range(system.coordinates):
        a = system.speeds()
        a[system.width + i] = 1.0
        assert still - force(a) == pytest.approx(M[i], abs=1e-14)


def test_kinetic_energy_is_that_of_the_mass_matrix(case):
    system, v = case
    M, _ = matrix(system)
    u = v[system.width :]
    assert kinetic_energy(system, system.start[None], v[None])[0] == pytest.approx(0.5 * u @ M @ u, rel=1e-14)


def test_entries_that_are_not_zero_are_in_the_pattern(case):
    """What `coupled` leaves out of the factorization is zero."""
    system, _ = case
    M, _ = matrix(system)
    for k, body in enumerate(system.bodies):
        block = M[system.width * k :, system.width * k :][: system.width, : system.width]
        found = {(i, j) for i in range(system.width) for j in range(i) if abs(block[i, j]) > 0.0}
        assert found <= system.space.coupled(body)


def test_rates_of_positions_lead_where_speeds_do(case):
    """q + h q' and q advanced by h v part with h^2; the speeds of q' are v."""
    system, v = case
    rates, back, step = np.zeros_like(system.start), system.speeds(), system.speeds()
    position_rates(system.geometry, system.start, v, rates)
    speeds_of(system.geometry, system.start, rates, back)
    assert back == pytest.approx(v, abs=1e-14)
    gaps = []
    for h in (1e-3, 5e-4):
        straight, exact = system.start + h * rates, system.start.copy()
        normalize(system.geometry, straight)
        advance(system.geometry, exact, h * v)
        displacement(system.geometry, exact, straight, step)
        gaps.append(np.abs(step).max())
    assert gaps[0] < 1e-5 and (gaps[1] < 0.3 * gaps[0] or gaps[0] < 1e-15)
