"""A spanning tree that is given, in every analysis: results do not depend on it."""

import math

import numpy as np
import pytest

from cardan import (
    ModelError,
    Symplectic,
    equilibrium,
    equilibrium_path,
    inverse_dynamics,
    kinematics,
    linearize,
    periodic_motion,
    planar as plane,
    simulate,
    spatial as space,
    steady_motion,
)

TREES = [("A", "B", "C"), ("D", "C", "B"), ("A", "B", "D"), ("A", "C", "D")]  # one joint is cut: D, A, C, B


def four_bar(spring=True, motor=False):
    """A crank, a coupler and a rocker on the level, hanging a little."""
    model = plane.Model("four-bar", gravity=(0.0, -9.81))
    points = [(0.0, 0.0), (0.3, -0.9), (1.3, -0.9), (1.2, 0.0)]
    bodies = [model.ground]
    for name, a, b in zip(("crank", "coupler", "rocker"), points[:-1], points[1:], strict=True):
        length, angle = math.dist(a, b), math.atan2(b[1] - a[1], b[0] - a[0])
        place = (0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]))
        body = plane.Body(mass=length, inertia=length**3 / 12.0, position=place, angle=angle)
        bodies.append(model.add(body, name=name))
    for name, one, two, point in zip("ABCD", bodies, [*bodies[1:], model.ground], points, strict=True):
        model.add(plane.Revolute.between(one, two, point), name=name)
    if spring:
        model.add(plane.Spring(model["A"].angle, 5.0, 0.8, rest_angle=0.3), name="spring")
    if motor:
        turn = plane.Function(lambda t: 0.2 * np.sin(2.0 * t))
        model.add(plane.Driver(model["A"].angle, turn), name="motor")
    return model


def by(model, names):
    return {"coordinates": "joint", "tree": [model[name] for name in names]}


@pytest.fixture(params=TREES, ids="".join)
def names(request):
    return request.param


class TestOnAClosedLoop:
    """Against Cartesian coordinates."""

    def test_driven_motion(self, names):
        times, model = np.linspace(0.0, 2.0, 9), four_bar(motor=True)
        one, two = kinematics(model, times, **by(model, names)), kinematics(model, times)
        for body in model.bodies:
            assert np.abs(one[body].position - two[body].position).max() < 1e-10
            assert np.abs(one[body].angular_acceleration - two[body].angular_acceleration).max() < 1e-8

    def test_forces(self, names):
        times, model = np.linspace(0.0, 2.0, 9), four_bar(motor=True)
        one, two = inverse_dynamics(model, times, **by(model, names)), inverse_dynamics(model, times)
        gap = np.abs(one.loads.multipliers - two.loads.multipliers).max()
        assert gap < 1e-10 * np.abs(two.loads.multipliers).max()

    def test_free_motion(self, names):
        """Both keep the error of a step below 1e-9; some hundred of them add up."""
        model = four_bar()
        one, two = (simulate(model, 1.0, output=0.25, rtol=1e-9, **o) for o in (by(model, names), {}))
        for body in model.bodies:
            assert np.abs(one[body].position - two[body].position).max() < 1e-7

    def test_symplectic_steps(self, names):
        """The discrete motion differs by the tree, in the order of the step's square: joint angles are its chart."""
        model = four_bar(spring=False)
        tree = [model[name] for name in names]
        errors = []
        for step in (0.01, 0.005):
            one = simulate(model, 1.0, output=[1.0], method=Symplectic(step=step, order=2), tree=tree)
            two = simulate(model, 1.0, output=[1.0], rtol=1e-11)
            errors.append(np.abs(one["coupler"].position[-1] - two["coupler"].position[-1]).max())
        assert errors[0] < 1e-3 and 3.0 < errors[0] / errors[1] < 5.0

    @pytest.mark.parametrize("method", ["energy", "newton"])
    def test_rest(self, names, method):
        model = four_bar()
        one, two = equilibrium(model, method, **by(model, names)), equilibrium(model, method=method)
        assert np.abs(one.q - two.q).max() < 1e-9 and one.stable

    def test_path_of_loads(self, names):
        """The spring turns the crank away; gravity grows from none to twice its strength."""
        model = four_bar()
        one = equilibrium_path(model, "gravity", (0.5, 2.0), **by(model, names))
        for factor, rest in zip(one.factors[::5], one.rests[::5], strict=True):
            heavier = four_bar()
            heavier.gravity = (0.0, -9.81 * factor)
            assert np.abs(rest.q - equilibrium(heavier, "newton", start=rest).q).max() < 1e-8

    def test_small_motions(self, names):
        """Frequency and damping do not depend on what counts them."""
        model = four_bar()
        rest = equilibrium(model)
        one, two = linearize(model, rest, **by(model, names)), linearize(model, rest)
        assert np.abs(np.sort_complex(one.eigenvalues()) - np.sort_complex(two.eigenvalues())).max() < 1e-8

    def test_periodic_motion(self, names):
        model = four_bar()
        push = plane.Load(model["coupler"].at(), (plane.Harmonic(0.5, 5.0), 0.0))
        model.add(push, name="push")
        found = [periodic_motion(model, 0.4 * math.pi, rtol=1e-9, **o) for o in (by(model, names), {})]
        one, two = (np.sort_complex(motion.multipliers) for motion in found)
        assert np.abs(one - two).max() < 1e-6


