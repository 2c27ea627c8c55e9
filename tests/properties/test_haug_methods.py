"""Every method tells the same motion: closed forms, and the same mechanism by DOP853."""

from __future__ import annotations

import numpy as np
import pytest

from cardan import kinematics, planar, simulate, spatial
from cardan.errors import SimulationError
from cardan.examples.linkages import slider_crank
from closed_forms import pendulum, upright_four_bars
from falling_linkages import LINKAGES, parallelograms

ADAMS = ("partition", "hybrid", "direct", "baumgarte")
METHODS = (*ADAMS, "bdf")


def need(method: str) -> None:
    if method == "bdf":
        pytest.importorskip("sksundae")


def stone_of_the_plane(speed: float) -> planar.Model:
    model = planar.Model("stone", gravity=(0, -9.81))
    body = planar.Body(mass=1.0, inertia=1.0, position=(1, 0), velocity=(0, speed))
    stone = model.add(body, name="stone")
    model.add(planar.Distance(model.ground.at(), stone.at(), 1.0), name="string")
    return model


def stone_of_space(speed: float) -> spatial.Model:
    model = spatial.Model("stone", gravity=(0, -9.81, 0))
    body = spatial.Body(mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0), velocity=(0, speed, 0))
    stone = model.add(body, name="stone")
    model.add(spatial.Distance(model.ground.at(), stone.at(), 1.0), name="string")
    return model


def error_of(run, speed: float) -> float:
    angle = pendulum(run.times, np.sqrt(9.81), np.pi / 2, speed).value
    return float(np.abs(run["stone"].position[:, :2] - np.stack([np.sin(angle), -np.cos(angle)], axis=1)).max())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("build", [stone_of_the_plane, stone_of_space])
def test_point_mass_pendulum(build, method):
    """Ten seconds from the horizontal. Neither x nor y is independent all the time: the choice must change."""
    need(method)
    run = simulate(build(0.0), 10.0, output=0.1, rtol=1e-10, method=method)
    assert error_of(run, 0.0) < (1e-6 if method == "bdf" else 1e-7)
    assert run.energy.drift < 1e-7
    if method in ("partition", "hybrid"):  # seven times through the lowest point, and at least one choice on each side
        assert _choices(run) > 14


@pytest.mark.parametrize("method", ["partition", "hybrid"])
@pytest.mark.parametrize("build", [stone_of_the_plane, stone_of_space])
def test_going_round(build, method):
    """Thrown upward with 8 m/s it goes round 12 times: each time x and y take turns twice.

    The hybrid method looks at its choice only where it corrects, and may miss some.
    """
    run = simulate(build(8.0), 10.0, output=0.1, rtol=1e-10, method=method)
    angle = pendulum(run.times, np.sqrt(9.81), np.pi / 2, 8.0).value
    turns = np.floor((angle[-1] - angle[0]) / (2 * np.pi))
    assert turns == 12 and _choices(run) >= (4 if method == "partition" else 2) * turns
    assert error_of(run, 8.0) < 1e-6  # a phase: the error grows with every turn


@pytest.mark.parametrize("method", ADAMS)
def test_a_string_of_stones(method):
    """Three of them, each free to swing. The first falls from beside its pivot to below it: y, independent at first,
    cannot stay so."""

    def string() -> planar.Model:
        model = planar.Model("string", gravity=(0, -9.81))
        last = model.ground.at()
        for k in range(3):
            stone = model.add(planar.Body(mass=1.0, inertia=1.0, position=(1.0 + k, 0.2 * k)), name=f"stone {k}")
            model.add(planar.Distance(last, stone.at(), np.hypot(1.0, 0.2 if k else 0.0)), name=f"string {k}")
            last = stone.at()
        return model

    exact, run = (
        simulate(string(), 2.0, output=0.1, rtol=tol, method=m) for tol, m in ((1e-12, "auto"), (1e-10, method))
    )
    assert np.abs(run.q - exact.q).max() < 1e-6
    if method in ("partition", "hybrid"):
        assert run["stone 0"].position[:, 0].min() < 0.0 and _choices(run) > 1


@pytest.mark.parametrize("method", ADAMS)
@pytest.mark.parametrize("build", LINKAGES)
def test_linkages(build, method):
    """As by DOP853, whose error at this tolerance is far smaller. The crank turns round."""
    exact = simulate(build(), 1.0, output=0.05, rtol=1e-12)
    run = simulate(build(), 1.0, output=0.05, rtol=1e-10, method=method)
    assert np.abs(run.q - exact.q).max() < 1e-6
    assert np.abs(run.v - exact.v).max() < 1e-5 * np.abs(exact.v).max()
    assert run.energy.drift < 1e-7


@pytest.mark.parametrize("build", LINKAGES)
def test_linkages_by_bdf(build):
    need("bdf")
    exact = simulate(build(), 0.3, output=0.05, rtol=1e-12)
    run = simulate(build(), 0.3, output=0.05, rtol=1e-8, method="bdf")
    assert np.abs(run.q - exact.q).max() < 1e-5
    assert run.violations().max() < 1e-7 * run.system.length
    assert run.times.size == 7 and run.times[-1] == 0.3  # although 6 * 0.05 is not


