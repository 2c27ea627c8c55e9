"""Torques and reactions of driven machines."""
