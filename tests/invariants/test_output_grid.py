"""What a run returns at an instant does not depend on the other instants asked for, nor do the steps it takes."""

import importlib.util
import math
import warnings

import numpy as np
import pytest

import cardan.planar as plane
from cardan import Event, simulate
from cardan.errors import CardanError, CardanWarning
from invariants.population import population, random_case

SAME = 1e-11  # of the largest value: reactions are found afterwards, from equal states, by a sparse solution
NAMED = {str(case): case for case in population()}
# Friction with reactions, samplers, devices, contacts, events, stiff forces, closed loops, redundant rows.
SAMPLE = (
    "forces: plane: pin_friction", "forces: plane: capstan", "forces: space: carried", "forces: space: belt",
    "forces: tire, grid", "example: inverted-pendulum", "example: quarter-car", "example: bouncing-ball",
    "rolling: spatial-rolling-balls",
)  # fmt: skip
METHODS = {
    "dop853": {}, "rk3": {"rtol": 1e-5}, "rk5": {}, "sampled": {}, "radau": {}, "generalized-alpha": {"rtol": 1e-5},
    "hht": {"rtol": 1e-5}, "symplectic": {"step": 0.01}, "partition": {}, "direct": {}, "baumgarte": {}, "hybrid": {},
    "bdf": {},
}  # fmt: skip


def columns(run):
    """All that a run has at its instants, one line each; Euler parameters up to their common sign."""
    found = {"q": run.q, "v": run.v, "a": run.a, "turns": run.turns, "work": run.energy._work}
    found["states"] = np.stack([run.at(float(t)).states for t in run.times]) if run.system.states.start.size else run.v
    loads = run.loads
    return found | {"multipliers": loads.multipliers, "strengths": loads.strengths}


def assert_independent(build, until, options=lambda model: {}, **settings):
    """Five instants, many instants, and every step: the same at the instants they share."""
    few = np.linspace(0.0, until, 6)
    runs = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CardanWarning)
        for output in (few, np.union1d(few, np.linspace(0.0, until, 38)), None):
            model = build()
            stated = {"rtol": 1e-6} | options(model) | settings
            runs.append(simulate(model, until, output=output, **stated))
    one, other, steps = runs
    assert one.stats.steps == other.stats.steps == steps.stats.steps
    assert [h.time for h in one.events] == [h.time for h in other.events] == [h.time for h in steps.events]
    shared = np.isin(other.times, one.times)
    assert shared.sum() == one.times.size
    first, second, last = columns(one), columns(other), columns(steps)
    for name, values in first.items():
        again, size = second[name][shared], np.abs(second[name]).max(initial=0.0)
        if name == "q" and one.system.width == 6:  # e and -e are one orientation
            values, again = np.abs(values), np.abs(again)
        if name in ("multipliers", "strengths"):
            assert np.abs(values - again).max(initial=0.0) <= SAME * size, name
        else:
            np.testing.assert_array_equal(values, again, err_msg=name)
        end = np.abs(np.abs(last[name][-1]) - np.abs(values[-1]))
        assert end.max(initial=0.0) <= SAME * size, name


@pytest.mark.parametrize("name", SAMPLE)
def test_sample(name):
    case = NAMED[name]
    assert_independent(case.build, min(case.until, 0.5), lambda model: _simulated(case, model))


@pytest.mark.slow
@pytest.mark.parametrize("coordinates", ["auto", "joint"])
@pytest.mark.parametrize("name", NAMED)
def test_all(name, coordinates):
    case = NAMED[name]
    try:
        assert_independent(
            case.build, min(case.until or 1.0, 0.5), lambda model: _simulated(case, model), coordinates=coordinates
        )
    except CardanError as error:  # which coordinates suit a model is a question of its own
        pytest.skip(str(error))


def test_random_mechanisms(invariant_seeds):
    for seed in invariant_seeds:
        case = random_case(seed, driven=False)
        try:
            assert_independent(case.build, case.until)
        except CardanError:  # models that cannot be run are looked at by other invariants
            continue


@pytest.mark.parametrize("method", METHODS)
def test_methods(method):
    """A four-bar linkage with a damped spring: a loop, so that outputs are closed."""
    if method == "bdf" and importlib.util.find_spec("sksundae") is None:
        pytest.skip("needs scikit-sundae")
    assert_independent(four_bar, 0.5, method=method, **METHODS[method])


@pytest.mark.parametrize("method", ["dop853", "rk5", "radau"])
def test_stops(method):
    for lower in (0.9, 1.1, 1.3):
        assert_independent(lambda lower=lower: buffered_pendulum(lower, 1.0), 0.6, method=method)


