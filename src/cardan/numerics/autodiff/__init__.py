"""Automatic differentiation: dual numbers and jets, interpreted and compiled."""
