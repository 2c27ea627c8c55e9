"""Analyses in joint coordinates give what they give in Cartesian ones, on examples and on random mechanisms."""

import importlib
import math

import numpy as np
import pytest

import catalogs
from cardan import (
    Event,
    ModelError,
    equilibrium,
    inverse_dynamics,
    joint_space,
    kinematics,
    linearize,
    periodic_motion,
    planar as plane,
    simulate,
    spatial as space,
    steady_motion,
)
from cardan.case import AT_REST, load_case
from cardan.examples import names
from cardan.methods import Symplectic
from random_trees import random_mechanism

CASES = {name: load_case(name, {}) for name in names()}
ANALYSES = ("kinematics", "inverse_dynamics", "simulate")  # those that move mechanisms by coordinates
ALWAYS = ("endless-swing",)  # symplectic: there are no Cartesian coordinates to compare with
# Runs in which errors grow until no two methods agree, and up to when they do.
UNSTABLE = {"chain-on-plane": 0.2}


def examples(*analyses):
    found = [name for name, case in CASES.items() if case.analysis in analyses and name not in ALWAYS]
    return pytest.mark.parametrize("name", found)


@pytest.fixture
def no_way_out(monkeypatch):
    """Kinematics must not hand over to Cartesian coordinates."""
    from cardan.analysis.driven import joint_kinematics as page

    way = page.joint_driven_motion

    def alone(*arguments):
        found = way(*arguments)
        assert found is not None
        return found

    monkeypatch.setattr(page, "joint_driven_motion", alone)


def same(one, two, tolerance):
    """Positions, velocities and accelerations of all bodies agree, those relative to the largest."""
    turned = ("angle",) if one.model.space.dimensions == 2 else ("matrix",)
    for body, other in zip(one.model.bodies, two.model.bodies, strict=True):
        for name in ("position", *turned, "velocity", "angular_velocity", "acceleration", "angular_acceleration"):
            a, b = np.asarray(getattr(one[body], name)), np.asarray(getattr(two[other], name))
            largest = max(1.0, np.abs(b).max()) if name not in ("position", *turned) else 1.0
            assert np.abs(a - b).max() <= tolerance * largest, (body.name, name)


def both(name, **options):
    """The analysis that an example asks for, in joint and in Cartesian coordinates."""
    return [load_case(name, {}).compute(progress=False, coordinates=c, **options) for c in ("joint", "cartesian")]


@examples("kinematics", "inverse_dynamics")
def test_driven_motion_of_examples(name, no_way_out):
    """Both close every instant to 1e-11 of the model's length; accelerations of fast gears are large."""
    same(*both(name), 1e-8)


@examples("simulate")
def test_free_motion_of_examples(name):
    """Both keep errors of a step below 1e-8; along a run they grow, stiff ones are integrated by other methods."""
    until = UNSTABLE.get(name)
    one, two = both(name) if until is None else both(name, times=np.linspace(0.0, until, 21))
    assert np.abs(one.times - two.times).max() < 1e-6
    assert [str(e.event.title) for e in one.events] == [str(e.event.title) for e in two.events]
    same_runs(one, two, 1e-5)


def test_every_example_is_looked_at():
    """Those at rest have no motion in which coordinates would matter."""
    assert {case.analysis for case in CASES.values()} <= {*ANALYSES, *AT_REST}
    assert {*UNSTABLE, *ALWAYS} <= {name for name, case in CASES.items() if case.analysis in ANALYSES}


@pytest.mark.parametrize("case", catalogs.CASES, ids=str)
def test_driven_motion_of_all_elements(case, no_way_out):
    times = np.linspace(0.0, 1.0, 11)
    one, two = (kinematics(case.model(), times, coordinates=c) for c in ("joint", "cartesian"))
    same(one, two, 1e-8)


