"""Gradients by the adjoint, of all that a motion can be asked for, against direct differentiation and whole runs.

The adjoint takes differences of the second order in long windows: five digits, of the largest derivative where others
are small.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from cardan import Event, ModelError, gradient, motion_sensitivities, parameter, reaction, simulate
from cardan.model.parameter import changed
from cardan.planar import (
    PID,
    Actuator,
    Body,
    Distance,
    Model,
    Revolute,
    Spring,
    constraint,
    controller,
    rate,
    x,
    y,
)

DIGITS = 1e-5


def same_as_direct(model: Any, names: list[str], outputs: list[Any], until: float = 0.3) -> None:
    """Each output, at the end of a run, by the adjoint and directly."""
    run = simulate(model, until, output=until / 3, rtol=1e-9)
    s = motion_sensitivities(run, names, outputs)
    for k in range(len(outputs)):
        g = gradient(run, names, outputs, final=lambda y, k=k: y[k])
        assert g.value == pytest.approx(s.values[-1, k], rel=1e-7)
        size = float(np.abs(s.derivatives[-1, k]).max())
        assert size > 1e-3
        np.testing.assert_allclose(g.derivatives, s.derivatives[-1, k], rtol=DIGITS, atol=DIGITS * size)


def loop() -> Any:
    model = Model("loop", gravity=(0.0, -9.81))
    crank = model.add(Body(mass=1.0, inertia=0.1, position=(0.3, 0.4), angle=math.atan2(0.4, 0.3)), name="crank")
    there = {"position": (1.2 + 0.6 * math.cos(1.2), 0.6 * math.sin(1.2)), "angle": 1.2}
    rocker = model.add(Body(mass=2.0, inertia=0.4, **there), name="rocker")
    pivot = model.add(Revolute(model.ground.at(), crank.at(-0.5, 0.0)), name="pivot")
    model.add(Revolute(model.ground.at(1.2, 0.0), rocker.at(-0.6, 0.0)), name="post")
    rod = math.hypot(0.6 + 1.2 * math.cos(1.2), 1.2 * math.sin(1.2) - 0.8)
    model.add(Distance(crank.at(0.5, 0.0), rocker.at(0.6, 0.0), rod), name="rod")
    spring = model.add(Spring(pivot.angle, 30.0, 0.5, rest_angle=0.5), name="spring")
    return model, crank, pivot, spring


def test_outputs_of_a_loop() -> None:
    """Forces, reactions, accelerations and rates, by masses, centers, springs, gravity, points and lengths."""
    model, crank, pivot, spring = loop()
    tip = x(crank.at(0.5, 0.1))
    outputs = [spring, reaction(pivot, "x"), reaction(model["rod"], "length"), (tip, "acceleration"), rate(tip)]
    names = ["crank.mass", "rocker.inertia", "rocker.center.x", "crank.center.y", "gravity.y", "gravity.x"]
    names += ["spring.stiffness", "spring.damping", "spring.rest_angle", "rod.length", "pivot.a.x", "post.b.y"]
    same_as_direct(model, names, outputs)


def test_an_integral_of_loads_against_whole_runs() -> None:
    """G = integral of squares of a reaction and an acceleration: differences of the fourth order of its values."""
    model, crank, pivot, _ = loop()
    outputs = [reaction(pivot, "y"), (pivot.angle, "acceleration")]

    def found(names: Any) -> Any:
        return gradient(simulate(model, 0.4, rtol=1e-11), names, outputs, lambda y, t: y[0] ** 2 + 3.0 * y[1] ** 2)

    names = ["crank.mass", "rod.length", "spring.stiffness"]
    g = found(names)
    for name in names:
        one, values = parameter(model, name), []
        h = 1e-3 * one.value
        for step in (h, -h, 2.0 * h, -2.0 * h):
            with changed(model, {one: one.value + step}):
                values.append(found(name).value)
        slope = (8.0 * (values[0] - values[1]) - (values[2] - values[3])) / (12.0 * h)
        assert g[name] == pytest.approx(slope, rel=DIGITS)


@controller
def centring(angle, speed, gain=40.0, damping=2.0):
    return -gain * math.sin(angle) - damping * speed


def test_signals_and_gains_of_controllers() -> None:
    """States of devices are part of the adjoint; a block with states and a function of a user's act on one arm."""
    model = Model("arm", gravity=(0.0, -9.81))
    arm = model.add(Body(mass=1.0, inertia=0.5, position=(0.4, 0.0)), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at(-0.4, 0.0)), name="hinge")
    pid = model.add(PID(hinge.angle, 0.3, 20.0, 5.0, 3.0), name="pid")
    law = model.add(centring(hinge.angle, rate(hinge.angle), gain=3.0, damping=0.2), name="law")
    model.add(Actuator(hinge.angle, -(-1.0 * pid)), name="motor")  # devices behind devices
    model.add(Actuator(hinge.angle, law), name="brake")
    names = ["pid.kp", "pid.ki", "pid.kd", "pid.setpoint", "law.gain", "law.damping", "arm.mass", "hinge.b.x"]
    same_as_direct(model, names, [hinge.angle, pid, law, 2.0 * rate(hinge.angle) + 1.0])


def test_forces_that_depend_on_reactions() -> None:
    """A brake that is pressed on by what the pin carries: all is solved together; so are sums of reactions."""
    model = Model("pressed", gravity=(0.0, -9.81))
    arm = model.add(Body(mass=1.0, inertia=0.5, position=(0.4, 0.0)), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at(-0.4, 0.0)), name="hinge")
    model.add(Actuator(hinge.angle, 0.03 * reaction(hinge, "y")), name="brake")
    outputs = [hinge.angle, reaction(hinge, "y"), reaction(hinge, "x") + 2.0 * reaction(hinge, "y"), model["brake"]]
    same_as_direct(model, ["arm.mass", "arm.inertia", "hinge.b.x", "gravity.y"], outputs)


@constraint
def parabola(x, y, c=1.5):
    return y - c * x * x


def test_numbers_of_a_users_constraint() -> None:
    """A bead on y = c x^2, whose row is a function."""
    model = Model("wire", gravity=(0.0, -9.81))
    bead = model.add(Body(mass=1.0, inertia=0.1, position=(0.5, 0.5)), name="bead")
    wire = model.add(parabola(x(bead.at()), y(bead.at()), c=2.0), name="wire")
    label = wire.equations()[0].label
    same_as_direct(model, ["wire.c", "bead.mass", "gravity.y"], [x(bead.at()), reaction(wire, label)])


def test_what_cannot_be_differentiated_is_named_with_a_way_out() -> None:
    model, _, pivot, _ = loop()
    run = simulate(model, 0.2)
    with pytest.raises(ModelError, match="needs outputs: list"):
        gradient(run, "crank.mass", [], final=lambda y: 1.0)
    stopped = simulate(model, 2.0, events=[Event(pivot.angle, 0.9)])
    assert len(stopped.events) == 1
    with pytest.raises(ModelError, match="end the run before the jump and start another after it, or compare"):
        gradient(stopped, "crank.mass", pivot.angle, final=lambda y: y[0])
