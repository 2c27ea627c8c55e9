"""Analyses that enter every kernel: examples, methods, both choices of coordinates, derivatives, studies."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import cardan
import cardan.planar
import cardan.spatial
from cardan.case import load_case
from cardan.examples import load, names
from cardan.methods.historical import Baumgarte, Direct, Hybrid, Partitioning
from cardan.prebuilt import models
from cardan.study import grid

METHODS = ("dop853", "rk3", "rk5", "radau", "sampled", "auto")
FIXED = (cardan.GeneralizedAlpha(step=1e-3), cardan.HHT(step=1e-3))
SYMPLECTIC = cardan.Symplectic(step=1e-3)
HISTORICAL = (Baumgarte(alpha=5.0, beta=5.0), Partitioning(), Direct(), Hybrid())
FREE = {"double-pendulum": cardan.planar, "heavy-top": cardan.spatial}  # mechanisms that move under forces
DRIVEN = ("slider-crank", "spatial-slider-crank")


def tour(report: bool = True) -> None:
    """Run all analyses once. An analysis that fails ends the tour: its kernels would be missing."""
    for title, run in stops():
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run()
        if report:
            print(f"{time.process_time() - start:8.2f} s  {title}", file=sys.stderr, flush=True)


def stops() -> Iterator[tuple[str, Callable[[], Any]]]:
    """The analyses of the tour, with titles."""
    for name in names():
        yield f"example {name}", partial(_example, name)
    for name in FREE:
        for coordinates, methods in (("cartesian", (*METHODS, "bdf", *FIXED)), ("joint", (*METHODS, SYMPLECTIC))):
            for method in methods:
                yield f"{name}, {coordinates}, {method}", partial(_simulate, name, coordinates, method)
        for method in HISTORICAL:
            yield f"{name}, {method}", partial(_simulate, name, "cartesian", method)
        yield f"{name}, linear and sensitivities", partial(_derivatives, name)
        yield f"{name}, equations of joint coordinates", partial(_joint_space, name)
    for name in DRIVEN:
        for coordinates in ("cartesian", "joint"):
            yield f"{name}, {coordinates}, driven", partial(_driven, name, coordinates)
        yield f"{name}, study", partial(_study, name)
    yield from models.stops()
    for name in ("lamp-equilibrium", "governor"):
        for coordinates in ("cartesian", "joint"):
            for method in ("energy", "newton", "settle"):
                yield f"{name}, {coordinates}, {method}", partial(_equilibrium, name, coordinates, method)


def _example(name: str) -> None:
    case = load_case(name, {})
    cardan.mobility(case.model)
    result = case.compute(progress=False)
    load(name).HEADLINE.compute(result)
    if hasattr(result, "table"):
        result.table()


def _simulate(name: str, coordinates: str, method: Any) -> None:
    run = cardan.simulate(load(name).build(), 0.02, output=0.01, method=method, coordinates=coordinates, progress=False)
    run.table()


def _derivatives(name: str) -> None:
    model = load(name).build()
    run = cardan.simulate(model, 0.01, progress=False)
    cardan.linearize(model, at=run.at(0.01))
    cardan.equations(model, at=run.at(0.01)).newton_iterates()
    cardan.eigenmodes(model, at=run.at(0.01), count=2)
    height = FREE[name].y(model.bodies[0].at())
    cardan.motion_sensitivities(run, ["gravity.y"], height)
    cardan.gradient(run, ["gravity.y"], height, final=lambda y: y[0])


def _joint_space(name: str) -> None:
    model = load(name).build()
    space = cardan.joint_space(model)
    q = space.q
    v = np.zeros(len(space.speeds))
    space.mass_matrix(q)
    space.torques(q, v, v)
    space.accelerations(q, v)
    space.gravity(q)
    space.bias(q, v)
    space.torques(q[None], v[None], v[None])
    space.accelerations(q[None], v[None])
    space.mass_matrix(q[None])
    hand = model.bodies[-1].at(*[0.1] * len(model.gravity))
    space.jacobian(hand, q)
    space.jacobian(hand, q[None])
    reach = FREE[name].x(hand)
    cardan.task_space(model, [reach])
    here = space.snapshot(q, v)
    cardan.inverse_kinematics(model, {reach: here[reach].value + np.array([0.0, 0.001, 0.002])}, start=here)
    space.momenta(q, v)
    space.canonical_rates(q, v)
    space.kinetic_energy(q, v)
    space.jacobian(model.bodies[0].at(), q)
    space.jacobian_rate(model.bodies[0].at(), q, v)
    space.snapshot(q, v)


def _driven(name: str, coordinates: str) -> None:
    times = np.linspace(0.0, 0.01, 3)
    model = load(name).build()
    cardan.assemble(model)
    cardan.kinematics(model, times, coordinates=coordinates, progress=False).table()
    run = cardan.inverse_dynamics(model, times, coordinates=coordinates, progress=False)
    run.table()
    cardan.sensitivities(run, ["gravity.y"])


def _study(name: str) -> None:
    model = load(name).build()
    body, plan = model.bodies[0].name, grid({"gravity.y": [-9.0, -10.0]})
    times = np.linspace(0.0, 0.01, 3)
    cardan.study(model, plan, "kinematics", [f"{body}.x"], times=times)
    cardan.study(model, plan, "inverse_dynamics", [f"{body}.x"], times=times)


def _equilibrium(name: str, coordinates: str, method: str) -> None:
    model = load(name).build()
    found = cardan.equilibrium(model, coordinates=coordinates, method=method, progress=False)
    cardan.linearize(model, at=found)
