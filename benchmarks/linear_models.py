"""Mechanisms whose linearization and gradients `bench_linear.py` times."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import cardan.planar as flat
import cardan.spatial as deep
from cardan.model.model import Model

LINK, ARM = 0.1, 0.05  # m: length of a link, distance of its rods from the pins
GROUP = 50  # links that rods couple to one freedom


def planar_chain(n: int) -> Model:
    r"""n links in a row; rods keep every link parallel to the next but one, but for one in 50.

         ___rod___
        |         |             a loop of four bodies for each rod, a spring in every pin,
    o===o====o====o===o         and one from each link to the next but one: n / 50 freedoms
    """
    model = flat.Model(f"chain of {n}", gravity=(0, -9.81))
    links: list[Any] = []
    end = model.ground.at()
    for k in range(n):
        body = flat.Body(mass=0.1, inertia=1e-4, position=(LINK * (k + 0.5), 0))
        links.append(model.add(body, name=f"link {k}"))
        pin = model.add(flat.Revolute(end, links[-1].at(-LINK / 2, 0)), name=f"pin {k}")
        model.add(flat.Spring(pin.angle, 50.0, damping=0.1, rest_angle=0.0), name=f"hinge {k}")
        end = links[-1].at(LINK / 2, 0)
    model.add(flat.Distance(model.ground.at(0, ARM), links[1].at(-LINK / 2, ARM), LINK), name="first rod")
    for k, (before, after) in enumerate(zip(links[:-2], links[2:], strict=True)):
        if _coupled(k):
            rod = flat.Distance(before.at(LINK / 2, ARM), after.at(-LINK / 2, ARM), LINK)
            model.add(rod, name=f"rod {k}")
        along = flat.length(before.at(0, ARM), after.at(0, -ARM))
        model.add(flat.Spring(along, 20.0, damping=0.2, rest_length=0.2), name=f"spring {k}")
    return model


def spatial_chain(n: int) -> Model:
    """The same in space: axes of hinges lie along z in one group of links, along y in the next."""
    model = deep.Model(f"chain of space of {n}", gravity=(0, 0, -9.81))
    links: list[Any] = []
    before_it, end = model.ground, (0.0, 0.0, 0.0)
    for k in range(n):
        axis = (0, 0, 1) if k // GROUP % 2 == 0 else (0, 1, 0)
        body = deep.Body(mass=0.1, inertia=(1e-5, 1e-4, 1e-4), position=(LINK * (k + 0.5), 0, 0))
        links.append(model.add(body, name=f"link {k}"))
        hinge = deep.Revolute(before_it.at(*end, z=axis), links[-1].at(-LINK / 2, 0, 0, z=axis))
        model.add(hinge, name=f"pin {k}")
        model.add(deep.Spring(hinge.angle, 50.0, damping=0.1, rest_angle=0.0), name=f"hinge {k}")
        before_it, end = links[-1], (LINK / 2, 0.0, 0.0)
    first = deep.Distance(model.ground.at(0, ARM, 0), links[1].at(-LINK / 2, ARM, 0), LINK)
    model.add(first, name="first rod")
    for k, (before, after) in enumerate(zip(links[:-2], links[2:], strict=True)):
        y, z = (ARM, 0.0) if (k + 2) // GROUP % 2 == 0 else (0.0, ARM)
        if _coupled(k):
            rod = deep.Distance(before.at(LINK / 2, y, z), after.at(-LINK / 2, y, z), LINK)
            model.add(rod, name=f"rod {k}")
        along = deep.length(before.at(0, y, z), after.at(0, -y, -z))
        model.add(deep.Spring(along, 20.0, damping=0.2, rest_length=0.2), name=f"spring {k}")
    return model


def _coupled(k: int) -> bool:
    """Whether a rod leads from link k to link k + 2: it couples the hinges before links k + 1 and k + 2."""
    return (k + 2) % GROUP != 0


class Task(NamedTuple):
    """A gradient: of the integral of the output's square, by parameters."""

    model: Model
    until: float  # s
    parameters: list[str]
    output: Any
    running: Callable[[Any, Any], Any]


