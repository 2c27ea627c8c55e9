"""The formulas of Adams on unequal steps: polynomials through the last rates, in divided differences.

       f(n-2)    f(n-1)    f(n)  ....  o  ahead: where the polynomial through the last k rates expects f(n+1)
         |         |        |       |  |
    -----+---------+--------+----------+----->  t        the step h = t(n+1) - t(n) may have any length
        t(n-2)    t(n-1)   t(n)      t(n+1)

Kept of the past are the modified divided differences of the rates (Shampine and Gordon 1975, chapter 5)

    d1 = f(n),   d2 = (t(n) - t(n-1)) f[n, n-1],   d3 = (t(n) - t(n-1)) (t(n) - t(n-2)) f[n, n-1, n-2],   ...

which are the backward differences of Haug 7.4.4 if the steps are equal. Lengthened or shortened to the new step by
the factors beta, they give predictor and corrector (Haug 7.4.11 and 7.4.14 for equal steps)

    predicted = y + h sum_1^k g_i beta_i d_i,      ahead = sum_1^k beta_i d_i,
    corrected = predicted + h g_{k+1} (f(predicted) - ahead).

Nothing of the past is changed until a step is accepted.
"""

from __future__ import annotations

from fractions import Fraction

from cardan.numerics.compiled.jit import kernel

HIGHEST_ORDER = 12


def moulton_coefficients(count: int) -> tuple[Fraction, ...]:
    """gamma*_0, gamma*_1, ... of the corrector on equal steps: 1, -1/2, -1/12, ... (Haug, Table 7.4.10)."""
    found = [Fraction(1)]
    for m in range(1, count):
        found.append(-sum((found[j] / (m + 1 - j) for j in range(m)), Fraction(0)))
    return tuple(found)


@kernel(internal=True)
def step_coefficients(memory, h, k):
    """beta, sigma and g of a step of length h at order k, from the lengths of the steps before it.

    sigma_i scales the differences of unequal steps to the derivatives that error estimates are made of.
    """
    beta, sigma, g, ratio, moment = memory.beta, memory.sigma, memory.g, memory.ratio, memory.moment
    beta[0] = sigma[0] = 1.0
    reach, past = h, 0.0  # from the new point and from the present one back over equally many steps
    for i in range(k):
        ratio[i] = h / reach
        sigma[i + 1] = (i + 1) * ratio[i] * sigma[i]
        past += memory.steps[i]
        if i + 1 < k:
            beta[i + 1] = beta[i] * reach / past
        reach = h + past
    for q in range(k):
        moment[q] = 1.0 / ((q + 1.0) * (q + 2.0))
    g[0], g[1] = 1.0, 0.5
    for i in range(2, k + 1):
        for q in range(k + 1 - i):
            moment[q] -= ratio[i - 1] * moment[q + 1]
        g[i] = moment[0]


@kernel(internal=True)
def predict(memory, h, k):
    """Where the polynomial through the last k rates leads, and the rate that it expects there."""
    beta, g, d = memory.beta, memory.g, memory.differences
    for j in range(memory.y.shape[0]):
        mean = ahead = 0.0
        for i in range(k - 1, -1, -1):
            scaled = beta[i] * d[j, i]
            mean += g[i] * scaled
            ahead += scaled
        memory.ahead[j] = ahead
        memory.predicted[j] = memory.trial[j] = memory.y[j] + h * mean


@kernel(internal=True)
def correct(memory, h, k):
    """Take the rate found at the predicted point into the polynomial."""
    for j in range(memory.y.shape[0]):
        memory.trial[j] = memory.predicted[j] + h * memory.g[k] * (memory.rate[j] - memory.ahead[j])


@kernel(internal=True)
def move_on(memory, h, k):
    """The state that was tried becomes the present one, its rate the first of the differences.

    The difference of order k + 2 is true if the last k + 1 steps were equal; it is used only then. The shift is what
    the last rate would have to be greater by for the polynomial to lead from the state before to the present one.
    """
    beta, d, steps = memory.beta, memory.differences, memory.steps
    for j in range(memory.y.shape[0]):
        fresh = memory.rate[j]
        memory.shift[j] = (memory.trial[j] - memory.predicted[j]) / (h * memory.g[k]) - (fresh - memory.ahead[j])
        memory.y[j] = memory.trial[j]
        for i in range(k):
            scaled = beta[i] * d[j, i]
            d[j, i] = fresh
            fresh -= scaled
        d[j, k], d[j, k + 1] = fresh, fresh - d[j, k]
    for i in range(steps.shape[0] - 1, 0, -1):
        steps[i] = steps[i - 1]
    steps[0] = h


@kernel(internal=True)
def error_norms(memory, k):
    """Root mean squares, in tolerances, of the last difference that orders k, k - 1 and k - 2 leave out."""
    beta, d = memory.beta, memory.differences
    squares = lower_squares = lowest_squares = 0.0
    for j in range(memory.y.shape[0]):
        weight = memory.weight[j]
        if weight > 0.0:
            missed = memory.rate[j] - memory.ahead[j]
            lower = missed + beta[k - 1] * d[j, k - 1]
            lowest = lower + beta[k - 2] * d[j, k - 2] if k > 1 else 0.0
            squares += (weight * missed) ** 2
            lower_squares += (weight * lower) ** 2
            lowest_squares += (weight * lowest) ** 2
    return squares**0.5, lower_squares**0.5, lowest_squares**0.5


@kernel(internal=True)
def difference_norm(memory, i):
    """Root mean square, in tolerances, of the differences of order i (counted from 0)."""
    squares = 0.0
    for j in range(memory.y.shape[0]):
        if memory.weight[j] > 0.0:
            squares += (memory.weight[j] * memory.differences[j, i]) ** 2
    return squares**0.5


@kernel(internal=True)
def integrate_polynomial(memory, s, k, y, dy):
    """y and dy at the time s after (before, if s < 0) the present one, from the polynomial through k rates.

    For y the last rate is shifted, which shifts all differences alike: the corrector used f(predicted) in its place.
    """
    g, values, moment, d = memory.g, memory.ratio, memory.moment, memory.differences
    for q in range(k):
        moment[q] = 1.0 / (q + 1.0)
    g[0] = values[0] = 1.0
    reach = past = 0.0
    for i in range(1, k):
        past += memory.steps[i - 1]
        here, slope = (s + reach) / past, s / past
        for q in range(k - i):
            moment[q] = here * moment[q] - slope * moment[q + 1]
        g[i], values[i] = moment[0], here * values[i - 1]
        reach = past
    for j in range(memory.y.shape[0]):
        mean = rate = 0.0
        for i in range(k - 1, -1, -1):
            mean += g[i] * (d[j, i] + memory.shift[j])
            rate += values[i] * d[j, i]
        y[j] = memory.y[j] + s * mean
        dy[j] = rate
