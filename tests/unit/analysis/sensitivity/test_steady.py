"""Steady motions and their modes follow parameters: against closed forms, and against motions found anew."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cardan.planar as flat
import cardan.spatial as deep
from cardan import ModelError, linearize, modal_sensitivities, parameter, reaction, sensitivities, steady_motion
from cardan.model.parameter import changed
from properties.test_steady_turns import _bicycle

G = 9.81


def conical(lean: float = 0.5, length: float = 0.6) -> Any:
    """A bob on a rod that hangs from a shaft; the rod leans by 0.5 rad."""
    side, down = length * math.sin(lean), length * math.cos(lean)
    model = deep.Model("conical", gravity=(0, 0, -G))
    shaft = model.add(deep.Body(), name="shaft")
    bob = model.add(deep.Body(mass=2.0, position=(side, 0, -down)), name="bob")
    model.add(deep.Revolute(model.ground.at(), shaft.at()), name="spindle")
    axis = (0, 1, 0)
    model.add(deep.Revolute(shaft.at(z=axis), bob.at(-side, 0, down, z=axis)), name="hinge")
    return model, bob, down


def test_spin_and_frequency_follow_gravity() -> None:
    """W^2 = g / h at a height h that is given, and w^2 = W^2 (1 + 3 cos^2): both go with the root of g."""
    model, bob, down = conical()
    motion = steady_motion(model, given={deep.z(bob.at()): -down})
    s = sensitivities(motion, ["gravity.z", "bob.mass"], [reaction(model["hinge"], "z"), deep.z(bob.at())])
    assert motion.spin == pytest.approx(math.sqrt(G / down))
    np.testing.assert_allclose(s.spin, [motion.spin / (2.0 * -G), 0.0], atol=1e-9)
    np.testing.assert_allclose(s.derivatives[1], 0.0, atol=1e-9)  # the height was asked for
    modes = modal_sensitivities(model, ["gravity.z"], motion)
    frequency = modes.modes.frequencies[-1]
    assert frequency == pytest.approx(motion.spin * math.sqrt(1.0 + 3.0 * math.cos(0.5) ** 2))
    assert modes.damped_frequencies[-1, 0] == pytest.approx(frequency / (2.0 * -G), rel=1e-7)


def test_a_stated_spin_stays_and_the_lean_follows() -> None:
    """cos = g / (W^2 l): with W stated, d(height)/dg = 1 / W^2."""
    model, bob, down = conical()
    spin = math.sqrt(G / down)
    s = sensitivities(steady_motion(model, spin), ["gravity.z"], deep.z(bob.at()))
    assert s.spin[0] == 0.0
    assert s.derivatives[0, 0] == pytest.approx(1.0 / spin**2, rel=1e-8)


def test_a_car_in_its_turn() -> None:
    """Steering and drive are sought: linearize() takes what was found, derivatives are those of turns found anew."""
    speed, radius = 20.0, 80.0
    model, delta, drive = _bicycle(speed)

    def turn() -> Any:
        return steady_motion(model, body=model["car"], speed=speed, radius=radius, free=[delta, drive])

    motion = turn()
    stated, *_ = _bicycle(speed, motion.values[delta], motion.values[drive])
    ours = linearize(model, motion)
    assert ours.residual < 1e-10
    np.testing.assert_allclose(ours.A, linearize(stated, motion).A, atol=1e-7 * np.abs(ours.A).max())
    s = modal_sensitivities(model, ["car.inertia"], motion)
    one, h, found = parameter(model, "car.inertia"), 8.0, []
    for step in (h, -h, 2.0 * h, -2.0 * h):
        with changed(model, {one: one.value + step}):
            found.append(linearize(model, turn()).modes().eigenvalues[-1])
    difference = (8.0 * (found[0] - found[1]) - (found[2] - found[3])) / (12.0 * h)
    assert s.eigenvalues[-1, 0] == pytest.approx(difference, rel=1e-6)
    assert abs(difference) > 1e-6  # it does follow


def test_what_cannot_follow_is_named() -> None:
    model, bob, down = conical()
    motion = steady_motion(model, given={deep.z(bob.at()): -down})
    motion.equations = None
    with pytest.raises(ModelError, match="does not contain its conditions"):
        sensitivities(motion, "bob.mass")
    other, *_ = conical()
    with pytest.raises(ModelError, match="computed for another model, 'conical'"):
        modal_sensitivities(other, "bob.mass", motion)
    still = flat.Model("still")
    still.add(flat.Body(mass=1.0, inertia=1.0), name="bar")
    with pytest.raises(ModelError, match="must be an equilibrium or a steady motion"):
        modal_sensitivities(still, "bar.mass", 3.0)  # type: ignore[arg-type]
