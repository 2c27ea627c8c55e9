r"""pulse_steer and random_steer: the frequency response of a vehicle to its steering angle, ISO 7401.

    random_steer     |G| |<- lead ->|<--- block: a sum of cosines with random phases --->|     and again, with others

Each block is a period of a sum of cosines at k / block Hz with equal amplitudes. The lead is the end of the same
period, after which the response is periodic too, and without leakage at these frequencies:

    H(f) = sum_b Y_b(f) conj(U_b(f)) / sum_b |U_b(f)|^2                                            over blocks b
    coherence = |sum_b Y_b conj(U_b)|^2 / (sum_b |Y_b|^2  sum_b |U_b|^2)          less than 1 where it is not linear

pulse_steer turns the steering once to and fro; H is the ratio of the Fourier transforms of response and steering angle.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan.errors import ModelError, warn
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.curves.motion import Spline, Step
from cardan.model.element import Constraint
from cardan.model.model import Model
from cardan.vehicles.handling import QUANTITIES, HandlingMotion
from cardan.vehicles.prepared_car import PreparedCar, SpeedControl

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PULSE_START = 0.2  # s: a pulse starts
WEAK = 0.05  # share of the largest amplitude of a pulse below which frequencies are left out
GONE = 0.01  # of the largest response: what may be left at the end of a pulse
BLEND = 0.5  # s between blocks
ANGLES_PER_WAVE = 20  # points of the steering angle per shortest wave
PULSE_FREQUENCIES = 100  # frequencies of a pulse


@dataclass(frozen=True, eq=False)
class SteeringResponse:
    """The response of a vehicle to its steering angle over `frequencies` in Hz.

    `responses["yaw_rate"]` are complex numbers per steering angle in rad, likewise "lateral_acceleration", "side_slip"
    and "roll". `coherence` is 1 where the response is linear (random_steer). `motion` has all quantities over time.
    """

    motion: HandlingMotion
    frequencies: NDArray[np.float64]
    responses: Mapping[str, NDArray[np.complex128]]
    coherence: Mapping[str, NDArray[np.float64]]

    def gain(self, name: str) -> NDArray[np.float64]:
        """The amplitude per amplitude of the steering angle."""
        return np.abs(self._of(name))

    def phase(self, name: str) -> NDArray[np.float64]:
        """The phase in rad, negative where the response is late; without jumps."""
        return np.unwrap(np.angle(self._of(name)))

    def _of(self, name: str) -> NDArray[np.complex128]:
        return self.responses[check.choice(name, tuple(self.responses), "the quantity of a SteeringResponse")]

    def table(self) -> dict[str, NDArray[np.float64]]:
        """Columns: frequency, then gain and phase of each quantity."""
        columns = {"frequency": self.frequencies}
        for name in self.responses:
            columns |= {f"{name}.gain": self.gain(name), f"{name}.phase": self.phase(name)}
        return columns

    def plot(self) -> Figure:
        """A figure of gain and phase of yaw rate and lateral acceleration, and of the coherence."""
        from cardan.shortcuts import one_page

        return one_page(self)

    def __repr__(self) -> str:
        gains = self.gain("yaw_rate")
        k = int(np.argmax(gains))
        return (
            f"<SteeringResponse at {self.frequencies.size} frequencies from {self.frequencies[0]:.3g} to "
            f"{self.frequencies[-1]:.3g} Hz: yaw rate gain {gains[0]:.4g} 1/s at the first, {gains[k]:.4g} 1/s at most "
            f"at {self.frequencies[k]:.3g} Hz>"
        )


def pulse_steer(
    model: Model,
    body: RigidBody,
    *,
    steering: Constraint,
    angle: float,
    duration: float = 0.3,
    until: float = 6.0,
    output: float = 0.005,
    steering_ratio: float = 1.0,
    speed_control: SpeedControl | None = None,
    **options: Any,
) -> SteeringResponse:
    """Turn the steering to an `angle` (rad, at the wheels) and back within a `duration`, and compute the response.

    Model, steering and options are those of `step_steer`. Frequencies reach from 0.1 Hz to where a pulse of this
    duration has hardly any amplitude, about 1.6 / duration. A warning states if the response has not decayed.
    """
    high, way = check.number(angle, "the angle of pulse_steer()"), check.positive(duration, "the duration")
    end, interval = check.positive(until, "until"), check.positive(output, "output")
    if high == 0.0 or PULSE_START + 2.0 * way > end:
        raise ModelError(
            f"pulse_steer() needs an angle other than zero and at least {PULSE_START + 2.0 * way:g} s, got "
            f"{high:g} rad and {end:g} s"
        )
    car = PreparedCar(model, body, steering, steering_ratio, speed_control, "pulse_steer()")
    middle = PULSE_START + 0.5 * way
    car.follow(Step(PULSE_START, middle, 0.0, high) + Step(middle, PULSE_START + way, 0.0, -high))
    motion = car.run(end, interval, options)
    frequencies = np.linspace(0.1, 3.0 / way, PULSE_FREQUENCIES)
    entry = _transform(motion.steering - motion.steering[0], motion.times, frequencies)
    weak = np.abs(entry) < WEAK * np.abs(entry).max()
    last = int(np.argmax(weak)) if weak.any() else frequencies.size
    found, kept = {}, frequencies[:last]
    for name in QUANTITIES:
        values = getattr(motion, name) - getattr(motion, name)[0]
        _warn_if_alive(values, name, motion)
        found[name] = _transform(values, motion.times, kept) / entry[:last]
    return SteeringResponse(motion, kept, found, {name: np.ones(last) for name in QUANTITIES})


def random_steer(
    model: Model,
    body: RigidBody,
    *,
    steering: Constraint,
    angle: float,
    band: ArrayLike = (0.2, 3.0),
    block: float = 10.0,
    lead: float = 3.0,
    blocks: int = 4,
    seed: int = 0,
    output: float = 0.01,
    steering_ratio: float = 1.0,
    speed_control: SpeedControl | None = None,
    **options: Any,
) -> SteeringResponse:
    """Steer at random with a root mean square `angle` (rad, at the wheels), and estimate the frequency response.

    Model, steering and options are those of `step_steer`. The steering angle contains the frequencies k / `block` in
    a `band`, in Hz. `lead` is the time in s after which what was before is forgotten; `blocks` are averaged. The same
    `seed` gives the same steering.

    >>> from cardan.examples import load
    >>> from cardan.vehicles import random_steer
    >>> car = load("vehicle").build(speed=20.0, steer=0.0)
    >>> test = random_steer(car, car["chassis"], steering=car["steering"], angle=0.005, steering_ratio=0.12,
    ...     band=(0.5, 2.5), block=4.0, lead=1.0, blocks=2, rtol=1e-5)
    >>> test.frequencies.tolist()[:3], f"{test.gain('yaw_rate')[0]:.1f} 1/s"
    ([0.5, 0.75, 1.0], '6.6 1/s')
    """
    size, count = check.positive(angle, "the angle of random_steer()"), check.count(blocks, "blocks")
    period, before = check.positive(block, "the block of random_steer()"), check.positive(lead, "the lead")
    low, high = check.vector(band, 2, "the band of random_steer()")
    lines = np.arange(math.ceil(low * period - 1e-9), math.floor(high * period + 1e-9) + 1)
    if not 0.0 < low < high or lines.size < 2:
        raise ModelError(
            f"the band of random_steer() must be two growing frequencies with at least two multiples of 1 / block = "
            f"{1.0 / period:g} Hz between them, got {low:g} and {high:g} Hz"
        )
    steps = math.ceil(period / min(check.positive(output, "output"), 1.0 / (ANGLES_PER_WAVE * high)))
    interval = period / steps
    gap, prefix = math.ceil(BLEND / interval), math.ceil(before / interval)
    random = np.random.Generator(np.random.PCG64(int(check.number(seed, "the seed"))))
    pieces, one = [np.zeros(1)], interval * np.arange(-prefix, steps)
    for _ in range(count):
        phases = random.uniform(0.0, 2.0 * math.pi, lines.size)
        waves = np.cos(2.0 * math.pi * np.outer(one, lines / period) + phases).sum(axis=1)
        pieces.append(size * math.sqrt(2.0 / lines.size) * waves)
    values, starts = _joined(pieces, gap, prefix)
    car = PreparedCar(model, body, steering, steering_ratio, speed_control, "random_steer()")
    times = interval * np.arange(values.size)
    car.follow(Spline(times.tolist(), values.tolist(), end="clamped"))
    motion = car.run(float(times[-1]), interval, options)
    return _estimate(motion, lines / period, [slice(k, k + steps) for k in starts], lines)


def _joined(pieces: list[NDArray[np.float64]], gap: int, prefix: int) -> tuple[NDArray[np.float64], list[int]]:
    """All blocks with their leads, blended from one to the next over `gap` points, and the start of each block."""
    share = np.arange(1, gap) / gap
    rise = share**3 * (10.0 + share * (6.0 * share - 15.0))
    joined, starts = pieces[0], []
    for piece in pieces[1:]:
        between = joined[-1] + rise * (piece[0] - joined[-1])
        starts.append(joined.size + between.size + prefix)
        joined = np.concatenate([joined, between, piece])
    return joined, starts


def _estimate(
    motion: HandlingMotion, frequencies: NDArray[np.float64], blocks: list[slice], lines: NDArray[Any]
) -> SteeringResponse:
    entry = np.array([np.fft.rfft(motion.steering[part])[lines] for part in blocks])
    found, coherence = {}, {}
    for name in QUANTITIES:
        values = getattr(motion, name)
        leaving = np.array([np.fft.rfft(values[part])[lines] for part in blocks])
        crossed, power = (leaving * entry.conj()).sum(axis=0), (np.abs(entry) ** 2).sum(axis=0)
        own = (np.abs(leaving) ** 2).sum(axis=0)
        found[name] = crossed / power
        coherence[name] = np.where(own > 0.0, np.abs(crossed) ** 2 / np.where(own > 0.0, own * power, 1.0), 1.0)
    return SteeringResponse(motion, frequencies, found, coherence)


def _transform(
    values: NDArray[np.float64], times: NDArray[np.float64], frequencies: NDArray[np.float64]
) -> NDArray[np.complex128]:
    """The Fourier transform of a signal that begins and ends at zero."""
    waves = np.exp(-2j * math.pi * np.outer(frequencies, times))
    return np.asarray(waves @ values * float(times[1] - times[0]))


def _warn_if_alive(values: NDArray[np.float64], name: str, motion: HandlingMotion) -> None:
    size = float(np.abs(values).max())
    if abs(values[-1]) > GONE * size and size > 0.0:
        left = f"{abs(values[-1]) / size:.1%}"
        warn(
            f"the {name.replace('_', ' ')} of '{motion.body.name}' is still {left} of its largest "
            "value at the end of pulse_steer(): state a larger until="
        )
