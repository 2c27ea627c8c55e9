"""Linearized suspensions: a strut and a twist axle of plausible data.

*Trom*: his suspensions are lost. Here data of our own are compared with energies written down by hand.
"""

from __future__ import annotations

import numpy as np

import cardan.spatial as deep
from cardan import equilibrium, linearize
from verification.manual import Within, rounding

G = 9.81

K_STRUT, C_STRUT, K_TIRE, FREE = 22e3, 1.5e3, 200e3, 0.52
ARM, TOP, OFFSET, SEAT = 0.36, (0.20, 0.62), 0.04, 0.10  # m
MASSES = {"arm": (3.0, 0.05), "knuckle": (38.0, 0.9), "rod": (2.5, 0.03)}  # kg, kg m2
HUB, FOOT, HANG = (0.14, 0.05), (0.18, -0.24), 0.18  # in knuckle axes: centre, contact; centre of the rod below its top


def test_strut_suspension(record):
    """A strut suspension of plausible data: an arm, a knuckle on a ball, a sliding strut, a tie rod, a tire.

    The source's data are lost, and with them its 11.5974 Hz. Reference: with the angle of the arm as its only
    coordinate the mechanism is written down by hand, and V and T are differentiated, V twice, at the rest of V.
    """
    model, hinge = _strut()
    rest = equilibrium(model)
    linear = linearize(model, rest, degrees_of_freedom=[hinge.angle])
    angle = _stationary(0.0)
    record("angle of the arm at rest", rest[hinge.angle].value, angle, rounding(10), "energy", "recomputed")
    mass, stretch = _strut_parts(angle)[1:]
    damping, stiffness = C_STRUT * stretch**2, _difference(_strut_force, angle)
    for name, ours, theirs in (
        ("mass in kg m2", linear.mass, mass),
        ("damping in N m s", linear.damping, damping),
        ("stiffness in N m", linear.stiffness, stiffness),
    ):
        record(f"{name} by the arm's angle", ours[0, 0], theirs, Within(1e-8 * theirs, "c"), "energy", "recomputed")
    s = np.roots([mass, damping, stiffness])[0]
    found = linear.modes().eigenvalues[0]
    record("eigenvalue, real and imaginary", [found.real, found.imag], [s.real, abs(s.imag)], rounding(100), "energy",
           "recomputed")  # fmt: skip


def _strut():
    """All in the yz plane, y outward; the tie rod lies before the arm, so that travel does not steer the wheel."""
    model = deep.Model("strut", gravity=(0, 0, -G))
    y_top, z_top = TOP
    ball = np.array((ARM, 0.0))
    lean = _strut_angle(ball[0], ball[1])[0]  # of the strut from the vertical
    turned = {"orientation": deep.rotation.from_axis_angle((1, 0, 0), lean)}
    x = {"z": (1, 0, 0), "x": (0, 1, 0)}

    def mass(name):
        m, J = MASSES[name]
        return {"mass": m, "inertia": (J, J, J)}

    arm = model.add(deep.Body(position=(0, ARM / 2, 0), **mass("arm")), name="arm")
    knuckle = deep.Body(position=(0, *ball), center=(0, *HUB), **mass("knuckle"), **turned)
    knuckle = model.add(knuckle, name="knuckle")
    rod = model.add(deep.Body(position=(0, y_top, z_top), center=(0, 0, -HANG), **mass("rod"), **turned), name="rod")
    hinge = model.add(deep.Revolute(model.ground.at(**x), arm.at(0, -ARM / 2, 0, **x)), name="bush")
    model.add(deep.Spherical(arm.at(0, ARM / 2, 0), knuckle.at()), name="ball")
    model.add(deep.Cylindrical(knuckle.at(0, -OFFSET, 0), rod.at()), name="slide")
    model.add(deep.Universal(model.ground.at(0, y_top, z_top, **x), rod.at(z=(0, 1, 0), x=(0, 0, 1))), name="mount")
    model.add(deep.Distance(model.ground.at(0.12, 0, 0), knuckle.at(0.12, 0, 0), ARM), name="tie rod")
    seat = knuckle.at(0, -OFFSET, SEAT)
    strut = deep.length(model.ground.at(0, y_top, z_top), seat)
    model.add(deep.Spring(strut, K_STRUT, damping=C_STRUT, rest_length=FREE), name="strut")
    model.add(deep.Spring(deep.z(knuckle.at(0, *FOOT)), K_TIRE, rest_length=-0.22), name="tire")
    return model, hinge


