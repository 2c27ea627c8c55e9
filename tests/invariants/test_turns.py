"""Turns: an angle keeps the turn that was specified, for every consumer, in both spaces and both kinds of coordinates.

arm        hinges about random axes, spun up, with what reads their angles: springs, a stop, a controlled motor
random     every joint angle of random mechanisms: the same in both coordinates, on any grid, handed on, written
"""

import math

import numpy as np
import pytest

import cardan.planar as plane
import cardan.spatial as space
from cardan import (
    CardanError,
    Event,
    ModelError,
    assemble,
    equilibrium,
    initial_conditions,
    inverse_dynamics,
    joint_space,
    kinematics,
    linearize,
    load_model,
    load_result,
    save_model,
    simulate,
)
from cardan.spatial import lift, rotation
from cardan.system.turns import turning_angles
from invariants.population import population, random_case

TURN = 2.0 * math.pi
COORDINATES = ("cartesian", "joint")


def arm(words, turns=(0, 0, 0), springs=True, statement="orientation"):
    """Three bodies on hinges, stated so many whole turns further on, with springs that are relaxed there."""
    random = np.random.default_rng(7)
    model = words.Model("arm", gravity=(0.0, -9.81, 0.0)[: 2 if words is plane else 3])
    before, total, tip, hinges = model.ground, 0.0, np.zeros(2), []
    for k, whole in enumerate(turns):
        value = random.uniform(-1.0, 1.0) + TURN * whole
        total += value
        matter = {"mass": 1.0 + k, "inertia": 0.1 if words is plane else (0.1, 0.1, 0.1)}
        if words is plane:
            body = plane.Body(**matter, position=tuple(tip), angle=total, center=(0.2, 0.0))
        else:
            p = rotation.from_axis_angle((0, 0, 1), total)
            p = p if statement == "orientation" else p.tolist()
            body = space.Body(**matter, position=(*tip, 0.0), orientation=p, center=(0.2, 0, 0))
        model.add(body, name=f"link {k}")
        tip = tip + 0.5 * np.array([math.cos(total), math.sin(total)])
        place = (0.5, 0.0, 0.0)[: 2 if words is plane else 3] if k else ()
        near = {"near": value} if statement == "near" else {}
        hinge = model.add(words.Revolute(before.at(*place), body.at(), **near), name=f"hinge {k}")
        if springs:
            free = TURN * whole + 0.2 * k
            model.add(words.Spring(hinge.angle, stiffness=5.0, damping=0.1, rest_angle=free), name=f"spring {k}")
            stop = words.Stop(hinge.angle, lower=TURN * whole - 2.0, upper=TURN * whole + 2.0, stiffness=50.0)
            model.add(stop, name=f"stop {k}")
        hinges.append(hinge)
        before = body
    return model, hinges


def angles(run, hinges):
    return np.array([np.atleast_1d(run[hinge.angle].value) for hinge in hinges])


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("statement", ["orientation", "near"])
@pytest.mark.parametrize("turns", [(1, 0, 0), (-2, 3, 1), (0, 0, -40)])
def test_motion_shifts_with_the_turns(turns, statement, coordinates):
    """Whole turns in what is stated and in what reads it change nothing but the angles.

    1e-6: rtol = 1e-8 over some ten steps, and 250 rad lose two digits.
    """
    model, hinges = arm(space)
    usual, still = simulate(model, 0.6, output=0.1, coordinates=coordinates), equilibrium(model)
    model, moved = arm(space, turns, statement=statement)
    run = simulate(model, 0.6, output=0.1, coordinates=coordinates)
    shift = TURN * np.array(turns)[:, None]
    assert np.abs(angles(run, moved) - angles(usual, hinges) - shift).max() < 1e-6
    rest = equilibrium(model)
    assert np.abs(angles(rest, moved) - angles(still, hinges) - shift).max() < 1e-6


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_space_counts_as_the_plane(coordinates):
    """The same statements in the plane, in space and lifted: the same angles, as numbers. 1e-6 as above."""
    found = []
    for model, hinges in (arm(plane, (2, -1, 1)), arm(space, (2, -1, 1))):
        found.append(angles(simulate(model, 0.6, output=0.3, coordinates=coordinates), hinges))
    lifted = lift(arm(plane, (2, -1, 1))[0])
    found.append(angles(simulate(lifted, 0.6, output=0.3, coordinates=coordinates), [lifted[h.name] for h in hinges]))
    assert np.abs(found[0] - found[1]).max() < 1e-6
    assert np.abs(found[0] - found[2]).max() < 1e-6


