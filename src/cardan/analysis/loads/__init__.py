"""Forces behind a known motion: multipliers of all equations, and strengths of all forces."""
