"""Three-dimensional space: tables of its bodies, markers and measures."""

from __future__ import annotations

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
from cardan.spatial import rotation
from cardan.spatial.body import Body, Marker
from cardan.spatial.curve import SpaceCurve
from cardan.spatial.flexible_body import FlexibleBody, FlexibleMarker
from cardan.spatial.flexible_tables import flexible_table
from cardan.spatial.kernels.columns import SPATIAL_COLUMNS
from cardan.spatial.kernels.frames import NO_RISE, SpatialCurves, SpatialGeometry, move_along, run_along
from cardan.spatial.kernels.measures import KINDS, RARE
from cardan.spatial.kernels.rare import rare_rates, rare_values
from cardan.spatial.kernels.rotors import spatial_rotor_energy, spatial_rotor_inertia, spatial_rotor_masses
from cardan.spatial.measures import USUAL, rotation_component, x, y, z
from cardan.spatial.surfaces import touch_table

AXES = "xyz"
STRAY = 1.0  # rad by which a rotation within a step may differ from the rates at its ends


def _global(vectors: np.ndarray, q: np.ndarray) -> np.ndarray:
    return rotation.rotate(q[:, 3:7], vectors)


class ThreeDimensions(Space):
    """r and Euler parameters p of each body, with r' and omega' (in its own axes) as speeds."""

    name = "spatial"
    width = 6
    stored = 7
    dimensions = 3
    coordinate_names = ("x", "y", "z", "turn about x'", "turn about y'", "turn about z'")
    stored_names = ("x", "y", "z", "e0", "e1", "e2", "e3")
    angular = (False, False, False, True, True, True)
    marker_columns = SPATIAL_COLUMNS
    kinds = KINDS
    usual = KINDS[:6]
    winding = ("angle", "bearing")
    turning = ("dot", "angle", "tilt", "rotation", "turn", "spin", "upright", "angular_velocity_about")
    quantities = (
        Quantity("position", "m", ("x", "y", "z"), lambda q, v, a: q[:, :3], "axis"),
        Quantity("velocity", "m/s", ("vx", "vy", "vz"), lambda q, v, a: v[:, :3], "axis"),
        Quantity("acceleration", "m/s2", ("ax", "ay", "az"), lambda q, v, a: a[:, :3], "axis"),
        Quantity("orientation", "", ("e0", "e1", "e2", "e3"), lambda q, v, a: q[:, 3:7], "parameter", angular=True),
        Quantity(
            "angular_velocity",
            "rad/s",
            ("wx", "wy", "wz"),
            lambda q, v, a: _global(v[:, 3:6], q),
            "axis",
            angular=True,
        ),
        # omega' x omega' = 0: the derivative of A omega' is A times that of omega'
        Quantity(
            "angular_acceleration",
            "rad/s2",
            ("alphax", "alphay", "alphaz"),
            lambda q, v, a: _global(a[:, 3:6], q),
            "axis",
            angular=True,
        ),
        Quantity("angular_velocity_b", "rad/s", (), lambda q, v, a: v[:, 3:6], listed=False, angular=True),
        Quantity("angular_acceleration_b", "rad/s2", (), lambda q, v, a: a[:, 3:6], listed=False, angular=True),
        Quantity("matrix", "", (), lambda q, v, a: rotation.matrix(q[:, 3:7]), listed=False, angular=True),
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
        markers = layout.fixed + [m.contact.outline.frame for m in layout.moving]
        tables = SpatialGeometry(
            bodies=np.array([len(number)], np.uint32),
            body=np.array([number[id(m.body)] for m in markers], np.uint32),
            local=_local(markers),
            curves=_curves(layout.moving, contacts, base),
            touches=touch_table(number, measures, layout.place),
            flexible=flexible_table(number, measures, contacts, base, layout.place),
            rotors=_rotors(added, number, contacts),
            first=layout.first,
            ends=np.array([_ends(m, layout.place) for m in measures], np.uint32).reshape(-1, 6),
            rare=rare_addresses(measures, RARE, (rare_values, rare_rates)),
        )
        return block(tables)

    def pose(self, body: Body) -> np.ndarray:
        return np.array([*body.position, *body.parameters], float)

    def twist(self, body: Body) -> np.ndarray:
        turning = np.zeros(3) if body.angular_velocity_b is None else np.array(body.angular_velocity_b, float)
        if body.angular_velocity is not None:
            turning = rotation.matrix(np.array(body.parameters)).T @ np.array(body.angular_velocity, float)
        return np.concatenate([np.array(body.velocity, float), turning])

    def changed_twist(self, pose: np.ndarray, twist: np.ndarray, changes: Any, what: str) -> np.ndarray:
        stated = check.known(changes, ("velocity", "angular_velocity"), what)
        found = twist.copy()
        if "velocity" in stated:
            found[:3] = check.vector(stated["velocity"], 3, f"the velocity that {what} returned")
        if "angular_velocity" in stated:
            omega = np.array(check.vector(stated["angular_velocity"], 3, f"the angular velocity that {what} returned"))
            found[3:] = rotation.matrix(pose[3:7]).T @ omega
        return found

    def fixing(self, body: Body, ground: Body) -> tuple[Measure, ...]:
        origin, stated = body.at(), ground.at(orientation=body.parameters)
        return x(origin), y(origin), z(origin), *(rotation_component(stated, origin, axis) for axis in AXES)

    def between(self, s: float, h: Any, start: Sequence[np.ndarray], end: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
        """The displacement from the start is a quintic polynomial; its rotation vectors are converted back."""
        (q0, v0, a0), (q1, v1, a1) = start, end
        bodies = q0.shape[-1] - v0.shape[-1]
        places, parameters = _split(bodies, q0.shape[-1], 7)
        straight, turns = _split(bodies, v0.shape[-1], 6)
        p0, p1 = (q[..., parameters].reshape(*q.shape[:-1], bodies, 4) for q in (q0, q1))
        theta = rotation.rotation_vector(rotation.multiply(rotation.inverse(p0), p1))
        # Rotation vectors cannot represent more than half a turn in one step, but the rates at both ends reveal it.
        expected = 0.5 * h * (v0[..., turns] + v1[..., turns])
        theta[np.abs(expected.reshape(theta.shape) - theta).max(axis=-1) > STRAY] = np.nan
        step, v1, a1 = np.empty_like(v0), v1.copy(), a1.copy()
        step[..., straight] = q1[..., places] - q0[..., places]
        step[..., turns] = theta.reshape(*v0.shape[:-1], -1)
        v1[..., turns], a1[..., turns] = _step_rates(theta, v1[..., turns], a1[..., turns])
        d, v, a = interpolated(s, h, step, (v0, a0), (v1, a1))
        theta = d[..., turns].reshape(theta.shape)
        v[..., turns], a[..., turns] = _speeds(theta, v[..., turns], a[..., turns])
        q = q0.copy()
        q[..., places] += d[..., straight]
        p = rotation.multiply(p0, rotation.from_rotation_vector(theta))
        q[..., parameters] = p.reshape(*q.shape[:-1], -1)
        return q, v, a

    def matter(self, bodies: Sequence[Body]) -> np.ndarray:
        table = np.zeros((len(bodies), 10))
        for line, found in zip(table, (body.matter for body in bodies), strict=True):
            J = np.asarray(found.inertia)
            line[:] = [found.mass, *found.center, *np.diag(J), J[0, 1], J[0, 2], J[1, 2]]
        return table

    def coupled(self, body: Body) -> set[tuple[int, int]]:
        found = body.matter
        turning = {(4, 3), (5, 3), (5, 4)}
        if any(found.center) or isinstance(body, FlexibleBody):
            return turning | {(i, j) for i in range(3, 6) for j in range(3)}
        return {(i, j) for i, j in turning if np.asarray(found.inertia)[i - 3, j - 3] != 0.0}

    def wrench(self, poses: np.ndarray, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return forces[:, :3], rotation.rotate(poses[:, 3:7], forces[:, 3:6])

    def frame(self, marker: Any, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        fixed = marker.contact.outline.frame if isinstance(marker, ContactMarker) else marker
        place, turned = np.array(fixed.place), np.array(fixed.orientation)
        if isinstance(fixed, FlexibleMarker):
            psi, rho = fixed.shapes()
            eta = poses[:, 7 : 7 + fixed.modes]
            place = place + eta @ psi.T
            curved = fixed.curvature()
            if curved is not None:
                place = place + 0.5 * np.einsum("tk,tl,klc->tc", eta, eta, curved)
            turned = rotation.multiply(rotation.from_rotation_vector(eta @ rho.T), turned)
        points = poses[:, :3] + rotation.rotate(poses[:, 3:7], place)
        return points, rotation.matrix(rotation.multiply(poses[:, 3:7], turned))

    def seated(self, pose: np.ndarray, point: np.ndarray, axes: np.ndarray) -> np.ndarray:
        turned = rotation.matrix(pose[3:7]).T
        return np.concatenate([turned @ (point - pose[:3]), (turned @ axes).T.ravel()])

    def in_space(self, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return rotation.matrix(pose[3:7]), pose[:3].copy()

    def marker_in_space(self, marker: Any) -> tuple[np.ndarray, np.ndarray]:
        return rotation.matrix(np.array(marker.orientation)), np.array(marker.place, float)

    def matter_in_space(self, body: Body) -> tuple[float, np.ndarray, np.ndarray]:
        matter = body.matter
        return matter.mass, np.array(matter.center, float), np.array(matter.inertia, float)

    def turning_axis(self, pose: np.ndarray, torque: np.ndarray) -> np.ndarray:
        axis: np.ndarray = rotation.rotate(pose[3:7], torque)
        return axis

    def imperfect(self, geometry: Any, random: np.random.Generator, size: float) -> Any:
        local = geometry.local.copy()
        scale = max(float(np.abs(local[:, :3]).max(initial=0.0)), size)
        local[:, :3] += size * random.standard_normal((local.shape[0], 3))
        wrong = rotation.matrix(
            rotation.from_rotation_vector(size / scale * random.standard_normal((local.shape[0], 3)))
        )
        axes = local[:, 3:].reshape(-1, 3, 3)  # one axis per row
        local[:, 3:] = np.einsum("mij,mkj->mki", wrong, axes).reshape(-1, 9)
        tables = tables_of(geometry)
        return block(tables._replace(local=local))


def _local(markers: Sequence[Marker]) -> np.ndarray:
    """Point and axes x, y, z of each marker in its body."""
    if not markers:
        return np.zeros((0, 12))
    axes = rotation.matrix(np.array([m.orientation for m in markers], float))
    places = np.array([m.place for m in markers], float)
    return np.concatenate([places, np.swapaxes(axes, 1, 2).reshape(-1, 9)], axis=1)


def _rotors(added: Sequence[AddedInertia], number: dict[int, int], contacts: Sequence[Any]) -> Any:
    """The tables of rotors, with axes in bodies a and points in bodies b."""
    bodies = len(number) - 1
    axes = [rotation.matrix(np.array(r.a.orientation))[:, "xyz".index(r.measure.axes or "z")] for r in added]
    return rotor_tables(
        added,
        number,
        np.array(axes, float).reshape(-1, 3),
        np.array([r.b.place for r in added], float).reshape(-1, 3),
        6,
        table_size(6, bodies, contacts, 0)[0],
        (spatial_rotor_inertia, spatial_rotor_masses, spatial_rotor_energy),
    )


def _curves(moving: Sequence[ContactMarker], contacts: Sequence[Any], base: int) -> Any:
    """The tables of the markers that move along curves; `base` is the index in v of the first internal coordinate."""
    curves = list(dict.fromkeys(m.contact.outline.curve for m in moving))
    shapes, which = _shapes(curves)
    place = {id(c): base + k for k, c in enumerate(contacts)}
    bodies = base // ThreeDimensions.width  # q has one more number per body
    runs = [(place[id(m.contact)] + bodies, place[id(m.contact)], *which[m.contact.outline.curve]) for m in moving]
    return curve_tables(SpatialCurves, np.array(runs).reshape(-1, 4), shapes, (run_along, move_along))


def _shapes(curves: Sequence[Any]) -> tuple[list[Any], dict[Any, tuple[int, int]]]:
    """All plane shapes, and for each curve the indices of those of (x, y) and of z."""
    shapes: list[Any] = []
    which: dict[Any, tuple[int, int]] = {}
    for curve in curves:
        first = len(shapes)
        if isinstance(curve, SpaceCurve):
            shapes += curve.shapes()
            which[curve] = (first, first + 1)
        else:
            shapes.append(curve.shape())
            which[curve] = (first, int(NO_RISE))
    return shapes, which


def _ends(measure: Measure, place: dict[Any, int]) -> tuple[int, ...]:
    """Marker a, marker b and the axes in the order of `kernels.measures.KINDS`."""
    if measure.kind == "modal":
        return (0,) * 6
    b = place[measure.b]
    a = b if measure.a is None else place[measure.a]
    axes = ["xyzu".index(axis) for axis in measure.axes]  # u: the direction of the measure itself
    if measure.kind == "angle":
        about, zero, followed = tuple(measure.axes or USUAL)
        # about x zero -> the axis a quarter turn ahead, or its opposite
        quarter = next(axis for axis in AXES if axis not in (about, zero))
        backwards = (about + zero) in ("yx", "zy", "xz")
        axes = [AXES.index(zero), AXES.index(quarter), AXES.index(followed), int(backwards)]
    if measure.kind == "bearing":
        axes = [0, 1]
    return a, b, *axes, *(0 for _ in range(4 - len(axes)))


def _split(bodies: int, size: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """The columns of q (width 7) or v (width 6) of positions or internal coordinates, and those of rotations."""
    turns = (width * np.arange(bodies)[:, None] + np.arange(3, width)).ravel()
    return np.setdiff1d(np.arange(size), turns), turns


def _step_rates(theta: np.ndarray, omega: np.ndarray, alpha: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """theta' and theta'' from omega' and its rate: see `cardan.spatial.kernels.rotation`."""
    shape = omega.shape
    inverse = rotation.tangent_inverse(theta)
    first = np.einsum("...ij,...j->...i", inverse, omega.reshape(theta.shape))
    change = np.einsum("...ij,...j->...i", rotation.tangent_rate(theta, first), first)
    second = np.einsum("...ij,...j->...i", inverse, alpha.reshape(theta.shape) - change)
    return first.reshape(shape), second.reshape(shape)


def _speeds(theta: np.ndarray, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """omega' and its rate from theta' and theta''."""
    shape = first.shape
    first, second = first.reshape(theta.shape), second.reshape(theta.shape)
    tangent, change = rotation.tangent(theta), rotation.tangent_rate(theta, first)
    omega = np.einsum("...ij,...j->...i", tangent, first)
    alpha = np.einsum("...ij,...j->...i", tangent, second) + np.einsum("...ij,...j->...i", change, first)
    return omega.reshape(shape), alpha.reshape(shape)
