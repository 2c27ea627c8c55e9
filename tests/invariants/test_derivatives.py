"""Derivatives: sensitivities of every example agree with differences of whole analyses, or the parameter is rejected.

Differences of steps h and h/2 are extrapolated, D = (4 D(h/2) - D(h)) / 3, and trusted to three times |D - D(h/2)|.
Errors are relative to the largest derivative of a kind.
"""

import math
import warnings

import numpy as np
import pytest

from cardan import (
    equilibrium,
    gradient,
    inverse_dynamics,
    kinematics,
    linearize,
    mobility,
    modal_sensitivities,
    motion_sensitivities,
    sensitivities,
    simulate,
)
from cardan.errors import CardanError, ModelError
from cardan.examples.vehicles import vehicle
from cardan.model.curves.motion import Step
from cardan.model.parameter import changed, parameters_of
from cardan.spatial import Body, Model, Road, Tire, TireData, x, y
from invariants.population import population

NUMBERS = ("mass", "inertia", "stiffness", "damping", "rest_length", "length", "center.x", "a.x", "b.x", "b.y")
TIRE = ("data.cornering_stiffness", "data.relaxation_y", "data.friction_y", "data.stiffness", "data.radius")
ACCURATE, STRUCK = 1e-4, 1e-2  # of the largest derivative: what is documented where laws have kinks, and of impacts
CASES = {str(case): case for case in population("example")}
MOVING = [name for name, case in CASES.items() if case.analysis == "simulate"]
DRIVEN = [name for name, case in CASES.items() if case.analysis in ("kinematics", "inverse_dynamics")]
SAMPLE = ("example: quarter-car", "example: double-pendulum", "example: heavy-top", "example: motor-drive")
SAMPLE += ("example: slider-crank", "example: v-engine", "example: four-bar")


@pytest.fixture(autouse=True)
def chosen(request, invariant_count):
    """A few examples in `make test`, all of them otherwise."""
    name = getattr(request.node, "callspec", None) and request.node.callspec.params.get("name")
    if name and not invariant_count and name not in SAMPLE:
        pytest.skip("with make invariants")


def _parameters(model, random, count=2):
    """Some numbers of a model, of any kind, that are not zero."""
    found = []
    for element in model:
        for path in (*NUMBERS, *TIRE):
            try:
                (one,) = parameters_of(model, f"{element.name}.{path}", "a test")
            except CardanError:
                continue
            if math.isfinite(one.value) and one.value != 0.0:
                found.append(one.name)
    return [found[k] for k in random.permutation(len(found))[:count]]


def _differences(model, name, read, share=1e-3):
    """The derivative by one parameter of what is read of an analysis, and how far it can be trusted."""
    (one,) = parameters_of(model, name, "a test")

    def slope(h):
        sides = []
        for sign in (1.0, -1.0):
            with changed(model, {one: one.value + sign * h}):
                sides.append(read(model))
        return (sides[0] - sides[1]) / (2.0 * h), 1e-15 * np.abs(sides).max(initial=0.0) / h

    h = share * abs(one.value)
    (coarse, _), (fine, rounding) = slope(h), slope(0.5 * h)
    best = (4.0 * fine - coarse) / 3.0
    return best, 3.0 * np.abs(best - fine).max(initial=0.0) + 3.0 * rounding


def _agree(found, expected, doubt, what, accurate=ACCURATE):
    size = np.abs(expected).max(initial=0.0)
    if doubt > 0.01 * size:
        return  # the differences do not converge, or there is nothing but rounding
    assert np.abs(found - expected).max(initial=0.0) <= accurate * size + doubt, what


def _places(run):
    """Positions of all bodies, [instants, ..]."""
    return np.concatenate([run[body].position for body in run.system.bodies], axis=-1)


def _followed(s, size):
    """Derivatives of positions, in the same order."""
    return np.concatenate([part[..., :size, :] for part in s.coordinates.values()], axis=-2)


@pytest.mark.parametrize("name", MOVING)
def test_motions(name, invariant_seed):
    case = CASES[name]
    model = case.build()
    until = min(case.until, 0.4)
    random = np.random.default_rng(invariant_seed)
    options = {"rtol": 1e-11, "output": until / 4}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = simulate(model, until, **options)
        for number in _parameters(model, random):
            try:
                s = motion_sensitivities(run, number)
            except ModelError as refused:
                assert "motion_sensitivities()" in str(refused) or number in str(refused)
                continue
            best, doubt = _differences(model, number, lambda m: _places(simulate(m, until, **options)))
            accurate = STRUCK if run.system.guards() else ACCURATE
            _agree(_followed(s, model.space.dimensions)[..., 0], best, doubt, number, accurate)


