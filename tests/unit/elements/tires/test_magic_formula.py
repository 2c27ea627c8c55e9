"""The magic formula of tire property files: closed forms, symmetries, slopes, files, a rolling wheel."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import CardanWarning, ModelError, load_model, save_model, simulate
from cardan.spatial import Body, Driver, MagicFormula, Model, Ramp, Revolute, Road, Tire, Translational
from folding import folded

CAR = {  # invented, of the usual size
    "UNLOADED_RADIUS": 0.32, "FNOMIN": 4000.0, "VERTICAL_STIFFNESS": 2e5, "VERTICAL_DAMPING": 100.0, "LONGVL": 16.0,
    "BREFF": 8.0, "DREFF": 0.25, "FREFF": 0.01, "PCX1": 1.6, "PDX1": 1.1, "PDX2": -0.08, "PDX3": 0.4, "PEX1": 0.3,
    "PEX2": 0.1, "PEX3": 0.05, "PEX4": 0.02, "PKX1": 21.0, "PKX2": 0.3, "PKX3": 0.15, "PHX1": 1e-3, "PHX2": 2e-4,
    "PVX1": 2e-3, "PVX2": 1e-3, "RBX1": 12.0, "RBX2": -9.0, "RCX1": 1.1, "REX1": 0.4, "REX2": -0.1, "RHX1": 2e-3,
    "PTX1": 1.9, "PTX2": 0.1, "PTX3": 0.03, "PCY1": 1.4, "PDY1": 0.95, "PDY2": -0.17, "PDY3": 0.7, "PEY1": -0.3,
    "PEY2": -0.1, "PEY3": 0.1, "PEY4": 0.5, "PKY1": -16.0, "PKY2": 1.5, "PKY3": 0.5, "PHY1": 2e-3, "PHY2": 1e-3,
    "PHY3": 0.04, "PVY1": 0.02, "PVY2": 0.01, "PVY3": -0.3, "PVY4": -0.03, "RBY1": 6.0, "RBY2": 3.0, "RBY3": 0.05,
    "RCY1": 1.08, "REY1": 0.1, "REY2": -0.01, "RHY1": 3e-3, "RHY2": 1e-3, "RVY1": 0.02, "RVY2": -0.05, "RVY3": 0.1,
    "RVY4": 5.0, "RVY5": 1.9, "RVY6": 10.0, "PTY1": 1.9, "PTY2": 1.9, "QBZ1": 9.0, "QBZ2": -2.0, "QBZ3": -0.8,
    "QBZ4": 0.2, "QBZ5": -0.3, "QBZ9": 14.0, "QBZ10": 0.1, "QCZ1": 1.1, "QDZ1": 0.12, "QDZ2": -5e-3, "QDZ3": 0.4,
    "QDZ4": -2.0, "QDZ6": -5e-3, "QDZ7": 1e-3, "QDZ8": -0.15, "QDZ9": 0.03, "QEZ1": -2.5, "QEZ2": 0.6, "QEZ4": 0.3,
    "QEZ5": -1.0, "QHZ1": 2e-3, "QHZ2": 1e-3, "QHZ3": 0.1, "QHZ4": 0.03, "SSZ1": 0.02, "SSZ2": -0.01, "SSZ3": 0.3,
    "SSZ4": -0.1, "QSX1": 0.01, "QSX2": 0.5, "QSX3": 0.1, "QSY1": 0.01, "QSY2": 1e-3, "QSY3": 2e-3, "QSY4": 1e-4,
}  # fmt: skip
MODERN = {
    **CAR, "PTX1": 0.0, "LONGITUDINAL_STIFFNESS": 3e5, "LATERAL_STIFFNESS": 1.5e5, "PCFX1": 0.1, "PCFY1": 0.1,
    "NOMPRES": 2.2e5, "INFLPRES": 2.5e5, "PKY4": 1.9, "PKY5": 0.1, "PKY6": -0.9, "PKY7": -0.2, "PEY5": 0.2,
    "PPX1": -0.3, "PPX3": -0.1, "PPY1": -0.4, "PPY2": -0.5, "PPY3": -0.1, "PPZ1": -0.4, "PFZ1": 0.7, "Q_FZ2": 15.0,
    "Q_V1": 7e-4, "Q_V2": 0.05, "Q_RE0": 1.0, "RBX3": 2.0, "RBY4": 3.0, "QSX4": 5.0, "QSX5": 1.0, "QSX6": 0.1,
    "QSX7": 2.0, "QSX8": 0.5, "QSX9": 0.7, "QSX10": 0.1, "QSX11": 0.2, "QSX12": 0.3, "QSX13": 0.02, "QSX14": 0.1,
    "QSY5": 0.1, "QSY6": 0.2, "QSY7": 0.85, "QSY8": -0.4, "QDZ10": 0.2, "QDZ11": 0.1,
}  # fmt: skip


def _sine(b, c, e, x):
    return math.sin(c * math.atan(b * x - e * (b * x - math.atan(b * x))))


def test_pure_slip_in_closed_form():
    """The formulas of Pacejka 4.E9 to 4.E30 with the coefficients written in, at 1.25 nominal loads, no camber."""
    tire, load, df = MagicFormula("5.2", CAR), 5000.0, 0.25
    kappa = 0.04 + 1e-3 + 2e-4 * df
    d, slope = (1.1 - 0.08 * df) * load, load * (21.0 + 0.3 * df) * math.exp(0.15 * df)
    e = (0.3 + 0.1 * df + 0.05 * df**2) * (1.0 - 0.02)
    longitudinal = d * _sine(slope / (1.6 * d), 1.6, e, kappa) + load * (2e-3 + 1e-3 * df)
    induced = math.cos(1.1 * _arc(12.0 * math.cos(math.atan(-9.0 * 0.04)), 0.4 - 0.1 * df, 2e-3))
    assert induced != 1.0  # the weight of combined slip is normalized at zero slip angle
    assert tire.forces(load, slip=0.04)[0] == pytest.approx(longitudinal, rel=1e-12)
    alpha = -0.03 + 2e-3 + 1e-3 * df
    d, slope = (0.95 - 0.17 * df) * load, -16.0 * 4000.0 * math.sin(2.0 * math.atan(1.25 / 1.5))
    e = (-0.3 - 0.1 * df) * (1.0 + 0.1)
    lateral = d * _sine(slope / (1.4 * d), 1.4, e, alpha) + load * (0.02 + 0.01 * df)
    assert tire.forces(load, slip_angle=-0.03)[1] == pytest.approx(lateral, rel=1e-12)


def _arc(b, e, x):
    return math.atan(b * x - e * (b * x - math.atan(b * x)))


@pytest.mark.parametrize("version, data", [("5.2", CAR), ("6.1", MODERN)])
def test_mirrored_on_the_other_side(version, data):
    """Reflection in the plane of the wheel: slip angle, camber, side force, overturning and aligning torques change
    their signs; exactly, as the same numbers are computed."""
    left, right = MagicFormula(version, data), MagicFormula(version, data, mounted="right")
    for slip, angle, camber in ((0.0, 0.0, 0.0), (0.05, 0.08, 0.04), (-0.2, 0.02, -0.06)):
        fx, fy, mx, my, mz = left.forces(4500.0, slip, angle, camber)
        assert right.forces(4500.0, slip, -angle, -camber) == (fx, -fy, -mx, my, -mz)


def test_scaling_factors():
    """Friction scales the side force at large slip, and cornering stiffness the slope; differences of central steps."""
    plain = MagicFormula("5.2", CAR | {"PVY1": 0.0, "PVY2": 0.0})
    rain = MagicFormula("5.2", plain.coefficients | {"LMUY": 0.5})
    stiff = MagicFormula("5.2", plain.coefficients | {"LKY": 1.3})

    def peak(tire):
        return max(-tire.forces(4000.0, slip_angle=float(a))[1] for a in np.linspace(0.0, 0.5, 2001))

    def slope(tire):
        shift, h = -2e-3, 1e-5  # where the force vanishes: PHY1 at the nominal load
        return (tire.forces(4000.0, slip_angle=shift + h)[1] - tire.forces(4000.0, slip_angle=shift - h)[1]) / (2.0 * h)

    assert peak(rain) == pytest.approx(0.5 * peak(plain), rel=1e-6)
    assert slope(stiff) == pytest.approx(1.3 * slope(plain), rel=1e-7)  # (B h)^2 = 2e-8


def test_pressure_changes_the_slope():
    """Kx ~ 1 + PPX1 dp (4.E15): without other coefficients of pressure the force at a tiny slip follows it."""
    given = MODERN | {"PHX1": 0.0, "PHX2": 0.0, "PVX1": 0.0, "PVX2": 0.0}
    hard, soft = (MagicFormula("6.1", given | {"INFLPRES": p}).forces(4000.0, slip=1e-7)[0] for p in (2.2e5, 2.64e5))
    assert soft / hard == pytest.approx(1.0 - 0.3 * 0.2, rel=1e-9)


def rolling(data, kappa, transient=True):
    """A wheel that a guide pulls straight ahead at 10 m/s and a motor turns with a longitudinal slip."""
    model = Model("wheel", gravity=(0.0, 0.0, -9.81))
    carrier = model.add(Body(mass=400.0, position=(0.0, 0.0, 0.31), velocity=(10.0, 0.0, 0.0)), name="carrier")
    wheel = model.add(Body(mass=10.0, inertia=(0.5, 1.0, 0.5), position=(0.0, 0.0, 0.31)), name="wheel")
    rail = Translational(model.ground.at(0, 0, 0.31, z=(1, 0, 0)), carrier.at(z=(1, 0, 0)))
    hub = Revolute.between(carrier, wheel, at=(0.0, 0.0, 0.31), z=(0, 1, 0))
    model.add(rail, name="rail")
    model.add(hub, name="hub")
    tire = model.add(
        Tire(model.ground.at(), wheel.at(z=(0, 1, 0)), Road.flat(), data, transient=transient), name="tire"
    )
    model.add(Driver(rail.travel, Ramp(10.0)), name="pull")
    load = 2000.0 * 1.0
    effective = data.radius - 0.25 * 0.02 * math.atan(8.0 * load / 4000.0) - 0.01 * load / 2e5
    model.add(Driver(hub.angle, Ramp((1.0 + kappa) * 10.0 / effective)), name="motor")
    return model, tire


@pytest.mark.parametrize("transient, until", [(True, 2.0), (False, 0.1)])
def test_a_rolling_wheel_has_the_forces_of_the_formula(transient, until):
    """The wheel is 10 mm below its unloaded radius: 2000 N. After 20 m its relaxation has ended."""
    data = MagicFormula("5.2", CAR)
    model, tire = rolling(data, -0.03, transient)
    run = simulate(model, until, rtol=1e-9)
    found = {name: float(run[tire.device][name][-1]) for name in ("Fz", "Fx", "Fy", "Mx", "Mz", "drag", "kappa")}
    fx, fy, mx, my, mz = data.forces(2000.0, -0.03, 0.0, speed=10.0)
    assert found["Fz"] == pytest.approx(2000.0, rel=1e-9)
    assert found["kappa"] == pytest.approx(-0.03, rel=1e-6)
    assert [found["Fx"], found["Fy"], found["Mz"]] == pytest.approx([fx, fy, mz], rel=1e-5)
    assert found["Mx"] == pytest.approx(mx, rel=1e-5)
    assert found["drag"] == pytest.approx(-my / 0.31, rel=1e-4)  # full at speeds far above 0.1 m/s


def test_relaxation_lengths():
    """5.2: sigma_x = R0 n (PTX1 + PTX2 df) exp(-PTX3 df); 6.1: slip stiffness over carcass stiffness."""
    along, across = MagicFormula("5.2", CAR).relaxation()
    assert along == pytest.approx(0.32 * 1.9, rel=1e-12)
    assert across == pytest.approx(0.32 * 1.9 * math.sin(2.0 * math.atan(1.0 / 1.9)), rel=1e-12)
    dp = 0.3 / 2.2
    along, _ = MagicFormula("6.1", MODERN).relaxation()
    assert along == pytest.approx(4000.0 * 21.0 * (1.0 - 0.3 * dp) / 3e5, rel=1e-9)


def written(folder, lines, name="tire.tir"):
    path = folder / name
    path.write_text("\n".join(lines))
    return path


HEAD = ["[MDI_HEADER]", "FILE_TYPE = 'tir'", "! a comment", "[UNITS]", "LENGTH = 'mm'", "FORCE = 'newton'", "[MODEL]",
        "FITTYP = 6  $ version", "TYRESIDE = 'RIGHT'", "[SHAPE]", "{radial width}", " 1.0 0.0"]  # fmt: skip
SCALE = {"UNLOADED_RADIUS": 1e3, "VERTICAL_STIFFNESS": 1e-3, "VERTICAL_DAMPING": 1e-3, "LONGVL": 1e3}
BODY = ["[VERTICAL]", *(f"{key} = {value * SCALE.get(key, 1.0)!r} $ text" for key, value in CAR.items())]


def test_a_file_in_millimeters(tmp_path):
    found = MagicFormula.load(written(tmp_path, HEAD + BODY))
    assert found.version == "5.2" and found.side == "right"
    assert found.forces(3000.0, 0.02, 0.03, 0.01) == pytest.approx(
        MagicFormula("5.2", CAR).forces(3000.0, 0.02, 0.03, 0.01), rel=1e-12
    )
    assert MagicFormula.load(written(tmp_path, HEAD + BODY), LMUX=0.5).coefficients["LMUX"] == 0.5


def test_effects_that_are_not_modeled_give_a_warning(tmp_path):
    with pytest.warns(CardanWarning, match=r"Q_FCX, Q_CAM.*not modeled"):
        MagicFormula.load(written(tmp_path, [*HEAD, *BODY, "Q_FCX = 0.1", "Q_CAM = 2"]))


REJECTED = [
    ("no version", [*BODY], r"PROPERTY_FILE_FORMAT = ''.*not supported"),
    ("another version", [*HEAD[:7], "FITTYP = 62", *BODY], r"FITTYP = 62.*not supported"),
    ("another kind", ["FILE_TYPE = 'rdf'", *HEAD[2:], *BODY], r"FILE_TYPE is 'rdf'"),
    ("a word", [*HEAD, *BODY, "QSY5 = many"], r"QSY5 is 'many', which is not a number"),
    ("twice", [*HEAD, *BODY, "PCX1 = 9"], r"PCX1 is given twice, as 1.6 and 9"),
    ("unit", [*HEAD[:4], "LENGTH = 'ell'", *HEAD[5:], *BODY], r"LENGTH = 'ell'.*supported are"),
    ("degrees", [*HEAD[:4], "ANGLE = 'degree'", *HEAD[5:], *BODY], r"must be in radians"),
    (
        "no stiffness",
        [*HEAD, *(line for line in BODY if "VERTICAL_ST" not in line)],
        r"does not state VERTICAL_STIFFNESS",
    ),
    ("wrong units", [*HEAD[:4], *HEAD[5:], *BODY], r"UNLOADED_RADIUS of a MagicFormula is 320"),
]


@folded("lines, message", [case[1:] for case in REJECTED], [case[0] for case in REJECTED])
def test_rejected_files(lines, message, tmp_path):
    with pytest.raises(ModelError, match=message):
        MagicFormula.load(written(tmp_path, lines))


def test_a_model_file_keeps_the_coefficients(tmp_path):
    model, tire = rolling(MagicFormula("5.2", CAR, mounted="right"), -0.03)
    save_model(model, tmp_path / "wheel.yaml")
    assert load_model(tmp_path / "wheel.yaml").model["tire"].data.numbers == tire.data.numbers


def test_data_without_relaxation():
    data = MagicFormula("5.2", CAR | {"PTX1": 0.0})
    with pytest.raises(ModelError, match=r"no relaxation lengths: state PTX1 and PTY1, or transient=False"):
        rolling(data, 0.0)
    rolling(data, 0.0, transient=False)


@pytest.mark.parametrize(
    "slip, slip_angle, fx, fy",
    [
        (0.3, 0.2, 4143.631399454085, -3379.639497085769),
        (-0.1, 0.05, -4843.599820463339, -3436.355921362634),
        (0.05, -0.1, 2582.245308466925, 4793.986623773651),
        (0.0, 0.08, 0.0, -4750.944724536162),
    ],
)
def test_combined_slip_agrees_with_another_program(slip, slip_angle, fx, fy):
    """CommonRoad Vehicle Models 3.0.2 (utils/tire_model.py) with its tire without shifts. That program has a lateral
    stiffness proportional to the load: that of the magic formula at the nominal load with PKY2 = 1. Without camber."""
    tire = MagicFormula("5.2", {
        "UNLOADED_RADIUS": 0.344, "FNOMIN": 4850.0, "VERTICAL_STIFFNESS": 3e5, "PCX1": 1.6411, "PDX1": 1.1739,
        "PEX1": 0.46403, "PKX1": 22.303, "RBX1": 13.276, "RBX2": -13.778, "RCX1": 1.2568, "REX1": 0.65225,
        "RHX1": 0.0050722, "PCY1": 1.3507, "PDY1": 1.0489, "PEY1": -0.0074722, "PKY1": -21.92, "PKY2": 1.0,
        "RBY1": 7.1433, "RBY2": 9.1916, "RBY3": -0.027856, "RCY1": 1.0719, "REY1": -0.27572, "RHY1": 5.7448e-06,
        "RVY1": -0.027825, "RVY4": 12.12, "RVY5": 1.9, "RVY6": -10.704,
    })  # fmt: skip
    found = tire.forces(load=4850.0, slip=slip, slip_angle=slip_angle)
    assert found[:2] == pytest.approx((fx, fy), rel=1e-12, abs=1e-9)