@pytest.mark.parametrize("words", [plane, space])
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_no_turn_is_lost_between_instants(words, coordinates):
    """Hinges at 60 to 90 rad/s, ten turns and more between two instants; conditions state the first turn.

    2e-4: motions that depend so much on their start that two grids, which see other steps, part by that much.
    """
    model, hinges = arm(words, springs=False)
    start = initial_conditions(
        model,
        {hinge.angle: 0.3 + TURN * (k - 1) for k, hinge in enumerate(hinges)},
        {hinge.angle: 60.0 - 75.0 * k for k, hinge in enumerate(hinges)},
    )
    assert np.abs(angles(start, hinges)[:, 0] - 0.3 - TURN * np.array([-1, 0, 1])).max() < 1e-9
    options = {"start": start, "coordinates": coordinates, "rtol": 1e-10}
    fine = simulate(model, 1.0, output=0.01, **options)
    coarse = simulate(model, 1.0, output=1.0, **options)
    assert np.abs(angles(coarse, hinges)[:, -1] - angles(fine, hinges)[:, -1]).max() < 2e-4
    assert np.abs(np.ptp(angles(fine, hinges), axis=1)).max() > 2 * TURN  # that there is something to lose
    # an angle that nothing follows, about axes parallel to hinges, has the turns of their sum
    tip = words.angle(model.ground.at(), hinges[-1].b.body.at())
    assert np.abs(coarse[tip].value - angles(coarse, hinges).sum(axis=0)).max() < 1e-9


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_drivers_count_on_any_grid(coordinates):
    """A driver of 400 rad/s against a spring: 4 rad and 292 rad between instants. M = k angle, to rounding."""
    model = space.Model("rotor")
    body = model.add(space.Body(mass=1.0, inertia=(0.1, 0.1, 0.1)), name="body")
    hinge = model.add(space.Revolute(model.ground.at(), body.at()), name="hinge")
    model.add(space.Spring(hinge.angle, stiffness=2.0, rest_angle=0.0), name="spring")
    motor = model.add(space.Driver(hinge.angle, space.Ramp(400.0)), name="motor")
    times = [0.0, 0.01, 0.02, 0.75]
    run = inverse_dynamics(model, times, coordinates=coordinates)
    assert np.abs(run[hinge.angle].value - 400.0 * np.array(times)).max() < 1e-9
    assert np.abs(run[motor].force - 800.0 * np.array(times)).max() < 1e-8
    run = simulate(model, 0.75, output=times, coordinates=coordinates)
    assert np.abs(run[motor].force - 800.0 * np.array(times)).max() < 1e-6


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_events_and_controllers_see_the_turn(coordinates):
    """An event at 3.5 turns; a controller holds a wheel where it is stated, 200 deg, and has nothing to do."""
    model = space.Model("wheel")
    stated = math.radians(200.0)
    p = rotation.from_axis_angle((0, 0, 1), stated)
    wheel = model.add(space.Body(mass=1.0, inertia=(0.1, 0.1, 0.1), orientation=p), name="wheel")
    hinge = model.add(space.Revolute(model.ground.at(), wheel.at()), name="hinge")
    still = simulate(_controlled(model, hinge, stated), 0.2, coordinates=coordinates)
    assert np.abs(still[hinge.angle].value - stated).max() < 1e-9
    model = space.Model("wheel")
    spun = model.add(space.Body(mass=1.0, inertia=(0.1, 0.1, 0.1), angular_velocity=(0, 0, 50)), name="wheel")
    hinge = model.add(space.Revolute(model.ground.at(), spun.at()), name="hinge")
    run = simulate(model, 1.0, events=[Event(hinge.angle, value=3.5 * TURN)], coordinates=coordinates)
    assert run.events[0].time == pytest.approx(3.5 * TURN / 50.0, rel=1e-9)


