"""Integrators: one scheme in each file. They know mechanisms only as addresses of functions."""
