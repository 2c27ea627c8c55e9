"""Hints at numbers that are probably degrees: angles are in radians, angular velocities in radians per second.

    Body(angle=30)                        a whole number beyond a full turn
    Driver(hinge.angle, Step(0, 1, 0, 90))    a whole multiple of 15 beyond a full turn
    Driver(hinge.angle, Ramp(360))        a rate that is a whole multiple of 45 from 90 rad/s on
    Driver(hinge.angle, Ramp(200))        one of 50 from 200 on, where nothing that is driven has a mass: engines have

Numbers that were converted, such as math.radians(30) or 2 pi n, are never whole, so machines that are fast or turn
often cause no hint. `warnings.simplefilter("ignore", cardan.DegreesWarning)` turns the hint off.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from cardan.errors import DegreesWarning, warn
from cardan.model.curves.motion import Constant, Harmonic, Motion, MotionSum, Polynomial, Ramp, Spline, Step
from cardan.model.curves.motion_program import MotionProgram

TURN = 2.0 * math.pi
ANGLE = 15.0
RATES = ((45.0, 90.0),)  # rad/s: multiples of the first from the second on
SKETCHED = (*RATES, (50.0, 200.0))  # the same for bodies without mass


def warn_of_degrees(angle: float, what: str) -> None:
    """Warn about a whole number beyond a full turn, which is probably an angle in degrees."""
    if _is_multiple(angle, 1.0, beyond=TURN):
        _warn(
            f"{what} is {angle:g} rad, more than a full turn; angles are in radians: "
            f"math.radians({angle:g}) converts degrees, in a model file {angle:g} deg"
        )


def warn_of_degrees_in_motion(motion: Motion, what: str, sketched: bool = False) -> None:
    """Warn about the first number of a motion of an angle that is probably in degrees.

    `sketched` if bodies without mass are driven: a model of a newcomer rather than of an engine.
    """
    for angle in _angles(motion):
        if _is_multiple(angle, ANGLE, beyond=TURN):
            return warn_of_degrees(angle, f"an angle in {what}")
    for rate in _rates(motion):
        if any(_is_multiple(rate, unit, beyond=least - 1.0) for unit, least in (SKETCHED if sketched else RATES)):
            return _warn(
                f"{what} turns at {rate:g} rad/s, {rate / TURN:.3g} turns per second; angular velocities are in rad/s: "
                f"math.radians({rate:g}) converts degrees per second, in a model file {rate:g} deg/s"
            )
    return None


def _warn(text: str) -> None:
    warn(text, DegreesWarning)


def _is_multiple(value: float, unit: float, beyond: float) -> bool:
    return abs(value) > beyond and value % unit == 0.0


def _angles(motion: Motion) -> Iterable[float]:
    match motion:
        case Constant(value):
            return (value,)
        case Ramp(_, start):
            return (start,)
        case Step():
            return motion.from_value, motion.to_value
        case Harmonic():
            return motion.amplitude, motion.offset
        case Polynomial():
            return motion.coefficients[:1]
        case Spline() | MotionProgram():
            return motion.values
        case MotionSum(parts):
            return [angle for part in parts for angle in _angles(part)]
    return ()


def _rates(motion: Motion) -> Iterable[float]:
    match motion:
        case Ramp(rate, _):
            return (rate,)
        case Polynomial():
            return motion.coefficients[1:2]
        case MotionSum(parts):
            return [rate for part in parts for rate in _rates(part)]
    return ()
