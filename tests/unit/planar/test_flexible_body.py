"""Flexible planar bodies: the same as in space, where the part moves in its plane."""

import numpy as np
import pytest

import cardan.spatial as space
from cardan import equilibrium, linearize, simulate
from cardan.errors import ModelError
from cardan.model.space import advance
from cardan.planar import (
    Body,
    FlexibleBody,
    Hold,
    Model,
    Revolute,
    Spring,
    angle,
    bearing,
    component,
    dot,
    length,
    velocity_along,
    x,
)
from cardan.system.compile import compile
from cardan.system.evaluate import evaluate_position, evaluate_velocity
from flexible_parts import Points, brick_part

STATE = {"deformation": (0.1, -0.2, 0.15, 0.05), "deformation_rate": (0.3, 0.2, -0.4, 0.1)}
RNG = np.random.default_rng(9)


@pytest.mark.parametrize("stiffened", [False, True])
def test_a_planar_body_moves_as_in_space(stiffened: bool) -> None:
    """The part is planar, and gravity is in the plane; the spring pulls at an interface that turns."""
    part = Points(11, stiffened, flat=True).part
    flat = Model("swing", gravity=(0.5, -9.81))
    body = flat.add(FlexibleBody(part, position=(1, 2), angle=0.4, deformation=STATE["deformation"]), name="body")
    flat.add(Revolute(flat.ground.world(*_global(body, "first")), body.at("first")), name="pin")
    flat.add(Spring(length(flat.ground.at(), body.at("second")), stiffness=30.0, rest_length=1.0), name="spring")
    deep = space.Model("swing", gravity=(0.5, -9.81, 0))
    turned = space.rotation.from_axis_angle((0, 0, 1), 0.4)
    twin = space.FlexibleBody(part, position=(1, 2, 0), orientation=turned, deformation=STATE["deformation"])
    deep.add(twin, name="body")
    height = float(part.interfaces["first"].position[2])
    deep.add(space.Revolute(deep.ground.at(*_global(body, "first"), height), twin.at("first")), name="pin")
    level = float(part.interfaces["second"].position[2])
    pull = space.length(deep.ground.at(0.0, 0.0, level), twin.at("second"))
    deep.add(space.Spring(pull, stiffness=30.0, rest_length=1.0), name="spring")
    runs = [simulate(model, 0.5, output=0.1, rtol=1e-10) for model in (flat, deep)]
    assert runs[0].energy.drift < 1e-9
    assert np.abs(runs[0].q[:, -4:] - runs[1].q[:, -4:]).max() < 1e-8
    assert np.abs(runs[0]["body"].position - runs[1]["body"].position[:, :2]).max() < 1e-8
    ends = runs[0][body.at("second")], runs[1][twin.at("second")]
    for name in ("position", "velocity", "acceleration"):
        assert np.abs(getattr(ends[0], name) - getattr(ends[1], name)[:, :2]).max() < 1e-6


def _global(body: FlexibleBody, name: str) -> np.ndarray:
    """Where an interface of the deformed body is."""
    place, _ = Model.space.frame(body.at(name), np.array([[*body.position, body.angle, *body.deformation]]))
    return np.asarray(place[0])


def test_measures_between_flexible_markers() -> None:
    """Along a motion: rates are first derivatives and jac v, biases second derivatives."""
    part = Points(12, flat=True).part
    model = Model("measures")
    first = model.add(FlexibleBody(part, position=(1, 2), angle=0.4, **STATE), name="first")
    second = model.add(FlexibleBody(part, angle=-0.3, deformation=(-0.1, 0.2, 0.0, 0.1)), name="second")
    third = model.add(Body(position=(0.3, 0.2)), name="third")
    pairs = [(first.at("first"), second.at("second")), (third.at(0.1, 0.2), first.at("second"))]
    for a, b in [*pairs, (first.at("first"), first.at("second"))]:
        for measure in (x(b), angle(a, b), length(a, b), component(a, b, "y"), dot(a, b, "x", "y"), bearing(a, b)):
            model.add(Hold(measure, 0.1))
    system = compile(model)
    v, work, h = system.speeds(), system.work(), 1e-3
    v[3:] = RNG.normal(size=v.size - 3)

    def at(time: float) -> np.ndarray:
        q = system.start.copy()
        advance(system.geometry, q, time * v)
        evaluate_position(system.geometry, system.rows, q, 0.0, system.reference, work)
        return work.z[:, 0].copy()

    values = [at(k * h) for k in (-2, -1, 0, 1, 2)]
    evaluate_position(system.geometry, system.rows, system.start, 0.0, system.reference, work)
    evaluate_velocity(system.geometry, system.rows, v, 0.0, work)
    along = np.where(system.columns >= 3, v[system.columns], 0.0)
    assert np.allclose((work.jac * along).sum(1), work.z[:, 1], rtol=0.0, atol=1e-12)
    rate = (values[0] - 8.0 * values[1] + 8.0 * values[3] - values[4]) / (12.0 * h)
    bias = (-values[0] + 16.0 * values[1] - 30.0 * values[2] + 16.0 * values[3] - values[4]) / (12.0 * h * h)
    assert np.allclose(rate, work.z[:, 1], rtol=0.0, atol=1e-8)  # of fourth order in h
    assert np.allclose(bias, work.z[:, 2], rtol=0.0, atol=1e-5)


def test_quasi_velocities_of_flexible_markers() -> None:
    part = Points(12, flat=True).part
    model = Model("blade")
    body = model.add(FlexibleBody(part, angle=0.4, **STATE), name="body")
    run = simulate(model, 0.1, output=[0.1])
    tip = run[body.at("second")]
    speed = run[velocity_along(model.ground.at(), body.at("second"), "x")].rate[-1]
    _, axes = Model.space.frame(body.at("second"), run.q[-1:, run.system.pose_columns(body)])
    assert speed == pytest.approx(axes[0][:, 0] @ tip.velocity[-1], rel=1e-12)


def test_frequencies_and_equilibrium() -> None:
    part = Points(13, flat=True).part
    model = Model("free")
    model.add(FlexibleBody(part, damping={"stiffness": 0.0}), name="body")
    found = np.sort(linearize(model).modes().frequencies)
    M = part.mass_matrix()
    kept = [0, 1, 5, 6, 7, 8, 9]
    K = np.zeros((7, 7))
    K[3:, 3:] = part.stiffness
    squares = np.linalg.eigvals(np.linalg.solve(M[np.ix_(kept, kept)], K)).real
    assert np.allclose(found, np.sqrt(np.sort(squares)[3:]), rtol=1e-9)
    hanging = Model("hanging", gravity=(0, -9.81))
    body = hanging.add(FlexibleBody(part), name="body")
    hanging.add(Revolute(hanging.ground.at(), body.at("first")), name="pin")
    at = equilibrium(hanging)
    assert at.stable is not False
    center, _ = Model.space.frame(body.center_marker(), at.q[None, at.system.pose_columns(body)])
    assert abs(center[0, 0]) < 1e-8  # below the pin


def test_parts_that_leave_the_plane_are_rejected() -> None:
    with pytest.raises(ModelError, match="moves out of the xy plane"):
        FlexibleBody(brick_part(modes=4))
    body = FlexibleBody(Points(12, flat=True).part)
    with pytest.raises(ModelError, match="has no interface 'tip'; it has: 'first', 'second'"):
        body.at("tip")
    with pytest.raises(ModelError, match="cannot have a profile"):
        body.profile(None)
    model = Model("flat")
    model.add(body, name="body")
    with pytest.raises(ModelError, match="FlexibleBody 'body' is flexible and cannot be lifted"):
        space.lift(model)
