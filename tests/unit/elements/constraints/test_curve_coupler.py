"""Couplings through tables: kinematics and forces in closed form, user functions that call splines, model files."""

import math

import numpy as np
import pytest

from cardan import inverse_dynamics, kinematics, load_model, save_model, simulate
from cardan.errors import ModelError
from cardan.planar import (
    Body,
    CurveCoupler,
    Driver,
    Dwell,
    Harmonic,
    Model,
    MotionProgram,
    Move,
    Ramp,
    Revolute,
    Spline,
    Translational,
    constraint,
)
from folding import folded

TABLE = Spline([0.0, 0.7, 1.5, 2.0, 3.0], [0.0, 0.1, 0.15, 0.05, 0.0], end="clamped")
LIFT = MotionProgram([Move(0.02, 1.0), Dwell(0.5), Move(0.0, 1.0, "3-4-5"), Dwell(0.5)], repeat="periodic")
CURVES = {
    "spline": TABLE,
    "program": LIFT,
    "harmonic": Harmonic(0.1, 2.0),
    "sum": 0.5 * TABLE + Harmonic(0.01, 3.0),
    "function": lambda x: 0.1 * math.sin(x),
}


def machine(couple, mass: float = 0.0) -> Model:
    """A shaft and a ram on a rail, coupled."""
    model = Model("machine")
    shaft = model.add(Body(mass=0.1 * bool(mass), inertia=0.2 * bool(mass)), name="shaft")
    ram = model.add(Body(mass=mass), name="ram")
    hinge = model.add(Revolute(model.ground.at(), shaft.at()), name="hinge")
    rail = model.add(Translational(model.ground.at(), ram.at()), name="rail")
    model.add(couple(rail.travel, hinge.angle), name="cam")
    return model


@folded("name", [*CURVES])
def test_the_ram_follows_the_curve(name):
    """y = f(x), y' = f' x', y'' = f'' x'^2 at x = 2 t."""
    curve = CURVES[name]
    model = machine(lambda y, x: CurveCoupler(y, x, curve))
    model.add(Driver(model["hinge"].angle, Ramp(2.0)), name="motor")
    times = np.linspace(0.01, 1.6, 23)
    run = kinematics(model, times)
    motion = Harmonic(0.1, 1.0) if name == "function" else curve
    value, rate, acceleration = motion.derivatives(2.0 * times)
    np.testing.assert_allclose(run["rail.travel"], value, atol=1e-13)
    np.testing.assert_allclose(run["ram"].velocity[:, 0], 2.0 * rate, atol=1e-12)
    np.testing.assert_allclose(run["ram"].acceleration[:, 0], 4.0 * acceleration, atol=1e-11)


def test_force_and_energy():
    """The torque on the shaft is m y'' f'; a free run conserves energy, (I + m f'^2) x'^2 / 2."""
    model = machine(lambda y, x: CurveCoupler(y, x, TABLE), mass=3.0)
    model.add(Driver(model["hinge"].angle, Ramp(2.0)), name="motor")
    times = np.linspace(0.01, 1.4, 15)
    run = inverse_dynamics(model, times)
    _, slope, bend = TABLE.derivatives(2.0 * times)
    np.testing.assert_allclose(run["motor.force"], 3.0 * 4.0 * bend * slope, atol=1e-10)
    free = machine(lambda y, x: CurveCoupler(y, x, TABLE), mass=3.0)
    object.__setattr__(free["shaft"], "angular_velocity", 1.5)
    run = simulate(free, 1.5, rtol=1e-10)
    x, speed = run["hinge.angle"], run["shaft"].angular_velocity
    slope = TABLE.derivatives(x)[1]
    energy = (0.2 + 3.0 * slope**2) * speed**2
    np.testing.assert_allclose(energy, energy[0], rtol=1e-6)  # jerk jumps at the knots inside steps


def test_user_constraints_may_call_splines():
    @constraint
    def cam(y, x, gain=2.0):
        return y - gain * TABLE(x) - LIFT(x)

    model = machine(lambda y, x: cam(y, x, gain=3.0))
    model.add(Driver(model["hinge"].angle, Ramp(1.0)), name="motor")
    times = np.linspace(0.01, 2.9, 17)
    run = kinematics(model, times)
    both = 3.0 * TABLE + LIFT
    np.testing.assert_allclose(run["rail.travel"], both(times), atol=1e-13)
    np.testing.assert_allclose(run["ram"].acceleration[:, 0], both.derivatives(times)[2], atol=1e-11)


FILE = """
cardan: 1
name: machine
space: planar
units: {length: mm, angle: deg}
bodies: {shaft: {}, ram: {}}
joints:
  hinge: {type: revolute, a: ground, b: shaft}
  rail: {type: translational, a: ground, b: ram}
  cam:
    type: curve_coupler
    measure: rail.travel
    of: hinge.angle
    curve: {type: spline, times: [0, 90, 180, 270], values: [0, 20, 30, 0]}
drivers:
  motor: {measure: hinge.angle, motion: ramp(90)}
"""


def test_model_files(tmp_path):
    """The table in mm over degrees."""
    path = tmp_path / "machine.yaml"
    path.write_text(FILE)
    model = load_model(path).model
    np.testing.assert_allclose(kinematics(model, [0.0, 1.0, 2.0])["rail.travel"], [0.0, 0.02, 0.03], atol=1e-14)
    save_model(model, tmp_path / "again.yaml")
    assert load_model(tmp_path / "again.yaml").model["cam"].curve == model["cam"].curve


def test_rejected():
    with pytest.raises(ModelError, match="couples plain measures"):
        machine(lambda y, x: CurveCoupler(2.0 * y, x, TABLE))
    with pytest.raises(ModelError, match="the curve of a CurveCoupler"):
        machine(lambda y, x: CurveCoupler(y, x, "table"))
