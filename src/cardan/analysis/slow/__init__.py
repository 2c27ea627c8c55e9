"""Motions so slow that all forces balance: sequences of equilibria."""
