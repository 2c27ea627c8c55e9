"""Truncated Taylor series of functions of one variable at many places: derivatives of formulas without algebra.

f(x + h) = c_0 + c_1 h + c_2 h^2 + c_3 h^3,      c an array (order + 1, places), real or complex
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


class Taylor:
    """A truncated series; operations keep the lower order of both operands."""

    __array_ufunc__ = None

    def __init__(self, coefficients: Any) -> None:
        self.c = np.asarray(coefficients)

    @classmethod
    def of(cls, derivatives: Any) -> Taylor:
        """From value and derivatives, shape (order + 1, places)."""
        table = np.asarray(derivatives)
        return cls(table / np.array([math.factorial(k) for k in range(len(table))])[:, None])

    @property
    def derivatives(self) -> np.ndarray:
        """Value and derivatives."""
        return np.asarray(self.c * np.array([math.factorial(k) for k in range(len(self.c))])[:, None])

    def slope(self) -> Taylor:
        """The derivative, of one order less."""
        return Taylor(self.c[1:] * np.arange(1, len(self.c))[:, None])

    def __add__(self, other: Any) -> Taylor:
        if isinstance(other, Taylor):
            order = min(len(self.c), len(other.c))
            return Taylor(self.c[:order] + other.c[:order])
        first = self.c + np.zeros_like(np.asarray(other), shape=self.c.shape)
        first[0] = first[0] + other
        return Taylor(first)

    __radd__ = __add__

    def __neg__(self) -> Taylor:
        return Taylor(-self.c)

    def __sub__(self, other: Any) -> Taylor:
        return self + -other

    def __rsub__(self, other: Any) -> Taylor:
        return -self + other

    def __mul__(self, other: Any) -> Taylor:
        if not isinstance(other, Taylor):
            return Taylor(self.c * other)
        order = min(len(self.c), len(other.c))
        return Taylor([sum(self.c[i] * other.c[k - i] for i in range(k + 1)) for k in range(order)])

    __rmul__ = __mul__

    def __truediv__(self, other: Taylor) -> Taylor:
        order = min(len(self.c), len(other.c))
        found: list[Any] = []
        for k in range(order):
            found.append((self.c[k] - sum(found[i] * other.c[k - i] for i in range(k))) / other.c[0])
        return Taylor(found)

    def exp(self) -> Taylor:
        found: list[Any] = [np.exp(self.c[0])]
        for k in range(1, len(self.c)):
            found.append(sum(i * self.c[i] * found[k - i] for i in range(1, k + 1)) / k)
        return Taylor(found)

    def sqrt(self) -> Taylor:
        found: list[Any] = [np.sqrt(self.c[0])]
        for k in range(1, len(self.c)):
            inner = sum(found[i] * found[k - i] for i in range(1, k))
            found.append((self.c[k] - inner) / (2.0 * found[0]))
        return Taylor(found)

    @property
    def real(self) -> Taylor:
        return Taylor(self.c.real)

    def conjugate(self) -> Taylor:
        return Taylor(self.c.conjugate())
