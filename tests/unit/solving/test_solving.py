"""Programs of pages, run by node: results with other parameters are those of Python, and hands close loops."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardan.spatial as space
from cardan import (
    CardanWarning,
    LockUp,
    ModelError,
    assemble,
    initial_conditions,
    inverse_dynamics,
    kinematics,
    parameter,
    simulate,
)
from cardan.analysis.assembly.assemble import assembled
from cardan.analysis.assembly.initial_conditions import consistent_velocities
from cardan.analysis.drag.grab import Grab
from cardan.case import load_case
from cardan.examples import load
from cardan.model.parameter import changed
from cardan.planar import Body, Driver, Impact, Model, Ramp, Revolute, Step, y
from cardan.results.snapshot import Snapshot
from cardan.solving.parameters import candidates, ranges_of
from cardan.solving.program import Program
from cardan.solving.solver import Solver
from cardan.system.compile import compile

SCRIPT = Path(__file__).with_name("solve.mjs")
SAME = 1e-9  # relative to the largest number: the promise of pages; other sines differ in the last digit


def answers(solver: Solver, questions: list[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    module, asked = folder / "page.wasm", folder / "questions.json"
    module.write_bytes(solver.program.module)
    info = solver.description(np.arange(len(solver.run)))
    asked.write_text(json.dumps({"info": info, "questions": questions}))
    done = subprocess.run([node, str(SCRIPT), str(module), str(asked)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def assert_same(found: list[float], expected: np.ndarray, tolerance: float = SAME) -> None:
    assert np.abs(np.array(found) - expected.ravel()).max() <= tolerance * max(1.0, np.abs(expected).max())


def check_changes(
    built: Any, analysis: Any, changes: dict[str, float], curves: list[str], folder: Path, tolerance: float = SAME
) -> None:
    """The motion and the curves of a model with some parameters changed, of the page and of Python."""
    model = built() if callable(built) else load(built).build()
    run = analysis(model)
    solver = Solver(run, curves, list(changes))
    values = [float(one.parameter.value) for one in solver.ranges]
    other = [changes[one.parameter.name] for one in solver.ranges]
    as_stated, with_others, again = answers(solver, [{"values": v} for v in (values, other, values)], folder)
    with changed(model, {one.parameter: value for one, value in zip(solver.ranges, other, strict=True)}):
        expected = analysis(model)
        read = expected.columns.read(expected, curves)
    before = run.columns.read(run, curves)
    for found, wanted, columns in ((as_stated, run, before), (with_others, expected, read), (again, run, before)):
        assert found["status"] == 0 and found["reached"] == len(wanted)
        assert_same(found["q"], wanted.q, tolerance)
        assert set(found["curves"]) == set(curves)
        for curve in curves:
            assert_same(found["curves"][curve], columns[curve], tolerance)
    assert any(np.abs(read[curve] - before[curve]).max() > 1e-5 for curve in curves)  # far above 1e-9


def spatial_arm() -> space.Model:
    """Two links that turn about skew axes, driven, in gravity."""
    model = space.Model("arm", gravity=(0.0, 0.0, -9.81))
    arm = model.add(space.Body(mass=2.0, inertia=(0.01, 0.02, 0.03), center=(0.2, 0.0, 0.0)), name="arm")
    hand = model.add(
        space.Body(mass=0.7, inertia=(0.01, 0.02, 0.02), center=(0.1, 0.05, 0.0), position=(0.4, 0.0, 0.0)), name="hand"
    )
    ground = model.ground.at(z=(0.0, 0.3, 1.0))
    shoulder = model.add(space.Revolute(ground, arm.at(z=(0.0, 0.3, 1.0))), name="shoulder")
    axis = (0.0, 1.0, 0.2)
    elbow = model.add(space.Revolute(arm.at(0.4, 0.0, 0.0, z=axis), hand.at(z=axis)), name="elbow")
    model.add(space.Driver(shoulder.angle, Ramp(3.0)), name="motor")
    model.add(space.Driver(elbow.angle, Ramp(-2.0)), name="second motor")
    return model


def over(analysis: Any, until: float) -> Any:
    return lambda model: analysis(model, np.linspace(0.0, until, 51), progress=False)


def test_a_planar_mechanism_with_another_speed_and_other_lengths(tmp_path) -> None:
    changes = {"motor.motion.rate": 13.0, "B.a.x": 0.12, "A.a.y": 0.02}
    curves = ["slider.x", "slider.vx", "slider.ax", "B.angle.rate"]
    check_changes("slider-crank", over(kinematics, 0.5), changes, curves, tmp_path)


def test_gears_with_other_radii(tmp_path) -> None:
    """They are known up to full turns, which the radii do not change."""
    changes = {"mesh 1.radius_a": 0.31, "motor.motion.rate": 1.3}
    check_changes("gear-slider", over(kinematics, 1.0), changes, ["slider.x", "wheel.angle"], tmp_path)


@pytest.mark.slow  # 20 s of compilation; the forces of spatial mechanisms follow from the same motion
def test_a_spatial_mechanism_with_another_speed_and_other_lengths(tmp_path) -> None:
    changes = {"motor.motion.rate": 4.0, "C.a.x": 0.31}
    check_changes("spatial-slider-crank", over(kinematics, 0.5), changes, ["slider.x", "slider.vx"], tmp_path)


def test_forces_of_a_planar_mechanism_with_other_masses_and_gravity(tmp_path) -> None:
    changes = {"motor.motion.rate": 9.0, "rod.mass": 0.9, "gravity.y": -5.0, "B.a.x": 0.11}
    curves = ["slider.ax", "motor.force", "A.fx", "B.fy", "C.fx", "guide.torque"]
    check_changes("slider-crank", over(inverse_dynamics, 0.5), changes, curves, tmp_path)


def test_forces_of_a_spatial_mechanism_with_other_masses(tmp_path) -> None:
    changes = {"motor.motion.rate": 5.0, "hand.mass": 0.9, "elbow.a.x": 0.45}
    curves = ["hand.x", "motor.force", "shoulder.fx", "shoulder.tz", "elbow.ty", "elbow.fz"]
    check_changes(spatial_arm, over(inverse_dynamics, 0.5), changes, curves, tmp_path)


def simulated(until: float) -> Any:
    return lambda model: simulate(model, until, output=until / 50, progress=False)


def test_a_planar_simulation_with_other_masses_lengths_and_gravity(tmp_path) -> None:
    changes = {"second.mass": 1.7, "gravity.y": -8.0, "B.a.x": 0.55}
    curves = ["first.angle", "second.vx", "second.ay", "A.fx", "B.fy"]
    # Rounding grows with the motion, which is chaotic, here by a factor of about 1e3 in a second.
    check_changes("double-pendulum", simulated(1.0), changes, curves, tmp_path)


def test_a_simulation_that_is_read_on_its_way_ends_alike(tmp_path) -> None:
    """The page computes long simulations in slices, and shows what it has."""
    run = simulated(0.5)(load("double-pendulum").build())
    solver = Solver(run, ["first.angle", "A.fx"], ["second.mass"])
    whole, sliced = answers(solver, [{"values": [1.7]}, {"values": [1.7], "slices": 3}], tmp_path)
    assert whole["status"] == 0 and whole == sliced


@pytest.mark.slow  # the kernels of flexible bodies
def test_a_simulation_of_a_flexible_body_without_its_forces(tmp_path) -> None:
    model = load("flexible-slider-crank").build()
    run = simulated(0.05)(model)
    solver = Solver(run, ["slider.x", "B.fx"], ["gravity.y"])
    assert "flexible body" in solver.without_forces
    assert all(kind != "B.fx" for names, *_ in solver.description(np.arange(len(run)))["curves"] for kind in names)
    (found,) = answers(solver, [{"values": [-9.81]}], tmp_path)
    assert_same(found["q"], run.q)


def test_a_spatial_simulation_with_another_mass(tmp_path) -> None:
    check_changes("heavy-top", simulated(0.2), {"top.mass": 0.5, "gravity.z": -9.0}, ["tip.x", "tip.vy"], tmp_path)


def explicitly(until: float) -> Any:
    """Without the trials of other methods that "auto" makes where forces seem stiff."""
    return lambda model: simulate(model, until, output=until / 50, method="dop853", progress=False)


def test_a_simulation_with_contacts(tmp_path) -> None:
    """Five balls that collide once until then: the first with the last, through three that touch."""
    changes = {"contact 1.stiffness": 1.3e9, "ball 2.mass": 0.04, "gravity.y": -9.0}
    check_changes("newtons-cradle", explicitly(0.3), changes, ["ball 1.vx", "ball 5.vx", "ball 3.y"], tmp_path)


@pytest.mark.slow  # 20 s of compilation; rolling in samples is tested with studies
def test_a_simulation_with_a_rolling_disk(tmp_path) -> None:
    check_changes(
        "rolling-coin", simulated(0.5), {"coin.mass": 0.02, "gravity.z": -9.0}, ["coin.x", "coin.z"], tmp_path
    )


@pytest.mark.slow
def test_a_simulation_with_a_tire(tmp_path) -> None:
    changes = {"strut.stiffness": 21e3, "speed.motion.rate": 11.0}
    check_changes("rough-road", explicitly(0.5), changes, ["body.z", "body.az"], tmp_path)


def test_friction_that_sticks_and_slides(tmp_path) -> None:
    run = load_case("stick-slip", {}).compute(progress=False)
    times = run.times[: len(run) // 4]

    def analysis(model: Any) -> Any:
        return simulate(model, float(times[-1]), output=times, method="dop853", progress=False)

    assert analysis(load("stick-slip").build()).events  # it sticks and slides
    changes = {"block.mass": 2.1, "spring.stiffness": 75.0, "gravity.y": -9.5}
    check_changes("stick-slip", analysis, changes, ["block.x", "block.vx"], tmp_path)


def bouncing(restitution: float = 0.7) -> Model:
    """A ball that falls on the ground, bounces and comes to rest on it."""
    model = Model("ball", gravity=(0.0, -9.81))
    ball = model.add(Body(mass=0.5, inertia=0.01, position=(0.0, 0.3), velocity=(0.4, 0.0)), name="ball")
    model.add(Impact(y(ball.at()), restitution=restitution, rest_speed=0.05), name="floor")
    return model


def test_impacts(tmp_path) -> None:
    def analysis(model: Any) -> Any:
        run = simulate(model, 2.0, output=0.04, progress=False)
        assert len(run.events) > 3
        return run

    changes = {"floor.restitution": 0.6, "floor.below": 0.02, "gravity.y": -9.0}
    check_changes(bouncing, analysis, changes, ["ball.x", "ball.y", "ball.vy"], tmp_path)


def test_a_simulation_from_a_snapshot_with_an_absolute_tolerance(tmp_path) -> None:
    """After a change it begins at the closed position nearest to the snapshot, as `rerun` does."""
    model = load("double-pendulum").build()
    start = initial_conditions(model, positions={model["A"].angle: 0.3, model["B"].angle: -0.2})
    options = {"output": 0.02, "start": start, "rtol": 1e-7, "atol": 1e-9, "method": "dop853", "progress": False}
    run = simulate(model, 0.5, **options)
    solver = Solver(run, ["second.vx"], ["second.mass", "B.a.x"])
    as_stated, changed_ = answers(
        solver, [{"values": solver.tables.values.tolist()}, {"values": [1.7, 0.55]}], tmp_path
    )
    assert_same(as_stated["q"], run.q)
    assert_same(as_stated["curves"]["second.vx"], run["second.vx"])
    with changed(model, dict(zip([one.parameter for one in solver.ranges], [1.7, 0.55], strict=True))):
        system = compile(model, start=start.as_start(model))
        q, reference = assembled(system, 0.0)
        v = consistent_velocities(system, q, start.v, 0.0, reference)
        again = simulate(
            model, 0.5, **options | {"start": Snapshot(system, 0.0, q, v, turns=reference[system.winding])}
        )
    assert_same(changed_["q"], again.q)


def other_branch(model: Model) -> Any:
    """A four-bar with its pin C on the other side of the line from B to D."""
    first = assemble(model)
    crank, coupler, rocker = (first.q[3 * k : 3 * k + 3] for k in (1, 2, 3))
    b = complex(*crank[:2]) + complex(math.cos(crank[2]), math.sin(crank[2]))
    way = complex(4.0, -1.0) - b
    for body in (coupler, rocker):
        mirrored = b + way / way.conjugate() * (complex(body[0], body[1]) - b).conjugate()
        body[:] = mirrored.real, mirrored.imag, 2.0 * math.atan2(way.imag, way.real) - body[2]
    start = Snapshot(first.system, 0.0, first.q)
    return kinematics(model, np.linspace(0.0, 0.5, 26), start=start, progress=False)


def test_kinematics_from_another_branch(tmp_path) -> None:
    model = load("four-bar").build()
    first = kinematics(model, np.linspace(0.0, 0.5, 26), progress=False)
    assert np.abs(first.q - other_branch(model).q).max() > 0.1
    solver = Solver(other_branch(model), ["rocker.angle"], [])
    (found,) = answers(solver, [{"values": []}], tmp_path)
    assert_same(found["q"], other_branch(model).q)


def test_joint_coordinates_are_repeated_in_coordinates_of_bodies(tmp_path) -> None:
    model = load("double-pendulum").build()
    run = simulate(model, 0.5, output=0.01, coordinates="joint", progress=False)
    solver = Solver(run, ["second.vx"], ["second.mass"])
    (found,) = answers(solver, [{"values": solver.tables.values.tolist()}], tmp_path)
    assert_same(found["q"], solver.run.q)
    assert np.abs(np.array(found["q"]).reshape(run.q.shape) - run.q).max() < 1e-6


NEEDS_PYTHON = {
    "bouncing-ball": "event 'impact' calls Python: omit events=",
    "quarter-car": "calls a Python function at its sampling times",
    "pick-and-place": "is released until an event engages it|calls Python",
    "endless-swing": "pages integrate Cartesian coordinates, method 'symplectic' those of joints",
}


@pytest.mark.parametrize("name", NEEDS_PYTHON)
def test_what_needs_python_is_rejected_with_the_element(name) -> None:
    run = load_case(name, {}).compute(progress=False)
    with pytest.raises(ModelError, match=NEEDS_PYTHON[name]):
        Solver(run, [])


def test_a_hand_between_two_solutions_leaves_nothing_behind(tmp_path) -> None:
    """Hands and simulations share memory; a simulation begins from an image of it."""
    run = simulated(0.5)(load("double-pendulum").build())
    solver = Solver(run, ["first.angle", "A.fx"], ["second.mass"])
    drag = {"frame": 5, "body": 1, "point": [0.5, 0.0], "target": [0.1, 0.4]}
    first, _, again = answers(solver, [{"values": [1.7]}, drag, {"values": [1.7]}], tmp_path)
    assert first["status"] == 0 and first == again


def test_a_hand_closes_loops_as_python_does(tmp_path) -> None:
    model = load("slider-crank").build()
    run = kinematics(model, np.linspace(0.0, 0.1, 11), progress=False)
    solver = Solver(run, [], [])
    target = np.array([0.03, 0.12])
    questions = [{"values": []}, *({"frame": 5, "body": 1, "point": [0.1, 0.0], "target": target.tolist()},)]
    _, dragged = answers(solver, questions, tmp_path)
    hand = Grab(model)
    hand.begin(run.at(float(run.times[5])))
    expected = hand.drag("crank", (0.1, 0.0), target)
    # Both are on the circle of the crank pin, at the point nearest to the target, which searches find to 1e-6.
    assert np.abs(np.array(dragged["q"]) - expected.snapshot.q).max() < 1e-5
    x, y = dragged["q"][3:5]
    # The crank turns about the origin, and the slider stays on its guide.
    assert abs(np.hypot(x, y) - 0.1) < 1e-10 and abs(dragged["q"][10]) < 1e-10


def arm(motion: Any) -> Model:
    model = Model("arm")
    rod = model.add(Body(), name="rod")
    hinge = model.add(Revolute(model.ground.at(), rod.at()), name="hinge")
    model.add(Driver(hinge.angle, motion), name="motor")
    return model


def swing(t: float) -> float:
    return 0.3 * math.sin(2.0 * t) + math.hypot(t, 0.1)


SPEEDS = {"slow": 2.0}  # Numba does not compile dictionaries of a module


def interpreted(t: float) -> float:
    return SPEEDS["slow"] * t


def test_compiled_functions_are_included(tmp_path) -> None:
    run = kinematics(arm(swing), np.linspace(0.0, 2.0, 21), progress=False)
    (found,) = answers(Solver(run, ["rod.angle"], []), [{"values": []}], tmp_path)
    assert_same(found["curves"]["rod.angle"], np.array([swing(t) for t in run.times]))


def test_interpreted_functions_are_rejected_by_name() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = kinematics(arm(interpreted), [0.0, 0.1], progress=False)
    with pytest.raises(ModelError, match="'interpreted' runs in the Python interpreter"):
        Solver(run, [], [])


def test_parameters_that_cannot_be_changed_are_rejected_by_name() -> None:
    model = arm(Ramp(2.0))
    run = kinematics(model, [0.0, 0.1], progress=False)
    with pytest.raises(ModelError, match="'gravity.y' has no effect"):
        Solver(run, [], ["gravity.y"])
    with pytest.raises(ModelError, match=r"'motor.motion.rate'.*contain its value 2"):
        Solver(run, [], {"motor.motion.rate": (3.0, 4.0)})
    moved = parameter(model["hinge"], "b.x")
    assert [one.parameter.name for one in Solver(run, [], [moved]).ranges] == ["hinge.b.x"]


def test_a_lock_up_is_reported_with_the_motion_so_far(tmp_path) -> None:
    """A crank of 0.55 m does not turn past a rod of 0.5 m."""
    model = load("slider-crank").build()
    run = kinematics(model, np.linspace(0.0, 0.3, 61), progress=False)
    solver = Solver(run, [], {"B.a.x": (0.05, 0.6)})
    (found,) = answers(solver, [{"values": [0.45]}], tmp_path)
    with changed(model, {solver.ranges[0].parameter: 0.45}), pytest.raises(LockUp) as stop:
        kinematics(model, run.times, progress=False)
    assert found["status"] == 2 and found["reached"] == len(stop.value.partial)
    assert_same(found["q"], stop.value.partial.q)


def test_what_cannot_be_repeated_can_be_dragged_and_says_why(tmp_path) -> None:
    model = load("slider-crank").build()
    place = assemble(model).as_trajectory()
    with pytest.raises(ModelError, match="not a snapshot"):
        Solver(place, [], ["B.a.x"], drag_alone=True)
    solver = Solver(place, [], drag_alone=True)
    assert "not a snapshot" in solver.why and set(solver.program.linked.exports) == {"drag", "close"}
    assert {name for name, _ in solver.program.linked.imports} <= {"sin", "cos", "atan2"}


def test_tables_are_made_without_warnings(monkeypatch) -> None:
    """Some lengths at which tables are made leave the redundant hinges with a misfit; nobody chose them."""
    monkeypatch.setattr(Program, "link", lambda self: None)  # nothing is compiled
    run = load_case("lifted-four-bar", {}).compute(progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error", CardanWarning)
        assert Solver(run, []).ranges


def test_joints_that_share_a_marker_share_its_coordinates() -> None:
    model = arm(Ramp(2.0))
    point = model["rod"].at(1.0, 0.0)
    other = model.add(Body(position=(1.0, 0.0)), name="other")
    first = model.add(Revolute(point, other.at()), name="first")
    last = model.add(Body(position=(1.0, 0.0)), name="last")
    second = model.add(Revolute(point, last.at()), name="second")
    model.add(Driver(first.angle, Ramp(1.0)), name="motor 2")
    model.add(Driver(second.angle, Ramp(1.0)), name="motor 3")
    names = [one.parameter.name for one in ranges_of(model, None, 1.0)]
    assert "first.a.x" in names and "second.a.x" not in names and "second.b.x" in names


def test_whole_numbers_are_not_parameters_of_a_page() -> None:
    """The order of a polynomial is no candidate, and stating it is an error that names it."""
    model = Model("gate")
    arm = model.add(Body(mass=1.0, inertia=1.0), name="arm")
    pin = model.add(Revolute(model.ground.at(), arm.at()), name="pin")
    model.add(Driver(pin.angle, Step(0.0, 1.0, order=7)), name="motor")
    assert not any("order" in name for name in candidates(model))
    with pytest.raises(ModelError, match="whole number"):
        ranges_of(model, ["motor.motion.order"], 1.0)
