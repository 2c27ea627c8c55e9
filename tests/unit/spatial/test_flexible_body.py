"""Flexible spatial bodies: their equations, markers and analyses against mass points, meshes without a frame, and
closed forms."""

from dataclasses import replace

import numpy as np
import pytest

from cardan import (
    Symplectic,
    equilibrium,
    inverse_dynamics,
    joint_space,
    kinematics,
    linearize,
    mobility,
    simulate,
    steady_motion,
)
from cardan.analysis.checks.self_check import self_check
from cardan.errors import CardanWarning, ModelError
from cardan.model.flexible_part import Interface
from cardan.model.space import advance
from cardan.spatial import (
    Ball,
    Body,
    Contact,
    CurveThrough,
    Driver,
    Face,
    Fixed,
    FlexibleBody,
    Harmonic,
    Hold,
    Load,
    Marker,
    Model,
    PointOnCurve,
    Polynomial,
    Revolute,
    Spherical,
    angle,
    bearing,
    component,
    dot,
    length,
    rotation,
    rotation_component,
    tilt,
    velocity_along,
    x,
)
from cardan.system.compile import compile
from cardan.system.evaluate import evaluate_position, evaluate_velocity
from flexible_parts import Points, brick_part

RNG = np.random.default_rng(8)
PARAMETERS = np.array([0.8, 0.2, -0.4, 0.4])
GRAVITY = (0.3, -0.2, -9.81)


def tumbling(points: Points, gravity: tuple[float, float, float] = GRAVITY) -> tuple[Model, FlexibleBody]:
    model = Model("tumbling", gravity=gravity)
    body = FlexibleBody(
        points.part,
        position=(1.0, 2.0, 3.0),
        orientation=tuple(PARAMETERS / np.linalg.norm(PARAMETERS)),
        velocity=(1.0, 2.0, 0.5),
        angular_velocity_b=(1.0, -2.0, 1.5),
        deformation=(0.1, -0.2, 0.15, 0.05),
        deformation_rate=(0.3, 0.2, -0.4, 0.1),
        damping={"stiffness": 0.0},
    )
    return model, model.add(body, name="body")


