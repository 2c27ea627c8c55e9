"""Equations of motion of runs, in Cartesian or joint coordinates."""
