"""Quasi-static sequences against kinematics: whole calls for the same mechanism, CPU time.

    python benchmarks/bench_quasi_static.py

A slider-crank and a four-bar balanced by a spring under a changing load, against the same with a driver; the driven
slider-crank with its reactions (kineto-statics); and the parallel travel of an axle of double wishbones on 16 bushings,
against the same axle on hinges.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from timing import at_most, conclude, interleaved, table

from cardan import kinematics, planar, quasi_static, spatial

REPETITIONS = 15
MOST = 5.0  # times kinematics


def main() -> None:
    lines, verdicts = [], []
    turn, travel = np.linspace(0.0, 3.0, 181), np.linspace(-1.0, 1.0, 100)
    for name, driven, balanced, times in (
        ("slider-crank, spring", slider_crank(True), slider_crank(False), turn),
        ("four-bar, spring", four_bar(True), four_bar(False), turn),
        ("slider-crank, driven", slider_crank(True), slider_crank(True), turn),
        ("double wishbones, 16 bushings", axle(False), axle(True), travel),
    ):
        tasks = {
            "kinematics": partial(kinematics, driven, times),
            "quasi_static": partial(quasi_static, balanced, times),
        }
        found = interleaved(tasks, REPETITIONS)
        ratio = found["quasi_static"] / found["kinematics"]
        lines.append((name, times.size, 1e3 * found["kinematics"], 1e3 * found["quasi_static"], ratio))
        verdicts.append(at_most(f"{name}: quasi_static against kinematics", ratio, MOST, "x"))
    table("CPU in ms per call", ("", "points", "kinematics", "quasi_static", "ratio"), lines)
    conclude(verdicts)


def slider_crank(driven: bool) -> planar.Model:
    model = planar.Model("slider-crank", gravity=(0, -9.81))
    crank = model.add(planar.Body(mass=2.0, inertia=0.1, center=(0.1, 0), angle=0.8), name="crank")
    pin = 0.2 * math.cos(0.8), 0.2 * math.sin(0.8)
    rod = model.add(planar.Body(mass=1.0, inertia=0.1, center=(0.3, 0), position=pin, angle=-0.25), name="rod")
    slider = model.add(planar.Body(mass=1.0, inertia=0.1, position=(0.72, 0)), name="slider")
    shaft = model.add(planar.Revolute(model.ground.at(), crank.at()), name="shaft")
    model.add(planar.Revolute(crank.at(0.2, 0), rod.at()))
    model.add(planar.Revolute(rod.at(0.6, 0), slider.at()))
    model.add(planar.Translational(model.ground.at(), slider.at()))
    if driven:
        model.add(planar.Driver(shaft.angle, planar.Harmonic(0.5, 2.0, offset=0.8)))
    else:
        model.add(planar.Spring(shaft.angle, 300.0, rest_angle=0.8))
    model.add(planar.Load(slider.at(), (planar.Harmonic(200.0, 2.0), 0.0)))
    return model


def four_bar(driven: bool) -> planar.Model:
    model = planar.Model("four-bar", gravity=(0, -9.81))
    crank = model.add(planar.Body(mass=2.0, inertia=0.1, center=(0.5, 0), angle=1.0), name="crank")
    pin = math.cos(1.0), math.sin(1.0)
    coupler = model.add(planar.Body(mass=3.0, inertia=0.2, center=(1.0, 0.1), position=pin), name="coupler")
    rocker = model.add(planar.Body(mass=1.0, inertia=0.1, center=(0.7, 0), position=(2.0, 0), angle=1.3), name="rocker")
    shaft = model.add(planar.Revolute(model.ground.at(), crank.at()), name="shaft")
    model.add(planar.Revolute(crank.at(1, 0), coupler.at()))
    model.add(planar.Revolute(coupler.at(2.2, 0), rocker.at(1.5, 0)))
    model.add(planar.Revolute(model.ground.at(2.0, 0), rocker.at()))
    if driven:
        model.add(planar.Driver(shaft.angle, planar.Harmonic(0.5, 2.0, offset=1.0)))
    else:
        model.add(planar.Spring(shaft.angle, 3000.0, rest_angle=1.0))
        model.add(planar.Load(rocker.at(1.5, 0), (planar.Harmonic(200.0, 2.0), -30.0)))
    return model


def axle(soft: bool) -> spatial.Model:
    """Both wheels on pads that move by 50 mm; arms on two bushings each, or on hinges."""
    model = spatial.Model("axle")
    inner, outer = ((0.30, 0.20), (0.40, 0.44)), ((0.70, 0.18), (0.67, 0.44))  # across and up, lower and upper
    for side, word in ((1.0, "left"), (-1.0, "right")):
        arms = [model.add(spatial.Body(), name=f"{word} {part} arm") for part in ("lower", "upper")]
        middle = (0.0, side * 0.685, 0.31)
        upright = model.add(spatial.Body(position=middle), name=f"{word} upright")
        for arm, start, end in zip(arms, inner, outer, strict=True):
            pivot, ball = (0.0, side * start[0], start[1]), (0.0, side * end[0], end[1])
            for ahead in (-0.15, 0.15) if soft else ():
                place = ahead, *pivot[1:]
                stiffness = (1e6, 1e6, 1e6, 50.0, 50.0, 50.0)
                for half in (0.5, 0.5):  # two bushings side by side
                    shared = tuple(half * k for k in stiffness)
                    model.add(spatial.Bushing(model.ground.at(*place), arm.at(*place), shared))
            if not soft:
                model.add(spatial.Revolute.between(model.ground, arm, at=pivot, z=(1, 0, 0)))
            model.add(spatial.Spherical.between(arm, upright, at=ball))
        tie = upright.world(0.12, side * 0.70, 0.18)
        model.add(spatial.Distance(model.ground.at(0.12, side * 0.30, 0.20), tie, math.hypot(0.40, 0.02)))
        pad = upright.world(0.0, side * 0.76, 0.0)
        model.add(spatial.Driver(spatial.z(pad), spatial.Ramp(0.05)), name=f"{word} pad")
    return model


if __name__ == "__main__":
    main()