@pytest.mark.parametrize("method", METHODS)
def test_a_row_on_velocities(method):
    """The sleigh of Chaplygin: u' = l w^2 and w' = -l u w / a^2, with a^2 = I / m + l^2 and u the speed of the blade.

    u^2 + a^2 w^2 = c^2 stays as it is, u = c tanh s and w = c / a / cosh s with s growing by c l / a^2 each second.
    """
    need(method)
    arm, a, u, w = 0.4, np.hypot(0.4, np.sqrt(0.15)), -2.0, 1.3
    model = planar.Model("sleigh")
    body = planar.Body(mass=2.0, inertia=0.3, velocity=(u, w * arm), angular_velocity=w)
    sleigh = model.add(body, name="sleigh")
    model.add(planar.KnifeEdge(sleigh.at(-arm, 0.0)), name="blade")
    run = simulate(model, 2.0, output=0.1, rtol=1e-9, method=method)
    c = np.hypot(u, a * w)
    s = np.arctanh(u / c) + c * arm / a**2 * run.times
    assert run["sleigh"].angular_velocity == pytest.approx(c / a / np.cosh(s), abs=1e-6)
    assert run.energy.drift < 1e-7
    assert np.abs(run.q - simulate(model, 2.0, output=0.1, rtol=1e-12).q).max() < 1e-6


@pytest.mark.parametrize("method", METHODS)
def test_redundant_rows(method):
    """A parallelogram in space: three of its rows say what others say, and are set aside."""
    need(method)
    run = simulate(parallelograms(spatial, 1), 0.6, output=0.1, rtol=1e-9, method=method)
    angle = upright_four_bars(run.times, 1).value
    tip = 2.0 * run["bar 0"].position[:, :2]
    assert len(run.set_aside) == 3
    assert np.abs(tip - np.stack([np.sin(angle), np.cos(angle)], axis=1)).max() < 1e-6


def test_bdf_stops_at_a_singular_position():
    """The bars start in line, where one row depends on the others; a moment later it does not."""
    need("bdf")
    with pytest.raises(
        SimulationError, match="'bdf' could not continue .* singular configurations.* use method 'auto'"
    ) as stop:
        simulate(parallelograms(planar, 1, lean=np.pi / 2), 1.0, output=0.1, rtol=1e-8, method="bdf")
    assert 0.0 < stop.value.time < 0.1 and len(stop.value.partial) == 1


@pytest.mark.parametrize("method", METHODS)
def test_a_force_that_ends(method):
    """sqrt(1 + angle) has no value once the pendulum has fallen by one radian."""
    need(method)
    model = planar.Model("pendulum", gravity=(0, -9.81))
    bob = model.add(planar.Body(mass=1.0, position=(1, 0)), name="bob")
    pin = model.add(planar.Revolute(model.ground.at(), bob.at(-1, 0)), name="pin")
    model.add(planar.Spring(pin.angle, law=lambda angle: np.sqrt(1.0 + angle)), name="odd")
    with pytest.raises(SimulationError, match="Spring 'odd' returned no finite force") as stop:
        simulate(model, 1.0, rtol=1e-8, method=method)
    assert stop.value.partial["bob"].angle[-1] == pytest.approx(-1.0, abs=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_driven_all_the_way(method):
    """No coordinate is independent: the motion is that of kinematics. Turns are counted."""
    need(method)
    times = np.linspace(0.0, 1.0, 21)
    exact = kinematics(slider_crank.build(), times)
    run = simulate(slider_crank.build(), 1.0, output=times, rtol=1e-9, method=method)
    assert np.abs(run.q - exact.q).max() < 1e-7 and np.abs(run.a - exact.a).max() < 1e-5
    assert run["A"].angle.value[-1] == pytest.approx(10.0, abs=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_energy_adds_up(method):
    """A damper takes out, a driver puts in; what they do is integrated along with the motion."""
    need(method)
    model = planar.Model("driven", gravity=(0, -9.81))
    crank = model.add(planar.Body(mass=1.0, inertia=0.1, position=(0.5, 0.0)), name="crank")
    bob = model.add(planar.Body(mass=2.0, inertia=0.1, position=(1.5, 0.0)), name="bob")
    hinge = model.add(planar.Revolute(model.ground.at(), crank.at(-0.5, 0.0)), name="A")
    elbow = model.add(planar.Revolute(crank.at(0.5, 0.0), bob.at(-0.5, 0.0)), name="B")
    model.add(planar.Driver(hinge.angle, planar.Ramp(3.0)), name="motor")
    model.add(planar.Spring(elbow.angle, 5.0, damping=0.4, rest_angle=0.0), name="damper")
    run = simulate(model, 1.0, output=0.1, rtol=1e-9, method=method)
    assert run.energy.dissipated[-1] > 0.1 and abs(run.energy.driven[-1]) > 0.1
    assert run.energy.drift < 1e-6


def _choices(run) -> int:
    return int(run.stats.notes[-1].split("chosen ")[1].split()[0])
