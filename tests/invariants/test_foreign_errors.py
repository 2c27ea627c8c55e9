"""Whatever an analysis is given, it answers with a result or with an error of this package.

Arguments are drawn at random: wrong types and shapes, numbers that are not finite or huge, things of other models and
spaces. An IndexError, KeyError, AttributeError, LinAlgError or the like from inside is a bug, wherever it comes from.
"""

from __future__ import annotations

import inspect
import traceback
import warnings
from typing import Any

import numpy as np
import pytest

import cardan
import cardan.planar as plane
import cardan.spatial as space
from cardan import CardanError
from invariants.every_result import conical, crank, falling, oscillator, pendulum
from invariants.test_every_analysis import cpu_limit

TRIES = 60  # of each analysis in `make test`
LIMIT = 20.0  # s of CPU time: an endless span is reported within a minute, most are much sooner


def welded() -> Any:
    """A body that nothing can move."""
    model = plane.Model("welded", gravity=(0, -9.81))
    body = model.add(plane.Body(mass=1.0, inertia=1.0), name="body")
    model.add(plane.Fixed(model.ground.at(), body.at()), name="weld")
    return model


def floating() -> Any:
    model = plane.Model("floating", gravity=(0, -9.81))
    body = model.add(plane.Body(mass=1.0, inertia=1.0), name="body")
    model.add(plane.Drag(body.at(), area=1.0), name="drag")
    return model


def massless() -> Any:
    model = plane.Model("massless")
    body = model.add(plane.Body(), name="body")
    model.add(plane.Revolute(model.ground.at(), body.at()), name="hinge")
    return model


def lifted() -> Any:
    return space.lift(pendulum())


def empty() -> Any:
    return plane.Model("empty")


MODELS = [pendulum, oscillator, crank, conical, falling, welded, floating, massless, lifted, empty]


# a call of each analysis that works for some of the models
def coordinate(model: Any) -> Any:
    """The global x of the first body."""
    words = plane if model.space.dimensions == 2 else space
    return words.x(model.bodies[0].at() if model.bodies else model.ground.at())


CALLS: dict[str, Any] = {
    "assemble": (),
    "mobility": (),
    "equilibrium": (),
    "initial_conditions": (),
    "linearize": (),
    "eigenmodes": (),
    "joint_space": (),
    "steady_motion": (),
    "kinematics": ([0.0, 0.05],),
    "inverse_dynamics": ([0.0, 0.05],),
    "quasi_static": ([0.0, 0.05],),
    "simulate": (0.05,),
    "periodic_motion": (0.1,),
    "equilibrium_path": ("gravity",),
    "root_locus": ([1.0, 2.0],),
    "modal_sensitivities": (["spring.stiffness"],),
    "equations": (),
    "stepper": (),
    "task_space": lambda model: ([coordinate(model)],),
    "inverse_kinematics": lambda model: ({coordinate(model): [0.0, 0.01]},),
    "plan_motion": lambda model: ({coordinate(model): [0.0, 0.01]},),
    "optimize": lambda model: ({"spring.stiffness": (1.0, 9.0)}, lambda changed: 1.0),
    "steady_cornering": lambda model: ([*model.bodies, None][0], None, None, (), 20.0, [0.1], None, 2.6),
}


# what gets further into an analysis than most
PLAUSIBLE: dict[str, list[Any]] = {
    "coordinates": ["joint", "cartesian", "auto"],
    "method": ["auto", "radau", "dop853", "hht", "partition", "baumgarte", "symplectic", "energy", "newton", "dynamic"],
    "time": [0.0, 1e300, -1e300, 0.3],
    "times": [[0.0], [0.0, 1e300], [-1e300, 1e300], [1e308], [0.0, 1e-300], [1.0, 0.0], np.linspace(-1.0, 0.0, 3)],
    "until": [0.0, -1.0, 1e-300, 1e308, 0.05],
    "output": [0.01, 1e-300, 1e300, [0.05], [0.0], [1e300], [], 0],
    "tolerance": [1e-300, 1e300, 1.0, 1e-8],
    "rtol": [1e-300, 1.0, 1e-5, 1e-14, 1e300],
    "atol": [1e-300, 1e300, 0.0],
    "step": [1e-300, 1e300, 0.01],
    "count": [1, 2, 10**9],
    "until_rest": [True, False],
}