@pytest.mark.parametrize("name", DRIVEN)
def test_driven_motions(name, invariant_seed):
    case = CASES[name]
    model = case.build()
    random = np.random.default_rng(invariant_seed)
    analysis = {"kinematics": kinematics, "inverse_dynamics": inverse_dynamics}[case.analysis]
    times = np.linspace(0.0, min(case.until, 1.0), 5)

    def solved(m):
        return analysis(m, times, **case.options(m))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run, redundant = solved(model), mobility(model).redundant
        for number in _parameters(model, random, 6 if redundant or run.system.floating.any() else 2):
            try:
                s = sensitivities(run, number)
            except ModelError as refused:
                assert "sensitivities()" in str(refused) or number in str(refused)
                continue
            best, doubt = _differences(model, number, lambda m: _places(solved(m)))
            _agree(_followed(s, model.space.dimensions)[..., 0], best, doubt, number)


@pytest.mark.parametrize("name", ["example: lamp-equilibrium", "example: quarter-car", "example: stabilizer-bar"])
def test_rests_and_modes(name, invariant_seed, invariant_count):
    """Eigenvalues are matched by their order; parts of a pair that crosses are looked at by the differences' doubt."""
    model = CASES[name].build()
    random = np.random.default_rng(invariant_seed)

    def rest(m):
        found = equilibrium(m)
        return np.concatenate([found[body].position for body in found.system.bodies])

    def eigenvalues(m):
        return np.sort_complex(linearize(m, equilibrium(m)).modes().eigenvalues)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        at = equilibrium(model)
        for number in _parameters(model, random):
            s = sensitivities(at, number)
            best, doubt = _differences(model, number, rest)
            _agree(_followed(s, model.space.dimensions)[..., 0], best, doubt, number)
            modal = modal_sensitivities(model, number, at)
            order = np.lexsort((modal.modes.eigenvalues.imag, modal.modes.eigenvalues.real))
            best, doubt = _differences(model, number, eigenvalues)
            _agree(modal.eigenvalues[order, 0], best, doubt, number)


def rolling_wheel(yaw=0.4, lean=0.05):
    """A wheel that rolls freely, yaws and leans: its tire passes from driving to braking and back."""
    model = Model("wheel", gravity=(0.0, 0.0, -9.81))
    wheel = model.add(
        Body(
            mass=20.0,
            inertia=(0.6, 1.0, 0.6),
            position=(0.0, 0.0, 0.315),
            velocity=(8.0, 0.1, 0.0),
            angular_velocity=(lean, 8.0 / 0.315, yaw),
        ),
        name="wheel",
    )
    model.add(Tire(model.ground.at(), wheel.at(z=(0, 1, 0)), Road.flat(), TireData()), name="tire")
    return model


@pytest.mark.parametrize("number", ["wheel.mass", "tire.data.cornering_stiffness", "tire.data.relaxation_x"])
def test_wheel_that_yaws_and_leans(number):
    model = rolling_wheel()
    options = {"rtol": 1e-11, "output": 0.05}
    run = simulate(model, 0.2, **options)
    s = motion_sensitivities(run, number)
    best, doubt = _differences(model, number, lambda m: _places(simulate(m, 0.2, **options)))
    _agree(_followed(s, 3)[..., 0], best, doubt, number)


def test_chain_that_falls_on_a_plane():
    """While its first links strike. By 0.4 s the motion magnifies changes so much that differences do not converge."""
    case, until = CASES["example: chain-on-plane"], 0.1
    model, options = case.build(), {"rtol": 1e-11, "output": 0.025}
    run = simulate(model, until, **options)
    found = _followed(motion_sensitivities(run, "pin 1.b.x"), model.space.dimensions)[..., 0]
    best, doubt = _differences(model, "pin 1.b.x", lambda m: _places(simulate(m, until, **options)), share=1e-4)
    size = np.abs(best).max()
    assert doubt < 1e-5 * size and np.abs(found - best).max() < 1e-4 * size


@pytest.mark.slow
def test_car_that_is_steered():
    """Derivatives of where a car goes by its mass, direct and adjoint; its tires pass from driving to braking."""
    model = vehicle.build(steer=Step(0.05, 0.25, 0.0, 0.01))
    until, number = 0.5, "chassis.mass"
    place = [x(model["chassis"].at()), y(model["chassis"].at())]
    run = simulate(model, until, output=0.1, rtol=1e-9)
    best, doubt = _differences(
        model, number, lambda m: simulate(m, until, output=0.1, rtol=1e-12)["chassis"].position[:, 1]
    )
    _agree(motion_sensitivities(run, number, place).derivatives[:, 1, 0], best, doubt, number)
    size = np.abs(best).max()
    assert gradient(run, [number], place, final=lambda z: z[1])[number] == pytest.approx(best[-1], abs=1e-3 * size)
