"""A tolerance is kept: the error against a tight run by another method is at most 1000 times rtol of the natural scale
of what is compared, or the run has warned or failed. And where energy does not add up, the run says so."""

import math
import re
import warnings

import numpy as np
import pytest

import cardan.planar as plane
from cardan import EnergyWarning, SimulationError, simulate
from cardan.errors import CardanError, CardanWarning
from cardan.examples import load
from cardan.methods import GeneralizedAlpha
from invariants.population import population, random_case
from invariants.test_output_grid import buffered_pendulum, slipping_rope

TOLERANCES = np.geomspace(1e-5, 1e-11, 25)
ALLOWED = 1000.0
NAMED = {str(case): case for case in population("forces", "rolling", "example")}
SAMPLE = ("forces: plane: capstan", "forces: space: belt", "forces: plane: stop", "rolling: spatial-rolling-balls")
SMALLEST = 1e-3  # of the speed of one length of the model per second: speeds below are none


def worst_of(found, exact):
    """The largest errors of positions and velocities, relative to the model's length, 1 rad, and the largest speeds."""
    system = found.system
    angular = np.tile(system.space.angular, 1 + len(system.bodies))
    width = angular.size
    errors = [_error_of_positions(found, exact)]
    for kind, unit in ((~angular, system.length), (angular, 1.0)):
        values, right = found.v[:, :width][:, kind], exact.v[:, :width][:, kind]
        if values.size:
            errors.append(np.abs(values - right).max() / max(np.abs(right).max(), SMALLEST * unit))
    return max(errors)


def _error_of_positions(found, exact):
    """Of the places of bodies: what turns them shows in their velocities."""
    pairs = zip(found.system.bodies, exact.system.bodies, strict=True)
    places = [found[mine].position - exact[other].position for mine, other in pairs]
    return np.abs(np.stack(places)).max() / found.system.length


def check(build, until, tolerances, options=lambda model: {}):
    """Compare `auto` with a tight run by another method; nothing to compare with where there is none."""

    def run(**settings):
        model = build()
        return simulate(model, until, output=until / 10.0, **options(model), **settings)

    exact = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CardanWarning)
        for method, rtol in (("radau", 1e-12), ("radau", 1e-11), ("rk5", 1e-12)):
            try:
                exact = run(method=method, rtol=rtol)
                break
            except CardanError:
                continue
    for rtol in tolerances if exact is not None else ():
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                found = run(rtol=float(rtol))
            except CardanError:
                continue
        if not any(issubclass(warning.category, CardanWarning) for warning in told):
            assert worst_of(found, exact) <= ALLOWED * rtol, f"rtol = {rtol:.2e}"


@pytest.mark.parametrize("name", SAMPLE)
def test_sample(name):
    case = NAMED[name]
    check(case.build, min(case.until, 0.2), TOLERANCES, lambda model: _simulated(case, model))


def test_slipping_rope():
    check(slipping_rope, 0.5, TOLERANCES)


def test_kink_in_a_user_function():
    """The gas force of a compressor has a corner where its piston stands at 5 m. A step that begins just before it has
    rates on one side at its first stage and on the other at all others; its smooth part is so large that the quotient
    of the estimates of order 5 and 3 hides the rest."""
    case = NAMED["example: compressor-transient"]
    check(case.build, 0.5, TOLERANCES, lambda model: _simulated(case, model))


@pytest.mark.parametrize("speed", [*np.linspace(24.0, 40.0, 5), 24.0 + 3 * 16.0 / 19.0])
def test_kinks_anywhere_in_a_step(speed):
    """The same at other speeds, and so with the corner at other places of a step. At 26.5 rad/s it lies so close to the
    end of a step that no stage but the last one is behind it: 3200 times the tolerance if that one is not looked at."""
    example = load("compressor-transient")
    check(lambda: example.build(inertia=900.0, speed=speed), 0.5, TOLERANCES)


@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_stops(scale):
    """Where a step begins just before the end of a damped stop, the force at all further stages may lie on a straight
    line through zero at the first: its onset does not show in any error estimate. In meters and in millimeters."""
    for lower in np.linspace(0.9, 1.3, 12 if scale > 1.0 else 40):
        exact, found = (simulate(buffered_pendulum(lower, scale), 0.6, output=0.1, rtol=rtol) for rtol in (1e-12, 1e-9))
        assert worst_of(found, exact) <= 100.0 * 1e-9, lower


@pytest.mark.parametrize("method", ["rk5", "radau"])
def test_stops_with_other_methods(method):
    for lower in np.linspace(0.9, 1.3, 5):
        exact = simulate(buffered_pendulum(lower, 1.0), 0.6, output=0.1, rtol=1e-12)
        for rtol in TOLERANCES[::4]:
            found = simulate(buffered_pendulum(lower, 1.0), 0.6, output=0.1, rtol=float(rtol), method=method)
            assert worst_of(found, exact) <= ALLOWED * rtol, (lower, rtol)


