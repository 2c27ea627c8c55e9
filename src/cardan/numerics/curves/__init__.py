"""Splines, motion laws and parametric curves for compiled loops."""
