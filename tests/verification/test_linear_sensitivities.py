"""Sensitivities of a sagging arm against the complex step of the whole chain, written down by hand.

    rest by Newton's method, M and K of Lagrange's equations, eigenvalues, shapes; motion by Runge and Kutta's method

Everything is computed once more with one parameter p + 1e-30 i: the imaginary parts are the derivatives, exact but for
rounding. The chain of the program under test has nothing in common with it.
"""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from cardan import (
    equilibrium,
    gradient,
    linearize,
    modal_sensitivities,
    motion_sensitivities,
    reaction,
    sensitivities,
    simulate,
)
from cardan.planar import Body, Model, Revolute, Spring
from verification.manual import Within

SOURCE, KIND = "complex step of the whole chain", "recomputed"
H = 1e-30
STATED = {
    "rod0.mass": 1.0,
    "rod1.mass": 2.0,
    "rod0.inertia": 0.12,
    "rod1.inertia": 0.1,
    "spring0.stiffness": 60.0,
    "spring1.stiffness": 45.0,
    "pin0.b.x": -0.5,  # attachment points: of the first rod at ground,
    "pin1.a.x": 0.55,  # of the second rod at the first one,
    "pin1.b.x": -0.4,  # and at itself
    "gravity.y": -9.81,
}
DAMPING = 0.8
UNTIL, STEPS = 0.6, 600


@pytest.fixture(scope="module")
def arm():
    """Two rods on pins with springs, level when the springs are free; they sag."""
    model = Model("arm", gravity=(0.0, STATED["gravity.y"]))
    end, at = model.ground.at(), 0.0
    for k in (0, 1):
        offset = -STATED[f"pin{k}.b.x"]
        body = Body(mass=STATED[f"rod{k}.mass"], inertia=STATED[f"rod{k}.inertia"], position=(at + offset, 0.0))
        rod = model.add(body, name=f"rod{k}")
        pin = model.add(Revolute(end, rod.at(-offset, 0.0)), name=f"pin{k}")
        model.add(Spring(pin.angle, STATED[f"spring{k}.stiffness"], DAMPING, rest_angle=0.0), name=f"spring{k}")
        end, at = rod.at(STATED["pin1.a.x"], 0.0), offset + STATED["pin1.a.x"]
    return model


class Arm:
    """The equations of motion in the angles u, w of both rods, of real or complex parameters."""

    def __init__(self, stepped=""):
        p = {name: value + (1j * H if name == stepped else 0.0) for name, value in STATED.items()}
        self.c, self.d, self.reach = -p["pin0.b.x"], -p["pin1.b.x"], p["pin1.a.x"] - p["pin0.b.x"]
        self.m, self.n, self.g = p["rod0.mass"], p["rod1.mass"], -p["gravity.y"]
        self.k, self.s = p["spring0.stiffness"], p["spring1.stiffness"]
        self.a = p["rod0.inertia"] + self.m * self.c**2 + self.n * self.reach**2
        self.b = p["rod1.inertia"] + self.n * self.d**2

    def mass(self, u, w):
        mixed = self.n * self.reach * self.d * cmath.cos(u - w)
        return np.array([[self.a, mixed], [mixed, self.b]])

    def slope(self, u, w):
        """Of the potential energy."""
        first = (self.m * self.c + self.n * self.reach) * self.g * cmath.cos(u) + self.k * u - self.s * (w - u)
        return np.array([first, self.n * self.d * self.g * cmath.cos(w) + self.s * (w - u)])

    def stiffness(self, u, w):
        first = self.k + self.s - (self.m * self.c + self.n * self.reach) * self.g * cmath.sin(u)
        return np.array([[first, -self.s], [-self.s, self.s - self.n * self.d * self.g * cmath.sin(w)]])

    def rest(self):
        x = np.zeros(2, complex)
        for _ in range(40):
            x = x - np.linalg.solve(self.stiffness(*x), self.slope(*x))
        return x

    def squares(self):
        """w^2 of both modes, the slower first."""
        x = self.rest()
        M, K = self.mass(*x), self.stiffness(*x)
        a = M[0, 0] * M[1, 1] - M[0, 1] ** 2
        b = -(M[0, 0] * K[1, 1] + M[1, 1] * K[0, 0] - 2.0 * M[0, 1] * K[0, 1])
        c = K[0, 0] * K[1, 1] - K[0, 1] ** 2
        root = cmath.sqrt(b * b - 4.0 * a * c)
        return [(-b - root) / (2.0 * a), (-b + root) / (2.0 * a)]

    def shape(self, mode):
        """Displacements of both bodies in a mode, x, y and angle each; not yet of a size."""
        u, w = self.rest()
        square = self.squares()[mode]
        M, K = self.mass(u, w), self.stiffness(u, w)
        v = np.array([-(K[0, 1] - square * M[0, 1]), K[0, 0] - square * M[0, 0]])
        turns = np.array([-cmath.sin(u), cmath.cos(u)]), np.array([-cmath.sin(w), cmath.cos(w)])
        first = np.array([*(self.c * v[0] * turns[0]), v[0]])
        return np.concatenate([first, [*(self.reach * v[0] * turns[0] + self.d * v[1] * turns[1]), v[1]]])

    def rates(self, y):
        u, w, du, dw = y
        mixed = self.n * self.reach * self.d * cmath.sin(u - w)
        push = -self.slope(u, w) - np.array([mixed * dw**2, -mixed * du**2])
        push -= DAMPING * np.array([du - (dw - du), dw - du])
        return np.array([du, dw, *np.linalg.solve(self.mass(u, w), push)])

    def motion(self):
        """Both angles and their rates at the end of a motion from rest on the level, and the integral of w^2."""
        y, h, total = np.zeros(4, complex), UNTIL / STEPS, 0.0
        for _ in range(STEPS):
            a = self.rates(y)
            b = self.rates(y + 0.5 * h * a)
            c = self.rates(y + 0.5 * h * b)
            d = self.rates(y + h * c)
            half = y[1] + 0.5 * h * (y[3] + 0.125 * h * (a[3] + b[3]))  # of the third order, which is enough
            following = y + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
            total += h / 6.0 * (y[1] ** 2 + 4.0 * half**2 + following[1] ** 2)
            y = following
        return np.array([*y, total])


