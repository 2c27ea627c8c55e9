"""identify_inertia(): base parameters with closed forms, noise, closed loops, friction, impossible masses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from cardan import CardanWarning, ModelError, identify_inertia, inverse_dynamics, inverse_kinematics
from cardan.planar import Body, Driver, Function, Harmonic, Model, Revolute, Spring, length
from cardan.spatial import (
    Body as SpatialBody,
    Driver as SpatialDriver,
    Harmonic as SpatialHarmonic,
    Model as SpatialModel,
    Revolute as SpatialRevolute,
)

TIMES = np.linspace(0.0, 8.0, 400)


def _arm(**changed: Any) -> tuple[Model, Any, Any]:
    """A two-link arm; `changed` replaces data of the fore arm."""
    model = Model("arm", gravity=(0, -9.81))
    upper = model.add(Body(mass=5.0, inertia=0.4, center=(0.45, 0.05)), name="upper")
    data = {"mass": 3.0, "inertia": 0.2, "center": (0.35, -0.04)} | changed
    fore = model.add(Body(position=(0.9, 0), angle=0.4, **data), name="fore")
    shoulder = model.add(Revolute(model.ground.at(), upper.at()), name="shoulder")
    elbow = model.add(Revolute(upper.at(0.9, 0), fore.at()), name="elbow")
    model.add(Spring(length(model.ground.at(0, 1), fore.at(0.2, 0)), 30.0, rest_length=0.5), name="spring")
    model.add(Driver(shoulder.angle, Harmonic(0.9, 2.0) + Harmonic(0.4, 5.1, phase=0.3)), name="motor 1")
    model.add(Driver(elbow.angle, Harmonic(1.1, 3.3, phase=1.0) + Harmonic(0.3, 6.7)), name="motor 2")
    return model, shoulder, elbow


def _forces(model: Model, joints: list[Any], times: np.ndarray = TIMES) -> tuple[Any, dict[Any, np.ndarray]]:
    run = inverse_dynamics(model, times, progress=False)
    return run, {joint.angle: run[model[f"motor {k + 1}"]].force for k, joint in enumerate(joints)}


# m cx, m cy and J of the upper arm contain the mass of the fore arm at the elbow, 0.9 m away (Siciliano 7.3.3)
TRUE = {
    "m cx of 'upper' + 0.9 m of 'fore'": 5.0 * 0.45 + 0.9 * 3.0,
    "m cy of 'upper'": 5.0 * 0.05,
    "J of 'upper' + 0.81 m of 'fore'": 0.4 + 5.0 * (0.45**2 + 0.05**2) + 0.81 * 3.0,
    "m cx of 'fore'": 3.0 * 0.35,
    "m cy of 'fore'": 3.0 * -0.04,
    "J of 'fore'": 0.2 + 3.0 * (0.35**2 + 0.04**2),
}


def test_base_parameters_of_an_arm_have_their_closed_form() -> None:
    """The spring counts as known; the stated masses of the run's model do not matter."""
    _, forces = _forces(*_listed(_arm()))
    wrong, shoulder, elbow = _arm(mass=1.0, inertia=0.9, center=(0.1, 0.1))
    run = inverse_dynamics(wrong, TIMES, progress=False)
    found = identify_inertia(run, dict(zip((shoulder.angle, elbow.angle), forces.values(), strict=True)))
    assert set(found.base) == set(TRUE)
    for name, value in zip(found.base, found.values, strict=True):
        assert value == pytest.approx(TRUE[name], abs=1e-9), name
    assert found.condition < 100.0
    assert not found.impossible
    assert found.of("fore")["J"] == pytest.approx(TRUE["J of 'fore'"], abs=1e-9)
    assert "condition number of the excitation" in str(found)


def test_noise_gives_deviations_that_are_right() -> None:
    """Errors divided by standard deviations are normal: of 6 x 20 values the mean square is 1, within 3 / sqrt(60)."""
    model, shoulder, elbow = _arm()
    run, forces = _forces(model, [shoulder, elbow])
    rng, errors = np.random.default_rng(3), []
    for _ in range(20):
        noisy = {
            measure: values + sigma * rng.standard_normal(values.size)
            for (measure, values), sigma in zip(forces.items(), (2.0, 0.3), strict=True)
        }
        found = identify_inertia(run, noisy)
        errors.append([(v - TRUE[n]) / d for n, v, d in zip(found.base, found.values, found.deviations, strict=True)])
        assert found.noise[shoulder.angle] == pytest.approx(2.0, rel=0.15)  # 3 / sqrt(2 x 400)
        assert found.noise[elbow.angle] == pytest.approx(0.3, rel=0.15)
    assert np.abs(errors).max() < 4.0
    assert np.mean(np.square(errors)) == pytest.approx(1.0, abs=3.0 / math.sqrt(60.0))