@pytest.mark.parametrize("case", catalogs.ROLLING, ids=str)
def test_rolling(case):
    """Wheels and blades take their way by themselves."""
    one, two = (simulate(case.model(), 0.5, output=0.1, rtol=1e-9, coordinates=c) for c in ("joint", "cartesian"))
    same_runs(one, two, 1e-6)


def test_driven_rolling():
    """A wheel rolls as its driver turns it: x = r sin 2t."""
    model, radius = plane.Model("wheel"), 0.25
    wheel = model.add(plane.Body(position=(0.0, radius)), name="wheel")
    model.add(plane.RollingWheel(model.ground.at(), wheel.at(), radius), name="rolling")
    turn = plane.Function(lambda t: -np.sin(2.0 * t))
    model.add(plane.Driver(plane.angle(model.ground.at(), wheel.at()), turn), name="motor")
    times = np.linspace(0.0, 1.0, 11)
    one, two = (kinematics(model, times, coordinates=c) for c in ("joint", "cartesian"))
    same(one, two, 1e-9)
    assert np.abs(one[wheel].position[:, 0] - radius * np.sin(2.0 * times)).max() < 1e-9


def robot(tool=True):
    """Three driven hinges in a row and a hanging tool."""
    model = space.Model("robot", gravity=(0, 0, -9.81))
    before, where = model.ground, np.zeros(3)
    for k, z in enumerate(((0, 0, 1), (0, 1, 0), (0, 1, 0))):
        link = model.add(space.Body(mass=2.0, inertia=(0.1, 0.2, 0.2), position=tuple(where)), name=f"link {k}")
        hinge = model.add(space.Revolute.between(before, link, tuple(where), z=z), name=f"hinge {k}")
        motion = plane.Function(lambda t, k=k: (0.3 + 0.2 * k) * np.sin((1.0 + k) * t))
        model.add(space.Driver(hinge.angle, motion), name=f"motor {k}")
        before, where = link, where + [0.5, 0.0, 0.0]
    if tool:
        hangs = space.Body(mass=1.0, inertia=(0.05, 0.05, 0.01), position=tuple(where - [0, 0, 0.2]))
        model.add(space.Spherical.between(before, model.add(hangs, name="tool"), tuple(where)), name="ball")
    return model


class TestToldJoints:
    """Joints that drivers move are no unknowns: their coordinates are told."""

    def test_nothing_is_solved_where_all_is_told(self):
        model = robot(tool=False)
        run = kinematics(model, np.linspace(0.0, 1.0, 11), coordinates="joint")
        assert run.iterations.sum() == 0
        same(run, kinematics(model, np.linspace(0.0, 1.0, 11)), 1e-11)

    def test_motors_and_reactions(self):
        """Forces of drivers and joints of a mechanism whose motion was found in joint coordinates."""
        example = importlib.import_module("cardan.examples.machine_forces.slider_crank_forces")
        times = np.linspace(*example.TIMES[:2], 41)
        one, two = (inverse_dynamics(example.build(), times, coordinates=c) for c in ("joint", "cartesian"))
        assert np.abs(one.loads.multipliers - two.loads.multipliers).max() < 1e-8 * np.abs(two.loads.multipliers).max()

    def test_a_tool_that_hangs_on_a_robot(self):
        one, two = (simulate(robot(), 1.0, output=0.1, rtol=1e-9, coordinates=c) for c in ("joint", "cartesian"))
        same_runs(one, two, 1e-6)
        assert one.energy.drift < 1e-7  # the work of the motors is counted

    def test_a_driven_link_of_a_long_chain(self):
        """Articulated bodies, which a deep tree is solved by, hand on what is told."""
        runs = []
        for coordinates in ("joint", "cartesian"):
            model = plane.Model("chain", gravity=(0, -9.81))
            before = model.ground
            for k in range(60):
                link = model.add(plane.Body(mass=1.0, inertia=0.1, position=(k + 0.5, 0)), name=f"link {k}")
                hinge = model.add(plane.Revolute.between(before, link, (k, 0)), name=f"hinge {k}")
                if k in (0, 30):
                    model.add(plane.Driver(hinge.angle, plane.Function(lambda t: 0.2 * np.sin(2.0 * t))), name=f"d{k}")
                before = link
            runs.append(simulate(model, 0.2, output=[0.1, 0.2], rtol=1e-9, coordinates=coordinates))
        same_runs(*runs, 1e-6)


