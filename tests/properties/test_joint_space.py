"""Joint coordinates: recursions against each other, and mechanisms against the same in Cartesian coordinates."""

import math

import numpy as np
import pytest

from cardan import Event, ModelError, inverse_dynamics, joint_space, planar as plane, simulate
from cardan.system.tree.layout import NUMBERS, Node, tree_table
from cardan.system.tree.recursion.batch import accelerations_of, mass_matrices_of, torques_of
from cardan.system.tree.recursion.kernels import BALL, FREE, SCREW, SLIDE, TURN
from closed_forms import upright_four_bars
from falling_linkages import four_bar, slider_crank, spatial_four_bar, spatial_slider_crank
from machines import four_bars, tip
from random_trees import random_mechanism, tensor


def rotation(random):
    Q, _ = np.linalg.qr(random.standard_normal((3, 3)))
    return Q * np.sign(np.linalg.det(Q))


def random_nodes(random, count, kinds):
    nodes = []
    for k in range(count):
        kind = kinds[random.integers(len(kinds))]
        parent = -1 if k == 0 or kind == FREE else int(random.integers(max(0, k - 3), k))
        m, c = random.uniform(0.5, 2.0), 0.3 * random.standard_normal(3)
        J = tensor(random) + m * (c @ c * np.eye(3) - np.outer(c, c))
        own = np.array([m, *(m * c), *np.diag(J), J[0, 1], J[0, 2], J[1, 2]])
        lead = 0.2 if kind == SCREW else 0.0
        place = rotation(random), 0.5 * random.standard_normal(3)
        nodes.append(Node(kind, parent, *place, own, float(random.choice([-1.0, 1.0])), lead))
    return nodes


@pytest.mark.parametrize("kinds", [(TURN,), (SLIDE, TURN), (SCREW,), (BALL, TURN), (FREE, TURN), tuple(range(5))])
@pytest.mark.parametrize("seed", range(4))
def test_recursions_agree(kinds, seed):
    """Accelerations of torques of accelerations are these again, and M a is what accelerations take; to rounding."""
    random = np.random.default_rng(seed)
    nodes = random_nodes(random, 9, kinds)
    tree = tree_table(nodes, (0.3, -9.81, 1.0))
    nq, nv = (sum(NUMBERS.get(node.kind, (1, 1))[k] for node in nodes) for k in range(2))
    q, v, a = random.standard_normal((6, nq)), random.standard_normal((6, nv)), random.standard_normal((6, nv))
    tau, back, still = np.zeros((6, nv)), np.zeros((6, nv)), np.zeros((6, nv))
    torques_of(tree, q, v, a, tau)
    assert accelerations_of(tree, q, v, tau, back) == 0
    assert np.abs(back - a).max() < 1e-11
    torques_of(tree, q, v, np.zeros((6, nv)), still)
    mass = np.zeros((6, nv, nv))
    mass_matrices_of(tree, q, mass)
    assert np.abs(np.einsum("sij,sj->si", mass, a) - (tau - still)).max() < 1e-11 * np.abs(tau).max()
    assert np.array_equal(mass, np.swapaxes(mass, 1, 2)) and np.linalg.eigvalsh(mass).min() > 0.0


def compared(model, seed):
    """The largest difference of accelerations from those in Cartesian coordinates, relative to the largest."""
    tree = joint_space(model)
    random = np.random.default_rng(seed)
    v = random.standard_normal(len(tree.speeds))
    Phi = tree.constraint_jacobian(tree.q)
    v -= np.linalg.pinv(Phi) @ (Phi @ v) if Phi.size else 0.0
    a = tree.accelerations(tree.q, v)
    start = tree.snapshot(tree.q, v, a)
    cartesian = simulate(model, 1e-9, start=start, output=[0.0]).a[0]
    assert start.violation < 1e-10
    return np.abs(start.a - cartesian).max() / np.abs(cartesian).max()


@pytest.mark.parametrize("seed", range(25))
def test_trees_as_in_cartesian_coordinates(seed):
    """Conditioning of random trees costs some digits."""
    assert compared(random_mechanism(seed), seed) < 1e-10


