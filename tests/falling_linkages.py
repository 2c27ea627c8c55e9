"""Linkages of one freedom with masses, released with a turning crank and left to gravity, in the plane and in space."""

from __future__ import annotations

import math
from typing import Any

from cardan import planar, spatial
from cardan.spatial import rotation


def slider_crank(speed: float = 10.0) -> planar.Model:
    """A crank of 0.2 m and a rod of 0.5 m; fast enough, it turns round and round."""
    model = planar.Model("slider-crank", gravity=(0.0, -9.81))
    half, full = ({"velocity": (-r * speed, 0.0)} for r in (0.1, 0.2))  # the crank is upright: the rod does not turn
    crank = model.add(
        planar.Body(mass=1.0, inertia=0.01, position=(0.0, 0.1), angle=math.pi / 2, angular_velocity=speed, **half),
        name="crank",
    )
    lean = -math.asin(0.2 / 0.5)
    reach = 0.5 * math.cos(lean)
    rod = model.add(planar.Body(mass=1.0, inertia=0.02, position=(reach / 2, 0.1), angle=lean, **full), name="rod")
    slider = model.add(planar.Body(mass=2.0, inertia=0.01, position=(reach, 0.0), **full), name="slider")
    model.add(planar.Revolute(model.ground.at(), crank.at(-0.1, 0.0)), name="A")
    model.add(planar.Revolute(crank.at(0.1, 0.0), rod.at(-0.25, 0.0)), name="B")
    model.add(planar.Revolute(rod.at(0.25, 0.0), slider.at()), name="C")
    model.add(planar.Translational(model.ground.at(), slider.at()), name="guide")
    return model


def four_bar(speed: float = 6.0) -> planar.Model:
    """The linkage of Haug 5.3: crank 2 m, coupler 4 m, rocker 3 m; thin bars of 1 kg/m."""
    model = planar.Model("four-bar", gravity=(0.0, -9.81))
    half, full = ({"velocity": (-r * speed, 0.0)} for r in (1.0, 2.0))  # crank and rocker are upright
    crank = model.add(
        planar.Body(mass=2.0, inertia=2 / 3, position=(0.0, 1.0), angle=math.pi / 2, angular_velocity=speed, **half),
        name="crank",
    )
    coupler = model.add(planar.Body(mass=4.0, inertia=16 / 3, position=(2.0, 2.0), **full), name="coupler")
    turning = {"angle": math.pi / 2, "angular_velocity": 2 / 3 * speed}
    rocker = model.add(planar.Body(mass=3.0, inertia=9 / 4, position=(4.0, 0.5), **turning, **half), name="rocker")
    model.add(planar.Revolute(model.ground.at(), crank.at(-1.0, 0.0)), name="A")
    model.add(planar.Revolute(crank.at(1.0, 0.0), coupler.at(-2.0, 0.0)), name="B")
    model.add(planar.Revolute(coupler.at(2.0, 0.0), rocker.at(1.5, 0.0)), name="C")
    model.add(planar.Revolute(rocker.at(-1.5, 0.0), model.ground.at(4.0, -1.0)), name="D")
    return model