def derivatives(read):
    """Of what read(arm) gives, by each parameter, as the last axis."""
    return np.stack([np.imag(np.array(read(Arm(name)))) / H for name in STATED], axis=-1)


def test_rest_and_reactions(arm, record):
    """A sagging arm at rest: its angles, the reaction of its pin and the torque of its spring by ten parameters."""
    rest = equilibrium(arm)
    outputs = [arm["pin0"].angle, arm["pin1"].angle, reaction(arm["pin0"], "y"), arm["spring0"]]
    found = sensitivities(rest, list(STATED), outputs)

    def read(hand):
        u, w = hand.rest()
        return u, w - u, (hand.m + hand.n) * hand.g, hand.k * u

    theirs = derivatives(read)
    theirs[2] *= np.sign(found.derivatives[2, 0]) * np.sign(theirs[2, 0])  # on which side a joint carries
    near = Within(1e-9 * np.abs(theirs).max(), "rounding of differences in tables, and a rest found to 1e-12")
    record("angles, reaction and force at rest", found.derivatives, theirs, near, SOURCE, KIND)


def test_modes(arm, record):
    """The modes of the sagging arm: frequencies and shapes by ten parameters."""
    for k in (0, 1):
        object.__setattr__(arm[f"spring{k}"], "damping", 0.0)
    try:
        rest = equilibrium(arm)
        found = modal_sensitivities(arm, list(STATED), rest)
        modes = linearize(arm, rest).modes()
    finally:
        for k in (0, 1):
            object.__setattr__(arm[f"spring{k}"], "damping", DAMPING)
    record("frequencies", modes.frequencies, np.sqrt(np.real(Arm().squares())), Within(1e-8, "rounding"), SOURCE, KIND)
    theirs = derivatives(lambda hand: np.sqrt(np.array(hand.squares())))
    near = Within(1e-8 * np.abs(theirs).max(), "rounding of differences in tables, of matrices of condition 1e4")
    record("frequencies by all parameters", found.frequencies, theirs, near, SOURCE, KIND)
    for mode in (0, 1):
        place = int(np.argmax(np.abs(Arm().shape(mode))))
        theirs = derivatives(lambda hand, m=mode, p=place: hand.shape(m) / hand.shape(m)[p])
        ours = np.concatenate([found.shapes[mode][arm[f"rod{k}"]] for k in (0, 1)])
        near = Within(1e-8 * np.abs(theirs).max(), "the same")
        record(f"shape of mode {mode} by all parameters", ours.real, theirs, near, SOURCE, KIND)


def test_motion(arm, record):
    """The sagging arm let go: its angles, and an integral of them by the adjoint, by ten parameters."""
    run = simulate(arm, UNTIL, output=UNTIL / 3, rtol=1e-11)
    u, w = arm["pin0"].angle, arm["pin1"].angle
    found = motion_sensitivities(run, list(STATED), [u, w])
    by_hand = derivatives(lambda hand: hand.motion())
    theirs = np.stack([by_hand[0], by_hand[1] - by_hand[0]])
    near = Within(1e-7 * np.abs(theirs).max(), "a run of rtol 1e-11 against 600 steps of the fourth order")
    record("angles after 0.6 s by all parameters", found.derivatives[-1], theirs, near, SOURCE, KIND)
    adjoint = gradient(run, list(STATED), [u, w], running=lambda y, t: (y[0] + y[1]) ** 2)
    near = Within(2e-5 * np.abs(by_hand[4]).max(), "five digits are promised of the adjoint")
    record("integral of a square by the adjoint", adjoint.derivatives, by_hand[4], near, SOURCE, KIND)
    assert math.isclose(adjoint.value, float(Arm().motion()[4].real), rel_tol=1e-6)
