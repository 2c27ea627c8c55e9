"""Checks of a simulation: its start, its energy balance, its user functions."""
