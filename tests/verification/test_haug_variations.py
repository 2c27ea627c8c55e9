"""Haug's design variations, computed as studies of the gallery: sections 5.2 to 5.6, 8.3, 10.2 and 10.4."""

from __future__ import annotations

import math
import re

import numpy as np

from cardan import parameter, study, tied
from cardan.case import load_case, vary
from cardan.examples import load
from cardan.study import designs, limit
from verification.manual import Within, digits, rounding

# x = 2 cos phi + sqrt(l^2 - 4 sin^2 phi), phi' = 2 pi: least and largest x'' of this closed form
SLIDER = {3.5: (-124.07503, 65.79194), 2.5: (-142.12230, 108.49151), 2.2: (-150.73578, 173.29088),
          2.1: (-154.15382, 247.00006)}  # fmt: skip
# stroke of a piston, m, for the angle of the swash plate, of the closed form of the book's machine
STROKES = {20.0: 0.13681, 30.0: 0.20000, 40.0: 0.25712}


def test_shorter_rods(record):
    """Slider-cranks with rods of 3.5 to 1.9 m

    The crank is 2 m long and turns once in a second. A rod shorter than the crank locks.
    """
    plan = designs({"rod": [*SLIDER, 1.9], "crank": [2.0] * 5, "speed": [2.0 * math.pi] * 5})
    times = np.linspace(0.0, 1.0, 2001)
    outputs = ["slider.ax:min", "slider.ax:max"]
    found = study(load("slider-crank").build, plan, "kinematics", outputs, times=times)
    near = Within(5e-3, "an extreme between two of 2001 instants is missed by x'''' dt^2/8")
    ours = np.column_stack([found[name][:4] for name in outputs])
    record(
        "extremes of the slider's acceleration", ours.ravel(), np.ravel([*SLIDER.values()]), near, "5.2", "closed form"
    )
    record.fact("samples that lock", [*found.failures], [4], "section 5.2.4", "statement")


# least and largest angle and angular acceleration of the rocker; x and x' of the tool; x of the slider: all recomputed
ROCKERS = {3.0: (0.909685, 2.421624, -38.87476, 86.36650), 2.5: (0.712519, 2.609089, -50.87805, 136.09502),
           2.2: (0.489438, 2.800414, -67.69760, 233.47919), 2.1: (0.359225, 2.902064, -79.29824,
           340.85722)}  # fmt: skip
TOOLS = {1.5: (-4.337050, 1.667330, -10.771175, 75.398224), 1.25: (-4.185228, 0.814772, -9.666439, 41.887902),
         1.0: (-3.822858, 0.177142, -8.377580, 25.132741)}  # fmt: skip
SLIDERS = {-0.1047: (1.1623, 1.7486), 0.0: (1.0769, 1.6642), 0.5236: (0.7088, 1.2789)}
TORQUES = {25.0: (1.1508e6, -0.9752e6), 50.0: (1.5375e6, -1.2499e6), 100.0: (2.3124e6, -1.8036e6)}


def _extremes(found, outputs, samples):
    return np.column_stack([found[f"{name}:{how}"][:samples] for name in outputs for how in ("min", "max")])


def test_shorter_rockers(record):
    """Four-bars with rockers of 3 to 1.9 m, their pivot raised with them

    The last one locks up when coupler and rocker come in line; the book reads 0.18 s from its plot.
    """
    names = ["rocker.angle", "rocker.angular_acceleration"]
    outputs = [f"{name}:{how}" for name in names for how in ("min", "max")]
    found = vary(load_case("four-bar", {}), outputs=outputs, times=np.linspace(0.0, 1.0, 4001))
    record.fact("rockers", found["rocker"].tolist(), [*ROCKERS, 1.9], "section 5.3.4")
    ours = _extremes(found, names, 4) / np.array([*ROCKERS.values()])
    near = Within(2e-5, "relative: extremes between two of 4001 instants")
    record("extremes of angle and angular acceleration, relative", ours, np.ones((4, 4)), near, "5.3", "recomputed")
    record.fact("samples that lock", [*found.failures], [4], "section 5.3.4", "statement")
    told = float(re.search(r"t = ([0-9.]+) s", found.failures[4])[1])
    record("instant at which it locks", told, 0.191825, digits(6), "5.3", "recomputed")


