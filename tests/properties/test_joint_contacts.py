"""Places of contact, and bodies without mass, in joint coordinates: as in Cartesian ones.

They have no inertia, so that the rows of cams and curves are solved without them.
"""

import math

import numpy as np
import pytest

import catalogs
from cardan import (
    ModelError,
    SimulationError,
    Symplectic,
    joint_space,
    kinematics,
    planar as plane,
    simulate,
    spatial as space,
)
from cardan.case import load_case

TOUCHING = [
    case for case in catalogs.CASES if any(element.contact_coordinates() for element in case.model().constraints)
]


def both(build, until, **options):
    """The same run in joint and in Cartesian coordinates."""
    chosen = {"rtol": 1e-9, "method": "dop853", "output": [0.0, until]} | options
    return [simulate(build(), until, coordinates=c, **chosen) for c in ("joint", "cartesian")]


def differ(one, two):
    """The largest differences of positions, speeds and accelerations, relative to the largest of each where above 1."""
    pairs = ((one.q, two.q), (one.v, two.v), (one.a, two.a))
    return max(float(np.abs(a - b).max() / max(1.0, np.abs(b).max())) for a, b in pairs)


@pytest.mark.parametrize("case", TOUCHING, ids=str)
def test_driven_motion(case):
    """Newton's method closes both to rounding."""
    times = np.linspace(0.0, 1.0, 21)
    one, two = (kinematics(case.model(), times, coordinates=c) for c in ("joint", "cartesian"))
    assert differ(one, two) < 1e-9


def ring(*, beads=1, speed=2.0, twice=False, spring=False, stop=False, links=0):
    """Beads on a wire, bent to a circle, that turns about an axis beside its center; a chain may hang on the first."""
    model = plane.Model("ring", gravity=(0.0, -9.81))
    place = {"position": (-0.2, -0.1), "velocity": (0.1 * speed, -0.2 * speed), "angular_velocity": speed}
    wheel = model.add(plane.Body(mass=3.0, inertia=0.4, center=(0.1, 0.0), **place), name="wheel")
    model.add(plane.Revolute(model.ground.at(), wheel.at(0.2, 0.1)), name="axle")
    circle = wheel.profile(plane.Circle(0.7))
    for k in range(beads):
        angle = 0.4 + 1.1 * k
        place = (0.7 * math.cos(angle) - 0.2, 0.7 * math.sin(angle) - 0.1)
        bead = model.add(plane.Body(mass=0.5 + k, inertia=0.01, position=place), name=f"bead {k}")
        wire = model.add(plane.PointFollower(circle, bead.at()), name=f"wire {k}")
        if twice:
            model.add(plane.PointFollower(circle, bead.at()), name=f"wire {k} again")
        if spring:
            model.add(plane.Spring(wire.contact, 5.0, rest_length=1.0, damping=0.3), name=f"spring {k}")
        if stop:
            model.add(plane.Impact(wire.contact, 0.5, below=0.3), name=f"stop {k}")
        if k == 0:
            _hang(model, bead, place, links)
    return model


def _hang(model, bead, place, links):
    before, where = bead.at(), np.array(place)
    for k in range(links):
        link = model.add(plane.Body(mass=0.2, inertia=0.002, position=tuple(where - [0, 0.05])), name=f"link {k}")
        model.add(plane.Revolute(before, link.at(0.0, 0.05)), name=f"hinge {k}")
        before, where = link.at(0.0, -0.05), where - [0, 0.1]