def buffered_pendulum(lower, scale):
    """A double pendulum that falls on a buffer; lengths and forces are multiplied by `scale`."""
    model = plane.Model("pendulum on a buffer", gravity=(0.0, -9.81 * scale))
    upper = model.add(plane.Body(1.0, 0.05 * scale**2, position=(0.3 * scale, 0.0)), name="upper")
    bob = model.add(plane.Body(1.5, 0.1 * scale**2, position=(scale, 0.0)), name="bob")
    model.add(plane.Revolute(model.ground.at(), upper.at(-0.3 * scale, 0.0)), name="A")
    model.add(plane.Revolute(upper.at(0.3 * scale, 0.0), bob.at(-0.4 * scale, 0.0)), name="B")
    reach = plane.length(model.ground.at(0.0, -scale), bob.at())
    model.add(plane.Stop(reach, lower=lower * scale, stiffness=2000.0, damping=1.0), name="buffer")
    return model


def four_bar():
    model = plane.Model("four-bar", gravity=(0.0, -9.81))
    crank = model.add(plane.Body(1.0, 0.1, position=(0.0, 0.5)), name="crank")
    coupler = model.add(plane.Body(2.0, 0.3, position=(0.75, 1.25)), name="coupler")
    rocker = model.add(plane.Body(1.5, 0.2, position=(1.5, 0.75)), name="rocker")
    model.add(plane.Revolute(model.ground.at(0, 0), crank.at(0, -0.5)), name="A")
    model.add(plane.Revolute(crank.at(0, 0.5), coupler.at(-0.75, -0.25)), name="B")
    model.add(plane.Revolute(coupler.at(0.75, 0.25), rocker.at(0, 0.75)), name="C")
    model.add(plane.Revolute(rocker.at(0, -0.75), model.ground.at(1.5, 0)), name="D")
    diagonal = plane.length(crank.at(), model.ground.at(1, 0))
    model.add(plane.Spring(diagonal, stiffness=50.0, rest_length=1.0, damping=1.0), name="spring")
    return model


@pytest.mark.parametrize("method", ["dop853", "radau", "generalized-alpha", "hht", "partition"])
def test_before_an_event_in_its_step(method):
    """A pendulum falls from rest at the horizontal through 30 degrees: outputs between the start of the step that the
    event cuts and the event lie on the motion. The methods of order 2 keep 4e-4 at this
    tolerance; a state taken as that of another instant of the step would be off by up to 2e-2."""

    def run(output, **settings):
        model = plane.Model("pendulum", gravity=(0.0, -9.81))
        bob = model.add(plane.Body(1.0, 0.1, position=(1.0, 0.0)), name="bob")
        pin = model.add(plane.Revolute(model.ground.at(), bob.at(-1.0, 0.0)), name="pin")
        passes = Event(pin.angle, -math.radians(30.0), "falling", action=lambda now: None)
        return simulate(model, 0.5, output=output, events=[passes], **settings)

    times = np.linspace(0.0, 0.5, 201)
    found, exact = run(times, method=method, rtol=1e-6), run(times, rtol=1e-12)
    assert len(found.events) == 1
    assert np.abs(found.q - exact.q).max() < 1e-3


def test_capstan():
    """A rope that slips over a drum at once: forces are stiff, and jump where it would stick. At each of 25 tolerances
    all instants lie on the motion that Radau's method finds with a tight tolerance, to 100 tolerances times the largest
    value. Accelerations are the difference of two forces per mass, the load and the stiff rope: to 1000 tolerances
    times the larger of these."""
    exact = simulate(slipping_rope(), 0.5, output=0.01, method="radau", rtol=1e-11)
    load = 2.0 * math.exp(0.25 * math.pi) * 10.0
    for rtol in np.geomspace(1e-5, 1e-8, 25):
        found = simulate(slipping_rope(), 0.5, output=0.01, rtol=float(rtol))
        largest = {"q": 100.0 * np.abs(exact.q).max(), "v": 100.0 * np.abs(exact.v).max(), "a": 1000.0 * load}
        for name, allowed in largest.items():
            assert np.abs(getattr(found, name) - getattr(exact, name)).max() <= allowed * rtol, (rtol, name)
        assert found.energy.drift < 100.0 * rtol


def slipping_rope(stiffness=1e5, light=10.0):
    model = plane.Model("drum")
    rail, bodies = model.ground.at(), []
    heavy = 2.0 * math.exp(0.25 * math.pi) * light
    for name, side, load in (("a", -1.0, light), ("b", 1.0, heavy)):
        body = model.add(plane.Body(1.0, 1.0, position=(side * (1.0 + load / stiffness), 0.0)), name=name)
        model.add(plane.Translational(rail, body.at()), name=f"rail {name}")
        model.add(plane.Load(body.at(), (side * load, 0.0)), name=f"load {name}")
        bodies.append(body.at())
    stated = {"wrap": math.pi, "friction": 0.25, "stiffness": stiffness, "rest_length_a": 1.0, "damping": 100.0}
    model.add(plane.Capstan(*bodies, drum=rail, settling=1e-3, **stated), name="rope")
    return model


def _simulated(case, model):
    """The options of a case that simulate() takes whatever the analysis."""
    return {name: value for name, value in case.options(model).items() if name in ("events", "released", "start")}