@pytest.mark.parametrize("seed", range(100, 110))
def test_loops_as_in_cartesian_coordinates(seed):
    model = random_mechanism(seed, loop=True)
    assert compared(model, seed) < 1e-9


@pytest.mark.parametrize("build", [slider_crank, four_bar, spatial_slider_crank, spatial_four_bar])
def test_linkages(build):
    assert compared(build(), 1) < 1e-10


@pytest.mark.parametrize("seed", range(5))
def test_jacobians(seed):
    """J v is the velocity of a point, J a + J' v its acceleration."""
    model = random_mechanism(seed)
    tree = joint_space(model)
    random = np.random.default_rng(seed)
    v, a = random.standard_normal((2, len(tree.speeds)))
    marker = model["body 5"].at(0.1, 0.2, 0.3)
    seen = tree.snapshot(tree.q, v, a)
    J = tree.jacobian(marker, tree.q, rotation=True)
    assert np.allclose(J[:3] @ v, seen[marker].velocity, atol=1e-12)
    assert np.allclose(J[3:] @ v, seen[marker.body].angular_velocity, atol=1e-12)
    rate = tree.jacobian_rate(marker, tree.q, v, rotation=True)
    assert np.allclose(J[:3] @ a + rate[:3], seen[marker].acceleration, atol=1e-11)
    assert np.allclose(J[3:] @ a + rate[3:], seen[marker.body].angular_acceleration, atol=1e-11)


def test_four_links_of_de_sapio():
    """Four links in gravity: M and g of a planar chain in closed form (De Sapio 5.2; m, l as there)."""
    lengths, masses = (0.7, 0.6, 0.5, 0.4), (2.5, 1.5, 1.0, 0.75)
    radii = (0.15, 0.125, 0.1, 0.0875)
    model = plane.Model("four links", gravity=(0.0, -9.81))
    before, end = model.ground.at(), np.zeros(2)
    q = np.full(4, -math.pi / 24.0)
    sums = np.cumsum(q)
    for k in range(4):
        inertia = masses[k] * (radii[k] ** 2 / 4.0 + lengths[k] ** 2 / 12.0)
        direction = np.array([math.cos(sums[k]), math.sin(sums[k])])
        body = plane.Body(
            mass=masses[k], inertia=inertia, position=tuple(end + 0.5 * lengths[k] * direction), angle=sums[k]
        )
        model.add(body, name=f"link {k}")
        model.add(plane.Revolute(before, body.at(-0.5 * lengths[k], 0.0)), name=f"hinge {k}")
        before, end = body.at(0.5 * lengths[k], 0.0), end + lengths[k] * direction
    tree = joint_space(model)
    assert np.allclose(tree.q, q, atol=1e-14)
    mass, weight = np.zeros((4, 4)), np.zeros(4)
    for k in range(4):  # M = sum m G^T G + I P^T P with the Jacobians of mass centers and rotations
        arms = [0.5 * lengths[k] if j == k else lengths[j] for j in range(k + 1)]
        gamma = np.zeros((2, 4))
        for column in range(k + 1):
            for j in range(column, k + 1):
                gamma[:, column] += arms[j] * np.array([-math.sin(sums[j]), math.cos(sums[j])])
        turning = np.array([1.0 if j <= k else 0.0 for j in range(4)])
        inertia = masses[k] * (radii[k] ** 2 / 4.0 + lengths[k] ** 2 / 12.0)
        mass += masses[k] * gamma.T @ gamma + inertia * np.outer(turning, turning)
        weight += masses[k] * 9.81 * gamma[1]
    assert np.abs(tree.mass_matrix(tree.q) - mass).max() < 1e-13
    assert np.abs(tree.gravity(tree.q) - weight).max() < 1e-12