class TestMotion:
    """Forward dynamics of what slides on curves."""

    def test_beads_on_a_wire(self):
        one, two = both(lambda: ring(beads=3), 0.5)
        assert differ(one, two) < 1e-7
        assert np.abs(one.loads.multipliers - two.loads.multipliers).max() < 1e-6 * np.abs(two.loads.multipliers).max()
        assert one.energy.drift < 1e-8

    def test_a_contact_that_is_stated_twice(self):
        """Its rows depend on those of the first: one is dropped, the second place is still found."""
        one, two = both(lambda: ring(twice=True, speed=0.0), 0.3)
        alone = both(lambda: ring(speed=0.0), 0.3)[0]
        assert differ(one, two) < 1e-7
        first, second = one.q[:, -2], one.q[:, -1]
        assert np.abs(first - second).max() < 1e-9
        assert np.abs(first - alone.q[:, -1]).max() < 1e-7

    def test_a_force_along_the_wire(self):
        """A spring acts on the place itself, to which nothing but the rows of the contact answers."""
        one, two = both(lambda: ring(beads=2, spring=True), 0.5)
        free = both(lambda: ring(beads=2), 0.5)[0]
        assert differ(one, two) < 1e-7
        assert np.abs(one.q[-1] - free.q[-1]).max() > 1e-3
        assert one.energy.drift < 1e-8

    def test_a_bead_that_strikes_a_stop_on_its_wire(self):
        one, two = both(lambda: ring(stop=True), 0.6)
        assert len(one.events) == len(two.events) > 0
        assert max(abs(a.time - b.time) for a, b in zip(one.events, two.events, strict=True)) < 1e-8
        assert differ(one, two) < 1e-6

    def test_a_bead_with_a_tail(self, monkeypatch):
        """By articulated bodies, which deep trees are solved by."""
        monkeypatch.setattr("cardan.system.tree.tree_tables.DEEP", 0)
        one, two = both(lambda: ring(spring=True, links=4), 0.1)
        assert differ(one, two) < 1e-7

    def test_a_driven_place(self):
        """The place is told, the wire turns freely: it swings against the bead."""

        def build():
            model = ring()
            model.add(plane.Driver(model["wire 0"].contact, plane.Ramp(1.5, start=0.4)), name="motor")
            return model

        one, two = both(build, 0.5)
        assert differ(one, two) < 1e-7
        assert one.energy.drift < 1e-8

    def test_a_bead_on_a_helix(self):
        """Closed form: s'' = -g sin(slope) along the wire, whatever the turns."""

        def build():
            model = space.Model("helix", gravity=(0.0, 0.0, -9.81))
            bead = model.add(space.Body(mass=0.3, inertia=(1e-3, 1e-3, 1e-3), position=(0.4, 0.0, 0.0)), name="bead")
            wire = model.ground.profile(space.Helix(0.4, 0.5))
            model.add(space.PointOnCurve(wire, bead.at()), name="wire")
            return model

        one, two = both(build, 0.5)
        assert differ(one, two) < 1e-7
        rise = 0.5 / math.hypot(0.5, 2.0 * math.pi * 0.4)
        assert one["bead"].position[-1, 2] == pytest.approx(-0.5 * 9.81 * rise**2 * 0.5**2, abs=1e-8)


class TestRefused:
    """What places of contact do not fit into is rejected by name."""

    def test_momenta(self):
        with pytest.raises(ModelError, match="contact coordinates"):
            simulate(ring(), 0.1, method=Symplectic(step=0.01))

    def test_the_toolbox(self):
        with pytest.raises(ModelError, match="'wire 0'.*no inertia"):
            joint_space(ring())


class TestBodiesWithoutMass:
    """Where drivers and joints say how they move, they need none."""

    @pytest.mark.parametrize("name", ["four-bar", "stewart-platform", "planetary-gear", "spatial-four-bar"])
    def test_driven(self, name):
        model = load_case(name, {}).model
        one, two = (simulate(model, 0.1, output=[0.1], coordinates=c) for c in ("joint", "cartesian"))
        assert np.abs(one.a - two.a).max() < 1e-9 * max(1.0, np.abs(two.a).max())

    def test_free_to_move(self):
        model = plane.Model("free")
        body = model.add(plane.Body(), name="body")
        model.add(plane.Revolute(model.ground.at(), body.at()), name="hinge")
        with pytest.raises(SimulationError, match="nothing resists 'hinge.angle'"):
            simulate(model, 0.1, coordinates="joint")
