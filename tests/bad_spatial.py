"""What the tests of bad input in space share: a bench, every argument of every public name, and junk to put there."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from bad_input import INF, NAN
from cardan import planar, spatial
from cardan.spatial import Body, Circle, Helix, Hold, Model, Point, PointOnCurve, Ramp, Revolute, rotation, x, y


class Bench:
    """A hinged arm and a second body, to which each case adds something wrong; beside them a planar arm."""

    def __init__(self, name: str = "bench", culprit: str | None = "culprit") -> None:
        self.culprit = culprit
        self.model = Model(name)
        self.ground = self.model.ground
        self.arm = self.model.add(Body(), name="arm")
        self.part = self.model.add(Body(position=(1.0, 0.0, 0.0)), name="part")
        self.hinge = self.model.add(Revolute(self.ground.at(), self.arm.at()), name="hinge")
        self.flat = planar.Model("flat")
        self.leaf = self.flat.add(planar.Body(), name="leaf")
        self.pin = self.flat.add(planar.Revolute(self.flat.ground.at(), self.leaf.at()), name="pin")

    def add(self, element: Any) -> Any:
        return self.model.add(element, name=self.culprit)


def junk(b: Bench) -> list[Any]:
    """Values of every kind; some fit some arguments."""
    other = Bench("other")
    numbers = [NAN, INF, -INF, 0, -1.0, 1j, 10**400, 1e-320, True, np.float32(0.5), np.array(1.0)]
    words = ["", "x", "xy", "word", b"abc"]
    lists = [(), [1.0], (1.0, 2.0), (0.0, 0.0, 0.0), (1.0, 2.0, 3.0), (0, 0, 0, 0), (1.0, 2.0, 3.0, 4.0), range(3)]
    nested = [[[1.0, 2.0, 3.0]] * 3, [[1, 2], [3]], -np.eye(3), np.zeros((3, 1)), np.zeros(0)]
    wrong = [
        (NAN, 0, 0),
        (INF, 0, 0, 0),
        ("a", "b", "c"),
        (None,) * 3,
        (1j, 0, 0),
        np.array([1j, 0, 0]),
        (10**400, 0, 0),
    ]
    strange = [None, {"x": 1}, {1, 2, 3}, object(), int, math.sin, np.array(["a", "b", "c"]), np.array([None] * 3)]
    here = [b.arm, b.arm.at(), b.hinge, b.hinge.angle, b.model, b.arm.profile(Circle(1.0)), Ramp(1.0), Helix(1.0, 1.0)]
    plane = [b.leaf, b.leaf.at(), b.pin, b.pin.angle, b.flat, b.leaf.profile(Circle(1.0))]
    there = [other.arm, other.arm.at(), other.hinge.angle, other.arm.profile(Circle(1.0)), Body(), Body().at()]
    return numbers + words + lists + nested + wrong + strange + here + plane + there


Use = Callable[[Bench, Any], Any]


def _arguments(make: Callable[..., Any], fitting: dict[str, Any]) -> dict[str, Use]:
    """A use for each argument: `make(bench, **arguments)` with junk in its place."""

    def use(name: str) -> Use:
        return lambda b, value: make(b, **{**fitting, name: value})

    return {name: use(name) for name in fitting}


TEETH = {"pressure_angle": 0.3, "helix_angle": 0.2}


def _joints() -> dict[str, Use]:
    fitting: dict[str, dict[str, Any]] = {
        "BevelGear": {"radius_a": 1.0, "radius_b": 1.0, "pressure_angle": 0.3, "spiral_angle": 0.2},
        "Distance": {"length": 1.0},
        "Gear": {"radius_a": 2.0, "radius_b": 1.0, "internal": False, "angle_a": 0.0, "angle_b": 0.0} | TEETH,
        "RackPinion": {"radius": 1.0, "contact": 0.0} | TEETH,
        "RevoluteRevolute": {"length": 1.0, "axes": "parallel"},
        "RevoluteSpherical": {"length": 1.0},
        "RollingBall": {"radius": 1.0, "contact": True},
        "RollingWheel": {"radius": 1.0, "contact": True},
        "Screw": {"pitch": 1.0, "start_angle": 0.0},
        "WormGear": {
            "lead": 0.1,
            "radius_a": 0.5,
            "radius_b": 1.0,
            "pressure_angle": 0.3,
            "left_handed": False,
            "friction": 0.1,
            "creep_speed": 1e-3,
        },
    }
    plain = (
        "ConstantVelocity Cylindrical Fixed Orientation Parallel Perpendicular Planar PointInPlane PointOnLine Revolute"
    )
    more = "RevoluteCylindrical RevoluteTranslational Spherical Translational Universal"
    uses: dict[str, Use] = {}
    for name in (*fitting, *plain.split(), *more.split()):
        joint, own = getattr(spatial, name), fitting.get(name, {})

        def state(bench: Bench, /, joint: Any = joint, own: Any = own, **ends: Any) -> None:
            bench.add(joint(ends.pop("a", bench.arm.at()), ends.pop("b", bench.part.at()), **{**own, **ends}))

        def between(bench: Bench, /, joint: Any = joint, own: Any = own, **ends: Any) -> None:
            bench.add(joint.between(ends.pop("a", bench.arm), ends.pop("b", bench.part), **{**own, **ends}))

        for end in ("a", "b"):
            uses[f"{name}.{end}"] = lambda b, v, f=state, end=end: f(b, **{end: v})
            uses[f"{name}.between.{end}"] = lambda b, v, f=between, end=end: f(b, at=(0, 0, 0), **{end: v})
        for key in ("at", "to", "x", "y", "z", "orientation", "angle", "axis"):
            uses[f"{name}.between.{key}"] = lambda b, v, f=between, key=key: f(b, **{"at": (0, 0, 0), key: v})
        uses |= {f"{name}.{key}": use for key, use in _arguments(state, own).items()}
    uses["SharedGear.a"] = lambda b, v: b.add(spatial.SharedGear(v, [b.part.at()], 1.0, 1.0))
    uses["SharedGear.gears"] = lambda b, v: b.add(spatial.SharedGear(b.arm.at(), v, 1.0, 1.0))
    uses["SharedGear.gear"] = lambda b, v: b.add(spatial.SharedGear(b.arm.at(), [v], 1.0, 1.0))

    def shared(bench: Bench, /, **stated: Any) -> None:
        bench.add(spatial.SharedGear(bench.arm.at(), [bench.part.at()], **stated))

    sizes = {"radius_a": 2.0, "radius_b": 1.0, "internal": False} | TEETH
    return uses | {f"SharedGear.{key}": use for key, use in _arguments(shared, sizes).items()}


def _bodies() -> dict[str, Use]:
    uses: dict[str, Use] = {}
    data = "mass inertia position orientation velocity angular_velocity angular_velocity_b outline".split()
    for key in data:
        uses[f"Body.{key}"] = lambda b, v, key=key: b.add(Body(**{key: v}))
    uses["Body.outline.line"] = lambda b, v: b.add(Body(outline=[v]))
    uses["Body.outline.point"] = lambda b, v: b.add(Body(outline=[[(0, 0, 0), v]]))
    uses["Body.inertia.row"] = lambda b, v: b.add(Body(inertia=[v, v, v]))
    uses["Body.position.stated"] = lambda b, v: Body(position=v).world(0, 0, 0)
    for make in ("at", "world"):
        uses[f"{make}.point"] = lambda b, v, make=make: getattr(b.arm, make)(v)
        uses[f"{make}.second"] = lambda b, v, make=make: getattr(b.arm, make)(0.0, v, 0.0)
        for key in ("x", "y", "z", "orientation"):
            uses[f"{make}.{key}"] = lambda b, v, make=make, key=key: getattr(b.arm, make)(**{key: v})
        uses[f"{make}.zx"] = lambda b, v, make=make: getattr(b.arm, make)(z=(0, 0, 1), x=v)
        uses[f"{make}.zxy"] = lambda b, v, make=make: getattr(b.arm, make)(z=(0, 0, 1), x=(1, 0, 0), y=v)
    points = {"P": (0, 0, 0), "Q": (0, 0, 1), "R": (1, 0, 0), "axes": "zx"}
    uses |= {f"marker.{k}": use for k, use in _arguments(lambda b, **given: b.arm.marker(**given), points).items()}
    uses["profile.curve"] = lambda b, v: b.arm.profile(v)
    uses["profile.point"] = lambda b, v: b.arm.profile(Circle(1.0), v)
    uses["profile.z"] = lambda b, v: b.arm.profile(Circle(1.0), z=v)
    uses["Marker.body"] = lambda b, v: spatial.Marker(v, (0, 0, 0))
    uses["Marker.point"] = lambda b, v: spatial.Marker(b.arm, v)
    uses["Marker.orientation"] = lambda b, v: spatial.Marker(b.arm, (0, 0, 0), v)
    return uses


def _measures() -> dict[str, Use]:
    uses: dict[str, Use] = {
        "x.point": lambda b, v: spatial.x(v),
        "y.point": lambda b, v: spatial.y(v),
        "z.point": lambda b, v: spatial.z(v),
    }
    axes: dict[str, dict[str, Any]] = {
        "angle": {"about": "z", "zero": "x", "of": "x"},
        "bearing": {},
        "component": {"axis": "x"},
        "dot": {"axis_a": "x", "axis_b": "y"},
        "velocity_along": {"axis": "x"},
        "helix_component": {"axis": "x"},
        "helix_length": {},
        "length": {},
        "rotation_component": {"axis": "x"},
        "angular_velocity_about": {"axis": "x"},
        "tilt": {"axis_a": "x", "axis_b": "y"},
    }
    for name, own in axes.items():

        def state(bench: Bench, /, name: str = name, own: Any = own, **given: Any) -> None:
            measure = getattr(spatial, name)
            ends = given.pop("a", bench.arm.at()), given.pop("b", bench.part.at())
            bench.add(Hold(measure(*ends, **{**own, **given}), 0.5))

        for key in ("a", "b", *own):
            uses[f"{name}.{key}"] = lambda b, v, f=state, key=key: f(b, **{key: v})
        uses[f"Hold.value of {name}"] = lambda b, v, name=name, own=own: b.add(
            Hold(getattr(spatial, name)(b.arm.at(), b.part.at(), **own), v)
        )
    return uses


@spatial.constraint
def own(px, py, c=1.0):
    return px - c * py


@spatial.velocity_constraint
def own_velocity(px_rate, py, c=1.0):
    return c * px_rate - py


DWELL = spatial.Dwell(1.0)
THROUGH = (spatial.Condition(0.0, 0.0), spatial.Condition(1.0, 1.0))


def _actions() -> dict[str, Use]:
    motions: dict[str, dict[str, Any]] = {
        "Constant": {"value": 1.0},
        "Harmonic": {"amplitude": 1.0, "frequency": 1.0, "phase": 0.0, "offset": 0.0},
        "Ramp": {"rate": 1.0, "start": 0.0},
        "Move": {"to_value": 1.0, "duration": 1.0, "law": "3-4-5", "backward": False},
        "Dwell": {"duration": 1.0},
        "Condition": {"at": 0.0, "value": 1.0, "rate": 0.0, "acceleration": 0.0, "jerk": 0.0},
        "MoveThrough": {"conditions": THROUGH, "degree": None},
        "MotionProgram": {"segments": (DWELL,), "start_value": 0.0, "start_time": 0.0, "repeat": "none"},
        "Spline": {"times": (0, 1, 2, 3), "values": (0, 1, 1, 0), "end": "natural", "rates": None, "outside": "extend"},
        "Step": {"start_time": 0.0, "end_time": 1.0, "from_value": 0.0, "to_value": 1.0, "order": 5},
    }
    uses: dict[str, Use] = {
        "Hold.measure": lambda b, v: b.add(Hold(v, 0.5)),
        "Driver.measure": lambda b, v: b.add(spatial.Driver(v, Ramp(1.0))),
        "Driver.motion": lambda b, v: b.add(spatial.Driver(b.hinge.angle, v)),
        "Coupler.measure": lambda b, v: b.add(spatial.Coupler(v)),
        "Gauge.measure": lambda b, v: b.add(spatial.Gauge(v)),
        "CurveCoupler.measure": lambda b, v: b.add(spatial.CurveCoupler(v, x(b.part.at()), Ramp(1.0))),
        "CurveCoupler.of": lambda b, v: b.add(spatial.CurveCoupler(b.hinge.angle, v, Ramp(1.0))),
        "CurveCoupler.curve": lambda b, v: b.add(spatial.CurveCoupler(b.hinge.angle, x(b.part.at()), v)),
        "Coupler.value": lambda b, v: b.add(spatial.Coupler(b.hinge.angle + x(b.part.at()), v)),
        "Point.marker": lambda b, v: b.add(Point(v)),
        "Point.trace": lambda b, v: b.add(Point(b.arm.at(), v)),
        "Polynomial.coefficient": lambda b, v: spatial.Polynomial(1.0, v),
        "Function.f": lambda b, v: spatial.Function(v),
        "constraint.function": lambda b, v: v is None or spatial.constraint(v),
        "constraint.measure": lambda b, v: b.add(own(x(b.arm.at()), v)),
        "velocity_constraint.function": lambda b, v: v is None or spatial.velocity_constraint(v),
        "velocity_constraint.measure": lambda b, v: b.add(own_velocity(x(b.arm.at()), v)),
        "velocity_constraint.parameter": lambda b, v: b.add(own_velocity(x(b.arm.at()), y(b.part.at()), c=v)),
        "KnifeEdge.a": lambda b, v: b.add(spatial.KnifeEdge(v, b.part.at())),
        "KnifeEdge.b": lambda b, v: b.add(spatial.KnifeEdge(b.arm.at(), v)),
        "KnifeEdge.marker": lambda b, v: b.add(spatial.KnifeEdge(v)),
        "KnifeEdge.axis": lambda b, v: b.add(spatial.KnifeEdge(b.part.at(), axis=v)),
        "constraint.parameter": lambda b, v: b.add(own(x(b.arm.at()), y(b.part.at()), c=v)),
        "Model.name": lambda b, v: Model(v),
        "Model.gravity": lambda b, v: Model("m", gravity=v),
        "Model.add": lambda b, v: b.model.add(v),
        "Model.add.name": lambda b, v: b.model.add(Body(), v),
        "lift.model": lambda b, v: spatial.lift(v),
        "lift.origin": lambda b, v: spatial.lift(b.flat, origin=v),
        "lift.x": lambda b, v: spatial.lift(b.flat, x=v),
        "lift.z": lambda b, v: spatial.lift(b.flat, z=v),
    }
    for name, fitting in motions.items():
        made = _arguments(lambda b, name=name, **given: getattr(spatial, name)(**given), fitting)
        uses |= {f"{name}.{key}": use for key, use in made.items()}
    return uses


def _curves() -> dict[str, Use]:
    def bent(u: float) -> tuple[float, float, float]:
        return u, u * u, 0.0

    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1)]
    helix = _arguments(lambda b, **given: Helix(**given), {"radius": 1.0, "pitch": 1.0, "turns": 2.0})
    return {f"Helix.{key}": use for key, use in helix.items()} | {
        "Circle.radius": lambda b, v: Circle(v),
        "Circle.center": lambda b, v: Circle(1.0, v),
        "Curve.f": lambda b, v: spatial.Curve(v, (0.0, 1.0), closed=False),
        "Curve.point": lambda b, v: spatial.Curve(lambda u: v, (0.0, 1.0), closed=False),
        "Curve.span": lambda b, v: spatial.Curve(bent, v, closed=False),
        "Curve.closed": lambda b, v: spatial.Curve(bent, (0.0, 1.0), closed=v),
        "CurveThrough.points": lambda b, v: spatial.CurveThrough(v),
        "CurveThrough.closed": lambda b, v: spatial.CurveThrough(corners, closed=v),
        "CurveThrough.degree": lambda b, v: spatial.CurveThrough(corners, closed=False, degree=v),
        "PointOnCurve.wire": lambda b, v: b.add(PointOnCurve(v, b.part.at())),
        "PointOnCurve.b": lambda b, v: b.add(PointOnCurve(b.arm.profile(Circle(1.0)), v)),
    }


def _rotations() -> dict[str, Use]:
    p, s = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    fitting: dict[str, Any] = {
        **dict.fromkeys(("p", "q", "p_rate", "orientation", "parameter_moment"), p),
        **dict.fromkeys(
            ("moment_b", "a", "alpha_b", "angles", "axis", "omega_b", "theta", "theta_rate", "vectors", "z", "Q"), s
        ),
        **dict.fromkeys(("x", "R"), (1.0, 0.0, 0.0)),
        **{"A": np.eye(3), "P": (0.0, 0.0, 0.0), "angle": 0.5, "axes": "zx", "sequence": "ZXZ"},
        **dict.fromkeys(("y", "rotation")),
    }
    uses: dict[str, Use] = {}
    for name in rotation.__all__:
        function = getattr(rotation, name)
        data = {key: fitting[key] for key in inspect.signature(function).parameters if key != "what"}
        made = _arguments(lambda b, function=function, **given: function(**given), data)
        uses |= {f"rotation.{name}.{key}": use for key, use in made.items()}
    return uses


ARGUMENTS: dict[str, Use] = _joints() | _bodies() | _measures() | _actions() | _curves() | _rotations()
SAME = {"SphericalSpherical": "Distance", "Bracket": "Fixed", "InLine": "PointOnLine", "Strut": "PointOnLine"}