def slider_crank_task(points: int, until: float) -> Task:
    """A slider-crank on six springs; so many of the 20 parameters are places of joints, the others act by forces."""
    model = flat.Model("slider-crank on springs", gravity=(0, -9.81))
    ground = model.ground
    crank = model.add(flat.Body(mass=1, inertia=0.01, position=(0.1, 0)), name="crank")
    rod = model.add(flat.Body(mass=1, inertia=0.02, position=(0.45, 0)), name="rod")
    slider = model.add(flat.Body(mass=2, inertia=0.01, position=(0.7, 0)), name="slider")
    model.add(flat.Revolute(ground.at(0, 0), crank.at(-0.1, 0)), name="A")
    model.add(flat.Revolute(crank.at(0.1, 0), rod.at(-0.25, 0)), name="B")
    model.add(flat.Revolute(rod.at(0.25, 0), slider.at(0, 0)), name="C")
    model.add(flat.Translational(ground.at(0, 0), slider.at(0, 0)), name="guide")
    for k in range(6):
        along = flat.length(ground.at(0.3 * k, 0.5), slider.at())
        model.add(flat.Spring(along, 20.0 + k, rest_length=0.3), name=f"spring {k}")
    places = ["A.b.x", "B.a.x", "B.b.x", "C.a.x", "A.a.y", "B.a.y", "B.b.y", "C.a.y", "A.b.y", "C.b.y"][:points]
    others = ["crank.mass", "crank.inertia", "rod.mass", "rod.inertia", "slider.mass", "crank.center.x"]
    others += ["rod.center.x", "rod.center.y"]
    others += [f"spring {k}.{what}" for k in range(6) for what in ("stiffness", "rest_length")]
    return Task(model, until, [*places, *others][:20], flat.x(slider.at()), lambda y, t: y[0] ** 2)


def chain_task(until: float) -> Task:
    """Five links on pins with springs and dampers: five freedoms, 20 parameters of masses and springs."""
    model = flat.Model("chain of five", gravity=(0, -9.81))
    end, parameters = model.ground.at(), []
    for k in range(5):
        body = flat.Body(mass=1.0 + 0.1 * k, inertia=0.02, position=(0.2 + 0.4 * k, 0))
        link = model.add(body, name=f"link {k}")
        pin = model.add(flat.Revolute(end, link.at(-0.2, 0)), name=f"pin {k}")
        model.add(flat.Spring(pin.angle, 5.0, damping=0.1, rest_angle=0.0), name=f"spring {k}")
        end = link.at(0.2, 0)
        parameters += [f"link {k}.mass", f"link {k}.inertia", f"spring {k}.stiffness", f"spring {k}.damping"]
    return Task(model, until, parameters, flat.y(end), lambda y, t: y[0] ** 2)


def spatial_task(points: int, until: float) -> Task:
    """Haug's spatial slider-crank, heavy, on four springs; so many of the 20 parameters are places of joints."""
    model = deep.Model("spatial slider-crank on springs", gravity=(0, 0, -9.81))
    ground, upright = model.ground, deep.rotation.from_axis_angle((1, 0, 0), math.pi / 2)
    arm = deep.Body(mass=0.5, inertia=(4e-3, 2e-3, 2e-3), position=(0, 0.1, 0.12), orientation=upright)
    arm = model.add(arm, name="crank")
    rod = deep.Body(mass=0.4, inertia=(4e-4, 3e-3, 3e-3), position=(0.1, 0.05, 0.1), orientation=(-0.21, 0.4, -0.1))
    rod = model.add(rod, name="rod")
    slider = model.add(deep.Body(mass=1.0, inertia=(1e-3,) * 3, position=(0.2, 0, 0)), name="slider")
    along = {"z": (1, 0, 0)}
    model.add(deep.Revolute(ground.at(0, 0.1, 0.12, **along), arm.at(**along)), name="A")
    model.add(deep.Spherical(arm.at(0, 0.08, 0), rod.at(-0.15, 0, 0)), name="B")
    model.add(deep.Universal(rod.at(0.15, 0, 0, z=(0, 1, 0)), slider.at(**along)), name="C")
    model.add(deep.Translational(ground.at(**along), slider.at(**along)), name="guide")
    for k in range(4):
        length = deep.length(ground.at(0.1 * k, 0.2, 0), slider.at())
        model.add(deep.Spring(length, 40.0 + k, rest_length=0.15), name=f"spring {k}")
    places = ["B.a.y", "B.b.x", "C.a.x", "A.a.z", "A.a.y", "B.a.z", "B.b.y", "C.a.y", "A.b.y", "A.b.z"][:points]
    others = ["crank.mass", "crank.inertia.x", "rod.mass", "rod.inertia.x", "rod.inertia.y", "rod.inertia.z"]
    others += ["slider.mass", "crank.center.y", "crank.center.z", "rod.center.x", "rod.center.y", "gravity.z"]
    others += [f"spring {k}.{what}" for k in range(4) for what in ("stiffness", "rest_length")]
    return Task(model, until, [*places, *others][:20], deep.x(slider.at()), lambda y, t: y[0] ** 2)
