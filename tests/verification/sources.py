"""What is known about the sources: cases that are not verified, with the reason, and misprints outside the cases."""

_FIGURE = "the geometry stands only in a figure that the text at hand does not have"
_LATER = "dynamics: not part of this version"
_NUMPY = "arithmetic of small matrices, done by NumPy: no code of this program is involved"

LOST = (
    ("Haug Examples 2.2.1 to 2.2.3, Problem 2.2.3", _NUMPY),
    ("Haug Example 3.4.1", "the page is lost"),
    ("Haug Example 3.7.7, end", "the text after the equation is lost; ranks are verified against a computation"),
    ("Haug Problem 3.4.2, trolley", f"{_FIGURE}; whether there is a second gear is unknown"),
    ("Haug Problem 3.4.3, oil pump", _FIGURE),
    ("Haug Problem 3.4.10", _FIGURE),
    ("Haug Problems 3.5.3 to 3.5.6", _FIGURE),
    ("Haug Problems 3.6.1 and 3.6.2", _FIGURE),
    ("Haug Problem 4.4.6", "the printed matrix is singular (columns 1 and 4 are equal); only its rank is verified"),
    ("Haug section 5.3, path of the coupler point E", "where E lies stands only in a figure"),
    ("Haug section 5.4, initial estimates", f"{_FIGURE}; estimates near the printed assembled position are used"),
    ("Haug projects 5.1 to 5.3", _FIGURE),
    ("Haug Figures 5.2.8 to 5.6.8, plots", "pictures; the peaks and spot values of the curves are verified instead"),
    (
        "Haug Problems 9.2.9 to 9.2.13, 9.3.4 to 9.3.13, 9.6.1 to 9.6.7",
        "identities to prove; what the program uses of them is verified above or follows from the laws",
    ),
    ("Haug Problems 9.4.3 and 9.4.4", "proofs of equations that are verified above"),
    ("Haug section 10.2, phase of the curves", "the start and the sense of the crank's turn stand only in figures"),
    ("Haug section 10.4, place of point O", f"{_FIGURE}; any place on the disk's z' axis gives the same motion"),
    ("Haug Figures 10.2.3 to 10.4.4, plots", "pictures; the peaks and spot values of the curves are verified instead"),
    ("Haug Example 6.1.1, Problems 6.2.1 and 6.2.2", "symbols without numbers; forces are verified by the laws"),
    ("Haug Problems 6.3.1 and 6.4.3, double pendulum", "masses and lengths stand only in a figure"),
    ("Haug Figures 8.2.4, 8.3.2 and 8.5.2, plots", "pictures; closed forms of the curves are verified instead"),
    ("Haug section 8.3.3, cutting force", "its curve stands only in a figure; the torque without it is verified"),
    ("Haug section 8.5, ends of the valve spring", f"{_FIGURE}; a length for which all printed outcomes hold is used"),
    ("Haug projects 8.1 to 8.3", _FIGURE),
    ("Haug Example 11.1.1, Problems 11.1.1 to 11.1.4, 11.3.1 to 11.3.3", "symbols without numbers, or proofs"),
    ("Haug Figures 12.2.1, 12.3.1, 12.4.2 to 12.4.5, plots", "pictures; closed forms are verified instead"),
    ("Haug section 12.3.3, model 1", "no number of it survives; its power balance is one of the laws"),
    ("Haug section 12.4.1, force of the gas", "the law as printed is no force; a repaired one is used"),
    ("Haug section 8.3.4, cutting force and start", "they stand only in a figure; a force of the printed work is used"),
    ("Haug section 8.4.2, stiffness of the contact", "it stands only in a figure; 1e4 N/m is used"),
    (
        "Haug section 12.4.3, 60 rad/s",
        "the law of the gas as printed is no force; with the repaired one this run stops",
    ),
    (
        "Haug section 12.5, passenger vehicle",
        "tires and steering are lost; parts of the front suspension contradict each other; it is imitated, with what "
        "was chosen stated there",
    ),
    ("Haug section 12.6, curves of the governor under load", "its load torque stands only in a figure; one was chosen"),
    ("DADS-2D problem 1, printed multipliers", "the text at hand has none; a power balance is verified instead"),
    ("DADS-2D problem 1, spring", "Table 6.1.1 does not say where it is fastened; slider and crank's axis are used"),
    ("De Sapio, exercises 1, 5 and 7", "how the axes of the robot stand is told by a figure of another chapter"),
    ("De Sapio, Figures 5.3, 5.9, 5.10, 5.12 and 5.13", "pictures; the motions are integrated by another method"),
    (
        "DADS-2D Table 6.2.2, last column",
        "its heading and half of its digits cannot be read; no multiplier or driver force of the stated data fits it",
    ),
    ("DADS-2D Table 6.2.2, 9 of 60 entries of phi4, phi5 and y7", "a digit cannot be read"),
    (
        "Trom, seven-degree-of-freedom chain, printed frequencies",
        "its spring constants stand only in a figure; the method is verified with springs of our own",
    ),
    (
        "Trom, passenger car with 29 coordinates and ten degrees of freedom",
        "no data of it are printed; suspensions and a truck of our own are verified instead",
    ),
    ("Trom, Tables 4.2 and 5.2", "frequencies of suspensions and of a truck whose data are lost; ours are imitations"),
    ("DADS-2D problem 3, Table 6.3.2", "the table is lost; its formula x6 = y3 x12 / y11 is verified"),
)