def spatial_slider_crank(speed: float = 12.0) -> spatial.Model:
    """The mechanism of Haug 10.2, with masses."""
    model = spatial.Model("spatial-slider-crank", gravity=(0.0, 0.0, -9.81))
    ground = model.ground
    upright = rotation.from_axis_angle((1, 0, 0), math.pi / 2)
    place = {"position": (0.0, 0.1, 0.12), "orientation": upright, "angular_velocity": (speed, 0.0, 0.0)}
    arm = model.add(spatial.Body(mass=0.12, inertia=(1e-4, 1e-5, 1e-4), **place), name="crank")
    rod_place = {"position": (0.1, 0.05, 0.1), "orientation": (-0.21, 0.4, -0.1)}
    rod = model.add(spatial.Body(mass=0.5, inertia=(4e-4, 4e-3, 4e-3), **rod_place), name="rod")
    slider = model.add(spatial.Body(mass=2.0, inertia=(1e-4, 1e-4, 1e-4), position=(0.2, 0.0, 0.0)), name="slider")
    model.add(
        spatial.Revolute(ground.at(0, 0.1, 0.12, z=(1, 0, 0), x=(0, 1, 0)), arm.at(z=(1, 0, 0), x=(0, 1, 0))), "A"
    )
    model.add(spatial.Spherical(arm.at(0.0, 0.08, 0.0), rod.at(-0.15, 0.0, 0.0)), name="B")
    model.add(spatial.Universal(rod.at(0.15, 0.0, 0.0, z=(0, 1, 0)), slider.at(z=(1, 0, 0))), name="C")
    model.add(spatial.Translational(ground.at(z=(1, 0, 0)), slider.at(z=(1, 0, 0))), name="guide")
    return model


def spatial_four_bar(speed: float = 6.0) -> spatial.Model:
    """The mechanism of Haug 10.3, with masses; the coupler is a massless distance."""
    model = spatial.Model("spatial-four-bar", gravity=(0.0, 0.0, -9.81))
    ground = model.ground
    arm = model.add(spatial.Body(mass=2.0, inertia=(4.0, 4.0, 0.4), angular_velocity=(speed, 0, 0)), name="crank")
    leaning = rotation.from_axis_angle((0, 1, 0), -math.radians(118.0))
    place = {"position": (-4.0, -8.5, 0.0), "orientation": leaning}
    swing = model.add(spatial.Body(mass=5.0, inertia=(0.5, 90.0, 90.0), **place), name="rocker")
    model.add(spatial.Revolute.between(ground, arm, at=(0, 0, 0), z=(1, 0, 0)), name="A")
    model.add(spatial.Distance(arm.at(0.0, 0.0, 2.0), swing.at(7.4, 0.0, 0.0), 12.2), name="coupler")
    model.add(spatial.Revolute.between(ground, swing, at=(-4, -8.5, 0), z=(0, 1, 0)), name="D")
    return model


def parallelograms(space: Any, count: int, lean: float = 0.0, speed: float = 1.0) -> Any:
    """Thin bars of 1 m and 1 kg in a row, joined by couplers, leaning to the right: see `upright_four_bars`."""
    flat, s, c = space is planar, math.sin(lean), math.cos(lean)

    def point(x: float, y: float) -> tuple[float, ...]:
        return (x, y) if flat else (x, y, 0.0)

    turned = {"angle": -lean} if flat else {"orientation": rotation.from_axis_angle((0, 0, 1), -lean)}
    turned["angular_velocity"] = -speed if flat else (0.0, 0.0, -speed)
    matter = {"mass": 1.0, "inertia": 1 / 12 if flat else (1 / 12, 1 / 12, 1 / 12)}
    model = space.Model("parallelograms", gravity=point(0.0, -9.81))
    bars = []
    for k in range(count + 1):
        moving = {"position": point(k + s / 2, c / 2), "velocity": point(c * speed / 2, -s * speed / 2)}
        bar = model.add(space.Body(**matter, **moving, **turned), name=f"bar {k}")
        model.add(space.Revolute(model.ground.at(*point(k, 0.0)), bar.at(*point(0.0, -0.5))), name=f"A {k}")
        bars.append(bar)
    for k in range(count):
        moving = {"position": point(k + 0.5 + s, c), "velocity": point(c * speed, -s * speed)}
        coupler = model.add(space.Body(**matter, **moving), name=f"coupler {k}")
        model.add(space.Revolute(bars[k].at(*point(0.0, 0.5)), coupler.at(*point(-0.5, 0.0))), name=f"B {k}")
        model.add(space.Revolute(coupler.at(*point(0.5, 0.0)), bars[k + 1].at(*point(0.0, 0.5))), name=f"C {k}")
    return model


LINKAGES = (slider_crank, four_bar, spatial_slider_crank, spatial_four_bar)