@pytest.fixture(scope="module")
def strange():
    """Things that may stand where another is meant."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        flat, deep = pendulum(), conical()
        run = cardan.simulate(flat, 0.05, output=0.01)
        things: list[Any] = [
            None, True, 0, -1, 3, 10**400, 0.0, -0.5, 1e-300, 1e308, float("nan"), float("inf"), 1 + 2j, "", "x", b"x",
            "spring.stiffness", "cartesian", "joint", "auto", [], [float("nan")], [[0.0, 1.0]], [0.0, 0.0], [1.0, 0.0],
            [None], ["x"], (), {}, {"x": 1.0}, {1: 2}, set(), np.zeros(0), np.zeros((2, 2)), np.full(3, np.nan),
            np.array(["x"]), np.array(1.0), object(), object, len, lambda x: x, flat, deep, flat.ground, flat["bob"],
            flat["bob"].at(), flat["hinge"], [flat["hinge"]], flat["hinge"].angle, [flat["hinge"].angle],
            {flat["hinge"].angle: float("nan")}, {flat["hinge"].angle: 0.1}, deep["string"], space.z(deep["bob"].at()),
            run, run.at(0.02), run.checkpoint, cardan.assemble(deep), cardan.assemble(lifted()),
            cardan.Event(flat["hinge"].angle), [cardan.Event(flat["hinge"].angle)], plane.Ramp(1.0),
        ]  # fmt: skip
    return things


def abused(name: str, random: np.random.Generator, things: list[Any]) -> tuple[str, str]:
    """One call with one to three strange arguments; what it was, and what was wrong with the answer."""
    function, build = getattr(cardan, name), MODELS[random.integers(len(MODELS))]
    if name == "periodic_motion" and build is falling:  # some seconds
        build = oscillator
    model = build()
    taken = list(inspect.signature(function).parameters)
    usual = CALLS[name](model) if callable(CALLS[name]) else CALLS[name]
    arguments = dict(zip(taken, (model, *usual), strict=False))
    near = [parameter for parameter in taken if parameter in PLAUSIBLE]
    deep = bool(near) and random.random() < 0.5  # only arguments that get past the first checks
    for _ in range(random.integers(1, 4)):
        which = near[random.integers(len(near))] if deep else taken[random.integers(1, len(taken))]
        if which not in ("progress", "options"):
            pool = PLAUSIBLE[which] if deep else things
            arguments[which] = pool[random.integers(len(pool))]
    if random.random() < 0.05 and name != "root_locus":  # which takes functions, whose errors are their own
        arguments[taken[0]] = things[random.integers(len(things))]
    told = ", ".join(f"{key}={value!r}"[:80] for key, value in list(arguments.items())[1:])
    said = f"{name}({build.__name__}(), {told})"
    try:
        with cpu_limit(LIMIT):
            function(**arguments)
    except CardanError as error:
        return said, "" if len(str(error)) > 15 else f"an error that says nothing: {error!r}"
    except TimeoutError:
        return said, f"no end within {LIMIT} s of CPU time"
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return said, f"{type(error).__name__}: {error} ({last.filename.rpartition('/')[2]}:{last.lineno})"
    return said, ""


@pytest.mark.parametrize("name", CALLS)
def test_only_errors_of_this_package(name, strange, invariant_count, invariant_seed):
    faults = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for k in range(invariant_count or TRIES):
            said, fault = abused(name, np.random.default_rng([invariant_seed, k]), strange)
            if fault:
                faults.append(f"{said}\n    {fault}")
    assert not faults, f"{len(faults)} faults\n" + "\n".join(faults[:20])


@pytest.mark.parametrize("name", ["at", "instant", "until", "peak", "bearings", "free_body", "velocity_polygon"])
def test_only_errors_of_this_package_in_results(name, strange):
    run = cardan.inverse_dynamics(crank(), [0.0, 0.1])
    faults = []
    for thing in [*strange, run.q]:
        for read in (getattr(run, name), run.__getitem__):
            try:
                read(thing)
            except CardanError:
                continue
            except Exception as error:
                last = traceback.extract_tb(error.__traceback__)[-1]
                where = f"({last.filename.rpartition('/')[2]}:{last.lineno})"
                faults.append(f"{name}({thing!r})"[:100] + f" {type(error).__name__}: {error} {where}")
    assert not faults, f"{len(faults)} faults\n" + "\n".join(faults)


CLASSES = sorted(
    {
        (module.__name__, name)
        for module in (plane, space)
        for name, thing in inspect.getmembers(module)
        if inspect.isclass(thing) and not name.startswith("_") and thing.__module__.startswith("cardan.")
    }
)


def test_only_errors_of_this_package_in_constructors(strange, invariant_count, invariant_seed):
    """Every public class, given anything at all, is made and added to a model, or rejected."""
    faults = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for module, name in CLASSES:
            kind = getattr(plane if module == plane.__name__ else space, name)
            taken = list(inspect.signature(kind).parameters.values())
            for k in range(invariant_count or 8):
                random = np.random.default_rng([invariant_seed, k])
                model = pendulum() if module == plane.__name__ else conical()
                near = [model["bob"], model["bob"].at(), model.ground.at(), 1.0, 2.0, model.ground, (1.0, 0.0)]
                pool = [*near, *near, *strange]
                given = {p.name: pool[random.integers(len(pool))] for p in taken if p.kind is p.POSITIONAL_OR_KEYWORD}
                try:
                    made = kind(**given)
                    if isinstance(made, cardan.model.element.Element):
                        model.add(made, name="made")
                except CardanError:
                    continue
                except Exception as error:
                    last = traceback.extract_tb(error.__traceback__)[-1]
                    where = f"({last.filename.rpartition('/')[2]}:{last.lineno})"
                    faults.append(f"{module}.{name} {type(error).__name__}: {error} {where} {given!r}"[:300])
    assert not faults, f"{len(faults)} faults\n" + "\n".join(faults[:40])