@pytest.mark.parametrize("method, coordinates", [("dop853", "cartesian"), ("rk3", "joint")])
def test_redundant_rows_exchanged_in_a_step(method, coordinates):
    """Which of the rows of a Sarrus linkage is redundant changes as it moves. A step is closed by rows that were
    independent where it began; where they are not at its end, the platform would tilt by up to 43 rad/s. It moves
    straight up and down: z = 2 l sin(angle). At t = 0.5 s the angle is back at 0.8 and falls at 0.5 * 2 pi rad/s."""
    expected = 2.0 * 0.3 * math.cos(0.8) * -math.pi
    for rtol in np.geomspace(1e-5, 1e-7, 9):
        run = simulate(load("sarrus").build(), 0.5, output=0.05, rtol=rtol, method=method, coordinates=coordinates)
        platform = run["platform"]
        assert platform.velocity[-1] == pytest.approx([0.0, 0.0, expected], abs=rtol), rtol
        assert platform.angular_velocity == pytest.approx(np.zeros_like(platform.angular_velocity), abs=rtol), rtol


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMED)
def test_all(name):
    case = NAMED[name]
    check(case.build, min(case.until or 1.0, 0.5), TOLERANCES, lambda model: _simulated(case, model))


def test_random_mechanisms(invariant_seeds):
    for k, seed in enumerate(invariant_seeds):
        case = random_case(seed, driven=False)
        check(case.build, 0.3, TOLERANCES[k % 5 :: 5])


def slider_crank(speed):
    """Crank and rod of one length: where they fold, the slider stands on the axis of the crank, where motions meet."""
    model, s = plane.Model("slider-crank", gravity=(0.0, -9.81)), math.sqrt(0.5)
    crank = plane.Body(
        1.0, 0.1, position=(s / 2, s / 2), angle=math.pi / 4, velocity=(-speed * s / 2, speed * s / 2),
        angular_velocity=speed,
    )  # fmt: skip
    crank = model.add(crank, name="crank")
    rod = model.add(plane.Body(1.0, 0.1, position=(1.5 * s, s / 2), angle=-math.pi / 4), name="rod")
    slider = model.add(plane.Body(1.0, 0.1, position=(2.0 * s, 0.0)), name="slider")
    model.add(plane.Revolute(model.ground.at(), crank.at(-0.5, 0.0)), name="A")
    model.add(plane.Revolute(crank.at(0.5, 0.0), rod.at(-0.5, 0.0)), name="B")
    model.add(plane.Revolute(rod.at(0.5, 0.0), slider.at()), name="C")
    model.add(plane.Translational(model.ground.at(), slider.at()), name="rail")
    return model


def test_methods_that_lose_their_way_say_so():
    """Past a singular position `baumgarte` may go on along another motion, and its energy does not add up: it warns, or
    fails if much is missing. Which of the two hinges on how close to the singular position a step ends."""
    told = ""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            lost = simulate(slider_crank(6.0), 2.0, output=0.05, method="baumgarte")
        except SimulationError as error:
            lost, told = error.partial, str(error)
    told = told or " ".join(str(w.message) for w in warned if issubclass(w.category, EnergyWarning))
    assert re.search(r"'slider-crank' does not add up by [\d.]+ %.* t = .* where '(crank|rod|slider)'", told)
    kept = simulate(slider_crank(6.0), 2.0, output=0.05)
    common = min(len(lost), len(kept))
    assert np.abs(lost.q[:common] - kept.q[:common]).max() > 0.1


def test_no_alarm_without_reason():
    """In default settings nothing in the sample warns."""
    for name in SAMPLE:
        case = NAMED[name]
        model = case.build()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CardanWarning)
            warnings.simplefilter("error", EnergyWarning)
            simulate(model, case.until, **_simulated(case, model))


def _simulated(case, model):
    return {name: value for name, value in case.options(model).items() if name in ("events", "released", "start")}


def oscillator():
    """A mass on a rail and a spring, 10 rad/s."""
    model = plane.Model("oscillator")
    mass = model.add(plane.Body(mass=1.0, inertia=1.0, position=(1.5, 0.0)), name="mass")
    model.add(plane.Translational(model.ground.at(), mass.at()), name="rail")
    span = plane.length(model.ground.at(0.0, 1.0), mass.at(0.0, 1.0))
    model.add(plane.Spring(span, stiffness=100.0, rest_length=1.0), name="spring")
    return model


@pytest.mark.parametrize("step, warned", [(0.001, False), (0.05, False), (0.2, True)])
def test_fixed_steps_warn_if_they_do_not_resolve_the_motion(step, warned):
    """Order 2 at 10 rad/s: steps of 0.2 s are a third of a period, and lose 13 % of the energy."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        simulate(oscillator(), 5.0, method=GeneralizedAlpha(step=step), output=0.1, progress=False)
    found = [str(w.message) for w in told if issubclass(w.category, EnergyWarning)]
    assert bool(found) == warned
    assert all("steps of 0.2 s and order 2" in text and "smaller step" in text for text in found)
