r"""The magic formula of Pacejka, versions 5.2 and 6.1, with the coefficients of a tire property file.

Pure slip, for the longitudinal force X(kappa) and the lateral force Y(alpha), each with its own coefficients:

    F = D sin(C arctan(B x - E (B x - arctan B x))) + S_V,     x = slip + S_H,     B = K / (C D)

Combined slip multiplies both by weights G_xa(alpha), G_yk(kappa), which are cosines of the same form (Pacejka, "Tire
and Vehicle Dynamics", 3rd ed., section 4.3.2). The aligning torque is M_z = -t F_y' + M_zr + s F_x with the pneumatic
trail t, the residual torque M_zr and the lever s of the longitudinal force. M_x and M_y are the overturning and rolling
resistance moments. Everything depends on the load through df = (Fz - F0) / F0 and on the camber gamma.

Axes are those of ISO 8855 as in the files: x forward, y to the left, z up; a positive slip angle is a motion of the
contact point to the left, and gives a negative side force.
"""

from __future__ import annotations

import math

VERTICAL = 18  # numbers of the vertical force and of relaxation, in front of those of the magic formula
STANDSTILL = 0.5  # m/s: without states, slips fade below this speed
SPIN_SPEED = 0.05  # m/s: slips of a wheel that spins in place refer to this speed
LEAST_LOAD = 0.02  # of the nominal load, for relaxation lengths
CREEP = 0.1  # m/s: speed of the tread for full rolling resistance
WALK = 2.0  # m/s: speed above which the damping of the deflections fades
SETTLING = 0.02  # s: damps the deflections near standstill
MIN_RELAXATION = 0.02  # of the radius: relaxation lengths are not shorter
DIVISION_GUARD = 1e-9  # avoids division by zero where a wheel has no load or no friction


def transient_magic_formula(
    gap: float, gap_rate: float, slide_x: float, slide_y: float, advance: float, camber: float, u: float, v: float,
    *numbers: float,
) -> tuple[float, ...]:  # fmt: skip
    """The function of the device of a `Tire` with deflections u, v as states; see `tire.py` for inputs and outputs."""
    load, loaded, stretch = _vertical(gap, gap_rate, advance - slide_x, numbers)
    slide = advance - (advance - slide_x) * stretch  # at the effective radius
    pace = max(abs(advance), abs(advance - slide), abs(slide_y))
    slopes = magic_formula_forces(load, 0.0, 0.0, 0.0, camber, 0.0, numbers[VERTICAL:])
    along, across = relaxation_lengths(load, camber, slopes[5], slopes[6], numbers)
    u_rate, v_rate = -slide - pace * u / along, -slide_y - pace * v / across
    lag = SETTLING / (1.0 + pace * pace / (WALK * WALK))
    kappa, tangent = (u + lag * u_rate) / along, (v + lag * v_rate) / across
    shown = _forces(load, loaded, kappa, tangent, advance, advance - slide, pace, camber, numbers)
    return (*shown, u_rate, v_rate)


def steady_magic_formula(
    gap: float, gap_rate: float, slide_x: float, slide_y: float, advance: float, camber: float, *numbers: float
) -> tuple[float, ...]:
    """The same with the slips of steady rolling."""
    load, loaded, stretch = _vertical(gap, gap_rate, advance - slide_x, numbers)
    slide = advance - (advance - slide_x) * stretch
    pace = max(abs(advance), abs(advance - slide), abs(slide_y), STANDSTILL)
    return _forces(load, loaded, -slide / pace, -slide_y / pace, advance, advance - slide, pace, camber, numbers)


def _vertical(gap: float, gap_rate: float, tread: float, numbers: tuple[float, ...]) -> tuple[float, float, float]:
    """The load, the loaded radius, and the ratio of the effective to the loaded radius."""
    r0, still, growth, stiffening, k1, k2, damping, b, d, f = numbers[1:11]
    v0 = numbers[VERTICAL + 3]
    loaded = max(0.5 * r0, r0 + gap)
    spin = tread / v0 * r0 / loaded
    free = r0 * (still + growth * spin * spin)
    deflection = (free - r0 - gap) / r0
    load = 0.0
    if deflection > 0.0:
        elastic = (1.0 + stiffening * abs(spin)) * (k1 + k2 * deflection) * deflection
        load = elastic * max(0.0, 1.0 - damping * gap_rate)
    effective = free - d * math.atan(b * load) - f * load
    return load, loaded, effective / loaded


def relaxation_lengths(
    load: float, camber: float, slope_x: float, slope_y: float, numbers: tuple[float, ...]
) -> tuple[float, float]:
    """Relaxation lengths along and across: from coefficients (5.2), or slip stiffness over carcass stiffness (6.1)."""
    r0, f0 = numbers[1], numbers[VERTICAL]
    structural, x1, x2, x3, y1, y2, y3 = numbers[11:18]
    n = max(load / f0, LEAST_LOAD)
    df = n - 1.0
    if structural != 0.0:
        fill = n / max(load / f0, DIVISION_GUARD) if load < LEAST_LOAD * f0 else 1.0
        along = slope_x * fill / (x1 * (1.0 + x2 * df + x3 * df * df))
        across = -slope_y * fill / (y1 * (1.0 + y2 * df + y3 * df * df))
    else:
        along = r0 * n * (x1 + x2 * df) * math.exp(-x3 * df)
        across = r0 * y1 * math.sin(2.0 * math.atan(n / y2)) * (1.0 - y3 * abs(camber))
    return max(along, MIN_RELAXATION * r0), max(across, MIN_RELAXATION * r0)