def test_torques_are_those_of_inverse_dynamics():
    model = plane.Model("arm", gravity=(0.0, -9.81))
    upper = model.add(plane.Body(mass=2.0, inertia=0.2, position=(0.5, 0.0)), name="upper")
    lower = model.add(plane.Body(mass=1.0, inertia=0.1, position=(1.4, 0.0)), name="lower")
    shoulder = model.add(plane.Revolute(model.ground.at(), upper.at(-0.5, 0.0)), name="shoulder")
    elbow = model.add(plane.Revolute(upper.at(0.5, 0.0), lower.at(-0.4, 0.0)), name="elbow")
    tree = joint_space(model)
    drives = [plane.Harmonic(0.4, 3.0), plane.Harmonic(0.7, 2.0, 0.5)]
    motors = [
        model.add(plane.Driver(j.angle, f), name=f"motor {k}")
        for k, (j, f) in enumerate(zip((shoulder, elbow), drives, strict=True))
    ]
    run = inverse_dynamics(model, np.linspace(0.0, 2.0, 9))
    states = [
        np.column_stack([getattr(run[j.angle], part) for j in (shoulder, elbow)])
        for part in ("value", "rate", "acceleration")
    ]
    found = tree.torques(*states)
    assert np.abs(found - np.column_stack([run[m].force for m in motors])).max() < 1e-10


class TestBadInput:
    def test_shapes(self):
        tree = joint_space(four_bar())
        with pytest.raises(ModelError, match="q of 'four-bar' must have 3 numbers"):
            tree.mass_matrix([0.0, 1.0])
        with pytest.raises(ModelError, match="must be finite"):
            tree.gravity([np.nan, 0.0, 0.0])

    def test_no_inertia(self):
        model = plane.Model("light")
        body = model.add(plane.Body(mass=0.0), name="body")
        model.add(plane.Revolute(model.ground.at(), body.at()), name="pin")
        with pytest.raises(ModelError, match=r"nothing resists 'pin.angle'"):
            joint_space(model).accelerations([0.0], [0.0])

    def test_cut_of_a_stranger(self):
        other = four_bar()
        with pytest.raises(ModelError, match="is not a constraint of model"):
            joint_space(slider_crank(), cut=[other["A"]])

    def test_trees_that_are_none(self):
        model = four_bar()
        with pytest.raises(ModelError, match="Revolute 'D' closes a loop with other joints in tree"):
            joint_space(model, tree=[model[name] for name in "ABCD"])
        with pytest.raises(ModelError, match="Revolute 'B' is in tree and in cut"):
            joint_space(model, tree=[model["B"]], cut=[model["B"]])
        with pytest.raises(ModelError, match="in tree is not a constraint of model"):
            joint_space(model, tree=[slider_crank()["A"]])

    def test_a_joint_without_coordinates_for_its_motion(self):
        model = four_bar()
        rod = model.add(plane.Distance(model.ground.at(), model["coupler"].at(), 2.5), name="rod")
        with pytest.raises(ModelError, match="Distance 'rod' has no coordinates for its motion"):
            joint_space(model, tree=[rod])


def test_coordinates_are_what_joints_offer():
    """Of a cross both angles, the second of which is seen from b."""
    model = spatial_slider_crank()
    space = joint_space(model)
    here = space.snapshot(space.q, np.zeros(len(space.speeds)))
    step = 1e-6 * np.arange(1.0, 1.0 + len(space.speeds))
    there = space.snapshot(space.moved(space.q, step), np.zeros(len(space.speeds)))
    for name, measure in (("C.angle_a", model["C"].angle_a), ("C.angle_b", model["C"].angle_b)):
        (place,) = space.places(name)
        assert math.remainder(here[measure].value - space.q[place], 2.0 * math.pi) == pytest.approx(0.0, abs=1e-12)
        assert there[measure].value - here[measure].value == pytest.approx(step[place], abs=1e-10)


class TestGivenTrees:
    """Joints that are wanted carry coordinates, and the mechanism is the same."""

    def test_the_other_way_round(self):
        """From the far side of a four-bar, A cut: what its links do must not depend on the way to them."""
        model = four_bar()
        usual, other = joint_space(model), joint_space(model, tree=[model["C"], model["D"], model["B"]])
        assert [joint.name for joint in other.carried] == ["D", "C", "B"]
        assert [joint.name for joint in other.cut] == ["A"] and len(usual.carried) == 3
        degrees_of_freedom = [space.null_space(space.q) for space in (usual, other)]
        masses = []
        for space, W in zip((usual, other), degrees_of_freedom, strict=True):
            turn = space.jacobian(model["rocker"].at(), space.q, rotation=True)[-1]
            W = W / (turn @ W)  # the rocker turns at 1 rad/s
            masses.append((W.T @ space.mass_matrix(space.q) @ W).item())
        assert masses[0] == pytest.approx(masses[1], rel=1e-10)

    def test_the_rest_is_chosen(self):
        """A spherical joint has more coordinates than the universal joint beside it, and is taken all the same."""
        model = spatial_slider_crank()
        ball = model["B"]
        assert not any(ball is joint for joint in joint_space(model).carried)
        wanted = joint_space(model, tree=[ball])
        assert any(ball is joint for joint in wanted.carried) and len(wanted.carried) == len(model.bodies)


