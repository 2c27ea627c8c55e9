"""Kinematics and inverse dynamics: motions in which every degree of freedom is driven."""
