"""compile(model): numbering, tables, and one solution of the sparse system against a dense one."""

import numpy as np
import pytest

from cardan import ModelError
from cardan.numerics.compiled.jit import kernel
from cardan.planar import Body, Hold, Model, Ramp, Revolute, angle
from cardan.system.compile import compile
from cardan.system.evaluate import evaluate, factorize, rows_times, solve_columns, solve_rows
from catalog import CASES
from linkages import four_bar, ladder, slider_crank


@kernel
def solve_both(rows, solver, active, right, force, work, step, multipliers, product, width):
    """J x = right, J^T lambda = force and J x with the factors at hand: kernels are called by kernels."""
    solve_rows(rows, solver, active, right, work, step, width)
    solve_columns(rows, solver, active, force, work, multipliers, width)
    rows_times(solver, work, step, product)


@pytest.fixture
def system():
    return compile(slider_crank(0.2, 0.5, 0.6, Ramp(1.0, start=0.6)))


def test_numbering(system):
    """Ground is body 0; three coordinates a body; 2 + 2 + 2 + 2 joint rows and one driver."""
    assert [system.number[id(b)] for b in (system.model.ground, *system.bodies)] == [0, 1, 2, 3]
    assert (system.coordinates, system.row_count, system.width) == (9, 9, 3)
    assert system.driving.tolist() == [False] * 8 + [True]
    assert system.start.size == 12 and not system.start[:3].any()


def test_names(system):
    assert [system.row_name(r) for r in (0, 7, 8)] == ["'A' (x)", "'guide' (angle)", "'motor' (angle)"]
    assert system.coordinate_name(2) == "angle of 'crank'" and system.coordinate_name(6) == "x of 'slider'"


def test_own_coordinates_come_last():
    case = next(c for c in CASES if c.name == "cam-pair")
    system = compile(case.model())
    assert system.coordinates == 3 * 2 + 2 and system.coordinate_name(7) == "contact.contact_b"


def test_size_of_the_model():
    """The farthest marker from its origin, or the spread of bodies."""
    assert compile(slider_crank(0.2, 0.5, 0.0, Ramp(1.0))).length == pytest.approx(0.7)  # the slider's place
    assert compile(four_bar(0.5, 1.5, 1.2, 1.4, 0.7, Ramp(1.0))).length == pytest.approx(1.5)  # the coupler's far end


def test_model_without_size():
    model = Model("dot")
    dot = model.add(Body(), name="dot")
    model.add(Hold(angle(model.ground.at(), dot.at()), 0.0))
    assert compile(model).length == 1.0


def test_measure_used_twice_is_kept_once():
    model = Model("twice")
    body = model.add(Body(), name="body")
    turn = angle(model.ground.at(), body.at())
    model.add(Hold(turn, 0.0))
    model.add(Hold(2.0 * turn, 0.0))
    assert len(compile(model).measures) == 1


def test_drivers_can_be_left_out(system):
    without = compile(system.model, drivers=False)
    assert without.row_count == 8 and not without.driving.any()


def test_stated_speeds():
    model = Model("moving")
    model.add(Body(velocity=(1.0, 2.0), angular_velocity=3.0), name="body")
    model.add(Hold(angle(model.ground.at(), model["body"].at()), 0.0))
    assert compile(model).stated_speeds().tolist() == [0, 0, 0, 1, 2, 3]


def test_stranger_is_rejected(system):
    with pytest.raises(ModelError, match="'stranger'.*'slider-crank'"):
        stranger = Model("other").add(Body(), name="stranger")
        system.body_number(stranger)


@pytest.mark.parametrize("case", [*CASES, "ladder"], ids=str)
def test_sparse_solution_equals_dense(case):
    """J x = r and J^T lambda = f through the sparse factors; the condition of these Jacobians is below 1e4."""
    system = compile(ladder(12) if case == "ladder" else case.model())
    work, random = system.work(), np.random.default_rng(0)
    v = np.concatenate([np.zeros(3), random.standard_normal(system.coordinates)])
    assert evaluate(system.geometry, system.rows, system.start, v, 0.0, system.reference, work) == 0
    active = np.ones(system.row_count, np.uint8)
    assert factorize(system.rows, system.solver, system.weights, active, 0.0, work) == 0
    rows, columns, values, shape = system.jacobian(work)
    J = np.zeros(shape)
    np.add.at(J, (rows, columns), values)
    right = random.standard_normal(system.row_count)
    step, multipliers, product = system.speeds(), np.zeros(system.row_count), np.zeros(system.row_count)
    solve_both(system.rows, system.solver, active, right, v, work, step, multipliers, product, 3)
    scale = np.linalg.cond(J) * np.linalg.norm(right)
    assert np.abs(J @ step[3:] - right).max() < 1e-13 * scale
    assert np.abs(product - J @ step[3:]).max() < 1e-13 * np.abs(J).max() * np.abs(step).max() * 10
    assert np.abs(J.T @ multipliers - v[3:]).max() < 1e-13 * np.linalg.cond(J) * np.linalg.norm(v)


def test_rows_set_aside_take_no_part(system):
    """With a row set aside the step is the least one, in the metric W, that satisfies the others."""
    work = system.work()
    assert evaluate(system.geometry, system.rows, system.start, system.speeds(), 0.0, system.reference, work) == 0
    rows, columns, values, shape = system.jacobian(work)
    J = np.zeros(shape)
    np.add.at(J, (rows, columns), values)
    active = np.ones(9, np.uint8)
    active[8] = 0
    assert factorize(system.rows, system.solver, system.weights, active, 0.0, work) == 0
    right, step, other = np.arange(1.0, 10.0), system.speeds(), np.zeros(9)
    solve_both(system.rows, system.solver, active, right, system.speeds(), work, step, other, other.copy(), 3)
    W, J8 = np.diag(1.0 / system.weights), J[:8]
    least = W @ J8.T @ np.linalg.solve(J8 @ W @ J8.T, right[:8])
    assert step[3:] == pytest.approx(least, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("far", [1e300, 1e120])
def test_a_size_with_which_nothing_can_be_computed_is_rejected(far: float) -> None:
    model = Model("typo", gravity=(0, -9.81))
    arm = model.add(Body(mass=1.0, inertia=1.0), name="arm")
    bob = model.add(Body(mass=1.0, inertia=1.0, position=(far, 0)), name="bob")
    model.add(Revolute(model.ground.at(), arm.at()), name="pin")
    model.add(Revolute(arm.at(1, 0), bob.at()), name="elbow")
    with pytest.raises(ModelError, match=r"the size of 'typo' would be .* m.*'bob' is the farthest, 1e\+(300|120) m"):
        compile(model)


def test_negative_mass_is_said_of_the_body() -> None:
    with pytest.raises(ModelError, match="^the mass of Body 'arm' must not be negative, got -1$"):
        Model("m").add(Body(mass=-1.0, inertia=1.0), name="arm")