def _turn(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


def _strut_angle(y, z):
    """Of the line through the top that passes the ball at a distance: its lean, and how far the top is along it."""
    dy, dz = TOP[0] - y, TOP[1] - z
    apart = np.sqrt(dy**2 + dz**2)
    along = np.sqrt(apart**2 - OFFSET**2)
    sine, cosine = -OFFSET * dz - along * dy, along * dz - OFFSET * dy  # R(lean) (-OFFSET, along) = (dy, dz)
    return np.arctan(sine / cosine), along


def _strut_parts(angle):
    """V, the mass by the arm's angle, and how fast the strut grows with it: by complex steps of the places of all."""
    h = 1e-30
    at = angle + 1j * h
    rate = [np.imag(part) / h for part in _strut_places(at)]
    (m_arm, J_arm), (m_knuckle, J_knuckle), (m_rod, J_rod) = MASSES.values()
    arm, hub, rod, foot, lean, strut = rate
    turning = J_arm + (J_knuckle + J_rod) * lean**2
    mass = m_arm * arm @ arm + m_knuckle * hub @ hub + m_rod * rod @ rod + turning
    return _strut_energy(angle), mass, strut


def _strut_places(angle):
    """Centres of arm, knuckle and rod, the foot of the tire, the lean of the knuckle, the length of the strut."""
    way = np.array([np.cos(angle), np.sin(angle)])
    ball = ARM * way
    lean, along = _strut_angle(*ball)
    R = _turn(lean)
    hub, foot = ball + R @ np.array(HUB), ball + R @ np.array(FOOT)
    rod = np.array(TOP) - R @ np.array([0.0, HANG])
    return ball / 2, hub, rod, foot, lean, along - SEAT


def _strut_energy(angle):
    arm, hub, rod, foot, _, strut = _strut_places(angle)
    weight = G * sum(m * place[1] for (m, _), place in zip(MASSES.values(), (arm, hub, rod), strict=True))
    return weight + K_STRUT * (strut - FREE) ** 2 / 2 + K_TIRE * (foot[1] + 0.22) ** 2 / 2


def _strut_force(angle):
    return np.imag(_strut_energy(angle + 1e-30j)) / 1e-30


def _stationary(angle):
    """The angle where the force vanishes, by Newton's method."""
    for _ in range(20):
        angle -= _strut_force(angle) / _difference(_strut_force, angle)
    return angle


LINK, BEHIND, TRACK, WHEEL, SPIN = 0.38, 0.12, 1.10, 32.0, 1.6  # m: hinge to wheel, to beam; width; kg; kg m2 of an arm
SPRING, DAMPER, RATE = (0.30, -0.25), (0.36, -0.30), (28e3, 1.8e3, 190e3)  # place of the lower end, height of the upper
BEAM = {"E": 210e9, "G": 81e9, "A": 6e-4, "Iy": 1.5e-8, "Iz": 2.5e-7, "J": 3e-9}


def test_twist_axle(record):
    """A twist axle of plausible data: two trailing arms, and a beam between them that twists and bends.

    The source's data are lost, and with them its 10.35017 and 10.78386 Hz. Both wheels together leave the beam alone;
    against each other it adds G J / L of twist and 12 E Iz c^2 / L^3 of bending, c being its place behind the hinges:

        w^2 J = k0 + (0 or 2) (G J_t / L + 12 E I c^2 / L^3)

    with k0 = V'' and J of one arm by hand, at its rest.
    """
    model, hinges = _twist_axle()
    rest = equilibrium(model)
    linear = linearize(model, rest, degrees_of_freedom=[hinge.angle for hinge in hinges])
    angle = 0.0
    for _ in range(20):
        angle -= _arm_force(angle) / _difference(_arm_force, angle)
    arms = [rest[hinge.angle].value for hinge in hinges]
    record("angles of the arms at rest", arms, [angle] * 2, rounding(10), "energy", "recomputed")
    alone, twisting = _difference(_arm_force, angle), BEAM["G"] * BEAM["J"] / TRACK
    twisting += 12 * BEAM["E"] * BEAM["Iz"] * BEHIND**2 / TRACK**3
    inertia = SPIN + WHEEL * LINK**2
    wanted = np.sqrt([alone / inertia, (alone + 2 * twisting) / inertia]) / (2 * np.pi)
    K = [[alone + twisting, -twisting], [-twisting, alone + twisting]]
    near = Within(1e-8 * alone, "c")
    record("stiffness in N m", linear.stiffness, K, near, "energy", "recomputed")
    undamped = np.sqrt(np.linalg.eigvals(np.linalg.solve(linear.mass, linear.stiffness))) / (2 * np.pi)
    record("frequencies in Hz without damping", np.sort(undamped), wanted, rounding(20), "energy", "recomputed")
    shapes = [linear.modes().vectors[:2, k] for k in range(2)]
    signs = [round(float((shape[1] / shape[0]).real), 6) for shape in shapes]
    record.fact("left over right wheel, by mode", signs, [1.0, -1.0], "symmetry", "closed form")
    c = _arm_damping(angle)
    found = linear.modes().eigenvalues
    theirs = [np.roots([inertia, c, k])[0] for k in (alone, alone + 2 * twisting)]
    record("real parts", found.real, np.real(theirs), rounding(100), "energy", "recomputed")
    record("imaginary parts", found.imag, np.abs(np.imag(theirs)), rounding(100), "energy", "recomputed")


def _twist_axle():
    """Arms point backward along x; springs and dampers stand between them and the car, tires on the road."""
    model = deep.Model("twist axle", gravity=(0, 0, -G))
    across = {"z": (0, 1, 0), "x": (1, 0, 0)}
    hinges, ends = [], []
    k, c, k_tire = RATE
    for name, y in (("left", TRACK / 2), ("right", -TRACK / 2)):
        arm = model.add(deep.Body(mass=WHEEL, inertia=(0.5, SPIN, SPIN), position=(LINK, y, 0)), name=f"{name} arm")
        hinge = deep.Revolute(model.ground.at(0, y, 0, **across), arm.at(-LINK, 0, 0, **across))
        hinges.append(model.add(hinge, name=f"{name} bush"))
        for what, (x, z), rates in (("spring", SPRING, (k, 0.0)), ("damper", DAMPER, (0.0, c))):
            line = deep.length(model.ground.at(x, y, -z), arm.at(x - LINK, 0, 0))
            model.add(deep.Spring(line, rates[0], damping=rates[1], rest_length=0.34), name=f"{name} {what}")
        model.add(deep.Spring(deep.z(arm.at()), k_tire, rest_length=0.02), name=f"{name} tire")
        ends.append(arm.at(BEHIND - LINK, 0, 0, x=(0, -1, 0), z=(1, 0, 0)))
    model.add(deep.Beam(*ends, TRACK, **BEAM), name="beam")
    return model, hinges


def _arm_energy(angle):
    """Of one arm; it turns about y, so that a positive angle lowers the wheel."""
    k, _, k_tire = RATE
    drop = -LINK * np.sin(angle)
    return WHEEL * G * drop + k * (_line(SPRING, angle) - 0.34) ** 2 / 2 + k_tire * (drop - 0.02) ** 2 / 2


def _line(ends, angle):
    """From the car to the arm."""
    x, z = ends
    return np.sqrt((x * np.cos(angle) - x) ** 2 + (-x * np.sin(angle) + z) ** 2)


def _arm_damping(angle):
    return RATE[1] * (np.imag(_line(DAMPER, angle + 1e-30j)) / 1e-30) ** 2


def _arm_force(angle):
    return np.imag(_arm_energy(angle + 1e-30j)) / 1e-30


def _difference(function, at, h=1e-2):
    """The derivative by differences of the tenth order."""
    weights = (5 / 6, -5 / 21, 5 / 84, -5 / 504, 1 / 1260)
    return sum(w * (function(at + k * h) - function(at - k * h)) for k, w in enumerate(weights, 1)) / h