def _four_bar(motion: Any, **changed: Any) -> tuple[Model, Any]:
    model = Model("four-bar", gravity=(0, -9.81))
    spots = np.array([(0.0, 0.0), (0.0, 0.3), (0.85, 0.75), (1.0, 0.0)])
    links, marker, joints = [], model.ground.at(), []
    for k, mass in enumerate((2.0, 3.0, 1.5)):
        to = spots[k + 1] - spots[k]
        data = {"mass": mass, "inertia": 0.1 + 0.05 * k, "center": (0.2, 0.05 * k)} | changed
        body = Body(position=tuple(spots[k]), angle=math.atan2(to[1], to[0]), **data)
        links.append((model.add(body, name=f"link {k}"), float(np.linalg.norm(to))))
    for k, (link, reach) in enumerate(links):
        joints.append(model.add(Revolute(marker, link.at()), name=f"pin {k}"))
        marker = link.at(reach, 0)
    model.add(Revolute(marker, model.ground.at(1.0, 0.0)), name="last")
    model.add(Driver(joints[0].angle, motion), name="motor 1")
    return model, joints[0]


def test_a_closed_loop_predicts_the_torque_of_another_motion() -> None:
    """Parameters from one motion of a four-bar linkage, without any mass stated, give the torque of another."""
    slow = Function(lambda t: 0.5 * math.pi + 2.0 * t + 0.5 * math.sin(3.0 * t))
    _, forces = _forces(*_listed(_four_bar(slow)))
    unknown = {"mass": 1.0, "inertia": 1.0, "center": (0.0, 0.0)}
    blank, hinge = _four_bar(slow, **unknown)
    run = inverse_dynamics(blank, TIMES, progress=False)
    found = identify_inertia(run, {hinge.angle: next(iter(forces.values()))})
    assert len(found.base) < 12 and np.abs(next(iter(found.residuals.values()))).max() < 1e-8
    other = Function(lambda t: 0.5 * math.pi - 3.0 * t + math.sin(5.0 * t))
    _, wanted = _forces(*_listed(_four_bar(other)))
    again = inverse_dynamics(_rebuilt(other, found), TIMES, progress=False)
    expected = next(iter(wanted.values()))
    assert again[again.model["motor 1"]].force == pytest.approx(expected, abs=1e-6 * np.abs(expected).max())


def _rebuilt(motion: Any, found: Any) -> Model:
    """The linkage with identified masses."""
    rebuilt = Model("four-bar", gravity=(0, -9.81))
    spots = np.array([(0.0, 0.0), (0.0, 0.3), (0.85, 0.75), (1.0, 0.0)])
    links, marker, first = [], rebuilt.ground.at(), None
    for k in range(3):
        to, own = spots[k + 1] - spots[k], found.of(f"link {k}")
        c = np.array([own["m cx"], own["m cy"]]) / own["m"]
        body = Body(
            mass=own["m"],
            inertia=max(own["J"] - own["m"] * float(c @ c), 0.0),
            center=tuple(c),
            position=tuple(spots[k]),
            angle=math.atan2(to[1], to[0]),
        )
        links.append((rebuilt.add(body, name=f"link {k}"), float(np.linalg.norm(to))))
    for k, (link, reach) in enumerate(links):
        joint = rebuilt.add(Revolute(marker, link.at()), name=f"pin {k}")
        first = first or joint
        marker = link.at(reach, 0)
    rebuilt.add(Revolute(marker, rebuilt.ground.at(1.0, 0.0)), name="last")
    assert first is not None
    rebuilt.add(Driver(first.angle, motion), name="motor 1")
    return rebuilt


