"""Coordinates with inertia in control blocks: closed forms, the same as bodies, exact derivatives, rejected input."""

import math

import numpy as np
import pytest
from scipy.linalg import expm

from cardan import ModelError, equilibrium, linearize, motion_sensitivities, simulate
from cardan.planar import (
    Actuator,
    Body,
    Controller,
    Harmonic,
    Hold,
    Model,
    PointMass,
    SecondOrder,
    Spring,
    StateSpace,
    Translational,
    time,
    x,
    y,
)

M, D, K = np.array([[2.0, 0.3], [0.3, 1.0]]), np.array([[0.4, 0.1], [0.1, 0.2]]), np.array([[30.0, -5.0], [-5.0, 20.0]])


def _idle(name="rig"):
    model = Model(name)
    model.add(Body(mass=1.0, inertia=1.0), name="block")
    return model


def test_free_vibration_is_the_matrix_exponential():
    model = _idle()
    model.add(SecondOrder([0.0, 0.0], M, D, K, start=[0.1, -0.2], start_rate=[0.0, 0.5], scales=[0.1, 0.1]), name="rig")
    run = simulate(model, 2.0, output=0.5, rtol=1e-10)
    inverse = np.linalg.inv(M)
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ K, -inverse @ D]])
    expected = np.array([expm(A * t) @ [0.1, -0.2, 0.0, 0.5] for t in run.times])
    found = np.stack([run[f"rig.{name}"] for name in ("q1", "q2", "v1", "v2")], axis=1)
    np.testing.assert_allclose(found, expected, atol=1e-8)  # 100 rtol, over some oscillations
    assert not [name for name in run.columns if name.startswith("rig.x")]


def test_first_order_response_of_a_circuit():
    """R C u' + u = U: u = U (1 - exp(-t / RC)), by matrices and by a function; both are first-order states."""
    model, tau = _idle(), 0.3
    model.add(StateSpace(5.0, [[-1.0 / tau]], [[1.0 / tau]], [[1.0]]), name="matrices")
    model.add(Controller(lambda u, v: (v, (u - v) / 0.3), 5.0, states={"v": 0.0}), name="function")
    run = simulate(model, 1.0, output=0.1, rtol=1e-10)
    for name in ("matrices.y1", "function.u"):
        np.testing.assert_allclose(run[name], 5.0 * (1.0 - np.exp(-run.times / tau)), atol=1e-8)


def test_resonance_of_a_driven_coordinate():
    """m q'' + k q = F sin(w t) from rest: q = F / (k - m w^2) (sin(w t) - w / w0 sin(w0 t))."""
    model, m, k, F, w = _idle(), 0.5, 8.0, 3.0, 2.5
    model.add(SecondOrder(Harmonic(F, w), m, K=k), name="q")
    run = simulate(model, 3.0, output=0.25, rtol=1e-10)
    w0 = math.sqrt(k / m)
    expected = F / (k - m * w**2) * (np.sin(w * run.times) - w / w0 * np.sin(w0 * run.times))
    np.testing.assert_allclose(run["q.q1"], expected, atol=1e-8)


def _cart(absorber):
    """A cart of 2 kg on a spring of 50 N/m, with an absorber of 0.3 kg and 9 N/m: a block or a point mass."""
    model, k, c = Model("cart"), 9.0, 0.4
    cart = model.add(Body(mass=2.0, inertia=1.0, position=(0.1, 0.0)), name="cart")
    guide = model.add(Translational(model.ground.at(), cart.at()), name="guide")
    model.add(Spring(guide.travel, 50.0, rest_length=0.0), name="spring")
    if absorber == "block":
        z = guide.travel
        block = model.add(SecondOrder(z, 0.3, K=k, B=k, D=c, start=[0.1]), name="absorber")
        model.add(Actuator(z, k * (block["q1"] - z)), name="pull")
    else:
        mass = model.add(PointMass(0.3, (0.1, 0.0)), name="absorber")
        model.add(Hold(y(mass.at()), 0.0), name="rail")
        model.add(Spring(x(mass.at()) - x(cart.at()), k, rest_length=0.0), name="pull")
        model.add(Spring(x(mass.at()), damping=c), name="dashpot")
    return model, guide


def test_an_absorber_is_the_same_as_a_point_mass():
    (first, guide), (second, other) = _cart("block"), _cart("mass")
    runs = [simulate(model, 2.0, output=0.2, rtol=1e-10) for model in (first, second)]
    np.testing.assert_allclose(runs[0]["guide.travel"], runs[1]["guide.travel"], atol=1e-8)
    np.testing.assert_allclose(runs[0]["absorber.q1"], runs[1]["absorber.x"], atol=1e-8)
    rests = [equilibrium(model) for model in (first, second)]
    roots = [np.sort_complex(linearize(rest.model, at=rest).eigenvalues()) for rest in rests]
    np.testing.assert_allclose(roots[0], roots[1], atol=1e-9)
    slopes = [
        motion_sensitivities(run, "cart.mass", joint.travel).derivatives[-1, 0, 0]
        for run, joint in zip(runs, (guide, other), strict=True)
    ]
    assert slopes[0] == pytest.approx(slopes[1], rel=1e-6)


def test_nonlinear_force_and_equilibrium():
    """m q'' = u - k q - b q^3: at rest u = k q + b q^3, here with k = 2, b = 1, u = 3, thus q = 1; a spring of 10 N/m
    carries the force q."""
    model = Model("cart")
    cart = model.add(Body(mass=1.0, inertia=1.0), name="cart")
    guide = model.add(Translational(model.ground.at(), cart.at()), name="guide")
    model.add(Spring(guide.travel, 10.0, 5.0, rest_length=0.0), name="spring")
    block = model.add(
        SecondOrder([3.0, time], 0.5, K=2.0, D=1.0, force=lambda u, t, q, v: u - q**3, start=[0.9]), name="q"
    )
    model.add(Actuator(guide.travel, block), name="push")
    assert equilibrium(model)[guide.travel].value == pytest.approx(0.1, abs=1e-9)
    run = simulate(model, 30.0, output=30.0)
    assert run["q.q1"][-1] == pytest.approx(1.0, abs=1e-6)  # decays as exp(-t)
    assert run["guide.travel"][-1] == pytest.approx(0.1, abs=1e-6)


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"inputs": 0.0, "M": 0.0}, "M of a SecondOrder is singular"),
        ({"inputs": 0.0, "M": [[1.0, 0.0]]}, "M of a SecondOrder must have 1 rows and 1 columns"),
        ({"inputs": 0.0, "M": np.eye(2)}, "needs B="),
        ({"inputs": 0.0, "M": 1.0, "K": "stiff"}, "K of a SecondOrder must be a matrix of numbers"),
        ({"inputs": 0.0, "M": 1.0, "start": [1.0, 2.0]}, "start of a SecondOrder"),
        ({"inputs": 0.0, "M": 1.0, "force": lambda u: u}, "3 arguments"),
        ({"inputs": 0.0, "M": 1.0, "scales": [-1.0]}, "a scale of a SecondOrder"),
    ],
)
def test_what_it_rejects(stated, words):
    with pytest.raises(ModelError, match=words):
        SecondOrder(**stated)
