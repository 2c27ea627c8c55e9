"""Small models for kernels that no example enters: large systems, surfaces of outlines and meshes, sampled laws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any

import cardan
from cardan import planar, spatial
from cardan.analysis.stepping.together import step_together

SPACES = (planar, spatial)


def stops() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Analyses of the models below, with titles."""
    for space in SPACES:
        yield f"{space.__name__}, long chain", partial(_chain, space)
        yield f"{space.__name__}, column of beams", partial(_column, space)
        yield f"{space.__name__}, sensitivities", partial(_sensitivities, space)
        yield f"{space.__name__}, studies of equilibria and simulations", partial(_studies, space)
        yield f"{space.__name__}, sampled lift", partial(_lift, space)
        for coordinates in ("cartesian", "joint"):
            yield f"{space.__name__}, steps in {coordinates} coordinates", partial(_steps, space, coordinates)
    yield "disk on an outline", _disk_on_outline
    yield "ball on a mesh", _ball_on_mesh


def _place(space: ModuleType, *place: float) -> tuple[float, ...]:
    return place[:2] if space is planar else place


def _body(space: ModuleType, *place: float, mass: float = 1.0) -> Any:
    inertia = 0.1 if space is planar else (0.1, 0.1, 0.1)
    return space.Body(mass=mass, inertia=inertia, position=_place(space, *place))


def _hinge(space: ModuleType, body: Any, *place: float) -> Any:
    return body.at(*place) if space is planar else body.at(*place, 0.0, z=(0, 0, 1))


def _model(space: ModuleType) -> Any:
    return space.Model("model", gravity=_place(space, 0.0, -9.81, 0.0))


def _chain(space: ModuleType) -> None:
    """Long enough for sparse matrices and for compiled derivatives of many measures."""
    model, count = _model(space), 160
    end = _hinge(space, model.ground, 0.0, 0.0)
    for k in range(count):
        link = model.add(_body(space, 0.7 * (k + 0.5), -9.0 * math.sin(math.pi * k / count), 0.0))
        model.add(space.Revolute(end, _hinge(space, link, -0.5, 0.0)))
        end = _hinge(space, link, 0.5, 0.0)
    anchor = model.ground.at(*_place(space, 0.0, -20.0, 0.0))
    model.add(space.Spring(space.length(anchor, link.at()), 5.0, 0.1, rest_length=50.0))
    cardan.equilibrium(model, progress=False)
    run = cardan.simulate(model, 0.001, progress=False)
    cardan.linearize(model, at=run.at(0.001))
    cardan.eigenmodes(model, at=run.at(0.001), count=2)


def _column(space: ModuleType) -> None:
    model, count, side = space.Model("column"), 40, 0.005
    bending = side**4 / 12
    bent = {"I": bending} if space is planar else {"G": 81e9, "Iy": bending, "Iz": bending, "J": 2 * bending}
    end = model.ground.at()
    for k in range(count):
        node = model.add(_body(space, (k + 1) / count, 0.0, 0.0, mass=0.01))
        model.add(space.Beam(end, node.at(), 1.0 / count, E=210e9, A=side**2, **bent))
        end = node.at()
    model.add(space.Load(end, _place(space, -1.0, 0.0, 0.0)))
    found = cardan.equilibrium(model, method="newton", progress=False)
    cardan.linearize(model, at=found)


def _pendulum(space: ModuleType) -> Any:
    model = _model(space)
    bob = model.add(_body(space, 0.5, 0.0, 0.0), name="bob")
    model.add(space.Revolute(_hinge(space, model.ground, 0.0, 0.0), _hinge(space, bob, -0.5, 0.0)), name="hinge")
    ends = model.ground.at(*_place(space, 1.0, 0.0, 0.0)), bob.at(*_place(space, 0.1, 0.1, 0.0))
    model.add(space.Spring(space.length(*ends), 9.0, 0.4, rest_length=0.5), name="spring")
    model.add(space.Armature(model["hinge"].angle, 0.01), name="rotor")
    return model


def _studies(space: ModuleType) -> None:
    model, stiffness = _pendulum(space), {"spring.stiffness": [9.0, 10.0]}
    for coordinates in ("cartesian", "joint"):
        cardan.study(model, stiffness, "simulate", ["bob.x"], until=0.02, output=0.01, coordinates=coordinates)
    cardan.study(model, stiffness, "equilibrium", ["bob.x"])
    cardan.study(model, stiffness, "linearize", ["eigenvalues.real"], at="equilibrium")


def _sensitivities(space: ModuleType) -> None:
    model = _pendulum(space)
    run = cardan.simulate(model, 0.1, output=0.05, progress=False)
    names = ["hinge.b.x", "spring.stiffness", "spring.rest_length", "bob.mass", "bob.center.x", "bob.velocity.y"]
    hinge = model["hinge"]
    outputs = [hinge.angle, (hinge.angle, "rate")]
    cardan.motion_sensitivities(run, names, outputs)
    cardan.gradient(run, names, outputs, running=lambda y, t: y[0] ** 2, final=lambda y: y[0] + y[1])
    forces = [model["spring"], cardan.reaction(hinge, "x")]
    cardan.gradient(run, names, forces, running=lambda y, t: y[0], final=lambda y: y[0] + y[1])
    found = cardan.equilibrium(model, progress=False)
    cardan.sensitivities(found, names[:4], hinge.angle)
    cardan.modal_sensitivities(model, names[:4], at=found)


def _steps(space: ModuleType, coordinates: str) -> None:
    for method in ("dop853", "radau"):
        stepper = cardan.stepper(
            _pendulum(space), ["spring.stiffness"], ["hinge.angle", "bob.x"], coordinates=coordinates, method=method
        )
        saved = stepper.save()
        stepper.step(0.01)
        stepper.restore(saved)
        step_together([stepper], 0.01)


def _lift(space: ModuleType) -> None:
    model = _model(space)
    box = model.add(_body(space, 0.0, 0.0, 0.0))
    if space is planar:
        ends = model.ground.at(angle=math.pi / 2), box.at(angle=math.pi / 2)
    else:
        ends = model.ground.at(z=(0, 1, 0)), box.at(z=(0, 1, 0))
    guide = model.add(space.Translational(*ends))
    height = guide.travel

    def law(position, speed, total):
        total = total + 0.5 * (0.3 - position)
        return 80.0 * (0.3 - position) - 15.0 * speed + total, total

    computer = model.add(space.Sampled(law, [height, space.rate(height)], period=0.01, states={"total": 0.0}))
    model.add(space.Actuator(height, computer))
    found = cardan.equilibrium(model, method="newton", progress=False)
    cardan.linearize(model, at=found)
    cardan.simulate(model, 0.05, progress=False)


def _disk_on_outline() -> None:
    model = _model(planar)
    outline = model.ground.profile(planar.Polar(lambda u: 1.0 + 0.1 * math.cos(3.0 * u)))
    disk = model.add(_body(planar, 0.0, 1.5))
    model.add(planar.Contact(planar.Rim(outline), planar.Disk(disk.at(), 0.2), stiffness=1e5))
    cardan.simulate(model, 0.2, progress=False)


def _ball_on_mesh() -> None:
    model = _model(spatial)
    corners = [(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)]
    mesh = spatial.Mesh(model.ground.at(z=(0, 1, 0)), corners, [(0, 1, 2), (0, 2, 3)], thickness=0.05)
    ball = model.add(_body(spatial, 0.2, 0.3, 0.1))
    model.add(spatial.Contact(mesh, spatial.Ball(ball.at(), 0.2), stiffness=1e5))
    cardan.simulate(model, 0.2, progress=False)