def test_accelerations_are_those_of_the_mass_points() -> None:
    """Gauss's principle for the points themselves: sum mu J_i^T (J_i a + c_i - g) + K eta = 0."""
    points = Points(1)
    model, body = tumbling(points)
    run = simulate(model, 1e-4)
    A, w = run[body].matrix[0], run[body].angular_velocity_b[0]
    eta, speed = np.array(body.deformation), np.array(body.deformation_rate)
    y, dy = points.x + np.einsum("kic,k->ic", points.psi, eta), np.einsum("kic,k->ic", points.psi, speed)
    n, M, right = len(eta), np.zeros((10, 10)), np.zeros(10)
    for i, mass in enumerate(points.mass):
        tilde = np.cross(np.eye(3), y[i])  # columns e_k x y, transposed: rows
        J = np.hstack([np.eye(3), A @ tilde.T, A @ points.psi[:, i].T])
        bias = A @ (np.cross(w, np.cross(w, y[i])) + 2.0 * np.cross(w, dy[i]))
        M += mass * J.T @ J
        right += mass * J.T @ (np.array(GRAVITY) - bias)
    right[6:] -= points.K @ eta
    assert n == 4
    assert np.allclose(run.a[0, 6:], np.linalg.solve(M, right), rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("stiffened", [False, True])
def test_free_motion_keeps_energy_and_momenta(stiffened: bool) -> None:
    """Also with arbitrary second-order displacements: the equations are Lagrange's."""
    points = Points(2, stiffened)
    model, body = tumbling(points, (0.0, 0.0, 0.0))
    run = simulate(model, 2.0, output=0.25, rtol=1e-11)
    assert run.energy.drift < 1e-9
    momenta = []
    for k in range(run.times.size):
        A, w = run[body].matrix[k], run[body].angular_velocity_b[k]
        eta, speed = run.q[k, -4:], run.v[k, -4:]
        grown = points.psi + np.einsum("klic,l->kic", points.gamma, eta)
        S = points.part.first_moment[0] + np.einsum("i,kic,k->c", points.mass, 0.5 * (points.psi + grown), eta)
        C = np.einsum("i,kic->kc", points.mass, grown)
        linear = points.part.mass * run[body].velocity[k] + A @ (np.cross(w, S) + speed @ C)
        momenta.append(linear)
    assert np.ptp(momenta, axis=0).max() < 1e-9 * np.abs(momenta).max()


def test_angular_momentum() -> None:
    points = Points(3)
    model, body = tumbling(points, (0.0, 0.0, 0.0))
    run = simulate(model, 2.0, output=0.5, rtol=1e-11)
    found = []
    for k in range(run.times.size):
        r, A, w = run[body].position[k], run[body].matrix[k], run[body].angular_velocity_b[k]
        eta, speed = run.q[k, -4:], run.v[k, -4:]
        y, dy = (np.einsum("kic,k->ic", points.psi, part) for part in (eta, speed))
        y += points.x
        velocity = run[body].velocity[k] + (np.cross(w, y) + dy) @ A.T
        found.append((points.mass[:, None] * np.cross(r + y @ A.T, velocity)).sum(0))
    assert np.ptp(found, axis=0).max() < 1e-8 * np.abs(found).max()


def test_all_modes_are_the_mesh_without_a_frame() -> None:
    """A soft bar of four bricks swings on a ball at a corner, with all 54 modes.

    Reference: the same mesh as 20 points coupled by their mass matrix, elastic energy in the frame of the polar
    decomposition, integrated with DOP853 at rtol 1e-12 without floating frame or modes; eight digits.
    """
    part = brick_part()
    assert np.allclose(part.frequencies[:3], [8.44175, 9.29223, 13.17087], rtol=0.0, atol=5e-6)
    model = Model("pendulum", gravity=(0, 0, -9.81))
    bar = model.add(FlexibleBody(part), name="bar")
    model.add(Spherical(model.ground.at(), bar.at("root")), name="ball")
    run = simulate(model, 1.0, output=[1.0], rtol=1e-10)
    expected = np.array([-1.00414249, -0.07550139, 0.06455859])
    assert np.abs(run[bar.at("tip")].position[-1] - expected).max() < 1e-7


def test_two_halves_are_the_whole() -> None:
    """Welded at the four nodes they share, with all modes: the same mesh, to second order in the deformation.

    Rotations within a body are small to first order; two frames follow the rotation of each half. Deflections are 1e-4
    of the length here, and differences 1e-8.
    """
    shared = {f"n{k}": k for k in range(4)}
    whole = brick_part()
    half = brick_part((2, 1, 1), (0.5, 0.12, 0.08), nodes={f"m{k}": 8 + k for k in range(4)} | shared | {"tip": 11})
    ends = []
    for parts in ([whole], [half, half]):
        model = Model("bar", gravity=(0, 0, -0.0981))
        bodies = [
            model.add(FlexibleBody(part, position=(0.5 * k, 0.0, 0.0)), name=f"bar{k}") for k, part in enumerate(parts)
        ]
        model.add(Spherical(model.ground.at(), bodies[0].at("root" if len(parts) == 1 else "n0")), name="ball")
        for k in range(4 if len(parts) == 2 else 0):
            model.add(Spherical(bodies[0].at(f"m{k}"), bodies[1].at(f"n{k}")), name=f"weld{k}")
        run = simulate(model, 0.2, output=[0.2], rtol=1e-9)
        ends.append(run[bodies[-1].at("tip")].position[-1])
    assert np.abs(ends[0] - ends[1]).max() < 5e-8


def test_a_stiff_body_is_rigid() -> None:
    """The limit of large stiffness; modes of 1e4 times the frequency leave 1e-8 of the deflection."""
    part = brick_part(modes=6)
    stiff = replace(part, stiffness=1e8 * part.stiffness)
    ends = []
    for flexible in (True, False):
        model = Model("pendulum", gravity=(0, 0, -9.81))
        twin = FlexibleBody(stiff)
        body = model.add(twin if flexible else Body(twin.mass, twin.inertia, center=twin.center), name="bar")
        model.add(Spherical(model.ground.at(), body.at(0.0, 0.0, 0.0)), name="ball")
        run = simulate(model, 0.3, output=[0.3], rtol=1e-9, method="radau")
        ends.append(np.concatenate([run[body].position[-1], run[body].orientation[-1]]))
    assert np.abs(ends[0] - ends[1]).max() < 1e-7


def _everything_between(a: Marker, b: Marker) -> list:
    return [
        x(b),
        component(a, b, "y"),
        length(a, b),
        dot(a, b, "x", "z"),
        angle(a, b),
        bearing(a, b),
        tilt(a, b),
        *(rotation_component(a, b, axis) for axis in "xyz"),
        velocity_along(a, b, "x"),
    ]


@pytest.mark.parametrize("other", ["rigid", "flexible", "same"])
def test_measures_between_flexible_markers(other: str) -> None:
    """Along a motion: jac and rates are first derivatives, biases second ones, and rate = jac v to rounding."""
    points = Points(4)
    model, body = tumbling(points)
    twin = FlexibleBody(points.part, position=(0.2, 0.1, -0.4), deformation=(-0.1, 0.2, 0.0, 0.1))
    second = model.add(Body(position=(0.5, 0.4, 0.0)) if other == "rigid" else twin, name="second")
    b = body.at("second", z=(0.1, 0.2, 1.0))
    a = second.at(0.1, 0.2, 0.3) if other == "rigid" else (second if other == "flexible" else body).at("first")
    measures = _everything_between(a, b)
    for k, measure in enumerate(measures[:-1]):
        model.add(Hold(measure, 0.1 * k), name=f"hold{k}")
    system = compile(model)
    v = system.speeds()
    v[6:] = RNG.normal(size=v.size - 6)
    work, h = system.work(), 1e-3

    def at(time: float) -> np.ndarray:
        q = system.start.copy()
        advance(system.geometry, q, time * v)
        evaluate_position(system.geometry, system.rows, q, 0.0, system.reference, work)
        return work.z[:, 0].copy()

    values = [at(k * h) for k in (-2, -1, 0, 1, 2)]
    evaluate_position(system.geometry, system.rows, system.start, 0.0, system.reference, work)
    evaluate_velocity(system.geometry, system.rows, v, 0.0, work)
    along = np.where(system.columns >= 6, v[system.columns], 0.0)
    assert np.allclose((work.jac * along).sum(1), work.z[:, 1], rtol=0.0, atol=1e-12)
    first = (values[0] - 8.0 * values[1] + 8.0 * values[3] - values[4]) / (12.0 * h)
    second_ = (-values[0] + 16.0 * values[1] - 30.0 * values[2] + 16.0 * values[3] - values[4]) / (12.0 * h * h)
    assert np.allclose(first, work.z[:, 1], rtol=0.0, atol=1e-8)  # of fourth order in h
    assert np.allclose(second_, work.z[:, 2], rtol=0.0, atol=1e-5)


def test_contact_rates_include_the_modes() -> None:
    points = Points(5)
    model, body = tumbling(points)
    model.add(Contact(Ball(body.at("second"), 0.1), Face(model.ground.at()), stiffness=1e4), name="contact")
    system = compile(model, forces=True)
    v, work = system.speeds(), system.work()
    v[6:] = RNG.normal(size=v.size - 6)
    gap = next(k for k, measure in enumerate(system.measures) if measure.kind == "gap")
    values, h = [], 1e-5
    for step in (-h, h):
        q = system.start.copy()
        advance(system.geometry, q, step * v)
        evaluate_position(system.geometry, system.rows, q, 0.0, system.reference, work)
        values.append(work.z[gap, 0])
    evaluate_position(system.geometry, system.rows, system.start, 0.0, system.reference, work)
    evaluate_velocity(system.geometry, system.rows, v, 0.0, work)
    assert work.z[gap, 1] == pytest.approx((values[1] - values[0]) / (2.0 * h), abs=1e-8)


def cantilever(**options: object) -> tuple[Model, FlexibleBody]:
    part = brick_part(modes=20, nodes={"r0": 0, "r1": 1, "r2": 2, "tip": 19})
    model = Model("cantilever", gravity=(0, 0, -9.81))
    bar = model.add(FlexibleBody(part, **options), name="bar")
    for name in ("r0", "r1", "r2"):
        model.add(Spherical(model.ground.at(*part.interfaces[name].position), bar.at(name)), name=name)
    return model, bar


def test_frequencies_of_a_free_body_are_those_of_its_part() -> None:
    part = brick_part(modes=8)
    model = Model("free")
    model.add(FlexibleBody(part, position=(1.0, 2.0, 3.0), damping=0.03), name="bar")
    modes = linearize(model).modes()
    assert np.allclose(np.sort(modes.frequencies), 2.0 * np.pi * part.frequencies, rtol=1e-9)
    values = modes.eigenvalues[np.abs(modes.eigenvalues.imag) > 1.0]
    assert np.allclose(-values.real / np.abs(values), 0.03, rtol=1e-9)


def test_linearization_predicts_small_vibrations() -> None:
    """About a deformed equilibrium: half a period after a release along one mode, the displacement is opposite."""
    model, bar = cantilever()
    at = equilibrium(model)
    modes = linearize(model, at=at).modes()
    tip, middle = bar.at("tip"), at[bar.at("tip")].position
    for k in (0, 3):
        start = modes.snapshot(k, size=1e-6)
        until = np.pi / abs(modes.eigenvalues[k].imag)
        run = simulate(model, until, output=[until], start=start, rtol=1e-11)
        before, after = start[tip].position - middle, run[tip].position[-1] - middle
        assert np.abs(before + after).max() < 1e-4 * np.abs(before).max()  # amplitude 1e-6 of 1 m: second order


def test_equilibrium_by_energy_and_by_newton() -> None:
    model, bar = cantilever()
    energy = equilibrium(model, method="energy")
    newton = equilibrium(model, method="newton", start=energy)
    assert np.allclose(energy.q, newton.q, rtol=0.0, atol=1e-9)
    assert energy[bar.at("tip")].position[2] < 0.08


def test_static_deflection_is_that_of_the_stiffness_matrix() -> None:
    """Small loads on a bar without weight held at three nodes: u = (K^-1 f) of the mesh, if all modes are kept."""
    from flexible_parts import bricks

    nodes = {"r0": 0, "r1": 1, "r2": 2, "tip": 19}
    part = brick_part(nodes=nodes)
    model = Model("cantilever")
    bar = model.add(FlexibleBody(part), name="bar")
    for name in ("r0", "r1", "r2"):
        model.add(Spherical(model.ground.at(*part.interfaces[name].position), bar.at(name)), name=name)
    force = np.array([1e-4, 2e-4, -3e-4])
    model.add(Load(bar.at("tip"), tuple(force)), name="load")
    found = equilibrium(model)[bar.at("tip")].position - part.interfaces["tip"].position
    _, K, _ = bricks((1.0, 0.12, 0.08), (4, 1, 1), E=2e6, nu=0.3, rho=1000.0)
    free = np.arange(9, 60)
    u = np.zeros(60)
    u[free] = np.linalg.solve(K[np.ix_(free, free)], np.concatenate([np.zeros(48), force]))
    assert np.allclose(found, u[57:], rtol=1e-3)  # rotation of the frame: of second order, 1e-4 of the length


@pytest.mark.parametrize("method", ["radau", "generalized-alpha", "bdf"])
def test_implicit_methods(method: str) -> None:
    model, bar = cantilever(damping=0.02)
    reference = simulate(model, 0.05, output=[0.05], rtol=1e-10)
    run = simulate(model, 0.05, output=[0.05], rtol=1e-7, method=method)
    assert np.abs(run[bar.at("tip")].position[-1] - reference[bar.at("tip")].position[-1]).max() < 1e-5


def test_energy_balance_with_damping() -> None:
    model, bar = cantilever(damping=0.05)
    run = simulate(model, 0.5, output=0.1, rtol=1e-10)
    assert run.energy.drift < 1e-9
    assert run.energy.dissipated[-1] > 1e-3
    assert run["bar.strain_energy"][-1] == pytest.approx(
        0.5 * run.q[-1, -20:] @ bar.part.stiffness @ run.q[-1, -20:], rel=1e-12
    )
    assert np.array_equal(run["bar.eta3"], run.q[:, -18])


def hinged(motion: object = None) -> tuple[Model, FlexibleBody, Driver]:
    model = Model("arm", gravity=(0, 0, -9.81))
    bar = model.add(FlexibleBody(brick_part(modes=5)), name="bar")
    hinge = model.add(Revolute(model.ground.at(z=(0, 1, 0)), bar.at("root", z=(0, 1, 0))), name="hinge")
    driver = model.add(Driver(hinge.angle, motion or Polynomial(0.1, 0.2)), name="motor")
    return model, bar, driver


def test_driven_motions_hold_the_deformation() -> None:
    """Held at zero it is the motion of a rigid body with the same mass properties; modes may be driven."""
    model, bar, motor = hinged()
    times = np.linspace(0.0, 1.0, 5)
    assert np.abs(kinematics(model, times).q[:, -5:]).max() == 0.0
    with pytest.warns(CardanWarning, match="'bar' stays as stated"):
        found = inverse_dynamics(model, times)
    rigid = Model("arm", gravity=(0, 0, -9.81))
    body = rigid.add(Body(bar.mass, bar.inertia, center=bar.center), name="bar")
    hinge = rigid.add(Revolute(rigid.ground.at(z=(0, 1, 0)), body.at(z=(0, 1, 0))), name="hinge")
    same = rigid.add(Driver(hinge.angle, Polynomial(0.1, 0.2)), name="motor")
    assert np.allclose(found[motor].force, inverse_dynamics(rigid, times)[same].force, rtol=1e-9)
    model, bar, _ = hinged()
    model.add(Driver(bar.modal_coordinate(2), Harmonic(0.01, 3.0)), name="shaker")
    assert np.allclose(kinematics(model, times).q[:, -4], 0.01 * np.sin(3.0 * times), rtol=0.0, atol=1e-14)


def test_mobility_counts_modes() -> None:
    model, _, _ = hinged()
    assert mobility(model).degrees_of_freedom == 6


def test_forces_and_joints_between_interfaces_of_two_bodies() -> None:
    """A weld of rotating interfaces: a body fixed to the tip follows its point and axes."""
    points = Points(6)
    model, body = tumbling(points)
    tip = body.at("second")
    rider = model.add(Body(1.0, (0.1, 0.2, 0.3), position=(1.0, 2.0, 3.0)), name="rider")
    model.add(Fixed(tip, rider.at()), name="weld")
    run = simulate(model, 0.5, output=0.1, rtol=1e-9)
    assert run.energy.drift < 1e-8
    space = run.system.space
    place, axes = space.frame(tip, run.q[:, run.system.pose_columns(body)])
    assert np.abs(place - run[rider].position).max() < 1e-12
    assert np.abs(axes - run[rider].matrix).max() < 1e-12
    marked = run[tip]
    assert np.abs(marked.position - place).max() < 1e-12
    assert np.abs(marked.velocity - run[rider].velocity).max() < 1e-10
    assert np.abs(marked.acceleration - run[rider].acceleration).max() < 1e-7


def test_what_joint_coordinates_do_not_support() -> None:
    """Contacts with coordinates of their own beside flexible bodies."""
    model, bar, _ = hinged()
    other = model.add(Body(mass=1.0, inertia=(0.1, 0.1, 0.1)), name="other")
    wire = CurveThrough([(0.0, 0.0, 0.0), (0.2, 0.1, 0.0), (0.5, 0.0, 0.1), (0.8, 0.0, 0.0)], closed=False)
    model.add(PointOnCurve(other.profile(wire), bar.at("tip")), name="contact")
    with pytest.raises(ModelError, match="'contact' has coordinates of its own and .* 'bar' is flexible"):
        simulate(model, 0.1, coordinates="joint")
    with pytest.raises(ModelError, match=r"bar\(tip\) moves with the modes .* task_space"):
        space = joint_space(hinged()[0])
        space.jacobian(space.system.bodies[0].at("tip"), space.q)


def test_free_bodies_are_in_balance() -> None:
    """Weight and inertia of the deforming body balance the reactions; a self check includes it."""
    model, bar = cantilever(damping=0.02)
    run = simulate(model, 0.1, output=0.05, rtol=1e-9)
    assert run.free_body(bar, at=0.1).closed
    assert self_check(run).good


def test_steady_motion_and_its_modes() -> None:
    """A bar spins about a pin at its corner: the state is constant in the turning frame, so a run stays in it."""
    part = brick_part(modes=5)
    model = Model("rotor")
    bar = model.add(FlexibleBody(part, angular_velocity=(0, 0, 2.0)), name="bar")
    model.add(Revolute(model.ground.at(), bar.at("root")), name="pin")
    steady = steady_motion(model, 2.0)
    run = simulate(model, 0.5, output=[0.5], start=steady, rtol=1e-10)
    assert np.abs(steady.q[-5:]).max() > 1e-4
    assert np.allclose(run.q[-1, -5:], steady.q[-5:], rtol=0.0, atol=1e-9)


def test_symplectic_methods_are_rejected() -> None:
    model, _, _ = hinged()
    with pytest.raises(ModelError, match="cannot integrate flexible bodies"):
        simulate(model, 0.1, method=Symplectic(step=1e-3))


def test_wrong_input_is_rejected() -> None:
    part = brick_part(modes=3)
    bar = FlexibleBody(part)
    for point in (("top",), (0.5, 0.0, 0.0)):
        with pytest.raises(ModelError, match="it has: 'root', 'tip'"):
            bar.at(*point)
    for options, words in (
        ({"modes": 4}, "1 to 3 modes"),
        ({"modes": [0]}, "numbers from 1 to 3"),
        ({"damping": -0.1}, "must not be negative"),
        ({"damping": [0.1]}, "one for each mode"),
        ({"damping": "large"}, "graded"),
        ({"deformation": [0.0]}, "one number for each mode"),
    ):
        with pytest.raises(ModelError, match=words):
            FlexibleBody(part, **options)
    with pytest.raises(ModelError, match="the part of a FlexibleBody"):
        FlexibleBody("bar")
    with pytest.raises(ModelError, match="cannot have a profile"):
        bar.profile(None)
    with pytest.raises(ModelError, match="has the modes 1 to 3, got 4"):
        bar.modal_coordinate(4)
    model = Model("frame")
    model.add(bar, name="bar")
    with pytest.raises(ModelError, match="acts on the frame of FlexibleBody 'bar'"):
        model.add(Spherical(model.ground.at(), bar.at()), name="ball")


def test_damping_and_modes() -> None:
    part = brick_part(modes=6)
    some = FlexibleBody(part, modes=[1, 3], damping=[0.1, 0.2])
    omega = 2.0 * np.pi * part.frequencies
    assert np.allclose(np.diag(some.part.damping), [0.2 * omega[0], 0.4 * omega[2]], rtol=1e-12)
    graded = FlexibleBody(replace(part, stiffness=100.0 * part.stiffness), damping="graded")
    ratios = np.diag(graded.part.damping) / (20.0 * omega)
    assert np.allclose(ratios, np.where(10.0 * part.frequencies < 100.0, 0.01, 0.1), rtol=1e-12)
    rayleigh = FlexibleBody(part, damping={"mass": 0.3, "stiffness": 1e-3})
    assert np.allclose(rayleigh.part.damping, 0.3 * np.eye(6) + 1e-3 * part.stiffness, rtol=1e-12, atol=1e-12)


def test_markers_by_point_are_those_by_name() -> None:
    part = brick_part(modes=3)
    axes = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    turned = replace(part, interfaces={"tip": Interface((1.0, 0.0, 0.0), np.ones((3, 3)), np.ones((3, 3)), axes)})
    bar = FlexibleBody(turned, position=(2.0, 0.0, 0.0), orientation=rotation.from_axis_angle((0, 0, 1), 0.5))
    assert bar.at("tip").orientation == pytest.approx([np.sqrt(0.5), 0, 0, np.sqrt(0.5)])
    assert bar.at("tip", z=(0, 0, 1)) == bar.at(1.0, 0.0, 0.0)
    there = np.array([2.0, 0.0, 0.0]) + [np.cos(0.5), np.sin(0.5), 0.0]
    assert bar.world(*there).interface == "tip"
