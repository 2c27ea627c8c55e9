"""Assembly: the nearest branch, least change, locks and weights, and an honest answer when nothing closes."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from cardan import AssemblyError, assemble, kinematics
from cardan.planar import Body, Distance, Driver, Fixed, Hold, Model, Ramp, Revolute, Translational, angle, length, x, y
from catalogs import CASES
from linkages import four_bar, slider_crank

FEW = settings(max_examples=25, deadline=None, derandomize=True)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_assembled_position_is_where_the_analysis_starts(case):
    model = case.model()
    snapshot = assemble(model)
    assert snapshot.violation < 2e-11  # 1e-11 of a size below 2 m
    assert np.abs(snapshot.q - kinematics(model, [0.0]).q[0]).max() < 1e-10


@FEW
@given(phi=st.floats(0.2, 2.9), side=st.sampled_from([-1.0, 1.0]), seed=st.integers(0, 1000))
def test_stays_on_the_nearest_branch(phi, side, seed):
    """A crank-rocker whose two branches are far apart, from estimates that are 10 cm and 0.1 rad wrong."""
    exact = four_bar(0.5, 1.5, 1.2, 1.4, phi, Ramp(1.0, start=phi), side)
    random = np.random.default_rng(seed)
    model = Model("perturbed")
    moved = {}
    for body in exact.bodies:
        dx, dy, turn = random.uniform(-0.1, 0.1, 3)
        place = (body.position[0] + dx, body.position[1] + dy)
        moved[body.name] = model.add(Body(position=place, angle=body.angle + turn), name=body.name)
    crank, coupler, rocker = moved.values()
    hinge = model.add(Revolute(model.ground.at(), crank.at()), name="A")
    model.add(Revolute(crank.at(0.5, 0.0), coupler.at()), name="B")
    model.add(Revolute(coupler.at(1.5, 0.0), rocker.at(1.2, 0.0)), name="C")
    model.add(Revolute(model.ground.at(1.4, 0.0), rocker.at()), name="D")
    model.add(Driver(hinge.angle, Ramp(1.0, start=phi)), name="motor")
    found = assemble(model)
    assert found.violation < 1e-10
    for body in exact.bodies:
        assert found[moved[body.name]].angle == pytest.approx(body.angle, abs=1e-8)
        assert found[moved[body.name]].position == pytest.approx(body.position, abs=1e-8)


@pytest.mark.parametrize("length", [None, 0.5, 1.0, 3.0])
def test_change_is_the_least_possible(length):
    """A free rod whose end is pinned at the origin: minimize |dr|^2 + L^2 dphi^2 over r = -A(phi) (a, 0).
    With the estimate (x0, y0, phi0): stationary where (x0, y0) . d/dphi[A (a, 0)] + L^2 (phi - phi0) = 0."""
    a, x0, y0, phi0 = 0.8, 0.9, 0.5, 0.2
    model = Model("rod")
    rod = model.add(Body(position=(x0, y0), angle=phi0), name="rod")
    model.add(Revolute(model.ground.at(), rod.at(-a, 0.0)), name="pin")
    snapshot = assemble(model, length=length)
    size = snapshot.system.length if length is None else length
    phi = snapshot[rod].angle
    assert snapshot[rod].position == pytest.approx((a * math.cos(phi), a * math.sin(phi)), abs=1e-11)
    # r = a (cos, sin): d/dphi of 1/2 |r - r0|^2 + 1/2 L^2 (phi - phi0)^2
    slope = a * (x0 * math.sin(phi) - y0 * math.cos(phi)) + size**2 * (phi - phi0)
    assert slope == pytest.approx(0.0, abs=1e-5)  # mu ends at 1e-7: the pull is balanced to about that


def test_weights_choose_who_moves():
    """Two blocks on one line that must be 1 apart, stated 2 apart: the change is shared in inverse proportion to the
    weights, w1 d1 = w2 d2, d1 + d2 = 1."""
    for w1, w2 in ((1.0, 1.0), (1.0, 4.0), (1000.0, 1.0)):
        model = Model("blocks")
        one, two = model.add(Body(), name="one"), model.add(Body(position=(2.0, 0.0)), name="two")
        for body in (one, two):
            model.add(Translational(model.ground.at(), body.at()))
        model.add(Hold(x(two.at()) - x(one.at()), 1.0), name="gap")
        found = assemble(model, weights={one: w1, "two": (w2, 1.0, 1.0)})
        assert found[one].position[0] == pytest.approx(w2 / (w1 + w2), abs=1e-5)
        assert found[two].position[0] == pytest.approx(1.0 + w2 / (w1 + w2), abs=1e-5)


def test_hold_keeps_the_stated_value():
    """Without its driver a four-bar has one degree of freedom; locking any of its angles decides the rest."""
    model = four_bar(0.5, 1.5, 1.2, 1.4, 0.7, Ramp(1.0, start=0.2))
    crank, rocker = model["crank"], model["rocker"]
    hinge = angle(model.ground.at(), crank.at())
    assert assemble(model)[crank].angle == pytest.approx(0.2, abs=1e-11)
    held = assemble(model, drivers=False, hold=[hinge])
    assert held[crank].angle == pytest.approx(0.7, abs=1e-10)
    other = assemble(model, drivers=False, hold=[angle(model.ground.at(), rocker.at())])
    assert other[rocker].angle == pytest.approx(rocker.angle, abs=1e-10)
    assert other.violation < 1e-10


def test_without_drivers_a_closed_mechanism_stays_put():
    """A position that closes is the nearest one, however the driver would have it."""
    model = four_bar(0.5, 1.5, 1.2, 1.4, 0.7, Ramp(1.0, start=2.0))
    found = assemble(model, drivers=False)
    for body in model.bodies:
        assert found[body].angle == pytest.approx(body.angle, abs=1e-9)
    assert assemble(model)[model["crank"]].angle == pytest.approx(2.0, abs=1e-10)


def test_time_of_assembly():
    model = four_bar(0.5, 1.5, 1.2, 1.4, 0.7, Ramp(1.0, start=0.7))
    assert assemble(model, time=0.5)[model["crank"]].angle == pytest.approx(1.2, abs=1e-10)


def test_redundant_rows_close_too():
    model = four_bar(0.5, 1.0, 0.5, 1.0, 0.7, Ramp(1.0, start=0.8))
    extra = model.add(Body(position=(0.6, 0.2)), name="second coupler")
    model.add(Revolute(model["crank"].at(0.25, 0.0), extra.at(-0.5, 0.0)), name="E")
    model.add(Revolute(model["rocker"].at(0.25, 0.0), extra.at(0.5, 0.0)), name="F")
    assert assemble(model).violation < 1e-10


def test_poor_estimates_close():
    """All bodies stated at the origin."""
    model = Model("lazy")
    crank, rod, slider = (model.add(Body(), name=name) for name in ("crank", "rod", "slider"))
    hinge = model.add(Revolute(model.ground.at(), crank.at()), name="A")
    model.add(Revolute(crank.at(0.2, 0.0), rod.at()), name="B")
    model.add(Revolute(rod.at(0.5, 0.0), slider.at()), name="C")
    model.add(Translational(model.ground.at(), slider.at()), name="guide")
    model.add(Driver(hinge.angle, Ramp(1.0, start=1.0)), name="motor")
    found = assemble(model)
    place = 0.2 * math.cos(1.0) + math.sqrt(0.25 - (0.2 * math.sin(1.0)) ** 2)
    assert found[slider].position == pytest.approx((place, 0.0), abs=1e-10)


@FEW
@given(missing=st.floats(0.01, 0.8), a=st.floats(0.2, 0.6), b=st.floats(0.2, 0.6), c=st.floats(0.2, 0.6))
def test_gap_of_links_that_are_too_short(missing, a, b, c):
    """Links a, b, c in one line reach a + b + c; the pivots are farther apart. At the least sum of squares the four
    pins share what is missing equally. Three digits: the search stops when the gaps no longer fall by a thousandth."""
    d = a + b + c + missing
    model = Model("too short")
    crank = model.add(Body(angle=0.1), name="crank")
    coupler = model.add(Body(position=(a, 0.05)), name="coupler")
    rocker = model.add(Body(position=(d, 0.0), angle=math.pi + 0.1), name="rocker")
    model.add(Revolute(model.ground.at(), crank.at()), name="A")
    model.add(Revolute(crank.at(a, 0.0), coupler.at()), name="B")
    model.add(Revolute(coupler.at(b, 0.0), rocker.at(c, 0.0)), name="C")
    model.add(Revolute(model.ground.at(d, 0.0), rocker.at()), name="D")
    with pytest.raises(AssemblyError) as caught:
        assemble(model)
    failure = caught.value
    gaps = [failure.partial[model[name]].violation for name in "ABCD"]
    assert sum(gaps) == pytest.approx(missing, rel=1e-3)
    assert gaps == pytest.approx([0.25 * missing] * 4, rel=1e-3)
    assert set(failure.elements) <= set("ABCD") and failure.elements
    assert all(f"'{name}'" in str(failure) for name in failure.elements)
    assert "\n" not in str(failure)


def test_gap_between_two_that_disagree():
    """A rod of length 0.3 between a welded body and a point 0.5 away: 0.2 is missing, shared by weld and rod."""
    model = Model("strut")
    block = model.add(Body(), name="block")
    model.add(Fixed(model.ground.at(), block.at()), name="weld")
    model.add(Distance(model.ground.at(0.5, 0.0), block.at(), 0.3), name="rod")
    with pytest.raises(AssemblyError, match="'weld'|'rod'") as caught:
        assemble(model)
    gaps = [caught.value.partial[model[name]].violation for name in ("weld", "rod")]
    assert sum(gaps) == pytest.approx(0.2, rel=1e-6)
    for name in ("weld", "rod"):
        assert re.search(f"'{name}' by (0.1 m|100 mm)", str(caught.value))


@pytest.mark.parametrize("branch", [-1.0, 1.0])
def test_wrong_branch_of_the_slider_is_kept(branch):
    """The slider behind the crank is as good a position as the one before it; the estimate decides (Haug 5.1)."""
    model = slider_crank(0.2, 0.5, 0.6, Ramp(1.0, start=0.6), elbow=branch)
    place = assemble(model)[model["slider"]].position[0]
    root = math.sqrt(0.25 - (0.2 * math.sin(0.6)) ** 2)
    assert place == pytest.approx(0.2 * math.cos(0.6) + branch * root, abs=1e-10)


def test_snapshot_reads_like_a_result():
    model = slider_crank(0.2, 0.5, 0.6, Ramp(1.0, start=0.6))
    found = assemble(model)
    tip = model["crank"].at(0.2, 0.0)
    assert found[tip].position == pytest.approx((0.2 * math.cos(0.6), 0.2 * math.sin(0.6)), abs=1e-11)
    assert found[y(tip)].value == pytest.approx(0.2 * math.sin(0.6), abs=1e-11)
    assert found[length(model.ground.at(), tip)].value == pytest.approx(0.2, abs=1e-11)
    assert found["A"].angle.value == pytest.approx(0.6, abs=1e-11)
    assert found["guide"].violation < 1e-11


@pytest.mark.parametrize("angle", [0.2, 0.5, -0.7])
def test_rounding_of_the_data_moves_nothing_along_free_directions(angle):
    """A pendulum that must turn to close: where it ends is the nearest position to all digits, not to half of them."""

    def assembled(turn):
        model = Model("pendulum")
        rod = model.add(Body(mass=1.0, inertia=0.02), name="rod")
        weight = model.add(Body(mass=2.0, inertia=0.01, position=(0.3, 0.0), angle=0.1), name="weight")
        model.add(Revolute(model.ground.at(), rod.at(-0.1, 0.0)), name="pin")
        model.add(Fixed(rod.at(0.3, 0.0, angle=turn), weight.at(0.05, 0.02)), name="weld")
        return assemble(model).q

    exact = assembled(angle)
    assert max(np.abs(assembled(angle + k * 1e-15) - exact).max() for k in range(-40, 41, 8)) < 1e-12
