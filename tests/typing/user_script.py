"""A typed model as a user writes it: checked by mypy in strict mode, never run. See `test_types.py`."""

from __future__ import annotations

import math

import numpy as np

from cardan import (
    Event,
    Radau,
    assemble,
    eigenmodes,
    equilibrium,
    equilibrium_path,
    gradient,
    initial_conditions,
    inverse_dynamics,
    joint_space,
    kinematics,
    linearize,
    mobility,
    modal_sensitivities,
    motion_sensitivities,
    optimize,
    parameter,
    periodic_motion,
    planar,
    root_locus,
    sensitivities,
    simulate,
    spatial,
    steady_motion,
    study,
)
from cardan.model.element import Element
from cardan.model.measure import Measure


def slider_crank(radius: float, length: float) -> planar.Model:
    model = planar.Model("slider-crank", gravity=(0.0, -9.81))
    crank = model.add(planar.Body(mass=1.0, inertia=0.01, position=(radius, 0.0)), name="crank")
    slider = model.add(planar.Body(2.0, 0.1, position=np.array([length, 0.0])), name="slider")
    pin = model.add(planar.Revolute(model.ground.at(), crank.at(-radius, 0.0)), name="pin")
    guide = model.add(planar.Translational(model.ground.at(), slider.at()), name="guide")
    model.add(planar.Distance(crank.at(radius, 0.0), slider.at(), length), name="rod")
    model.add(planar.Driver(pin.angle, lambda t: 10.0 * t), name="motor")
    model.add(planar.Spring(guide.travel, 500.0, rest_length=0.2, force=planar.Harmonic(5.0, 3.0)), name="spring")
    model.add(planar.Friction(guide, 0.1, creep_speed=1e-3), name="friction")
    pid = model.add(planar.PID(guide.travel, setpoint=0.1, kp=60.0), name="pid")
    model.add(planar.Actuator(guide.travel, 2.0 * pid), name="actuator")
    model.add(planar.Gear(model.ground.at(), crank.at(), 0.1, 0.2), name="gear")
    angle: Measure = pin.angle
    combined = angle + 2.0 * guide.travel
    model.add(planar.Hold(combined, 0.5), name="hold")
    element: Element = model["crank"]
    return model if element.name else planar.Model("none")


def door() -> spatial.Model:
    model = spatial.Model("door")
    leaf = model.add(
        spatial.Body(
            mass=20.0,
            inertia=(1.0, 1.0, 2.0),
            position=[0.4, 0.0, 1.0],
            orientation=spatial.rotation.from_axis_angle((0.0, 0.0, 1.0), 0.5),
        ),
        name="leaf",
    )
    hinge = model.add(spatial.Revolute.between(model.ground, leaf, at=(0.0, 0.0, 1.0), z=(0.0, 0.0, 1.0)), name="hinge")
    model.add(spatial.Stop(hinge.angle, upper=math.pi, stiffness=1e4), name="stop")
    model.add(spatial.Screw(model.ground.at(), leaf.at(), 0.01), name="screw")
    model.add(spatial.Cable([model.ground.at(), leaf.at(0.1, 0.0, 0.0)], EA=1e5, rest_length=1.0), name="cable")
    return model


def analyses(model: planar.Model) -> float:
    """Every analysis, with results of the types that their docstrings state."""
    spring = planar.Spring(planar.x(model.ground.at()), 1.0, rest_length=0.0)
    closed = assemble(model, time=0.0)
    begun = initial_conditions(model, {"pin.angle": 0.1}, {"pin.angle": 1.0})
    degrees_of_freedom: int = mobility(model).degrees_of_freedom
    motion = kinematics(model, np.linspace(0.0, 1.0, 11), start=closed)
    forces = inverse_dynamics(model, [0.0, 0.5], at_bifurcation="smooth")
    run = simulate(model, 1.0, output=0.01, method=Radau(), rtol=1e-6, start=begun, events=[Event(spring.measure)])
    rest = equilibrium(model, method="newton")
    several = equilibrium(model, starts=5)
    path = equilibrium_path(model, spring, (0.0, 2.0))
    steady = steady_motion(model, 10.0, start=rest)
    periodic = periodic_motion(model, 0.5, points=11)
    linear = linearize(model, rest, inputs=[spring], outputs=[planar.x(model.ground.at())])
    at_time = linearize(model, (run, 0.5))
    modes = eigenmodes(model, steady, 4)
    locus = root_locus(model, [1.0, 2.0], parameter="spring.stiffness", at=equilibrium)
    derived = sensitivities(motion, ["spring.stiffness"], planar.x(model.ground.at()))
    moved = motion_sensitivities(run, parameter(spring, "stiffness"))
    modal = modal_sensitivities(model, "spring.stiffness", rest)
    slope = gradient(run, ["spring.stiffness"], [planar.x(model.ground.at())], final=lambda y, t: y[0])
    design = optimize(model, {"spring.stiffness": (1.0, 2.0)}, lambda changed: float(simulate(changed, 1.0).times[-1]))
    space = joint_space(model, start=closed)
    swept = study(model, {"spring.stiffness": [1.0, 2.0]}, "simulate", {"x": "slider.x"}, until=1.0)
    print(forces, several, path, periodic, at_time, modes, locus, derived, moved, modal, slope, design, space, swept)
    return degrees_of_freedom + float(linear.eigenvalues()[0].real)