def same_runs(one, two, tolerance):
    for body, other in zip(one.model.bodies, two.model.bodies, strict=True):
        far = max(1.0, np.abs(two[other].position).max())
        assert np.abs(one[body].position - two[other].position).max() < tolerance * far
        assert np.abs(one[body].velocity - two[other].velocity).max() < 10.0 * tolerance * max(
            1.0, np.abs(two[other].velocity).max()
        )


def pendulum():
    model = plane.Model("pendulum", gravity=(0, -9.81))
    rod = model.add(plane.Body(mass=1.0, inertia=0.1, center=(0.5, 0)), name="rod")
    hinge = model.add(plane.Revolute(model.ground.at(), rod.at()), name="hinge")
    return model, rod, hinge


class TestRuns:
    """What switches, samples and reads reactions, as in Cartesian coordinates."""

    def both(self, build, until, **options):
        return [
            simulate(build(), until, output=0.05, rtol=1e-9, coordinates=c, **options) for c in ("joint", "cartesian")
        ]

    def test_impacts(self):
        """A double pendulum strikes a wall, time and again."""

        def build():
            model, rod, _ = pendulum()
            second = model.add(plane.Body(mass=1.0, inertia=0.1, center=(0.5, 0), position=(1.0, 0.0)), name="second")
            model.add(plane.Revolute(rod.at(1.0, 0.0), second.at()), name="elbow")
            model.add(plane.Impact(plane.x(second.at(1.0, 0.0)), 0.7, below=-0.3), name="wall")
            return model

        one, two = self.both(build, 1.5)
        assert len(one.events) == len(two.events) > 0
        assert max(abs(a.time - b.time) for a, b in zip(one.events, two.events, strict=True)) < 1e-7
        same_runs(one, two, 1e-5)

    def test_sticking_friction_that_reads_a_reaction(self):
        """Friction in the hinge depends on what the hinge carries: the tree then leaves it to an equation."""

        def build():
            model, _, hinge = pendulum()
            model.add(plane.Friction(hinge, 0.2, radius=0.1, sticks=True), name="friction")
            return model

        one, two = self.both(build, 3.0)
        same_runs(one, two, 1e-6)

    def test_sampled_controllers(self):
        def build():
            model, _, hinge = pendulum()
            read = [hinge.angle, plane.rate(hinge.angle)]
            controller = plane.Sampled(lambda angle, rate: -40.0 * angle - 8.0 * rate, read, period=0.01)
            model.add(plane.Actuator(hinge.angle, model.add(controller, name="controller")), name="motor")
            return model

        one, two = self.both(build, 1.0)
        same_runs(one, two, 1e-6)

    def test_actions_that_change_velocities(self):
        def build():
            return pendulum()[0]

        def event(model):
            return Event(model["hinge"].angle, -1.0, action=lambda now: {model["rod"]: {"angular_velocity": 3.0}})

        runs = []
        for coordinates in ("joint", "cartesian"):
            model = build()
            runs.append(simulate(model, 1.0, output=0.1, rtol=1e-9, events=[event(model)], coordinates=coordinates))
        assert len(runs[0].events) == len(runs[1].events) > 0
        same_runs(*runs, 1e-6)

    @pytest.mark.parametrize("options", [{"coordinates": "joint"}, {"method": Symplectic(step=0.01)}])
    def test_checkpoints(self, options):
        """A run that goes on is the run that did not stop, to the last digit."""
        whole = simulate(pendulum()[0], 2.0, output=[1.0, 2.0], **options)
        half = simulate(pendulum()[0], 1.0, output=[1.0], **options)
        rest = simulate(pendulum()[0], 2.0, output=[2.0], start=half.checkpoint, **options)
        assert np.array_equal(rest.q[-1], whole.q[-1]) and np.array_equal(rest.v[-1], whole.v[-1])
        with pytest.raises(ModelError, match="coordinates='joint'|integrates joint coordinates"):
            simulate(pendulum()[0], 2.0, start=half.checkpoint, **(options | {"coordinates": "cartesian"}))


