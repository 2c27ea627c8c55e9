"""The marker table of the compiled passes, column by column: vectors of three numbers unless noted, in global axes.

Lever S from the body's origin, axes X, Y, Z, point P and the body's matrix A (nine numbers, row by row). On curves the
derivatives in u of the point, T and TT, and of the direction, KAPPA and BENDING, and U itself (numbers). Then velocity
V and acceleration C at zero coordinate accelerations, angular velocity OMEGA and acceleration ALPHA likewise, and the
rate of u (a number).
"""

S, X, Y, Z, P, A = 0, 3, 6, 9, 12, 15
T, TT, KAPPA, BENDING, U = 24, 27, 30, 31, 32
V, C, OMEGA, ALPHA, U_RATE = 33, 36, 39, 42, 45
SPATIAL_COLUMNS = 46