def test_steady_motion():
    """A governor's arm and its link to a sleeve, a loop that turns with the shaft: which joint is cut does not show."""
    found = []
    for names in (None, ("hinge", "pin"), ("sleeve", "eye"), ("hinge", "sleeve")):
        model = space.Model("governor", gravity=(0.0, 0.0, -9.81))
        shaft = model.add(space.Body(mass=1.0, inertia=(0.01, 0.01, 0.01)), name="shaft")
        arm = model.add(space.Body(mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0.3, 0, -0.4)), name="arm")
        slide = model.add(space.Body(mass=2.0, inertia=(0.01, 0.01, 0.01), position=(0, 0, -0.8)), name="slide")
        model.add(space.Revolute.between(model.ground, shaft, (0, 0, 0), z=(0, 0, 1)), name="bearing")
        model.add(space.Revolute.between(shaft, arm, (0, 0, 0), z=(0, 1, 0)), name="hinge")
        model.add(space.Translational.between(shaft, slide, (0, 0, -0.8), z=(0, 0, 1)), name="sleeve")
        link = model.add(space.Body(mass=0.1, inertia=(0.001,) * 3, position=(0.15, 0, -0.6)), name="link")
        model.add(space.Spherical.between(arm, link, (0.3, 0, -0.4)), name="pin")
        model.add(space.Revolute.between(link, slide, (0, 0, -0.8), z=(0, 1, 0)), name="eye")
        options = {} if names is None else by(model, names)
        found.append(steady_motion(model, 8.0, **options)[slide].position[2])
    assert np.ptp(found) < 1e-9


class TestBadInput:
    def test_without_joint_coordinates(self):
        model = four_bar(motor=True)
        for coordinates in ("auto", "cartesian"):
            words = f"Revolute 'A' is in tree of kinematics.*'{coordinates}' have no tree"
            with pytest.raises(ModelError, match=words):
                kinematics(model, [0.0], coordinates=coordinates, tree=[model["A"]])
        for analysis in (equilibrium, linearize, steady_motion):
            with pytest.raises(ModelError, match=r"in tree of .*\(\), but coordinates='auto' have no tree"):
                analysis(four_bar(), tree=[model["A"]])
        with pytest.raises(ModelError, match="in tree of simulate"):
            simulate(four_bar(), 1.0, tree=[model["A"]])
        with pytest.raises(ModelError, match="in tree of periodic_motion"):
            periodic_motion(four_bar(), 1.0, tree=[model["A"]])
        with pytest.raises(ModelError, match="in tree of equilibrium_path"):
            equilibrium_path(four_bar(), "gravity", tree=[model["A"]])

    def test_no_tree(self):
        model = four_bar()
        with pytest.raises(ModelError, match="Revolute 'D' closes a loop with other joints in tree"):
            equilibrium(model, **by(model, "ABCD"))
        rod = model.add(plane.Distance(model.ground.at(), model["coupler"].at(), math.hypot(0.8, 0.9)), name="rod")
        with pytest.raises(ModelError, match="Distance 'rod' has no coordinates for its motion"):
            simulate(model, 1.0, coordinates="joint", tree=[rod])
        with pytest.raises(ModelError, match="put it in brackets"):
            simulate(model, 1.0, coordinates="joint", tree=model["A"])
        with pytest.raises(ModelError, match="a joint in tree of simulate"):
            simulate(model, 1.0, coordinates="joint", tree=["A"])

    def test_joints_that_must_stay_equations(self):
        model = four_bar()
        with pytest.raises(ModelError, match="Revolute 'B' cannot be in tree: it is released"):
            simulate(model, 1.0, released=[model["B"]], **by(model, "AB"))
        model.add(plane.Friction(model["A"], 0.1, radius=0.05), name="friction")
        with pytest.raises(ModelError, match="Revolute 'A' cannot be in tree: its reaction is read"):
            simulate(model, 1.0, **by(model, "A"))
