"""Haug, section 7.4: polynomial approximation and Adams' methods.

The example of all tables is x' = x, x(0) = 1, solved by e^t. Steps and orders are fixed here: the order grows by one in
each step from 1 to k, as in the book. A corrector of order k + 1 belongs to a predictor of order k.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.integrators.historical import adams
from cardan.integrators.historical.adams_formula import moulton_coefficients
from cardan.numerics.compiled.jit import kernel
from odes import AdamsRun, growth
from verification.manual import Within, digits, units

E10 = math.exp(10.0)
ROUNDED = Within(1e-14, "rounding")
CUT = units(1.1e-3, "one unit of the last printed digit: the source cut digits off")

# Table 7.4.6 (h = 0.1), rows i = 1 to 10, columns k = 1 to 5; then its errors in percent
COARSE = """
1.100000 1.100000 1.100000 1.100000 1.100000   1.210000 1.215000 1.215000 1.215000 1.215000
1.331000 1.342250 1.342875 1.342875 1.342875   1.464100 1.482838 1.484093 1.484013 1.484013
1.610510 1.638151 1.640119 1.640038 1.640126   1.771561 1.809731 1.812549 1.812525 1.812679
1.948717 1.999284 2.003109 2.003146 2.003305   2.143589 2.208689 2.213703 2.213811 2.213988
2.357948 2.440029 2.446348 2.446631 2.446842   2.593742 2.695599 2.703641 2.703938 2.704177
"""
COARSE_PERCENT = """
0.468 0.468 0.468 0.468 0.468   0.934 0.524 0.524 0.524 0.524   1.397 0.564 0.517 0.517 0.517
1.858 0.602 0.518 0.524 0.524   2.318 0.641 0.522 0.527 0.521   2.775 0.680 0.525 0.527 0.518
3.230 0.719 0.529 0.527 0.519   3.682 0.757 0.532 0.527 0.519   4.133 0.796 0.535 0.527 0.519
4.582 0.834 0.539 0.528 0.519
"""
# Table 7.4.7 (h = 0.01)
FINE = """
1.010000 1.010000 1.010000 1.010000 1.010000   1.020100 1.020150 1.020150 1.020150 1.020150
1.030301 1.030402 1.030403 1.030403 1.030403   1.040604 1.040758 1.040759 1.040748 1.040748
1.051010 1.051217 1.051218 1.051218 1.051218   1.061520 1.061781 1.061783 1.061783 1.061783
1.072135 1.072452 1.072454 1.072454 1.072454   1.082857 1.083230 1.083233 1.083233 1.083233
1.093685 1.094116 1.094119 1.094119 1.094119   1.104622 1.105112 1.105115 1.105115 1.105115
"""


@kernel(internal=True)
def partial_sums(machine, task, t, y, dy):
    """y_1' = 0, y_k' = y_(k-1): from ones at t = 0, y_k is the sum of the first k terms of e^t."""
    dy[0] = 0.0
    for k in range(1, y.shape[0]):
        dy[k] = y[k - 1]
    return 0


@kernel(internal=True)
def exponential(machine, task, t, y, dy):
    """A rate that depends on time only: its polynomials are those of the function e^t."""
    dy[0] = math.exp(t)
    return 0


def test_taylor_polynomials(record):
    """Table 7.4.1: Taylor polynomials of the exponential function.

    T_k' = T_(k-1), T_k(0) = 1: the polynomials of orders 1 to 14 are integrated as one system with variable order and
    step, to a tolerance of 1e-13.
    """
    printed = {
        0.5: """1.000000000 1.500000000 1.625000000 1.645833333 1.648437500 1.648697917 1.648719618 1.648721168
            1.648721265 1.648721270 1.648721271 1.648721271 1.648721271 1.648721271""",
        1.0: """1.000000000 2.000000000 2.500000000 2.666666667 2.708333333 2.716666667 2.718055556 2.718253968
            2.718278770 2.718281526 2.718281801 2.718281826 2.718281828 2.718281828""",
    }
    errors = {
        0.5: """-0.6487212707 -0.1487212707 -0.0237212707 -0.0028879374 -0.0002837707 -0.0000233540 -0.0000016526
            -0.0000001025 -0.0000000057 -0.0000000003 0 0 0 0""",
        1.0: """-1.7182818285 -0.7182818285 -0.2182818285 -0.0516151618 -0.0099484951 -0.0016151618 -0.0002262729
            -0.0000278602 -0.0000030586 -0.0000003029 -0.0000000273 -0.0000000023 -0.0000000002 0""",
    }
    for t in (0.5, 1.0):
        run = AdamsRun(partial_sums, np.ones(14), tol=1e-13, limit=t).to_limit()
        record(f"T_k({t:g}), k = 1 to 14", run.y, _table(printed[t]), digits(9), "Table 7.4.1")
        record(f"E_k({t:g})", run.y - math.exp(t), _table(errors[t]), digits(10), "Table 7.4.1")


def test_backward_difference_polynomials(record):
    """Table 7.4.2: Newton's polynomials through k equally spaced values of the exponential function.

    Ten steps of 0.1 with e^t as the rate lead to t = 1; the polynomial through the last k rates is continued to 1.1
    and 1.2.
    """
    printed = {
        1.1: """2.718281828 2.976960546 3.001577080 3.003919653 3.004142579 3.004163793 3.004165812 3.004166004
            3.004166022 3.004166024 3.004166024""",
        1.2: """2.718281828 3.235639263 3.309488867 3.318859159 3.319973785 3.320101070 3.320115202 3.320116739
            3.320116903 3.320116921 3.320116923""",
    }
    errors = {
        1.1: """-0.285884195 -0.027205478 -0.002588944 -0.000246371 -0.000023445 -0.000002231 -0.000000212
            -0.000000020 -0.000000002 0 0""",
        1.2: """-0.601835094 -0.084477660 -0.010628056 -0.001257764 -0.000143137 -0.000015852 -0.000001721
            -0.000000184 -0.000000019 -0.000000002 0""",
    }
    runs = [AdamsRun(exponential, [1.0], t=1.0, step=0.1, rule=adams.FIXED_PREDICTOR)]
    runs += [_predicted(k, 0.1, 10, exponential) for k in range(1, 11)]
    for t in (1.1, 1.2):
        found = np.array([run.at(t)[1][0] for run in runs])
        record(f"P_k({t:g}), k = 1 to 11", found, _table(printed[t]), digits(9), "Table 7.4.2")
        record(f"E_k({t:g})", found - math.exp(t), _table(errors[t]), digits(9), "Table 7.4.2")


def test_euler(record):
    """Example 7.4.3 and Table 7.4.3: Euler's method."""
    values = {
        0.1: """1.1000000000 1.2100000000 1.3310000000 1.4641000000 1.6105100000 1.7715610000 1.9487171000
            2.1435888100 2.3579476910 2.5937424601""",
        0.01: """1.1046221254 1.2201900399 1.3478489153 1.4888637336 1.6446318218 1.8166966986 2.0067633684
            2.2167152172 2.4486326746 2.7048138294""",
    }
    percent = {
        0.1: "0.468 0.934 1.397 1.858 2.318 2.775 3.230 3.682 4.133 4.582",
        0.01: "0.050 0.099 0.149 0.198 0.248 0.298 0.347 0.397 0.446 0.495",
    }
    exact = np.exp(0.1 * np.arange(1, 11))
    for h, each in ((0.1, 1), (0.01, 10)):
        found = _path(1, h, 10 * each)[each - 1 :: each]
        record(f"x at t = 0.1 to 1, h = {h:g}", found, _table(values[h]), digits(10), "Table 7.4.3")
        record(f"error in percent, h = {h:g}", 100 * (1 - found / exact), _table(percent[h]), digits(3), "Table 7.4.3")