def checked_at_random(seed):
    """Accelerations of a random tree with a loop, by the kernels of runs; relative to the largest."""
    model = random_mechanism(seed, loop=seed % 2 == 1)
    one, two = (simulate(model, 1e-9, output=[0.0], coordinates=c) for c in ("joint", "cartesian"))
    return np.abs(one.a[0] - two.a[0]).max() / np.abs(two.a[0]).max()


@pytest.mark.parametrize("first", range(1000, 1100, 20))
def test_random_mechanisms(first):
    assert max(checked_at_random(seed) for seed in range(first, first + 20)) < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("first", range(2000, 3000, 50))
def test_a_thousand_random_mechanisms(first):
    assert max(checked_at_random(seed) for seed in range(first, first + 50)) < 1e-8


def test_lock_up_is_named_as_in_cartesian_coordinates():
    """A rocker that is driven on beyond its dead point: Cartesian coordinates take over and tell where."""
    model = plane.Model("dead point")
    crank = model.add(plane.Body(position=(0, 0)), name="crank")
    slider = model.add(plane.Body(position=(1.5, 0)), name="slider")
    model.add(plane.Revolute(model.ground.at(), crank.at()), name="hinge")
    guide = model.add(plane.Translational(model.ground.at(), slider.at()), name="guide")
    model.add(plane.Distance(crank.at(1.0, 0.0, angle=0.0), slider.at(), 1.0), name="rod")
    model.add(plane.Driver(guide.travel, plane.Ramp(1.0, start=1.5)), name="motor")
    messages = []
    for coordinates in ("joint", "cartesian"):
        with pytest.raises(Exception) as caught:
            kinematics(model, np.linspace(0.0, 1.0, 11), coordinates=coordinates)
        messages.append(str(caught.value))
    assert messages[0] == messages[1] and math.isfinite(caught.value.time)


class TestRest:
    """Equilibria by joint coordinates are those by Cartesian ones."""

    @pytest.mark.parametrize("method", ["energy", "newton"])
    def test_four_bar(self, method):
        one, two = (equilibrium(hanging_four_bar(), method, coordinates=c) for c in ("joint", "cartesian"))
        assert np.abs(one.q - two.q).max() < 1e-10 and one.stable and two.stable
        loads = np.abs(two.loads.multipliers).max()
        assert np.abs(one.loads.multipliers - two.loads.multipliers).max() < 1e-6 * loads

    @pytest.mark.parametrize("seed", [0, 1, 2, 3])
    def test_random_mechanisms_held_by_springs(self, seed):
        """A least energy by joints is one by bodies; there may be several downhill of a start."""
        model = random_mechanism(seed, loop=seed % 2 == 1)
        for body in model.bodies:
            tie = space.length(model.ground.at(0, 0, 5), body.at())
            model.add(space.Spring(tie, 200.0, rest_length=3.0), name=f"tie of {body.name}")
        one = equilibrium(model, "energy", coordinates="joint")
        two = equilibrium(model, "energy", start=one)
        assert one.stable and one.energy == pytest.approx(two.energy, rel=1e-12)
        assert one.imbalance < 1e-9 and np.abs(one.q - two.q).max() < 1e-8

    def test_states_of_devices(self):
        """A controller's integral carries the weight."""
        rests = []
        for coordinates in ("joint", "cartesian"):
            model, rod, hinge = pendulum()
            pid = model.add(plane.PID(hinge.angle, setpoint=0.2, kp=50.0, ki=30.0, kd=5.0), name="pid")
            model.add(plane.Actuator(hinge.angle, pid), name="motor")
            rests.append(equilibrium(model, "newton", coordinates=coordinates)[rod].angle)
        assert rests[0] == pytest.approx(0.2, abs=1e-9) and rests[1] == pytest.approx(0.2, abs=1e-9)


