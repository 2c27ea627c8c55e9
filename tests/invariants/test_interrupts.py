"""Ctrl-C at any point of an analysis is a KeyboardInterrupt that carries what was computed; the next run works."""

import importlib
import math
import warnings

import numpy as np
import pytest

import cardan
from cardan import Interrupted, inverse_dynamics, kinematics, simulate
from cardan.analysis.progress import Progress
from cardan.analysis.task_space.inverse_kinematics import SLICE
from cardan.planar import Action, Body, Driver, Load, Model, Ramp, Revolute, Spring
from cardan.study import global_search, pareto_front
from invariants.every_result import cornered, crank, oscillator, pendulum

TIMES = np.linspace(0.0, 2.0, 2001)
RUNS = {
    "kinematics": lambda: kinematics(crank(), TIMES),
    "kinematics, joint": lambda: kinematics(crank(), TIMES, coordinates="joint"),
    "inverse_dynamics": lambda: inverse_dynamics(crank(), TIMES),
    "inverse_dynamics, joint": lambda: inverse_dynamics(crank(), TIMES, coordinates="joint"),
    "simulate": lambda: simulate(pendulum(), 5.0),
    "simulate, output": lambda: simulate(pendulum(), 5.0, output=0.1),
    "simulate, joint": lambda: simulate(pendulum(), 5.0, output=0.1, coordinates="joint"),
    "simulate, radau": lambda: simulate(oscillator(), 5.0, output=0.1, method="radau"),
    "study": lambda: cardan.study(
        oscillator(), {"spring.stiffness": np.linspace(4.0, 5.0, 40)}, "simulate", ["mass.x:last"], until=0.1
    ),
}


def lever():
    """Pulled around by a load that grows: a sequence of equilibria."""
    model = Model("lever")
    bar = model.add(Body(mass=1.0, inertia=0.1), name="bar")
    hinge = model.add(Revolute(model.ground.at(), bar.at()), name="hinge")
    model.add(Spring(hinge.angle, 10.0, rest_angle=0.0), name="spring")
    model.add(Load(bar.at(1, 0), (0.0, Ramp(5.0))), name="pull")
    return model


def reached():
    model = lever()
    return cardan.inverse_kinematics(model, {model["hinge"].angle: np.linspace(0.0, 1.0, 3 * SLICE)})


def optimized():
    def slow(model):
        return (float(np.abs(cardan.linearize(model).eigenvalues()).max()) - 1.5) ** 2

    return cardan.optimize(oscillator(), {"spring.stiffness": (1.0, 9.0)}, slow)


def followed():
    model = lever()
    return cardan.equilibrium_path(model, model["pull"], time=2.0)


STUDIED = ({"spring.stiffness": (1.0, 9.0), "mass.mass": (0.5, 2.0)},)
SEARCH = {"until": 0.1, "population": 8, "generations": 4}
# of each: the analysis, how many of its parts are done, and where in the package Ctrl-C is pressed
SEQUENCES = {
    "quasi_static": (
        lambda: cardan.quasi_static(lever(), np.linspace(0.0, 2.0, 21)),
        len,
        "slow.follower.Follower.follow",
    ),
    "quasi_static, driven": (lambda: cardan.quasi_static(crank(), TIMES), len, "progress.Progress.show"),
    "equilibrium_path": (
        followed,
        lambda path: len(path.factors),
        "equilibria.equilibrium_path._Follower._found",
    ),
    "steady_cornering": (cornered, lambda test: len(test.motions), "slow.steady_cornering._approach"),
    "inverse_kinematics": (reached, len, "task_space.target_rows.TargetRows.follow"),
    "root_locus": (
        lambda: cardan.root_locus(oscillator(), [1.0, 2.0, 3.0], parameter="spring.damping"),
        lambda locus: len(locus.roots),
        "linear.root_locus.linearize",
    ),
    "optimize": (optimized, lambda design: len(design.trials), "sensitivity.optimize._Search._evaluated"),
    "pareto_front": (
        lambda: pareto_front(oscillator(), *STUDIED, ["mass.x:last", "mass.vx:last"], "simulate", **SEARCH),
        lambda front: front.analyses,
        "study.search.pareto._Population.objectives",
    ),
    "global_search": (
        lambda: global_search(oscillator(), *STUDIED, "mass.x:last", "simulate", **SEARCH),
        lambda found: found.analyses,
        "study.search.global_search._Evolution.__call__",
    ),
}


@pytest.mark.filterwarnings("ignore::cardan.CardanWarning")
@pytest.mark.parametrize("name", SEQUENCES)
def test_an_interrupted_sequence_keeps_its_first_results(name, monkeypatch):
    """Pressed in the third part; the partial result has the parts before it, and its print works."""
    analyze, parts, place = SEQUENCES[name]
    place = f"cardan.{place}" if place.startswith("study") else f"cardan.analysis.{place}"
    calls = []
    *path, attribute = place.split(".")
    owner = _named(path)
    original = getattr(owner, attribute)

    def pressed(*given, **options):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return original(*given, **options)

    with monkeypatch.context() as patch:
        patch.setattr(owner, attribute, pressed)
        with pytest.raises(KeyboardInterrupt) as stop:
            analyze()
    assert isinstance(stop.value, Interrupted) and "interrupted" in str(stop.value)
    partial, whole = stop.value.partial, analyze()
    assert type(partial) is type(whole) and repr(partial)
    timed = name == "quasi_static, driven"  # slices are timed: the third may be the last
    assert 0 < parts(partial) < parts(whole) + timed