def test_a_spatial_arm_has_as_many_base_parameters_as_can_be_told_apart() -> None:
    """7 n - 4 for n hinges in general position: 17 for three.

    A mass on the axis of a hinge may belong to either body: its amount, its first moment along the axis, and the
    equal moments of a disk about two axes perpendicular to the hinge, 3 of 10 parameters, are carried over to the body
    before, and 7 are left of each. The first body turns about a fixed axis: its torque contains J about the axis and
    the two components of m c perpendicular to it, 3 instead of 7.
    """
    rng = np.random.default_rng(4)
    model = SpatialModel("arm", gravity=(0, 0, -9.81))
    marker, joints = model.ground.at(0, 0, 0, z=(0.3, 0.2, 1.0)), []
    for k in range(3):
        data = {"mass": 1.0 + k, "inertia": (0.2, 0.25, 0.3), "center": tuple(0.2 * rng.standard_normal(3))}
        body = model.add(SpatialBody(**data), name=f"link {k}")
        joints.append(model.add(SpatialRevolute(marker, body.at(*(0.1 * rng.standard_normal(3)))), name=f"hinge {k}"))
        marker = body.at(*(0.4 * rng.standard_normal(3)), z=rng.standard_normal(3))
        turn = SpatialHarmonic(1.2, 2.0 + 0.7 * k, phase=0.5 * k) + SpatialHarmonic(0.5, 5.3 - 0.6 * k)
        model.add(SpatialDriver(joints[-1].angle, turn), name=f"motor {k + 1}")
    run, forces = _forces(model, joints)
    found = identify_inertia(run, forces)
    assert len(found.base) == 17
    assert max(np.abs(left).max() for left in found.residuals.values()) < 1e-9
    assert not found.impossible
    one = identify_inertia(run, forces, bodies=[model["link 2"]])
    assert len(one.base) == 10  # nothing unknown to merge with
    own, c = one.of("link 2"), model["link 2"].center
    assert own["Ixx"] == pytest.approx(0.2 + 3.0 * (c[1] ** 2 + c[2] ** 2), rel=1e-8)  # the model's own, unchanged


def test_friction_is_found_and_impossible_masses_are_named() -> None:
    model, shoulder, elbow = _arm()
    run, forces = _forces(model, [shoulder, elbow])
    rate = run[elbow.angle].rate
    rubbing = forces | {elbow.angle: forces[elbow.angle] + 0.7 * rate + 1.3 * np.sign(rate)}
    found = identify_inertia(run, rubbing, friction=[elbow.angle])
    friction = dict(zip(found.base, found.values.tolist(), strict=True))
    assert friction[f"viscous friction along {elbow.angle}"] == pytest.approx(0.7, abs=1e-9)
    assert friction[f"dry friction along {elbow.angle}"] == pytest.approx(1.3, abs=1e-9)
    with pytest.warns(CardanWarning, match="no mass distribution has the identified parameters of .*'fore'"):
        wrong = identify_inertia(run, {measure: -values for measure, values in forces.items()})
    assert "fore" in wrong.impossible


def test_a_poor_excitation_is_named() -> None:
    """Small oscillations of a pendulum: q'' = -w^2 q, and J q'' is nearly m g c_y sin q."""
    model = Model("pendulum", gravity=(0, -9.81))
    bob = model.add(Body(mass=2.0, inertia=0.1, center=(0.5, 0.25)), name="bob")
    pin = model.add(Revolute(model.ground.at(), bob.at()), name="pin")
    model.add(Driver(pin.angle, Harmonic(0.02, 0.5)), name="motor 1")
    run, forces = _forces(model, [pin])
    with pytest.warns(CardanWarning, match="hardly excites J of 'bob'"):
        identify_inertia(run, forces)


def test_wrong_input_is_rejected() -> None:
    model, shoulder, elbow = _arm()
    run, forces = _forces(model, [shoulder, elbow])
    with pytest.raises(ModelError, match="finite numbers"):
        identify_inertia(run, {shoulder.angle: [1.0, 2.0]})
    with pytest.raises(ModelError, match="has no forces"):
        identify_inertia(run, {})
    with pytest.raises(ModelError, match="more driver"):
        identify_inertia(run, {shoulder.angle: forces[shoulder.angle]})
    with pytest.raises(ModelError, match="list of bodies"):
        identify_inertia(run, forces, bodies=model["upper"])  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="needs its force"):
        identify_inertia(run, forces, friction=[shoulder.angle + elbow.angle])
    still = inverse_kinematics(model, {shoulder.angle: [0.0, 0.1], elbow.angle: [0.4, 0.5]})
    with pytest.raises(ModelError, match="no velocities"):
        identify_inertia(still, {shoulder.angle: [0.0, 0.0], elbow.angle: [0.0, 0.0]})
    short, few = _forces(model, [shoulder, elbow], TIMES[:3])
    with pytest.raises(ModelError, match="measure longer"):
        identify_inertia(short, few)


def _listed(made: tuple[Any, ...]) -> tuple[Model, list[Any]]:
    model, *joints = made
    return model, joints
