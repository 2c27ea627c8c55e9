"""The complex step through the kernels: f(x + i h) = f(x) + i h f'(x) + .., h = 1e-30, so that no digit is lost.

A second way to exact derivatives that owes nothing to dual numbers, jets or slopes that laws state: kernels of measures
and inertia, functions of devices and of users are run as plain Python on complex numbers, which compare by their real
parts, and laws are put together here once more. The real parts must be what the compiled passes find.
"""

from __future__ import annotations

import cmath
import functools
import math
import types
from typing import Any

import numpy as np

from cardan.analysis.linear.repeated_measures import POSITIONS, VELOCITIES
from cardan.analysis.linear.slopes import _open
from cardan.model.device import Clock, CurveSignal, Held, Multiplier, Output, Rate, Value
from cardan.model.space import functions_of, position_rates
from cardan.numerics.autodiff.dual import _fourth
from cardan.numerics.compiled import indirect as far
from cardan.numerics.functions.fingerprint import plain, rebuilt
from cardan.numerics.functions.function import call_address, value_and_slopes
from cardan.numerics.functions.interpreted import as_outputs

H = 1e-30
INERTIA = 5  # index in `functions_of`


class Step:
    """A complex number that takes the branches of its real part."""

    __slots__ = ("c",)
    __hash__ = None
    __array_ufunc__ = None

    def __init__(self, c):
        self.c = c

    def __add__(self, y):
        return Step(self.c + number(y))

    __radd__ = __add__

    def __sub__(self, y):
        return Step(self.c - number(y))

    def __rsub__(self, y):
        return Step(number(y) - self.c)

    def __mul__(self, y):
        return Step(self.c * number(y))

    __rmul__ = __mul__

    def __truediv__(self, y):
        return Step(self.c / number(y))

    def __rtruediv__(self, y):
        return Step(number(y) / self.c)

    def __pow__(self, p):
        if isinstance(p, int) and p > 0:
            return functools.reduce(lambda a, b: a * b, [self] * p)
        return Step(cmath.exp(number(p) * cmath.log(self.c))) if self.c.real > 0.0 else Step(self.c ** number(p))

    def __rpow__(self, base):
        return Step(cmath.exp(self.c * math.log(base)))

    def __neg__(self):
        return Step(-self.c)

    def __pos__(self):
        return self

    def __abs__(self):
        return -self if self.c.real < 0.0 else self

    def __mod__(self, y):
        return self - math.floor(self.c.real / real(y)) * real(y)

    def __float__(self):
        raise TypeError("a number that is differentiated must not be taken for a plain one")

    def __int__(self):
        return int(self.c.real)

    def __bool__(self):
        return self.c.real != 0.0

    def __lt__(self, y):
        return self.c.real < real(y)

    def __le__(self, y):
        return self.c.real <= real(y)

    def __gt__(self, y):
        return self.c.real > real(y)

    def __ge__(self, y):
        return self.c.real >= real(y)

    def __eq__(self, y):
        return self.c.real == real(y)

    def __ne__(self, y):
        return self.c.real != real(y)


def number(x):
    return x.c if x.__class__ is Step else x


def real(x):
    return x.c.real if x.__class__ is Step else x


def parts(table):
    """The real parts of numbers, and their derivatives."""
    values = np.array([complex(number(x)) for x in np.ravel(table)]).reshape(np.shape(table))
    return values.real, values.imag / H


def _arctangent(y, x):
    a, b = complex(number(y)), complex(number(x))
    return Step(complex(math.atan2(a.real, b.real), (b.real * a.imag - a.real * b.imag) / (a.real**2 + b.real**2)))


def _root(x):
    return Step(cmath.sqrt(x.c)) if x.c.real > 0.0 else Step(0j)  # kernels branch there, and leave it out