def _named(path):
    """The module or class of this dotted name."""
    for cut in range(len(path), 0, -1):
        try:
            found = importlib.import_module(".".join(path[:cut]))
        except ModuleNotFoundError:
            continue
        for name in path[cut:]:
            found = getattr(found, name)
        return found
    raise LookupError(path)


class Keyboard:
    """Presses Ctrl-C in the n-th slice of an analysis; counts slices."""

    def __init__(self, monkeypatch, at):
        self.at, self.slices, show = at, 0, Progress.show

        def pressed(bar, done):
            self.slices += 1
            if self.slices == self.at:
                raise KeyboardInterrupt
            show(bar, done)

        monkeypatch.setattr(Progress, "show", pressed)


@pytest.mark.parametrize("name", RUNS)
def test_an_interrupt_in_any_slice_keeps_what_was_computed(name, monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with monkeypatch.context() as patch:
            counted = Keyboard(patch, 0)
            whole = RUNS[name]()
        for at in sorted({1, 2, counted.slices}):
            with monkeypatch.context() as patch:
                keyboard = Keyboard(patch, at)
                try:
                    RUNS[name]()
                    assert keyboard.slices < at  # slices are timed: this run had fewer
                    continue
                except cardan.CardanError as error:
                    pytest.fail(f"swallowed by `except CardanError`: {error}")
                except KeyboardInterrupt as stop:
                    found = stop
            if name == "study" and not isinstance(found, Interrupted):
                assert "before its first sample" in str(found)
                continue
            assert isinstance(found, Interrupted) and "interrupted" in str(found)
            if name == "study":
                assert 0 < found.partial.computed <= 40
                continue
            partial = found.partial
            assert partial.stopped is found and "stopped early: interrupted" in repr(partial)
            assert len(partial) <= len(whole)
            assert np.array_equal(partial.times, whole.times[: len(partial)]) or "output" not in name
        again = RUNS[name]()  # and nothing is left of it
        if name != "study":
            assert np.array_equal(again.q, whole.q)


def test_a_run_goes_on_after_an_interrupt(monkeypatch):
    with monkeypatch.context() as patch:
        Keyboard(patch, 2)
        with pytest.raises(KeyboardInterrupt) as stop:
            simulate(pendulum(), 5.0)
    rest = simulate(pendulum(), 5.0, start=stop.value.partial.checkpoint)
    assert rest.q[-1].tolist() == simulate(pendulum(), 5.0).q[-1].tolist()


def interpreted_pendulum(function, driven=False):
    """A function that cannot be compiled, called by compiled code."""
    model = Model("pendulum", gravity=(0, -9.81))
    bob = model.add(Body(mass=1.0, inertia=0.1, center=(0.5, 0)), name="bob")
    hinge = model.add(Revolute(model.ground.at(), bob.at()), name="hinge")
    if driven:
        model.add(Driver(hinge.angle, function), name="motor")
    else:
        model.add(Action(hinge.angle, function), name="pull")
    return model


class Pressing:
    """A user's function during whose n-th call Ctrl-C is pressed."""

    def __init__(self, at):
        self.at, self.calls = at, 0

    def __call__(self, x):
        self.calls += 1
        if self.calls == self.at:
            raise KeyboardInterrupt
        return math.sin(0.1) * x


@pytest.mark.filterwarnings("ignore::cardan.CardanWarning")
@pytest.mark.parametrize("at", [3, 50, 51, 52, 53, 54, 55, 56])
@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_an_interrupt_within_a_users_function(method, at):
    """Compiled code cannot raise it, and it would be lost there; a step that is tried again does not hide it."""
    model = interpreted_pendulum(Pressing(at))
    with pytest.raises(KeyboardInterrupt):
        simulate(model, 5.0, method=method)
    assert len(simulate(interpreted_pendulum(Pressing(0)), 0.1, output=0.05)) == 3


@pytest.mark.filterwarnings("ignore::cardan.CardanWarning")
@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
def test_an_interrupt_within_a_drivers_function(coordinates):
    model = interpreted_pendulum(Pressing(60), driven=True)
    with pytest.raises(KeyboardInterrupt):
        kinematics(model, TIMES, coordinates=coordinates)


def test_interrupts_survive_a_file(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        Keyboard(patch, 2)
        with pytest.raises(Interrupted) as stop, cardan.recording(tmp_path / "run.nc"):
            simulate(pendulum(), 5.0, output=0.01)
    found = cardan.load_result(tmp_path / "run.nc", model=pendulum())
    assert isinstance(found.stopped, Interrupted) and str(found.stopped) == str(stop.value)
    assert np.array_equal(found.q, stop.value.partial.q)
