"""Haug's design variations, computed as studies: sections 5.2, 10.2 and 10.4."""

from __future__ import annotations

import math

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