def _controlled(model, hinge, wanted):
    model.add(space.Actuator(hinge.angle, space.PID(hinge.angle, wanted, kp=20.0)), name="motor")
    return model


def test_joint_space_counts_by_its_coordinates():
    """M = k (angle - free) at any number of turns, from coordinates alone."""
    model, hinges = arm(space, (1, 0, -2))
    equations = joint_space(model)
    assert np.abs(equations.q - angles(assemble(model), hinges)[:, 0]).max() < 1e-9
    still = np.zeros(3)
    here, further = equations.q, equations.q + 0.1 + TURN * np.array([3, -4, 5])
    plain = joint_space(arm(space, springs=False)[0])
    for q in (here, further):
        torque = equations.torques(q, still, still) - plain.torques(q, still, still)
        free = TURN * np.array([1, 0, -2]) + 0.2 * np.arange(3)
        bent = q - TURN * np.array([1, 0, -2])
        stopped = np.where(bent > 2.0, 50.0 * (bent - 2.0), np.where(bent < -2.0, 50.0 * (bent + 2.0), 0.0))
        assert np.abs(torque - 5.0 * (q - free) - stopped).max() < 1e-8
        assert np.abs(angles(equations.snapshot(q), hinges)[:, 0] - q).max() < 1e-9


def test_results_model_files_and_restarts_hand_on(tmp_path):
    """Written and read again; continued from a snapshot and from a checkpoint: the same turns, and the same motion."""
    model, hinges = arm(space, (1, -2, 3))
    save_model(model, tmp_path / "arm.yaml")
    again = load_model(tmp_path / "arm.yaml").model
    others = [again[hinge.name] for hinge in hinges]
    assert np.array_equal(angles(assemble(again), others), angles(assemble(model), hinges))
    for coordinates in COORDINATES:
        whole = simulate(model, 0.6, output=0.3, coordinates=coordinates)
        half = simulate(model, 0.3, output=0.3, coordinates=coordinates)
        for start in (half.at(0.3), half.checkpoint):
            rest = simulate(model, 0.6, output=0.3, start=start, coordinates=coordinates)
            assert np.abs(angles(rest, hinges)[:, -1] - angles(whole, hinges)[:, -1]).max() < 1e-5
        path = tmp_path / f"{coordinates}.nc"
        whole.save(path)
        assert np.array_equal(angles(load_result(path, model), hinges), angles(whole, hinges))
        rebuilt, same = arm(space, (1, -2, 3))  # another model of the same names
        rest = simulate(rebuilt, 0.6, output=0.3, start=half.at(0.3), coordinates=coordinates)
        assert np.abs(angles(rest, same)[:, -1] - angles(whole, hinges)[:, -1]).max() < 1e-5


def test_linearization_sees_the_turn():
    """Stops touch nothing where springs are relaxed: eigenvalues do not know whole turns. 1e-8: rounding of 20 rad."""
    values = []
    for turns in ((0, 0, 0), (1, -2, 3)):
        model, _ = arm(space, turns)
        values.append(np.sort_complex(linearize(model, at=equilibrium(model)).eigenvalues()))
    assert np.abs(values[0] - values[1]).max() < 1e-6 * np.abs(values[0]).max()


