"""The potential energy of weight and applied forces.

    V = -sum m g . r_c + sum [1/2 k (z - z0)^2 + f(t) z + integral of F(z) dz]    (Haug 6.5.3 to 6.5.8, 7.5.5 to 7.5.13)

V_q^T = -Q. Functions F of only their own measure are integrated by quadrature from the given position; so are outputs
of devices that read nothing else, such as those of stops and contacts.
Rates are zero, so dampers have no effect. A force that rotates with a body, or that is a function of measures other
than the one along which it acts, has no potential; a torque has one in the plane.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cardan.analysis.equilibria.statics import StaticPoint, Statics
from cardan.errors import ModelError
from cardan.model.device import Output, Rate, Signal, Value
from cardan.model.force import Law
from cardan.model.measure import Measure
from cardan.model.space import position_pass
from cardan.system.compile import grouped
from cardan.system.system import System

Integral = Callable[[Callable[[float], float], float, float], float]

NODES, WEIGHTS = np.polynomial.legendre.leggauss(10)
ROUNDING = 64.0 * float(np.finfo(float).eps)
TURNING, SLIDING = ("turn", "spin"), ("slide",)  # measures that have a rate, but no value


class Potential:
    """The energy of a system, relative to zero height, unstressed springs, and the `stated` position for functions."""

    def __init__(self, statics: Statics, stated: np.ndarray) -> None:
        system = statics.system
        for k, law in enumerate(system.laws):
            _require_potential(system, k, law)
        self.statics, self.laws, self.stated = statics, system.laws, stated
        self.place = {measure: k for k, measure in enumerate(system.measures)}
        self.stiffness = np.array([law.stiffness for law in system.laws])
        self.free = np.array([law.rest for law in system.laws])
        motions = [law.motion for law in system.laws]
        self.constant = np.array([0.0 if motion is None else float(motion(statics.time)) for motion in motions])
        self.constant += [0.0 if law.rate_curve is None else float(law.rate_curve(0.0)) for law in system.laws]
        self._read_beside(system)

    def at(self, q: np.ndarray, point: StaticPoint) -> float:
        """V."""
        works = [self._work(law, self.stated, point.z, self._adaptive) for law in self.laws]
        return float(self._parts(q, point).sum() + np.dot(works, self.statics.law_factors))

    def change(self, q: tuple[np.ndarray, np.ndarray], points: tuple[StaticPoint, StaticPoint]) -> tuple[float, float]:
        """The change of V from one position to another, and its accuracy.

        Functions are integrated only between the two positions: over a short distance even one with a kink is smooth.
        """
        before, after = (self._parts(*pair) for pair in zip(q, points, strict=True))
        works = [self._work(law, points[0].z, points[1].z, self._short) for law in self.laws]
        size = float(np.abs(before).sum() + np.abs(after).sum())
        return float(np.sum(after - before) + np.dot(works, self.statics.law_factors)), ROUNDING * size

    def _parts(self, q: np.ndarray, point: StaticPoint) -> np.ndarray:
        """The energies of everything that is not a function."""
        beside = self._values_beside(q)
        turned = np.array([0.0 if k < 0 else beside[k] for k in self.turned])
        z = np.array([sum(c * point.z[self.place[m]] for c, m in law.terms) for law in self.laws])
        z += np.array([law.terms[0][0] for law in self.laws]) * turned
        parts = 0.5 * self.stiffness * (z - self.free) ** 2 + self.constant * z
        return np.concatenate([parts * self.statics.law_factors, self.weight * beside])

    def _work(self, law: Law, start: np.ndarray, end: np.ndarray, integral: Integral) -> float:
        """The integral of a law's curve and function from `start` to `end`, which are values of all measures."""
        work = 0.0
        if law.curve is not None:
            low, high = (float(sum(c * z[self.place[m]] for c, m in law.terms)) for z in (start, end))
            curve = law.curve
            work += integral(lambda z: float(curve(z)), low, high)
        if law.function is not None:
            ((coefficient, measure),) = law.terms
            k = self.place[measure]
            work += coefficient * integral(lambda z: self._force(law, z), float(start[k]), float(end[k]))
        if law.signal is not None and law.at_rest and not law.workless:
            low, high = (float(sum(c * z[self.place[m]] for c, m in law.terms)) for z in (start, end))
            work += integral(lambda z: self._signal(law, z), low, high)
        return work

    def _short(self, force: Callable[[float], float], low: float, high: float) -> float:
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        return float(half * np.dot(WEIGHTS, [float(force(middle + half * node)) for node in NODES]))

    def _adaptive(self, force: Callable[[float], float], low: float, high: float) -> float:
        from scipy.integrate import quad  # slow to import, and rarely needed

        return float(quad(lambda z: float(force(z)), low, high, limit=200, full_output=1)[0])

    def _force(self, law: Law, z: float) -> float:
        """The function of a law at a value of its measure and zero rate."""
        assert law.function is not None
        arguments = [z if level == 0 else 0.0 for _, level in law.arguments] + [self.statics.time] * law.timed
        return float(law.function.evaluate(arguments)[1][0, 0])

    def _signal(self, law: Law, z: float) -> float:
        """The output of a law's device at a value of its measure, and zero rates."""
        assert isinstance(law.signal, Output)
        device = law.signal.device
        arguments = [0.0 if isinstance(signal, Rate) else _share(signal, law) * z for signal in device.inputs]
        return float(device.code(device.parameters, device.name).evaluate(arguments)[1][law.signal.place, 0])

    def _read_beside(self, system: System) -> None:
        """Tables of additional measures: mass centers, and the angles of torques."""
        ground, weights = system.model.ground, {}
        weighed: dict[Measure, tuple[int, int]] = {}  # body and axis
        share = self.statics.factor if self.statics.weight_varies else 1.0
        for number, body in enumerate(system.bodies, 1):
            center, mass = body.center_marker(), float(self.statics.matter[number, 0])
            for k, (axis, g) in enumerate(zip("xyz", system.model.gravity, strict=False)):
                height = Measure("coordinate", None, center, axis)
                weights[height], weighed[height] = -share * mass * g, (number, k)
        kinds = [law.terms[0][1] for law in self.laws]
        angles = [Measure("angle", ground.at(), m.b) if m.kind in TURNING else None for m in kinds]
        measures = grouped(system.space, [*weights, *(m for m in angles if m is not None)])
        place = {measure: k for k, measure in enumerate(measures)}
        base = system.width * (1 + len(system.bodies))
        self.geometry = system.space.geometry(system.number, measures, system.contact_coordinates, base)
        self.weight = np.array([weights.get(measure, 0.0) for measure in measures])
        self.weighed = [weighed.get(measure, (-1, -1)) for measure in measures]  # body and axis, or none
        self.turned = [-1 if measure is None else place[measure] for measure in angles]
        n = len(measures)
        self.frames = np.zeros((self.geometry.body.size, system.space.marker_columns))
        self.z, self.jac, self.reference = (
            np.zeros((n, 3)),
            np.zeros((n, system.space.row_length(measures))),
            np.full(n, np.nan),
        )

    def _values_beside(self, q: np.ndarray) -> np.ndarray:
        position_pass(self.geometry, q, self.reference, self.frames, self.z, self.jac)
        return self.z[:, 0]


