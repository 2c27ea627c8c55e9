"""Equilibrium, load paths and design optimization."""