def hanging_four_bar():
    model = plane.Model("bar", gravity=(0, -9.81))
    up = math.pi / 2.0
    left, top, right = (
        model.add(plane.Body(mass=m, inertia=j, position=p, angle=a), name=name)
        for m, j, p, a, name in (
            (1.0, 0.1, (0.0, 0.5), up, "left"),
            (2.0, 0.4, (1.0, 1.0), 0.0, "top"),
            (1.0, 0.1, (2.0, 0.5), up, "right"),
        )
    )
    base = model.add(plane.Revolute(model.ground.at(), left.at(-0.5, 0)), name="A")
    model.add(plane.Revolute(left.at(0.5, 0), top.at(-1, 0)), name="B")
    model.add(plane.Revolute(top.at(1, 0), right.at(0.5, 0)), name="C")
    model.add(plane.Revolute(model.ground.at(2, 0), right.at(-0.5, 0)), name="D")
    model.add(plane.Spring(base.angle, 30.0, rest_angle=1.0), name="spring")
    return model


class TestOtherAnalyses:
    def test_steady_motion(self):
        """A conical pendulum: cos = g / (w^2 l)."""
        model = space.Model("conical pendulum", gravity=(0, 0, -9.81))
        bob = model.add(space.Body(mass=1.0, position=(0.6, 0, -0.8)), name="bob")
        model.add(space.Spherical(model.ground.at(), bob.at(-0.6, 0, 0.8)), name="string")
        motion = steady_motion(model, 4.0, coordinates="joint")
        assert motion[bob].position[2] == pytest.approx(-9.81 / 16.0, abs=1e-9)

    def test_periodic_motion(self):
        model = plane.Model("oscillator")
        mass = model.add(plane.Body(mass=1.0, inertia=1.0), name="mass")
        guide = model.add(plane.Translational(model.ground.at(), mass.at()), name="guide")
        model.add(plane.Spring(guide.travel, 4.0, 0.4, rest_length=0.0), name="spring")
        model.add(plane.Load(mass.at(), (plane.Harmonic(1.0, 3.0), 0.0)), name="push")
        motion = periodic_motion(model, 2.0 * math.pi / 3.0, coordinates="joint")
        assert abs(motion.multipliers[0]) == pytest.approx(math.exp(-0.4 * math.pi / 3.0), abs=1e-7)

    def test_linearization(self):
        """A double pendulum counted by its two hinges: mass and stiffness are those of joint_space."""
        model, rod, hinge = pendulum()
        second = model.add(plane.Body(mass=1.0, inertia=0.1, center=(0.5, 0), position=(1.0, 0.0)), name="second")
        model.add(plane.Revolute(rod.at(1.0, 0.0), second.at()), name="elbow")
        rest = equilibrium(model)
        linear = linearize(model, rest, coordinates="joint")
        tree = joint_space(model, start=rest)
        assert linear.states[:2] == ("hinge.angle", "elbow.angle")
        assert np.abs(linear.mass - tree.mass_matrix(tree.q)).max() < 1e-10
        h = 1e-5
        sides = [[tree.gravity(tree.q + s * h * np.eye(2)[k]) for s in (1.0, -1.0)] for k in range(2)]
        slope = np.array([(up - down) / (2.0 * h) for up, down in sides]).T
        assert np.abs(linear.stiffness - slope).max() < 1e-7