def _forces(
    load: float, loaded: float, kappa: float, tangent: float, advance: float, tread: float, pace: float, camber: float,
    numbers: tuple[float, ...],
) -> tuple[float, ...]:  # fmt: skip
    """Outputs of the device; kappa and the tangent are relative to the pace, the formula's are relative to |Vx|."""
    side = numbers[0]
    share = (abs(advance) + SPIN_SPEED) / (pace + SPIN_SPEED)
    slip, steep = kappa / share, -side * tangent / share
    alpha = math.atan(steep)
    if load == 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, slip, -side * alpha, 0.0
    forces = magic_formula_forces(load, slip, alpha, steep, side * camber, advance, numbers[VERTICAL:])
    fx, fy, mx, my, mz = forces[0], forces[1], forces[2], forces[3], forces[4]
    drag = -my / loaded * tread / math.sqrt(tread * tread + CREEP * CREEP)
    return load, fx, side * fy, side * mz, drag, slip, -side * alpha, side * mx


def magic_formula_forces(
    load: float, kappa: float, alpha: float, tangent: float, camber: float, speed: float, numbers: tuple[float, ...]
) -> tuple[float, ...]:
    """Fx, Fy, Mx, My, Mz, and the slopes of Fx and Fy at zero slip, under a load.

    `alpha` is the slip angle in rad and `tangent` its tangent: version 6.1 uses the tangent and the sine of the camber.
    `numbers` are the coefficients in the order of `MagicFormula.numbers`.
    """
    f0, r0, modern, v0 = numbers[0:4]
    df = (load - f0) / f0
    slip = alpha + modern * (tangent - alpha)
    gamma = camber + modern * (math.sin(camber) - camber)
    pure_x, slope_x = _longitudinal(load, df, gamma, kappa, numbers[4:19])
    pure_y, slope_y, shift, friction, bc = _lateral(load, df, f0, gamma, slip, modern, numbers[26:49])
    fx = pure_x * _weight_x(df, gamma, kappa, slip, numbers[19:26])
    weight, induced = _weight_y(load, df, gamma, kappa, slip, friction, numbers[49:64])
    fy = pure_y * weight + induced
    stretch = slope_x / slope_y * kappa
    trail = _trail(load, df, f0, r0, gamma, slip, stretch, modern, numbers[64:96])
    residual = _residual(load, df, r0, gamma, slip + shift, stretch, bc, numbers[64:96])
    s1, s2, s3, s4 = numbers[92:96]
    lever = r0 * (s1 + s2 * fy / f0 + (s3 + s4 * df) * gamma)
    mz = (residual - trail * pure_y * weight) * math.cos(alpha) + lever * fx
    mx = _overturning(load / f0, r0, gamma, fy / f0, numbers[96:110]) * f0
    my = -r0 * f0 * _rolling(load / f0, gamma, fx / f0, abs(speed) / v0, numbers[110:117])
    return fx, fy, mx, my, mz, slope_x, slope_y


def _curve(b: float, c: float, e: float, x: float) -> float:
    """C arctan(B x - E (B x - arctan(B x)))."""
    bx = b * x
    return c * math.atan(bx - e * (bx - math.atan(bx)))


def _sign(x: float) -> float:
    return 1.0 if x >= 0.0 else -1.0


def _longitudinal(load: float, df: float, gamma: float, kappa: float, p: tuple[float, ...]) -> tuple[float, float]:
    """Fx of pure slip, and its slope."""
    c, d1, d2, d3, e1, e2, e3, e4, k1, k2, k3, h1, h2, v1, v2 = p
    x = kappa + h1 + h2 * df
    d = max(0.0, (d1 + d2 * df) * (1.0 - d3 * gamma * gamma)) * load
    e = min(1.0, (e1 + e2 * df + e3 * df * df) * (1.0 - e4 * _sign(x)))
    slope = load * (k1 + k2 * df) * math.exp(k3 * df) + DIVISION_GUARD
    return d * math.sin(_curve(slope / (c * d + DIVISION_GUARD), c, e, x)) + load * (v1 + v2 * df), slope