def test_cranks_of_the_shaper(record):
    """Quick-return shapers with cranks of 1.5, 1.25 and 1 m"""
    names = ["tool.x", "tool.vx"]
    outputs = [f"{name}:{how}" for name in names for how in ("min", "max")]
    found = vary(load_case("quick-return", {}), outputs=outputs, times=np.linspace(0.0, 1.0, 8001))
    record.fact("cranks", found["crank"].tolist(), [*TOOLS], "section 5.4.4")
    near = Within(2e-4, "extremes between two of 8001 instants: of the speed its curvature times dt^2/8")
    record("extremes of x and x'", _extremes(found, names, 3), [*TOOLS.values()], near, "5.4", "recomputed")


def test_settings_of_the_gear_slider(record):
    """Gear-sliders with links at -6, 0 and 30 degrees"""
    found = vary(load_case("gear-slider", {}), outputs=["slider.x:min", "slider.x:max"], times=np.linspace(0, 1, 2001))
    record.fact("angles", found["link_angle"].tolist(), [*SLIDERS], "section 5.5.4")
    ours = _extremes(found, ["slider.x"], 3)
    record("extremes of x", ours, [*SLIDERS.values()], digits(4), "5.5", "recomputed")


def test_masses_of_the_tool(record):
    """Torque of shapers with tools of 25, 50 and 100 kg, at whole degrees of the crank"""
    times = np.arange(361) / 360.0
    found = vary(load_case("shaper-torque", {}), outputs=["motor.force:max", "motor.force:min"], times=times)
    record.fact("masses", found["tool"].tolist(), [*TORQUES], "section 8.3.3")
    ours = np.column_stack([found["motor.force:max"], found["motor.force:min"]]) / np.array([*TORQUES.values()])
    record("extremes, relative", ours, np.ones((3, 2)), Within(6e-5, "relative: five digits"), "8.3", "recomputed")


def test_eccentricities_of_the_cam(record):
    """Valve lifters with eccentricities of 2.5, 3.5 and 4.5 mm"""
    outputs = ["valve.vy:min", "valve.y:range"]
    found = vary(load_case("valve-lifter", {}), outputs=outputs, times=np.linspace(0.0, 0.05, 41))
    eccentricity = np.array([0.0025, 0.0035, 0.0045])
    record("eccentricities", found["eccentricity"], eccentricity, rounding(), "section 5.6.4")
    exact = np.column_stack([-40.0 * math.pi * eccentricity, 2.0 * eccentricity])  # of e (1 - cos 40 pi t)
    ours = np.column_stack([found["valve.vy:min"], found["valve.y:range"]])
    record("largest speed and stroke of the valve", ours, exact, rounding(10.0), "5.6", "closed form")


def test_rods_in_space(record):
    """Spatial slider-cranks with rods of 0.3, 0.27 and 0.24 m, and the one that locks"""
    case = load_case("spatial-slider-crank", {})
    times = np.linspace(0.0, 1.0, 73)
    found = vary(case, outputs=["slider.x"], times=times)
    record.fact("rods", found["rod"].tolist(), [0.3, 0.27, 0.24], "section 10.2.4")
    phi = 2.0 * math.pi * times + math.pi / 2.0
    square = (0.1 + 0.08 * np.cos(phi)) ** 2 + (0.12 + 0.08 * np.sin(phi)) ** 2
    for k, rod in enumerate((0.3, 0.27, 0.24)):
        exact = np.sqrt(rod**2 - square)
        record(f"x of the slider, rod {rod} m", found["slider.x"][k], exact, rounding(), "10.2", "closed form")
    half = tied("half", parameter(case.model, "C.a.x"), (-1.0, parameter(case.model, "B.b.x")))
    locked = 2.0 * limit(case.model, half, (0.1, 0.15), times=times[::3], tolerance=1e-5).value
    record("rod that locks", locked, 0.2362, digits(4), "section 10.2.4")


def test_angles_of_the_swash_plate(record):
    """Air compressors with swash plates at 20, 30 and 40 degrees"""
    found = vary(load_case("air-compressor", {}), outputs=["piston 1.y:range"], times=np.linspace(0.0, 0.1, 21))
    record("angles, degrees", np.degrees(found["swash"]), [*STROKES], rounding(100.0), "section 10.4.4")
    half = Within(1.1e-5, "five decimals, the stroke a difference of two")
    record("strokes", found["piston 1.y:range"], [*STROKES.values()], half, "10.4", "closed form")
