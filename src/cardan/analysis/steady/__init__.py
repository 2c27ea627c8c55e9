"""Steady and periodic motions: their equations, and Newton's method on them."""