def test_open_turns_follow_what_acts_on_them():
    """Euler parameters, a matrix and SciPy's Rotation leave whole turns open: springs and stops decide, for all."""
    from scipy.spatial.transform import Rotation

    p = rotation.from_axis_angle((0, 0, 1), math.radians(200.0))
    for orientation in (tuple(p.tolist()), rotation.matrix(p), Rotation.from_euler("z", 200, degrees=True)):
        for consumer in (
            lambda angle: space.Spring(angle, stiffness=1.0, rest_angle=math.radians(200.0)),
            lambda angle: space.Stop(angle, lower=0.0, upper=math.radians(240.0), stiffness=1.0),
        ):
            model = space.Model("door")
            door = model.add(space.Body(mass=1.0, inertia=(1, 1, 1), orientation=orientation), name="door")
            hinge = model.add(space.Revolute(model.ground.at(), door.at()), name="hinge")
            other = space.angle(model.ground.at(), door.at(orientation=rotation.from_axis_angle((0, 0, 1), 0.5)))
            model.add(consumer(hinge.angle), name="what acts")
            for found in (assemble(model), simulate(model, 0.1)):
                assert np.degrees(np.atleast_1d(found[hinge.angle].value)[0]) == pytest.approx(200.0)
                assert np.degrees(np.atleast_1d(found[other].value)[0]) == pytest.approx(200.0 + np.degrees(0.5))


def test_contradictions_name_both_statements():
    model, (hinge, *_) = arm(space, springs=False)
    model.add(space.Hold(hinge.angle, 0.5), name="hold")
    model.add(space.Driver(hinge.angle, space.Ramp(1.0, start=0.5 + TURN)), name="motor")
    with pytest.raises(ModelError, match=r"Hold 'hold' asks for 0\.5 rad, Driver 'motor' for 6\.78319 rad"):
        assemble(model)
    model, (hinge, *_) = arm(space, springs=False, statement="near")
    model.add(space.Hold(hinge.angle, hinge.near - 2.0 * TURN), name="hold")
    with pytest.raises(ModelError, match=r"2 apart: Hold 'hold' asks for -12\.3162 rad, its near for 0\.250191 rad"):
        assemble(model)
    model, (hinge, *_) = arm(space, springs=False)
    start = initial_conditions(model, {h.angle: 0.4 + TURN for h in model.constraints})
    model.add(space.Driver(hinge.angle, space.Ramp(1.0, start=0.4)), name="motor")
    with pytest.raises(ModelError, match=r"Driver 'motor' asks for 0\.4 rad, the state to start from for 6\.68319 rad"):
        simulate(model, 1.0, start=start)


# every joint of every mechanism


def offered(model):
    return {f"{joint}.{name}": m for (joint, name), m in turning_angles(model.space, model.constraints).items()}


def ends(case, coordinates, output):
    """The angles of all joints where a mechanism ends, on a grid; None where it cannot move there."""
    model = case.build()
    try:
        if case.analysis == "simulate":
            run = simulate(model, case.until, output=output, coordinates=coordinates, rtol=1e-9)
        else:
            run = kinematics(model, np.arange(0.0, case.until + 0.5 * output, output), coordinates=coordinates)
    except CardanError:
        return None
    return {name: float(run[measure].value[-1]) for name, measure in offered(model).items()}


def agree(case):
    found = [ends(case, coordinates, case.until / n) for coordinates in COORDINATES for n in (1, 20)]
    known = [one for one in found if one is not None]
    for one in known[1:]:
        assert one.keys() == known[0].keys()
        for name, value in one.items():
            assert abs(value - known[0][name]) < 0.5, f"{case}: {name} is {value} and {known[0][name]}"
    return bool(known)


def written(case, folder):
    model = case.build()
    try:
        here = assemble(model)
        save_model(model, folder / "model.yaml")
        again = load_model(folder / "model.yaml").model
    except CardanError:
        return
    there, others = assemble(again), offered(again)
    for name, measure in offered(model).items():
        assert abs(float(there[others[name]].value) - float(here[measure].value)) < 1e-6, f"{case}: {name}"


def test_random_mechanisms(invariant_seeds, tmp_path):
    """Both coordinates, one interval and twenty, and model files: joint angles never differ by a turn.

    0.5 rad tells turns from the errors of motions that diverge; in the time that they run most agree to 1e-6.
    """
    moved = 0
    for seed in invariant_seeds:
        case = random_case(seed, spatial=True)
        moved += agree(case)
        written(case, tmp_path)
    assert 2 * moved > len(invariant_seeds)


@pytest.mark.parametrize("case", [c for c in population("catalog") if "spatial" in str(c)], ids=str)
def test_catalog(case, tmp_path):
    assert agree(case)
    written(case, tmp_path)
