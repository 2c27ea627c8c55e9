"""equilibrium(): places of rest against closed forms, stability, redundancy, drivers, several equilibria."""

import math
import time

import numpy as np
import pytest

import cardan.spatial as space
from cardan import CardanWarning, SimulationError, assemble, equilibrium, inverse_dynamics, simulate
from cardan.planar import (
    Action,
    Body,
    Distance,
    Driver,
    Hold,
    Load,
    Model,
    Ramp,
    Revolute,
    Spring,
    Torque,
    Translational,
    angle,
    constraint,
    length,
    x,
    y,
)
from cardan.spatial import (
    Body as Body3,
    Bushing as Bushing3,
    Model as Model3,
    Revolute as Revolute3,
    Spherical as Spherical3,
    Spring as Spring3,
    Torque as Torque3,
    length as length3,
    z as z3,
)

G = 9.81
NEAR = 1e-10  # forces balance to 1e-12 of themselves; stiffnesses here are of the order of the forces


def pendulum(phi, **options):
    """A mass of 2 kg, 0.5 m from the hinge."""
    model = Model("pendulum", gravity=(0, -G))
    arm = model.add(Body(mass=2.0, inertia=0.1, center=(0.5, 0), angle=phi), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    if options:
        model.add(Spring(hinge.angle, **options), name="spring")
    return model


def test_energy_leaves_the_saddle_that_newton_keeps():
    up = math.pi / 2
    low, high = equilibrium(pendulum(up)), equilibrium(pendulum(up), "newton")
    assert abs(math.cos(low["arm"].angle)) < NEAR and math.sin(low["arm"].angle) < 0.0 and low.stable is True
    assert abs(high["arm"].angle - up) < NEAR and high.stable is False
    assert abs(low.energy + G) < NEAR and abs(high.energy - G) < NEAR
    assert "stable" in repr(low) and "unstable" in repr(high) and "energy" in repr(low)


@pytest.mark.parametrize("method", ["energy", "newton"])
def test_curvature_of_the_energy(method):
    """Of a pendulum with a spring k + m g l sin(-phi), of a bead on y = c x^2 2 m g c: curvature of a constraint."""
    rest = equilibrium(pendulum(-1.0, stiffness=4.0, rest_angle=-math.pi / 2), method)
    assert abs(rest["arm"].angle + math.pi / 2) < NEAR
    # differences of the forces are good for 1e-9
    assert abs(rest.stiffnesses[0] * rest.system.length**2 / (4.0 + G) - 1.0) < 1e-8
    model = Model("wire", gravity=(0, -G))
    bead = model.add(Body(mass=3.0, inertia=1.0, position=(0.3, 0.2)), name="bead")
    model.add(Hold(angle(model.ground.at(), bead.at()), 0.0))
    model.add(parabola(x(bead.at()), y(bead.at())), name="wire")
    rest = equilibrium(model, method=method)
    assert np.abs(rest[bead].position).max() < NEAR and rest.stable
    assert abs(rest.stiffnesses[0] / (2.0 * 3.0 * G * 0.7) - 1.0) < 1e-8


@constraint
def parabola(u, w, c=0.7):
    return w - c * u * u


def test_dampers_and_rates_play_no_part():
    plain = equilibrium(pendulum(0.3, stiffness=30.0, rest_angle=0.0))
    damped = equilibrium(pendulum(0.3, stiffness=30.0, damping=50.0, rest_angle=0.0))
    law = equilibrium(pendulum(0.3, law=lambda z, rate: 30.0 * z + 50.0 * rate))
    assert abs(plain["arm"].angle - damped["arm"].angle) < NEAR
    assert abs(plain["arm"].angle - law["arm"].angle) < NEAR
    assert abs(law["spring"].force - plain["spring"].force) < 1e-8


def test_energy_of_a_function_counts_from_the_stated_position():
    phi = equilibrium(pendulum(0.3, law=lambda z: 30.0 * z))
    expected = 15.0 * (phi["arm"].angle ** 2 - 0.3**2) + G * math.sin(phi["arm"].angle)
    assert abs(phi.energy - expected) < 1e-9


def test_forces_are_those_of_the_instant():
    model = pendulum(-1.0)
    model.add(Load(model["arm"].at(0.5, 0), (Ramp(5.0), 0.0)), name="wind")
    rest = equilibrium(model, time=2.0)
    assert abs(math.tan(rest["arm"].angle) + 2.0 * G / 10.0) < 1e-9 and rest.time == 2.0
    assert np.abs(rest["hinge"].force - (-10.0, 2.0 * G)).max() < 1e-8


@pytest.mark.parametrize("method", ["energy", "newton"])
def test_torque_in_the_plane(method):
    model = pendulum(-1.0)
    model.add(Torque(model["arm"].at(), 4.0), name="torque")
    rest = equilibrium(model, method=method)
    assert abs(G * math.cos(rest["arm"].angle) - 4.0) < 1e-9 and rest.stable


@pytest.mark.parametrize("method", ["energy", "newton"])
def test_fully_driven(method):
    """Nothing is to be found: it stands where its drivers put it, and carries what inverse dynamics says."""
    model = pendulum(0.4)
    motor = model.add(Driver(model["hinge"].angle, Ramp(0.0, 0.4)), name="motor")
    rest = equilibrium(model, method=method)
    run = inverse_dynamics(model, [0.0])
    assert abs(rest["arm"].angle - 0.4) < NEAR and rest.stable is True and rest.stiffnesses.size == 0
    assert abs(rest[motor].force - G * math.cos(0.4)) < 1e-9
    assert np.abs(rest["hinge"].force - run["hinge"].force[0]).max() < 1e-9


def test_partly_driven():
    """A double pendulum whose first bar is driven: the second hangs down."""
    model = pendulum(0.7)
    lower = model.add(Body(mass=1.0, inertia=0.1, center=(0.5, 0), position=(0.7, 0.6), angle=0.3), name="lower")
    model.add(Revolute(model["arm"].at(1, 0), lower.at()), name="knee")
    motor = model.add(Driver(model["hinge"].angle, Ramp(1.0, 0.7)), name="motor")
    rest = equilibrium(model)
    assert abs(rest[lower].angle + math.pi / 2) < NEAR
    assert abs(rest[motor].force - (G + G) * math.cos(0.7)) < 1e-8


@pytest.mark.parametrize("method", ["energy", "newton"])
def test_redundant_joints(method):
    """A beam on three parallel links of equal length: one equation too many; the links share its weight somehow."""
    model = Model("swing", gravity=(0, -G))
    beam = model.add(Body(mass=4.0, inertia=1.0, position=(0.3, -0.9)), name="beam")
    rods = [model.add(Distance(model.ground.at(u, 0), beam.at(u, 0), 1.0), name=f"rod {u}") for u in (-1, 0, 1)]
    rest = equilibrium(model, method=method)
    assert np.abs(rest[beam].position - (0, -1)).max() < 1e-9 and abs(rest[beam].angle) < 1e-9 and rest.stable
    pulls = np.array([rest[rod].force for rod in rods])
    assert np.abs(np.abs(pulls[:, 1] if pulls.ndim == 2 else pulls) - 4.0 * G / 3.0).max() < 1e-8  # the least ones
    assert {name for name, _ in rest.loads.indeterminate} == {"rod -1", "rod 0", "rod 1"}


def test_neutral():
    model = Model("sledge", gravity=(0, -G))
    sledge = model.add(Body(mass=1.0, inertia=1.0, position=(0.4, 0)), name="sledge")
    model.add(Translational(model.ground.at(), sledge.at()), name="guide")
    rest = equilibrium(model)
    assert rest.stable is None and abs(rest[sledge].position[0] - 0.4) < 1e-9 and "neutral" in repr(rest)


def truss(height):
    """Two springs in a flat roof, its ridge free to move up and down: at rest above and below."""
    model = Model("truss")
    ridge = model.add(Body(mass=1.0, inertia=1.0, position=(0, height)), name="ridge")
    model.add(Hold(angle(model.ground.at(), ridge.at()), 0.0))
    model.add(Hold(x(ridge.at()), 0.0))
    for u in (-1, 1):
        model.add(Spring(length(model.ground.at(u, 0), ridge.at()), 100.0, rest_length=math.hypot(1.0, 0.5)))
    return model


def test_several_equilibria():
    stable = equilibrium(truss(0.4), starts=12, seed=1)
    heights = sorted(rest["ridge"].position[1] for rest in stable)
    assert np.abs(np.array(heights) - (-0.5, 0.5)).max() < 1e-9 and all(rest.stable for rest in stable)
    found = equilibrium(truss(0.4), "newton", starts=12, seed=1)
    kinds = sorted((round(rest["ridge"].position[1], 9), rest.stable) for rest in found)
    assert kinds == [(-0.5, True), (0.0, False), (0.5, True)]
    assert [rest.energy for rest in found] == sorted(rest.energy for rest in found)
    assert abs(found[-1].energy - 100.0 * (math.hypot(1.0, 0.5) - 1.0) ** 2) < 1e-9
    assert len(found) == 3 and "3 equilibria" in repr(found) and "unstable" in repr(found)


def test_starts_are_repeatable():
    one, two = (equilibrium(truss(0.4), "newton", starts=5, seed=3) for _ in range(2))
    assert [r.q.tolist() for r in one] == [r.q.tolist() for r in two]


def test_begins_where_it_is_told():
    model = truss(0.4)
    below = assemble(truss(-0.4))
    assert equilibrium(model)["ridge"].position[1] > 0.0
    assert equilibrium(model, start=below)["ridge"].position[1] < 0.0


def test_follower_force_by_newton():
    """A force fixed in the body has no potential: Newton's method needs none. It pushes sideways at the end."""
    model = pendulum(-1.0)
    model.add(Load(model["arm"].at(1, 0), (0.0, 4.0), frame="body"), name="jet")
    rest = equilibrium(model, "newton")
    assert abs(G * math.cos(rest["arm"].angle) - 4.0) < 1e-9 and rest.energy is None


def test_hanging_chain():
    """The slope of the links of a hanging chain grows evenly from link to link: tan phi_k = (k - middle) m g / H."""
    n = 60
    model = Model("chain", gravity=(0, -G))
    end = model.ground.at(0, 0)
    for k in range(n):
        link = model.add(Body(mass=1.0, inertia=0.1, position=(0.7 * (k + 0.5), -9.0 * math.sin(math.pi * k / n))))
        model.add(Revolute(end, link.at(-0.5, 0)))
        end = link.at(0.5, 0)
    model.add(Revolute(end, model.ground.at(0.7 * n, 0)), name="last")
    rest = equilibrium(model)
    slopes = np.tan([rest[body].angle for body in model.bodies])
    assert np.abs(np.diff(slopes, 2)).max() < 1e-9 and rest.stable
    across = abs(rest["last"].in_frame("global").force[0, 0])
    assert np.abs(np.diff(slopes) - G / across).max() < 1e-9


def test_long_chain_is_quick():
    """200 links, stated in a line, hang straight down: the sparse way."""
    model = Model("chain", gravity=(0, -G))
    end = model.ground.at(0, 0)
    for k in range(200):
        link = model.add(Body(mass=1.0, inertia=0.1, position=(k + 0.5, 0)))
        model.add(Revolute(end, link.at(-0.5, 0)))
        end = link.at(0.5, 0)
    begun = time.process_time()
    rest = equilibrium(model)
    assert time.process_time() - begun < 30.0  # about 1 s; compilation, on the first call, takes longer
    assert abs(rest.energy / (-G * 200**2 / 2) - 1.0) < 1e-12 and rest.stable


def test_spatial_arm_and_ball():
    model = Model3("lamp", gravity=(0, 0, -G))
    arm = model.add(Body3(mass=2.0, inertia=(0.1, 0.1, 0.1), center=(0.5, 0, 0)), name="arm")
    hinge = model.add(Revolute3.between(model.ground, arm, at=(0, 0, 0), z=(0, -1, 0)), name="hinge")
    model.add(Spring3(hinge.angle, 30.0, rest_angle=0.0), name="spring")
    rest = equilibrium(model)
    flat = equilibrium(pendulum(0.0, stiffness=30.0, rest_angle=0.0))
    assert abs(rest[hinge].angle.value - flat["arm"].angle) < NEAR and abs(rest.energy - flat.energy) < NEAR
    model = Model3("ball", gravity=(0, 0, -G))
    bob = model.add(
        Body3(mass=2.0, inertia=(0.1, 0.2, 0.3), center=(0, 0, 0.5), orientation=(0.1, 0.2, 0.1)), name="bob"
    )
    ball = model.add(Spherical3(model.ground.at(), bob.at()), name="ball")
    rest = equilibrium(model)
    assert rest.stable is None  # it may spin
    assert abs(rest.energy + G) < NEAR and np.abs(rest[ball].force - (0, 0, 2.0 * G)).max() < 1e-8


def test_turns_are_kept():
    """A torsion spring wound up by many turns unwinds by as many: an angle in space counts its turns."""
    model = Model3("winder")
    drum = model.add(Body3(mass=1.0, inertia=(1, 1, 1)), name="drum")
    hinge = model.add(Revolute3(model.ground.at(), drum.at()), name="hinge")
    model.add(Spring3(hinge.angle, 2.0, rest_angle=25.0), name="spring")
    rest = equilibrium(model)
    assert abs(rest[hinge].angle.value - 25.0) < 1e-9 and abs(rest["spring"].force) < 1e-9
    model.add(Torque3(drum.at(), (0, 0, 3.0)), name="torque")
    rest = equilibrium(model, "newton", start=rest)
    assert abs(rest[hinge].angle.value - 26.5) < 1e-9


def test_three_springs_in_space():
    """A body on three springs without free length: it sinks by m g / (3 k), whatever their ends."""
    model = Model3("hammock", gravity=(0, 0, -G))
    body = model.add(Body3(mass=3.0, inertia=(1, 1, 1), position=(0.2, 0.1, 0)), name="body")
    ends = np.array([(1, 0, 0), (-1, 2, 0.5), (0, -2, 1)], float)
    for end in ends:
        model.add(Spring3(length3(model.ground.at(*end), body.at()), 40.0, rest_length=0.0))
    rest = equilibrium(model)
    assert np.abs(rest[body].position - ends.mean(axis=0) + (0, 0, 3.0 * G / 120.0)).max() < 1e-9


def test_a_force_that_jumps_is_told():
    """A push that is switched by position has a kink in its energy, at which nothing balances."""
    model = Model("switch")
    block = model.add(Body(mass=1.0, inertia=1.0, position=(0.4, 0)), name="block")
    guide = model.add(Translational(model.ground.at(), block.at()), name="guide")
    model.add(Action(guide.travel, lambda z: -3.0 if z > 0.1 else 2.0), name="push")
    with pytest.raises(SimulationError, match="'switch' stopped .* x of 'block'"):
        equilibrium(model)


@pytest.mark.parametrize("method", ["energy", "newton"])
@pytest.mark.parametrize("high", [0.15, 3.0])
def test_a_stop_that_only_pushes(high, method):
    """A block falls on a spring that it may leave: z = 0.2 - m g / k. Above it nothing holds, and Newton fails."""
    model = Model("stop", gravity=(0, -G))
    block = model.add(Body(mass=2.0, inertia=1.0, position=(0, high)), name="block")
    up = math.pi / 2
    guide = model.add(Translational(model.ground.at(0, 0, angle=up), block.at(0, 0, angle=up)), name="guide")
    stop = model.add(Action(guide.travel, lambda z: 500.0 * (0.2 - z) if z < 0.2 else 0.0), name="stop")
    if method == "newton" and high > 0.2:
        with pytest.raises(SimulationError, match="Newton"):
            equilibrium(model, method=method)
        return
    rest = equilibrium(model, method=method)
    depth = 2.0 * G / 500.0
    assert abs(rest[block].position[1] - 0.2 + depth) < 1e-9 and abs(rest[stop].force - 2.0 * G) < 1e-7
    known = 2.0 * G * (0.2 - depth) + 250.0 * depth**2 - (250.0 * 0.05**2 if high < 0.2 else 0.0)
    assert abs(rest.energy - known) < 1e-7  # adaptive quadrature over a kink


@pytest.mark.parametrize("method", ["energy", "newton"])
def test_a_junction_of_springs_needs_no_mass(method):
    """A knot of two springs that carries a third: 2 k (1 - l0 / l) h = m g, l^2 = 1 + h^2, and the weight hangs by
    m g / k. In motion the knot is rejected, with the way out."""
    model = Model("knot", gravity=(0, -G))
    bob = model.add(Body(mass=2.0, inertia=0.1, position=(0.05, -2.0)), name="bob")
    knot = model.add(Body(position=(0.1, -1.0)), name="knot")
    for u in (-1.0, 1.0):
        model.add(Spring(length(model.ground.at(u, 0.0), knot.at()), 100.0, rest_length=0.5), name=f"spring {u}")
    model.add(Spring(length(knot.at(), bob.at()), 100.0, rest_length=0.5), name="string")
    rest = equilibrium(model, method=method)
    (x1, high), (x2, low) = rest[knot].position, rest[bob].position
    assert abs(x1) < 1e-8 and abs(x2) < 1e-8 and abs(high - low - 0.5 - 2.0 * G / 100.0) < 1e-9
    assert 200.0 * (1.0 - 0.5 / math.hypot(1.0, high)) * -high == pytest.approx(2.0 * G, rel=1e-9)
    assert set(rest.neutral) == {"angle of 'bob'", "angle of 'knot'"}  # points turn as they like
    with pytest.raises(SimulationError, match="'knot'.*add some.*equilibrium\\(\\) needs no mass"):
        simulate(model, 0.1)


def test_a_rest_is_followed_over_travel():
    """A bushed arm, 1e7 N/m across and 30 N m/rad about, moved 120 mm up in one and in many steps: the same places."""
    model = Model3("bushed", gravity=(0, 0, -G))
    arm = model.add(Body3(4.0, (0.05, 0.02, 0.06), position=(0, 0.525, 0.2)), name="arm")
    stiffness = np.diag([1e7, 1e7, 2e6, 3e3, 3e3, 30.0])
    for u in (-0.15, 0.15):
        ends = model.ground.at(u, 0.35, 0.2, z=(1, 0, 0)), arm.at(u, -0.175, 0.0, z=(1, 0, 0))
        model.add(Bushing3(*ends, stiffness=stiffness), name=f"bushing {u}")
    model.add(Driver(z3(arm.at(0.0, 0.175, 0.0)), Ramp(0.08, start=0.2)), name="jack")
    ends = []
    for times in ([0.0, 1.5], np.linspace(0.0, 1.5, 13)):
        rest = None
        for t in times:
            rest = equilibrium(model, "newton", time=float(t), start=rest)
        assert rest.stable is True
        ends.append(rest.q)
    assert np.abs(ends[0] - ends[1]).max() < 1e-9


def test_nothing_acts():
    model = Model("still")
    body = model.add(Body(mass=1.0, inertia=1.0, position=(0.3, 0.1)), name="body")
    with pytest.warns(CardanWarning, match="no force acts on 'still'"):
        rest = equilibrium(model)
    assert rest.stable is None and np.abs(rest[body].position - (0.3, 0.1)).max() == 0.0


@pytest.mark.filterwarnings("error::cardan.CardanWarning")
def test_slightly_wrong_redundant_joints():
    """Redundant joints that miss by rounded digits: closed without the spare one, told once, and brought to rest."""
    model = Model("swing", gravity=(0, -G))
    beam = model.add(Body(mass=4.0, inertia=1.0, position=(0.3, -0.9)), name="beam")
    for u, span in ((-1, 1.0), (0, 1.0 + 2e-7), (1, 1.0)):
        model.add(Distance(model.ground.at(u, 0), beam.at(u, 0), span), name=f"rod {u}")
    with pytest.warns(CardanWarning, match="redundant"):
        rest = equilibrium(model)
    assert np.abs(rest[beam].position - (0, -1)).max() < 1e-6


@pytest.mark.parametrize("soft", [1e-3, 1.0])
def test_a_soft_motion_beside_a_stiff_one_is_judged_exactly(soft):
    """Of 1e7 N/m differences know 1e-3: a spring of a millinewton per meter would drown in it."""
    model = Model("soft")
    for name, stiffness in (("stiff", 1e7), ("soft", soft)):
        body = model.add(Body(mass=1.0, inertia=1.0, position=(0.0, 1.0 * (name == "soft"))), name=name)
        guide = model.add(Translational(model.ground.at(0.0, body.position[1]), body.at()), name=f"{name} guide")
        model.add(Spring(guide.travel, stiffness + 1e3, rest_length=0.0), name=f"{name} spring")
        model.add(Spring(guide.travel, -1e3, rest_length=0.0, allow_negative=True), name=f"{name} push")
    rest = equilibrium(model, "newton")
    assert rest.stiffnesses == pytest.approx([soft, 1e7], rel=1e-9)


@pytest.mark.parametrize("links", [1, 3])
def test_no_start_is_mounted_backward(links):
    """Hinges hold axes parallel, in the same or in the opposite direction: all equilibria have that of the model."""
    model = space.Model("chain", gravity=(0.0, 0.0, -G))
    end, hinges = model.ground.at(z=(0, 1, 0)), []
    for k in range(links):
        body = model.add(space.Body(1.0, (0.01, 0.02, 0.02), position=(0.25 + 0.5 * k, 0.0, 0.0)), name=f"link{k}")
        hinges.append(model.add(space.Revolute(end, body.at(-0.25, 0.0, 0.0, z=(0, 1, 0))), name=f"hinge{k}"))
        end = body.at(0.25, 0.0, 0.0, z=(0, 1, 0))
    found = equilibrium(model, starts=10)
    for rest in found:
        for hinge in hinges:
            across = space.dot(hinge.a, hinge.b, "z", "z")
            assert rest[across].value == pytest.approx(1.0, abs=1e-9)
    assert len([rest for rest in found if rest.stable]) == 1  # hanging


def test_no_slider_is_mounted_backward():
    """In the plane a slide holds an axis parallel, too."""
    model = Model("slide", gravity=(0, -G))
    block = model.add(Body(mass=1.0, inertia=0.1), name="block")
    rail = model.add(Translational(model.ground.at(), block.at()), name="rail")
    model.add(Spring(rail.travel, 100.0, rest_length=0.1), name="spring")
    found = equilibrium(model, starts=12)
    assert len(found) == 1 and abs(math.sin(found[0][block].angle)) < 1e-9 and math.cos(found[0][block].angle) > 0.0
