"""What a coarse look would miss: events between instants, two at once, turns, ends of faces, drivers that disagree."""

import math
import warnings

import numpy as np
import pytest

from cardan import AssemblyError, CardanWarning, LockUp, ModelError, SimulationError, kinematics, mobility
from cardan.planar import (
    Body,
    CamFlat,
    CamPair,
    CamRoller,
    Circle,
    Curve,
    Driver,
    Fixed,
    Gear,
    Hold,
    Model,
    Polar,
    Ramp,
    Revolute,
    Step,
    Translational,
    angle,
    constraint,
    x,
    y,
)
from linkages import four_bar, ladder


def parallelograms(count: int, start: float = 0.4) -> Model:
    """Several equal parallelograms, each with its own driver: all of them are flat at the same time."""
    model = Model("parallelograms")
    for k in range(count):
        base = 3.0 * k
        a = model.add(Body(position=(0.0, base), angle=start), name=f"a{k}")
        b = model.add(Body(position=(2.0, base), angle=start), name=f"b{k}")
        c = model.add(Body(position=(math.cos(start), base + math.sin(start))), name=f"c{k}")
        hinge = model.add(Revolute(model.ground.at(0.0, base), a.at()), name=f"A{k}")
        model.add(Revolute(model.ground.at(2.0, base), b.at()), name=f"D{k}")
        model.add(Revolute(a.at(1.0, 0.0), c.at()), name=f"B{k}")
        model.add(Revolute(b.at(1.0, 0.0), c.at(2.0, 0.0)), name=f"C{k}")
        model.add(Driver(hinge.angle, Ramp(1.0, start=start)), name=f"motor{k}")
    return model


@pytest.mark.parametrize("points", [7, 50, 301])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_forks_at_one_time_are_seen(count, points):
    """An even number of singular values that vanish together leaves the determinant its sign."""
    with pytest.raises(LockUp, match="bifurcates") as stop:
        kinematics(parallelograms(count), np.linspace(0.0, 5.0, points))
    assert abs(stop.value.time - (math.pi - 0.4)) < 1e-9 * 5.0


def test_pulse_between_instants_locks_up():
    """At the four instants asked for the slider stands still; between them it is pushed beyond its reach of 0.7."""
    model = Model("pulse")
    crank = model.add(Body(position=(0.0, 0.0), angle=1.2), name="crank")
    rod = model.add(Body(position=(0.1, 0.15), angle=-0.4), name="rod")
    slider = model.add(Body(position=(0.5, 0.0)), name="slider")
    model.add(Revolute(model.ground.at(), crank.at()), name="A")
    model.add(Revolute(crank.at(0.2, 0.0), rod.at()), name="B")
    model.add(Revolute(rod.at(0.5, 0.0), slider.at()), name="C")
    guide = model.add(Translational(model.ground.at(), slider.at()), name="guide")
    push = Step(1.1, 1.4, to_value=0.3) + Step(1.5, 1.9, to_value=-0.3)
    model.add(Driver(guide.travel, 0.5 + push), name="push")
    with pytest.raises(LockUp) as stop:
        kinematics(model, np.linspace(0.0, 3.0, 4))
    s = (stop.value.time - 1.1) / 0.3
    assert abs(0.3 * (10 * s**3 - 15 * s**4 + 6 * s**5) - 0.2) < 1e-8  # reach: 0.5 + 0.2 = crank + rod


def meshing(turns_b: float, distance: float = 0.4) -> Model:
    model = Model("gears")
    a = model.add(Body(angle=9.0), name="a")
    b = model.add(Body(position=(distance, 0.0), angle=turns_b), name="b")
    hinge = model.add(Revolute(model.ground.at(), a.at()), name="A")
    model.add(Revolute(model.ground.at(distance, 0.0), b.at()), name="B")
    model.add(Gear(a.at(), b.at(), radius_a=0.3, radius_b=0.1, angle_a=0.2, angle_b=1.0), name="mesh")
    model.add(Driver(hinge.angle, Ramp(1.0, start=9.0)), name="motor")
    return model


@pytest.mark.parametrize("turns", [0.0, 7.0, -50.0, 100.0])
def test_teeth_meet_after_any_number_of_turns(turns):
    """R_a (phi_a + theta_a) + R_b (phi_b + theta_b - pi) = 0 modulo whole turns, the centers lying on the x axis."""
    run = kinematics(meshing(turns), np.linspace(0.0, 1.0, 5))
    rolled = 0.3 * (run["a"].angle + 0.2) + 0.1 * (run["b"].angle + 1.0 - math.pi)
    whole = rolled / (2.0 * math.pi * 0.1)
    assert np.abs(whole - np.round(whole)).max() < 1e-9
    assert abs(run["b"].angle[0] - turns) < 2.0 * math.pi


def test_pitch_circles_that_do_not_touch_are_reported():
    with pytest.warns(CardanWarning, match="'mesh' do not touch"):
        kinematics(meshing(0.0, distance=0.7), [0.0, 1.0])


def test_face_is_watched_between_instants():
    """An eccentric circle: the contact runs 0.3 to either side of the middle, and is there at both instants."""
    model = Model("lifter")
    cam = model.add(Body(), name="cam")
    lifter = model.add(Body(position=(0.0, 1.0)), name="lifter")
    hinge = model.add(Revolute(model.ground.at(), cam.at()), name="A")
    model.add(Translational(model.ground.at(0, 0, math.pi / 2), lifter.at(0, 0, math.pi / 2)), name="guide")
    model.add(CamFlat(cam.profile(Circle(1.0), 0.0, 0.3), lifter.at(), length=(-0.1, 0.1)), name="contact")
    model.add(Driver(hinge.angle, Ramp(0.4)), name="motor")
    with pytest.warns(CardanWarning, match="outside its face"):
        kinematics(model, [0.0, math.pi])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kinematics(model, [0.0, 0.2])


