"""The marker table of the compiled passes, column by column.

Point, x axis, lever from the body's origin, angle; on outlines the u derivatives of point (first and second) and angle
(first and second), and u itself. Then, of the motion: velocity, acceleration and angular acceleration at zero
accelerations, angular velocity, rate of u.
"""

PX, PY, FX, FY, SX, SY, THETA, TX, TY, AX, AY, KAPPA, BEND, U, VX, VY, CX, CY, OMEGA, BIAS, U_RATE = range(21)
PLANAR_COLUMNS = 21