class TestToolbox:
    """Identities that hold in any state, on a linkage with a loop and on a random mechanism with one."""

    @pytest.fixture(params=[four_bar, lambda: random_mechanism(103, loop=True)], ids=["four-bar", "random"])
    def moving(self, request):
        tree = joint_space(request.param())
        v = tree.null_space(tree.q) @ np.random.default_rng(5).standard_normal(tree.null_space(tree.q).shape[1])
        return tree, tree.q, v

    def test_energies(self, moving):
        tree, q, v = moving
        p = tree.momenta(q, v)
        T, V = tree.kinetic_energy(q, v), tree.potential_energy(q)
        assert math.isclose(tree.hamiltonian(q, p), T + V, rel_tol=1e-12)
        assert math.isclose(tree.lagrangian(q, v), T - V, rel_tol=1e-12)
        assert math.isclose(T, 0.5 * p @ v, rel_tol=1e-12)

    def test_gravity_is_the_slope_of_the_potential(self):
        tree = joint_space(four_bar())
        for k in range(3):
            step = np.eye(3)[k] * 1e-5
            slope = (tree.potential_energy(tree.q + step) - tree.potential_energy(tree.q - step)) / 2e-5
            assert abs(slope - tree.gravity(tree.q)[k]) < 1e-7

    def test_projectors(self, moving):
        tree, q, v = moving
        Phi, M, H = tree.constraint_jacobian(q), tree.mass_matrix(q), tree.constraint_mass(q)
        back, Theta, W = tree.constraint_inverse(q), tree.motion_projector(q), tree.null_space(q)
        assert np.allclose(Phi @ back, np.eye(Phi.shape[0]), atol=1e-9)
        assert np.allclose(Theta @ Theta, Theta, atol=1e-9) and np.allclose(Phi @ Theta, 0.0, atol=1e-9)
        assert np.allclose(Theta @ W, W, atol=1e-9) and np.allclose(W.T @ W, np.eye(W.shape[1]), atol=1e-12)
        assert np.allclose(M @ Theta, (M @ Theta).T, atol=1e-8 * np.abs(M).max())  # orthogonal in the metric of M
        assert np.allclose(H, H.T, atol=1e-9 * np.abs(H).max())

    def test_constrained_equation_of_motion(self, moving):
        """De Sapio's 5.154, and the equations without multipliers, give the accelerations of the program."""
        tree, q, v = moving
        tau = np.random.default_rng(8).standard_normal(len(tree.speeds))
        a = tree.accelerations(q, v, tau)
        applied = tree.bias(q, v) + tree.gravity(q) - tree.torques(q, v, np.zeros_like(v))  # springs of the model
        alpha, rho = tree.constraint_forces(q, v)
        Theta, Phi, M = tree.motion_projector(q), tree.constraint_jacobian(q), tree.mass_matrix(q)
        left = Theta.T @ (tau + applied)
        right = M @ a + tree.bias(q, v) + tree.gravity(q) - Phi.T @ (alpha + rho)
        assert np.abs(left - right).max() < 1e-9 * np.abs(right).max() + 1e-9
        W = tree.null_space(q)
        M_p, b_p, g_p = tree.eliminated(q, v)
        rates = np.linalg.solve(M_p, W.T @ (tau + applied) - b_p - g_p)
        least = np.linalg.pinv(Phi) @ tree.constraint_bias(q, v)
        assert np.abs(W @ rates + least - a).max() < 1e-9 * np.abs(a).max()

    def test_canonical_rates(self, moving):
        """p' is the derivative of M v along the motion, and multipliers carry what is missing."""
        tree, q, v = moving
        found, p_rate, lam = tree.canonical_rates(q, tree.momenta(q, v))
        assert np.allclose(found, v, atol=1e-10)
        a = tree.accelerations(q, v)
        h = 1e-4
        ahead = [tree.momenta(tree.moved(q, s * h * v + 0.5 * h * h * a), v + s * h * a) for s in (1.0, -1.0)]
        assert np.abs((ahead[0] - ahead[1]) / (2.0 * h) - p_rate).max() < 1e-5 * max(1.0, np.abs(p_rate).max())
        balance = tree.torques(q, v, a) + tree.constraint_jacobian(q).T @ lam
        assert np.abs(balance).max() < 1e-8 * np.abs(tree.gravity(q)).max()

    def test_inertia_ellipsoid(self):
        """A free rod: at its mass center it weighs m, at its tip m / (1 + 3) across, m along."""
        model = plane.Model("rod")
        rod = model.add(plane.Body(mass=2.0, inertia=2.0 / 12.0), name="rod")
        tree = joint_space(model)
        assert np.allclose(tree.inertia_ellipsoid(rod.at(), tree.q)[0], [2.0, 2.0])
        masses, axes = tree.inertia_ellipsoid(rod.at(0.5, 0.0), tree.q)
        assert np.allclose(np.sort(masses), [0.5, 2.0]) and np.allclose(np.abs(axes[:, np.argmin(masses)]), [0.0, 1.0])