# Misprints of formulas that no case above meets. The program derives its equations itself, and its derivatives are
# checked by differences in tests/properties.
MISPRINTS = (
    "Haug, Example 2.3.1: sgn(a-perp . a) must be sgn(a-perp . a-perp) = 1.",
    "Haug, equation 3.2.2: the angle column has x' sin phi - y' cos phi; it is x' sin phi + y' cos phi.",
    "Haug, after equations 3.2.5, 3.3.8, 3.3.18, 3.4.4, 3.4.30: 'gamma = 0' where nu = 0 is meant.",
    "Haug, before equation 3.3.13: v = P - Q; elsewhere, and rightly, Q - P.",
    "Haug, gamma of the translational joint: the last bracket needs velocities instead of positions.",
    "Haug, equations 3.4.3, 3.4.4 and the gear's gamma: transposes, signs and velocities are lost.",
    "Haug, equation 3.4.7: theta_j = thetabar_j - pi does not reproduce 3.4.6; + pi does.",
    "Haug, equations 3.4.21, 3.4.28 and 3.4.30: i and j are swapped, and signs do not match.",
    "Haug, Table 3.5.1: 2 (C4)^2 must be 2 (C4')^2.",
    "Haug, step 2 of the minimization in section 4.3: H^(i+1) must be H^(i), an estimate of the inverse Hessian.",
    "Haug, section 4.4: rows may be eliminated if the remainder of b is zero, not if it is not.",
    "Haug, Examples 4.4.2 and 4.4.5: digits and a sign of intermediate matrices are wrong, the solutions are right.",
    "Haug, equation 9.1.28: tilde(a) tilde(b) = b a^T - a b^T; it is b a^T - (a . b) I, as in the chapter's summary.",
    "Haug, equations 9.2.36 to 9.2.43: tildes are missing, and dots on omega are doubled.",
    "Haug, equation 9.2.61: delta pi_i - delta pi_i must be delta pi_j - delta pi_i.",
    "Haug, summary of chapter 9, equation 9.3.6: a factor 2 before (e e^T + e0 tilde(e)) is missing.",
    "Haug, equations 9.6.20 to 9.6.22 and 9.6.25: bars stand for tildes, primes and a tilde are lost.",
    "Haug, equation 9.4.33: d_ij must be d_ji, as in 9.4.32; only the sign differs.",
    "Haug, heading of section 6.6: it is numbered 6.5.",
    "Haug, end of section 6.6, absolute x: the x component of the reaction is -lambda, not lambda.",
    "Haug, Table 12.2.1: the connecting rod lies along x', but its small moment of inertia is that about y'.",
    "Haug, Table 12.3.1: no body has the moments 4, 2, 0 of link 1, nor 12.4, 0.01, 0 of link 2.",
    "Haug, equation 11.5.6: a transpose too many in the reaction torque.",
    "Haug, section 12.2.3: 6 rad/s are 57.3 rpm, not 43.6.",
    "Trom, equation 4.12: the projected term of the constraint curvature is not zero in general; it is kept here.",
    "Trom, equation 8.4: the sign holds for lambda M u + K u = 0 only with a minus in front.",
    "Trom, equation 8.8: -zeta Im must be +zeta Im.",
)
