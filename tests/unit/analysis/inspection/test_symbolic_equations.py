"""symbolic_equations(): the textbook's expressions, and agreement with the numeric equations at random states."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from cardan import CardanWarning, ModelError, equations, joint_space, symbolic_equations
from cardan.planar import (
    Body,
    Distance,
    Driver,
    Harmonic,
    Load,
    Model,
    Revolute,
    Spring,
    Translational,
    angle,
    length,
)
from cardan.spatial import (
    Body as SpatialBody,
    Cylindrical,
    Model as SpatialModel,
    Revolute as SpatialRevolute,
    Spherical,
    Universal,
)

sp = pytest.importorskip("sympy")


def _arm() -> Model:
    model = Model("arm", gravity=(0, -9.81))
    upper = model.add(Body(mass=5.0, inertia=0.4, center=(0.5, 0)), name="upper")
    fore = model.add(Body(mass=3.0, inertia=0.2, center=(0.25, 0), position=(1, 0), angle=0.4), name="fore")
    model.add(Revolute(model.ground.at(), upper.at()), name="q1")
    model.add(Revolute(upper.at(1, 0), fore.at()), name="q2")
    return model


def test_an_arm_has_the_expressions_of_the_textbook() -> None:
    """B, C v and g of the two-link arm (Siciliano 7.3.2), with a1 = 1, l1 = 1/2, l2 = 1/4."""
    found = symbolic_equations(_arm(), symbols=True)
    q1, q2 = found.coordinates
    v1, v2 = found.speeds
    names = {symbol.name: symbol for symbol in found.values}
    m1, m2, I1, I2, gy = (names[name] for name in ("m_upper", "m_fore", "J_upper", "J_fore", "gy"))
    half, quarter = sp.Rational(1, 2), sp.Rational(1, 4)
    b12 = I2 + m2 * (quarter**2 + quarter * sp.cos(q2))
    b11 = I1 + m1 * half**2 + I2 + m2 * (1 + quarter**2 + half * sp.cos(q2))
    h = -m2 * quarter * sp.sin(q2)
    b = sp.Matrix([2 * h * v1 * v2 + h * v2**2, -h * v1**2])
    g = -gy * sp.Matrix([(m1 * half + m2) * sp.cos(q1) + m2 * sp.cos(q1 + q2) / 4, m2 * sp.cos(q1 + q2) / 4])
    zero = sp.zeros(2, 1)
    assert sp.simplify(found.M - sp.Matrix([[b11, b12], [b12, I2 + m2 * quarter**2]])) == sp.zeros(2, 2)
    assert sp.simplify(found.b - b) == zero
    assert sp.simplify(found.g - g) == zero


def _four_bar() -> Model:
    model = Model("four-bar", gravity=(0, -9.81))
    spots = np.array([(0.0, 0.0), (0.0, 0.3), (0.85, 0.75), (1.0, 0.0)])
    marker, links = model.ground.at(), []
    for k in range(3):
        to = spots[k + 1] - spots[k]
        body = Body(
            mass=1.0 + k, inertia=0.1, center=(0.1, 0.02), position=tuple(spots[k]), angle=math.atan2(*to[::-1])
        )
        links.append((model.add(body, name=f"link {k}"), float(np.linalg.norm(to))))
    for k, (link, reach) in enumerate(links):
        model.add(Revolute(marker, link.at()), name=f"pin {k}")
        marker = link.at(reach, 0)
    model.add(Revolute(marker, model.ground.at(1.0, 0.0)), name="last")
    between = length(model.ground.at(0.2, 1.0), links[1][0].at(0.3, 0.1))
    model.add(Spring(between, 40.0, rest_length=0.4, damping=3.0), name="spring")
    return model


def _slider_crank() -> Model:
    model = Model("slider-crank", gravity=(0, -9.81))
    crank = model.add(Body(mass=1.0, inertia=0.1, angle=0.6), name="crank")
    rod = model.add(Body(mass=2.0, inertia=0.3, position=(0.16, 0.11), angle=-0.1), name="rod")
    block = model.add(Body(mass=3.0, inertia=0.1, position=(1.1, 0.0)), name="block")
    hinge = model.add(Revolute(model.ground.at(), crank.at()), name="hinge")
    model.add(Revolute(crank.at(0.2, 0), rod.at()), name="pin")
    model.add(Distance(rod.at(), block.at(0, 0.02), 1.0), name="link")
    model.add(Revolute(rod.at(1.0, 0), block.at(0, 0.02)), name="gudgeon")
    model.add(Translational(model.ground.at(), block.at()), name="guide")
    model.add(Driver(hinge.angle, Harmonic(0.4, 3.0, offset=0.6)), name="motor")
    model.add(Driver(angle(crank.at(), rod.at()) + 0.5 * hinge.angle, 0.1), name="brake")
    return model


def _spatial_arm() -> SpatialModel:
    rng = np.random.default_rng(2)
    model = SpatialModel("arm", gravity=(0.5, -1.0, -9.81))
    marker = model.ground.at(0, 0, 0, z=(0.3, 0.2, 1.0))
    for k, joint in enumerate((SpatialRevolute, Cylindrical)):
        data = {"mass": 1.0 + k, "inertia": (0.2, 0.25, 0.3), "center": tuple(0.2 * rng.standard_normal(3))}
        body = model.add(SpatialBody(**data), name=f"link {k}")
        model.add(joint(marker, body.at(*(0.1 * rng.standard_normal(3)))), name=f"joint {k}")
        marker = body.at(*(0.4 * rng.standard_normal(3)), z=rng.standard_normal(3))
    return model


def _ball() -> SpatialModel:
    model = SpatialModel("top", gravity=(0, 0, -9.81))
    data = {"mass": 2.0, "inertia": (0.2, 0.3, 0.4), "center": (0.1, 0.2, 0.5)}
    top = model.add(SpatialBody(**data), name="top")
    model.add(Spherical(model.ground.at(), top.at()), name="tip")
    return model


def _cross() -> SpatialModel:
    """Two shafts with a universal joint between them: a loop."""
    model = SpatialModel("shafts")
    tilt = (math.sin(0.4), 0.0, math.cos(0.4))
    first = model.add(SpatialBody(mass=1.0, inertia=(0.1, 0.2, 0.3)), name="first")
    second = model.add(SpatialBody(mass=2.0, inertia=(0.2, 0.2, 0.4), position=(0, 0, 0)), name="second")
    model.add(SpatialRevolute(model.ground.at(0, 0, -1), first.at(0, 0, -1)), name="bearing 1")
    model.add(
        SpatialRevolute(model.ground.at(0, 0, 0, z=tilt, y=(0, 1, 0)), second.at(0, 0, 0, z=tilt, y=(0, 1, 0))),
        name="b2",
    )
    model.add(Universal(first.at(z=(1, 0, 0), x=(0, 0, 1)), second.at(z=(0, 1, 0), x=tilt)), name="cross")
    return model


@pytest.mark.parametrize("build", [_arm, _four_bar, _spatial_arm, _ball])
def test_joint_coordinates_agree_with_the_numeric_equations(build: Any) -> None:
    """At random states, also where loops are open: every term to rounding."""
    model = build()
    space, rng = joint_space(model), np.random.default_rng(1)
    found = symbolic_equations(model, simplify=build is _arm)
    for _ in range(3):
        v = rng.standard_normal(len(space.speeds))
        q = space.moved(space.q, 0.5 * rng.standard_normal(len(space.speeds)))
        numbers = found.numbers(q, v)
        pairs = {
            "M": space.mass_matrix(q),
            "b": space.bias(q, v),
            "g": space.gravity(q),
            "Q": space.applied(q, v),
            "Phi": space.residual(q),
            "Phi_q": space.constraint_jacobian(q),
            "gamma": space.constraint_bias(q, v),
        }
        for name, expected in pairs.items():
            scale = max(1.0, np.abs(expected).max(initial=0.0))
            assert numbers[name] == pytest.approx(expected, abs=1e-11 * scale), name
        moved = space.moved(q, 1e-6 * v) - space.moved(q, -1e-6 * v)
        assert numbers["E"] @ v == pytest.approx(moved / 2e-6, abs=1e-8)


@pytest.mark.parametrize("build", [_four_bar, _slider_crank, _spatial_arm, _cross])
def test_cartesian_coordinates_agree_with_equations(build: Any) -> None:
    """The terms of `equations` at the stated state, with random speeds, and at a time for drivers."""
    model = build()
    rng = np.random.default_rng(3)
    planar = isinstance(model, Model)
    for body in model.bodies:
        object.__setattr__(body, "velocity", tuple(rng.standard_normal(2 if planar else 3)))
        spin = float(rng.standard_normal()) if planar else tuple(rng.standard_normal(3))
        object.__setattr__(body, "angular_velocity", spin)
    numeric = equations(model, time=0.3)
    found = symbolic_equations(model, "cartesian", simplify=False)
    assert found.rows == numeric.rows and found.columns == numeric.columns
    stored = 3 if planar else 7
    numbers = found.numbers(numeric.q[stored:], numeric.v, 0.3)
    for name in ("Phi", "Phi_q", "nu", "gamma", "M"):
        expected = getattr(numeric, name)
        assert numbers[name] == pytest.approx(expected, abs=1e-10 * max(1.0, np.abs(expected).max())), name
    assert numbers["b"] == pytest.approx(numeric.h, abs=1e-11)
    assert numbers["Q"] - numbers["g"] == pytest.approx(numeric.Q, abs=1e-10)


def test_what_is_not_supported_is_named() -> None:
    model = _arm()
    model.add(Load(model["fore"].at(), (1.0, 0.0)), name="push")
    with pytest.warns(CardanWarning, match="without Load 'push'"):
        symbolic_equations(model)
    with pytest.raises(ModelError, match="coordinates"):
        symbolic_equations(_arm(), "polar")
    found = symbolic_equations(_arm())
    with pytest.raises(ModelError, match="2 coordinates and 2 speeds"):
        found.numbers([0.0])
    chain = Model("chain")
    for k in range(30):
        link = chain.add(Body(mass=1.0, inertia=1.0), name=f"link {k}")
        chain.add(Revolute(chain.ground.at(), link.at()), name=f"pin {k}")
    with pytest.raises(ModelError, match="30 speeds"):
        symbolic_equations(chain)