def _lateral(
    load: float, df: float, f0: float, gamma: float, slip: float, modern: float, p: tuple[float, ...]
) -> tuple[float, float, float, float, float]:
    """Fy of pure slip, its slope, the shift of the slip at which it vanishes, the friction coefficient, and B C."""
    c, d1, d2, d3, e1, e2, e3, e4, e5, k1, k2, k3, k4, k5, k6, k7, h1, h2, h3, v1, v2, v3, v4 = p
    square, lean = gamma * gamma, abs(gamma)
    slope = k1 * f0 * (1.0 - k3 * lean) * math.sin(k4 * math.atan(load / (f0 * (k2 + k5 * square)))) - DIVISION_GUARD
    by_camber = load * (v3 + v4 * df) * gamma
    shift_v = load * (v1 + v2 * df) + by_camber
    shift_h = h1 + h2 * df + h3 * gamma + modern * (load * (k6 + k7 * df) * gamma - by_camber) / slope
    y = slip + shift_h
    mu = max(0.0, (d1 + d2 * df) * (1.0 - d3 * square))
    e = min(1.0, (e1 + e2 * df) * (1.0 + e5 * square - (e3 + e4 * gamma) * _sign(y)))
    b = slope / (c * mu * load + DIVISION_GUARD)
    force = mu * load * math.sin(_curve(b, c, e, y)) + shift_v
    return force, slope, shift_h + shift_v / slope, mu, b * c


def _weight_x(df: float, gamma: float, kappa: float, slip: float, p: tuple[float, ...]) -> float:
    b1, b2, b3, c, e1, e2, h = p
    b, e = (b1 + b3 * gamma * gamma) * math.cos(math.atan(b2 * kappa)), min(1.0, e1 + e2 * df)
    return math.cos(_curve(b, c, e, slip + h)) / math.cos(_curve(b, c, e, h))


def _weight_y(
    load: float, df: float, gamma: float, kappa: float, slip: float, friction: float, p: tuple[float, ...]
) -> tuple[float, float]:
    """The weight of Fy, and the side force that a longitudinal slip induces."""
    b1, b2, b3, b4, c, e1, e2, h1, h2, v1, v2, v3, v4, v5, v6 = p
    b, e = (b1 + b4 * gamma * gamma) * math.cos(math.atan(b2 * (slip - b3))), min(1.0, e1 + e2 * df)
    h = h1 + h2 * df
    induced = friction * load * (v1 + v2 * df + v3 * gamma) * math.cos(math.atan(v4 * slip))
    weight = math.cos(_curve(b, c, e, kappa + h)) / math.cos(_curve(b, c, e, h))
    return weight, induced * math.sin(v5 * math.atan(v6 * kappa))


def _trail(
    load: float, df: float, f0: float, r0: float, gamma: float, slip: float, stretch: float, modern: float,
    p: tuple[float, ...],
) -> float:  # fmt: skip
    b1, b2, b3, b4, b5, b6 = p[0:6]
    c, d1, d2, d3, d4 = p[8:13]
    e1, e2, e3, e4, e5, h1, h2, h3, h4 = p[19:28]
    lean = abs(gamma)
    x = slip + h1 + h2 * df + (h3 + h4 * df) * gamma
    b = (b1 + b2 * df + b3 * df * df) * (1.0 + b4 * gamma + b5 * lean + b6 * gamma * gamma)
    d = load * r0 / f0 * (d1 + d2 * df)
    d *= 1.0 + d3 * (gamma + modern * (lean - gamma)) + d4 * gamma * gamma
    e = (e1 + e2 * df + e3 * df * df) * (1.0 + (e4 + e5 * gamma) * 2.0 / math.pi * math.atan(b * c * x))
    equivalent = math.sqrt(x * x + stretch * stretch) * _sign(x)
    return d * math.cos(_curve(b, c, min(1.0, e), equivalent))


def _residual(
    load: float, df: float, r0: float, gamma: float, x: float, stretch: float, bc: float, p: tuple[float, ...]
) -> float:
    b9, b10 = p[6:8]
    d6, d7, d8, d9, d10, d11 = p[13:19]
    d = load * r0 * (d6 + d7 * df + (d8 + d9 * df) * gamma + (d10 + d11 * df) * gamma * abs(gamma))
    equivalent = math.sqrt(x * x + stretch * stretch) * _sign(x)
    return d * math.cos(math.atan((b9 + b10 * bc) * equivalent))


def _overturning(n: float, r0: float, gamma: float, fy: float, p: tuple[float, ...]) -> float:
    """Mx / F0; n and fy are the load and the side force in units of F0."""
    s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14 = p
    wave = s4 * math.cos(s5 * math.atan((s6 * n) * (s6 * n))) * math.sin(s7 * gamma + s8 * math.atan(s9 * fy))
    lean = -s2 * gamma - s12 * gamma * abs(gamma) + s10 * math.atan(s11 * n) * gamma
    return r0 * n * (s1 + lean + s3 * fy + wave) + r0 * fy * (s13 + s14 * abs(gamma))


def _rolling(n: float, gamma: float, fx: float, pace: float, p: tuple[float, ...]) -> float:
    """The rolling resistance moment in units of F0 R0; the other arguments are in units of F0 and of the speed V0."""
    s1, s2, s3, s4, s5, s6, s7 = p
    fourth = pace * pace * pace * pace
    rising = math.exp(s7 * math.log(n)) if n > 0.0 else 0.0
    return (s1 + s2 * fx + s3 * pace + s4 * fourth + (s5 + s6 * n) * gamma * gamma) * rising