class TestRuns:
    """The same runs in joint and in Cartesian coordinates, to what two runs at rtol 1e-9 may differ."""

    @pytest.mark.parametrize("build", [slider_crank, four_bar, spatial_slider_crank, spatial_four_bar])
    def test_linkages(self, build):
        model = build()
        times = [0.5, 1.0, 1.5]
        one, two = (simulate(model, 1.5, output=times, rtol=1e-9, coordinates=c) for c in ("joint", "cartesian"))
        for body in model.bodies:
            assert np.abs(one[body].position - two[body].position).max() < 1e-6
            assert np.abs(one[body].velocity - two[body].velocity).max() < 1e-5
        assert one.violations().max() < 1e-10 and one.energy.drift < 1e-7
        joint = next(iter(model.constraints))
        assert np.abs(one[joint].force - two[joint].force).max() < 1e-4 * max(1.0, np.abs(two[joint].force).max())

    @pytest.mark.parametrize("seed", [0, 2, 5, 8])
    def test_trees(self, seed):
        model = random_mechanism(seed)
        one, two = (simulate(model, 0.5, output=[0.5], rtol=1e-9, coordinates=c) for c in ("joint", "cartesian"))
        for body in model.bodies:
            assert np.abs(one[body].position - two[body].position).max() < 1e-6
            assert np.abs(one[body].matrix - two[body].matrix).max() < 1e-6

    def test_singular_positions_are_passed(self):
        """Two falling four-bars, whose degree of freedom jumps where the bars lie in line."""
        model = four_bars(2)
        run = simulate(model, 10.0, output=[10.0], rtol=1e-9, coordinates="joint")
        exact = float(upright_four_bars(np.array([10.0]), 2).value[0])
        assert np.abs(tip(model, run) - (math.sin(exact), math.cos(exact))).max() < 1e-6

    def test_events_end_runs(self):
        model = four_bar()
        run = simulate(model, 2.0, coordinates="joint", events=[Event(model["A"].angle, model_angle(model) + 0.5)])
        other = simulate(model, 2.0, events=[Event(model["A"].angle, model_angle(model) + 0.5)])
        assert abs(run.times[-1] - other.times[-1]) < 1e-8

    @pytest.mark.parametrize("options", [{"method": "hht"}, {"method": "partition"}])
    def test_what_is_rejected(self, options):
        model = four_bar()
        with pytest.raises(ModelError, match="Cartesian"):
            simulate(model, 1.0, coordinates="joint", **options)


def model_angle(model):
    return float(joint_space(model).snapshot(joint_space(model).q)[model["A"].angle].value)