def _require_potential(system: System, k: int, law: Law) -> None:
    element, kinds = system.forces[k], {measure.kind for _, measure in law.terms}
    flat = system.space.dimensions == 2
    reason = ""
    if kinds & set(SLIDING) or (kinds & set(TURNING) and not flat):
        reason = "its direction rotates with a body" if kinds & set(SLIDING) else "a torque in space has none"
    elif law.signal is not None and law.at_rest and not law.workless and not _follows_its_measure(law):
        reason = "it is the output of a device"
    elif law.function is not None:
        own = law.terms[0][1]
        if len(law.terms) > 1 or any(measure != own for measure, _ in law.arguments):
            reason = "its function takes other measures than the one along which it acts"
    if reason:
        raise ModelError(
            f"{element.title} has no potential energy: {reason}; find the equilibrium of '{system.model.name}' with "
            "method='newton'",
            elements=(element.name,),
        )


def _follows_its_measure(law: Law) -> bool:
    """Whether the signal of a law is a function of its measure, and of rates, which are zero here."""
    if not isinstance(law.signal, Output) or law.signal.device.states:
        return False
    return all(isinstance(signal, Rate) or _share(signal, law) != 0.0 for signal in law.signal.device.inputs)


def _share(signal: Signal, law: Law) -> float:
    """c with signal = c z, where z is the measure of the law; 0 otherwise."""
    parts = signal.of.parts() if isinstance(signal, Value) else ()
    if not parts or [m for _, m in parts] != [m for _, m in law.terms]:
        return 0.0
    share = parts[0][0] / law.terms[0][0]
    pairs = zip(parts, law.terms, strict=True)
    return share if all(abs(c - share * mine) < 1e-12 * abs(c) for (c, _), (mine, _) in pairs) else 0.0