def test_coefficients(record):
    """Tables 7.4.4 and 7.4.10: coefficients of Adams-Bashforth and Adams-Moulton."""
    bashforth = _predicted(5, 0.1, 10, growth).memory.g[:6]
    expected = [1, 1 / 2, 5 / 12, 3 / 8, 251 / 720, 95 / 288]
    record("predictor, gamma 0 to 5", bashforth, expected, ROUNDED, "Table 7.4.4")
    moulton = [float(c) for c in moulton_coefficients(6)]
    expected = [1, -1 / 2, -1 / 12, -1 / 24, -19 / 720, -3 / 160]
    record("corrector, gamma* 0 to 5", moulton, expected, ROUNDED, "Table 7.4.10")
    record.erratum("Haug, Table 7.4.4", "gamma_5 is printed as 95/298; it is 95/288.")


def test_predictor(record):
    """Example 7.4.4, Tables 7.4.6 to 7.4.9: Adams-Bashforth with a start of its own.

    The statement of the example and Table 7.4.5 are lost.
    """
    coarse, fine = _table(COARSE).reshape(10, 5), _table(FINE).reshape(10, 5)
    coarse[8, 2], fine[3, 3:] = 2.446438, 1.040758
    found = np.array([_path(k, 0.1, 10) for k in range(1, 6)]).T
    record("x, h = 0.1, k = 1 to 5", found, coarse, digits(6), "Table 7.4.6")
    percent = 100 * (1 - found / np.exp(0.1 * np.arange(1, 11))[:, None])
    record("error in percent", percent, _table(COARSE_PERCENT).reshape(10, 5), digits(3), "Table 7.4.6")
    found = np.array([_path(k, 0.01, 10) for k in range(1, 6)]).T
    record("x, h = 0.01, k = 1 to 5", found, fine, digits(6), "Table 7.4.7")
    percent = 100 * (1 - found / np.exp(0.01 * np.arange(1, 11))[:, None])
    expected = np.full((10, 5), 0.005)
    expected[:, 0] *= np.arange(1, 11)
    record("error in percent", percent, expected, digits(3), "Table 7.4.7")

    far = {
        ("Table 7.4.8", 0.1): "13780.612 21090.171 21841.518 21904.347 21911.635",
        ("Table 7.4.9", 0.01): "20959.155 22016.255 22025.280 22025.356 22025.361",
    }
    errors = {0.1: "-8245.853 -936.294 -184.947 -122.118 -114.830", 0.01: "-1067.310 -10.209 -1.185 -1.108 -1.104"}
    for (table, h), values in far.items():
        found = np.array([_predicted(k, h, round(10 / h), growth).y[0] for k in range(1, 6)])
        record(f"x(10), h = {h:g}, k = 1 to 5", found, _table(values), CUT, table)
        record("error", found - E10, _table(errors[h]), CUT, table)
    record.erratum(
        "Haug, Table 7.4.6", "the entry i = 9, k = 3 is printed as 2.446348; it is 2.446438 (error 0.535 %)."
    )
    record.erratum("Haug, Table 7.4.7", "the entries i = 4, k = 4 and 5 are printed as 1.040748; they are 1.040758.")
    record.erratum(
        "Haug, section 7.4.3",
        "the formula of the second step weighs the first difference with 1; it is gamma_1 = 1/2, as in the tables.",
    )


