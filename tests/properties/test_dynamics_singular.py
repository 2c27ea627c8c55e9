"""Through singular positions, with redundant joints and light bodies: a run neither stops nor is spoilt."""

import math

import numpy as np
import pytest

import cardan.spatial as space
from cardan import mobility, simulate
from cardan.planar import Body, Model, Revolute
from closed_forms import pendulum, upright_four_bars

METHODS = ("auto", "dop853")
UP = 0.5 * math.pi


def four_bars(count, angle=UP, speed=1.0):
    """Parallelograms in a row, bars of 1 m and 1 kg; bars in line have one freedom more for each parallelogram."""
    model, bars = Model("four-bars", gravity=(0, -9.81)), []
    c, s = math.cos(angle), math.sin(angle)
    for i in range(count + 1):
        state = {"angle": angle, "velocity": (0.5 * speed * s, -0.5 * speed * c), "angular_velocity": -speed}
        place = (i + 0.5 * c, 0.5 * s)
        bar = model.add(Body(mass=1.0, inertia=1 / 12, position=place, **state), name=f"bar {i}")
        model.add(Revolute(model.ground.at(i, 0), bar.at(-0.5, 0)), name=f"pivot {i}")
        bars.append(bar)
    for i in range(count):
        state = {"position": (i + 0.5 + c, s), "velocity": (speed * s, -speed * c)}
        coupler = model.add(Body(mass=1.0, inertia=1 / 12, **state), name=f"coupler {i}")
        model.add(Revolute(bars[i].at(0.5, 0), coupler.at(-0.5, 0)), name=f"left {i}")
        model.add(Revolute(bars[i + 1].at(0.5, 0), coupler.at(0.5, 0)), name=f"right {i}")
    return model, bars[0]


@pytest.mark.parametrize("rtol", np.geomspace(1e-5, 1e-11, 40))
def test_bars_fall_in_line_again_and_again(rtol):
    """10 s, 10 passages through the line, at any tolerance: the error stays in proportion to it."""
    model, bar = four_bars(2)
    run = simulate(model, 10.0, output=0.05, rtol=float(rtol))
    theta = upright_four_bars(run.times, 2).value
    tip = run[bar.at(0.5, 0)].position
    # Near the top the motion is unstable, exp(k t / 2) or so: some hundred times rtol.
    assert np.abs(tip - np.stack([np.sin(theta), np.cos(theta)], axis=1)).max() < 300 * rtol
    assert run.stats.rejected < 0.3 * run.stats.steps


@pytest.mark.parametrize("method", METHODS)
def test_many_bars(method):
    """40 parallelograms, of which all are flat at once: 20 s."""
    model, bar = four_bars(40)
    run = simulate(model, 20.0, output=0.5, method=method)
    theta = upright_four_bars(run.times, 40).value
    tip = run[bar.at(0.5, 0)].position
    assert np.abs(tip - np.stack([np.sin(theta), np.cos(theta)], axis=1)).max() < 1e-5
    assert run.violations().max() < 1e-10


@pytest.mark.parametrize("method", METHODS)
def test_a_start_in_line(method):
    """Bars that lie in line at the start, moving all alike, go on all alike."""
    model, bar = four_bars(2, angle=0.0, speed=2.0)
    run = simulate(model, 1.0, output=0.02, rtol=1e-10, method=method)
    k = math.sqrt(9.81 * 3.5 / 3.0)  # (N + 1)/2 + N over (N + 1)/3 + N
    exact = pendulum(run.times, k, UP, -2.0)
    assert np.abs(run[bar].angle + UP - exact.value).max() < 1e-7
    assert run.energy.drift < 1e-8


def bricard():
    """Five rods of 1 m between six hinges, each square to its neighbours: one freedom where counting finds none."""
    model = space.Model("Bricard", gravity=(0, -9.81, 0))
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)
    axes = np.array([(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)], float)
    before = model.ground
    thick, long = 0.01 / 6, (1.0 + 0.01) / 12
    for k in range(5):
        start, end = corners[k], corners[k + 1]
        tensor = np.where(np.abs(end - start) > 0.5, thick, long)
        place = tuple(((start + end) / 2).tolist())
        rod = model.add(space.Body(mass=1.0, inertia=tuple(tensor.tolist()), position=place), name=f"rod {k}")
        model.add(space.Revolute.between(before, rod, at=tuple(start), z=tuple(axes[k])), name=f"hinge {k}")
        before = rod
    last = space.Revolute.between(before, model.ground, at=tuple(corners[5]), z=tuple(axes[5]))
    model.add(last, name="hinge 5")
    return model


def test_bricards_linkage():
    """One equation is redundant and named; energy stays, and a run at another tolerance is the same motion."""
    model = bricard()
    report = mobility(model)
    assert report.degrees_of_freedom == 1 and len(report.redundant) == 1
    runs = [simulate(bricard(), 5.0, output=0.1, rtol=rtol) for rtol in (1e-8, 1e-11)]
    places = [run["rod 2"].position for run in runs]
    assert np.abs(places[0] - places[1]).max() < 1e-6 and runs[0].energy.drift < 1e-7
    assert len(runs[0].set_aside) == 1 and np.ptp(places[0], axis=0).max() > 0.5


@pytest.mark.parametrize("light", [1e-3, 1e-6, 1e-9, 0.0])
@pytest.mark.parametrize("method", METHODS)
def test_a_light_body(light, method):
    """A heavy bob on a light rod: the pendulum of its length, however light the rod."""
    model = Model("pendulum", gravity=(0, -9.81))
    rod = model.add(Body(mass=light, inertia=light / 12, position=(0.5, 0)), name="rod")
    bob = model.add(Body(mass=1.0, inertia=1e-3, position=(1, 0)), name="bob")
    model.add(Revolute(model.ground.at(), rod.at(-0.5, 0)), name="pin")
    model.add(Revolute(rod.at(0.5, 0), bob.at()), name="end")
    run = simulate(model, 3.0, output=0.05, rtol=1e-10, method=method)
    k = math.sqrt(9.81 * (1.0 + 0.5 * light) / (1.0 + light / 3))
    exact = pendulum(run.times, k, UP)
    assert np.abs(run[rod].angle + UP - exact.value).max() < 1e-7
    assert np.abs(run[bob].angle).max() < 1e-9
