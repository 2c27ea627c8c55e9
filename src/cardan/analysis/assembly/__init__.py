"""Assembly, mobility and initial conditions."""
