"""One result of every kind, and what can be read from it: for tests on copies, processes and faults."""

from __future__ import annotations

import gc
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import cardan
import cardan.planar as plane
import cardan.spatial as space
from cardan.analysis.forward.events.event import Event
from cardan.results.snapshot import Snapshot
from cardan.system.compile import compile
from catalog_forces import bending, hung_particle, knotted
from single_track import A, B, single_track

TIMES = np.linspace(0.0, 0.4, 5)


def pull(angle, rate):
    """A user's function: a nonlinear torsion spring with damping."""
    return -3.0 * math.sin(angle) - 0.1 * rate


def turned(t):
    """A user's function of time."""
    return 0.5 * t * t


def slower(snapshot):
    """What happens at an event: the pendulum loses half its speed."""
    bob = snapshot.model["bob"]
    return cardan.Change(velocities={bob: {"angular_velocity": 0.5 * float(snapshot[bob].angular_velocity)}})


def oscillator() -> Any:
    model = plane.Model("oscillator")
    mass = model.add(plane.Body(mass=1.0, inertia=1.0, position=(0.1, 0.0)), name="mass")
    guide = model.add(plane.Translational(model.ground.at(), mass.at()), name="guide")
    model.add(plane.Spring(guide.travel, 4.0, 0.4, rest_length=0.0), name="spring")
    model.add(plane.Load(mass.at(), (plane.Harmonic(1.0, 3.0), 0.0)), name="push")
    return model


def pendulum() -> Any:
    """With a force and an event of the user's own."""
    model = plane.Model("pendulum", gravity=(0, -9.81))
    bob = model.add(plane.Body(mass=1.0, inertia=0.1, center=(0.5, 0)), name="bob")
    hinge = model.add(plane.Revolute(model.ground.at(), bob.at()), name="hinge")
    model.add(plane.Action(hinge.angle, pull), name="pull")
    return model


def crank() -> Any:
    """Driven by a function of the user's."""
    model = plane.Model("crank", gravity=(0, -9.81))
    bar = model.add(plane.Body(mass=1.0, inertia=0.1, center=(0.5, 0)), name="bar")
    hinge = model.add(plane.Revolute(model.ground.at(), bar.at()), name="hinge")
    model.add(plane.Driver(hinge.angle, turned), name="motor")
    return model


def conical() -> Any:
    model = space.Model("conical pendulum", gravity=(0, 0, -9.81))
    bob = model.add(space.Body(mass=1.0, position=(0.6, 0, -0.8)), name="bob")
    model.add(space.Spherical(model.ground.at(), bob.at(-0.6, 0, 0.8)), name="string")
    return model


def falling() -> Any:
    """A ball above a plane: surfaces, contact, states in space."""
    model = space.Model("falling ball", gravity=(0, 0, -9.81))
    ball = model.add(space.Body(mass=1.0, inertia=np.diag([1e-3] * 3), position=(0, 0, 0.11)), name="ball")
    ground, sphere = space.Face(model.ground.at()), space.Ball(ball.at(), 0.1)
    model.add(space.Contact(ground, sphere, stiffness=1e5, damping=0.1), name="contact")
    return model


def _swing() -> Any:
    model = pendulum()
    passing = Event(model["hinge"].angle, -1.0, name="passing", action=slower)
    return cardan.simulate(model, 1.0, output=0.1, events=[passing])


def cornered() -> Any:
    """Three steady turns of a car."""
    model = single_track(20.0)
    push = model.add(plane.Load(model["car"].at(-B, 0.0), (1.0, 0.0), "body"), name="push")
    turns = {"speed": 20.0, "lateral_acceleration": [0.1, 0.2, 0.3], "wheelbase": A + B}
    return cardan.steady_cornering(model, model["car"], steering=model["steering"], drive=push, **turns)


