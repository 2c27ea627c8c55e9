"""Bodies, markers on them and contacts on curves of every kind, in the plane and in space: where measures are tried.

table = SPACE.table([length(a, b), angle(a, b)])
z, jac = table.evaluate(q, v)                  value, rate and bias of each, and its row over all speeds
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from itertools import permutations, product
from typing import Any

import numpy as np

import cardan.planar as planar
import cardan.spatial as spatial
from cardan.model.space import advance, position_pass, velocity_pass
from cardan.model.surfaces.contact_coordinate import ContactMarker
from cardan.planar.measures import contact as planar_contact
from cardan.spatial import rotation
from cardan.spatial.measures import contact as spatial_contact, upright
from cardan.system.compile import columns_of, compile, grouped
from catalog import TURN, egg, lobed
from catalog_spatial_couplings import knot, loop

AROUND = np.linspace(0.0, TURN, 25)[:-1]


class Scene(ABC):
    """A model with its contacts, and `measures`: every kind between every sort of markers, by name."""

    name: str

    def __init__(self, model: Any, fixed: dict[str, Any], running: dict[str, Any]) -> None:
        self.model, self.fixed, self.running_markers = model, fixed, running
        self.system = compile(model)
        self.markers = fixed | running
        self.measures = dict(self._all())
        self.whole = self.table(list(self.measures.values()))

    def _all(self) -> Any:
        """Between fixed markers, between a fixed and a running one either way, and between two running ones."""
        touches = list(self.running_markers)
        pairs = [("a", "b"), ("b", "ground"), ("ground", "a"), tuple(touches[-2:])]
        pairs += [(t, "b") for t in touches[:-2]] + [("b", t) for t in touches[:-2]]
        for name, point in self.markers.items():
            if name != "ground":
                yield from self.of_point(name, point)
        for one, two in pairs:
            yield from self.between(f"{one}, {two}", self.markers[one], self.markers[two])

    @abstractmethod
    def of_point(self, name: str, point: Any) -> Any:
        """The measures of one point, with their names."""

    @abstractmethod
    def between(self, ends: str, a: Any, b: Any) -> Any:
        """The measures between two markers, with their names."""

    @abstractmethod
    def rigid_motions(self, q: np.ndarray) -> Any:
        """Velocities of everything, ground included, as one rigid body, in all ways."""

    @abstractmethod
    def moved(self, q: np.ndarray, v: np.ndarray, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities after everything, ground included, was moved and turned as one rigid body."""

    def state(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """A random position and velocity; ground stands still."""
        random = np.random.default_rng(seed)
        width = self.system.width
        v, step = random.standard_normal((2, self.system.speeds().size))
        step[:width], v[:width] = 0.0, 0.0
        q = self.stepped(self.system.start, 0.3 * step)
        count = len(self.system.contact_coordinates)
        q[q.size - count :] = random.uniform(0.1, 1.5, count)
        return q, v

    def stepped(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        there = q.copy()
        advance(self.system.geometry, there, step)
        return there

    def table(self, measures: list[Any]) -> Table:
        return Table(self, measures)

    def __str__(self) -> str:
        return self.name


class Table:
    """Measures ready to be evaluated, in the order given."""

    def __init__(self, scene: Scene, measures: list[Any]) -> None:
        system, space = scene.system, scene.model.space
        base = system.width * (1 + len(system.bodies))
        ordered = grouped(space, measures)
        place = {measure: k for k, measure in enumerate(ordered)}
        self.order = [place[measure] for measure in measures]
        self.geometry = space.geometry(system.number, ordered, system.contact_coordinates, base)
        self.columns = columns_of(space, system.number, ordered, system.contact_coordinates, base)
        self.frames = np.zeros((self.geometry.body.size, space.marker_columns))
        width = system.width
        self.present = np.ones((len(ordered), 2 * width + 2), bool)  # columns that stand for a speed
        for k, measure in enumerate(ordered):
            self.present[k, :width] = measure.a is not None
            self.present[k, 2 * width] = measure.a is not None and measure.a.contact_coordinate is not None
            self.present[k, 2 * width + 1] = measure.b.contact_coordinate is not None

    def evaluate(self, q: np.ndarray, v: np.ndarray, near: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """z (value, rate, bias) and the dense jac; angles on the turns that are `near`."""
        count = len(self.order)
        z, jac, memory = np.zeros((count, 3)), np.zeros(self.present.shape), np.full(count, np.nan)
        if near is not None:
            memory[self.order] = near
        assert position_pass(self.geometry, q, memory, self.frames, z, jac) == 0
        velocity_pass(self.geometry, v, self.frames, z, jac)
        dense = np.zeros((count, v.size))
        rows = np.broadcast_to(np.arange(count)[:, None], self.present.shape)
        np.add.at(dense, (rows[self.present], self.columns[self.present]), jac[self.present])
        return z[self.order], dense[self.order]


class Plane(Scene):
    name = "plane"

    def __init__(self) -> None:
        model = planar.Model("plane")
        a = model.add(planar.Body(position=(0.3, 0.2), angle=0.4), name="a")
        b = model.add(planar.Body(position=(-0.5, 0.6), angle=-0.9), name="b")
        c = model.add(planar.Body(position=(0.1, -0.8), angle=2.0), name="c")
        curves = [
            planar.Circle(0.3, center=(0.05, -0.02)),
            planar.Polar(lobed),
            planar.PolarTable(AROUND, [lobed(u) for u in AROUND], degree=5),
            planar.Curve(egg, (0.0, TURN)),
            planar.CurveThrough([egg(u) for u in AROUND], degree=5),
        ]
        touching = [model.add(planar.CamRoller(a.profile(curve, 0.1, 0.2, 0.3), b.at(), 0.1)) for curve in curves]
        touching.append(model.add(planar.CamPair(b.profile(curves[1], 0.2), c.profile(curves[3], 0.0, 0.1, -0.5))))
        contacts = [coordinate for element in touching for coordinate in element.contact_coordinates()]
        fixed = {"a": a.at(0.2, -0.1, 0.5), "b": b.at(-0.3, 0.4, -1.0), "ground": model.ground.at(0.1, 0.3, 0.7)}
        super().__init__(model, fixed, {f"contact {k}": ContactMarker(u) for k, u in enumerate(contacts)})

    def of_point(self, name: str, point: Any) -> Any:
        yield f"x({name})", planar.x(point)
        yield f"y({name})", planar.y(point)
        if isinstance(point, ContactMarker):
            yield f"contact({name})", planar_contact(point.contact)

    def between(self, ends: str, a: Any, b: Any) -> Any:
        if not isinstance(a, ContactMarker) and not isinstance(b, ContactMarker):
            yield f"angle({ends})", planar.angle(a, b)
        yield f"length({ends})", planar.length(a, b)
        yield f"bearing({ends})", planar.bearing(a, b)
        for axis in "xy":
            yield f"component({ends}, {axis})", planar.component(a, b, axis)
        for axes in product("xy", "xy"):
            yield f"dot({ends}, {''.join(axes)})", planar.dot(a, b, *axes)

    def rigid_motions(self, q: np.ndarray) -> Any:
        for ux, uy, spin in np.eye(3):
            v = self.system.speeds()
            for k in range(4):
                px, py = q[3 * k : 3 * k + 2]
                v[3 * k : 3 * k + 3] = (ux - spin * py, uy + spin * px, spin)
            yield v

    def moved(self, q: np.ndarray, v: np.ndarray, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        phi = random.uniform(-2.0, 2.0)
        A = np.array([[math.cos(phi), -math.sin(phi)], [math.sin(phi), math.cos(phi)]])
        shift, there, faster = random.uniform(-2.0, 2.0, 2), q.copy(), v.copy()
        for k in range(4):
            there[3 * k : 3 * k + 3] = (*(A @ q[3 * k : 3 * k + 2] + shift), q[3 * k + 2] + phi)
            faster[3 * k : 3 * k + 2] = A @ v[3 * k : 3 * k + 2]
        return there, faster


class SpaceScene(Scene):
    name = "space"

    def __init__(self) -> None:
        model = spatial.Model("space")
        turns = rotation.from_rotation_vector(np.array([(0.4, -0.3, 0.8), (-0.9, 1.1, 0.2), (2.0, 0.3, -0.7)]))
        places = ((0.3, 0.2, -0.4), (-0.5, 0.6, 0.3), (0.1, -0.8, 0.5))
        a, b, c = (
            model.add(spatial.Body(position=r, orientation=p), name=name)
            for name, r, p in zip("abc", places, turns, strict=True)
        )
        curves = [
            spatial.Circle(0.3, center=(0.05, -0.02)),
            planar.Polar(lobed),
            spatial.Helix(0.3, 0.2, turns=2.0),
            spatial.Curve(loop, (0.0, TURN)),
            spatial.CurveThrough([knot(u) for u in np.linspace(0.0, TURN, 41)[:-1]], degree=5),
        ]
        place, axes = (0.1, 0.2, -0.1), {"z": (0.3, 1.0, 0.5)}
        wires = [spatial.PointOnCurve(a.profile(curve, *place, **axes), b.at()) for curve in curves]
        wires.append(spatial.PointOnCurve(b.profile(curves[1], 0.2, 0.0, 0.0, **axes), a.at()))
        wires.append(spatial.PointOnCurve(c.profile(curves[3], 0.0, 0.1, 0.1), a.at()))
        for wire in wires:
            model.add(wire)
        fixed = {
            "a": a.at(0.2, -0.1, 0.4, z=(1, 2, 3)),
            "b": b.at(-0.3, 0.4, 0.1, z=(0, -1, 1), x=(1, 1, 0)),
            "ground": model.ground.at(0.1, 0.3, 0.2, z=(1, 0, 0.2)),
        }
        super().__init__(
            model, fixed, {f"contact {k}": ContactMarker(w.contact_coordinates()[0]) for k, w in enumerate(wires)}
        )

    def of_point(self, name: str, point: Any) -> Any:
        for axis, measure in zip("xyz", (spatial.x, spatial.y, spatial.z), strict=True):
            yield f"{axis}({name})", measure(point)
        if isinstance(point, ContactMarker):
            yield f"contact({name})", spatial_contact(point.contact)

    def between(self, ends: str, a: Any, b: Any) -> Any:
        yield f"length({ends})", spatial.length(a, b)
        yield f"bearing({ends})", spatial.bearing(a, b)
        yield f"upright({ends})", upright(a, b)
        for axis in "xyz":
            yield f"component({ends}, {axis})", spatial.component(a, b, axis)
            yield f"rotation({ends}, {axis})", spatial.rotation_component(a, b, axis)
        for axes in product("xyz", "xyz"):
            yield f"dot({ends}, {''.join(axes)})", spatial.dot(a, b, *axes)
            yield f"tilt({ends}, {''.join(axes)})", spatial.tilt(a, b, *axes)
        for (about, zero), of in product(permutations("xyz", 2), "xyz"):
            yield f"angle({ends}, {about}{zero}{of})", spatial.angle(a, b, about, zero, of)

    def rigid_motions(self, q: np.ndarray) -> Any:
        for twist in np.eye(6):
            v = self.system.speeds()
            for k in range(4):
                r, A = q[7 * k : 7 * k + 3], rotation.matrix(q[7 * k + 3 : 7 * k + 7])
                v[6 * k : 6 * k + 6] = (*(twist[:3] + np.cross(twist[3:], r)), *(A.T @ twist[3:]))
            yield v

    def moved(self, q: np.ndarray, v: np.ndarray, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        p = rotation.from_rotation_vector(random.uniform(-2.0, 2.0, 3))
        A, shift = rotation.matrix(p), random.uniform(-2.0, 2.0, 3)
        there, faster = q.copy(), v.copy()
        for k in range(4):
            there[7 * k : 7 * k + 3] = A @ q[7 * k : 7 * k + 3] + shift
            there[7 * k + 3 : 7 * k + 7] = rotation.multiply(p, q[7 * k + 3 : 7 * k + 7])
            faster[6 * k : 6 * k + 3] = A @ v[6 * k : 6 * k + 3]  # omega' is in the body's own axes
        return there, faster


PLANE, SPACE = Plane(), SpaceScene()
SCENES = (PLANE, SPACE)
