"""Forces of a known motion: multipliers of all equations, and values of all forces."""
