r"""Pacejka tires: magic formula, combined slip, relaxation, from standstill to full sliding.

          n ^    heading e_x = k x n            V_x   longitudinal velocity of the center
            |  .-----.                          V_s   slip velocity at the contact (along, across)
            | /   k   \                         V_r   = V_x - V_sx, speed of the tread
            ||    o    |  --> e_x               L     = max(|V_x|, |V_r|, |V_sy|)
            | \       /
         ---+--'--P--'------                    u' = -V_sx - L u / sigma_x,     v' = -V_sy - L v / sigma_y

The deflections u, v of the tread are states (Pacejka, "Tyre and Vehicle Dynamics", ch. 7: stretched string, written
for the deflection to avoid division by a speed). Slips are kappa = u / sigma_x and tan alpha = v / sigma_y:
in steady rolling -V_sx / L and -V_sy / L, within -1 (locked) and 1 (spinning on the spot). L is the speed of the
center where the wheel is braked and that of the tread where it is driven; at standstill the tread is a spring.

Combined slip by the similarity method with the normalized slip vector:

    psi_x = Kx kappa / Dx,   psi_y = Ky (tan alpha - c gamma) / Dy,   psi = sqrt(psi_x^2 + psi_y^2)
    Fx = Dx f_x(psi) psi_x / psi,       Fy = Dy f_y(psi) psi_y / psi
    f(psi) = sin(C arctan(b - E (b - arctan b))),   b = psi / C = B s        (magic formula, B = K / (C D))

which ensures (Fx / Dx)^2 + (Fy / Dy)^2 <= 1. Fx pushes forward for kappa > 0, Fy to the left for alpha > 0.
The vertical force Fz = k d max(0, 1 + c d' / load) for a deflection d > 0 never pulls and does not jump; the aligning
torque is Mz = -t Fy with a trail t that decreases with psi; rolling resistance is a torque about the axle.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import astuple, dataclass, field
from typing import ClassVar

from cardan.elements.tires.magic_formula import steady_magic_formula, transient_magic_formula
from cardan.elements.tires.magic_formula_data import MagicFormula
from cardan.elements.tires.tire_data import TireData
from cardan.model import check
from cardan.model.curves.road import Road, WheelRoadPair, wheel_on_road
from cardan.model.device import Device, Rate, State, Value
from cardan.model.force import Force, Law, StartRange
from cardan.model.marker import Marker

SLIP_SCALE = 0.1  # unit of slip in the error control of the deflections
CREEP = 0.1  # m/s: speed of the tread for full rolling resistance
WALK = 2.0  # m/s: speed above which the damping of the deflections fades
SLIP_FADE_SPEED = 0.5  # m/s: without deflection states, slips fade below this speed


@dataclass(frozen=True, eq=False)
class Tire(Force):
    """A tire between a road and a wheel; see the equations above.

    `wheel` is a marker of the wheel's body at its center with the axle as z axis, pointing to the left; `road` is in
    the axes of marker `ground`, whose z axis points up. The tire rotates with the body of `wheel`: on a body that does
    not spin, such as a hub, it is a locked wheel and skids; a body on a Revolute about the axle rolls, and needs an
    initial angular velocity of speed over radius to start rolling. A BookTire needs no spin. In a result,
    `run[tire.device]["Fz"]` and so on are forces on the wheel: "Fx", "Fy", "Fz" in N forward, left and normal,
    "Mz" in N m, "drag" (rolling resistance, N at the tread), and the slips "kappa" and "alpha" (rad). A wheel that
    starts more than half its radius below the road, or lies flat on it, is rejected unless allow_penetration=True.
    With `transient=False` the deflections are always those of steady rolling, and the tire has no states: for steady
    motions and studies without relaxation. It does not hold a standing car.

    `data` is a `TireData`, or a `MagicFormula` with the coefficients of a tire property file; the latter has
    another output, "Mx" (overturning, N m).

    >>> from cardan.spatial import Body, Model, Road, Tire, TireData
    >>> model = Model("wheel", gravity=(0, 0, -9.81))
    >>> wheel = model.add(Body(mass=20.0, inertia=(0.6, 1.0, 0.6), position=(0, 0, 0.31)), name="wheel")
    >>> tire = model.add(Tire(model.ground.at(), wheel.at(z=(0, 1, 0)), Road.flat(), TireData()), name="tire")
    >>> tire.device.outputs
    ('Fz', 'Fx', 'Fy', 'Mz', 'drag', 'kappa', 'alpha')
    """

    ground: Marker
    wheel: Marker
    road: Road = field(default_factory=Road.flat)
    data: TireData | MagicFormula = field(default_factory=TireData)
    transient: bool = True
    allow_penetration: bool = False
    signal_units: ClassVar[dict[str, str]] = {"alpha": "rad", "u": "m", "v": "m"}
    touch: WheelRoadPair = field(init=False, repr=False)
    device: Device = field(init=False, repr=False)

    def __post_init__(self) -> None:
        data = check.instance(self.data, (TireData, MagicFormula), "the data of a Tire")
        touch = wheel_on_road(self.ground, self.wheel, data.radius, self.road)
        inputs = (
            Value(touch.gap), Rate(touch.gap), Rate(touch.along), Rate(touch.across), Rate(touch.advance),
            Value(touch.camber),
        )  # fmt: skip
        outputs: tuple[str, ...] = ("Fz", "Fx", "Fy", "Mz", "drag", "kappa", "alpha")
        check.flag(self.allow_penetration, "allow_penetration of a Tire")
        transient = check.flag(self.transient, "transient of a Tire")
        function: Callable[..., tuple[float, ...]]
        if isinstance(data, MagicFormula):
            function = transient_magic_formula if transient else steady_magic_formula
            outputs, numbers = (*outputs, "Mx"), data.numbers
        else:
            function, numbers = tire_forces if transient else steady_forces, astuple(data)[1:-1]
        states = tuple(map(_deflection, "uv", data.relaxation())) if transient else ()
        device = Device(function, inputs, outputs, states, numbers, "tire")
        object.__setattr__(self, "touch", touch)
        object.__setattr__(self, "device", device)

    def laws(self) -> tuple[Law, ...]:
        touch, out = self.touch, self.device
        pushes = [(touch.gap, "Fz"), (touch.along, "Fx"), (touch.across, "Fy"), (touch.yaw, "Mz")]
        tread = (touch.advance - touch.along).parts()  # a torque about the axle acts against the tread only
        if "Mx" in out.outputs:
            pushes.append((touch.camber, "Mx"))
        pressed = tuple(Law(((-1.0, m),), signal=out[name], label=name) for m, name in pushes)
        return (*pressed, Law(tread, signal=out["drag"], label="drag"))

    def begins(self) -> tuple[StartRange, ...]:
        return self.touch.begins(self.allow_penetration)


def _deflection(name: str, relaxation: float) -> State:
    return State(name, scale=SLIP_SCALE * relaxation)


def tire_forces(
    gap: float, gap_rate: float, slide_x: float, slide_y: float, advance: float, camber: float, u: float, v: float,
    stiffness: float, damping: float, load: float, friction_x: float, friction_y: float, decline: float,
    slip_stiffness: float, cornering_stiffness: float, cornering_load: float, shape_x: float, shape_y: float,
    curvature_x: float, curvature_y: float, relaxation_x: float, relaxation_y: float, camber_factor: float,
    trail: float, rolling: float, settling: float,
) -> tuple[float, ...]:  # fmt: skip
    """Fz, Fx, Fy, Mz, drag, kappa, alpha, then the rates of u and v; the parameters are those of `TireData`."""
    tread = advance - slide_x
    pace = max(abs(advance), abs(tread), abs(slide_y))
    u_rate = -slide_x - pace * u / relaxation_x
    v_rate = -slide_y - pace * v / relaxation_y
    kappa, tangent = u / relaxation_x, v / relaxation_y
    normal = 0.0
    if gap < 0.0:
        normal = -stiffness * gap * max(0.0, 1.0 - damping / load * gap_rate)
    if normal == 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, kappa, math.atan(tangent), u_rate, v_rate
    n = normal / load
    mu = 1.0 / (1.0 + decline * (n - 1.0))
    x = n / cornering_load
    lag = settling / (1.0 + pace * pace / (WALK * WALK))
    steep_y = 2.0 * cornering_stiffness / ((1.0 + x * x) * cornering_load * load)  # Ky / Fz
    slip_x = slip_stiffness * (kappa + lag * u_rate / relaxation_x) / mu
    slip_y = steep_y * (tangent + lag * v_rate / relaxation_y - camber_factor * camber) / mu
    if friction_x != 0.0:
        slip_x /= friction_x
    if friction_y != 0.0:
        slip_y /= friction_y
    psi = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    force_x = mu * friction_x * normal * slip_x * magic(psi, shape_x, curvature_x)
    force_y = mu * friction_y * normal * slip_y * magic(psi, shape_y, curvature_y)
    torque = -trail * n / (1.0 + psi * psi) * force_y
    drag = rolling * normal * tread / math.sqrt(tread * tread + CREEP * CREEP)
    return normal, force_x, force_y, torque, drag, kappa, math.atan(tangent), u_rate, v_rate


def steady_forces(
    gap: float, gap_rate: float, slide_x: float, slide_y: float, advance: float, camber: float,
    stiffness: float, damping: float, load: float, friction_x: float, friction_y: float, decline: float,
    slip_stiffness: float, cornering_stiffness: float, cornering_load: float, shape_x: float, shape_y: float,
    curvature_x: float, curvature_y: float, relaxation_x: float, relaxation_y: float, camber_factor: float,
    trail: float, rolling: float, settling: float,
) -> tuple[float, ...]:  # fmt: skip
    """The same with the deflections at which their rates vanish."""
    pace = max(abs(advance), abs(advance - slide_x), abs(slide_y), SLIP_FADE_SPEED)
    u, v = -slide_x * relaxation_x / pace, -slide_y * relaxation_y / pace
    return tire_forces(
        gap, gap_rate, slide_x, slide_y, advance, camber, u, v, stiffness, damping, load, friction_x, friction_y,
        decline, slip_stiffness, cornering_stiffness, cornering_load, shape_x, shape_y, curvature_x, curvature_y,
        relaxation_x, relaxation_y, camber_factor, trail, rolling, settling,
    )[:7]  # fmt: skip


def magic(psi: float, shape: float, curvature: float) -> float:
    """f(psi) / psi, which is 1 at psi = 0."""
    if psi < 1e-6:
        return 1.0
    b = psi / shape
    return math.sin(shape * math.atan(b - curvature * (b - math.atan(b)))) / psi