COMPLEX = {
    name: (lambda f: lambda x: Step(f(x.c)))(getattr(cmath, name))
    for name in ("sin", "cos", "tan", "exp", "log", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh")
}
COMPLEX |= {
    "sqrt": _root,
    "atan2": _arctangent,
    "hypot": lambda x, y: _root(x * x + y * y),
    "fabs": abs,
    "floor": lambda x: math.floor(x.c.real),
    "isfinite": lambda x: cmath.isfinite(x.c),
    "isnan": lambda x: cmath.isnan(x.c),
    "copysign": lambda x, y: abs(x) if math.copysign(1.0, real(y)) > 0.0 else -abs(x),
    "log1p": lambda x: Step(complex(math.log1p(x.c.real), x.c.imag / (1.0 + x.c.real))),
    "expm1": lambda x: Step(complex(math.expm1(x.c.real), x.c.imag * math.exp(x.c.real))),
}
TWINS = {"arctan2": "atan2", "arctan": "atan", "arcsin": "asin", "arccos": "acos", "abs": "fabs"}


def on_complex(kernel: Any, done: dict[int, Any] | None = None, names: frozenset[str] = frozenset()) -> Any:
    """A kernel, or a user's function, as plain Python on complex numbers, with all that it calls."""
    done = {} if done is None else done
    kernel = plain(kernel)
    if id(kernel) in done:
        return done[id(kernel)]
    if kernel is far.call_pointer:
        return lambda address, arguments: on_complex(far.function_at(int(address)), done)(*arguments)
    if kernel is call_address:
        return _call_address
    if isinstance(kernel, types.FunctionType):
        return rebuilt(
            kernel, lambda v, n: on_complex(v, done, n), kernel.__module__, lambda c: done.update({id(kernel): c})
        )
    if kernel is math or kernel is np:
        held = {n: getattr(kernel, n) for n in names if hasattr(kernel, n)}
        return types.SimpleNamespace(**{n: _accepting(n, f) for n, f in held.items()})
    return kernel


def _accepting(name, original):
    twin = COMPLEX.get(TWINS.get(name, name))
    if twin is None:
        return original
    return lambda *x: twin(*x) if any(y.__class__ is Step for y in x) else original(*x)


def _call_address(address, z, zdot, out):
    """A user's outline: each of its derivatives has the next one as its slope; the fourth is a difference here, too."""
    blocks = len(out) // 5
    status, results = value_and_slopes(int(address), real(z[0]), 5 * blocks)
    fourth = _fourth(int(address), real(z[0]), 5 * blocks)
    for k in range(5 * blocks):
        slope = results[k + 1] if k % 5 < 3 else fourth[k] if k % 5 == 3 else 0.0
        out[k] = Step(complex(results[k], slope * complex(number(z[0])).imag)) if z[0].__class__ is Step else results[k]
    return status


class Mechanics:
    """Measures, forces and equations of a system, evaluated on complex numbers."""

    def __init__(self, system: Any, time: float, reference: np.ndarray) -> None:
        self.system, self.time, self.reference = system, time, reference
        self.geometry = _open(system.geometry)
        functions = functions_of(system.geometry)
        self.positions, self.velocities, self.inertia = (
            on_complex(functions[k]) for k in (POSITIONS, VELOCITIES, INERTIA)
        )

    def moved(self, q, k):
        """The position displaced along coordinate k by i h."""
        along, rate = self.system.speeds(), np.zeros(q.size)
        along[self.system.width + k] = 1.0
        position_rates(self.system.geometry, q, along, rate)
        there = q.astype(object)
        for c in np.flatnonzero(rate):
            there[c] = Step(complex(q[c], H * rate[c]))
        own = self.system.coordinates - self.system.width * len(self.system.bodies)
        if own and k >= self.system.coordinates - own:
            c = q.size - own + k - (self.system.coordinates - own)
            there[c] = Step(complex(q[c], H))
        return there

    @staticmethod
    def faster(x, k):
        """A vector whose entry k is greater by i h."""
        there = x.astype(object)
        there[k] = Step(complex(x[k], H))
        return there

    def measures(self, q, v):
        """z and jac of all measures."""
        system, geometry = self.system, self.geometry
        frames = np.full((geometry.body.size, system.space.marker_columns), 0.0, object)
        z = np.full((len(system.measures), 3), 0.0, object)
        jac = np.full((len(system.measures), 2 * system.width + 2), 0.0, object)
        self.positions(geometry, q.astype(object), self.reference, frames, z, jac)
        self.velocities(geometry, v.astype(object), frames, z, jac)
        return z, jac

    def balance(self, q, v, a, states, multipliers, matter):
        """Q - h - M a - J^T lambda, numbered as v, and the rates of all states."""
        system = self.system
        z, jac = self.measures(q, v)
        out = np.full(v.size, 0.0, object)
        gravity = np.array(system.model.gravity, float)
        tables = matter.astype(object), gravity, q.astype(object), v.astype(object), a.astype(object)
        self.inertia(self.geometry, *tables, out)
        signals = Signals(self, z, states, multipliers)
        pushes = [(law.terms, signals.strength(law)) for law in system.laws]
        for terms, strength in pushes:
            for c, measure in terms:
                m = system.wiring.measures[measure]
                for column, there in enumerate(system.columns[m]):
                    out[there] = out[there] - strength * c * jac[m, column]
        rows = system.rows
        assert not rows.function.size, "rows of functions have their own law"
        for r in range(system.row_count):
            for e in range(int(rows.start[r]), int(rows.start[r + 1])):
                m = int(rows.measure[e])
                for column, there in enumerate(system.columns[m]):
                    out[there] = out[there] - multipliers[r] * rows.coefficient[e] * jac[m, column]
        return out[system.width :], signals.rates()


class Signals:
    """Laws and devices at complex values of all that they read."""

    def __init__(self, mechanics, z, states, multipliers):
        self.system, self.time, self.z = mechanics.system, mechanics.time, z
        self.states, self.multipliers = states, np.append(multipliers, 0.0)
        self.known: dict[int, list[Any]] = {}

    def strength(self, law):
        place, z = self.system.wiring.measures, self.z
        value = sum(c * z[place[m], 0] for c, m in law.terms)
        rate = sum(c * z[place[m], 1] for c, m in law.terms)
        found = law.stiffness * (value - law.rest) + law.damping * rate
        for curve, at in ((law.curve, value), (law.rate_curve, rate)):
            found = found + (along(curve, at) if curve is not None else 0.0)
        if law.motion is not None:
            found = found + float(law.motion(self.time))
        if law.function is not None:
            given = [z[place[m], level] for m, level in law.arguments] + ([self.time] if law.timed else [])
            found = found + on_complex(law.function.python)(*given, *law.function.parameters)
        return found + (self.signal(law.signal) if law.signal is not None else 0.0)

    def signal(self, signal):
        wiring = self.system.wiring
        if isinstance(signal, Value):
            level = 1 if isinstance(signal, Rate) else 0
            return sum(c * self.z[wiring.measures[m], level] for c, m in signal.of.parts())
        if isinstance(signal, Clock):
            return self.time
        if isinstance(signal, Output):
            return self.run(signal.device)[signal.place]
        if isinstance(signal, Multiplier):
            return self.multipliers[wiring.rows.get((id(signal.element), signal.label), wiring.beyond)]
        if isinstance(signal, CurveSignal):
            return along(signal.motion, self.signal(signal.at))
        assert isinstance(signal, Held)
        return self.states[self.system.states.first(signal)]

    def run(self, device):
        """Outputs and rates of a device."""
        if id(device) not in self.known:
            owned = [k for k, owner in enumerate(self.system.states.owner) if owner is device]
            given = [self.signal(s) for s in device.inputs] + [self.states[k] for k in owned]
            results = on_complex(device.function)(*given, *device.parameters)
            count = len(device.outputs) + len(owned)
            self.known[id(device)] = list(results) if isinstance(results, tuple) else as_list(results, count)
        return self.known[id(device)]

    def rates(self):
        found = np.full(self.states.size, 0.0, object)
        for device in self.system.devices:
            owned = [k for k, owner in enumerate(self.system.states.owner) if owner is device]
            if owned:
                found[owned] = self.run(device)[len(device.outputs) :]
        return found


def as_list(result, count):
    return [result] if result.__class__ is Step else as_outputs(result, count)


def along(curve, at):
    """A curve read at a complex number: its slope is stated by itself, and has its own law."""
    value, slope, _ = (float(part) for part in curve.derivatives(real(at)))
    return Step(complex(value, slope * complex(number(at)).imag)) if at.__class__ is Step else value