def test_predictor_and_corrector_by_hand(record):
    """Example 7.4.5: three steps of predictor and corrector, h = 0.1."""
    run = AdamsRun(growth, [1.0], step=0.1, rule=adams.FIXED, order=3)
    for expected, places in (((1.1, 1.105), 10), ((1.22075, 1.2211979), 7), ((1.3495942, 1.3496317), 7)):
        run.steps(1)
        found = [run.memory.predicted[0], run.y[0]]
        record(f"predicted and corrected x({run.t:.1f})", found, expected, digits(places), "Example 7.4.5")
    record.erratum(
        "Haug, Example 7.4.5", "the differences in the prediction of x3 are called those of f_3, not of f_2."
    )


def test_predictor_and_corrector(record):
    """Tables 7.4.11 and 7.4.12: predictor and corrector up to t = 10.

    The printed values for k >= 2 come from a start with a defect and are no reference. The orders of Example 7.4.5
    (predictor n, corrector n + 1 in step n) are computed again with plain backward differences instead. The printed
    errors have the digits of single precision and are not compared.
    """
    printed = {
        ("Table 7.4.11", 0.1): [21688.414370387, 21980.499079835, 21994.743244024, 21990.708589885, 21986.702800628],
        ("Table 7.4.12", 0.01): [22022.822441367, 22026.251549431, 22026.188149769, 22026.130130982, 22026.088790048],
    }
    few = units(2e-7, "the source computed with about eleven digits")
    for (table, h), values in printed.items():
        count = round(10 / h)
        found = np.array(
            [AdamsRun(growth, [1.0], step=h, rule=adams.FIXED, order=k).steps(count).y[0] for k in range(1, 6)]
        )
        record(f"x(10), h = {h:g}, k = 1", found[0], values[0], few, table)
        again = [_backward_differences(k, h, count) for k in range(1, 6)]
        agreement = Within(1e-6, "rounding: differences of numbers near 2e4, summed over the steps")
        record(f"x(10), h = {h:g}, k = 1 to 5", found, again, agreement, table, "recomputed")
        assert np.all(np.diff(np.abs(found - E10)) < 0)
        defect = [_backward_differences(k, h, count, late=True) for k in range(1, 6)]
        assert np.abs(np.array(defect) - values).max() < 1e-6
    record.erratum(
        "Haug, Tables 7.4.11 and 7.4.12",
        "the rows k >= 2 are no Adams method: all their digits but the last two come out if the corrector has its full"
        " order k + 1 from the first step on, with zeros for the differences that do not exist yet. Hence errors that"
        " grow with k; with the start of Example 7.4.5 they fall (h = 0.1: -338, -29.2, -5.81, -3.89, -3.73).",
    )


def _table(text: str) -> np.ndarray:
    return np.array(text.split(), float)


def _predicted(k: int, h: float, count: int, rhs: object) -> AdamsRun:
    """A number of steps with the predictor of order k alone."""
    return AdamsRun(rhs, [1.0], step=h, rule=adams.FIXED_PREDICTOR, order=k).steps(count)


def _path(k: int, h: float, count: int) -> np.ndarray:
    run = AdamsRun(growth, [1.0], step=h, rule=adams.FIXED_PREDICTOR, order=k)
    return np.array([run.steps(1).y[0] for _ in range(count)])


def _backward_differences(k: int, h: float, count: int, late: bool = False) -> float:
    """x by equations 7.4.11 and 7.4.14 as they stand; `late`: with the defect of the start in the book's tables."""
    moulton = [float(c) for c in moulton_coefficients(k + 1)]
    bashforth = np.cumsum(moulton)
    x, old = 1.0, np.zeros(k + 1)  # old: f, its first difference, ...
    old[0] = 1.0
    for n in range(1, count + 1):
        order = min(n, k)
        predicted = x + h * bashforth[:order] @ old[:order]
        terms = k + 1 if late else order + 1
        new = predicted - np.concatenate(([0.0], np.cumsum(old)[:-1]))
        x += h * np.dot(moulton[:terms], new[:terms])
        new = x - np.concatenate(([0.0], np.cumsum(old)[:-1]))
        new[n + 1 :] = 0.0
        old = new
    return float(x)
