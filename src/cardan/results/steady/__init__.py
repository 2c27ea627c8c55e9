"""Equilibria, load paths, steady and periodic motions."""
