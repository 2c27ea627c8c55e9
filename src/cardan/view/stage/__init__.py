"""Axes, scenes, labels and arrows that drawings are placed in."""