def test_corner_of_an_outline_is_rejected():
    model = Model("corner")
    cam, roller = model.add(Body(), name="cam"), model.add(Body(position=(2.0, 0.0)), name="roller")
    heart = cam.profile(Polar(lambda u: 1.0 + 0.3 * abs(math.sin(0.5 * u))))
    with pytest.raises(ModelError, match="'contact'.*corner of 17"):
        model.add(CamRoller(heart, roller.at(), 0.1), name="contact")


def test_cam_against_an_open_outline():
    """A circle about its own center lifts a parabolic sole y = x^2 / 4: it touches at the vertex, one radius away."""
    model = Model("sole")
    cam = model.add(Body(), name="cam")
    sole = model.add(Body(position=(0.05, 1.2)), name="sole")
    hinge = model.add(Revolute(model.ground.at(), cam.at()), name="A")
    model.add(Translational(model.ground.at(0, 0, math.pi / 2), sole.at(0, 0, math.pi / 2)), name="guide")
    curve = Curve(lambda u: (-u, -0.25 * u * u), (-2.0, 2.0), closed=False)
    touch = model.add(CamPair(cam.profile(Circle(1.0)), sole.profile(curve, 0.0, 0.0, math.pi)), name="touch")
    model.add(Driver(hinge.angle, Ramp(1.0)), name="motor")
    run = kinematics(model, np.linspace(0.0, 2.0, 9))
    assert np.abs(run["sole"].position[:, 1] - 1.0).max() < 1e-10
    assert np.abs(run[touch.contact_b].value).max() < 1e-10


def test_drivers_that_disagree_are_blamed_and_not_the_joints():
    model = four_bar(0.7, 1.0, 0.7, 1.0, 0.4, Ramp(1.0, start=0.4))
    model.add(Driver(angle(model.ground.at(), model["rocker"].at()), Ramp(1.0, start=0.9)), name="second")
    report = mobility(model)
    assert [name for name, _, _ in report.conflicting] == ["second"]
    assert report.conflicting[0][2] == pytest.approx(0.5, abs=1e-6)
    with pytest.raises(AssemblyError, match="joints of 'four-bar' close.*'second' is off by 0.5 rad") as stop:
        kinematics(model, [0.0, 1.0])
    assert stop.value.elements == ("motor", "second")


def test_function_that_fails_is_named_with_its_own_words():
    @constraint
    def wire(x, y):
        if x > 1.0:
            raise ValueError("the wire ends here")
        return y - x

    model = Model("bead")
    bead = model.add(Body(), name="bead")
    model.add(wire(x(bead.at()), y(bead.at())), name="wire")
    model.add(Hold(angle(model.ground.at(), bead.at())), name="upright")
    model.add(Driver(x(bead.at()), Ramp(2.0)), name="pull")
    with pytest.raises(SimulationError, match="'wire'.*the wire ends here") as stop:
        kinematics(model, np.linspace(0.0, 1.0, 4))
    assert abs(stop.value.time - 0.5) < 1e-8
    assert stop.value.partial.times[-1] == pytest.approx(1.0 / 3.0)


def test_function_that_leaves_its_domain_is_no_fork():
    """y = sqrt(1.2 - x) with x = 0.5 + t ends at t = 0.7, where its slope is infinite."""

    @constraint
    def wire(x, y):
        return y - math.sqrt(1.2 - x)

    model = Model("bead")
    bead = model.add(Body(position=(0.5, 0.8)), name="bead")
    model.add(wire(x(bead.at()), y(bead.at())), name="wire")
    model.add(Hold(angle(model.ground.at(), bead.at())), name="upright")
    model.add(Driver(x(bead.at()), Ramp(1.0, start=0.5)), name="pull")
    with pytest.raises(SimulationError, match="'wire'") as stop:
        kinematics(model, np.linspace(0.0, 1.0, 11))
    assert abs(stop.value.time - 0.7) < 1e-3 and len(stop.value.partial) == 7


def test_drivers_that_part_later_are_rejected_before_they_do():
    """Both cranks of a parallelogram start alike, but one is to turn twice as fast."""
    model = four_bar(0.7, 1.0, 0.7, 1.0, 0.4, Ramp(1.0, start=0.4))
    model.add(Driver(angle(model.ground.at(), model["rocker"].at()), Ramp(2.0, start=0.4)), name="second")
    report = mobility(model)
    assert [(name, round(gap, 9)) for name, _, gap in report.separating] == [("second", 1.0)]
    assert "Contradicting: 'second' (angle) prescribes a velocity" in repr(report)
    with pytest.raises(ModelError, match="'second' contradicts.*1 rad/s"):
        kinematics(model, [0.0, 0.5])


def test_long_chain_of_short_links_is_not_singular():
    """Its smallest singular value falls with the square of its length, far from any singular position."""
    run = kinematics(ladder(300), np.linspace(0.0, 0.1, 3))
    assert run.violations().max() < 1e-8


def test_welded_body_needs_no_driver():
    model = Model("post")
    post = model.add(Body(position=(1.0, 0.0)), name="post")
    model.add(Fixed(model.ground.at(), post.at(-1.0, 0.0)), name="weld")
    assert kinematics(model, [0.0, 1.0])["post"].position[1] == pytest.approx([1.0, 0.0])
