"""The plane as a space: tables of its bodies, markers and measures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.model import check
from cardan.model.layout import curve_tables, laid_out, rare_addresses
from cardan.model.matter.added_inertia import AddedInertia, rotor_tables, table_size
from cardan.model.measure import Measure
from cardan.model.space import Quantity, Space
from cardan.model.surfaces.contact_coordinate import ContactMarker
from cardan.numerics.compiled.block import block, tables_of
from cardan.numerics.curves.hermite import interpolated
from cardan.planar.body import Body
from cardan.planar.flexible_body import FlexibleBody, FlexibleMarker
from cardan.planar.flexible_tables import flexible_table
from cardan.planar.kernels.columns import PLANAR_COLUMNS
from cardan.planar.kernels.measures import KINDS, RARE, PlanarCurves, PlanarGeometry
from cardan.planar.kernels.rare import move_along, rare_rates, rare_values, run_along
from cardan.planar.kernels.rotors import planar_rotor_energy, planar_rotor_inertia, planar_rotor_masses
from cardan.planar.measures import angle, x, y
from cardan.planar.surfaces import touch_table


class Plane(Space):
    """x, y and phi of each body, which are both coordinates and speeds."""

    name = "planar"
    width = 3
    stored = 3
    dimensions = 2
    coordinate_names = stored_names = ("x", "y", "angle")
    angular = (False, False, True)
    marker_columns = PLANAR_COLUMNS
    kinds = KINDS
    usual = KINDS[:6]
    winding = ("bearing",)
    turning = ("angle", "dot", "turn", "spin")
    quantities = (
        Quantity("position", "m", ("x", "y"), lambda q, v, a: q[:, :2], "axis"),
        Quantity("velocity", "m/s", ("vx", "vy"), lambda q, v, a: v[:, :2], "axis"),
        Quantity("acceleration", "m/s2", ("ax", "ay"), lambda q, v, a: a[:, :2], "axis"),
        Quantity("angle", "rad", ("angle",), lambda q, v, a: q[:, 2], angular=True),
        Quantity("angular_velocity", "rad/s", ("angular_velocity",), lambda q, v, a: v[:, 2], angular=True),
        Quantity("angular_acceleration", "rad/s2", ("angular_acceleration",), lambda q, v, a: a[:, 2], angular=True),
    )

    def geometry(
        self,
        number: dict[int, int],
        measures: Sequence[Measure],
        contacts: Sequence[Any],
        base: int,
        added: Sequence[AddedInertia] = (),
    ) -> Any:
        """See `Space.geometry`. `measures` come grouped by kind in the order of `KINDS`."""
        layout = laid_out(KINDS, number, measures)
        markers = layout.fixed + [m.contact.outline for m in layout.moving]
        tables = PlanarGeometry(
            body=np.array([number[id(m.body)] for m in markers], np.uint32),
            local=np.array([_local(m.x, m.y, m.angle) for m in markers], float).reshape(-1, 5),
            curves=_curves(layout.moving, contacts, base),
            touches=touch_table(number, measures, layout.place),
            flexible=flexible_table(number, measures, contacts, base, layout.place),
            rotors=_rotors(added, number, contacts),
            first=layout.first,
            ends=np.array([_ends(m, layout.place) for m in measures], np.uint32).reshape(-1, 4),
            rare=rare_addresses(measures, RARE, (rare_values, rare_rates)),
        )
        return block(tables)

    def pose(self, body: Body) -> np.ndarray:
        return np.array([*body.position, body.angle], float)

    def twist(self, body: Body) -> np.ndarray:
        return np.array([*body.velocity, body.angular_velocity], float)

    def changed_twist(self, pose: np.ndarray, twist: np.ndarray, changes: Any, what: str) -> np.ndarray:
        stated = check.known(changes, ("velocity", "angular_velocity"), what)
        found = twist.copy()
        if "velocity" in stated:
            found[:2] = check.vector(stated["velocity"], 2, f"the velocity that {what} returned")
        if "angular_velocity" in stated:
            found[2] = check.number(stated["angular_velocity"], f"the angular velocity that {what} returned")
        return found

    def fixing(self, body: Body, ground: Body) -> tuple[Measure, ...]:
        return x(body.at()), y(body.at()), angle(ground.at(), body.at())

    def between(self, s: float, h: Any, start: Sequence[np.ndarray], end: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
        q, v, a = interpolated(s, h, end[0] - start[0], start[1:], end[1:])
        return start[0] + q, v, a

    def matter(self, bodies: Sequence[Body]) -> np.ndarray:
        found = [body.matter for body in bodies]
        return np.array([(m.mass, *m.center, m.inertia) for m in found], float).reshape(-1, 4)

    def coupled(self, body: Body) -> set[tuple[int, int]]:
        return {(2, 0), (2, 1)} if any(body.matter.center) or isinstance(body, FlexibleBody) else set()

    def wrench(self, poses: np.ndarray, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return forces[:, :2], forces[:, 2]

    def frame(self, marker: Any, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
        x, y = marker.place
        bent = 0.0
        if isinstance(marker, FlexibleMarker):
            eta = poses[:, 3 : 3 + marker.modes]
            (psi, rho), curved = marker.shapes(), marker.curvature()
            moved = eta @ psi.T
            if curved is not None:
                moved += 0.5 * np.einsum("tk,tl,klc->tc", eta, eta, curved)
            x, y, bent = x + moved[:, 0], y + moved[:, 1], eta @ rho[0]
        points = poses[:, :2] + np.stack([c * x - s * y, s * x + c * y], axis=1)
        turned = (
            bent + poses[:, 2] + (marker.contact.outline.angle if isinstance(marker, ContactMarker) else marker.angle)
        )
        c, s = np.cos(turned), np.sin(turned)
        return points, np.stack([np.stack([c, -s], axis=1), np.stack([s, c], axis=1)], axis=1)

    def seated(self, pose: np.ndarray, point: np.ndarray, axes: np.ndarray) -> np.ndarray:
        c, s = math.cos(pose[2]), math.sin(pose[2])
        dx, dy = point - pose[:2]
        turned = math.atan2(axes[1, 0], axes[0, 0]) - pose[2]
        return np.array(_local(c * dx + s * dy, c * dy - s * dx, math.remainder(turned, 2.0 * math.pi)))

    def in_space(self, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return _about_z(float(pose[2])), np.array([pose[0], pose[1], 0.0])

    def marker_in_space(self, marker: Any) -> tuple[np.ndarray, np.ndarray]:
        return _about_z(marker.angle), np.array([*marker.place, 0.0])

    def matter_in_space(self, body: Body) -> tuple[float, np.ndarray, np.ndarray]:
        matter = body.matter
        return matter.mass, np.array([*matter.center, 0.0]), np.diag([0.0, 0.0, matter.inertia])

    def turning_axis(self, pose: np.ndarray, torque: np.ndarray) -> None:
        return None

    def imperfect(self, geometry: Any, random: np.random.Generator, size: float) -> Any:
        local = geometry.local.copy()
        local[:, :2] += size * random.standard_normal((local.shape[0], 2))
        scale = max(float(np.abs(local[:, :2]).max(initial=0.0)), size)
        local[:, 4] += size / scale * random.standard_normal(local.shape[0])
        local[:, 2], local[:, 3] = np.cos(local[:, 4]), np.sin(local[:, 4])
        tables = tables_of(geometry)
        return block(tables._replace(local=local))


def _rotors(added: Sequence[AddedInertia], number: dict[int, int], contacts: Sequence[Any]) -> Any:
    """The tables of rotors, with axes in bodies a and points in bodies b."""
    bodies = len(number) - 1
    axes = [_about_z(r.a.angle)[:2, "xy".index(r.measure.axes or "x")] for r in added]
    return rotor_tables(
        added,
        number,
        np.array(axes, float).reshape(-1, 2),
        np.array([r.b.place for r in added], float).reshape(-1, 2),
        3,
        table_size(3, bodies, contacts, 0)[0],
        (planar_rotor_inertia, planar_rotor_masses, planar_rotor_energy),
    )


def _curves(moving: Sequence[ContactMarker], contacts: Sequence[Any], base: int) -> Any:
    """The tables of the markers that move along outlines; `base` is the index of the first internal coordinate."""
    place = {id(c): base + k for k, c in enumerate(contacts)}
    curves = list(dict.fromkeys(m.contact.outline.curve for m in moving))
    runs = [(place[id(m.contact)], curves.index(m.contact.outline.curve)) for m in moving]
    shapes = [curve.shape() for curve in curves]
    return curve_tables(PlanarCurves, np.array(runs).reshape(-1, 2), shapes, (run_along, move_along))


def _local(x: float, y: float, angle: float) -> tuple[float, ...]:
    return x, y, math.cos(angle), math.sin(angle), angle


def _ends(measure: Measure, place: dict[Any, int]) -> tuple[int, int, int, int]:
    """Marker a, marker b, axis of a, axis of b; a measure of one point has its axis at b."""
    if measure.kind == "modal":
        return 0, 0, 0, 0
    b = place[measure.b]
    axes = ["xyz".index("z" if axis == "u" else axis) for axis in measure.axes]  # u: the direction of the arc itself
    if measure.a is None:
        return b, b, 0, axes[0] if axes else 0
    if measure.kind == "coordinate":
        return place[measure.a], b, 0, axes[0]
    axis_a = axes[0] if axes else 0
    return place[measure.a], b, axis_a, axes[1] if len(axes) > 1 else 0


def _about_z(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
