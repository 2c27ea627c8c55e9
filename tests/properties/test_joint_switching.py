"""Joints that events engage and release, in joint coordinates: motions and reactions are those of Cartesian ones."""

import math

import numpy as np
import pytest

from cardan import Change, Event, SimulationError, planar as plane, simulate, spatial as space

BOTH = ("joint", "cartesian")


def same(one, two, tolerance=1e-7):
    """Positions and velocities, events and reactions; errors of a step are below 1e-9, relative to the model."""
    assert [str(e.event.title) for e in one.events] == [str(e.event.title) for e in two.events]
    assert max((abs(a.time - b.time) for a, b in zip(one.events, two.events, strict=True)), default=0.0) < tolerance
    assert np.abs(one.times - two.times).max() < tolerance
    for body, other in zip(one.model.bodies, two.model.bodies, strict=True):
        assert np.abs(one[body].position - two[other].position).max() < tolerance
        assert np.abs(one[body].velocity - two[other].velocity).max() < 100.0 * tolerance
    loads = np.abs(two.loads.multipliers).max()
    assert np.abs(one.loads.multipliers - two.loads.multipliers).max() < 1e3 * tolerance * loads
    assert np.array_equal([s.engaged for s in one.shifts], [s.engaged for s in two.shifts])


def arm():
    """A driven arm, a part on a shelf beside its way, and a grip that is open."""
    model = plane.Model("robot", gravity=(0.0, -9.81))
    link = model.add(plane.Body(mass=1.0, inertia=0.1, center=(0.5, 0)), name="arm")
    part = model.add(plane.Body(mass=0.5, inertia=0.01, position=(0.9, 0.5), angle=0.3), name="part")
    hinge = model.add(plane.Revolute(model.ground.at(), link.at()), name="hinge")
    model.add(plane.Driver(hinge.angle, lambda t: 0.5 * math.sin(t)), name="motor")
    model.add(plane.Fixed(model.ground.at(0.9, 0.5, angle=0.3), part.at()), name="shelf")
    model.add(plane.Fixed(link.at(1, 0), part.at(0.01, 0)), name="grip")
    return model


def taking(model):
    """Events that take the part as it lies, and put it down elsewhere."""
    take = Change(release=[model["shelf"]], engage=[model["grip"]], where="as it is")
    put = Change(release=[model["grip"]], engage=[model["shelf"]], where="as it is")
    angle = model["hinge"].angle
    return [
        Event(angle, 0.49, "rising", name="take", action=lambda now: take),
        Event(angle, 0.1, "falling", name="put", action=lambda now: put),
    ]


def taken(coordinates, until=3.5, **options):
    model = arm()
    return simulate(
        model, until, output=0.01, rtol=1e-9, released=[model["grip"]], events=taking(model), coordinates=coordinates,
        **options,
    )  # fmt: skip


class TestPlane:
    def test_a_part_that_is_taken_and_put_down(self):
        one, two = (taken(c) for c in BOTH)
        same(one, two)
        assert len(one.events) == 2 and len(one) == len(two) == 351
        assert np.abs(one.energy.dissipated - two.energy.dissipated).max() < 1e-7

    def test_goes_on_from_a_checkpoint(self):
        """After the tree was found anew, and from before; the part that was put down is one digit of rounding off."""
        whole = taken("joint")
        for until in (0.5, 2.0):
            half = taken("joint", until)
            rest = taken("joint", start=half.checkpoint)
            np.testing.assert_allclose(whole.q[-1], rest.q[-1], rtol=0.0, atol=1e-15)
            np.testing.assert_allclose(whole.v[-1], rest.v[-1], rtol=0.0, atol=1e-15)

    def test_a_driver_that_lets_go(self):
        """What told a joint where to be is released: the joint is free, and the motor pushes no more."""
        runs = []
        for coordinates in BOTH:
            model = arm()
            off = Event(model["hinge"].angle, 0.3, "rising", action=lambda now, m=model: Change(release=[m["motor"]]))
            options = {"rtol": 1e-9, "released": [model["grip"]], "coordinates": coordinates}
            runs.append(simulate(model, 1.5, output=0.05, events=[off], **options))
        same(*runs)
        assert not runs[0]["motor"].force[-1].any()

    def test_a_loop_that_is_opened(self):
        """A four-bar loses the pin between coupler and rocker: a double pendulum and a single one swing on."""
        runs = []
        for coordinates in BOTH:
            model = plane.Model("bars", gravity=(0.0, -9.81))
            before, where = model.ground, np.zeros(2)
            for k, (dx, dy) in enumerate(((0.3, -0.9), (1.0, 0.0), (-0.1, 0.9))):
                angle, length = math.atan2(dy, dx), math.hypot(dx, dy)
                middle = tuple(where + 0.5 * np.array([dx, dy]))
                bar = plane.Body(mass=length, inertia=length**3 / 12, position=middle, angle=angle)
                link = model.add(bar, name=f"bar {k}")
                model.add(plane.Revolute.between(before, link, tuple(where)), name=f"pin {k}")
                before, where = link, where + [dx, dy]
            model.add(plane.Revolute.between(before, model.ground, tuple(where)), name="last")
            opens = Event(model["pin 0"].angle, -0.05, action=lambda now, m=model: Change(release=[m["pin 2"]]))
            options = {"events": [opens], "coordinates": coordinates, "rtol": 1e-9}
            runs.append(simulate(model, 0.8, output=0.05, **options))
        assert len(runs[0].events) == len(runs[1].events) == 3  # it swings to and fro past the angle
        same(*runs)

    def test_what_does_not_fit_is_rejected_as_ever(self):
        model = arm()
        event = Event(model["hinge"].angle, 0.3, action=lambda now: Change(engage=[model["grip"]]))
        with pytest.raises(SimulationError, match="'grip' cannot be engaged: it is open by"):
            simulate(model, 1.0, released=[model["grip"]], events=[event], coordinates="joint")

    def test_every_step_is_kept(self):
        """Without output= every step is an instant, before the tree was found anew and after."""
        model = arm()
        options = {"released": [model["grip"]], "events": taking(model), "coordinates": "joint"}
        run = simulate(model, 3.5, **options)
        assert run.times[0] == 0.0 and run.times[-1] == 3.5 and (np.diff(run.times) >= 0.0).all()
        assert run.q.shape[0] == run.times.size == run.turns.shape[0]
        for happening in run.events:
            assert np.abs(run.at(happening.time).q - happening.snapshot.q).max() < 1e-9


def test_space():
    """A ball joint on a swinging chain lets go: the last link flies, spinning about its own axes."""
    runs = []
    for coordinates in BOTH:
        model = space.Model("chain", gravity=(0.0, 0.0, -9.81))
        matter = {"mass": 1.0, "inertia": (0.02, 0.05, 0.06)}
        upper = model.add(space.Body(**matter, position=(0.5, 0, 0)), name="upper")
        lower = model.add(space.Body(**matter, position=(1.5, 0.1, 0)), name="lower")
        hinge = model.add(space.Revolute.between(model.ground, upper, (0, 0, 0), z=(0, 1, 0.2)), name="hinge")
        ball = model.add(space.Spherical.between(upper, lower, (1.0, 0, 0)), name="ball")
        event = Event(hinge.angle, 0.8, "rising", action=lambda now, ball=ball: Change(release=[ball]))
        options = {"events": [event], "coordinates": coordinates, "rtol": 1e-9}
        runs.append(simulate(model, 1.2, output=0.05, **options))
    assert len(runs[0].events) == 1
    same(*runs)
