"""Motions stated by what a mechanism must reach."""