RESULTS: dict[str, Callable[[], Any]] = {
    "Model": pendulum,
    "System": lambda: compile(crank(), forces=True),
    "simulate": lambda: cardan.simulate(pendulum(), 0.4, output=0.1),
    "simulate, joint": lambda: cardan.simulate(pendulum(), 0.4, output=0.1, coordinates="joint"),
    "simulate, event": _swing,
    "simulate, contact": lambda: cardan.simulate(falling(), 0.1, output=0.02),
    "simulate, radau": lambda: cardan.simulate(oscillator(), 0.4, output=0.1, method="radau"),
    "snapshot": lambda: cardan.simulate(pendulum(), 0.4, output=0.1).at(0.25),
    "checkpoint": lambda: cardan.simulate(pendulum(), 0.4, output=0.1).checkpoint,
    "kinematics": lambda: cardan.kinematics(crank(), TIMES),
    "kinematics, joint": lambda: cardan.kinematics(crank(), TIMES, coordinates="joint"),
    "inverse_dynamics": lambda: cardan.inverse_dynamics(crank(), TIMES),
    "inverse_dynamics, joint": lambda: cardan.inverse_dynamics(crank(), TIMES, coordinates="joint"),
    "assemble": lambda: cardan.assemble(conical()),
    "equilibrium": lambda: cardan.equilibrium(oscillator()),
    "quasi_static": lambda: cardan.quasi_static(oscillator(), TIMES),
    "equilibrium_path": lambda: cardan.equilibrium_path(pendulum(), "gravity", (0.9, 1.0), method="newton"),
    "inverse_kinematics": lambda: cardan.inverse_kinematics(
        model := oscillator(), {model["guide"].travel: np.linspace(0.1, 0.2, 3)}
    ),
    "steady_cornering": cornered,
    "plan_motion": lambda: cardan.plan_motion(
        model := oscillator(),
        {model["guide"].travel: [0.1, 0.2]},
        speeds={model["guide"].travel: 1.0},
        accelerations={model["guide"].travel: 5.0},
        points=20,
    ),
    "task_space": lambda: cardan.task_space(model := pendulum(), [plane.x(model["bob"].at(0.5, 0.0))]),
    "equations": lambda: cardan.equations(pendulum()),
    "stepper": lambda: cardan.stepper(oscillator(), outputs=["guide.travel"]).save(),
    "simulate, point mass": lambda: cardan.simulate(hung_particle(plane), 0.2, output=0.1),
    "simulate, junction": lambda: cardan.simulate(knotted(space), 0.2, output=0.1),
    "simulate, flexible": lambda: cardan.simulate(bending(space), 0.2, output=0.1),
    "spectrum": lambda: cardan.kinematics(crank(), TIMES).spectrum("bar.x"),
    "rainflow": lambda: cardan.kinematics(crank(), TIMES).rainflow("bar.ax"),
    "steady_motion": lambda: cardan.steady_motion(model := conical(), given={space.z(model["bob"].at()): -0.5}),
    "periodic_motion": lambda: cardan.periodic_motion(oscillator(), 2 * math.pi / 3),
    "linearize": lambda: cardan.linearize(model := pendulum(), cardan.equilibrium(model)),
    "mobility": lambda: cardan.mobility(crank()),
    "joint_space": lambda: cardan.joint_space(pendulum()),
    "root_locus": lambda: cardan.root_locus(oscillator(), [1.0, 2.0], parameter="spring.damping"),
    "sensitivities": lambda: cardan.sensitivities(
        cardan.equilibrium(model := oscillator()), ["spring.stiffness"], [model["guide"].travel]
    ),
    "modal_sensitivities": lambda: cardan.modal_sensitivities(oscillator(), ["spring.stiffness"]),
    "motion_sensitivities": lambda: cardan.motion_sensitivities(
        cardan.simulate(model := oscillator(), 0.4), "spring.stiffness", model["guide"].travel
    ),
    "energy": lambda: cardan.simulate(pendulum(), 0.4, output=0.1).energy,
    "free_body": lambda: cardan.inverse_dynamics(model := crank(), TIMES).free_body(model["bar"], at=0.2),
    "polygon": lambda: cardan.kinematics(crank(), TIMES).velocity_polygon(at=0.2),
    "instant_centers": lambda: cardan.kinematics(crank(), TIMES).instant_centers(at=0.2),
    "bearings": lambda: cardan.inverse_dynamics(crank(), TIMES).bearings(),
    "peak": lambda: cardan.inverse_dynamics(crank(), TIMES).peak("motor", "torque"),
    "series": lambda: cardan.kinematics(crank(), TIMES)["bar"],
    "study": lambda: cardan.study(
        oscillator(), {"spring.stiffness": [4.0, 5.0]}, "simulate", ["mass.x:last"], until=0.1
    ),
}


def read(result: Any) -> list[Any]:
    """What a user may read from any result, much of it computed when it is asked for."""
    found: list[Any] = [] if type(result).__repr__ is object.__repr__ else [repr(result)]
    for name in ("violations", "table"):
        if name in dir(result):
            found.append(getattr(result, name)())
    for name in ("q", "v", "a", "violation", "drift", "position", "force", "start", "frequencies", "numbers"):
        if name in dir(result):
            value = getattr(result, name)
            found.append(value.q if isinstance(value, Snapshot) else value)
    if "loads" in dir(result) and "multipliers" in dir(result.loads):
        found.append(result.loads.multipliers)
    if "at" in dir(result) and "times" in dir(result):
        found.append(result.at(0.5 * float(result.times[0] + result.times[1])).q)
    if "mass_matrix" in dir(result):
        found.append(result.mass_matrix(result.q))
    if "geometry" in dir(result):  # a System: evaluate it
        found.append(result.work().phi)
    if isinstance(result, plane.Model):
        found.append(cardan.simulate(result, 0.1, output=0.05).q)
    return found


def equal(a: Any, b: Any) -> bool:
    """Whether two readings agree to the last digit."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(equal, a, b))
    return bool(np.array_equal(a, b, equal_nan=np.asarray(a).dtype.kind in "fc"))


def read_elsewhere(results: dict[str, Any]) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """In a process of a pool: read results that came from another one, and send them back."""
    gc.collect()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: read(result) for name, result in results.items()}, results
