"""Families of linkages whose lock-ups and forks have closed forms, for the laws about singular positions."""

from __future__ import annotations

import math
from typing import Any

from cardan.planar import Body, Driver, Model, Ramp, Revolute, Translational


def slider_crank(
    r: float, rod_length: float, phi: float, motion: Any, elbow: float = 1.0, drive: str = "crank"
) -> Model:
    """Crank pivoted at the origin, slider on the x axis; `elbow` -1 puts the slider behind the crank's tip."""
    model = Model("slider-crank")
    tip = (r * math.cos(phi), r * math.sin(phi))
    fall = math.asin(-tip[1] / rod_length)
    lean = fall if elbow > 0.0 else math.pi - fall
    slide = tip[0] + rod_length * math.cos(lean)
    crank = model.add(Body(angle=phi), name="crank")
    rod = model.add(Body(position=tip, angle=lean), name="rod")
    slider = model.add(Body(position=(slide, 0.0)), name="slider")
    hinge = model.add(Revolute(model.ground.at(), crank.at()), name="A")
    model.add(Revolute(crank.at(r, 0.0), rod.at()), name="B")
    model.add(Revolute(rod.at(rod_length, 0.0), slider.at()), name="C")
    guide = model.add(Translational(model.ground.at(), slider.at()), name="guide")
    model.add(Driver(hinge.angle if drive == "crank" else guide.travel, motion), name="motor")
    return model


def four_bar(a: float, b: float, c: float, d: float, phi: float, motion: Any, side: float = 1.0) -> Model:
    """Crank a, coupler b, rocker c, pivots at the origin and (d, 0); `side` chooses the branch of the rocker."""
    model = Model("four-bar")
    tip = (a * math.cos(phi), a * math.sin(phi))
    reach = math.hypot(d - tip[0], -tip[1])
    toward = math.atan2(-tip[1], d - tip[0])
    bend = math.acos((b * b + reach * reach - c * c) / (2.0 * b * reach))
    lean = toward + side * bend
    eye = (tip[0] + b * math.cos(lean), tip[1] + b * math.sin(lean))
    crank = model.add(Body(angle=phi), name="crank")
    rod = model.add(Body(position=tip, angle=lean), name="coupler")
    rocker = model.add(Body(position=(d, 0.0), angle=math.atan2(eye[1], eye[0] - d)), name="rocker")
    hinge = model.add(Revolute(model.ground.at(), crank.at()), name="A")
    model.add(Revolute(crank.at(a, 0.0), rod.at()), name="B")
    model.add(Revolute(rod.at(b, 0.0), rocker.at(c, 0.0)), name="C")
    model.add(Revolute(model.ground.at(d, 0.0), rocker.at()), name="D")
    model.add(Driver(hinge.angle, motion), name="motor")
    return model


def ladder(count: int, seed: int = 0) -> Model:
    """Four-bars in a row, the rocker of one the crank of the next, all near parallelograms; one freedom, one driver."""
    import numpy as np

    random = np.random.default_rng(seed)
    model = Model(f"ladder of {count}")
    height = 1.0
    first = model.add(Body(position=(0.0, 0.0), angle=1.2), name="link 0")
    hinge = model.add(Revolute(model.ground.at(), first.at()), name="pivot 0")
    last, foot, phi = first, 0.0, 1.2
    for k in range(1, count + 1):
        next_foot, next_phi = foot + random.uniform(0.9, 1.1), phi + random.uniform(-0.02, 0.02)
        here = (foot + height * math.cos(phi), height * math.sin(phi))
        there = (next_foot + height * math.cos(next_phi), height * math.sin(next_phi))
        size, lean = math.dist(here, there), math.atan2(there[1] - here[1], there[0] - here[0])
        rung = model.add(Body(position=here, angle=lean), name=f"rung {k}")
        link = model.add(Body(position=(next_foot, 0.0), angle=next_phi), name=f"link {k}")
        model.add(Revolute(last.at(height, 0.0), rung.at()), name=f"near {k}")
        model.add(Revolute(rung.at(size, 0.0), link.at(height, 0.0)), name=f"far {k}")
        model.add(Revolute(model.ground.at(next_foot, 0.0), link.at()), name=f"pivot {k}")
        last, foot, phi = link, next_foot, next_phi
    model.add(Driver(hinge.angle, Ramp(0.1, start=1.2)), name="motor")
    return model
