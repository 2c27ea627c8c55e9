"""Absent masses: decided body by body, and refined until what stands in for them does not matter."""

import numpy as np
import pytest

from cardan import planar as plane
from cardan.system.cartesian.mechanism_tables import mechanism_tables
from cardan.system.cartesian.softness import REFINED_ERROR, RESISTED, lengths_of, refinements, weakest
from cardan.system.compile import compile


def system_of(*bodies):
    model = plane.Model("masses")
    for k, (mass, inertia, arm) in enumerate(bodies):
        body = model.add(plane.Body(mass=mass, inertia=inertia, position=(float(k), 0.0)), name=f"body {k}")
        model.add(plane.Revolute(model.ground.at(float(k) - arm, 0.0), body.at(-arm, 0.0)), name=f"pin {k}")
    return compile(model, forces=True)


def test_small_bodies_are_not_light_ones():
    """10 g and 1 mm beside 1 t and 100 m: nothing is added."""
    assert not mechanism_tables(system_of((0.01, 5e-9, 1e-3), (1000.0, 1e7, 100.0))).soft.any()


@pytest.mark.parametrize("inertia", [0.0, 1e-14])
def test_what_is_absent_gets_a_little_of_its_own_scale(inertia):
    """1e-8 of m l^2, with l the arm of its markers, whatever else there is."""
    soft = mechanism_tables(system_of((1.0, inertia, 0.1), (1000.0, 1e7, 100.0))).soft.reshape(2, 3)
    assert soft[0, 2] == pytest.approx(1e-8 * 0.01, rel=1e-6)
    assert not soft[1].any()


def test_the_share_of_stated_masses():
    """Masses 1 and 0 that move together, with 1e-3 added to the second: 1 / 1.001 along (1, 1), 0 along (0, 1)."""
    mass, soft = np.diag([1.0, 0.0]), np.array([0.0, 1e-3])
    share, _ = weakest(mass, soft, np.array([[1.0], [1.0]]))
    assert share == pytest.approx(1.0 / 1.001, rel=1e-12)
    share, motion = weakest(mass, soft, np.eye(2))
    assert share == pytest.approx(0.0, abs=1e-12) and abs(motion[1]) > abs(motion[0])
    assert weakest(mass, 0.0 * soft, np.eye(2))[0] == 0.0


@pytest.mark.parametrize("share", [RESISTED, 0.9, 0.999, 1.0 - 1e-9])
def test_refinements_suffice(share):
    assert (1.0 - share) ** (1 + refinements(share)) <= REFINED_ERROR * 1.001


def test_a_mass_center_that_is_off_by_rounding_is_at_the_origin():
    """The arm of a free body is then its radius of gyration: its mass does not count as absent."""
    model = plane.Model("free")
    model.add(plane.Body(mass=1.0, inertia=0.25, center=(1e-17, 0.0)), name="body")
    system = compile(model, forces=True)
    assert lengths_of(system) == pytest.approx([0.5])
    assert not mechanism_tables(system).soft.any()
